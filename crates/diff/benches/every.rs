//! Messages of which everything changes each time (of a grid all values, and none of the places), kept as those
//! before and not kept at all: what keeping costs where it can gain nothing. 10,000 items through [`Templates`], medians of thread time, and all messages together, the
//! first ones that are compared before it pauses among them.

use castile_codec::EncodeOptions;
use castile_diff::{Options, Templates};
use castile_testkit::plainly::draft;
use castile_testkit::{Rng, Table, asked, median, time};
use castile_value::{Record, Rows, Value};

const ITEMS: usize = 10_000;
const MESSAGES: usize = 200;
/// Different messages, which come in turn.
const SETS: usize = 8;

const TYPES: &str = "
Mio = x:int, y:int, value:double
Event = sequence:int, text:string, time:double
Doubles = item:double*
Ints = item:int*
Mios = item:Mio*
Events = item:Event*
Text = item:string
";

/// Makes the values of a message.
type Make = fn(&Table, &mut Rng) -> Value;

/// What a row is called, and the element that it sends.
const KINDS: [(&str, &str, Make); 7] = [
    ("doubles", "Doubles", |_, rng| {
        (0..ITEMS).map(|_| rng.unit()).collect::<Vec<f64>>().into()
    }),
    ("ints", "Ints", |_, rng| {
        (0..ITEMS).map(|_| int(rng)).collect::<Vec<i32>>().into()
    }),
    ("mesh, an array", "Mios", |table, rng| {
        mesh(table, rng, |_, rng| [int(rng), int(rng)]).into()
    }),
    ("a grid", "Mios", |table, rng| {
        mesh(table, rng, |i, _| [i / 100, i % 100].map(|i| i as i32)).into()
    }),
    ("mesh, records", "Mios", |table, rng| list(|| mio(table, rng))),
    ("events", "Events", |table, rng| list(|| event(table, rng))),
    ("text", "Text", |_, rng| {
        (0..ITEMS * 10)
            .map(|_| char::from(b'a' + rng.below(26) as u8))
            .collect::<String>()
            .into()
    }),
];

fn main() {
    println!(
        "{:<16}{:>12}{:>12}{:>12}{:>10}{:>10}{:>10}",
        "", "plain us", "kept us", "paused us", "kept", "paused", "together"
    );
    let (table, words) = (Table::parse(TYPES), asked());
    for (name, element, make) in KINDS {
        if words.is_empty() || words.iter().any(|word| name.contains(word)) {
            row(&table, name, element, make);
        }
    }
}

fn row(table: &Table, name: &str, element: &str, make: Make) {
    let plan = table.plan(element);
    let mut rng = Rng::new(3);
    let bodies: Vec<_> = (0..SETS)
        .map(|_| {
            let mut inner = Record::new(table.types.shape(table.id(element)).clone());
            inner
                .set("item", make(table, &mut rng))
                .expect("the type has items");
            vec![(element.to_owned(), Value::Record(inner))]
        })
        .collect();
    let settings = |enabled, pauses| Options {
        enabled,
        pauses,
        ..Options::default()
    };
    let ways = [(false, false), (true, false), (true, true)];
    let kept = ways.map(|(enabled, pauses)| Templates::new(settings(enabled, pauses)));
    let options = EncodeOptions::default();
    let mut samples = [const { Vec::new() }; 3];
    for body in bodies.iter().cycle().take(MESSAGES) {
        let draft = draft(&table.types, &plan, body, &options);
        for (templates, samples) in kept.iter().zip(&mut samples) {
            samples.push(time(|| templates.encode(0, &draft).expect("good values")) / 1e3);
        }
    }
    let [plain_sum, _, paused_sum] = [0, 1, 2].map(|i| samples[i].iter().sum::<f64>());
    let [plain, kept, paused] = samples.map(median);
    println!(
        "{name:<16}{plain:>12.0}{kept:>12.0}{paused:>12.0}{:>10.2}{:>10.2}{:>10.2}",
        kept / plain,
        paused / plain,
        paused_sum / plain_sum
    );
}

fn int(rng: &mut Rng) -> i32 {
    rng.bits() as i32 >> rng.below(24)
}

fn list(make: impl FnMut() -> Value) -> Value {
    Value::List(std::iter::repeat_with(make).take(ITEMS).collect())
}

/// Random values at places.
fn mesh(table: &Table, rng: &mut Rng, place: fn(usize, &mut Rng) -> [i32; 2]) -> Rows {
    let layout = table.types.row_layout(table.id("Mio")).expect("a flat type");
    let mut mesh = Rows::new(layout.clone());
    for i in 0..ITEMS {
        let [x, y] = place(i, rng).map(i32::to_ne_bytes);
        mesh.push(&[&x[..], &y, &rng.unit().to_ne_bytes()].concat());
    }
    mesh
}

fn mio(table: &Table, rng: &mut Rng) -> Value {
    record(
        table,
        "Mio",
        [int(rng).into(), int(rng).into(), rng.unit().into()],
    )
}

fn event(table: &Table, rng: &mut Rng) -> Value {
    let length = 10 + rng.below(60);
    let text: String = (0..length)
        .map(|_| char::from(b'a' + rng.below(26) as u8))
        .collect();
    record(table, "Event", [int(rng).into(), text.into(), rng.unit().into()])
}

fn record(table: &Table, name: &str, values: [Value; 3]) -> Value {
    let mut record = Record::new(table.types.shape(table.id(name)).clone());
    record.values_mut().clone_from_slice(&values);
    Value::Record(record)
}
