//! Encoding and decoding 100,000 items, from and into dynamic values and generated types, each beside a
//! hand-written loop that does only what cannot be left out: convert every value and copy the tags;
//! compare the tags, convert, push.
//!
//! The loops know the message by heart: no schema, no errors. They use the fastest conversions at hand,
//! and write or read the very bytes that the codec does, which is checked before anything is timed; so
//! are the values that come back. What counts is the ratio: the machine is noisy, so all of a case take
//! turns and medians of this thread's time are divided; nobody's values are dropped in it. Biases: warm caches and warm output, output and
//! input of 3 to 12 MB, doubles uniform in 0..1 (about 17 digits), integers of up to 31 bits, one thread.
//!
//! `CASTILE_GSOAP=interop/build/gsoap/best cargo bench -p castile-codec` runs gSOAP's own encoder and
//! decoder of structs in between and says how many times as fast the generated types are.
//!
//! A user of the crate has not our profile: `CARGO_PROFILE_BENCH_LTO=off
//! CARGO_PROFILE_BENCH_CODEGEN_UNITS=16 cargo bench -p castile-codec` is what they get.

mod gsoap;
mod loops;
mod types;
mod ways;

use std::hint::black_box;

use castile_testkit::{Body, Rng, Table, median, time};
use castile_value::typed::Fields;

use gsoap::Gsoap;
use loops::Loops;
use types::{Doubles, Event, Events, Ints, Mio, Mios, Strings, TYPES};
use ways::Ways;

const ITEMS: usize = 100_000;
const ROUNDS: usize = 31;

fn main() {
    println!(
        "{:<22}{:>9} | {:>11}{:>9}{:>9} | {:>11}{:>9}{:>9}",
        "100,000 items", "bytes", "write: ns", "dynamic", "typed", "read: ns", "dynamic", "typed"
    );
    // `cargo bench -p castile-codec -- strings` runs what is called so.
    let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    let wanted = |label: &str| {
        wanted
            .as_ref()
            .is_none_or(|wanted| label.contains(wanted.as_str()))
    };
    let bench = Bench::default();
    let mut rng = Rng::new(7);
    let uniform: Vec<f64> = (0..ITEMS).map(|_| rng.unit()).collect();
    let finite = |v: &f64| v.is_finite();
    let bits = || Some(f64::from_bits(rng.bits())).filter(finite).unwrap_or(0.5);
    let bits: Vec<f64> = std::iter::repeat_with(bits).take(ITEMS).collect();
    let ints: Vec<i32> = (0..ITEMS)
        .map(|_| (rng.bits() as i32) >> (rng.bits() % 32))
        .collect();
    let strings: Vec<String> = (0..ITEMS).map(|_| format!("{:016x}", rng.bits())).collect();
    for (label, item) in [("doubles, uniform", &uniform), ("doubles, random bits", &bits)] {
        if wanted(label) {
            bench.run(label, "Doubles", Doubles { item: item.clone() });
        }
    }
    if wanted("ints") {
        bench.run("ints", "Ints", Ints { item: ints.clone() });
    }
    if wanted("strings of 16") {
        let item = strings.clone();
        bench.run("strings of 16", "Strings", Strings { item });
    }
    let pairs = || ints.iter().zip(&uniform);
    if wanted("mio (int,int,double)") {
        let mio = |(&x, &value): (&i32, &f64)| Mio {
            x,
            y: -(x >> 1),
            value,
        };
        let item = pairs().map(mio).collect();
        bench.run("mio (int,int,double)", "Mios", Mios { item });
    }
    if wanted("events") {
        let event = |((&seq, &time), text): ((&i32, &f64), &String)| Event {
            seq,
            time,
            text: text.clone(),
        };
        let item = pairs().zip(&strings).map(event).collect();
        bench.run("events", "Events", Events { item });
    }
}

struct Bench {
    ways: Ways,
    gsoap: Option<Gsoap>,
}

impl Default for Bench {
    fn default() -> Self {
        Bench {
            ways: Ways(Table::parse(TYPES)),
            gsoap: Gsoap::wanted(),
        }
    }
}

impl Bench {
    fn run<T>(&self, label: &str, name: &str, typed: T)
    where
        T: Fields + Default + PartialEq + Loops,
    {
        let ways = &self.ways;
        let plan = &ways.0.plan(name);
        let typed = Body(typed);
        let mut message = Vec::new();
        ways.write(plan, &typed, &mut message);
        let text = &String::from_utf8(message).expect("a message is UTF-8");
        let items = text.find("<ns1:item>").expect("items")
            ..text.rfind("</ns1:item>").expect("items") + "</ns1:item>".len();
        let items = &text[items];
        let dynamic = ways.read_dynamic(plan, text);

        // No timing without a checked answer.
        let mut room = vec![0; items.len() + 256];
        let end = typed.0.write(&mut room);
        assert!(room[..end] == *items.as_bytes(), "{label}: the loop's bytes");
        assert!(T::read(items).len() == ITEMS, "{label}: the loop reads all");
        assert!(ways.read_typed::<T>(plan, text) == typed, "{label}: typed values");
        let mut again = Vec::new();
        ways.write(plan, &dynamic, &mut again);
        assert!(again == text.as_bytes(), "{label}: the bytes of dynamic values");

        let mut times: [Vec<f64>; 6] = Default::default();
        let mut theirs: [Vec<f64>; 2] = Default::default();
        for round in 0..ROUNDS {
            let mut note = |way: usize, nanos: f64| times[way].push(nanos / ITEMS as f64);
            note(0, time(|| typed.0.write(black_box(&mut room))));
            note(1, time(|| ways.write(plan, &dynamic, &mut again)));
            note(2, time(|| ways.write(plan, &typed, &mut again)));
            note(3, time(|| T::read(black_box(items))));
            note(4, time(|| ways.read_dynamic(plan, text)));
            note(5, time(|| ways.read_typed::<T>(plan, text)));
            if let Some(gsoap) = self.gsoap.as_ref().filter(|_| round % 10 == 0)
                && let Some([write, read]) = gsoap.run(name)
            {
                theirs[0].push(write);
                theirs[1].push(read);
            }
        }
        let [write, write_dynamic, write_typed, read, read_dynamic, read_typed] = times.map(median);
        println!(
            "{label:<22}{:>9} | {write:>11.1}{:>9.2}{:>9.2} | {read:>11.1}{:>9.2}{:>9.2}",
            text.len(),
            write_dynamic / write,
            write_typed / write,
            read_dynamic / read,
            read_typed / read,
        );
        if !theirs[0].is_empty() {
            let [their_write, their_read] = theirs.map(median);
            println!(
                "{:<31} | {their_write:>11.1}{:>18.1} | {their_read:>11.1}{:>18.1}",
                "  gSOAP; times as fast as it",
                their_write / write_typed,
                their_read / read_typed,
            );
        }
    }
}
