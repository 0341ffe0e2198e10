'use strict';
// node-soap: a client and a server that read the WSDL; values are plain objects.

const fs = require('fs');
const http = require('http');
const path = require('path');
const readline = require('readline');
const soap = require('soap');
const axios = require('axios');
const { load, dump, count } = require('./trace');

const KINDS = ['Doubles', 'Ints', 'Strings', 'Bytes', 'Packed', 'Mios', 'Events', 'Attributes', 'ClassAds'];
const SERVICES = { bench: ['BenchService', 'BenchSoap'], files: ['FilesService', 'FilesSoap'] };
const wsdl = (contract) => path.join(process.env.BENCH_WSDL, `${contract}.wsdl`);

// Our contract has a member of the name that else means attributes.
const options = { attributesKey: '$attributes' };

class Unsupported extends Error {}

const settings = { keepalive: 'on', security: 'none', attachments: 'inline' };
const clients = new Map();
let sets = [];
let elements = [];
let last;
let server;

// ---- client ----

async function clientFor(contract, url) {
  const key = `${contract} ${url}`;
  if (!clients.has(key)) {
    const httpAgent = new http.Agent({ keepAlive: settings.keepalive === 'on' });
    const client = await soap.createClientAsync(wsdl(contract), {
      ...options,
      disableCache: true,
      preserveWhitespace: true,
      parseResponseAttachments: settings.attachments === 'mtom',
      request: axios.create({ httpAgent }),
    });
    client.setEndpoint(url);
    if (settings.keepalive === 'on') client.addHttpHeader('Connection', 'keep-alive');
    if (settings.security === 'username')
      client.setSecurity(new soap.WSSecurity('bench', 'bench', { passwordType: 'PasswordText', hasTimeStamp: false }));
    clients.set(key, client);
  }
  return clients.get(key);
}

// MTOM is half its user's: where parts belong in the envelope, and which came for what.
function attached({ values }) {
  const include = (at) => `<x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" href="cid:${at}@bench"/>`;
  const item = values.item.map(({ name }, at) => ({ name, data: { $xml: include(at) } }));
  const attachments = values.item.map(({ name, data }, at) => {
    return { mimetype: 'application/octet-stream', contentId: `${at}@bench`, name, body: Buffer.from(data, 'base64') };
  });
  return { values: { values: { item } }, options: { attachments } };
}

function detached(result, { parts }) {
  if (!result.return) return result;
  const bodies = new Map(parts.map(({ headers, body }) => [`cid:${headers['content-id'].replace(/[<>]/g, '')}`, body]));
  const item = [].concat(result.return.item).map(({ name, data }) => {
    return { name, data: bodies.get(data.Include?.$attributes?.href) };
  });
  return { return: { item } };
}

function kindOf(operation) {
  if (operation === 'doGoogleSearch') return 'google';
  return operation.replace(/^(echo|send)/, '').toLowerCase();
}

function argumentsOf(operation) {
  if (operation === 'echoVoid') return [{}];
  if (operation !== 'doGoogleSearch') return sets.map((values) => ({ values }));
  const flags = { filter: true, restrict: '', safeSearch: false, lr: '', ie: '', oe: '' };
  return [{ key: '0000', q: 'grid computing', start: 0, maxResults: elements.length || 1, ...flags }];
}

async function call(operation, url, calls) {
  const contract = kindOf(operation) === 'files' ? 'files' : 'bench';
  const client = await clientFor(contract, url);
  const [service, port] = SERVICES[contract];
  const method = client[service][port][operation];
  if (!method) throw new Unsupported(`no operation ${operation}`);
  const beside = settings.attachments === 'mtom' && contract === 'files';
  const given = argumentsOf(operation).map((values) => (beside ? attached(values) : { values, options: {} }));
  const once = ({ values, options }) =>
    new Promise((resolve, reject) => {
      const done = (error, result, raw, header, request, parts) =>
        error ? reject(error) : resolve(parts ? detached(result, parts) : result);
      method(values, done, { timeout: 0, ...options });
    });
  const samples = [];
  for (let at = 0; at < calls; at++) {
    const start = process.hrtime.bigint();
    const result = await once(given[at % given.length]);
    samples.push(`${start},${process.hrtime.bigint()}`);
    last = { operation, result };
  }
  return samples.join(' ');
}

function dumpLast(file) {
  const { operation, result } = last;
  if (operation.startsWith('send')) {
    fs.writeFileSync(file, `${result.count}\n`);
    return 1;
  }
  return dump(kindOf(operation), operation === 'echoVoid' ? null : result.return, file);
}

// ---- server ----

function handlers(contract) {
  const made = {};
  for (const kind of contract === 'files' ? ['Files'] : KINDS) {
    made[`echo${kind}`] = ({ values }) => ({ return: values });
    made[`send${kind}`] = ({ values }) => ({ count: count(kind.toLowerCase(), values) });
  }
  if (contract === 'files') return made;
  const found = {
    documentFiltering: false,
    searchComments: '',
    estimatedTotalResultsCount: 3220000,
    estimateIsExact: false,
    resultElements: { item: elements },
    searchQuery: 'grid computing',
    startIndex: 1,
    endIndex: elements.length,
    searchTips: '',
    directoryCategories: {},
    searchTime: 0.194871,
  };
  return { ...made, echoVoid: () => ({}), doGoogleSearch: () => ({ return: found }) };
}

function known(token) {
  const text = (element) => (typeof element === 'object' ? element?.$value : element);
  return text(token?.Username) === 'bench' && text(token?.Password) === 'bench';
}

async function serve(contract) {
  if (settings.attachments !== 'inline') throw new Unsupported('its server has no attachments');
  if (!SERVICES[contract]) throw new Unsupported('no SOAP encoding, and attributes lose their namespaces');
  const [service, port] = SERVICES[contract];
  server = http.createServer((request, response) => response.writeHead(404).end());
  server.keepAliveTimeout = 0;
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const listen = (callback) =>
    soap.listen(server, {
      ...options,
      path: '/',
      services: { [service]: { [port]: handlers(contract) } },
      xml: fs.readFileSync(wsdl(contract), 'utf8'),
      uri: wsdl(contract),
      callback,
    });
  await new Promise((resolve) => {
    const listener = listen(resolve);
    listener.wsdl.options.preserveWhitespace = true; // only the client takes it as an option
    if (settings.security === 'username') listener.authenticate = (security) => known(security?.UsernameToken);
  });
  return server.address().port;
}

// ---- the protocol ----

function set(name, value) {
  const known = { keepalive: ['on', 'off'], chunk: ['0'], security: ['none', 'username'], attachments: ['inline', 'mtom'] };
  if (!known[name]?.includes(value)) throw new Unsupported(`no ${name}=${value}`);
  settings[name] = value;
  clients.clear();
}

function loadSet(kind, file) {
  const { count: lines, values } = load(kind, file);
  if (values === undefined) throw new Unsupported(`no ${kind}`);
  if (kind === 'google') elements = values;
  else sets.push(values);
  return lines;
}

const commands = {
  hello: () => `1 node-soap ${require('soap/package.json').version}, Node ${process.version}`,
  load: loadSet,
  clear: () => {
    sets = [];
    elements = [];
  },
  set,
  serve,
  stop: () => {
    server.close();
    server.closeAllConnections();
  },
  call: (operation, url, calls) => call(operation, url, Number(calls)),
  dump: dumpLast,
  reset: () => clients.clear(),
};

async function answer([command, ...words]) {
  try {
    if (!commands[command]) throw new Unsupported(`no command ${command}`);
    const said = await commands[command](...words);
    return said === undefined ? 'ok' : `ok ${said}`;
  } catch (problem) {
    const kind = problem instanceof Unsupported ? 'unsupported' : 'error';
    return `${kind} ${String(problem?.message ?? problem)}`.replace(/\s+/g, ' ');
  }
}

async function main() {
  const say = process.stdout.write.bind(process.stdout);
  console.log = console.error; // what a toolkit prints is no answer
  for await (const line of readline.createInterface({ input: process.stdin })) {
    if (line === 'quit') break;
    say(`${await answer(line.split(' '))}\n`);
  }
  say('ok\n', () => process.exit(0));
}

main();
