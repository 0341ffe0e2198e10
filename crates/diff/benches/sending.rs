//! Sending 100,000 doubles again of which a part changed, beside writing them all anew and beside the
//! least that has to be done: comparing them with those sent last.
//!
//! Each candidate takes its turn in every round and works on the same values; medians of thread time,
//! warm memory, one core, borrowed chunks. What changed lies at random places and has random digits,
//! so widths differ. What counts is the ratio to the full encoding of the same run.

use std::hint::black_box;

use castile_codec::EncodeOptions;
use castile_diff::{Options, Pool, Report, Stuffing, Template};
use castile_plan::Plan;
use castile_testkit::plainly::draft;
use castile_testkit::{Rng, Table, asked, median, time};
use castile_value::{Record, Value};

const ITEMS: usize = 100_000;
const ROUNDS: usize = 41;
/// Sends before: until then more and more values find spaces near by.
const WARM: usize = 45;

fn main() {
    let table = Table::parse("Doubles = item:double*");
    let plan = table.plan("Doubles");
    println!(
        "{:<34}{:>10}{:>9}{:>9}{:>12}{:>10}{:>10}",
        "100,000 doubles", "µs", "full/it", "it/limit", "rewritten", "shifted", "stolen"
    );
    for (label, options) in [
        ("default", Options::default()),
        (
            "never rebuilt",
            Options {
                rebuild: false,
                ..Options::default()
            },
        ),
        (
            "no padding",
            Options {
                pad: false,
                ..Options::default()
            },
        ),
        ("as bSOAP", Options::bsoap()),
        (
            "with a pool",
            Options {
                pool: Some(Pool::new()),
                ..Options::default()
            },
        ),
        (
            "stuffed to 24",
            Options {
                stuffing: Stuffing::Max,
                ..Options::default()
            },
        ),
    ] {
        for percent in [0.0, 1.0, 5.0, 10.0, 25.0, 50.0, 75.0, 100.0] {
            if !is_asked(label, percent) {
                continue;
            }
            run(&table, &plan, label, &options, percent);
        }
    }
    if is_asked("first-time", 100.0) {
        first_time(&table, &plan);
    }
}

/// Messages that nothing is known of, each with a template of its own: in chunks that a dropped one gave back, in
/// memory that it gave back to the system's allocator, and in pages that nobody used before.
fn first_time(table: &Table, plan: &Plan) {
    let mut rng = Rng::new(12);
    let values: Vec<f64> = (0..ITEMS).map(|_| rng.unit()).collect();
    let (body, encoding) = (body(table, plan, &values), EncodeOptions::default());
    let draft = draft(&table.types, plan, &body, &encoding);
    let (mut message, mut kept) = (Vec::new(), Vec::new());
    let [mut full, mut spare, mut given_back, mut fresh] = [const { Vec::new() }; 4];
    let without = Options {
        spare_bytes: 0,
        ..Options::default()
    };
    let mut first = |options: &Options, keep: bool| {
        let mut template = Template::new(options.clone());
        let took = time(|| drop(template.patch(&draft).expect("good values")));
        kept.extend(Some(template).filter(|_| keep));
        took
    };
    for _ in 0..ROUNDS {
        full.push(time(|| {
            message.clear();
            draft.encode(&mut message).expect("good values");
        }));
        // What the one before gave back is what the next takes.
        for (options, samples) in [(&Options::default(), &mut spare), (&without, &mut given_back)] {
            first(options, false);
            samples.push(first(options, false));
        }
    }
    fresh.extend((0..ROUNDS).map(|_| first(&without, true)));
    // The first few take what was given back before.
    fresh.drain(..ROUNDS / 2);
    let [full, spare, given_back, fresh] = [full, spare, given_back, fresh].map(median);
    for (label, took) in [
        ("first-time, spare chunks", spare),
        ("first-time, none spare", given_back),
        ("first-time, fresh pages", fresh),
    ] {
        println!("{label:<34}{:>10.0}{:>9.2}", took / 1e3, full / took);
    }
}

/// Whether this one is to be measured: after `--` may stand a label and a percentage.
fn is_asked(label: &str, percent: f64) -> bool {
    let mut asked = asked().into_iter();
    asked.next().is_none_or(|word| label.contains(&word))
        && asked.next().is_none_or(|word| word.parse() == Ok(percent))
}

fn run(table: &Table, plan: &Plan, label: &str, options: &Options, percent: f64) {
    let mut rng = Rng::new(11);
    let mut values: Vec<f64> = (0..ITEMS).map(|_| rng.unit()).collect();
    let mut template = Template::new(options.clone());
    let encoding = EncodeOptions::default();
    let (mut patch, mut full, mut compare, mut least) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut limit = Limit::new(&values);
    let (mut message, mut report) = (Vec::new(), Report::default());
    let mut shadow: Vec<f64> = values.clone();
    for round in 0..ROUNDS + WARM {
        for _ in 0..(ITEMS as f64 * percent / 100.0) as usize {
            let at = if percent < 100.0 {
                rng.below(ITEMS)
            } else {
                usize::MAX
            };
            if let Some(value) = values.get_mut(at) {
                *value = rng.unit();
            }
        }
        if percent >= 100.0 {
            values.iter_mut().for_each(|value| *value = rng.unit());
        }
        let body = body(table, plan, &values);
        let draft = draft(&table.types, plan, &body, &encoding);
        let took = [
            time(|| report = template.patch(&draft).expect("good values").report),
            time(|| {
                message.clear();
                draft.encode(&mut message).expect("good values");
            }),
            time(|| black_box(black_box(&values[..]) == black_box(&shadow[..]))),
            time(|| limit.write(black_box(&values))),
        ];
        shadow.copy_from_slice(&values);
        if round >= WARM {
            patch.push(took[0]);
            full.push(took[1]);
            compare.push(took[2]);
            least.push(took[3]);
        }
    }
    let [patch, full, compare, least] = [patch, full, compare, least].map(median);
    println!(
        "{:<34}{:>10.0}{:>9.1}{:>9.2}{:>12}{:>10}{:>10}",
        format!("{label}, {percent} % changed"),
        patch / 1e3,
        full / patch,
        patch / least,
        report.values_rewritten + report.values_written,
        report.bytes_shifted,
        report.widths_stolen
    );
    if percent == 0.0 {
        println!(
            "  full {:.0} µs; comparing alone {:.0} µs, {:.2} times that",
            full / 1e3,
            compare / 1e3,
            patch / compare
        );
    }
}

/// The least that a change costs: values are compared block by block, and each that changed is formatted and
/// copied to a place that is its own, with room for all it can be.
struct Limit {
    shadow: Vec<f64>,
    bytes: Vec<u8>,
}

/// Bytes from one place to the next: a number's, and what tags take.
const PLACE: usize = 36;
/// Values that are compared together.
const BLOCK: usize = 64;

impl Limit {
    fn new(values: &[f64]) -> Limit {
        Limit {
            shadow: values.to_vec(),
            bytes: vec![b' '; values.len() * PLACE],
        }
    }

    fn write(&mut self, values: &[f64]) {
        let blocks = values.chunks(BLOCK).zip(self.shadow.chunks_mut(BLOCK));
        for ((new, old), bytes) in blocks.zip(self.bytes.chunks_mut(BLOCK * PLACE)) {
            if new == old {
                continue;
            }
            for ((new, old), place) in new.iter().zip(old).zip(bytes.chunks_exact_mut(PLACE)) {
                if new.to_bits() != old.to_bits() {
                    *old = *new;
                    if let Some(text) = place.first_chunk_mut() {
                        castile_lexical::write_f64(*new, text);
                    }
                }
            }
        }
    }
}

fn body(table: &Table, plan: &Plan, values: &[f64]) -> Record {
    let mut inner = Record::new(table.types.shape(table.id("Doubles")).clone());
    inner
        .set("item", Value::from(values.to_vec()))
        .expect("the type has items");
    let mut body = Record::new(table.types.shape(plan.body).clone());
    body.set("Doubles", inner).expect("the body has the type");
    body
}
