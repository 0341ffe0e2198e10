//! The worst that values can do to what is kept of them, beside writing all anew: thread time of both in turn, in
//! memory that is warm. What counts is the ratio, which with our settings is to stay below 1.5.
//!
//! The cases are the paper's (000, 4.3 and 4.4): all grown from least to greatest and from between, all shrunk
//! again; then neighbours that take one another's spaces in turn, a text that grows before 100 MB, and the sweep
//! the paper asks for, from every width to every width, of which the worst is told.

#[path = "../tests/common/mod.rs"]
mod common;

use castile_diff::Options;
use castile_testkit::{doubles_by_width, median, time};
use castile_value::Value;

use common::Sender;

const VALUES: usize = 10_000;
/// Values of a message of 100 MB.
const MANY: usize = 2_600_000;
const TYPES: &str = "Doubles = note:string, item:double*";

/// A message: its text, and its values.
type Body = Vec<(String, Value)>;

fn main() {
    let _pin = warm();
    let widths = doubles_by_width();
    let of = |width: usize, i: usize| widths[width][i % widths[width].len()];
    let all = |width: usize| body("", (0..VALUES).map(|i| of(width, i)).collect());
    let every = |step: usize, width: usize, other: usize| {
        let pick = |i: usize| {
            if i.is_multiple_of(step) {
                of(width, i)
            } else {
                of(other, i)
            }
        };
        body("", (0..VALUES).map(pick).collect())
    };
    // Until the process has all the memory that this takes.
    measure(&Options::default(), &[all(1), all(24)], 500);
    println!("{:<44}{:>10}{:>10}{:>8}", "", "patched us", "full us", "ratio");
    for (name, options) in settings() {
        let case =
            |what: &str, messages: &[Body]| row(&format!("{name}: {what}"), measure(&options, messages, 21));
        case("all from 1 to 24 characters", &[all(1), all(24)]);
        case("all from 18 to 24", &[all(18), all(24)]);
        case("all from 24 to 1", &[all(24), all(1)]);
        case("every fourth from 1 to 24", &[all(1), every(4, 24, 1)]);
        case("every fourth from 18 to 24", &[all(18), every(4, 24, 18)]);
        let turns: Vec<Body> = (0..12).map(|turn| alternating(turn, &of)).collect();
        case("neighbours grow and shrink in turn", &turns);
        sweep(name, &options, &all);
    }
    let doubles: Vec<f64> = (0..MANY).map(|i| of(18, i)).collect();
    let note = |bytes: usize| body(&"x".repeat(bytes), doubles.clone());
    let grown = measure(
        &Options::default(),
        &[note(10), note(5000), note(100), note(20_000)],
        3,
    );
    row("ours: a text grows before 100 MB", grown);
}

/// Memory that the process has and nobody uses, below what is given back to the system.
fn warm() -> Vec<u8> {
    let blocks: Vec<Vec<u8>> = (0..1000).map(|_| vec![1; 32 << 10]).collect();
    let pin = vec![1; 1000];
    drop(blocks);
    pin
}

fn settings() -> [(&'static str, Options); 3] {
    let exact = Options {
        pad: false,
        ..Options::default()
    };
    [
        ("ours", Options::default()),
        ("no padding", exact),
        ("bsoap", Options::bsoap()),
    ]
}

fn body(note: &str, doubles: Vec<f64>) -> Body {
    let doubles = Value::map([("note", note.into()), ("item", doubles.into())]);
    vec![("Doubles".to_owned(), doubles)]
}

/// One of four values is wide or narrow, in turn, and its neighbours the other way round.
fn alternating(turn: usize, of: &dyn Fn(usize, usize) -> f64) -> Body {
    let pick = |i: usize| match (i % 4, (i / 4 + turn) % 2) {
        (0, 0) => of(16, i),
        (0, _) => of(8, i),
        _ => of(12, i),
    };
    body("", (0..VALUES).map(pick).collect())
}

/// Patched and written anew, in microseconds: medians of all messages after the first.
fn measure(options: &Options, messages: &[Body], runs: usize) -> (f64, f64) {
    let (mut patched, mut full, mut out) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..runs {
        let mut sender = Sender::new(TYPES, "Doubles", options.clone());
        for (i, message) in messages.iter().enumerate() {
            let took = time(|| {
                sender.send(message).expect("good values");
            });
            out.clear();
            let anew = time(|| sender.fresh_into(message, &mut out).expect("good values"));
            if i > 0 {
                patched.push(took / 1e3);
                full.push(anew / 1e3);
            }
        }
    }
    (median(patched), median(full))
}

fn row(what: &str, (patched, full): (f64, f64)) {
    println!("{what:<44}{patched:>10.0}{full:>10.0}{:>8.2}", patched / full);
}

/// From every width to every width; tells the worst, which of those that seem so is looked at again.
fn sweep(name: &str, options: &Options, all: &dyn Fn(usize) -> Body) {
    let bodies: Vec<Body> = (1..=24).map(all).collect();
    let took = |from: usize, to: usize, runs| {
        let (patched, full) = measure(options, &[bodies[from - 1].clone(), bodies[to - 1].clone()], runs);
        (patched / full, (patched, full), from, to)
    };
    let ways = (1..=24).flat_map(|from| (1..=24).map(move |to| (from, to)));
    let mut seen: Vec<_> = ways.map(|(from, to)| took(from, to, 3)).collect();
    seen.sort_by(|a, b| b.0.total_cmp(&a.0));
    let again = seen.iter().take(12).map(|&(_, _, from, to)| took(from, to, 21));
    if let Some((_, took, from, to)) = again.max_by(|a, b| a.0.total_cmp(&b.0)) {
        row(&format!("{name}: worst of all, from {from} to {to}"), took);
    }
}
