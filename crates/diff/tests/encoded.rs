//! SOAP encoding through a template: every message says what a fresh one says, whatever changed.

use castile_codec::{Draft, EncodeOptions, Version};
use castile_diff::{Options, Template};
use castile_plan::Plan;
use castile_testkit::{Table, plainly};
use castile_value::{Graph, Record, Value};

fn table() -> Table {
    Table::parse(
        "Doubles = item:double*
         Point = ^x:int, ^y:double
         Points = item:Point*
         Node = ^name:string, ^next:Node?
         op = ^doubles:Doubles?, ^points:Points?, ^first:Node?, ^second:Node?",
    )
    .with_arrays(&[("Doubles", 1), ("Points", 1)])
}

/// Numbers, points, and whether two nodes are one.
fn body(numbers: usize, changed: f64, shared: bool) -> Graph {
    let mut doubles: Vec<f64> = (0..numbers).map(|i| i as f64).collect();
    if let Some(last) = doubles.last_mut() {
        *last = changed;
    }
    let point = |i: i64| Value::map([("x", i.into()), ("y", changed.into())]);
    let node = || Value::map([("name", "a name that is long enough to be kept".into())]);
    let op = Value::map([
        ("doubles", doubles.into()),
        ("points", (0..6).map(point).collect::<Vec<_>>().into()),
        ("first", Value::Ref(0)),
        ("second", Value::Ref(u32::from(!shared))),
    ]);
    Graph {
        root: Value::map([("op", op)]),
        objects: vec![node(), node()],
    }
}

#[test]
fn a_patched_message_says_what_a_fresh_one_says() {
    let table = table();
    let plan = table.plan("op").into_encoded();
    for (version, share_texts) in [
        (Version::Soap11, false),
        (Version::Soap12, false),
        (Version::Soap11, true),
    ] {
        let options = EncodeOptions {
            share_texts,
            ..EncodeOptions::default()
        };
        let mut template = Template::new(Options::default());
        for (numbers, changed, shared) in [
            (500, 0.5, true),
            (500, 0.5, true),
            (500, 0.25, true),
            (500, 0.25, false),
            (700, 123.456, true),
            (0, 1.0, false),
            (500, 0.5, true),
        ] {
            let body = body(numbers, changed, shared);
            let draft = Draft {
                types: &table.types,
                plan: &plan,
                version,
                header: &Vec::new(),
                body: &body,
                options: &options,
            };
            let patched = template.patch(&draft).expect("a good message");
            let mut fresh = Vec::new();
            draft.encode(&mut fresh).expect("a good message");
            let read = |bytes: &[u8]| read(&table, &plan, bytes);
            assert_eq!(
                read(&patched.to_vec()),
                read(&fresh),
                "{numbers} {changed} {shared}"
            );
        }
    }
}

fn read(table: &Table, plan: &Plan, bytes: &[u8]) -> Graph<Record> {
    let text = std::str::from_utf8(bytes).expect("a message is UTF-8");
    plainly::read_graph(&table.types, plan, text).unwrap_or_else(|e| panic!("{e}: {text}"))
}
