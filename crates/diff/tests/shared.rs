//! One array in several messages: written once, shared until either changes, and by several processors if asked.

mod common;

use castile_diff::{Match, Options, Pool, Report};
use castile_testkit::Rng;
use castile_value::{Tracked, Value};

use common::Sender;

const TYPES: &str = "add = n:double*\nsub = note:string?, n:double*\nother = m:double*";

fn sender(name: &str, options: &Options) -> Sender {
    Sender::new(TYPES, name, options.clone())
}

fn pooled() -> Options {
    Options {
        pool: Some(Pool::new()),
        ..Options::default()
    }
}

/// Sends an array and checks that the bytes say what fresh ones say: with exact widths they are the same.
#[track_caller]
fn send(sender: &mut Sender, name: &str, values: &[f64]) -> Report {
    let field = if name == "other" { "m" } else { "n" };
    let body = vec![(name.to_owned(), Value::map([(field, values.to_vec().into())]))];
    let sent = sender.send(&body).expect("good values");
    let text = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).expect("UTF-8");
        text.split(' ').collect::<String>()
    };
    let fresh = sender.fresh(&body).expect("good values");
    assert_eq!(text(sent.to_vec()), text(fresh));
    sent.report
}

fn values(count: usize) -> Vec<f64> {
    let mut rng = Rng::new(3);
    (0..count).map(|_| rng.unit()).collect()
}

#[test]
fn what_one_operation_wrote_others_take() {
    let options = pooled();
    let (mut add, mut sub) = (sender("add", &options), sender("sub", &options));
    let mut values = values(5000);
    assert_eq!(send(&mut add, "add", &values).values_written, 5000);
    let first = send(&mut sub, "sub", &values);
    assert_eq!((first.values_written, first.values_shared), (0, 5000));
    for round in 0..5 {
        for value in values.iter_mut().step_by(7 + round) {
            *value = -*value * 3.0;
        }
        let (one, mut two) = (send(&mut add, "add", &values), send(&mut sub, "sub", &values));
        assert_eq!(one.values_shared, 0);
        assert!(one.values_rewritten + one.values_written > 0);
        assert_eq!(
            (two.values_rewritten + two.values_written, two.values_shared),
            (0, 5000)
        );
        assert_eq!(two.kind, Match::PartialStructural);
        // Again the same: neither writes anything.
        two = send(&mut sub, "sub", &values);
        assert_eq!(
            (two.kind, two.values_shared, two.values_compared),
            (Match::Content, 0, 5000)
        );
        assert_eq!(send(&mut add, "add", &values).kind, Match::Content);
    }
}

#[test]
fn each_changes_its_own_copy() {
    let options = pooled();
    let (mut add, mut sub) = (sender("add", &options), sender("sub", &options));
    let (one, mut other) = (values(5000), values(5000));
    send(&mut add, "add", &one);
    send(&mut sub, "sub", &one);
    other[2500] = 0.5;
    assert_eq!(send(&mut sub, "sub", &other).chunks_copied, 1);
    assert_eq!(send(&mut add, "add", &one).kind, Match::Content);
    assert_eq!(send(&mut sub, "sub", &other).kind, Match::Content);
    // Others and more of them.
    other.truncate(4000);
    send(&mut sub, "sub", &other);
    send(&mut add, "add", &one);
    assert_eq!(send(&mut add, "add", &other).values_shared, 4000);
}

/// Two operations take turns with an array of which a little changes each time: whoever is first changes it where it is.
#[test]
fn operations_that_take_turns_copy_nothing() {
    let options = pooled();
    let (mut add, mut sub) = (sender("add", &options), sender("sub", &options));
    let mut values = values(5000);
    for round in 0..20 {
        for value in values.iter_mut().skip(round).step_by(100) {
            *value = -*value;
        }
        let turns = [(&mut add, "add"), (&mut sub, "sub")];
        let [(first, one), (second, other)] = match round / 10 {
            0 => turns,
            _ => {
                let [a, b] = turns;
                [b, a]
            }
        };
        let first = send(first, one, &values);
        let second = send(second, other, &values);
        let written = second.values_rewritten + second.values_written;
        assert_eq!((written, second.values_shared), (0, 5000), "{round}");
        // Who was first the last time has it at hand still.
        if !round.is_multiple_of(10) {
            assert_eq!((first.values_rewritten, first.values_written), (50, 0), "{round}");
            assert_eq!((first.chunks_copied, first.values_shared), (0, 0), "{round}");
        }
    }
}

/// Who finds that another went on from what they shared goes on from there, too.
#[test]
fn operations_that_part_send_their_own() {
    let options = pooled();
    let (mut add, mut sub) = (sender("add", &options), sender("sub", &options));
    let (mut one, mut other) = (values(5000), values(5000));
    for round in 0..12 {
        if round % 3 == 0 {
            other.clone_from(&one);
        }
        let first = send(&mut add, "add", &one);
        let second = send(&mut sub, "sub", &other);
        match round % 3 {
            0 => assert_eq!(second.values_shared, 5000),
            1 => {
                assert_eq!(
                    (first.values_rewritten, first.values_written),
                    (25, 0),
                    "{first:?}"
                );
                // All is shared but the values in which they differ.
                assert_eq!(
                    (second.values_shared, second.values_rewritten),
                    (5000, 50),
                    "{second:?}"
                );
                assert!(second.chunks_copied > 0);
            }
            _ => assert_eq!(second.values_shared, 0, "{round}: {second:?}"),
        }
        assert_eq!(send(&mut add, "add", &one).kind, Match::Content, "{round}");
        assert_eq!(send(&mut sub, "sub", &other).kind, Match::Content, "{round}");
        let grown = |value: &mut f64| *value *= 1.25;
        one.iter_mut().step_by(200).for_each(grown);
        other.iter_mut().skip(7).step_by(200).for_each(grown);
    }
}

/// The owner says that nothing changed, but what was kept of it is another's by now.
#[test]
fn an_array_that_its_owner_did_not_change_is_sent_as_it_is() {
    let options = pooled();
    let (mut add, mut sub) = (sender("add", &options), sender("sub", &options));
    let mut values = values(5000);
    let add_body = vec![(
        "add".to_owned(),
        Value::map([("n", Tracked::from(values.clone()).into())]),
    )];
    for round in 0..6 {
        // Both have it, and then the one that is not tracked goes on.
        send(&mut sub, "sub", &values);
        for _ in 0..2 {
            let sent = add.send(&add_body).expect("good values").to_vec();
            let fresh = add.fresh(&add_body).expect("good values");
            let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8").replace(' ', "");
            assert_eq!(text(sent), text(fresh), "{round}");
        }
        values[17] += if round % 2 == 0 { 1.0 } else { -1.0 };
    }
}

#[test]
fn only_what_is_written_alike_is_shared() {
    let options = pooled();
    let exact = Options {
        pad: false,
        ..options.clone()
    };
    let values = values(1000);
    send(&mut sender("add", &options), "add", &values);
    let mut add = sender("add", &options);
    send(&mut add, "add", &values);
    for (name, options) in [
        ("other", &options),
        ("add", &exact),
        ("add", &Options::default()),
        ("add", &pooled()),
    ] {
        assert_eq!(
            send(&mut sender(name, options), name, &values).values_shared,
            0,
            "{name}"
        );
    }
    assert_eq!(
        send(&mut sender("add", &options), "add", &values).values_shared,
        1000
    );
    // What nobody keeps is gone.
    drop(add);
    assert_eq!(
        send(&mut sender("add", &options), "add", &values).values_shared,
        0
    );
}

/// Each thread takes over what was sent before, and changes its own copy.
#[test]
fn threads_that_share_send_their_own() {
    let options = pooled();
    let arrays: Vec<Vec<f64>> = (0..4).map(|i| values(2000 + i % 2)).collect();
    let mut first = sender("add", &options);
    send(&mut first, "add", &arrays[0]);
    let shared: u64 = std::thread::scope(|scope| {
        let run = |thread: usize| {
            let (mut rng, mut shared) = (Rng::new(thread as u64), 0);
            let name = if thread.is_multiple_of(2) { "add" } else { "sub" };
            let mut sender = sender(name, &options);
            let mut arrays = arrays.clone();
            for round in 0..60 {
                let values = &mut arrays[if round == 0 { 0 } else { rng.below(4) }];
                shared += send(&mut sender, name, values).values_shared;
                let at = rng.below(values.len());
                values[at] = rng.below(3) as f64;
            }
            shared
        };
        let threads: Vec<_> = (0..4).map(|i| scope.spawn(move || run(i))).collect();
        threads.into_iter().map(|t| t.join().expect("good bytes")).sum()
    });
    assert!(shared >= 4 * 2000);
    assert_eq!(send(&mut first, "add", &arrays[0]).kind, Match::Content);
}

#[test]
fn several_processors_write_what_one_writes() {
    let one = Options {
        pad: false,
        ..Options::default()
    };
    for threads in [2, 3, 7] {
        let many = Options {
            threads,
            ..one.clone()
        };
        let (mut alone, mut together) = (sender("add", &one), sender("add", &many));
        let (mut rng, mut values) = (Rng::new(threads as u64), values(90_000));
        for round in 0..8 {
            let (a, b) = (
                send(&mut alone, "add", &values),
                send(&mut together, "add", &values),
            );
            assert_eq!(a.kind, b.kind, "{threads} threads, round {round}");
            assert_eq!(a.values_compared, b.values_compared);
            let changed = |report: Report| report.values_rewritten + report.values_written;
            assert_eq!(changed(a) == 0, changed(b) == 0);
            match round {
                0 | 1 => values
                    .iter_mut()
                    .step_by(11)
                    .for_each(|value| *value = rng.unit()),
                2 => {}
                3 | 4 => values.iter_mut().for_each(|value| *value = rng.unit() * 1e9),
                5 => values.truncate(70_000),
                _ => values.extend(vec![0.25; 30_000]),
            }
        }
    }
}

#[test]
fn what_another_processor_changes_is_sent() {
    let options = Options {
        threads: 2,
        ..Options::default()
    };
    let (mut sender, mut values) = (sender("add", &options), values(90_000));
    send(&mut sender, "add", &values);
    for at in [89_999, 0, 45_000, 89_998] {
        values[at] = -values[at];
        assert_eq!(send(&mut sender, "add", &values).values_rewritten, 1);
    }
}
