//! A list is written as its items are: the way for many items, which finds out once, against the
//! way for one, which a marked encoding takes.

mod support;

use castile_codec::{EncodeOptions, Kind};
use castile_plan::Builtin;
use castile_testkit::{Effort, Rng, Sampler, Table, plainly};
use castile_value::{Item, QName, Record, Scalar, Source, Value};
use support::{body, write};

const TYPES: &str = "
Plain = a:int, b:string?, c:double, d:boolean?, e:float?, f:unsignedLong?, ^g:token?, h:{x/y}?
More(Plain) = z:int
Plains = p:Plain*
Nillable = a:int~, b:string?
Nillables = p:Nillable*
";

fn check(table: &Table, name: &str, items: Vec<Value>, field: &str) {
    for digits in [None, Some(4)] {
        for strict in [true, false] {
            let options = EncodeOptions {
                digits,
                strict,
                ..EncodeOptions::default()
            };
            let body = body(table, name, Value::map([(field, Value::List(items.clone()))]));
            let (types, plan) = (&table.types, table.plan(name));
            let fast = plainly::write(types, &plan, &body, &options);
            let singly = plainly::write_singly(types, &plan, &body, &options);
            assert_eq!(fast, singly.map(|(text, _)| text), "{items:?}");
        }
    }
}

/// Values of any kind, right and wrong.
fn any_value(rng: &mut Rng) -> Value {
    let values = [
        Value::Absent,
        Value::Nil,
        1.into(),
        (-1).into(),
        (1i64 << 40).into(),
        Value::UInt(u64::MAX),
        0.5.into(),
        f64::NAN.into(),
        0.5f32.into(),
        true.into(),
        "plain".into(),
        "".into(),
        "7".into(),
        "x".into(),
        "a<b".into(),
        "\u{FFFD}\u{FFFE}".into(),
        "tab\tand\r".into(),
        Value::Bytes(vec![1]),
        Value::List(vec![1.into()]),
        vec![1.5].into(),
        Value::from(QName {
            namespace: "urn:q".into(),
            local: "l".into(),
        }),
        Value::map([("a", 1.into())]),
    ];
    rng.pick(&values).clone()
}

#[test]
fn scalars_of_every_type() {
    let mut rng = Rng::new(11);
    for &builtin in Builtin::ALL {
        let table = Table::parse(&format!("T = n:{}*", builtin.name()));
        for round in 0..40 {
            let good = Sampler::new(&table.types, Rng::new(round))
                .effort(Effort::Most)
                .record(table.id("T"));
            let mut items: Vec<Value> = (0..3)
                .flat_map(|_| good.values()[0].clone().into_list())
                .collect();
            while rng.once_in(2) {
                let at = rng.below(items.len());
                items[at] = any_value(&mut rng);
            }
            check(&table, "T", items, "n");
        }
    }
}

#[test]
fn records_with_anything_in_them() {
    let mut rng = Rng::new(12);
    let table = Table::parse(TYPES);
    for round in 0..400 {
        let mut sampler = Sampler::new(&table.types, Rng::new(round));
        let mut items: Vec<Value> = (0..6)
            .map(|_| {
                let of = if rng.once_in(8) { "More" } else { "Plain" };
                Value::Record(sampler.record(table.id(of)))
            })
            .collect();
        while rng.once_in(2) {
            let at = rng.below(items.len());
            match &mut items[at] {
                Value::Record(record) if !rng.once_in(4) => {
                    let field = rng.below(record.values().len());
                    record.values_mut()[field] = any_value(&mut rng);
                }
                item => *item = any_value(&mut rng),
            }
        }
        check(&table, "Plains", items, "p");
    }
}

#[test]
fn maps_and_nils_among_records() {
    let table = Table::parse(TYPES);
    let map = |a: Value| Value::map([("b", "x".into()), ("a", a)]);
    let items = vec![
        map(1.into()),
        map(2.into()),
        Value::Nil,
        map(Value::Nil),
        map(Value::Absent),
        map(3.into()),
    ];
    // A nil record where none may be nil.
    let error = write(
        &table,
        "Nillables",
        Value::map([("p", Value::List(items.clone()))]),
    )
    .unwrap_err();
    assert_eq!(error.path(), "/Envelope/Body/Nillables/p[3]");
    let items: Vec<Value> = items.into_iter().filter(|v| *v != Value::Nil).collect();
    check(&table, "Nillables", items.clone(), "p");
    let text = write(&table, "Nillables", Value::map([("p", Value::List(items))])).unwrap();
    assert_eq!(text.matches("xsi:nil").count(), 2, "{text}");
    let misspelt = Value::map([("a", 1.into()), ("bb", "x".into())]);
    let items = vec![
        map(1.into()),
        map(2.into()),
        map(3.into()),
        map(4.into()),
        misspelt,
    ];
    let error = write(&table, "Nillables", Value::map([("p", Value::List(items))])).unwrap_err();
    assert_eq!(
        (error.kind(), error.path()),
        (Kind::UnknownName, "/Envelope/Body/Nillables/p[5]".into())
    );
}

#[test]
fn derived_records_among_plain_ones_say_so() {
    let table = Table::parse(TYPES);
    let record = |of: &str| {
        let mut record = Record::new(table.types.shape(table.id(of)).clone());
        record.set("a", 1).unwrap();
        record.set("c", 0.5).unwrap();
        let _ = record.set("z", 9);
        Value::Record(record)
    };
    let items: Vec<Value> = ["Plain", "Plain", "More", "Plain", "Plain"].map(record).into();
    let text = write(&table, "Plains", Value::map([("p", Value::List(items.clone()))])).unwrap();
    assert_eq!(text.matches("xsi:type=\"ns1:More\"").count(), 1, "{text}");
    assert_eq!(text.matches("<ns1:z>9</ns1:z>").count(), 1, "{text}");
    check(&table, "Plains", items, "p");
}

/// A source whose list value is an array of its own.
struct Numbers;

impl Source for Numbers {
    fn field(&self, _index: usize, name: &str) -> Item<'_> {
        match name {
            "T" => Item::Record(self),
            _ => Item::Scalar(Scalar::Numbers(vec![1.5, -2.0, 3.0].into())),
        }
    }
}

#[test]
fn a_list_type_takes_an_array_as_one_value() {
    let table = Table::parse("T = n:[double], @k:[double]");
    let options = EncodeOptions::default();
    let text = plainly::write(&table.types, &table.plan("T"), &Numbers, &options).unwrap();
    assert!(
        text.contains("<ns1:T k=\"1.5 -2 3\"><ns1:n>1.5 -2 3</ns1:n></ns1:T>"),
        "{text}"
    );
}
