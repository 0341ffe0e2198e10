//! Differential sending: whatever was sent before and whatever the settings are, a patched message says
//! what a fresh one says, or is refused alike, and what was lent stays as it was.

use castile_codec::{Draft, EncodeOptions, Version};
use castile_diff::{Options, Pieces, Stuffing, Template};
use castile_plan::Plan;
use castile_testkit::{Rng, Table, difference};
use castile_value::{ColumnBuf, Record, Value};

use crate::tables::{choose, read, sample};

/// Table, plan, settings (two bytes), and steps of four bytes: each changes the values, which are sent.
pub(crate) fn sending(bytes: &[u8]) {
    let [table, plan, a, b, steps @ ..] = bytes else {
        return;
    };
    let (table, plan) = choose(*table, *plan);
    let options = options(u16::from_le_bytes([*a, *b]));
    let exact = !options.pad;
    let mut template = Template::new(options);
    let mut body = sample(table, plan, 1);
    let mut lent: Option<(Pieces, Vec<u8>)> = None;
    for step in steps.as_chunks::<4>().0.iter().take(SENDS_MAX) {
        change(table, plan, &mut body, *step);
        let pieces = send(&mut template, table, plan, &body, exact);
        if let Some((pieces, bytes)) = &lent {
            assert_eq!(pieces.to_vec(), *bytes, "lent bytes changed");
        }
        if let Some(pieces) = pieces.filter(|_| step[0] & 0x80 != 0) {
            let bytes = pieces.to_vec();
            lent = Some((pieces, bytes));
        }
    }
}

const SENDS_MAX: usize = 60;
const VALUES_MAX: usize = 600;

fn options(bits: u16) -> Options {
    let pick = |shift: u16, of: usize| usize::from(bits >> shift) % of;
    Options {
        values_min: [1, 16][pick(0, 2)],
        text_bytes_min: [1, 50][pick(1, 2)],
        chunk_bytes: [64, 500, 8192][pick(2, 3)],
        split_bytes: [100, 1000, 16384][pick(4, 3)],
        reserve_bytes: [0, 7, 256][pick(6, 3)],
        pad: pick(8, 4) != 0,
        steal_reach: [0, 8][pick(10, 2)],
        stuffing: [Stuffing::None, Stuffing::None, Stuffing::Max, Stuffing::Width(9)][pick(11, 4)],
        rewrite_above: [None, Some(0.1), Some(2.0)][pick(13, 3)],
        one_pass: pick(15, 2) == 0,
        ..Options::default()
    }
}

fn send(template: &mut Template, table: &Table, plan: &Plan, body: &Record, exact: bool) -> Option<Pieces> {
    let types = &table.types;
    let draft = Draft {
        types,
        plan,
        version: Version::Soap11,
        header: &Record::new(types.shape(plan.header).clone()),
        body,
        options: &EncodeOptions::default(),
    };
    let mut fresh = Vec::new();
    let (pieces, encoded) = (template.patch(&draft), draft.encode(&mut fresh));
    let pieces = match (pieces, encoded) {
        (Ok(pieces), Ok(_)) => pieces,
        (Err(a), Err(b)) => {
            assert_eq!(a.to_string(), b.to_string());
            return None;
        }
        (a, b) => panic!("patched {:?}, fresh {:?}", a.err(), b.err()),
    };
    let patched = pieces.to_vec();
    assert_eq!(pieces.report.bytes_total, patched.len() as u64);
    assert!(
        !exact || patched == fresh,
        "exact widths are the bytes of a fresh message"
    );
    let said = |bytes: &[u8]| {
        let text = std::str::from_utf8(bytes).expect("UTF-8");
        let body = read(table, plan, text, true);
        Value::Record(body.unwrap_or_else(|e| panic!("what was written is refused: {e}\n{text}")))
    };
    assert_eq!(difference(&said(&patched), &said(&fresh)), None);
    Some(pieces)
}

/// Other values, or a change to one of the arrays or lists.
fn change(table: &Table, plan: &Plan, body: &mut Record, [what, which, a, b]: [u8; 4]) {
    let seed = u16::from_le_bytes([a, b]).into();
    let mut arrays = Vec::new();
    match what % 8 {
        0 => *body = sample(table, plan, seed),
        1 => {}
        2..5 => body
            .values_mut()
            .iter_mut()
            .for_each(|v| find(v, is_column, &mut arrays)),
        _ => body
            .values_mut()
            .iter_mut()
            .for_each(|v| find(v, is_list, &mut arrays)),
    }
    let count = arrays.len().max(1);
    let rng = &mut Rng::new(seed);
    match arrays.into_iter().nth(usize::from(which) % count) {
        Some(Value::Column(column)) => edit(column, a % 8, rng),
        Some(Value::List(items)) => edit_items(items, rng),
        _ => {}
    }
}

fn is_column(value: &Value) -> bool {
    matches!(value, Value::Column(_))
}

fn is_list(value: &Value) -> bool {
    matches!(value, Value::List(_))
}

/// The values of a kind in a value, the outermost of them.
fn find<'v>(value: &'v mut Value, wanted: fn(&Value) -> bool, out: &mut Vec<&'v mut Value>) {
    if wanted(value) {
        return out.push(value);
    }
    match value {
        Value::Record(record) => record.values_mut().iter_mut().for_each(|v| find(v, wanted, out)),
        Value::List(items) => items.iter_mut().for_each(|v| find(v, wanted, out)),
        Value::Map(fields) => fields.iter_mut().for_each(|(_, v)| find(v, wanted, out)),
        _ => {}
    }
}

/// Changes items, or their order and number.
fn edit_items(items: &mut Vec<Value>, rng: &mut Rng) {
    let len = items.len();
    if len == 0 {
        return;
    }
    let (i, k) = (rng.below(len), rng.below(len));
    match rng.below(6) {
        0 => items.swap(i, k),
        1 => drop(items.remove(i)),
        2 if len < VALUES_MAX => {
            let more: Vec<Value> = (0..rng.below(30))
                .map(|at| items[(i + at) % len].clone())
                .collect();
            items.splice(k..k, more);
        }
        3 => items[i] = items[k].clone(),
        _ => edit_item(&mut items[i], rng),
    }
}

/// Another value of the same kind, or none; within a record or list, of something in it.
fn edit_item(value: &mut Value, rng: &mut Rng) {
    match value {
        Value::Text(text) => text.push(*rng.pick(&['x', '<', 'Æ'])),
        Value::Int(v) => *v ^= 1 << rng.below(40),
        Value::Double(v) => *v = -*v,
        Value::Record(record) if !record.values().is_empty() => {
            let at = rng.below(record.values().len());
            edit_item(&mut record.values_mut()[at], rng);
        }
        Value::List(items) if !items.is_empty() => edit_items(items, rng),
        other => *other = Value::Absent,
    }
}

fn edit(column: &mut ColumnBuf, what: u8, rng: &mut Rng) {
    match column {
        ColumnBuf::Bool(v) => edit_values(v, what, rng, |bits| bits & 1 != 0),
        ColumnBuf::I32(v) => edit_values(v, what, rng, |bits| (bits as i32) >> (bits >> 59)),
        ColumnBuf::I64(v) => edit_values(v, what, rng, |bits| (bits as i64) >> (bits >> 58)),
        ColumnBuf::F32(v) => edit_values(v, what, rng, |bits| f32::from_bits(bits as u32)),
        ColumnBuf::F64(v) => edit_values(v, what, rng, |bits| match bits % 3 {
            0 => f64::from_bits(bits),
            1 => (bits >> 60) as f64,
            _ => (bits >> 40) as f64 / 1024.0,
        }),
        _ => {}
    }
}

fn edit_values<T: Copy>(values: &mut Vec<T>, what: u8, rng: &mut Rng, make: impl Fn(u64) -> T) {
    let len = values.len();
    let from = rng.below(len + 1);
    let to = (from + rng.below(40)).min(len);
    match what {
        2 | 3 => values[from..(from + 1).min(len)]
            .iter_mut()
            .for_each(|v| *v = make(rng.bits())),
        4 => values[from..to].iter_mut().for_each(|v| *v = make(rng.bits())),
        5 => drop(values.drain(from..to)),
        _ if len < VALUES_MAX => {
            let more: Vec<T> = (0..rng.below(120)).map(|_| make(rng.bits())).collect();
            values.splice(from..from, more);
        }
        _ => values.truncate(from),
    }
}
