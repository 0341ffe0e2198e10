//! Lists of records of any kind: with optional parts, alternatives, attributes, derived types, other records and small
//! lists in them. What of them changed is written, and nothing else.

mod common;

use castile_diff::{Match, Options, Report};
use castile_value::typed::{Fields, Maybe, Place as Slot};
use castile_value::{ColumnBuf, Item, Record, Value};
use common::Sender;

const TYPES: &str = "
Place = lat:double, lon:double?
Pole(Place) = height:int
Spot = lat:double, lon:double?
Thing = @id:string!, name:string?, (n:int | x:double~)?, at:Place?, tags:string*, numbers:int*, other:any?
Things = thing:Thing*
";

fn sender() -> Sender {
    Sender::new(TYPES, "Things", Options::default())
}

/// A record of a type, its fields by their names.
fn record(sender: &Sender, name: &str, fields: Vec<(&str, Value)>) -> Value {
    let mut record = Record::new(sender.table.types.shape(sender.table.id(name)).clone());
    for (name, value) in fields {
        record.set(name, value).expect("the type has this field");
    }
    Value::Record(record)
}

/// So many things, no two of which are made alike.
fn things(sender: &Sender, count: usize) -> Vec<Value> {
    let thing = |i: usize| {
        let mut fields: Vec<(&str, Value)> = vec![("id", format!("thing {i}").into())];
        if i.is_multiple_of(2) {
            fields.push(("name", format!("<{i}>").into()));
        }
        match i % 4 {
            0 => fields.push(("n", (i as i32).into())),
            1 => fields.push(("x", 0.5.into())),
            2 => fields.push(("x", Value::Nil)),
            _ => fields.push(("at", record(sender, "Place", vec![("lat", 1.5.into())]))),
        }
        fields.push(("tags", Value::List(vec![Value::from("a"); i % 3])));
        fields.push(("numbers", ColumnBuf::from(vec![7i32; i % 5]).into()));
        record(sender, "Thing", fields)
    };
    (0..count).map(thing).collect()
}

fn body(sender: &Sender, things: &[Value]) -> Record {
    let mut body = Record::new(sender.table.types.shape(sender.plan.body).clone());
    let things = Value::map([("thing", Value::List(things.to_vec()))]);
    body.set("Things", things).expect("the body has this field");
    body
}

/// Sends a message, the bytes of which must be those of a fresh one.
fn send(sender: &mut Sender, things: &[Value]) -> Report {
    let body = body(sender, things);
    let pieces = sender.send(&body).expect("good values");
    assert!(pieces.to_vec() == sender.fresh(&body).expect("good values"));
    pieces.report
}

fn set(thing: &mut Value, field: &str, value: impl Into<Value>) {
    let Value::Record(thing) = thing else {
        panic!("things are records")
    };
    thing.set(field, value).expect("the type has this field");
}

#[test]
fn only_items_that_changed_are_written() {
    let mut sender = sender();
    let mut things = things(&sender, 2000);
    let first = send(&mut sender, &things);
    assert_eq!(first.kind, Match::FirstTime);
    assert!(first.bytes_around < 1000, "{first:?}");
    let same = send(&mut sender, &things);
    assert_eq!((same.kind, same.bytes_rewritten), (Match::Content, 0));
    assert_eq!(same.message, first.message);
    set(&mut things[0], "n", 9);
    let changed = send(&mut sender, &things);
    assert_eq!(changed.kind, Match::PerfectStructural);
    assert!((1..200).contains(&changed.bytes_rewritten), "{changed:?}");
}

/// Each is one item, of which some other part is another than before.
#[test]
fn whatever_changes_of_an_item_is_seen() {
    let mut sender = sender();
    let mut things = things(&sender, 500);
    send(&mut sender, &things);
    let place = |height: Option<i32>, lon: Option<f64>| {
        let mut fields: Vec<(&str, Value)> = vec![("lat", 2.5.into())];
        fields.extend(lon.map(|lon| ("lon", lon.into())));
        fields.extend(height.map(|height| ("height", height.into())));
        record(&sender, if height.is_some() { "Pole" } else { "Place" }, fields)
    };
    let edits: Vec<(&str, Value)> = vec![
        ("id", "<another>".into()),
        ("name", "x".into()),
        ("name", "".into()),
        // As many bytes of other values.
        ("name", "<".into()),
        ("name", "abcd".into()),
        ("name", Value::Absent),
        ("n", Value::Absent),
        ("x", 1.5.into()),
        ("x", (-0.0).into()),
        ("x", 0.0.into()),
        ("x", Value::Nil),
        ("at", place(None, None)),
        ("at", place(None, Some(1.0))),
        ("at", place(Some(3), Some(1.0))),
        ("at", Value::map([("lat", 2.5.into())])),
        ("at", Value::Absent),
        ("tags", Value::List(vec!["a".into(), "b".into()])),
        ("tags", Value::List(vec!["ab".into()])),
        ("tags", Value::List(vec!["a".into(), "b".into(), "".into()])),
        ("numbers", ColumnBuf::from(vec![1i32, 2]).into()),
        ("numbers", Value::List(vec![1.into(), 3.into()])),
        ("other", 7.into()),
        ("other", 7i64.pow(20).into()),
        ("other", 7.0.into()),
        ("other", "7".into()),
        ("other", Value::Bool(true)),
        ("other", Value::Bool(false)),
        ("other", place(Some(3), None)),
        ("other", place(Some(4), None)),
        ("other", place(None, None)),
        ("other", record(&sender, "Spot", vec![("lat", 2.5.into())])),
    ];
    for (field, value) in edits {
        set(&mut things[100], field, value.clone());
        let report = send(&mut sender, &things);
        assert!(
            (1..500).contains(&report.bytes_rewritten),
            "{field} {value:?}: {report:?}"
        );
        assert_eq!(
            send(&mut sender, &things).kind,
            Match::Content,
            "{field} {value:?}"
        );
    }
}

/// An item of as many bytes may hold more: what is known of it takes another room then.
#[test]
fn an_item_of_as_many_bytes_is_known_by_what_it_holds() {
    let mut sender = sender();
    let mut things = things(&sender, 200);
    for name in ["abcd", "<", "wxyz"] {
        set(&mut things[100], "name", name);
        send(&mut sender, &things);
        assert_eq!(send(&mut sender, &things).kind, Match::Content, "{name}");
    }
}

#[test]
fn items_that_come_and_go_cost_their_own_bytes() {
    let mut sender = sender();
    let mut things = things(&sender, 2000);
    let whole = send(&mut sender, &things).bytes_rewritten;
    things.splice(500..500, self::things(&sender, 5));
    things.drain(1500..1600);
    let report = send(&mut sender, &things);
    assert_eq!(report.kind, Match::PartialStructural);
    assert!(report.bytes_rewritten < whole / 100, "{report:?}");
    things.clear();
    send(&mut sender, &things);
    assert_eq!(send(&mut sender, &things).kind, Match::Content);
}

/// What is large in an item is kept by itself, so the list around it is not.
#[test]
fn arrays_in_items_are_kept_as_before() {
    let mut sender = sender();
    let mut things = things(&sender, 100);
    let numbers = ColumnBuf::from((0..5000).collect::<Vec<i32>>());
    set(&mut things[99], "numbers", numbers);
    for _ in 0..3 {
        send(&mut sender, &things);
    }
    let report = send(&mut sender, &things);
    assert_eq!((report.kind, report.values_compared), (Match::Content, 5000));
    assert!(report.bytes_around > 5000, "{report:?}");
    let tags = Value::List((0..100).map(|i: i32| i.to_string().into()).collect());
    set(&mut things[99], "tags", tags);
    for _ in 0..3 {
        send(&mut sender, &things);
    }
    assert_eq!(send(&mut sender, &things).values_compared, 5100);
}

#[test]
fn what_cannot_be_written_is_refused_as_ever() {
    let mut sender = sender();
    let mut things = things(&sender, 300);
    send(&mut sender, &things);
    let good = things[200].clone();
    for (field, value) in [
        ("id", Value::Absent),
        ("n", "seven".into()),
        ("name", "\u{1}".into()),
    ] {
        set(&mut things[200], field, value);
        let body = body(&sender, &things);
        let patched = sender.send(&body).expect_err("a bad value").to_string();
        assert!(patched.contains("[201]"), "{patched}");
        assert_eq!(patched, sender.fresh(&body).expect_err("a bad value").to_string());
        things[200] = good.clone();
    }
    things[7] = Value::map([("id", "7".into()), ("nonsense", 1.into())]);
    assert!(sender.send(&body(&sender, &things)).is_err());
    things[7] = good;
    send(&mut sender, &things);
    assert_eq!(send(&mut sender, &things).kind, Match::Content);
}

/// What a list cannot be kept for costs nothing for long.
#[test]
fn a_list_that_cannot_be_kept_is_left_alone() {
    let mut sender = sender();
    let mut things = things(&sender, 100);
    set(&mut things[99], "name", "x".repeat(5000));
    for _ in 0..20 {
        let report = send(&mut sender, &things);
        // The long text is.
        assert!(report.paused == 0 && report.values_compared <= 1, "{report:?}");
    }
    set(&mut things[99], "name", "x");
    let kept = (0..70).find(|_| send(&mut sender, &things).values_compared > 1);
    assert!(kept.is_some());
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Place {
    lat: f64,
    lon: Option<f64>,
}
castile_value::record!(Place, "{urn:t}Place", { 0: lat, 1: lon }, required [0]);

#[derive(Clone, Debug, Default, PartialEq)]
struct Thing {
    id: String,
    name: Option<String>,
    x: Maybe<f64>,
    at: Option<Box<Place>>,
    tags: Vec<String>,
}
castile_value::record!(Thing, "{urn:t}Thing", { 0: id, 1: name, 3: x, 4: at, 5: tags }, required [0]);

#[derive(Clone, Debug, Default, PartialEq)]
struct Things {
    thing: Vec<Thing>,
}
castile_value::record!(Things, "{urn:t}Things", { 0: thing });

#[derive(Clone, Debug, Default, PartialEq)]
struct Body(Things);

impl Fields for Body {
    fn label(&self) -> &'static str {
        ""
    }
    fn get(&self, _index: usize) -> Item<'_> {
        Item::Record(&self.0)
    }
    fn at(&mut self, index: usize) -> Option<&mut dyn Slot> {
        (index == 0).then_some(&mut self.0 as &mut dyn Slot)
    }
    fn start(_label: &str) -> Option<Self> {
        Some(Body::default())
    }
}

#[test]
fn generated_types_are_kept_alike() {
    let mut sender = sender();
    let thing = |i: usize| Thing {
        id: format!("thing {i}"),
        name: i.is_multiple_of(2).then(|| "a < b".into()),
        x: if i.is_multiple_of(3) {
            Maybe::Nil
        } else {
            Maybe::Absent
        },
        at: i
            .is_multiple_of(4)
            .then(|| Box::new(Place { lat: 0.5, lon: None })),
        tags: vec!["t".into(); i % 3],
    };
    let mut body = Body(Things {
        thing: (0..1000).map(thing).collect(),
    });
    let mut send = |body: &Body| {
        let pieces = sender.send(body).expect("good values");
        assert!(pieces.to_vec() == sender.fresh(body).expect("good values"));
        pieces.report
    };
    send(&body);
    assert_eq!(send(&body).kind, Match::Content);
    let edits: [fn(&mut Thing); 8] = [
        |thing| thing.name = None,
        |thing| thing.x = Maybe::Value(0.0),
        |thing| thing.x = Maybe::Absent,
        |thing| thing.x = Maybe::Nil,
        |thing| thing.x = Maybe::Absent,
        |thing| thing.at = Some(Box::default()),
        |thing| {
            thing.at = Some(Box::new(Place {
                lat: 0.0,
                lon: Some(1.0),
            }))
        },
        |thing| thing.tags.push("&".into()),
    ];
    for edit in edits {
        edit(&mut body.0.thing[500]);
        let report = send(&body);
        assert!((1..300).contains(&report.bytes_rewritten), "{report:?}");
    }
    assert_eq!(send(&body).kind, Match::Content);
}
