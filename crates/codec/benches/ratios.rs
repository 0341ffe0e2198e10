//! Encoding and decoding 100,000 items, each beside a hand-written loop that does only what cannot
//! be left out: convert every value and copy the tags; compare the tags, convert, push.
//!
//! The loops know the message by heart: no schema, no escapes, no errors. They use the fastest
//! conversions at hand, and write or read the very bytes that the codec does, which is checked
//! before anything is timed. What counts is the ratio: the machine is noisy, so the two of a pair
//! take turns and medians are divided. Biases: warm caches, output and input of 3 to 9 MB, doubles
//! uniform in 0..1 (about 17 digits), integers of up to 31 bits, one thread.
//!
//! A user of the crate has not our profile: `CARGO_PROFILE_BENCH_LTO=off
//! CARGO_PROFILE_BENCH_CODEGEN_UNITS=16 cargo bench -p castile-codec` is what they get.

mod loops;

use std::hint::black_box;

use rustix::time::{ClockId, clock_gettime};

use castile_codec::{DecodeOptions, EncodeOptions, Envelope, Limits, Version, encode};
use castile_plan::Plan;
use castile_testkit::{Rng, Table};
use castile_value::{Record, Rows, Value, ValueSink};

use loops::Loops;

const ITEMS: usize = 100_000;
const ROUNDS: usize = 41;

const TYPES: &str = "
Doubles = item:double*
Ints = item:int*
Strings = item:string*
Mio = x:int, y:int, value:double
Mios = item:Mio*
Event = seq:int, time:double, text:string
Events = item:Event*
";

fn main() {
    let table = Table::parse(TYPES);
    println!(
        "{:<22}{:>9}{:>11}{:>8}{:>13}{:>8}",
        "100,000 items", "bytes", "encode ns", "ratio", "decode ns", "ratio"
    );
    // `cargo bench -p castile-codec -- strings` runs what is called so.
    let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    for case in cases(&table) {
        if wanted
            .as_ref()
            .is_none_or(|wanted| case.label.contains(wanted.as_str()))
        {
            case.run(&table);
        }
    }
}

/// One kind of item.
struct Case {
    label: &'static str,
    plan: Plan,
    body: Record,
    loops: Box<dyn Loops>,
}

fn cases(table: &Table) -> Vec<Case> {
    let mut rng = Rng::new(7);
    let uniform: Vec<f64> = (0..ITEMS).map(|_| rng.unit()).collect();
    let bits: Vec<f64> = (0..ITEMS)
        .map(|_| {
            Some(f64::from_bits(rng.bits()))
                .filter(|v| v.is_finite())
                .unwrap_or(0.5)
        })
        .collect();
    let ints: Vec<i32> = (0..ITEMS)
        .map(|_| (rng.bits() as i32) >> (rng.bits() % 32))
        .collect();
    let strings: Vec<String> = (0..ITEMS).map(|_| format!("{:016x}", rng.bits())).collect();
    let doubles = |label, values: &[f64]| {
        case(
            table,
            label,
            "Doubles",
            values.to_vec().into(),
            Box::new(loops::Doubles(values.to_vec())),
        )
    };
    vec![
        doubles("doubles, uniform", &uniform),
        doubles("doubles, random bits", &bits),
        case(
            table,
            "ints",
            "Ints",
            ints.clone().into(),
            Box::new(loops::Ints(ints.clone())),
        ),
        case(
            table,
            "MIO (int,int,double)",
            "Mios",
            mios(table, &ints, &uniform),
            Box::new(loops::Mios(ints.clone(), uniform.clone())),
        ),
        case(
            table,
            "strings of 16",
            "Strings",
            texts(&strings),
            Box::new(loops::Strings(strings.clone())),
        ),
        case(
            table,
            "events",
            "Events",
            events(table, &ints, &uniform, &strings),
            Box::new(loops::Events(ints, uniform, strings)),
        ),
    ]
}

fn case(table: &Table, label: &'static str, name: &str, items: Value, loops: Box<dyn Loops>) -> Case {
    let plan = table.plan(name);
    let mut inner = Record::new(table.types.shape(table.id(name)).clone());
    inner.set("item", items).expect("the type has items");
    let mut body = Record::new(table.types.shape(plan.body).clone());
    body.set(name, inner).expect("the body has the type");
    Case {
        label,
        plan,
        body,
        loops,
    }
}

fn texts(strings: &[String]) -> Value {
    Value::List(strings.iter().map(|s| s.as_str().into()).collect())
}

fn mios(table: &Table, ints: &[i32], doubles: &[f64]) -> Value {
    let layout = table.types.row_layout(table.id("Mio")).expect("a flat type");
    let mut rows = Rows::new(layout.clone());
    for (x, v) in ints.iter().zip(doubles) {
        rows.push(
            &[
                &x.to_ne_bytes()[..],
                &(-(*x >> 1)).to_ne_bytes(),
                &v.to_ne_bytes(),
            ]
            .concat(),
        );
    }
    rows.into()
}

fn events(table: &Table, ints: &[i32], doubles: &[f64], strings: &[String]) -> Value {
    let shape = table.types.shape(table.id("Event"));
    let record = |((seq, time), text): ((&i32, &f64), &String)| {
        let mut record = Record::new(shape.clone());
        record.values_mut()[0] = (*seq).into();
        record.values_mut()[1] = (*time).into();
        record.values_mut()[2] = text.as_str().into();
        Value::Record(record)
    };
    Value::List(ints.iter().zip(doubles).zip(strings).map(record).collect())
}

impl Case {
    fn run(mut self, table: &Table) {
        let header = Record::new(table.types.shape(self.plan.header).clone());
        let mut message = Vec::new();
        self.encode(table, &header, &mut message);
        let text = String::from_utf8(message.clone()).expect("a message is UTF-8");
        let items = text.find("<ns1:item>").expect("items")
            ..text.rfind("</ns1:item>").expect("items") + "</ns1:item>".len();

        // No timing without a checked answer.
        let mut room = vec![0; items.len() + 256];
        let end = self.loops.write(&mut room);
        assert_eq!(
            room[..end],
            message[items.clone()],
            "{}: the loop writes what the codec writes",
            self.label
        );
        assert_eq!(
            self.loops.read(&message[items.clone()]),
            ITEMS,
            "{}: the loop reads all",
            self.label
        );
        assert_eq!(
            self.decode(table, &text),
            self.body,
            "{}: the codec reads what it wrote",
            self.label
        );

        let (mut loop_write, mut write) = (Vec::new(), Vec::new());
        let (mut loop_read, mut read) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            loop_write.push(time(|| self.loops.write(&mut room)));
            write.push(time(|| self.encode(table, &header, &mut message)));
            loop_read.push(time(|| self.loops.read(black_box(&message[items.clone()]))));
            read.push(time(|| self.decode(table, &text)));
        }
        let [loop_write, write, loop_read, read] = [loop_write, write, loop_read, read].map(median);
        println!(
            "{:<22}{:>9}{:>10.1}{:>8.2}   {:>10.1}{:>8.2}",
            self.label,
            text.len(),
            write,
            write / loop_write,
            read,
            read / loop_read
        );
    }

    fn encode(&self, table: &Table, header: &Record, out: &mut Vec<u8>) {
        out.clear();
        let options = EncodeOptions::default();
        encode(
            &table.types,
            &self.plan,
            Version::Soap11,
            header,
            &self.body,
            &options,
            out,
        )
        .expect("good values");
    }

    fn decode(&self, table: &Table, text: &str) -> Record {
        let envelope = Envelope::open(text, &Limits::default()).expect("a good message");
        let mut header = ValueSink::new(table.types.shape(self.plan.header).clone());
        let mut body = ValueSink::new(table.types.shape(self.plan.body).clone());
        let options = DecodeOptions::default();
        envelope
            .decode(&table.types, &self.plan, &options, &mut header, &mut body)
            .expect("a good message");
        body.finish()
    }
}

/// Nanoseconds of this thread an item, so that what else the machine does counts little.
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
