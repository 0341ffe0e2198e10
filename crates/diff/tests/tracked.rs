//! Arrays whose owner says what changed: the same bytes as by comparing, and no comparing.

mod common;

use castile_codec::{Error, Guilty};
use castile_diff::{Match, Options};
use castile_testkit::Rng;
use castile_value::{Record, Tracked, Value};

use common::Sender;

fn new_sender(options: Options) -> Sender {
    Sender::new("add = n:double*", "add", options)
}

fn new_body(sender: &Sender, values: impl Into<Value>) -> Record {
    let mut body = Record::new(sender.table.types.shape(sender.plan.body).clone());
    let add = Value::map([("n", values.into())]);
    body.set("add", add).expect("the body has this field");
    body
}

/// The array in a body made by [`new_body`].
fn array(body: &mut Record) -> &mut Tracked<castile_value::ColumnBuf> {
    let Some(Value::Map(fields)) = body.values_mut().first_mut() else {
        panic!("a map")
    };
    fields[0].1.as_tracked_mut().expect("a tracked array")
}

fn exact() -> Options {
    Options {
        pad: false,
        verify: true,
        ..Options::default()
    }
}

#[test]
fn any_number_of_readers_send_what_was_set() -> Result<(), Error> {
    for seed in 0..40 {
        let mut rng = Rng::new(seed);
        let mut senders = [new_sender(exact()), new_sender(exact())];
        let values: Vec<f64> = (0..rng.below(3000) + 64).map(|_| rng.unit()).collect();
        let mut body = new_body(&senders[0], Tracked::from(values));
        for _ in 0..30 {
            for _ in 0..rng.below(4) {
                let array = array(&mut body);
                let len = array.values().len();
                let from = rng.below(len);
                let range = from..(from + 1 + rng.below(70)).min(len);
                let value = rng.unit() * 100.0;
                array.f64s_mut(range).expect("doubles").fill(value.round() / 8.0);
            }
            let sent = senders[rng.below(2)].send(&body)?;
            assert!(sent.to_vec() == senders[0].fresh(&body)?, "seed {seed}");
        }
    }
    Ok(())
}

#[test]
fn nothing_set_is_nothing_compared() -> Result<(), Error> {
    let mut sender = new_sender(Options::default());
    let mut body = new_body(&sender, Tracked::from(vec![0.125; 100_000]));
    sender.send(&body)?;
    let report = sender.send(&body)?.report;
    assert_eq!((report.kind, report.values_compared), (Match::Content, 0));
    array(&mut body).f64s_mut(50_000..50_001).expect("doubles")[0] = 0.5;
    let report = sender.send(&body)?.report;
    assert_eq!(
        (report.kind, report.values_rewritten),
        (Match::PerfectStructural, 1)
    );
    assert!(report.values_compared < 2000, "{report:?}");
    Ok(())
}

#[test]
fn an_array_in_the_place_of_another_is_compared() -> Result<(), Error> {
    let mut sender = new_sender(exact());
    let one = new_body(&sender, Tracked::from(vec![0.5; 500]));
    let other = new_body(&sender, Tracked::from(vec![0.25; 500]));
    let copy = one.clone();
    let untold = new_body(&sender, vec![0.75; 500]);
    for body in [&one, &other, &one, &copy, &untold, &one] {
        let text = String::from_utf8(sender.send(body)?.to_vec()).expect("UTF-8");
        assert_eq!(text.into_bytes(), sender.fresh(body)?);
    }
    Ok(())
}

#[test]
fn what_nobody_told_is_not_sent_and_found_when_asked() -> Result<(), Error> {
    let mut sender = new_sender(Options {
        pad: false,
        ..Options::default()
    });
    let mut checking = new_sender(exact());
    let mut body = new_body(&sender, Tracked::from(vec![0.5; 500]));
    let first = sender.send(&body)?.to_vec();
    checking.send(&body)?;
    if let castile_value::ColumnBuf::F64(values) = array(&mut body).values_mut() {
        values[300] = 7.0;
    }
    assert!(sender.send(&body)?.to_vec() == first);
    let error = checking.send(&body).expect_err("a change without a mark");
    assert_eq!(error.guilty(), Guilty::Caller);
    assert!(error.to_string().contains("[301]"), "{error}");
    array(&mut body).mark(300..301);
    assert!(sender.send(&body)?.to_vec() == checking.send(&body)?.to_vec());
    Ok(())
}

/// A message whose bytes are still being sent is changed in a copy, and only where it changes.
#[test]
fn what_is_lent_stays_as_it_is() -> Result<(), Error> {
    let mut sender = new_sender(Options::default());
    let mut body = new_body(&sender, Tracked::from(vec![0.125; 10_000]));
    let lent = sender.send(&body)?;
    let before = lent.to_vec();
    array(&mut body).f64s_mut(5000..5001).expect("doubles")[0] = 0.5;
    let report = sender.send(&body)?.report;
    assert_eq!(report.chunks_copied, 1);
    assert!(lent.to_vec() == before);
    drop(lent);
    array(&mut body).f64s_mut(9000..9001).expect("doubles")[0] = 0.5;
    assert_eq!(sender.send(&body)?.report.chunks_copied, 0);
    Ok(())
}

#[test]
fn each_value_that_is_set_is_sent() -> Result<(), Error> {
    let mut sender = new_sender(exact());
    // Chunks end at values of all numbers, not only at whole blocks of marks.
    let mut body = new_body(&sender, Tracked::from(vec![0.25; 3000]));
    sender.send(&body)?;
    for i in 0..3000 {
        array(&mut body).f64s_mut(i..i + 1).expect("doubles")[0] = 0.75;
        assert_eq!(sender.send(&body)?.report.values_rewritten, 1, "{i}");
    }
    Ok(())
}
