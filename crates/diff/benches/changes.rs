//! An array of 100,000 doubles that comes again, of which some changed: reading it as the last message's is kept,
//! beside reading it plainly, in one run.
//!
//! Medians of thread time, warm memory, one core, from text to values; each result is given back before the next
//! message, and its memory is filled again. Two messages come in turn, which differ in as many values as a row says, at random places. With equal
//! widths each value has 17 digits; else those that change have 1 to 17. `in place` is the last result given back as it
//! is, and changed where the message differs. `loop` is one written for this message that does nothing but compare, read
//! what differs, and copy.

use std::hint::black_box;
use std::sync::Arc;

use castile_codec::{DecodeOptions, Edition, Intake, Limits, Owner};
use castile_diff::{Automata, Receiving, Shared};
use castile_plan::Plan;
use castile_testkit::{Lent, Rng, Table, median, time};
use castile_value::{ColumnBuf, DType, Record, RowLayout, Rows, Scalar, Shape, Sink, Slot, ValueSink};

const COUNT: usize = 100_000;
const ROUNDS: usize = 61;

fn main() {
    let table = Table::parse("Doubles = item:double*");
    let plan = table.plan("Doubles");
    let mut rng = Rng::new(5);
    let first: Vec<String> = (0..COUNT).map(|_| digits(&mut rng, 17)).collect();
    let held = message(&first);
    let text = &*held.0;
    let (copy, column) = (text.to_owned(), vec![0.5f64; COUNT]);
    let mut into = Vec::with_capacity(COUNT);
    let compare = measure(|_| {
        black_box(black_box(text) == black_box(&*copy));
    });
    let copied = measure(|_| {
        into.clear();
        into.extend_from_slice(black_box(&column));
        black_box(&mut into);
    });
    println!(
        "{} bytes; memcmp {compare:.0} us, copying the column {copied:.0} us",
        text.len()
    );
    println!(
        "{:<28}{:>10}{:>10}{:>8}{:>12}{:>8}{:>10}{:>12}{:>10}{:>8}",
        "", "plain us", "kept us", "ratio", "in place us", "ratio", "parsed", "bytes", "loop us", "ratio"
    );
    for (name, percent, equal) in [
        ("unchanged", 0, true),
        ("1 %, equal widths", 1, true),
        ("1 %, changing widths", 1, false),
        ("5 %, equal widths", 5, true),
        ("5 %, changing widths", 5, false),
        ("25 %, equal widths", 25, true),
        ("25 %, changing widths", 25, false),
        ("100 %, equal widths", 100, true),
        ("100 %, changing widths", 100, false),
    ] {
        if !wanted(name) {
            continue;
        }
        let mut second = first.clone();
        for value in &mut second {
            if rng.below(100) < percent {
                let width = if equal { 17 } else { 1 + rng.below(17) };
                *value = digits(&mut rng, width);
            }
        }
        let messages = [message(&first), message(&second)];
        row(&table, &plan, name, [&messages[0], &messages[1]], equal);
    }
    let mut more = first.clone();
    more.splice(COUNT / 3..COUNT / 3, first[..10].to_vec());
    more.drain(COUNT / 2..COUNT / 2 + 7);
    row(
        &table,
        &plan,
        "10 more, 7 fewer inside",
        [&held, &message(&more)],
        false,
    );
    shared(&table, &plan, [&held, &message(&first)], compare);
}

/// Whether a row is asked for: all are unless words of their names are given.
fn wanted(name: &str) -> bool {
    let mut words = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with("--"))
        .peekable();
    words.peek().is_none() || words.any(|word| name.contains(&word))
}

/// A number below 1 with so many digits.
fn digits(rng: &mut Rng, count: usize) -> String {
    let digit = |i: usize, rng: &mut Rng| {
        char::from(b'0' + (if i == 0 { 1 + rng.below(9) } else { rng.below(10) }) as u8)
    };
    let digits: String = (0..count).map(|i| digit(i, rng)).collect();
    format!("0.{digits}")
}

/// A message as a transport holds it: it can be kept as it lies there.
fn message(values: &[String]) -> Lent {
    Lent(written(values).into())
}

fn written(values: &[String]) -> String {
    let items: String = values.iter().map(|v| format!("<item>{v}</item>")).collect();
    format!(
        "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body><Doubles xmlns=\"urn:t\">{items}</Doubles></e:Body></e:Envelope>"
    )
}

/// Median of microseconds.
fn measure(mut run: impl FnMut(usize)) -> f64 {
    let samples = (0..ROUNDS).map(|round| time(|| run(round)) / 1e3).skip(5);
    median(samples.collect())
}

fn row(table: &Table, plan: &Plan, name: &str, messages: [&Lent; 2], equal: bool) {
    let ways = [Receiving::off(), Receiving::default(), Receiving::default()].map(Automata::new);
    let kept = &ways[1];
    let warm = || Warm {
        column: ColumnBuf::F64(Vec::with_capacity(2 * COUNT)),
        edition: None,
    };
    let mut warm = [warm(), warm(), warm()];
    let (mut samples, mut before) = ([Vec::new(), Vec::new(), Vec::new()], 0);
    for round in 0..ROUNDS {
        for (i, (automata, samples)) in ways.iter().zip(&mut samples).enumerate() {
            let text = messages[round % 2];
            let warm = &mut warm[i];
            let took = time(|| {
                let given = warm.edition.filter(|_| i == 2);
                if given.is_none() {
                    warm.column.clear();
                }
                let received = with(automata, table, plan, text, warm, |message, intake| {
                    automata
                        .decode_into(message, 1, intake, given)
                        .expect("a good message")
                });
                warm.edition = received.edition;
                black_box(&mut *warm);
            });
            if round > 4 {
                samples.push(took / 1e3);
            }
        }
        assert_eq!(warm[0].column, warm[2].column, "{name}");
        if round + 2 == ROUNDS {
            before = kept.stats().values_parsed;
        }
    }
    let parsed = kept.stats().values_parsed - before;
    let [plain, kept, in_place] = samples.map(median);
    let by_hand = by_hand(messages, equal);
    println!(
        "{name:<28}{plain:>10.0}{kept:>10.0}{:>8.2}{in_place:>12.0}{:>8.2}{parsed:>10}{:>12}{by_hand:>10.0}{:>8.2}",
        plain / kept,
        plain / in_place,
        messages[1].0.len(),
        plain / by_hand
    );
}

const OPEN: &[u8] = b"<item>";
const CLOSE: &[u8] = b"</item>";

/// What a loop takes that knows this very message and does nothing but compare with the last one, read what differs,
/// keep it, and copy the values out: with equal widths an item is found by dividing, else items are gone through.
fn by_hand(messages: [&Lent; 2], equal: bool) -> f64 {
    let items_at = messages[0].0.find("<item>").expect("items");
    let mut last = Last {
        text: Vec::new(),
        lengths: vec![0; COUNT + 10],
        values: vec![0.0; COUNT + 10],
    };
    let mut out = Vec::with_capacity(2 * COUNT);
    measure(|round| {
        let text = messages[round % 2].0.as_bytes();
        let count = match equal && last.text.len() == text.len() {
            true => last.patched(text, items_at),
            false => last.walked(text, items_at),
        };
        out.clear();
        out.extend_from_slice(&last.values[..count]);
        black_box(&mut out);
    })
}

/// The last message, as the loops keep it.
struct Last {
    text: Vec<u8>,
    /// Of each value's text.
    lengths: Vec<u8>,
    values: Vec<f64>,
}

impl Last {
    /// All items have the length of the first.
    fn patched(&mut self, text: &[u8], items_at: usize) -> usize {
        let width = usize::from(self.lengths[0]);
        let stride = OPEN.len() + width + CLOSE.len();
        let mut at = items_at;
        while let Some(differs) = first_difference(&text[at..], &self.text[at..]) {
            let item = (at + differs - items_at) / stride;
            let from = items_at + item * stride + OPEN.len();
            self.values[item] = number(&text[from..]).0;
            self.text[from..from + width].copy_from_slice(&text[from..from + width]);
            at = from + width;
        }
        COUNT
    }

    /// Item by item.
    fn walked(&mut self, text: &[u8], items_at: usize) -> usize {
        let (mut at, mut old, mut count) = (items_at, items_at, 0);
        while text[at..].starts_with(OPEN) {
            let length = OPEN.len() + usize::from(self.lengths[count]) + 1;
            let same = self
                .text
                .get(old..old + length)
                .is_some_and(|item| text[at..].starts_with(item));
            let value_at = at + OPEN.len();
            old += length - 1 + CLOSE.len();
            if !same {
                let (value, length) = number(&text[value_at..]);
                self.values[count] = value;
                self.lengths[count] = length as u8;
            }
            at = value_at + usize::from(self.lengths[count]) + CLOSE.len();
            count += 1;
        }
        self.text.clear();
        self.text.extend_from_slice(text);
        count
    }
}

fn number(text: &[u8]) -> (f64, usize) {
    castile_lexical::prefix_f64(text).expect("a number")
}

fn first_difference(a: &[u8], b: &[u8]) -> Option<usize> {
    let same = |(a, b): &(&[u8; 256], &[u8; 256])| a == b;
    let blocks = a.as_chunks::<256>().0.iter().zip(b.as_chunks::<256>().0);
    let from = 256 * blocks.take_while(same).count();
    let rest = a[from..].iter().zip(&b[from..]).position(|(a, b)| a != b)?;
    Some(from + rest)
}

fn with<T>(
    automata: &Automata,
    table: &Table,
    plan: &Plan,
    text: &Lent,
    body: &mut dyn Sink,
    read: impl FnOnce(castile_diff::Message<'_>, Intake<'_>) -> T,
) -> T {
    let types = &table.types;
    let message = automata.open(&text.0, &Limits::default(), Some(b"peer"));
    let intake = Intake {
        types,
        plan,
        options: &DecodeOptions::default(),
        header: &mut ValueSink::new(types.shape(plan.header).clone()),
        body,
    };
    let mut message = message.expect("an envelope");
    message.lies_in(Owner::new(text.clone()));
    read(message, intake)
}

/// A result that is given back: its memory is filled again.
struct Warm {
    column: ColumnBuf,
    /// Which message it holds.
    edition: Option<Edition>,
}

impl Sink for Warm {
    fn scalar(&mut self, _at: Slot, _value: Scalar<'_>) {}
    fn nil(&mut self, _at: Slot) {}
    fn xml(&mut self, _at: Slot, _text: String) {}
    fn attribute(&mut self, _at: Slot, _name: String, _value: &str) {}
    fn open(&mut self, _at: Slot, _shape: &Arc<Shape>) {}
    fn close(&mut self) {}
    fn column(&mut self, _at: Slot, _dtype: DType) -> Option<&mut ColumnBuf> {
        self.column.clear();
        Some(&mut self.column)
    }
    fn given_column(&mut self, _at: Slot, _dtype: DType) -> Option<&mut ColumnBuf> {
        Some(&mut self.column)
    }
    fn rows(&mut self, _at: Slot, _layout: &Arc<RowLayout>) -> Option<&mut Rows> {
        None
    }
}

/// The same object for the same message.
fn shared(table: &Table, plan: &Plan, messages: [&Lent; 2], compare: f64) {
    let automata = Automata::new(Receiving::default());
    let mut given = 0;
    let took = measure(|round| {
        let text = messages[round % 2];
        let mut body = ValueSink::new(table.types.shape(plan.body).clone());
        let shared = with(&automata, table, plan, text, &mut body, |message, intake| {
            automata
                .decode_shared::<Record>(message, 1, intake)
                .expect("a good message")
        });
        match shared {
            Shared::New(_, Some(ticket)) => automata.share(ticket, Arc::new(body.finish())),
            Shared::New(_, None) => {}
            Shared::Same(object) => {
                given += 1;
                black_box(object);
            }
        }
    });
    println!(
        "unchanged, shared           {took:>20.0} us, {:.2} of memcmp, given again {given} times",
        took / compare
    );
}
