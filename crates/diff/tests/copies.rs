//! Several senders of one key at the same time: what one of them wrote the others take, and no key learns of another.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use castile_codec::EncodeOptions;
use castile_diff::{Options, Pool, Report, Templates};
use castile_plan::Plan;
use castile_testkit::plainly::draft;
use castile_testkit::{Rng, Table};
use castile_value::{ColumnBuf, Item, Source};

/// How a key's arrays are shared.
#[derive(Clone, Copy)]
enum Kept {
    WithAll,
    Apart,
}

struct Sender {
    table: Table,
    plan: Plan,
    templates: Templates<u32>,
}

/// A message of one array, behind which something happens while it is written.
struct Message<'m> {
    values: &'m ColumnBuf,
    behind: &'m dyn Fn(),
}

impl Source for Message<'_> {
    fn field(&self, _index: usize, name: &str) -> Item<'_> {
        match name {
            "add" => Item::Record(self),
            "n" => Item::Column(self.values.view()),
            _ => {
                (self.behind)();
                Item::Absent
            }
        }
    }
}

impl Sender {
    fn new(copies_max: usize) -> Sender {
        let table = Table::parse("add = n:double*, note:string?");
        Sender {
            plan: table.plan("add"),
            templates: Templates::new(Options {
                pool: Some(Pool::new()),
                copies_max,
                ..Options::default()
            }),
            table,
        }
    }

    fn send_and(&self, kept: Kept, key: u32, values: &[f64], behind: &dyn Fn()) -> Report {
        let options = EncodeOptions::default();
        let values = ColumnBuf::from(values.to_vec());
        let body = Message {
            values: &values,
            behind,
        };
        let draft = |body| draft(&self.table.types, &self.plan, body, &options);
        let sent = match kept {
            Kept::WithAll => self.templates.encode(key, &draft(&body)),
            Kept::Apart => self.templates.encode_apart(key, &draft(&body)),
        };
        let (sent, mut fresh) = (sent.expect("good values"), Vec::new());
        let body = Message {
            behind: &|| (),
            ..body
        };
        draft(&body).encode(&mut fresh).expect("good values");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8").replace(' ', "");
        assert_eq!(text(sent.to_vec()), text(fresh));
        sent.report
    }

    fn send(&self, kept: Kept, key: u32, values: &[f64]) -> Report {
        self.send_and(kept, key, values, &|| ())
    }
}

fn written(report: &Report) -> u64 {
    report.values_written + report.values_rewritten
}

fn values(seed: u64) -> Vec<f64> {
    let mut rng = Rng::new(seed);
    (0..5000).map(|_| rng.unit()).collect()
}

/// Who comes while the first is still writing what stands behind the array, however many are allowed copies.
#[test]
fn senders_at_the_same_time_write_an_array_once() {
    for kept in [Kept::WithAll, Kept::Apart] {
        for copies_max in [1, 2, 8] {
            let sender = Sender::new(copies_max);
            let mut values = values(1);
            for _ in 0..4 {
                let others = Cell::new(0);
                let deeper = || others.set(others.get() + written(&sender.send(kept, 1, &values)));
                let deep = || others.set(others.get() + written(&sender.send_and(kept, 1, &values, &deeper)));
                let first = sender.send_and(kept, 1, &values, &deep);
                assert!(written(&first) > 0);
                assert_eq!(others.get(), 0, "{copies_max} copies");
                values.iter_mut().step_by(9).for_each(|value| *value = -*value);
            }
        }
    }
}

#[test]
fn keys_share_or_are_apart_as_they_are_told() {
    let sender = Sender::new(4);
    let values = values(2);
    let shared = |kept, key| sender.send(kept, key, &values).values_shared;
    assert_eq!(shared(Kept::WithAll, 1), 0);
    assert_eq!(shared(Kept::WithAll, 2), 5000);
    assert_eq!(shared(Kept::Apart, 3), 0);
    assert_eq!(shared(Kept::Apart, 4), 0);
    assert_eq!(shared(Kept::WithAll, 5), 5000);
    let all = sender.templates.stats().all;
    assert_eq!((all.values_written, all.values_shared), (15_000, 10_000));
}

/// A copy that its user never gave back, because he panicked, is none that is in use.
#[test]
fn who_panics_leaves_room_for_others() {
    let sender = Sender::new(2);
    let values = values(3);
    for round in 0..5 {
        let send = || sender.send_and(Kept::WithAll, 1, &values, &|| panic!("of the caller"));
        assert!(catch_unwind(AssertUnwindSafe(send)).is_err(), "{round}");
    }
    assert_eq!(sender.templates.stats().memory, 0);
    sender.send(Kept::WithAll, 1, &values);
    assert_eq!(written(&sender.send(Kept::WithAll, 1, &values)), 0);
    assert_eq!(sender.templates.stats().busy, 0);
}
