//! Messages that are compared with the last one while they come: what is left to do when the last byte has, beside doing all of
//! it then.
//!
//! Medians of thread time, warm memory, one core, 100,000 doubles of changing widths that come 64 KiB at a time, into dynamic
//! values. "At the end" and "left" are from the last byte to the values; "all together" is with what is done while they come.

use std::hint::black_box;

use castile_codec::{DecodeOptions, EncodeOptions, Intake, Limits};
use castile_diff::{Automata, Coming, Receiving};
use castile_plan::Plan;
use castile_testkit::{Rng, Table, median, plainly, time};
use castile_value::{Value, ValueSink};

const COUNT: usize = 100_000;
const PORTION: usize = 64 << 10;
const ROUNDS: usize = 10;

fn main() {
    let table = Table::parse("Doubles = item:double*");
    println!(
        "{:<16}{:>10}{:>16}{:>10}{:>8}{:>18}{:>8}",
        "", "bytes", "at the end µs", "left µs", "ratio", "all together µs", "ratio"
    );
    for percent in [0, 1, 25, 100] {
        run(&table, percent);
    }
}

fn run(table: &Table, percent: usize) {
    let plan = table.plan("Doubles");
    let messages = messages(table, &plan, percent);
    let [at_once, coming] = [false, true].map(|ahead| {
        Automata::new(Receiving {
            ahead,
            ..Receiving::default()
        })
    });
    let mut samples = [(); 3].map(|()| Vec::new());
    for (n, message) in messages.iter().cycle().take(ROUNDS * messages.len()).enumerate() {
        let whole = time(|| read(&at_once, table, &plan, message, None)) / 1e3;
        let mut came = None;
        let before = time(|| came = come(&coming, table, message.as_bytes())) / 1e3;
        let left = time(|| read(&coming, table, &plan, message, came.take())) / 1e3;
        if n >= messages.len() {
            let took = [whole, left, before + left];
            samples
                .iter_mut()
                .zip(took)
                .for_each(|(samples, took)| samples.push(took));
        }
    }
    let [whole, left, all] = samples.map(median);
    println!(
        "{:<16}{:>10}{whole:>16.1}{left:>10.1}{:>8.2}{all:>18.1}{:>8.2}",
        format!("{percent} % changed"),
        messages[0].len(),
        whole / left,
        whole / all
    );
}

/// Messages of which each has so many values that the one before has not, also the first after the last.
fn messages(table: &Table, plan: &Plan, percent: usize) -> Vec<String> {
    let mut rng = Rng::new(3);
    let mut values: Vec<f64> = (0..COUNT).map(|_| rng.unit()).collect();
    let mut messages: Vec<String> = (0..8)
        .map(|_| {
            for value in &mut values {
                if rng.below(100) < percent {
                    *value = rng.unit();
                }
            }
            written(table, plan, &values)
        })
        .collect();
    let back: Vec<String> = messages.iter().rev().cloned().collect();
    messages.extend(back);
    messages
}

fn written(table: &Table, plan: &Plan, values: &[f64]) -> String {
    let body = vec![(
        "Doubles".to_owned(),
        Value::map([("item", values.to_vec().into())]),
    )];
    plainly::write(&table.types, plan, &body, &EncodeOptions::default()).expect("good values")
}

/// All but the end of a message comes.
fn come(automata: &Automata, table: &Table, message: &[u8]) -> Option<Box<Coming>> {
    let mut coming = automata.coming(b"sender", message.get(..PORTION)?)?;
    for came in (PORTION..message.len()).step_by(PORTION) {
        coming.came(&table.types, message.get(..came)?);
    }
    Some(coming)
}

fn read(automata: &Automata, table: &Table, plan: &Plan, text: &str, came: Option<Box<Coming>>) {
    let types = &table.types;
    let opened = automata.open(text, &Limits::default(), Some(b"sender"));
    let mut message = opened.expect("an envelope");
    message.came_as(came);
    let mut body = ValueSink::new(types.shape(plan.body).clone());
    let intake = Intake {
        types,
        plan,
        options: &DecodeOptions::default(),
        header: &mut ValueSink::new(types.shape(plan.header).clone()),
        body: &mut body,
    };
    automata.decode(message, 1, intake).expect("a good message");
    black_box(body.finish());
}
