'use strict';
// node-soap's client of encoded.wsdl: calls each operation of an echo server, the URL of which is given.
// Prints a line each: "ok NAME", or "FAILED NAME why". node-soap knows SOAP encoding only as far as it resolves
// references in replies; it sends neither references nor xsi:type.

const path = require('path');
const util = require('util');
const soap = require('soap');

const FILE = path.resolve(__dirname, '..', '..', 'encoded.wsdl');
const NUMBERS = [0.1, 1e300, 5];
const TEXTS = ['a', '', '<&>\u00e9'];
const MIO = { x: 1, y: 2, value: 0.5 };

// An array of the encoding as node-soap wants it, and as it gives it.
const array = (items) => ({ item: items });
const items = (reply) => Object.entries(reply ?? {}).filter(([name]) => name !== 'attributes').flatMap(([, value]) => value);
const plain = (value) => (value !== null && typeof value === 'object' && '$value' in value ? value.$value : value);
const text = (value) => plain(value) ?? ''; // an empty element comes as null
const same = (one, other) => util.isDeepStrictEqual(one, other);

function mioOf(value) {
  return Object.fromEntries(Object.keys(MIO).map((name) => [name, Number(plain(value[name]))]));
}

function checks(call) {
  const node = (name, next) => ({ name, next });
  const numbers = async (values) => items((await call('encDoubles', { values: array(values) })).return).map(plain).map(Number);
  return {
    doubles: async () => same(await numbers(NUMBERS), NUMBERS),
    'doubles-none': async () => same(await numbers([]), []),
    strings: async () => same(items((await call('encStrings', { values: array(TEXTS) })).return).map(text), TEXTS),
    text: async () => plain((await call('encText', { text: 'one & two' })).return) === 'one & two',
    mio: async () => same(mioOf((await call('encMio', { mio: MIO })).return), MIO),
    mios: async () => same(items((await call('encMios', { mios: array([MIO, MIO]) })).return).map(mioOf), [MIO, MIO]),
    matrix: async () => same(items((await call('encMatrix', { matrix: array([1, 2, 3, 4]) })).return).map(plain).map(Number), [1, 2, 3, 4]),
    chain: async () => {
      const back = (await call('encNode', { node: node('a', node('b', node('c'))) })).return;
      return same([back, back.next, back.next.next].map((each) => plain(each.name)), ['a', 'b', 'c']);
    },
    'pair-shared': async () => {
      const one = node('x');
      const back = (await call('encPair', { pair: { first: one, second: one } })).return;
      return back.first === back.second;
    },
    'pair-apart': async () => {
      const back = (await call('encPair', { pair: { first: node('x'), second: node('x') } })).return;
      return back.first !== back.second && plain(back.first.name) === 'x' && plain(back.second.name) === 'x';
    },
    ring: async () => {
      const ring = node('ring');
      ring.next = ring;
      const back = (await call('encNode', { node: ring })).return;
      return back.next === back;
    },
    circle: async () => {
      const one = node('one', node('two'));
      one.next.next = one;
      const back = (await call('encNode', { node: one })).return;
      return back.next.next === back;
    },
  };
}

async function main() {
  const client = await soap.createClientAsync(FILE, { preserveWhitespace: true }, process.argv[2]);
  const call = async (name, args) => (await client[`${name}Async`](args))[0];
  for (const [name, run] of Object.entries(checks(call))) {
    try {
      console.log((await run()) ? 'ok' : 'FAILED', name);
    } catch (problem) {
      console.log('FAILED', name, String(problem.message ?? problem).replace(/\s+/g, ' ').slice(0, 300));
    }
  }
}

main();
