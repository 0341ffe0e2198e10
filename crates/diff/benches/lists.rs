//! Lists of 10,000 texts, and of 10,000 records of several kinds, sent again and again, of which some changed: keeping
//! them beside writing them anew, in one run. `cargo bench -p castile-diff --bench lists -- things` runs what is called so.
//!
//! Medians of thread time, one core, warm memory, from dynamic values to pieces in memory. Items that change are
//! at random places, and all of their values do, mostly to other lengths.

#[path = "../tests/common/mod.rs"]
mod common;

use castile_diff::Options;
use castile_testkit::{Rng, Table, asked, median, time};
use castile_value::{DateTime, Record, Value};

use common::Sender;

const COUNT: usize = 10_000;
const ROUNDS: usize = 61;

/// What a camera says that it saw, a device of its parameters, and a hypervisor of its machines, in few words.
const TYPES: &str = "
Event = id:int, time:double, text:string
Thing = @id:string!, name:string?, state:{on/off}, level:int?
Item = @Name:string!, @Value:string!
Seen = topic:string, @UtcTime:dateTime!, @operation:{Initialized/Changed/Deleted}, source:Item*, data:Item*
Parameter = Name:string, Value:any
Property = name:string, val:any
Object = obj:string, propSet:Property*
Lists = texts:string*, events:Event*, things:Thing*, seen:Seen*, parameters:Parameter*, objects:Object*
";

/// Makes an item of a list.
type Make = fn(&Table, &mut Rng) -> Value;

/// The lists, and how many of its items each has.
const KINDS: [(&str, usize, Make); 6] = [
    ("texts", COUNT, |_, rng| text(rng)),
    ("events", COUNT, |table, rng| {
        record(table, "Event", vec![int(rng), rng.unit().into(), text(rng)])
    }),
    ("things", COUNT, |table, rng| {
        let name = if rng.once_in(3) { Value::Absent } else { text(rng) };
        let level = if rng.once_in(2) { Value::Absent } else { int(rng) };
        record(table, "Thing", vec![text(rng), name, "on".into(), level])
    }),
    ("seen", COUNT / 5, |table, rng| {
        let mut item = || record(table, "Item", vec!["VideoSource".into(), text(rng)]);
        let (source, data) = (vec![item(), item()], vec![item()]);
        let time = DateTime {
            year: 2026,
            second: rng.below(60) as u8,
            ..DateTime::default()
        };
        let values = vec![
            time.into(),
            "Changed".into(),
            "tns1:RuleEngine/LineDetector/Crossed".into(),
            source.into(),
            data.into(),
        ];
        record(table, "Seen", values)
    }),
    ("parameters", COUNT, |table, rng| {
        let value = if rng.once_in(2) { int(rng) } else { text(rng) };
        record(table, "Parameter", vec![text(rng), value])
    }),
    ("objects", COUNT / 5, |table, rng| {
        let mut property = || record(table, "Property", vec!["summary.runtime".into(), int(rng)]);
        let properties: Vec<Value> = (0..4).map(|_| property()).collect();
        record(table, "Object", vec![text(rng), properties.into()])
    }),
];

fn main() {
    println!(
        "{:<12}{:>9}{:>10}{:>10}{:>8}",
        "", "changed", "anew us", "kept us", "ratio"
    );
    let words = asked();
    for (field, count, make) in KINDS {
        if words.is_empty() || words.iter().any(|word| field.contains(word)) {
            for percent in [0, 1, 5, 25, 100] {
                row(field, count, make, percent);
            }
        }
    }
}

fn row(field: &str, count: usize, make: Make, percent: usize) {
    let mut sender = Sender::new(TYPES, "Lists", Options::default());
    let mut rng = Rng::new(7);
    let mut body = Record::new(sender.table.types.shape(sender.plan.body).clone());
    let mut items: Vec<Value> = (0..count).map(|_| make(&sender.table, &mut rng)).collect();
    let (mut anew, mut kept, mut out) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        for item in &mut items {
            if rng.below(100) < percent {
                *item = make(&sender.table, &mut rng);
            }
        }
        let list = Value::List(std::mem::take(&mut items));
        body.set("Lists", Value::map([(field, list)]))
            .expect("the body has this field");
        out.clear();
        let took = [
            time(|| sender.fresh_into(&body, &mut out)),
            time(|| sender.send(&body).map(drop)),
        ];
        if round > 5 {
            anew.push(took[0]);
            kept.push(took[1]);
        }
        let Some(Value::Map(fields)) = body.values_mut().first_mut() else {
            unreachable!("it was set");
        };
        if let Value::List(list) = std::mem::take(&mut fields[0].1) {
            items = list;
        }
    }
    let [anew, kept] = [anew, kept].map(median);
    println!(
        "{field:<12}{percent:>8}%{:>10.0}{:>10.0}{:>8.2}",
        anew / 1e3,
        kept / 1e3,
        anew / kept
    );
}

/// A record of a type, its values in the order of the fields.
fn record(table: &Table, name: &str, values: Vec<Value>) -> Value {
    let mut record = Record::new(table.types.shape(table.id(name)).clone());
    record.values_mut().clone_from_slice(&values);
    Value::Record(record)
}

fn text(rng: &mut Rng) -> Value {
    "x".repeat(10 + rng.below(20)).into()
}

fn int(rng: &mut Rng) -> Value {
    (rng.bits() as i32).into()
}
