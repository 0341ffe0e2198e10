//! What differential receiving will ask of the interfaces, tried on one message: the receiver reads
//! only what differs from the last one. What was learned stands in ARCHITECTURE.md.

mod support;

use std::ops::Range;

use castile_codec::EncodeOptions;
use castile_message::{Mark, Slots};
use castile_plan::{Plan, SimpleId, Types, Variety};
use castile_testkit::{Rng, Sampler, Table, difference, plainly, random_table};
use castile_value::{ColumnBuf, Record, Rows, Scalar, Value};
use support::{decoded, encoded};

const TYPES: &str = "
Mio = x:int, y:int, value:double
Step = number:int, note:string, field:double*, mesh:Mio*, last:boolean
";

fn marked(types: &Types, plan: &Plan, body: &Record) -> (Vec<u8>, Slots) {
    let marked = plainly::write_singly(types, plan, body, &EncodeOptions::default());
    let (text, slots) = marked.expect("good values");
    (text.into_bytes(), slots)
}

/// Number, note, field and mesh of a step.
fn step(table: &Table, number: i32, note: &str, field: &[f64], mesh: &[(i32, f64)]) -> Record {
    let layout = table.types.row_layout(table.id("Mio")).expect("a flat type");
    let mut rows = Rows::new(layout.clone());
    for (x, v) in mesh {
        rows.push(&[&x.to_ne_bytes()[..], &(x + 1).to_ne_bytes(), &v.to_ne_bytes()].concat());
    }
    let fields = [
        ("number", number.into()),
        ("note", note.into()),
        ("field", field.to_vec().into()),
        ("mesh", rows.into()),
        ("last", false.into()),
    ];
    support::body(table, "Step", Value::map(fields))
}

/// Every slot of a message, in order.
fn places(slots: &Slots) -> Vec<Range<usize>> {
    let spans = slots.marks().iter().flat_map(|mark| match mark {
        Mark::Value(slot) => vec![slot.span.clone()],
        Mark::Array(array) => array.spans().collect(),
        Mark::Opaque(span) => vec![span.clone()],
    });
    spans.collect()
}

#[test]
fn marks_change_no_byte_and_cover_every_value() {
    for seed in 0..200 {
        let table = random_table(seed);
        for complex in table.types.complex.iter().filter(|c| !c.is_abstract) {
            let Some(name) = &complex.name else { continue };
            let plan = table.plan(&name.local);
            let body = Sampler::new(&table.types, Rng::new(seed ^ 0xABCD)).record(plan.body);
            let (message, slots) = marked(&table.types, &plan, &body);
            let text = String::from_utf8(message).expect("text");
            assert_eq!(text, encoded(&table.types, &plan, &body).unwrap(), "seed {seed}");
            let places = places(&slots);
            assert!(
                places.windows(2).all(|w| w[0].end <= w[1].start),
                "seed {seed}: slots in the order of the message"
            );
            let mut constants = text.clone();
            places
                .iter()
                .rev()
                .for_each(|place| constants.replace_range(place.clone(), ""));
            assert_no_values(&constants, seed);
        }
    }
}

/// What is left of a message without its slots: tags, declarations, types and nils.
fn assert_no_values(text: &str, seed: u64) {
    let mut reader = castile_xml::Reader::new(text);
    loop {
        match reader
            .next()
            .unwrap_or_else(|e| panic!("seed {seed}: {e} in {text}"))
        {
            castile_xml::Token::Eof => return,
            castile_xml::Token::Text(value) => panic!("seed {seed}: nobody marked {value:?} in {text}"),
            castile_xml::Token::Start { .. } => {
                for attribute in reader.attributes() {
                    let announced = reader.uri(attribute.name.ns).ends_with("XMLSchema-instance");
                    assert!(
                        announced || attribute.value.is_empty(),
                        "seed {seed}: {attribute:?} in {text}"
                    );
                }
            }
            _ => {}
        }
    }
}

/// What a receiver keeps of a message: its bytes, the places of its values with their types, and
/// where in the object each value went.
struct Kept {
    text: String,
    slots: Vec<(Range<usize>, SimpleId, Address)>,
    value: Record,
}

/// Where a value lies in the object.
#[derive(Clone, Debug)]
enum Address {
    Field(&'static str),
    Item(&'static str, usize),
    Cell(&'static str, usize, usize),
}

/// Learns a message. The addresses are spelt out here: a decoder that learns has to give them.
fn learn(table: &Table, plan: &Plan, text: &str, marks: &Slots) -> Kept {
    let mut slots = Vec::new();
    let mut fields = ["number", "note", "field", "mesh", "last"].into_iter();
    for mark in marks.marks() {
        let field = fields.next().expect("a mark a field");
        match mark {
            Mark::Value(slot) => {
                slots.push((slot.span.clone(), SimpleId(slot.simple), Address::Field(field)))
            }
            Mark::Array(array) => {
                let columns = array.simples.len();
                for (i, span) in array.spans().enumerate() {
                    let address = match columns {
                        1 => Address::Item(field, i),
                        n => Address::Cell(field, i / n, i % n),
                    };
                    slots.push((span, SimpleId(array.simples[i % columns]), address));
                }
            }
            Mark::Opaque(_) => panic!("no wildcards here"),
        }
    }
    Kept {
        text: text.to_owned(),
        slots,
        value: decoded(&table.types, plan, text).expect("a good message"),
    }
}

/// Updates the object from a message like the last one; gives the bytes that were parsed. `None`:
/// it differs in something that is no value, and has to be decoded.
fn advance(types: &Types, kept: &mut Kept, text: &str) -> Option<usize> {
    let (old, new) = (kept.text.as_bytes(), text.as_bytes());
    let (mut from, mut to, mut parsed) = (0, 0, 0);
    let mut changes = Vec::new();
    for (span, simple, address) in &mut kept.slots {
        // The constant part before the value must be equal.
        let constant = old.get(from..span.start)?;
        if new.get(to..to + constant.len())? != constant {
            return None;
        }
        to += constant.len();
        from = span.end;
        let value = old.get(span.clone())?;
        let same = new.get(to..to + value.len()) == Some(value) && new.get(to + value.len()) == Some(&b'<');
        let start = to;
        if !same {
            // Only here is anything parsed: up to the next tag, by the slot's type.
            let length = new.get(to..)?.iter().position(|&b| b == b'<' || b == b'&')?;
            let fresh = new.get(to..to + length).filter(|_| new[to + length] == b'<')?;
            changes.push((
                address.clone(),
                scalar(types, *simple, std::str::from_utf8(fresh).ok()?)?,
            ));
            parsed += length;
            to += length;
        } else {
            to += value.len();
        }
        *span = start..to;
    }
    if old.get(from..) != new.get(to..) {
        return None;
    }
    changes
        .into_iter()
        .for_each(|(address, scalar)| set(&mut kept.value, &address, scalar));
    kept.text = text.to_owned();
    Some(parsed)
}

fn scalar(types: &Types, id: SimpleId, text: &str) -> Option<Scalar<'static>> {
    let Variety::Atomic(builtin) = types.simple(id).variety else {
        return None;
    };
    Some(match builtin {
        castile_plan::Builtin::Double => Scalar::Double(castile_lexical::parse_f64(text.as_bytes()).ok()?),
        castile_plan::Builtin::Int => Scalar::Int(castile_lexical::parse_i32(text.as_bytes()).ok()?.into()),
        castile_plan::Builtin::Boolean => Scalar::Bool(castile_lexical::parse_bool(text.as_bytes()).ok()?),
        _ => Scalar::Text(text.to_owned().into()),
    })
}

fn set(body: &mut Record, address: &Address, scalar: Scalar<'static>) {
    let Some(Value::Record(step)) = body.values_mut().first_mut() else {
        panic!("a step")
    };
    let mut slot = |name: &str| {
        let at = step.shape().index(name).expect("a field");
        std::mem::take(&mut step.values_mut()[at])
    };
    let (name, value): (&str, Value) = match (address, scalar) {
        (Address::Field(name), scalar) => (name, scalar.into()),
        (Address::Item(name, i), Scalar::Double(v)) => match slot(name) {
            Value::Column(ColumnBuf::F64(mut column)) => {
                column[*i] = v;
                (name, column.into())
            }
            other => panic!("{other:?}"),
        },
        (Address::Cell(name, row, cell), scalar) => match slot(name) {
            Value::Rows(mut rows) => {
                let (stride, offset) = (rows.layout().stride(), rows.layout().fields()[*cell].offset);
                let bytes = match scalar {
                    Scalar::Double(v) => v.to_ne_bytes().to_vec(),
                    Scalar::Int(v) => (v as i32).to_ne_bytes().to_vec(),
                    other => panic!("{other:?}"),
                };
                let at = row * stride + offset;
                rows.data_mut()[at..at + bytes.len()].copy_from_slice(&bytes);
                (name, Value::Rows(rows))
            }
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    };
    step.set(name, value).expect("a field");
}

#[test]
fn a_receiver_parses_only_what_differs() {
    let table = Table::parse(TYPES);
    let plan = table.plan("Step");
    let field: Vec<f64> = (0..500).map(|i| f64::from(i) / 7.0).collect();
    let mesh: Vec<(i32, f64)> = (0..100).map(|i| (i, f64::from(i) / 3.0)).collect();
    let (message, slots) = marked(&table.types, &plan, &step(&table, 1, "note", &field, &mesh));
    let text = String::from_utf8(message).expect("text");
    let mut kept = learn(&table, &plan, &text, &slots);
    assert_eq!(
        advance(&table.types, &mut kept, &text),
        Some(0),
        "a content match parses nothing"
    );

    let (mut field, mut mesh) = (field, mesh);
    for (round, note) in ["note", "a longer note", "", "note"].into_iter().enumerate() {
        field[round * 100] = 1.0 / (round as f64 + 3.0);
        mesh[round * 7] = (round as i32 * 1000, -1.5);
        let next = step(&table, round as i32 * 50, note, &field, &mesh);
        let text = encoded(&table.types, &plan, &next).unwrap();
        let parsed = advance(&table.types, &mut kept, &text).expect("only values differ");
        assert!(parsed < 80, "{parsed} of {} bytes parsed", text.len());
        let full = decoded(&table.types, &plan, &text).unwrap();
        let differs = difference(&Value::Record(kept.value.clone()), &Value::Record(full));
        assert_eq!(differs, None, "round {round}");
    }
    // One item more is another structure: a repeat, which has to be learned as a loop.
    field.push(1.0);
    let text = encoded(&table.types, &plan, &step(&table, 1, "note", &field, &mesh)).unwrap();
    assert_eq!(advance(&table.types, &mut kept, &text), None);
}
