//! Templates of many keys and many senders: bounded, and never mixed up.

use castile_codec::{EncodeOptions, Error};
use castile_diff::{Match, Options, Pieces, Templates};
use castile_plan::Plan;
use castile_testkit::Table;
use castile_testkit::plainly::draft;
use castile_value::Value;

struct Sender {
    table: Table,
    plan: Plan,
    templates: Templates<u32>,
}

impl Sender {
    fn new(options: Options) -> Sender {
        let table = Table::parse("add = n:double*");
        Sender {
            plan: table.plan("add"),
            templates: Templates::new(options),
            table,
        }
    }

    fn send(&self, key: u32, values: Vec<f64>) -> Result<Pieces, Error> {
        let body = vec![("add".to_owned(), Value::map([("n", values.into())]))];
        let options = EncodeOptions::default();
        let draft = draft(&self.table.types, &self.plan, &body, &options);
        self.templates.encode(key, &draft)
    }
}

#[test]
fn each_key_has_its_own_last_message() -> Result<(), Error> {
    let sender = Sender::new(Options::default());
    assert_eq!(sender.send(1, vec![0.5; 500])?.report.kind, Match::FirstTime);
    assert_eq!(sender.send(2, vec![0.5; 500])?.report.kind, Match::FirstTime);
    assert_eq!(sender.send(1, vec![0.5; 500])?.report.kind, Match::Content);
    Ok(())
}

#[test]
fn what_was_not_used_for_longest_goes_when_the_budget_is_used_up() -> Result<(), Error> {
    let sender = Sender::new(Options {
        budget_bytes: 200_000,
        ..Options::default()
    });
    for key in 0..20 {
        sender.send(key, vec![0.125; 2000])?;
        assert!(sender.templates.stats().memory <= 200_000);
    }
    assert!(sender.templates.stats().evicted >= 15);
    assert_eq!(sender.send(19, vec![0.125; 2000])?.report.kind, Match::Content);
    assert_eq!(sender.send(0, vec![0.125; 2000])?.report.kind, Match::FirstTime);
    Ok(())
}

#[test]
fn many_keys_with_small_messages_are_bounded_too() -> Result<(), Error> {
    let sender = Sender::new(Options::default());
    for key in 0..6000 {
        sender.send(key, vec![1.0])?;
    }
    assert_eq!(sender.templates.stats().evicted, 6000 - 4096);
    Ok(())
}

#[test]
fn who_finds_all_copies_in_use_writes_anew() {
    let sender = Sender::new(Options {
        copies_max: 1,
        ..Options::default()
    });
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let sender = &sender;
            scope.spawn(move || {
                for round in 0..200 {
                    let value = f64::from(thread * 1000 + round);
                    let message = sender.send(7, vec![value; 300]).expect("good values").to_vec();
                    let text = String::from_utf8(message).expect("UTF-8");
                    let shown = format!("<ns1:n>{value}");
                    assert_eq!(text.matches(&shown).count(), 300);
                }
            });
        }
    });
    let stats = sender.templates.stats();
    assert_eq!(stats.matches.iter().sum::<u64>() + stats.busy, 800);
}
