//! Lists of texts, and of records with texts: what changed of them is written, and nothing else.

mod common;

use castile_diff::{Match, Options, Report};
use castile_value::{Record, Value};
use common::Sender;

const TYPES: &str = "Event = id:int, text:string, time:double\nLists = names:string*, events:Event*";

fn sender() -> Sender {
    Sender::new(TYPES, "Lists", Options::default())
}

/// A message with so many names and events.
fn lists(sender: &Sender, count: usize) -> (Vec<Value>, Vec<Value>) {
    let event = |i: usize| {
        let mut event = Record::new(sender.table.types.shape(sender.table.id("Event")).clone());
        let values = event.values_mut();
        values[0] = (i as i32).into();
        values[1] = format!("event number {i}").into();
        values[2] = (i as f64 / 3.0).into();
        Value::Record(event)
    };
    let name = |i: usize| format!("name {i}").into();
    ((0..count).map(name).collect(), (0..count).map(event).collect())
}

fn body(sender: &Sender, names: &[Value], events: &[Value]) -> Record {
    let lists = Value::map([
        ("names", Value::List(names.to_vec())),
        ("events", Value::List(events.to_vec())),
    ]);
    let mut body = Record::new(sender.table.types.shape(sender.plan.body).clone());
    body.set("Lists", lists).expect("the body has this field");
    body
}

/// Sends a message, the bytes of which must be those of a fresh one.
fn send(sender: &mut Sender, names: &[Value], events: &[Value]) -> Report {
    let body = body(sender, names, events);
    let pieces = sender.send(&body).expect("good values");
    assert!(pieces.to_vec() == sender.fresh(&body).expect("good values"));
    pieces.report
}

fn set(event: &mut Value, field: usize, value: impl Into<Value>) {
    let Value::Record(event) = event else {
        panic!("events are records")
    };
    event.values_mut()[field] = value.into();
}

#[test]
fn only_items_that_changed_are_written() {
    let mut sender = sender();
    let (mut names, mut events) = lists(&sender, 5000);
    let first = send(&mut sender, &names, &events);
    assert_eq!(
        (first.kind, first.values_written),
        (Match::FirstTime, 5000 + 15_000)
    );
    let same = send(&mut sender, &names, &events);
    assert_eq!((same.kind, same.values_compared), (Match::Content, 5000 + 15_000));
    assert_eq!((same.bytes_rewritten, same.message), (0, first.message));

    // As long as before, shorter, and one that has to be escaped.
    names[7] = "NAME 7".into();
    set(&mut events[4999], 2, 0.5);
    set(&mut events[100], 1, "<");
    let changed = send(&mut sender, &names, &events);
    assert_eq!(
        (changed.kind, changed.values_rewritten),
        (Match::PartialStructural, 7)
    );
    assert!(changed.bytes_rewritten < 500, "{changed:?}");
    names[8] = "NAME 8".into();
    assert_eq!(send(&mut sender, &names, &events).kind, Match::PerfectStructural);
}

#[test]
fn items_that_come_and_go_cost_their_own_bytes() {
    let mut sender = sender();
    let (mut names, mut events) = lists(&sender, 5000);
    send(&mut sender, &names, &events);
    events.splice(2000..2000, lists(&sender, 12).1);
    events.drain(4000..4100);
    names.drain(..3);
    let report = send(&mut sender, &names, &events);
    assert_eq!(
        (report.kind, report.values_written),
        (Match::PartialStructural, 36)
    );
    assert_eq!(report.values_rewritten, 0);
    names.clear();
    send(&mut sender, &names, &events);
    assert_eq!(send(&mut sender, &names, &events).kind, Match::Content);
}

#[test]
fn numbers_are_compared_bit_for_bit() {
    let mut sender = sender();
    let (names, mut events) = lists(&sender, 100);
    for (value, rewritten) in [(0.0, 3), (-0.0, 3), (f64::NAN, 3), (f64::NAN, 0)] {
        set(&mut events[50], 2, value);
        if value.to_bits() == 0 {
            send(&mut sender, &names, &events);
            set(&mut events[50], 2, 1.0);
            send(&mut sender, &names, &events);
            set(&mut events[50], 2, value);
        }
        assert_eq!(
            send(&mut sender, &names, &events).values_rewritten,
            rewritten,
            "{value}"
        );
    }
}

#[test]
fn what_cannot_be_kept_is_written_and_what_cannot_be_written_is_refused() {
    let mut sender = sender();
    let (mut names, mut events) = lists(&sender, 1000);
    send(&mut sender, &names, &events);
    // An integer of another machine type is no reason to refuse a message, and none to keep it.
    set(&mut events[990], 0, "17");
    let report = send(&mut sender, &names, &events);
    assert!(report.bytes_around > 50_000, "{report:?}");
    set(&mut events[990], 0, 17);
    send(&mut sender, &names, &events);
    // The list before the one that is refused has changed by then.
    names[3] = "changed".into();
    set(&mut events[500], 0, 1i64 << 40);
    let body = body(&sender, &names, &events);
    let error = sender.send(&body).expect_err("no int");
    assert!(error.to_string().contains("[501]"), "{error}");
    set(&mut events[500], 0, 5);
    set(&mut events[10], 1, "\u{1}");
    let bad = self::body(&sender, &names, &events);
    let error = sender.send(&bad).expect_err("no character of XML");
    assert!(error.to_string().contains("[11]"), "{error}");
    set(&mut events[10], 1, "good");
    assert_ne!(send(&mut sender, &names, &events).kind, Match::Content);
    assert_eq!(send(&mut sender, &names, &events).kind, Match::Content);
}

#[test]
fn what_changes_each_time_is_not_kept_until_it_stays() {
    let mut sender = sender();
    let mut last = Report::default();
    for round in 0..20 {
        let names: Vec<Value> = (0..1000).map(|i| format!("{round} {i}").into()).collect();
        last = send(&mut sender, &names, &[]);
    }
    assert_eq!(
        (last.kind, last.paused, last.values_compared),
        (Match::FirstTime, 1, 0)
    );
    let (names, events) = lists(&sender, 1000);
    let reports: Vec<Report> = (0..5).map(|_| send(&mut sender, &names, &events)).collect();
    assert_eq!(
        reports.last().map(|report| (report.kind, report.paused)),
        Some((Match::Content, 0))
    );
}

/// However many items change: their blocks are changed in place, put together and written anew.
#[test]
fn memory_is_that_of_the_message_and_its_values() {
    for every in [200, 10, 3, 1] {
        let options = Options {
            pauses: false,
            ..Options::default()
        };
        let mut sender = Sender::new(TYPES, "Lists", options);
        let (mut names, mut events) = lists(&sender, 10_000);
        for round in 0..7 {
            for i in (round % every..10_000).step_by(every) {
                names[i] = "n".repeat((i + 11 * round) % 40).into();
                set(&mut events[i], 1, "t".repeat((i + 13 * round) % 50));
            }
            let report = send(&mut sender, &names, &events);
            let event = |event: &Value| match event {
                Value::Record(event) => 12 + event.values()[1].as_str().map_or(0, str::len),
                _ => 0,
            };
            let names = names.iter().filter_map(Value::as_str).map(str::len);
            let values: usize = names.chain(events.iter().map(event)).sum();
            let both = report.bytes_total as usize + values;
            let memory = sender.template.memory();
            assert!(10 * memory <= 14 * both, "{memory} for {both}, every {every}");
        }
    }
}

/// Nobody holds what was handed out, so nothing is copied to be changed, whatever changes.
#[test]
fn items_of_another_length_are_put_where_the_others_were() {
    let mut sender = sender();
    let (mut names, events) = lists(&sender, 5000);
    send(&mut sender, &names, &events);
    for (text, held) in [
        ("a", false),
        ("bb", true),
        ("c", false),
        ("d", true),
        ("e", false),
    ] {
        let message = sender.send(&body(&sender, &names, &events)).expect("good values");
        let before = held.then(|| (message.to_vec(), message));
        names[70] = text.into();
        let report = send(&mut sender, &names, &events);
        assert_eq!(report.chunks_copied, u64::from(held), "{text}");
        if let Some((bytes, message)) = before {
            assert!(message.to_vec() == bytes, "what is being sent stays as it is");
        }
    }
}
