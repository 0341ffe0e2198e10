'use strict';
// echoString for whom a token proves (../../test_security.py). node-soap reads the header; who is known is for its
// user to find out, with its own function for digests.

const fs = require('fs');
const http = require('http');
const path = require('path');
const soap = require('soap');
const { passwordDigest } = require('soap/lib/utils');

const WSDL = path.join(__dirname, '..', '..', 'interop.wsdl');
const USER = 'ana';
const PASSWORD = 'secret';

function textOf(value) {
  return value !== null && typeof value === 'object' ? (value.$value ?? '') : (value ?? '');
}

function known(kind, security) {
  const token = security?.UsernameToken;
  if (!token || textOf(token.Username) !== USER) return false;
  const given = textOf(token.Password);
  if (kind === 'text') return given === PASSWORD;
  return given === passwordDigest(textOf(token.Nonce), textOf(token.Created), PASSWORD);
}

const server = http.createServer((request, response) => {
  response.statusCode = 404;
  response.end();
});
server.listen(0, '127.0.0.1', () => {
  for (const kind of ['text', 'digest']) {
    const methods = { echoString: ({ text }) => ({ 'i:text': text }) };
    const services = { Interop: { Soap11: methods, Soap12: methods } };
    const xml = fs.readFileSync(WSDL, 'utf8');
    const listener = soap.listen(server, { path: `/${kind}`, services, xml, uri: WSDL, suppressStack: true });
    listener.authenticate = (security) => known(kind, security);
  }
  const base = `http://127.0.0.1:${server.address().port}`;
  setTimeout(() => process.stdout.write(`READY ${base}/text ${base}/digest\n`), 100);
});
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
