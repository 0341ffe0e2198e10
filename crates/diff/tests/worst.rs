//! The worst that values can do: what it costs is counted, not timed.

mod common;

use castile_diff::{Match, Options, Pool, Report};
use castile_testkit::doubles_by_width;
use castile_value::Value;

use common::Sender;

const VALUES: usize = 4000;

fn new_sender(options: Options) -> Sender {
    Sender::new("add = n:double*, note:string*", "add", options)
}

fn send(sender: &mut Sender, values: &[f64], notes: &[String]) -> Report {
    let notes: Vec<Value> = notes.iter().map(|note| note.as_str().into()).collect();
    let add = Value::map([("n", values.to_vec().into()), ("note", notes.into())]);
    let body = vec![("add".to_owned(), add)];
    sender.send(&body).expect("good values").report
}

/// What is moved and written may be half as much again as a whole message, and each value is written
/// once at most.
#[track_caller]
fn is_bounded(report: &Report, what: &str) {
    let moved = report.bytes_shifted + report.bytes_rewritten;
    assert!(
        moved <= 2 * report.bytes_total + 2000,
        "{what}: {moved} bytes moved in a message of {}: {report:?}",
        report.bytes_total
    );
    assert!(
        report.values_rewritten + report.values_written <= VALUES as u64,
        "{what}: {report:?}"
    );
}

#[test]
fn from_every_width_to_every_width() {
    let widths = doubles_by_width();
    for from in 1..=24 {
        for to in 1..=24 {
            for (every, pad) in [(1, true), (2, true), (2, false), (3, true), (10, true)] {
                let mut sender = new_sender(Options {
                    pad,
                    ..Options::default()
                });
                let pick = |width: usize, i: usize| widths[width][i % widths[width].len()];
                let mut values: Vec<f64> = (0..VALUES).map(|i| pick(from, i)).collect();
                send(&mut sender, &values, &[]);
                for (i, value) in values.iter_mut().enumerate().step_by(every) {
                    *value = pick(to, i);
                }
                let what = format!("every {every}. from {from} to {to} characters, padding {pad}");
                is_bounded(&send(&mut sender, &values, &[]), &what);
                // And back again.
                for (i, value) in values.iter_mut().enumerate().step_by(every) {
                    *value = pick(from, i);
                }
                is_bounded(&send(&mut sender, &values, &[]), &format!("{what}, and back"));
            }
        }
    }
}

/// Neighbours take one another's spaces, in turn.
#[test]
fn steals_that_alternate() {
    let widths = doubles_by_width();
    let mut sender = new_sender(Options::default());
    let of = |width: usize| widths[width][0];
    for round in 0..20 {
        let wide = |i: usize| {
            if (i + round).is_multiple_of(2) {
                of(24)
            } else {
                of(3)
            }
        };
        let values: Vec<f64> = (0..VALUES).map(wide).collect();
        is_bounded(&send(&mut sender, &values, &[]), &format!("round {round}"));
    }
    // A few of many, so that chunks are patched.
    let mut values = vec![of(12); VALUES];
    send(&mut sender, &values, &[]);
    for round in 0..40 {
        for (i, value) in values.iter_mut().enumerate().step_by(4) {
            *value = of(if (i / 4 + round).is_multiple_of(2) { 16 } else { 8 });
        }
        is_bounded(&send(&mut sender, &values, &[]), &format!("round {round}"));
    }
}

/// One value that grows in the first chunk of a long message moves that chunk.
#[test]
fn one_value_that_grows_moves_its_chunk() {
    let mut sender = new_sender(Options::default());
    let mut values = vec![0.5; 200_000];
    send(&mut sender, &values, &[]);
    values[3] = 1.0 / 3.0;
    let report = send(&mut sender, &values, &[]);
    assert_eq!(report.values_rewritten, 1);
    assert!(report.bytes_shifted <= 64 << 10, "{report:?}");
}

/// Texts lie apart from arrays: one that grows at the start of a message moves nothing of them.
#[test]
fn one_text_that_grows_moves_no_array() {
    let mut sender = new_sender(Options::default());
    let values = vec![0.5; 200_000];
    let mut notes = vec!["short".to_owned(); 3];
    send(&mut sender, &values, &notes);
    for length in [100, 10_000, 50] {
        notes[0] = "x".repeat(length);
        let report = send(&mut sender, &values, &notes);
        assert_eq!(
            (report.values_written, report.kind),
            (0, Match::PartialStructural)
        );
        assert!(
            report.bytes_rewritten + report.bytes_shifted <= 20_000,
            "{report:?}"
        );
    }
}

/// The template with the values is at most 1.4 times the message with the data.
#[test]
fn memory_is_bounded() {
    let widths = doubles_by_width();
    for width in [1, 5, 12, 18, 24] {
        let mut sender = new_sender(Options {
            pool: (width == 12).then(Pool::new),
            ..Options::default()
        });
        let mut values = vec![widths[width][0]; 100_000];
        for round in 0..6 {
            let report = send(&mut sender, &values, &[]);
            let most = 1.4 * (report.bytes_total as f64 + 8.0 * values.len() as f64);
            let kept = sender.template.memory() as f64;
            assert!(kept <= most, "width {width}, round {round}: {kept} of {most}");
            let other = widths[1 + (width * 7 + round * 5) % 24][0];
            values
                .iter_mut()
                .step_by(3 + round)
                .for_each(|value| *value = other);
        }
    }
}

/// The paper's own way moves the rest of a chunk as often as a value grows: what one pass saves.
#[test]
fn one_pass_moves_less_than_the_papers_way() {
    let widths = doubles_by_width();
    let shifted = |options: Options| {
        let mut sender = new_sender(options);
        let mut values = vec![widths[1][0]; VALUES];
        send(&mut sender, &values, &[]);
        values
            .iter_mut()
            .step_by(2)
            .for_each(|value| *value = widths[24][0]);
        send(&mut sender, &values, &[]).bytes_shifted
    };
    let paper = shifted(Options::bsoap());
    let ours = shifted(Options {
        one_pass: true,
        ..Options::bsoap()
    });
    assert!(paper > 100 * ours, "{paper} against {ours}");
}

#[test]
fn spaces_are_made_only_where_there_are_few() {
    let mut sender = new_sender(Options::default());
    let mut values = vec![0.5; VALUES];
    let mut report = send(&mut sender, &values, &[]);
    let mut grown = report.bytes_total;
    for i in 0..200 {
        // More than the spaces of any neighbour.
        values[i * 7] = 1.0 / 3.0;
        report = send(&mut sender, &values, &[]);
        grown += "0.3333333333333333".len() as u64 - "0.5".len() as u64;
    }
    let spaces = report.bytes_total - grown;
    assert!((1..VALUES as u64).contains(&spaces), "{spaces}");
}
