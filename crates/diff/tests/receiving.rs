//! What was learned of one peer's message is compared with nobody else's, is bounded, and changes nothing.

use castile_codec::{DecodeOptions, EncodeOptions, Intake, Limits, Version, encode};
use castile_diff::{Automata, Receiving};
use castile_plan::Plan;
use castile_testkit::{Effort, Rng, Sampler, Table, difference, random_table};
use castile_value::{Record, Value, ValueSink};

fn message(table: &Table, plan: &Plan, body: &Record) -> String {
    let header = Record::new(table.types.shape(plan.header).clone());
    let mut out = Vec::new();
    let options = EncodeOptions::default();
    encode(
        &table.types,
        plan,
        Version::Soap11,
        &header,
        body,
        &options,
        &mut out,
    )
    .expect("good values");
    String::from_utf8(out).expect("text")
}

/// The body of a message, and whether it was like an earlier one.
fn read(automata: &Automata, table: &Table, plan: &Plan, text: &str, peer: Option<&[u8]>) -> (Record, bool) {
    let types = &table.types;
    let message = automata
        .open(text, &Limits::default(), peer)
        .expect("an envelope");
    let mut header = ValueSink::new(types.shape(plan.header).clone());
    let mut body = ValueSink::new(types.shape(plan.body).clone());
    let options = DecodeOptions::default();
    let intake = Intake {
        types,
        plan,
        options: &options,
        header: &mut header,
        body: &mut body,
    };
    let received = automata.decode(message, 1, intake);
    (body.finish(), received.expect("a good message").followed)
}

fn add(n: &str) -> String {
    format!(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body><add xmlns='urn:t'>{n}</add></e:Body></e:Envelope>"
    )
}

#[test]
fn names_are_shared_and_values_are_not() {
    let table = Table::parse("add = n:string");
    let plan = table.plan("add");
    let automata = Automata::new(Receiving::default());
    let like =
        |text: &str, peer: Option<&str>| read(&automata, &table, &plan, text, peer.map(str::as_bytes)).1;
    assert!(!like(&add("<n>one</n>"), Some("a")));
    assert!(like(&add("<n>two</n>"), Some("b")), "it holds nothing of a's");
    assert!(like(&add("<n>three</n>"), None));

    let secret = add("<n><![CDATA[secret]]></n>");
    assert!(!like(&secret, None));
    assert!(!like(&secret, None), "nobody's values are not kept");
    assert!(!like(&secret, Some("a")));
    assert!(like(&secret, Some("a")));
    assert!(!like(&secret, Some("b")), "a's value is not compared with b's");
}

#[test]
fn what_is_kept_is_bounded_and_off_is_off() {
    let table = Table::parse("add = n:string");
    let plan = table.plan("add");
    let options = Receiving {
        budget_bytes: 8192,
        peers_max: 3,
        ..Receiving::default()
    };
    let automata = Automata::new(options.clone());
    for i in 0..2000 {
        let peer = format!("peer {}", i % 7);
        let text = add(&format!("<!--{i}--><n>{i}</n>"));
        let (body, _) = read(&automata, &table, &plan, &text, Some(peer.as_bytes()));
        assert_eq!(
            body.get("add").and_then(|v| v.get("n")),
            Some(&Value::from(i.to_string().as_str()))
        );
        assert!(automata.stats().memory <= options.budget_bytes as u64);
    }
    let stats = automata.stats();
    assert!(
        stats.learned < 400,
        "what never repeats is learned more and more seldom: {stats:?}"
    );

    let off = Automata::new(Receiving::off());
    for _ in 0..3 {
        assert!(!read(&off, &table, &plan, &add("<n>1</n>"), None).1);
    }
    assert_eq!((off.stats().memory, off.stats().plain), (0, 3));
}

#[test]
fn threads_learn_at_once_and_read_right() {
    let table = random_table(11);
    let names: Vec<String> = table
        .types
        .complex
        .iter()
        .filter(|c| !c.is_abstract)
        .filter_map(|c| c.name.as_ref())
        .map(|n| n.local.to_string())
        .collect();
    let plan = table.plan(names.last().expect("a type"));
    let automata = Automata::new(Receiving::default());
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let (automata, table, plan) = (&automata, &table, &plan);
            scope.spawn(move || {
                for n in 0..60 {
                    let effort = if n % 3 == 0 { Effort::Most } else { Effort::Random };
                    let body = Sampler::new(&table.types, Rng::new(n / 2 + thread))
                        .effort(effort)
                        .record(plan.body);
                    let text = message(table, plan, &body);
                    let (read, _) = read(automata, table, plan, &text, Some(b"x"));
                    assert_eq!(
                        difference(&Value::Record(body), &Value::Record(read)),
                        None,
                        "{text}"
                    );
                }
            });
        }
    });
    assert!(automata.stats().followed > 0);
}
