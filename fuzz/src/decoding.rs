//! The plain decoder and the slow obvious one: both take a message and read the same, or both refuse it.

use castile_codec::{Error, Guilty};
use castile_plan::Plan;
use castile_testkit::{Table, difference, reference};
use castile_value::{Record, Value};

use crate::tables::{choose, read};

/// Table, plan, and a message.
pub(crate) fn decoding(bytes: &[u8]) {
    let [table, plan, text @ ..] = bytes else { return };
    let (table, plan) = choose(*table, *plan);
    if let Ok(text) = std::str::from_utf8(text) {
        check(table, plan, text);
    }
}

fn check(table: &Table, plan: &Plan, text: &str) {
    let strict = read(table, plan, text, true);
    match (&strict, reference::decode(&table.types, plan, text)) {
        (Ok(fast), Ok(slow)) => assert_same(fast, &slow.body, "the reference"),
        (Err(e), Err(_)) => check_error(e, text),
        (Ok(value), Err(e)) => panic!("the reference refuses: {e}\n{text}\n{value:#?}"),
        (Err(e), Ok(value)) => panic!("the decoder refuses: {e}\n{text}\n{:#?}", value.body),
    }
    match (read(table, plan, text, false), strict) {
        (Ok(lax), Ok(strict)) => assert_same(&lax, &strict, "the lax reader"),
        (Err(e), Ok(_)) => panic!("only the lax reader refuses: {e}\n{text}"),
        (Err(e), Err(_)) => check_error(&e, text),
        (Ok(_), Err(_)) => {}
    }
}

fn assert_same(a: &Record, b: &Record, whose: &str) {
    let differs = difference(&Value::Record(a.clone()), &Value::Record(b.clone()));
    assert_eq!(differs, None, "{whose}");
}

/// An error says where, what and whose fault.
fn check_error(e: &Error, text: &str) {
    assert!(e.offset().is_some_and(|at| at <= text.len()), "{e}");
    assert!(e.line_column().is_some_and(|(l, c)| l > 0 && c > 0), "{e}");
    assert!(matches!(e.guilty(), Guilty::Peer), "{e}");
    assert!(!e.message().is_empty());
}
