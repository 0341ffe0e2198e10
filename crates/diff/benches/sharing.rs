//! One array of 100,000 doubles in the messages of ten services, or of two operations in turn, with and without a pool:
//! thread time of all of them. And
//! one array of 1,000,000 doubles written by one, and by two processors: time on the clock, which is worth nothing
//! on a machine that does something else.

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::Instant;

use castile_diff::{Options, Pool};
use castile_testkit::{Rng, median, time};
use castile_value::Value;

use common::Sender;

fn main() {
    for (who, count) in [("ten services", 10), ("two operations in turn", 2)] {
        println!("{who:<34}{:>12}{:>12}{:>8}", "each us", "pool us", "ratio");
        for percent in [0, 1, 25, 100] {
            let each = several(count, &Options::default(), percent);
            let pool = several(count, &pooled(), percent);
            let what = format!("{percent} % changed");
            println!("{what:<34}{each:>12.0}{pool:>12.0}{:>8.1}", each / pool);
        }
    }
    println!(
        "{:<34}{:>12}{:>12}{:>8}",
        "a million doubles", "one us", "two us", "ratio"
    );
    for (what, first) in [("first-time", true), ("all changed", false)] {
        let [one, two] = [1, 2].map(|threads| million(threads, first));
        println!("{what:<34}{one:>12.0}{two:>12.0}{:>8.1}", one / two);
    }
}

fn pooled() -> Options {
    Options {
        pool: Some(Pool::new()),
        ..Options::default()
    }
}

fn body(values: &[f64]) -> Vec<(String, Value)> {
    vec![("add".to_owned(), Value::map([("n", values.to_vec().into())]))]
}

fn sender(options: &Options) -> Sender {
    Sender::new("add = n:double*", "add", options.clone())
}

/// Median of what so many messages take of which the first has so many changes, in microseconds.
fn several(count: usize, options: &Options, percent: usize) -> f64 {
    let mut rng = Rng::new(7);
    let mut values: Vec<f64> = (0..100_000).map(|_| rng.unit()).collect();
    let mut senders: Vec<Sender> = (0..count).map(|_| sender(options)).collect();
    let rounds = (0..15).map(|_| {
        for _ in 0..values.len() * percent / 100 {
            let at = rng.below(values.len());
            values[at] = rng.unit();
        }
        let body = body(&values);
        let took = senders.iter_mut().map(|sender| {
            time(|| {
                sender.send(&body).expect("good values");
            })
        });
        took.sum::<f64>() / 1e3
    });
    median(rounds.skip(3).collect())
}

fn million(threads: usize, first: bool) -> f64 {
    let options = Options {
        threads,
        ..Options::default()
    };
    let mut rng = Rng::new(9);
    let mut kept = sender(&options);
    let rounds = (0..9).map(|_| {
        let values: Vec<f64> = (0..1_000_000).map(|_| rng.unit()).collect();
        let body = body(&values);
        let mut fresh = sender(&options);
        let sender = if first { &mut fresh } else { &mut kept };
        let started = Instant::now();
        sender.send(&body).expect("good values");
        started.elapsed().as_secs_f64() * 1e6
    });
    median(rounds.skip(2).collect())
}
