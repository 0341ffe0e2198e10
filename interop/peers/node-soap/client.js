'use strict';
// The node-soap client of the suite: one JSON call a line in, one JSON answer a line out (../../README.md).

const path = require('path');
const readline = require('readline');
const soap = require('soap');
const { ROOT, model, write, read, deserializers } = require('./neutral');

const PORTS = {
  'interop 1.1': ['Interop', 'Soap11'],
  'interop 1.2': ['Interop', 'Soap12'],
  'rpc 1.1': ['InteropRpc', 'Rpc11'],
};

const clients = {};

async function clientFor(contract, version) {
  const key = `${contract} ${version}`;
  clients[key] ??= await soap.createClientAsync(path.join(ROOT, `${contract}.wsdl`), {
    disableCache: true, // the cache would share one version's options with the other
    forceSoap12Headers: version === '1.2',
    preserveWhitespace: true,
    handleNilAsNull: true,
    customDeserializer: deserializers,
  });
  return clients[key];
}

function send(client, port, request, args) {
  client.setEndpoint(request.url);
  client.clearSoapHeaders();
  if (request.header) client.addSoapHeader({ SessionToken: request.header }, '', 'i', 'urn:castile:interop');
  const [service, name] = port;
  return new Promise((resolve) => {
    client[service][name][request.operation](
      args,
      (error, result, raw, header) => resolve({ error, result, header }),
      { timeout: 20000 },
    );
  });
}

async function answer(request) {
  const operation = model[request.contract][request.operation];
  const client = await clientFor(request.contract, request.version);
  const port = PORTS[`${request.contract} ${request.version}`];
  const reply = await send(client, port, request, write(operation.input, request.arguments));
  if (reply.error) {
    const fault = reply.error.root?.Envelope?.Body?.Fault;
    return fault ? { fault: describe(operation, fault) } : { error: { reason: String(reply.error.message) } };
  }
  const made = { result: operation.output ? read(operation.output, reply.result) : {} };
  if (operation.header_out && reply.header) made.header = read(operation.header_out, reply.header.SessionState);
  return made;
}

function describe(operation, fault) {
  const made = fault.Code
    ? { code: textOf(fault.Code.Value), reason: textOf(fault.Reason.Text) }
    : { code: textOf(fault.faultcode), reason: textOf(fault.faultstring) };
  const detail = fault.detail ?? fault.Detail;
  for (const struct of operation.faults)
    if (detail && detail[struct.name]) made.detail = { [struct.name]: read(struct, detail[struct.name]) };
  return made;
}

function textOf(value) {
  return value !== null && typeof value === 'object' ? (value.$value ?? '') : value;
}

async function main() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    let made;
    try {
      made = await answer(JSON.parse(line));
    } catch (problem) {
      made = { error: { reason: String(problem && problem.stack ? problem.stack : JSON.stringify(problem)) } };
    }
    process.stdout.write(JSON.stringify(made) + '\n');
  }
}

main();
