'use strict';
// node-soap's server of encoded.wsdl: every operation gives its argument back as far as node-soap has read it.
// Prints "READY <port>" once it accepts; ends when its standard input is closed.

const fs = require('fs');
const http = require('http');
const path = require('path');
const soap = require('soap');

const FILE = path.resolve(__dirname, '..', '..', 'encoded.wsdl');

// What was read without its attributes, whose prefixes the reply does not declare.
function bare(value) {
  if (Array.isArray(value)) return value.map(bare);
  if (value === null || typeof value !== 'object') return value;
  if ('$value' in value) return value.$value;
  const members = Object.entries(value).filter(([name]) => name !== 'attributes');
  return Object.fromEntries(members.map(([name, member]) => [name, bare(member)]));
}

const echo = (args) => ({ return: Object.values(bare(args))[0] ?? {} });
const names = ['Doubles', 'Strings', 'Mio', 'Mios', 'Matrix', 'Node', 'Pair', 'Text'];
const methods = Object.fromEntries(names.map((name) => [`enc${name}`, echo]));

const server = http.createServer();
server.listen(0, '127.0.0.1', () => {
  soap.listen(server, {
    path: '/encoded',
    services: { InteropEncoded: { EncodedPort: methods } },
    xml: fs.readFileSync(FILE, 'utf8'),
    uri: FILE,
    suppressStack: true,
  });
  setTimeout(() => process.stdout.write(`READY ${server.address().port}\n`), 100);
});
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
