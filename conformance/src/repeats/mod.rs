//! What differential receiving gains on messages of real services that come again and again, with what varies in
//! life varied.
//!
//! ```text
//!   contract, a recorded message or a sample ─▶ a sequence of texts ─┬─ plainly ────▶ µs a message
//!                                                                    └─ by automata ─▶ µs a message, how many were like
//! ```
//!
//! Thread time, medians, warm memory. Before a sequence is timed, both ways must give the same values.

mod sequences;

use std::hint::black_box;
use std::sync::Arc;

use castile_codec::{DecodeOptions, Intake, Limits};
use castile_diff::{Automata, Receiving};
use castile_plan::{ComplexId, Plan, Types};
use castile_testkit::{difference, median, time};
use castile_value::{ColumnBuf, DType, Record, RowLayout, Rows, Scalar, Shape, Sink, Slot, Value, ValueSink};

use crate::corpus::Corpus;

/// Messages of one operation, in the order in which they come.
pub(crate) struct Sequence {
    pub(crate) name: &'static str,
    pub(crate) types: Arc<Types>,
    pub(crate) plan: Plan,
    pub(crate) messages: Vec<String>,
}

/// Prints a line for each sequence.
pub(crate) fn print(corpus: &Corpus) -> Result<(), String> {
    println!(
        "sequence\tbytes\tlike\tplain_us\tlearned_us\tratio\tplain_us_nowhere\tlearned_us_nowhere\tratio_nowhere"
    );
    for sequence in sequences::all(corpus)? {
        sequence.check()?;
        let [values, nowhere] = [true, false].map(|into_values| sequence.measure(into_values));
        let bytes = sequence.messages.iter().map(String::len).sum::<usize>() / sequence.messages.len();
        println!(
            "{}\t{bytes}\t{:.2}\t{:.2}\t{:.2}\t{:.2}\t{:.2}\t{:.2}\t{:.2}",
            sequence.name,
            values.like,
            values.plain,
            values.learned,
            values.plain / values.learned,
            nowhere.plain,
            nowhere.learned,
            nowhere.plain / nowhere.learned
        );
    }
    Ok(())
}

/// Microseconds a message, and which part of the messages was like an earlier one.
struct Measured {
    plain: f64,
    learned: f64,
    like: f64,
}

/// How often a sequence is read.
const ROUNDS: usize = 60;

impl Sequence {
    /// Both ways give the same values.
    fn check(&self) -> Result<(), String> {
        let (plain, learned) = (
            Automata::new(Receiving::off()),
            Automata::new(Receiving::default()),
        );
        for text in self.messages.iter().chain(&self.messages) {
            let [plain, learned] = [&plain, &learned].map(|automata| self.values(automata, text));
            if let Some(differs) = difference(&Value::Record(plain?), &Value::Record(learned?)) {
                return Err(format!("{}: {differs}", self.name));
            }
        }
        Ok(())
    }

    fn measure(&self, into_values: bool) -> Measured {
        let (plain, learned) = (
            Automata::new(Receiving::off()),
            Automata::new(Receiving::default()),
        );
        let mut samples = [Vec::new(), Vec::new()];
        for round in 0..ROUNDS {
            for (automata, samples) in [&plain, &learned].into_iter().zip(&mut samples) {
                let took = time(|| {
                    for text in &self.messages {
                        match into_values {
                            true => drop(black_box(self.values(automata, text))),
                            false => drop(black_box(self.decode(automata, text, &mut Nowhere, &mut Nowhere))),
                        }
                    }
                });
                if round >= ROUNDS / 4 {
                    samples.push(took / 1e3 / self.messages.len() as f64);
                }
            }
        }
        let [plain, learned_us] = samples.map(median);
        let stats = learned.stats();
        Measured {
            plain,
            learned: learned_us,
            like: stats.followed as f64 / (stats.followed + stats.plain) as f64,
        }
    }

    fn values(&self, automata: &Automata, text: &str) -> Result<Record, String> {
        let sink = |id: ComplexId| ValueSink::new(self.types.shape(id).clone());
        let (mut header, mut body) = (sink(self.plan.header), sink(self.plan.body));
        self.decode(automata, text, &mut header, &mut body)?;
        Ok(body.finish())
    }

    fn decode(
        &self,
        automata: &Automata,
        text: &str,
        header: &mut dyn Sink,
        body: &mut dyn Sink,
    ) -> Result<(), String> {
        let words = |error: castile_codec::Error| format!("{}: {error}", self.name);
        let message = automata
            .open(text, &Limits::default(), Some(b"peer"))
            .map_err(words)?;
        let intake = Intake {
            types: &self.types,
            plan: &self.plan,
            options: &DecodeOptions {
                strict: false,
                ..DecodeOptions::default()
            },
            header,
            body,
        };
        automata.decode(message, 1, intake).map(drop).map_err(words)
    }
}

/// A sink that looks at what it is given and keeps nothing.
struct Nowhere;

impl Sink for Nowhere {
    fn scalar(&mut self, _at: Slot, value: Scalar<'_>) {
        black_box(value);
    }
    fn nil(&mut self, _at: Slot) {}
    fn xml(&mut self, _at: Slot, text: String) {
        black_box(text);
    }
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
