//! Arrays whose owner says what changed: the same bytes as by comparing, and no comparing.

use castile_codec::{Draft, EncodeOptions, Error, Guilty, Version};
use castile_diff::{Match, Options, Pieces, Template};
use castile_plan::Plan;
use castile_testkit::{Rng, Table};
use castile_value::{Record, Tracked, Value};

struct Sender {
    table: Table,
    plan: Plan,
    template: Template,
}

impl Sender {
    fn new(options: Options) -> Sender {
        let table = Table::parse("add = n:double*");
        Sender {
            plan: table.plan("add"),
            template: Template::new(options),
            table,
        }
    }

    fn body(&self, values: impl Into<Value>) -> Record {
        let mut body = Record::new(self.table.types.shape(self.plan.body).clone());
        let add = Value::map([("n", values.into())]);
        body.set("add", add).expect("the body has this field");
        body
    }

    fn send(&mut self, body: &Record) -> Result<Pieces, Error> {
        let options = EncodeOptions::default();
        self.template.patch(&Draft {
            types: &self.table.types,
            plan: &self.plan,
            version: Version::Soap11,
            header: &Vec::new(),
            body,
            options: &options,
        })
    }
}

/// The array in a body made by [`Sender::body`].
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
        let mut senders = [Sender::new(exact()), Sender::new(exact())];
        let mut plain = Sender::new(Options::default());
        let values: Vec<f64> = (0..rng.below(3000) + 64).map(|_| rng.unit()).collect();
        let mut body = senders[0].body(Tracked::from(values));
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
            plain.template = Template::new(Options::default());
            assert!(sent.to_vec() == plain.send(&body)?.to_vec(), "seed {seed}");
        }
    }
    Ok(())
}

#[test]
fn nothing_set_is_nothing_compared() -> Result<(), Error> {
    let mut sender = Sender::new(Options::default());
    let mut body = sender.body(Tracked::from(vec![0.125; 100_000]));
    sender.send(&body)?;
    let report = sender.send(&body)?.report;
    assert_eq!((report.kind, report.values_compared), (Match::Content, 0));
    array(&mut body).f64s_mut(50_000..50_001).expect("doubles")[0] = 0.5;
    let report = sender.send(&body)?.report;
    assert_eq!(
        (report.kind, report.values_rewritten),
        (Match::PerfectStructural, 1)
    );
    assert!(report.values_compared < 1000, "{report:?}");
    Ok(())
}

#[test]
fn an_array_in_the_place_of_another_is_compared() -> Result<(), Error> {
    let mut sender = Sender::new(exact());
    let one = sender.body(Tracked::from(vec![0.5; 500]));
    let other = sender.body(Tracked::from(vec![0.25; 500]));
    let copy = one.clone();
    let untold = sender.body(vec![0.75; 500]);
    for body in [&one, &other, &one, &copy, &untold, &one] {
        let text = String::from_utf8(sender.send(body)?.to_vec()).expect("UTF-8");
        let mut plain = Sender::new(Options::default());
        assert_eq!(text.into_bytes(), plain.send(body)?.to_vec());
    }
    Ok(())
}

#[test]
fn what_nobody_told_is_not_sent_and_found_when_asked() -> Result<(), Error> {
    let mut sender = Sender::new(Options {
        pad: false,
        ..Options::default()
    });
    let mut checking = Sender::new(exact());
    let mut body = sender.body(Tracked::from(vec![0.5; 500]));
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
    let mut sender = Sender::new(Options::default());
    let mut body = sender.body(Tracked::from(vec![0.125; 10_000]));
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
