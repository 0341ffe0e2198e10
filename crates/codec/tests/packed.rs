//! Texts, and records with texts, move in batches: what is written and read is what moving them one by
//! one gives, which a marked encoding and a sink of single values do.

mod support;

use std::sync::Arc;

use castile_codec::{DecodeOptions, Envelope, Error, Limits, Techniques};
use castile_testkit::{Rng, Table};
use castile_value::typed::Fields;
use castile_value::{ColumnBuf, DType, Record, RowLayout, Rows, Scalar, Shape, Sink, Slot, Value, ValueSink};
use support::batches::{read, read_dynamic, read_into, written_alike};
use support::{body, encoded};

const TYPES: &str = "
Event = seq:int, time:double, text:string, note:string
Events = item:Event*
Texts = item:string*
Point = x:int, value:double, far:unsignedLong
Points = item:Point*
Kind = flag:boolean, ratio:float, big:long, small:byte, far:unsignedLong, note:string
Kinds = item:Kind*
Wide = aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:int, baaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:string, caaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:int
Wides = item:Wide*
";

#[derive(Clone, Debug, Default, PartialEq)]
struct Event {
    seq: i32,
    time: f64,
    text: String,
    note: String,
}
castile_value::record!(
    Event, "{urn:t}Event", { 0: seq, 1: time, 2: text, 3: note }, required [0, 1, 2, 3],
    flat [seq, time, text, note]
);

#[derive(Clone, Debug, Default, PartialEq)]
struct Events {
    item: Vec<Event>,
}
castile_value::record!(Events, "{urn:t}Events", { 0: item });

#[derive(Clone, Debug, Default, PartialEq)]
struct Texts {
    item: Vec<String>,
}
castile_value::record!(Texts, "{urn:t}Texts", { 0: item });

#[derive(Clone, Debug, Default, PartialEq)]
struct Point {
    x: i32,
    value: f64,
    far: u64,
}
castile_value::record!(
    Point, "{urn:t}Point", { 0: x, 1: value, 2: far }, required [0, 1, 2], flat [x, value, far]
);

#[derive(Clone, Debug, Default, PartialEq)]
struct Points {
    item: Vec<Point>,
}
castile_value::record!(Points, "{urn:t}Points", { 0: item });

#[derive(Clone, Debug, Default, PartialEq)]
struct PointsBody {
    points: Points,
}
castile_value::record!(PointsBody, "", { 0: points });

#[derive(Clone, Debug, Default, PartialEq)]
struct EventsBody {
    events: Events,
}
castile_value::record!(EventsBody, "", { 0: events });

#[derive(Clone, Debug, Default, PartialEq)]
struct TextsBody {
    texts: Texts,
}
castile_value::record!(TextsBody, "", { 0: texts });

/// Around the sizes of batches on both sides.
const LENGTHS: [usize; 9] = [0, 1, 2, 255, 257, 258, 511, 513, 1600];

fn text(rng: &mut Rng) -> String {
    let texts = [
        "",
        "plain",
        "a<b>&\r\n\t]]>",
        "\u{E9}\u{FF01}\u{1F600}",
        " \n ",
        "]]",
    ];
    match rng.below(60) {
        at if at < texts.len() => texts[at].to_owned(),
        _ => "0123456789abcdef".repeat(5)[..rng.below(70)].to_owned(),
    }
}

fn event(rng: &mut Rng) -> Event {
    Event {
        seq: rng.bits() as i32,
        time: rng.unit(),
        text: text(rng),
        note: text(rng),
    }
}

/// The same values from typed and dynamic sources to typed and dynamic sinks, and one by one.
fn check<T>(name: &str, typed: T)
where
    T: Fields + Default + PartialEq + std::fmt::Debug,
{
    let table = Table::parse(TYPES);
    let text = written_alike(&table, name, &typed).unwrap();

    for spaced in [text.clone(), text.replace("<ns1:item>", "\n <ns1:item >")] {
        for strict in [true, false] {
            assert!(
                read::<T>(&table, name, &spaced, strict).unwrap() == typed,
                "{name}"
            );
        }
        let dynamic = read_dynamic(&table, name, &spaced, true).unwrap();
        let shape = table.types.shape(table.plan(name).body);
        let mut single = Single(ValueSink::new(shape.clone()));
        read_into(&table, name, &spaced, true, &mut single).unwrap();
        // Records of numbers are rows in one, and a list in the other.
        for values in [dynamic, single.0.finish()] {
            assert_eq!(encoded(&table.types, &table.plan(name), &values).unwrap(), text);
        }
    }
}

/// A sink that is given nothing but single values.
struct Single(ValueSink);

impl Sink for Single {
    fn scalar(&mut self, at: Slot, value: Scalar<'_>) {
        self.0.scalar(at, value);
    }
    fn nil(&mut self, at: Slot) {
        self.0.nil(at);
    }
    fn xml(&mut self, at: Slot, text: String) {
        self.0.xml(at, text);
    }
    fn attribute(&mut self, at: Slot, name: String, value: &str) {
        self.0.attribute(at, name, value);
    }
    fn open(&mut self, at: Slot, shape: &Arc<Shape>) {
        self.0.open(at, shape);
    }
    fn close(&mut self) {
        self.0.close();
    }
    fn column(&mut self, _at: Slot, _dtype: DType) -> Option<&mut ColumnBuf> {
        None
    }
    fn rows(&mut self, _at: Slot, _layout: &Arc<RowLayout>) -> Option<&mut Rows> {
        None
    }
}

#[test]
fn texts() {
    let mut rng = Rng::new(3);
    for length in LENGTHS {
        let item = (0..length).map(|_| text(&mut rng)).collect();
        let texts = Texts { item };
        check("Texts", TextsBody { texts });
    }
}

/// The values of a message, repeated elements read by the example of the first or each token by token.
fn read_texts(table: &Table, text: &str, by_example: bool) -> Result<Record, Error> {
    let plan = table.plan("Texts");
    let sink = |id| ValueSink::new(table.types.shape(id).clone());
    let (mut header, mut body) = (sink(plan.header), sink(plan.body));
    let techniques = Techniques {
        arrays: by_example,
        ..Techniques::default()
    };
    let options = DecodeOptions {
        techniques,
        ..DecodeOptions::default()
    };
    let envelope = Envelope::open(text, &Limits::default())?;
    envelope.decode(&table.types, &plan, &options, &mut header, &mut body)?;
    Ok(body.finish())
}

#[test]
fn a_text_unlike_the_others() {
    let table = Table::parse(TYPES);
    let item = (0..600).map(|i| format!("text {i}")).collect();
    let texts = Texts { item };
    let text = written_alike(&table, "Texts", &TextsBody { texts }).unwrap();
    let mut seen = [0, 0];
    for spaced in [text.clone(), text.replace("<ns1:item>", "\n <ns1:item>")] {
        for (from, to) in [
            ("<ns1:item>", ""),
            ("<ns1:item>", " <ns1:item>"),
            ("<ns1:item>", "<!-- a comment --><ns1:item>"),
            ("<ns1:item>", "<ns1:item xmlns:a='urn:a'>"),
            ("<ns1:item>", "<ns1:item><![CDATA[<]]>"),
            ("<ns1:item>", "<ns1:item>\u{1}"),
            ("<ns1:item>", "<ns1:item>]]>"),
            ("<ns1:item>", "<ns1:item>&lt;\r\n"),
            ("</ns1:item>", "\u{E9}</ns1:item >"),
            ("</ns1:item>", "</ns1:item> \t"),
            ("</ns1:item>", "</ns1:other>"),
            ("</ns1:item>", "<ns1:item/></ns1:item>"),
            ("</ns1:item>", "</ns1:item><ns1:item/>"),
        ] {
            for nth in [0, 1, 2, 255, 256, 257, 258, 598, 599] {
                let at = spaced.match_indices(from).nth(nth).expect("an item").0;
                let odd = [&spaced[..at], to, &spaced[at + from.len()..]].concat();
                let [quick, slow] = [true, false].map(|example| read_texts(&table, &odd, example));
                seen[usize::from(quick.is_ok())] += 1;
                assert_eq!(quick, slow, "{nth}: {from} -> {to}");
            }
        }
    }
    assert!(seen.iter().all(|&n| n > 50), "{seen:?}");
}

#[test]
fn records_with_texts() {
    let mut rng = Rng::new(4);
    for length in LENGTHS {
        let item = (0..length).map(|_| event(&mut rng)).collect();
        let events = Events { item };
        check("Events", EventsBody { events });
    }
}

#[test]
fn records_of_numbers() {
    let mut rng = Rng::new(6);
    for length in LENGTHS {
        let point = |rng: &mut Rng| Point {
            x: rng.bits() as i32,
            value: rng.unit(),
            far: rng.bits(),
        };
        let item = (0..length).map(|_| point(&mut rng)).collect();
        let points = Points { item };
        check("Points", PointsBody { points });
    }
}

/// Values of each kind, one record of another among them: nobody can tell that the others are written in one go.
#[test]
fn dynamic_records_of_every_kind() {
    let table = Table::parse(TYPES);
    let shape = table.types.shape(table.id("Kind"));
    let kind = |i: i64| {
        let note = ["", "plain", "a < b", "long ".repeat(40).as_str()][i as usize % 4].to_owned();
        [
            (i % 2 == 0).into(),
            (i as f32 / 3.0).into(),
            (i << 40).into(),
            (i % 128).into(),
            i.into(),
            note.into(),
        ]
    };
    for (field, odd, good) in [
        (0, "true".into(), true),
        (1, f32::NAN.into(), true),
        (1, 0.5.into(), true),
        (1, 0.1.into(), true),
        (2, i64::MIN.into(), true),
        (3, (-128).into(), true),
        (3, 128.into(), false),
        (4, Value::UInt(u64::MAX), true),
        (4, (-1).into(), false),
        (5, 7.into(), true),
        (5, "a\u{1}".into(), false),
        (5, Value::Absent, false),
    ] {
        for at in [0, 127, 128, 300] {
            let record = |i: usize| {
                let mut record = Record::new(shape.clone());
                record.values_mut().clone_from_slice(&kind(i as i64));
                if i == at {
                    record.values_mut()[field] = Value::clone(&odd);
                }
                Value::Record(record)
            };
            let items: Vec<Value> = (0..400).map(record).collect();
            let body = body(&table, "Kinds", Value::map([("item", Value::List(items))]));
            let written = written_alike(&table, "Kinds", &body);
            assert_eq!(written.is_ok(), good, "{odd:?} in field {field}: {written:?}");
        }
    }
}

/// What stands between values may be longer than what one wide store copies.
#[test]
fn names_of_any_length() {
    let table = Table::parse(TYPES);
    let shape = table.types.shape(table.id("Wide"));
    let record = |i: i64| {
        let mut record = Record::new(shape.clone());
        let values = [i.into(), format!("text {i}").into(), (-i).into()];
        record.values_mut().clone_from_slice(&values);
        Value::Record(record)
    };
    let items: Vec<Value> = (0..300).map(record).collect();
    let body = body(&table, "Wides", Value::map([("item", Value::List(items))]));
    let written = written_alike(&table, "Wides", &body).unwrap();
    assert!(written.len() > 300 * 6 * 75, "{}", written.len());
}

#[test]
fn what_fits_no_batch_is_written_one_by_one() {
    let table = Table::parse(TYPES);
    let shape = table.types.shape(table.id("Event"));
    let mut rng = Rng::new(5);
    for (odd, good) in [
        (Value::map([("seq", 1.into()), ("time", 2.into())]), false),
        (
            Value::map([
                ("seq", 1.into()),
                ("time", 2.into()),
                ("text", 3.into()),
                ("note", "".into()),
            ]),
            true,
        ),
        (Value::Nil, false),
        (7.into(), false),
    ] {
        for at in [0, 511, 512, 1100] {
            let mut items: Vec<Value> = (0..1200)
                .map(|_| {
                    let event = event(&mut rng);
                    let mut record = Record::new(shape.clone());
                    record.values_mut()[0] = event.seq.into();
                    record.values_mut()[1] = event.time.into();
                    record.values_mut()[2] = event.text.into();
                    record.values_mut()[3] = event.note.into();
                    Value::Record(record)
                })
                .collect();
            items[at] = odd.clone();
            let body = body(&table, "Events", Value::map([("item", Value::List(items))]));
            match written_alike(&table, "Events", &body) {
                Ok(_) => assert!(good),
                Err(e) => {
                    assert!(!good);
                    let path = format!("/Envelope/Body/Events/item[{}]", at + 1);
                    assert!(e.path().starts_with(&path), "{e}");
                }
            }
        }
    }
}

#[test]
fn a_character_that_xml_cannot_carry_names_its_place() {
    let table = Table::parse(TYPES);
    for at in [0, 700] {
        let mut item = vec!["x".to_owned(); 800];
        item[at] = "a\u{1}b".into();
        let body = TextsBody {
            texts: Texts { item },
        };
        let error = written_alike(&table, "Texts", &body).unwrap_err();
        let path = format!("/Envelope/Body/Texts/item[{}]", at + 1);
        assert_eq!(error.path(), path);
    }
}
