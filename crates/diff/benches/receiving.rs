//! Reading messages that are like earlier ones, beside reading them plainly: the same messages in turn, into
//! dynamic values and into nothing at all.
//!
//! Medians of thread time, warm memory, one core, from text to values. Small messages are read many times in
//! a row. What differs between them is every value; what is the same is every tag. The search messages have
//! the shape of those of paper 001. Long lists of records with texts are read plainly either way.

use std::hint::black_box;
use std::sync::Arc;

use castile_codec::{DecodeOptions, EncodeOptions, Intake, Limits};
use castile_diff::{Automata, Receiving};
use castile_plan::Plan;
use castile_testkit::{Effort, Rng, Sampler, Table, median, plainly, time};
use castile_value::{ColumnBuf, DType, RowLayout, Rows, Scalar, Shape, Sink, Slot, Value, ValueSink};

const TYPES: &str = "
Void =
Search = key:string, q:string, start:int, maxResults:int, filter:boolean, restrict:string, safeSearch:boolean, lr:string, ie:string, oe:string
Category = fullViewableName:string, specialEncoding:string
Result = summary:string, URL:string, snippet:string, title:string, cachedSize:string, relatedInformationPresent:boolean, hostName:string, directoryCategory:Category, directoryTitle:string
Results = documentFiltering:boolean, searchComments:string, estimatedTotalResultsCount:int, estimateIsExact:boolean, item:Result*, searchQuery:string, startIndex:int, endIndex:int, searchTips:string, category:Category*, searchTime:double
Mio = x:int, y:int, value:double
Mios = item:Mio*
Event = number:int, value:double, text:string
Events = item:Event*
Doubles = item:double*
Ints = item:int*
";

fn main() {
    let table = Table::parse(TYPES);
    println!(
        "{:<24}{:>9}{:>13}{:>13}{:>8}{:>15}{:>15}{:>8}",
        "", "bytes", "plain µs", "learned µs", "ratio", "plain, no sink", "learned", "ratio"
    );
    for (name, items, times) in [
        ("Void", 0, 2000),
        ("Search", 0, 2000),
        ("Results", 10, 200),
        ("Mios", 100_000, 1),
        ("Events", 100_000, 1),
        ("Doubles", 100_000, 1),
    ] {
        run(&table, name, items, times);
    }
    println!(
        "\n{:<24}{:>9}{:>13}{:>13}{:>8}{:>15}{:>8}",
        "always other values", "bytes", "plain µs", "kept µs", "ratio", "not kept µs", "ratio"
    );
    for name in ["Doubles", "Ints", "Mios", "Events"] {
        always_others(&table, name, 10_000);
    }
}

/// Messages of which each has other values than the one before, from the first on: the mean of each of three ways,
/// next to each other, with what it costs to find out that nothing can be gained.
fn always_others(table: &Table, name: &str, items: usize) {
    const MESSAGES: usize = 200;
    let plan = table.plan(name);
    let messages = messages(table, &plan, items, 16);
    let mut ratios = [Vec::new(), Vec::new()];
    let mut plainly = Vec::new();
    for _ in 0..5 {
        let ways = [
            Receiving::off(),
            Receiving::default(),
            Receiving {
                values: false,
                ..Receiving::default()
            },
        ]
        .map(Automata::new);
        let mut took = [0.0; 3];
        for message in messages.iter().cycle().take(MESSAGES) {
            for (way, took) in ways.iter().zip(&mut took) {
                *took += time(|| read(way, table, &plan, message, true)) / 1e3 / MESSAGES as f64;
            }
        }
        plainly.push(took[0]);
        ratios[0].push(took[1] / took[0]);
        ratios[1].push(took[2] / took[0]);
    }
    let (plain, [kept, not_kept]) = (median(plainly), ratios.map(median));
    println!(
        "{name:<24}{:>9}{plain:>13.2}{:>13.2}{:>8.2}{:>15.2}{:>8.2}",
        messages[0].len(),
        plain * kept,
        1.0 / kept,
        plain * not_kept,
        1.0 / not_kept
    );
}

/// Messages with the same tags and other values.
fn messages(table: &Table, plan: &Plan, items: usize, count: usize) -> Vec<String> {
    let mut rng = Rng::new(7);
    let message = |_| {
        let mut body = Sampler::new(&table.types, Rng::new(3))
            .effort(Effort::Most)
            .record(plan.body);
        body.values_mut()
            .iter_mut()
            .for_each(|value| vary(value, items, &mut rng));
        plainly::write(&table.types, plan, &body, &EncodeOptions::default()).expect("good values")
    };
    (0..count).map(message).collect()
}

/// Gives every value another text, and lists as many items as are wanted.
fn vary(value: &mut Value, items: usize, rng: &mut Rng) {
    match value {
        Value::Record(record) => record.values_mut().iter_mut().for_each(|v| vary(v, items, rng)),
        Value::Text(text) => *text = format!("some words and the number {}", rng.below(1 << 30)),
        Value::Int(number) => *number = rng.below(1 << 20) as i64,
        Value::Double(number) => *number = rng.unit(),
        Value::Column(ColumnBuf::F64(column)) => *column = (0..items).map(|_| rng.unit()).collect(),
        Value::Column(ColumnBuf::I32(column)) => {
            *column = (0..items).map(|_| rng.below(1 << 30) as i32).collect()
        }
        Value::Rows(rows) => {
            let mut more = Rows::new(rows.layout().clone());
            for _ in 0..items {
                let (x, y) = (rng.below(1 << 20) as i32, rng.below(1 << 20) as i32);
                more.push(&[&x.to_ne_bytes()[..], &y.to_ne_bytes(), &rng.unit().to_ne_bytes()].concat());
            }
            **rows = more;
        }
        Value::List(list) => {
            if let Some(first) = list.first().cloned() {
                *list = vec![first; items];
                list.iter_mut().for_each(|v| vary(v, items, rng));
            }
        }
        _ => {}
    }
}

fn run(table: &Table, name: &str, items: usize, times: usize) {
    let plan = table.plan(name);
    let messages = messages(table, &plan, items, 4);
    let learned = Automata::new(Receiving::default());
    let plain = Automata::new(Receiving::off());
    let mut samples = [(); 4].map(|()| Vec::new());
    for round in 0..25 {
        for (n, (automata, sink)) in [
            (&plain, true),
            (&learned, true),
            (&plain, false),
            (&learned, false),
        ]
        .into_iter()
        .enumerate()
        {
            let took = time(|| {
                for i in 0..times {
                    read(
                        automata,
                        table,
                        &plan,
                        &messages[(round + i) % messages.len()],
                        sink,
                    );
                }
            });
            if round >= 4 {
                samples[n].push(took / 1e3 / times as f64);
            }
        }
    }
    let followed = if learned.stats().followed > 0 {
        ""
    } else {
        "  (read plainly)"
    };
    let [a, b, c, d] = samples.map(median);
    let bytes = messages[0].len();
    println!(
        "{name:<24}{bytes:>9}{a:>13.2}{b:>13.2}{:>8.2}{c:>15.2}{d:>15.2}{:>8.2}{followed}",
        a / b,
        c / d
    );
}

fn read(automata: &Automata, table: &Table, plan: &Plan, text: &str, into_values: bool) {
    let types = &table.types;
    let message = automata
        .open(
            text,
            &Limits::default(),
            Some(if into_values { b"values" } else { b"nobody" }),
        )
        .expect("an envelope");
    let options = DecodeOptions::default();
    let read = |header: &mut dyn Sink, body: &mut dyn Sink| {
        let intake = Intake {
            types,
            plan,
            options: &options,
            header,
            body,
        };
        automata.decode(message, 1, intake).expect("a good message");
    };
    if into_values {
        let mut header = ValueSink::new(types.shape(plan.header).clone());
        let mut body = ValueSink::new(types.shape(plan.body).clone());
        read(&mut header, &mut body);
        black_box(body.finish());
    } else {
        let (mut header, mut body) = (Nowhere::default(), Nowhere::default());
        read(&mut header, &mut body);
        black_box(body.values);
    }
}

/// A sink that looks at what it is given and keeps nothing.
#[derive(Default)]
struct Nowhere {
    values: usize,
}

impl Sink for Nowhere {
    fn scalar(&mut self, _at: Slot, value: Scalar<'_>) {
        self.values += 1;
        black_box(value);
    }
    fn nil(&mut self, _at: Slot) {}
    fn xml(&mut self, _at: Slot, _text: String) {}
    fn attribute(&mut self, _at: Slot, _name: String, _value: &str) {}
    fn open(&mut self, _at: Slot, _shape: &Arc<Shape>) {}
    fn close(&mut self) {}
    fn column(&mut self, _at: Slot, _dtype: DType) -> Option<&mut ColumnBuf> {
        None
    }
    fn rows(&mut self, _at: Slot, _layout: &Arc<RowLayout>) -> Option<&mut Rows> {
        None
    }
}
