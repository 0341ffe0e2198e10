//! Generated types beside dynamic values: 100,000 doubles, mesh interface objects and events, encoded and
//! decoded by the same codec over the same plan. The hand-written bounds are in `ratios`.
//!
//! The types are what `castile generate rust` writes for such a schema. Before anything is timed the
//! bytes of both ways are compared, and the values that come back. The two of a pair take turns, and
//! medians of this thread's time are printed. Biases: warm caches, one thread.

use std::hint::black_box;

use rustix::time::{ClockId, clock_gettime};

use castile_codec::{DecodeOptions, EncodeOptions, Envelope, Limits, Version, encode};
use castile_plan::Plan;
use castile_testkit::{Rng, Table};
use castile_value::typed::{Builder, EMPTY, Empty, Fields, Place};
use castile_value::{Item, Record, Sink, Source, ValueSink};

const ITEMS: usize = 100_000;
const ROUNDS: usize = 31;

const TYPES: &str = "
Doubles = item:double*
Mio = x:int, y:int, value:double
Mios = item:Mio*
Event = seq:int, time:double, text:string
Events = item:Event*
";

#[derive(Clone, Debug, Default, PartialEq)]
struct Doubles {
    item: Vec<f64>,
}
castile_value::record!(Doubles, "{urn:t}Doubles", { 0: item });

#[derive(Clone, Debug, Default, PartialEq)]
struct Mio {
    x: i32,
    y: i32,
    value: f64,
}
castile_value::record!(Mio, "{urn:t}Mio", { 0: x, 1: y, 2: value }, required [0, 1, 2], flat [x, y, value]);

#[derive(Clone, Debug, Default, PartialEq)]
struct Mios {
    item: Vec<Mio>,
}
castile_value::record!(Mios, "{urn:t}Mios", { 0: item });

#[derive(Clone, Debug, Default, PartialEq)]
struct Event {
    seq: i32,
    time: f64,
    text: String,
}
castile_value::record!(Event, "{urn:t}Event", { 0: seq, 1: time, 2: text }, required [0, 1, 2]);

#[derive(Clone, Debug, Default, PartialEq)]
struct Events {
    item: Vec<Event>,
}
castile_value::record!(Events, "{urn:t}Events", { 0: item });

/// A body of one element.
#[derive(Clone, Debug, Default, PartialEq)]
struct Body<T>(T);

impl<T: Fields + Default> Fields for Body<T> {
    fn label(&self) -> &'static str {
        ""
    }
    fn get(&self, _index: usize) -> Item<'_> {
        Item::Record(&self.0)
    }
    fn at(&mut self, index: usize) -> Option<&mut dyn Place> {
        (index == 0).then_some(&mut self.0 as &mut dyn Place)
    }
    fn start(_label: &str) -> Option<Self> {
        Some(Body::default())
    }
}

fn main() {
    let table = Table::parse(TYPES);
    println!(
        "{:<10}{:>11}{:>9}{:>7}{:>13}{:>9}{:>7}",
        "ns an item", "encode dyn", "typed", "ratio", "decode dyn", "typed", "ratio"
    );
    let mut rng = Rng::new(7);
    let mut int = || (rng.bits() as i32) >> (rng.bits() % 32);
    let ints: Vec<i32> = (0..ITEMS).map(|_| int()).collect();
    let doubles: Vec<f64> = (0..ITEMS).map(|_| rng.unit()).collect();
    let pairs = || ints.iter().zip(&doubles);
    let mio = |(&x, &value)| Mio {
        x,
        y: -(x >> 1),
        value,
    };
    let event = |(&seq, &time): (&i32, &f64)| Event {
        seq,
        time,
        text: format!("{:016x}", time.to_bits()),
    };
    run(
        &table,
        "Doubles",
        Body(Doubles {
            item: doubles.clone(),
        }),
    );
    run(
        &table,
        "Mios",
        Body(Mios {
            item: pairs().map(mio).collect(),
        }),
    );
    run(
        &table,
        "Events",
        Body(Events {
            item: pairs().map(event).collect(),
        }),
    );
}

fn run<T: Fields + Default + PartialEq>(table: &Table, name: &str, typed: Body<T>) {
    let plan = table.plan(name);
    let text = String::from_utf8(write(table, &plan, &typed)).expect("a message is UTF-8");
    let dynamic = read_dynamic(table, &plan, &text);

    // No timing without a checked answer.
    assert!(
        read_typed::<T>(table, &plan, &text) == typed,
        "{name}: the same values"
    );
    assert!(
        write(table, &plan, &dynamic) == text.as_bytes(),
        "{name}: the same bytes"
    );

    let mut times: [Vec<f64>; 4] = Default::default();
    for _ in 0..ROUNDS {
        times[0].push(time(|| write(table, &plan, &dynamic)));
        times[1].push(time(|| write(table, &plan, &typed)));
        times[2].push(time(|| read_dynamic(table, &plan, &text)));
        times[3].push(time(|| read_typed::<T>(table, &plan, &text)));
    }
    let [write_dynamic, write_typed, read_dynamic, read_typed] = times.map(median);
    println!(
        "{name:<10}{write_dynamic:>11.1}{write_typed:>9.1}{:>7.2}{read_dynamic:>13.1}{read_typed:>9.1}{:>7.2}",
        write_typed / write_dynamic,
        read_typed / read_dynamic
    );
}

fn write(table: &Table, plan: &Plan, body: &dyn Source) -> Vec<u8> {
    let mut out = Vec::new();
    let options = EncodeOptions::default();
    encode(
        &table.types,
        plan,
        Version::Soap11,
        &EMPTY,
        body,
        &options,
        &mut out,
    )
    .expect("good values");
    out
}

fn read_typed<T: Fields + Default>(table: &Table, plan: &Plan, text: &str) -> Body<T> {
    let mut body = Builder::<Body<T>>::new();
    read(table, plan, text, &mut body);
    body.finish().expect("the same types")
}

fn read_dynamic(table: &Table, plan: &Plan, text: &str) -> Record {
    let mut body = ValueSink::new(table.types.shape(plan.body).clone());
    read(table, plan, text, &mut body);
    body.finish()
}

fn read(table: &Table, plan: &Plan, text: &str, body: &mut dyn Sink) {
    let envelope = Envelope::open(text, &Limits::default()).expect("a good message");
    let mut header = Builder::<Empty>::new();
    let options = DecodeOptions::default();
    envelope
        .decode(&table.types, plan, &options, &mut header, body)
        .expect("a good message");
}

/// Nanoseconds of this thread an item.
fn time<T>(work: impl FnOnce() -> T) -> f64 {
    let now = || {
        let now = clock_gettime(ClockId::ThreadCPUTime);
        now.tv_sec as f64 * 1e9 + now.tv_nsec as f64
    };
    let start = now();
    let result = black_box(work());
    let time = now() - start;
    drop(result);
    time / ITEMS as f64
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
