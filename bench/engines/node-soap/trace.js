'use strict';
// Trace files (../../PROTOCOL.md) as the plain objects that node-soap takes and gives, and back.

const fs = require('fs');

const FIELDS = {
  mios: ['x', 'y', 'value'],
  events: ['sequence', 'time', 'message'],
  attributes: ['name', 'type', 'value'],
  files: ['name', 'data'],
};
const ELEMENT = ['summary', 'URL', 'snippet', 'title', 'cachedSize', 'relatedInformationPresent', 'hostName'];
const NUMBERS = new Set(['x', 'y', 'value mios', 'sequence', 'time']);

// JavaScript writes -0 as 0.
const number = (text) => (Object.is(Number(text), -0) ? '-0' : Number(text));
const base64 = (hex) => Buffer.from(hex, 'hex').toString('base64');
const bytesOf = (text) => Buffer.from(text ?? '', 'base64');

function record(kind, names, texts) {
  const cell = (name, text) => {
    if (NUMBERS.has(name) || NUMBERS.has(`${name} ${kind}`)) return number(text);
    return name === 'data' ? base64(text) : text;
  };
  return Object.fromEntries(names.map((name, at) => [name, cell(name, texts[at])]));
}

function adOf(texts) {
  const item = [];
  for (let at = 0; at < texts.length; at += 3) item.push(record('attributes', FIELDS.attributes, texts.slice(at)));
  return { attributes: { item } };
}

function packed(lines) {
  const bytes = Buffer.alloc(8 * lines.length);
  lines.forEach((line, at) => bytes.writeDoubleLE(Number(line), 8 * at));
  return bytes.toString('base64');
}

function elementOf(texts) {
  const made = record('google', ELEMENT, texts);
  made.relatedInformationPresent = made.relatedInformationPresent === 'true';
  made.directoryCategory = { fullViewableName: texts[7], specialEncoding: texts[8] };
  made.directoryTitle = texts[9];
  return made;
}

function lines(path) {
  return fs.readFileSync(path, 'utf8').split('\n').slice(0, -1);
}

// The argument `values`, or the elements that a search finds.
function load(kind, path) {
  const all = lines(path);
  const rows = () => all.map((line) => line.split('\t'));
  const makers = {
    doubles: () => ({ item: all.map(number) }),
    ints: () => ({ item: all.map(Number) }),
    strings: () => ({ item: all }),
    bytes: () => base64(all[0] ?? ''),
    packed: () => packed(all),
    classads: () => ({ item: rows().map(adOf) }),
    google: () => rows().map(elementOf),
  };
  const records = () => ({ item: rows().map((row) => record(kind, FIELDS[kind], row)) });
  if (!makers[kind] && !FIELDS[kind]) return { count: all.length };
  return { count: all.length, values: (makers[kind] ?? records)() };
}

const text = (value) => (Object.is(value, -0) ? '-0' : String(value ?? ''));

function elementRow(element) {
  const { fullViewableName, specialEncoding } = element.directoryCategory;
  return [...ELEMENT.map((name) => element[name]), fullViewableName, specialEncoding, element.directoryTitle];
}

function rowOf(kind, item) {
  if (kind === 'google') return elementRow(item);
  if (kind === 'files') return [item.name, bytesOf(item.data).toString('hex')];
  if (kind === 'classads') return item.attributes.item.flatMap((it) => FIELDS.attributes.map((name) => it[name]));
  return FIELDS[kind] ? FIELDS[kind].map((name) => item[name]) : [item];
}

// The values that an operation returned, as lines of a trace file.
function dump(kind, value, path) {
  let made;
  if (kind === 'bytes') made = [bytesOf(value).toString('hex')];
  else if (kind === 'packed') {
    const bytes = bytesOf(value);
    made = Array.from({ length: bytes.length / 8 }, (_, at) => text(bytes.readDoubleLE(8 * at)));
  } else {
    const items = kind === 'google' ? value?.resultElements?.item : value?.item;
    made = (items ?? []).map((item) => rowOf(kind, item).map(text).join('\t'));
  }
  fs.writeFileSync(path, made.map((line) => `${line}\n`).join(''));
  return made.length;
}

// How many values came, for `sendX`.
function count(kind, values) {
  if (kind === 'bytes') return bytesOf(values).length;
  return kind === 'packed' ? bytesOf(values).length / 8 : (values?.item?.length ?? 0);
}

module.exports = { load, dump, count };
