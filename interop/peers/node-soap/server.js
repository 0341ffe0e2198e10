'use strict';
// The node-soap server of the suite: echoes what it decoded, at /soap11, /soap12 and /rpc11.
// Prints "READY <port>" once it accepts; ends when its standard input is closed.

const fs = require('fs');
const http = require('http');
const path = require('path');
const soap = require('soap');
const { ROOT, model, write, read, deserializers } = require('./neutral');

const notices = new Map();

const PREFIXES = {
  interop: { 'urn:castile:interop': 'i', 'urn:castile:interop:types': 't' },
  rpc: { 'urn:castile:interop:rpc:types': 't' },
};

// A declared detail as raw XML: in a fault node-soap loses the namespace of what is repeated.
function xml(name, members) {
  const prefix = name.split(':')[0];
  const escape = (text) => String(text).replace(/&/g, '&amp;').replace(/</g, '&lt;');
  const parts = members.map(([member, text]) => `<${prefix}:${member}>${escape(text)}</${prefix}:${member}>`);
  return { $xml: `<${name}>${parts.join('')}</${name}>` };
}

function fail(soap12, reason, detail) {
  if (soap12) {
    const text = { attributes: { 'xml:lang': 'en' }, $value: reason };
    throw { Fault: { Code: { Value: 'soap:Receiver' }, Reason: { Text: text }, Detail: detail, statusCode: 500 } };
  }
  throw { Fault: { faultcode: 'soap:Server', faultstring: reason, detail, statusCode: 500 } };
}

// What each operation does with its neutral arguments; the others echo them.
const handlers = {
  failDeclared({ code, reason, path: places }, soap12) {
    const members = [['code', code], ['reason', reason], ...places.map((place) => ['path', place])];
    fail(soap12, reason, xml('i:ServiceFault', members));
  },
  failUndeclared({ reason }, soap12) {
    fail(soap12, reason);
  },
  notify({ key, text, value }) {
    notices.set(key, { count: (notices.get(key)?.count ?? 0) + 1, text, value });
  },
  lastNotice({ key }) {
    return notices.get(key) ?? { count: 0 };
  },
  rpcFail({ reason }) {
    fail(false, reason, xml('t:RpcFault', [['reason', reason]]));
  },
};

function methods(contract, soap12) {
  const made = {};
  for (const [name, operation] of Object.entries(model[contract]))
    made[name] = (args) => {
      const values = read(operation.input, args);
      const result = handlers[name] ? handlers[name](values, soap12) : values;
      return operation.output ? write(operation.output, result, PREFIXES[contract]) : undefined;
    };
  return made;
}

// Every simple type as node-soap itself reads and writes it.
function listenEvery(server) {
  const file = path.join(ROOT, 'every.wsdl');
  const attributes = { 'xmlns:e': 'urn:castile:interop:every' };
  const echoEvery = ({ every }) => {
    const members = Object.entries(every).map(([name, value]) => [`e:${name}`, value]);
    return { 'e:every': { attributes, ...Object.fromEntries(members) } };
  };
  const services = { InteropEvery: { Every11: { echoEvery } } };
  const options = { path: '/every11', services, xml: fs.readFileSync(file, 'utf8'), uri: file, suppressStack: true };
  soap.listen(server, options);
}

function listen(server, at, contract, soap12) {
  const implementation = methods(contract, soap12);
  const options = {
    path: at,
    services: {
      Interop: { Soap11: implementation, Soap12: implementation },
      InteropRpc: { Rpc11: implementation },
    },
    xml: fs.readFileSync(path.join(ROOT, `${contract}.wsdl`), 'utf8'),
    uri: path.join(ROOT, `${contract}.wsdl`),
    forceSoap12Headers: soap12,
    handleNilAsNull: true,
    customDeserializer: deserializers,
    suppressStack: true,
    oneWay: { responseCode: 202 },
  };
  const listener = soap.listen(server, options);
  listener.wsdl.options.preserveWhitespace = true; // only the client takes it as an option
  listener.addSoapHeader((name, args, headers) => {
    if (name !== 'useSession') return '';
    const { token, sequence } = headers.SessionToken;
    return { SessionState: { token, sequence: Number(sequence) + 1 } };
  }, '', 'i', 'urn:castile:interop');
}

const server = http.createServer((request, response) => {
  response.statusCode = 404;
  response.end();
});
server.listen(0, '127.0.0.1', () => {
  listen(server, '/soap11', 'interop', false);
  listen(server, '/soap12', 'interop', true);
  listen(server, '/rpc11', 'rpc', false);
  listenEvery(server);
  setTimeout(() => process.stdout.write(`READY ${server.address().port}\n`), 100);
});
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
