//! Records in one another, with optional and repeated parts, are written in one go; that is as they are written one by
//! one, which a marked encoding does.

mod support;

use std::sync::Arc;

use castile_codec::{EncodeOptions, Error};
use castile_plan::Plan;
use castile_testkit::{Effort, Rng, Sampler, Table, plainly};
use castile_value::{Record, Value};
use support::body;

const TYPES: &str = "
Place = name:string, x:double?, y:int
Mark = text:string, weight:float?, ^kind:token?
Thing = id:int, title:string?, place:Place, tag:string*, mark:Mark*, other:Place?, ^on:boolean?
More(Thing) = z:int
Tree = n:int, tree:Tree*
Things = item:Thing*
Trees = item:Tree*
Chain = a:B, n:int
B = a:C, n:int
C = a:D, n:int
D = n:int
Chains = item:Chain*
Void =
Voids = item:Void*
op = ^things:Things
";

/// What a message is, or why it is none.
fn outcome(written: Result<String, Error>) -> Result<String, String> {
    written.map_err(|e| e.to_string())
}

fn check_by(table: &Table, plan: &Plan, body: &Record, options: &EncodeOptions) -> Result<String, String> {
    let fast = outcome(plainly::write(&table.types, plan, body, options));
    let singly = plainly::write_singly(&table.types, plan, body, options);
    assert_eq!(fast, outcome(singly.map(|(text, _)| text)), "{body:?}");
    fast
}

fn check(table: &Table, name: &str, items: Vec<Value>) -> Result<String, String> {
    let body = body(table, name, Value::map([("item", Value::List(items))]));
    let lax = EncodeOptions {
        strict: false,
        ..EncodeOptions::default()
    };
    let _ = check_by(table, &table.plan(name), &body, &lax);
    check_by(table, &table.plan(name), &body, &EncodeOptions::default())
}

/// The same as a user may write it: maps, in any order, some of them held by others too.
fn loosely(rng: &mut Rng, value: &Value) -> Value {
    let loose = match value {
        Value::Record(record) if !rng.once_in(8) => {
            let entries = record.iter().map(|(name, v)| (name, loosely(rng, v)));
            let mut entries: Vec<(String, Value)> = entries.map(|(n, v)| (n.to_owned(), v)).collect();
            while rng.once_in(2) {
                let (a, b) = (rng.below(entries.len()), rng.below(entries.len()));
                entries.swap(a, b);
            }
            Value::Map(entries)
        }
        Value::List(items) => Value::List(items.iter().map(|v| loosely(rng, v)).collect()),
        other => other.clone(),
    };
    match rng.once_in(6) {
        true => Arc::new(loose).into(),
        false => loose,
    }
}

/// Changes something in a map or record, mostly so that it is wrong.
fn spoil(rng: &mut Rng, value: &mut Value) {
    let odd = [
        Value::Nil,
        Value::Absent,
        7.into(),
        "a < b & c".into(),
        "a\u{1}".into(),
        "\u{FFFE}".into(),
        vec![1.5, 2.5].into(),
        Value::List(Vec::new()),
        Value::List(vec!["one".into(), Value::Nil, "two".into()]),
        Value::map([("name", "x".into()), ("y", 1.into())]),
    ];
    let odd = rng.pick(&odd).clone();
    match value {
        Value::Map(entries) if rng.once_in(4) => {
            let at = rng.below(entries.len());
            let twice = entries[at].clone();
            let unknown = ("nothing".to_owned(), Value::Absent);
            entries.push(if rng.once_in(2) { twice } else { unknown });
        }
        Value::Map(entries) => {
            let at = rng.below(entries.len());
            let value = &mut entries[at].1;
            if rng.once_in(2) {
                *value = odd
            } else {
                spoil(rng, value)
            }
        }
        Value::Record(record) => {
            let at = rng.below(record.values().len());
            record.values_mut()[at] = odd;
        }
        Value::List(items) if !items.is_empty() => {
            let at = rng.below(items.len());
            spoil(rng, &mut items[at]);
        }
        other => *other = odd,
    }
}

fn things(table: &Table, rng: &mut Rng, count: usize) -> Vec<Value> {
    let thing = |rng: &mut Rng| {
        let of = if rng.once_in(12) { "More" } else { "Thing" };
        let effort = if rng.once_in(2) {
            Effort::Most
        } else {
            Effort::Random
        };
        let mut sampler = Sampler::new(&table.types, Rng::new(rng.bits())).effort(effort);
        let record = Value::Record(sampler.record(table.id(of)));
        // A map would not say what type it is of.
        match of {
            "Thing" => loosely(rng, &record),
            _ => record,
        }
    };
    (0..count).map(|_| thing(rng)).collect()
}

#[test]
fn records_in_records() {
    let table = Table::parse(TYPES);
    let mut rng = Rng::new(3);
    let mut good = 0;
    for _ in 0..150 {
        let mut items = things(&table, &mut rng, 12);
        while rng.once_in(3) {
            let at = rng.below(items.len());
            spoil(&mut rng, &mut items[at]);
        }
        good += u32::from(check(&table, "Things", items).is_ok());
    }
    assert!((75..140).contains(&good), "{good}");
}

#[test]
fn records_in_records_of_soap_encoding() {
    let table = Table::parse(TYPES).with_arrays(&[("Things", 1)]);
    let plan = table.plan("op").into_encoded();
    let mut rng = Rng::new(4);
    for _ in 0..100 {
        let mut items = things(&table, &mut rng, 8);
        while rng.once_in(3) {
            let at = rng.below(items.len());
            spoil(&mut rng, &mut items[at]);
        }
        let body = body(&table, "op", Value::map([("things", Value::List(items))]));
        let _ = check_by(&table, &plan, &body, &EncodeOptions::default());
    }
}

/// Puts texts that repeat in the place of others.
fn repeat_texts(rng: &mut Rng, value: &mut Value) {
    const TEXTS: [&str; 4] = [
        "a text that stands in several places",
        "another one, <which> is escaped",
        "sixteen bytes, &",
        "a short one",
    ];
    match value {
        Value::Text(text) if rng.once_in(2) => *text = (*rng.pick(&TEXTS)).into(),
        Value::Record(record) => record.values_mut().iter_mut().for_each(|v| repeat_texts(rng, v)),
        Value::Map(entries) => entries.iter_mut().for_each(|(_, v)| repeat_texts(rng, v)),
        Value::List(items) => items.iter_mut().for_each(|v| repeat_texts(rng, v)),
        _ => {}
    }
}

#[test]
fn records_in_records_that_share_texts() {
    let table = Table::parse(TYPES).with_arrays(&[("Things", 1)]);
    let plan = table.plan("op").into_encoded();
    let mut rng = Rng::new(5);
    let mut shared = 0;
    for _ in 0..150 {
        let mut items = things(&table, &mut rng, 8);
        items.iter_mut().for_each(|item| repeat_texts(&mut rng, item));
        while rng.once_in(3) {
            let at = rng.below(items.len());
            spoil(&mut rng, &mut items[at]);
        }
        let body = body(&table, "op", Value::map([("things", Value::List(items))]));
        let options = EncodeOptions {
            share_texts: true,
            ..EncodeOptions::default()
        };
        let written = check_by(&table, &plan, &body, &options);
        shared += written.map_or(0, |text| text.matches(" href=\"#id").count());
    }
    assert!(shared > 500, "{shared}");
}

#[test]
fn lists_that_are_mostly_unlike() {
    let table = Table::parse(TYPES);
    let place = || Value::map([("name", "n".into()), ("y", 1.into())]);
    let thing = |i: i64| {
        let tags: Value = match i % 3 {
            0 => Value::List(vec!["a".into()]),
            _ => "alone".into(),
        };
        Value::map([("id", i.into()), ("place", place()), ("tag", tags)])
    };
    let text = check(&table, "Things", (0..60).map(thing).collect()).unwrap();
    assert_eq!(text.matches("alone").count(), 40);
}

#[test]
fn types_that_contain_themselves() {
    let table = Table::parse(TYPES);
    let leaf = Value::map([("n", 1.into())]);
    let tree = |depth: usize| {
        let grow = |tree: Value, _| Value::map([("n", 2.into()), ("tree", Value::List(vec![tree; 2]))]);
        (0..depth).fold(leaf.clone(), grow)
    };
    let text = check(&table, "Trees", (0..8).map(tree).collect()).unwrap();
    assert_eq!(text.matches("<ns1:n>1").count(), 255);
}

/// A form that would not fit is not begun: what is too deep is told at its place.
#[test]
fn forms_keep_to_the_depth() {
    let table = Table::parse(TYPES);
    let d = Value::map([("n", 1.into())]);
    let chain = (0..3).fold(d, |inner, _| Value::map([("a", inner), ("n", 2.into())]));
    let body = body(
        &table,
        "Chains",
        Value::map([("item", Value::List(vec![chain; 6]))]),
    );
    let written = |depth_max| {
        let options = EncodeOptions {
            depth_max,
            ..EncodeOptions::default()
        };
        check_by(&table, &table.plan("Chains"), &body, &options).is_ok()
    };
    let fits: Vec<u32> = (3..12).filter(|&depth_max| written(depth_max)).collect();
    assert_eq!(fits, [8, 9, 10, 11]);
}

/// Values of more than a run, whose texts are escaped, at sizes that pass every boundary.
#[test]
fn long_lists() {
    let table = Table::parse(TYPES);
    let place = |i: usize| Value::map([("name", "n & ".repeat(i % 40).into()), ("y", (i as i64).into())]);
    let thing = |i: usize| {
        let tags = (0..i % 5).map(|t| "t".repeat(t * i % 300).into()).collect();
        Value::map([
            ("id", (i as i64).into()),
            ("place", place(i)),
            ("tag", Value::List(tags)),
        ])
    };
    let text = check(&table, "Things", (0..700).map(thing).collect()).unwrap();
    assert!(text.len() > 100_000, "{}", text.len());
}

#[test]
fn records_of_nothing_are_written_as_well() {
    let table = Table::parse(TYPES);
    let record = body(&table, "Void", Value::Map(Vec::new()))
        .into_values()
        .remove(0);
    for item in [record, Value::Map(Vec::new())] {
        let text = check(&table, "Voids", vec![item; 40]).expect("good values");
        assert_eq!(text.matches("<ns1:item>").count(), 40, "{text}");
    }
}
