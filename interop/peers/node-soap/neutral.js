'use strict';
// Between the neutral JSON of the suite (../../README.md) and what node-soap takes and gives.
//
// node-soap has no lexical forms of its own: numbers go out by String(), which writes Infinity and loses
// the sign of -0, and come in by Number(). So doubles go out as text, and `deserializers` keep what comes in.

const path = require('path');

const ROOT = path.resolve(__dirname, '..', '..');
const model = require(path.join(ROOT, 'build', 'model.json'));

const LARGE = new Set(['unsignedInt', 'long', 'unsignedLong', 'integer', 'decimal']);
const SMALL = new Set(['byte', 'short', 'int', 'unsignedByte', 'unsignedShort']);

function fromBits(hex) {
  const bytes = Buffer.from(hex, 'hex');
  const number = bytes.length === 8 ? bytes.readDoubleBE() : bytes.readFloatBE();
  if (Number.isNaN(number)) return 'NaN';
  if (!Number.isFinite(number)) return number > 0 ? 'INF' : '-INF';
  return Object.is(number, -0) ? '-0' : String(number);
}

function toBits(text, bytes) {
  const named = { INF: Infinity, '-INF': -Infinity, NaN: NaN };
  const number = text in named ? named[text] : Number(text);
  const made = Buffer.alloc(bytes);
  if (bytes === 8) made.writeDoubleBE(number);
  else made.writeFloatBE(number);
  return made.toString('hex');
}

// ---- neutral -> node-soap ----

// `prefixes` (namespace -> prefix) spells out each member's prefix: node-soap's client finds it in the
// schema, its server puts the whole reply into the namespace of the wrapper. Its server also writes xsi:nil
// without declaring xsi.
function write(type, value, prefixes = {}) {
  if (value === null) return Object.keys(prefixes).length ? NIL : null;
  if (typeof type === 'object') return writeStruct(type, value, prefixes);
  if (type === 'double' || type === 'float') return fromBits(value);
  if (type === 'base64Binary') return Buffer.from(value, 'hex').toString('base64');
  return value;
}

const NIL = { attributes: { 'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance', 'xsi:nil': 'true' } };

function writeStruct(struct, value, prefixes) {
  const made = {};
  for (const field of struct.fields) {
    if (!(field.name in value)) continue;
    const item = value[field.name];
    const name = struct.namespace in prefixes ? `${prefixes[struct.namespace]}:${field.name}` : field.name;
    if (field.attribute) (made.attributes ??= {})[field.name] = write(field.type, item);
    else if (field.repeated) made[name] = item.map((each) => write(field.type, each, prefixes));
    else made[name] = write(field.type, item, prefixes);
  }
  return made;
}

// ---- node-soap -> neutral ----

// Whatever would lose by parsing stays the text that came in.
const deserializers = Object.fromEntries(
  ['double', 'float', 'decimal', 'long', 'integer', 'dateTime', 'date'].map((name) => [name, (text) => text]),
);

function read(type, value) {
  if (value !== null && typeof value === 'object' && '$value' in value) value = value.$value;
  if (typeof type === 'object') return readStruct(type, value);
  value ??= ''; // an empty element comes as null, unless its type is xsd:string itself
  if (type === 'double') return toBits(value, 8);
  if (type === 'float') return toBits(value, 4);
  if (SMALL.has(type)) return Number(value);
  if (LARGE.has(type)) return String(value);
  if (type === 'boolean') return value === true || value === 'true' || value === '1';
  if (type === 'base64Binary') return Buffer.from(value, 'base64').toString('hex');
  if (type === 'hexBinary') return value.toLowerCase();
  return value;
}

function readStruct(struct, value) {
  const made = {};
  const members = value === null || typeof value !== 'object' ? {} : value; // an empty element comes as ''
  for (const field of struct.fields) {
    const item = field.attribute ? members.attributes?.[field.name] : members[field.name];
    if (field.repeated) made[field.name] = asList(item).map((each) => read(field.type, each));
    else if (item === null && field.nillable) made[field.name] = null;
    else if (item !== undefined) made[field.name] = read(field.type, item);
  }
  return made;
}

function asList(item) {
  if (item === undefined) return [];
  return Array.isArray(item) ? item : [item];
}

module.exports = { ROOT, model, write, read, deserializers };
