//! Differential receiving: after any messages, the next one is read as the plain decoder reads it, or
//! refused in the same words at the same place. Whatever was read last is given back to be changed, and some messages are
//! kept as they lie in memory.

use castile_codec::{DecodeOptions, Edition, Error, Intake, Limits, Owner};
use castile_diff::{Automata, Coming, Receiving};
use castile_plan::Plan;
use castile_testkit::{Lent, Rng, Table, difference, mutate};
use castile_value::{Record, Value, ValueSink};

use crate::tables::{choose, read, sample, written};

/// Table, plan, settings, and steps: each makes a message of the last one, or a new one.
pub(crate) fn receiving(bytes: &[u8]) {
    let [table, plan, settings, steps @ ..] = bytes else {
        return;
    };
    let (table, plan) = choose(*table, *plan);
    let strict = settings % 2 == 0;
    let mut receiver = Receiver::new(Receiving {
        budget_bytes: if settings & 2 == 0 { 1 << 20 } else { 4096 },
        tracks_max: 1 + usize::from(settings >> 4),
        // Most messages here are small.
        values_bytes_min: if settings & 8 == 0 { 1 } else { 400 },
        ..Receiving::default()
    });
    let mut text = String::new();
    let mut steps = steps;
    for _ in 0..MESSAGES_MAX {
        let Some(rest) = step(table, plan, &mut text, steps) else {
            return;
        };
        steps = rest;
        let peer = [settings & 4 | steps.first().map_or(0, |b| b & 1)];
        check(&mut receiver, table, plan, &text, strict, &peer);
    }
}

const MESSAGES_MAX: usize = 60;
const TEXT_BYTES_MAX: usize = 32 << 10;

/// Takes the next step: what it leaves of them.
fn step<'s>(table: &Table, plan: &Plan, text: &mut String, steps: &'s [u8]) -> Option<&'s [u8]> {
    let [what, a, b, rest @ ..] = steps else {
        return None;
    };
    let seed = u16::from_le_bytes([*a, *b]).into();
    let new = || written(table, plan, &sample(table, plan, seed));
    match what % 8 {
        0 | 1 => *text = new(),
        2 => *text = mutate(&new(), &mut Rng::new(seed)),
        3 => *text = mutate(text, &mut Rng::new(seed)),
        4 => {}
        // Bytes as they come: at a place, so many instead of so many.
        _ => {
            let [gone, length, rest @ ..] = rest else {
                return None;
            };
            let (new, rest) = rest.split_at_checked(usize::from(length % 32))?;
            let place = text.floor_char_boundary(seed as usize % (text.len() + 1));
            let end = text.floor_char_boundary(place + usize::from(*gone)).max(place);
            text.replace_range(place..end, &String::from_utf8_lossy(new));
            text.truncate(text.floor_char_boundary(TEXT_BYTES_MAX));
            return Some(rest);
        }
    }
    text.truncate(text.floor_char_boundary(TEXT_BYTES_MAX));
    Some(rest)
}

fn check(receiver: &mut Receiver, table: &Table, plan: &Plan, text: &str, strict: bool, peer: &[u8]) {
    match (
        receiver.read(table, plan, text, strict, peer),
        read(table, plan, text, strict),
    ) {
        (Ok(learned), Ok(plain)) => {
            let differs = difference(&Value::Record(learned), &Value::Record(plain));
            assert_eq!(differs, None, "{text}");
        }
        (Err(learned), Err(plain)) => {
            let said = |e: &Error| (e.kind(), e.path().to_owned(), e.offset(), e.to_string());
            assert_eq!(said(&learned), said(&plain), "{text}");
        }
        (learned, plain) => panic!("learned {learned:?}\nplain {plain:?}\n{text}"),
    }
}

/// Who learns, and has the last body that was read.
struct Receiver {
    automata: Automata,
    last: Option<(Edition, Record)>,
}

impl Receiver {
    fn new(options: Receiving) -> Receiver {
        Receiver {
            automata: Automata::new(options),
            last: None,
        }
    }

    fn read(
        &mut self,
        table: &Table,
        plan: &Plan,
        text: &str,
        strict: bool,
        peer: &[u8],
    ) -> Result<Record, Error> {
        let types = &table.types;
        let lent = Lent(text.into());
        let coming = self.coming(table, text, peer);
        let mut message = self.automata.open(&lent.0, &Limits::default(), Some(peer))?;
        if text.len().is_multiple_of(3) {
            message.lies_in(Owner::new(lent.clone()));
        }
        message.came_as(coming);
        let mut header = ValueSink::new(types.shape(plan.header).clone());
        let mut body = ValueSink::new(types.shape(plan.body).clone());
        let mut given = None;
        if let Some((edition, record)) = self.last.take() {
            given = Some(edition);
            body = body.with_spare(Value::Record(record));
        }
        let options = DecodeOptions {
            strict,
            ..DecodeOptions::default()
        };
        let intake = Intake {
            types,
            plan,
            options: &options,
            header: &mut header,
            body: &mut body,
        };
        let received = self.automata.decode_into(message, 0, intake, given)?;
        let body = body.finish();
        self.last = received.edition.map(|edition| (edition, body.clone()));
        Ok(body)
    }

    /// What of a message is followed while it comes: of every other one, some bytes at a time.
    fn coming(&self, table: &Table, text: &str, peer: &[u8]) -> Option<Box<Coming>> {
        let text = text.as_bytes();
        let portion = [64, 700, 5000][text.len() % 3];
        let first = text.get(..portion).filter(|_| text.len().is_multiple_of(2))?;
        let mut coming = self.automata.coming(peer, first)?;
        for came in (portion..=text.len()).step_by(portion) {
            coming.came(&table.types, text.get(..came)?);
        }
        Some(coming)
    }
}
