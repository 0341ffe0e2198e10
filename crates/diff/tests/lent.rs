//! What is lent is held in the place of a copy: that of one sender for that sender, within the budget, and until the
//! next message comes; never where it has header blocks.

use std::sync::Arc;

use castile_codec::{DecodeOptions, Intake, Limits};
use castile_diff::{Automata, Receiving};
use castile_testkit::{Lent, Table};
use castile_value::{Value, ValueSink};

const COUNT: usize = 2000;

fn message(head: &str, first: f64) -> Lent {
    let values = (0..COUNT).map(|i| if i == 0 { first } else { i as f64 / 7.0 });
    let items: String = values.map(|v| format!("<n>{v}</n>")).collect();
    let text = format!(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'>{head}<e:Body><add xmlns='urn:t'>{items}</add></e:Body></e:Envelope>"
    );
    Lent(text.into())
}

/// Reads a message that is lent and looks at its first value; how many values were not read again.
fn read(automata: &Automata, table: &Table, text: &Lent, peer: &str, first: f64) -> u64 {
    let (types, plan) = (&table.types, table.plan("add"));
    let mut message = automata
        .open(&text.0, &Limits::default(), Some(peer.as_bytes()))
        .expect("an envelope");
    message.lies_in(automata.owner_of(text));
    let mut body = ValueSink::new(types.shape(plan.body).clone());
    let intake = Intake {
        types,
        plan: &plan,
        options: &DecodeOptions::default(),
        header: &mut ValueSink::new(types.shape(plan.header).clone()),
        body: &mut body,
    };
    let received = automata.decode(message, 1, intake).expect("a good message");
    let body = body.finish();
    let values = body.get("add").and_then(|v| v.get("n"));
    let values = values.and_then(Value::as_f64s).expect("an array");
    assert_eq!((values.len(), values[0]), (COUNT, first));
    received.values_kept
}

/// Whether it is held by others than the test.
fn is_held(text: &Lent) -> bool {
    Arc::strong_count(&text.0) > 1
}

#[test]
fn it_is_held_until_the_next_message_of_the_same_sender() {
    let table = Table::parse("add = n:double*");
    let automata = Automata::new(Receiving::default());
    let read = |text: &Lent, peer, first| read(&automata, &table, text, peer, first);
    assert_eq!(read(&message("", 0.5), "ada", 0.5), 0, "it is learned");
    let [a, b, c] = [1.5, 22.5, 333.5].map(|first| message("", first));
    assert_eq!((read(&a, "ada", 1.5), is_held(&a)), (0, true));
    assert_eq!(read(&b, "grace", 22.5), 0, "ada's is compared with nobody else's");
    assert!(is_held(&a) && is_held(&b));
    assert_eq!(read(&c, "ada", 333.5), COUNT as u64 - 1);
    assert!(!is_held(&a) && is_held(&b) && is_held(&c));
    assert_eq!(read(&a, "grace", 1.5), COUNT as u64 - 1, "it is hers now");
    assert!(is_held(&a) && !is_held(&b));
    assert!(automata.stats().memory > (a.0.len() + c.0.len()) as u64);
    drop(automata);
    assert!(!is_held(&a) && !is_held(&c));
}

#[test]
fn it_counts_as_memory_and_goes_when_there_is_too_much() {
    let table = Table::parse("add = n:double*");
    let length = message("", 0.5).0.len();
    let options = Receiving {
        values_budget_bytes: 4 * length,
        ..Receiving::default()
    };
    let automata = Automata::new(options);
    let texts: Vec<Lent> = (0..9).map(|_| message("", 0.5)).collect();
    for (i, text) in texts.iter().enumerate() {
        read(&automata, &table, text, &format!("peer {i}"), 0.5);
    }
    let held: Vec<bool> = texts.iter().map(is_held).collect();
    let count = held.iter().filter(|held| **held).count();
    assert!((2..=3).contains(&count), "values take memory as well: {held:?}");
    assert!(held.ends_with(&[true, true]), "{held:?}");
}

#[test]
fn what_stands_in_a_header_is_never_held() {
    let table = Table::parse("add = n:double*");
    let automata = Automata::new(Receiving::default());
    for n in 0..4 {
        let head = format!("<e:Header><t:secret xmlns:t='urn:s'>{n}</t:secret></e:Header>");
        let text = message(&head, f64::from(n));
        let kept = read(&automata, &table, &text, "ada", f64::from(n));
        assert_eq!(kept, if n < 2 { 0 } else { COUNT as u64 - 1 }, "the body is kept");
        assert!(!is_held(&text));
    }
}

#[test]
fn what_is_small_is_not_even_asked_for() {
    let automata = Automata::new(Receiving::default());
    let least = automata.options().values_bytes_min;
    assert!(automata.owner_of(&vec![b' '; least - 1]).is_none());
    assert!(automata.owner_of(&vec![b' '; least]).is_some());
}
