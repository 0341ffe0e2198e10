//! Messages that change nearly whole each time are not kept, until they begin to stay as they were.

mod common;

use castile_codec::EncodeOptions;
use castile_diff::{Match, Options, Pool, Report, Templates};
use castile_testkit::plainly::draft;
use castile_testkit::{Rng, Table};
use castile_value::{Record, Rows, Value};

use common::Sender;

const TYPES: &str = "
Mio = x:int, y:int, value:double
Event = sequence:int, text:string
Loose = text:string?, number:int?
Body = a:double*, b:int*, mesh:Mio*, event:Event*, loose:Loose*, texts:string*, text:string?, blob:base64Binary?
";

/// Messages after which keeping pauses at the latest, and after which it is tried again.
const SOON: usize = 6;
const AGAIN: usize = 70;

fn sender(pauses: bool) -> Sender {
    let options = Options {
        pauses,
        ..Options::default()
    };
    Sender::new(TYPES, "Body", options)
}

fn body(fields: Vec<(&'static str, Value)>) -> Vec<(String, Value)> {
    vec![("Body".to_owned(), Value::map(fields))]
}

fn doubles(rng: &mut Rng, count: usize) -> Value {
    (0..count).map(|_| rng.unit()).collect::<Vec<f64>>().into()
}

fn ints(rng: &mut Rng) -> Value {
    (0..900).map(|_| rng.bits() as i32).collect::<Vec<_>>().into()
}

fn mesh(table: &Table, rng: &mut Rng) -> Value {
    let layout = table.types.row_layout(table.id("Mio")).expect("a flat type");
    let mut mesh = Rows::new(layout.clone());
    for _ in 0..900 {
        let parts = [rng.bits().to_ne_bytes(), rng.unit().to_ne_bytes()];
        mesh.push(&parts.concat());
    }
    mesh.into()
}

/// Values at the places of a grid.
fn grid(table: &Table, values: &[f64]) -> Value {
    let layout = table.types.row_layout(table.id("Mio")).expect("a flat type");
    let mut grid = Rows::new(layout.clone());
    for (i, value) in (0i32..).zip(values) {
        grid.push(
            &[
                &(i / 30).to_ne_bytes()[..],
                &(i % 30).to_ne_bytes(),
                &value.to_ne_bytes(),
            ]
            .concat(),
        );
    }
    grid.into()
}

fn records(table: &Table, name: &str, mut one: impl FnMut() -> Vec<Value>) -> Value {
    let record = |_| {
        let mut record = Record::new(table.types.shape(table.id(name)).clone());
        record.values_mut().clone_from_slice(&one());
        Value::Record(record)
    };
    Value::List((0..900).map(record).collect())
}

fn letters(rng: &mut Rng, count: usize) -> String {
    (0..count)
        .map(|_| char::from(b'a' + rng.below(26) as u8))
        .collect()
}

type Make = fn(&Table, &mut Rng) -> (&'static str, Value);

/// What is large, each in a message of its own.
const KINDS: [Make; 7] = [
    |_, rng| ("a", doubles(rng, 900)),
    |_, rng| ("b", ints(rng)),
    |table, rng| ("mesh", mesh(table, rng)),
    |table, rng| {
        let row = || vec![(rng.bits() as i32).into(), 7.into(), rng.unit().into()];
        ("mesh", records(table, "Mio", row))
    },
    |table, rng| {
        let row = || vec![(rng.bits() as i32).into(), letters(rng, 20).into()];
        ("event", records(table, "Event", row))
    },
    |_, rng| ("text", letters(rng, 20_000).into()),
    |_, rng| {
        (
            "blob",
            Value::Bytes((0..20_000).map(|_| rng.bits() as u8).collect()),
        )
    },
];

#[test]
fn what_changes_each_time_is_soon_written_as_if_nothing_were_kept() {
    for make in KINDS {
        let (mut sender, mut rng) = (sender(true), Rng::new(1));
        for i in 0..60 {
            let body = body(vec![make(&sender.table, &mut rng)]);
            let sent = sender.send(&body).expect("good values");
            let paused = Report {
                bytes_total: sent.len() as u64,
                bytes_around: sent.len() as u64,
                paused: 1,
                ..Report::default()
            };
            assert_eq!(sent.report == paused, i >= SOON - 1, "{i}: {:?}", sent.report);
            if sent.report.paused > 0 {
                assert_eq!(sent.to_vec(), sender.fresh(&body).expect("good values"));
                assert!(sender.template.memory() < 2 * sent.len());
            }
        }
    }
}

#[test]
fn without_the_setting_everything_is_kept() {
    for make in KINDS {
        let (mut sender, mut rng) = (sender(false), Rng::new(2));
        for _ in 0..20 {
            let body = body(vec![make(&sender.table, &mut rng)]);
            let sent = sender.send(&body).expect("good values");
            assert_eq!(sent.report.paused, 0);
            assert!(sender.template.memory() >= sent.len());
        }
    }
}

#[test]
fn what_begins_to_stay_is_kept_again() {
    for make in KINDS {
        let (mut sender, mut rng) = (sender(true), Rng::new(3));
        for _ in 0..30 {
            let body = body(vec![make(&sender.table, &mut rng)]);
            sender.send(&body).expect("good values");
        }
        let body = body(vec![make(&sender.table, &mut rng)]);
        let kinds: Vec<_> = (0..6)
            .map(|_| sender.send(&body).expect("good values").report.kind)
            .collect();
        assert_eq!(kinds[..2], [Match::FirstTime; 2]);
        assert_eq!(kinds[2..], [Match::Content; 4]);
    }
}

#[test]
fn rows_that_come_before_others_are_noticed_after_some_messages() {
    let (mut sender, mut rng) = (sender(true), Rng::new(4));
    for _ in 0..30 {
        let body = body(vec![("a", doubles(&mut rng, 900))]);
        sender.send(&body).expect("good values");
    }
    let mut values: Vec<f64> = (0..900).map(|_| rng.unit()).collect();
    let mut kept = None;
    for i in 0..AGAIN {
        values.insert(0, rng.unit());
        let body = body(vec![("a", values.clone().into())]);
        let report = sender.send(&body).expect("good values").report;
        let is_patched = report.paused == 0 && report.values_written == 1;
        kept = kept.or(Some(i).filter(|_| is_patched));
    }
    assert!(kept.is_some(), "{kept:?}");
}

#[test]
fn each_part_of_a_message_is_judged_by_itself() {
    for changing in ["a", "b"] {
        let (mut sender, mut rng) = (sender(true), Rng::new(5));
        let fixed = [("a", doubles(&mut rng, 900)), ("b", ints(&mut rng))];
        for i in 0..40 {
            let values = fixed.clone().map(|(name, value)| match (name == changing, name) {
                (true, "a") => (name, doubles(&mut rng, 900)),
                (true, _) => (name, ints(&mut rng)),
                (false, _) => (name, value),
            });
            let body = body(values.to_vec());
            let sent = sender.send(&body).expect("good values");
            if i >= SOON {
                let report = sent.report;
                assert_eq!((report.kind, report.paused), (Match::PartialStructural, 1));
                assert_eq!((report.values_compared, report.values_written), (900, 0));
            }
            assert_eq!(sent.to_vec(), sender.fresh(&body).expect("good values"));
        }
    }
}

#[test]
fn keeping_pauses_where_more_than_three_quarters_are_written() {
    // A chunk of which more than seven in ten changed is written whole.
    for (percent, pauses) in [(30, false), (60, false), (76, true), (95, true)] {
        let (mut sender, mut rng) = (sender(true), Rng::new(8));
        let mut values: Vec<f64> = (0..1000).map(|_| rng.unit()).collect();
        let mut paused = 0;
        for _ in 0..10 {
            values[..10 * percent].fill_with(|| rng.unit());
            let body = body(vec![("a", values.clone().into())]);
            paused += sender.send(&body).expect("good values").report.paused;
        }
        assert_eq!(paused > 0, pauses, "{percent} %");
    }
}

/// What is written about as fast as it is compared is kept only where little of it changes.
#[test]
fn lists_are_kept_where_so_few_items_change_that_it_pays() {
    let least_that_pauses = [("texts", 8), ("event", 29), ("loose", 451)];
    for (field, least) in least_that_pauses {
        for (changed, pauses) in [(least - 2, false), (least, true)] {
            let (mut sender, mut rng) = (sender(true), Rng::new(8));
            let mut texts: Vec<String> = (0..900).map(|_| letters(&mut rng, 20)).collect();
            let mut paused = 0;
            for _ in 0..10 {
                texts[..changed].fill_with(|| letters(&mut rng, 20));
                let mut next = texts.iter();
                let mut text = || Value::from(next.next().expect("a text each").clone());
                let list = match field {
                    "event" => records(&sender.table, "Event", || vec![7.into(), text()]),
                    "loose" => records(&sender.table, "Loose", || vec![text(), Value::Absent]),
                    _ => texts
                        .iter()
                        .map(|text| Value::from(text.clone()))
                        .collect::<Vec<_>>()
                        .into(),
                };
                let body = body(vec![(field, list)]);
                paused += sender.send(&body).expect("good values").report.paused;
            }
            assert_eq!(paused > 0, pauses, "{changed} of {field}");
        }
    }
}

/// Of rows that have their places in common only, one number is changed: so many rows are written, not a third of them.
#[test]
fn a_row_counts_whole_whatever_of_it_changed() {
    for (percent, pauses) in [(60, 0), (74, 0), (80, 30), (100, 30)] {
        let (mut sender, mut rng) = (sender(true), Rng::new(8));
        let mut values: Vec<f64> = (0..900).map(|_| rng.unit()).collect();
        let mut paused = 0;
        for _ in 0..40 {
            values[..9 * percent].fill_with(|| rng.unit());
            let body = body(vec![("mesh", grid(&sender.table, &values))]);
            paused += sender.send(&body).expect("good values").report.paused;
        }
        assert!(
            paused >= pauses && (pauses > 0 || paused == 0),
            "{percent} %: {paused} of 40"
        );
    }
}

#[test]
fn an_array_that_others_take_over_is_kept_for_them() {
    let (pool, mut rng) = (Pool::new(), Rng::new(6));
    let mut senders = [(); 3].map(|()| {
        let options = Options {
            pool: Some(pool.clone()),
            ..Options::default()
        };
        Sender::new(TYPES, "Body", options)
    });
    for i in 0..40 {
        let body = body(vec![("a", doubles(&mut rng, 900))]);
        for (k, sender) in senders.iter_mut().enumerate() {
            let report = sender.send(&body).expect("good values").report;
            assert_eq!(report.paused, 0, "{i}");
            assert_eq!(report.values_shared, if k == 0 { 0 } else { 900 }, "{i}");
        }
    }
}

#[test]
fn the_templates_of_a_key_count_what_was_not_kept() {
    let templates = Templates::new(Options::default());
    let (sender, mut rng) = (sender(true), Rng::new(7));
    let options = EncodeOptions::default();
    for _ in 0..20 {
        let body = body(vec![("a", doubles(&mut rng, 9000))]);
        let draft = draft(&sender.table.types, &sender.plan, &body, &options);
        templates.encode("key", &draft).expect("good values");
    }
    let stats = templates.stats();
    assert_eq!(stats.all.paused, 20 - (SOON as u64 - 1));
    assert_eq!(stats.matches, [0, 0, SOON as u64 - 2, 1 + 20 - (SOON as u64 - 1)]);
}
