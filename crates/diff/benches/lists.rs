//! Lists of 10,000 texts, and of 10,000 records with texts, sent again and again, of which some changed: keeping
//! them beside writing them anew, in one run.
//!
//! Medians of thread time, one core, warm memory, from dynamic values to pieces in memory. Values that change are
//! at random places and mostly of other lengths.

#[path = "../tests/common/mod.rs"]
mod common;

use castile_diff::Options;
use castile_testkit::{Rng, median, time};
use castile_value::{Record, Value};

use common::Sender;

const COUNT: usize = 10_000;
const ROUNDS: usize = 61;
const TYPES: &str = "Event = id:int, time:double, text:string\nLists = texts:string*, events:Event*";

fn main() {
    println!(
        "{:<10}{:>9}{:>10}{:>10}{:>8}",
        "", "changed", "anew us", "kept us", "ratio"
    );
    for field in ["texts", "events"] {
        for percent in [0, 1, 5, 25, 100] {
            row(field, percent);
        }
    }
}

fn row(field: &str, percent: usize) {
    let mut sender = Sender::new(TYPES, "Lists", Options::default());
    let mut rng = Rng::new(7);
    let shape = sender.table.types.shape(sender.table.id("Event")).clone();
    let fresh = |rng: &mut Rng| {
        let text = Value::from("x".repeat(10 + rng.below(20)));
        if field == "texts" {
            return text;
        }
        let mut event = Record::new(shape.clone());
        event
            .values_mut()
            .clone_from_slice(&[(rng.bits() as i32).into(), rng.unit().into(), text]);
        Value::Record(event)
    };
    let mut body = Record::new(sender.table.types.shape(sender.plan.body).clone());
    let mut items: Vec<Value> = (0..COUNT).map(|_| fresh(&mut rng)).collect();
    let (mut anew, mut kept, mut out) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        for item in &mut items {
            if rng.below(100) < percent {
                *item = fresh(&mut rng);
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
        "{field:<10}{percent:>8}%{:>10.0}{:>10.0}{:>8.2}",
        anew / 1e3,
        kept / 1e3,
        anew / kept
    );
}
