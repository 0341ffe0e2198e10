//! Where widths are exact, chunks of which much changed and much stayed are written again: in the very bytes of a fresh
//! message.

mod common;

use castile_diff::{Costs, Match, Options, Report, Steps};
use castile_testkit::Rng;
use castile_value::{Rows, Value};

use common::Sender;

const TYPES: &str = "
Mio = x:int, y:short, on:boolean, value:double
add = n:double*, i:int*, flag:boolean*, f:float*, mesh:Mio*, NamedSoThatItsTagsTakeMoreThanTwoStores:double*
";

const KINDS: [&str; 6] = [
    "n",
    "i",
    "flag",
    "f",
    "mesh",
    "NamedSoThatItsTagsTakeMoreThanTwoStores",
];

/// Patching is never worth it, and keeping costs nothing: whatever did not change whole is rebuilt.
fn rebuilding() -> Options {
    let steps = Steps {
        write: 1.0,
        patch: 1e9,
        resize: 1e9,
        keep: 0.0,
    };
    Options {
        pad: false,
        costs: Some(Costs {
            floats: steps,
            integers: steps,
            copy: 0.0,
        }),
        ..Options::default()
    }
}

fn sender(options: Options) -> Sender {
    Sender::new(TYPES, "add", options)
}

/// An array with a value, or a row, for each of some random numbers.
fn array(sender: &Sender, kind: &str, bits: &[u64]) -> Value {
    let each = bits.iter().copied();
    let int = |bits: u64| bits as i32 >> (bits >> 59);
    match kind {
        "i" => each.map(int).collect::<Vec<i32>>().into(),
        "flag" => each.map(|bits| bits & 1 == 1).collect::<Vec<bool>>().into(),
        "f" => each.map(|bits| double(bits) as f32).collect::<Vec<f32>>().into(),
        "mesh" => {
            let types = &sender.table.types;
            let layout = types.row_layout(sender.table.id("Mio")).expect("a flat type");
            let mut rows = Rows::new(layout.clone());
            for bits in each {
                let row = [
                    &int(bits).to_ne_bytes()[..],
                    &(bits as i16).to_ne_bytes(),
                    &[(bits & 1) as u8],
                    &double(bits.rotate_left(7)).to_ne_bytes(),
                ];
                rows.push(&row.concat());
            }
            rows.into()
        }
        _ => each.map(double).collect::<Vec<f64>>().into(),
    }
}

/// Short, mostly about as long as the next, or of any length.
fn double(bits: u64) -> f64 {
    match bits % 3 {
        0 => (bits >> 8 & 7) as f64,
        1 => bits as f64 / 2f64.powi(64),
        _ => f64::from_bits(bits),
    }
}

/// Sends an array; gives what that took, the bytes, and those of a fresh message.
fn send(sender: &mut Sender, kind: &str, bits: &[u64]) -> (Report, Vec<u8>, Vec<u8>) {
    let body = vec![("add".to_owned(), Value::map([(kind, array(sender, kind, bits))]))];
    let sent = sender.send(&body).expect("good values");
    let fresh = sender.fresh(&body).expect("good values");
    (sent.report, sent.to_vec(), fresh)
}

#[test]
fn what_is_rebuilt_is_a_fresh_message() {
    let options = Options {
        chunk_bytes: 1000,
        ..rebuilding()
    };
    for kind in KINDS {
        for (rows, every) in [(700, 2), (700, 3), (701, 1), (64, 5), (513, 90)] {
            let mut rng = Rng::new(rows + every);
            let mut sender = sender(options.clone());
            let mut bits: Vec<u64> = (0..rows).map(|_| rng.bits()).collect();
            let mut written = 0;
            for round in 0..6 {
                let (report, sent, fresh) = send(&mut sender, kind, &bits);
                assert!(
                    sent == fresh,
                    "{kind}, {rows} rows, every {every}., round {round}"
                );
                written += if round > 0 { report.values_written } else { 0 };
                let changed = bits.iter_mut().skip(round).step_by(every as usize);
                changed.for_each(|bits| *bits = rng.bits());
            }
            assert!(every == 1 || written == 0, "{kind}, {rows} rows, every {every}.");
        }
    }
}

#[test]
fn what_is_lent_stays_when_its_chunk_is_rebuilt() {
    let mut sender = sender(rebuilding());
    let mut rng = Rng::new(8);
    let mut values: Vec<f64> = (0..3000).map(|_| rng.unit()).collect();
    let mut lent = Vec::new();
    for _ in 0..6 {
        let body = vec![("add".to_owned(), Value::map([("n", values.clone().into())]))];
        let sent = sender.send(&body).expect("good values");
        let fresh = sender.fresh(&body).expect("good values");
        assert_eq!(
            sent.report.chunks_copied, 0,
            "nothing is copied that is written again"
        );
        lent.push((sent, fresh));
        values.iter_mut().step_by(4).for_each(|value| *value = rng.unit());
    }
    for (sent, fresh) in lent {
        assert!(sent.to_vec() == fresh);
    }
}

#[test]
fn few_changes_are_patched_more_rebuilt_and_most_written_anew() {
    for pad in [true, false] {
        let mut sender = sender(Options {
            pad,
            ..Options::default()
        });
        let mut rng = Rng::new(9);
        let mut bits: Vec<u64> = (0..2000).map(|_| 1 + 3 * (rng.bits() / 4)).collect();
        send(&mut sender, "n", &bits);
        let mut change = |every: usize, short: bool| {
            for bits in bits.iter_mut().step_by(every) {
                *bits = 3 * (rng.bits() / 4) + u64::from(!short);
            }
            send(&mut sender, "n", &bits)
        };
        let (report, sent, fresh) = change(50, true);
        assert_eq!((report.values_rewritten, report.values_written), (40, 0));
        assert_eq!(sent.len() > fresh.len(), pad, "what became shorter has spaces");
        let (report, sent, fresh) = change(2, false);
        assert_eq!((report.values_rewritten, report.values_written), (1000, 0));
        assert_eq!(report.kind, Match::PartialStructural);
        assert_eq!(sent.len() > fresh.len(), pad, "and keeps them");
        let (report, sent, fresh) = change(1, false);
        assert_eq!((report.values_rewritten, report.values_written), (0, 2000));
        assert!(sent == fresh, "until all is written anew");
    }
}

#[test]
fn what_keeps_its_width_is_a_perfect_match() {
    let mut sender = sender(rebuilding());
    let mut values = vec![0.125; 2000];
    for round in 0..4 {
        let body = vec![("add".to_owned(), Value::map([("n", values.clone().into())]))];
        let report = sender.send(&body).expect("good values").report;
        if round > 0 {
            assert_eq!((report.kind, report.bytes_shifted), (Match::PerfectStructural, 0));
            assert_eq!((report.values_rewritten, report.bytes_rewritten), (1000, 5000));
        }
        values
            .iter_mut()
            .step_by(2)
            .for_each(|value| *value = 1.0 - *value);
    }
}

#[test]
fn nothing_is_rebuilt_where_that_is_off_or_values_are_padded() {
    let off = Options {
        rebuild: false,
        ..rebuilding()
    };
    let padded = Options {
        pad: true,
        ..rebuilding()
    };
    for (options, anew) in [(off, true), (padded, true), (rebuilding(), false)] {
        let mut sender = sender(options);
        let mut bits = vec![1 << 60; 1000];
        send(&mut sender, "n", &bits);
        bits.iter_mut().step_by(2).for_each(|bits| *bits = 3 << 60);
        let (report, ..) = send(&mut sender, "n", &bits);
        assert_eq!(report.values_written > 0, anew);
    }
}
