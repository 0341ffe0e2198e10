//! Messages of many shapes, encoded and decoded from and into dynamic values and generated types: what is nested,
//! optional, chosen, derived or an attribute, and what is small. `ratios` has the large arrays.
//!
//! Both ways give the same bytes and values, which is checked before anything is timed. They take turns, and what
//! counts is typed time over dynamic time: below 1, the generated type is the faster one. Biases: warm caches and
//! warm output, one thread, values owned on both sides: each text that is read is a `String` of its own.
//!
//! `cargo bench -p castile-codec --bench shapes -- search` runs what is called so.

mod figures;
mod ways;

use std::hint::black_box;

use castile_testkit::{Body, Rng, Table, median, time};
use castile_value::typed::Fields;

use ways::Ways;

/// Rounds, and about how many bytes each takes.
const ROUNDS: usize = 101;
const BYTES: usize = 200_000;

fn main() {
    let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    let bench = Bench {
        ways: Ways(Table::parse(figures::TYPES)),
        wanted,
    };
    println!(
        "{:<14}{:>9} | {:>12}{:>9} | {:>12}{:>9}",
        "", "bytes", "write: ns", "typed", "read: ns", "typed"
    );
    let rng = &mut Rng::new(11);
    bench.run("Void", figures::Void::default());
    bench.run("Search", figures::search(rng));
    bench.run("Capabilities", figures::capabilities());
    bench.run("Orders", figures::orders(rng));
    bench.run("Readings", figures::readings(rng));
    bench.run("Figures", figures::figures(rng));
    bench.run("Matrix", figures::matrix(rng));
    bench.run("Entries", figures::entries(rng));
    bench.run("Animals", figures::animals(rng));
    bench.run("Spans", figures::spans());
}

struct Bench {
    ways: Ways,
    wanted: Option<String>,
}

impl Bench {
    fn run<T>(&self, name: &str, typed: T)
    where
        T: Fields + Default + PartialEq + std::fmt::Debug,
    {
        if self
            .wanted
            .as_ref()
            .is_some_and(|wanted| !name.contains(wanted.as_str()))
        {
            return;
        }
        let ways = &self.ways;
        let plan = &ways.0.plan(name);
        let typed = Body(typed);
        let mut out = Vec::new();
        ways.write(plan, &typed, &mut out);
        let text = &String::from_utf8(out.clone()).expect("a message is UTF-8");
        let dynamic = ways.read_dynamic(plan, text);

        // No timing without a checked answer.
        assert!(ways.read_typed::<T>(plan, text) == typed, "{name}: typed values");
        ways.write(plan, &dynamic, &mut out);
        assert!(out == text.as_bytes(), "{name}: the bytes of dynamic values");

        let times_a_round = BYTES.div_ceil(text.len());
        let repeat =
            |f: &mut dyn FnMut()| time(|| (0..times_a_round).for_each(|_| f())) / times_a_round as f64;
        let mut times: [Vec<f64>; 4] = Default::default();
        for _ in 0..ROUNDS {
            times[0].push(repeat(&mut || ways.write(plan, black_box(&dynamic), &mut out)));
            times[1].push(repeat(&mut || ways.write(plan, black_box(&typed), &mut out)));
            times[2].push(repeat(&mut || drop(black_box(ways.read_dynamic(plan, text)))));
            times[3].push(repeat(&mut || drop(black_box(ways.read_typed::<T>(plan, text)))));
        }
        let [write, write_typed, read, read_typed] = times.map(median);
        println!(
            "{name:<14}{:>9} | {write:>12.0}{:>9.2} | {read:>12.0}{:>9.2}",
            text.len(),
            write_typed / write,
            read_typed / read,
        );
    }
}
