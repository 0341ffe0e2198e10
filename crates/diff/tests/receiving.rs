//! What was learned of one peer's message is compared with nobody else's, is bounded, and changes nothing.

use castile_codec::{DecodeOptions, EncodeOptions, Error, Intake, Limits};
use castile_diff::{Automata, Message, Receiving, Shared};
use castile_plan::Plan;
use castile_testkit::{Effort, Rng, Sampler, Table, difference, plainly, random_table};
use castile_value::{Record, Value, ValueSink};

/// What `read` makes of a message, and of sinks for its header and body, of which the latter is given back.
fn read_by<T>(
    automata: &Automata,
    table: &Table,
    plan: &Plan,
    text: &str,
    peer: Option<&[u8]>,
    read: impl FnOnce(Message<'_>, Intake<'_>) -> Result<T, Error>,
) -> (Record, T) {
    let types = &table.types;
    let message = automata
        .open(text, &Limits::default(), peer)
        .expect("an envelope");
    let mut header = ValueSink::new(types.shape(plan.header).clone());
    let mut body = ValueSink::new(types.shape(plan.body).clone());
    let intake = Intake {
        types,
        plan,
        options: &DecodeOptions::default(),
        header: &mut header,
        body: &mut body,
    };
    let read = read(message, intake).expect("a good message");
    (body.finish(), read)
}

/// The body of a message, and whether it was like an earlier one.
fn read(automata: &Automata, table: &Table, plan: &Plan, text: &str, peer: Option<&[u8]>) -> (Record, bool) {
    let (body, received) = read_by(automata, table, plan, text, peer, |message, intake| {
        automata.decode(message, 1, intake)
    });
    (body, received.followed)
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
fn what_is_new_in_a_message_is_read_by_itself_unless_that_is_off() {
    let table = Table::parse("Item = n:int, t:string?, u:int?\nadd = item:Item*, last:int?");
    let plan = table.plan("add");
    let known = "<item><n>1</n></item><item><n>2</n><t>x</t></item>".repeat(10);
    let news = [
        format!("{known}<item><n>3</n><u>4</u></item>"),
        format!("{known}<last>5</last>"),
        format!("<item><n>3</n><t>y</t><u>4</u></item>{known}<last>5</last>"),
    ];
    for parts in [true, false] {
        let automata = Automata::new(Receiving {
            parts,
            ..Receiving::default()
        });
        let like = |text: &str| read(&automata, &table, &plan, &add(text), Some(b"a")).1;
        assert!(!like(&known));
        for new in &news {
            assert_eq!(like(new), parts, "{new}");
            assert!(like(new), "the same again: {new}");
        }
        let stats = automata.stats();
        assert_eq!(stats.followed, if parts { 6 } else { 3 });
        assert_eq!(
            automata
                .variables(1, &table.types, table.types.shape(plan.body))
                .len(),
            1
        );
    }
}

#[test]
fn what_is_new_and_says_a_value_is_kept_for_nobody_else() {
    let table = Table::parse("Item = n:int, t:string?\nadd = item:Item*");
    let plan = table.plan("add");
    let automata = Automata::new(Receiving::default());
    let like = |text: &str, peer: &[u8]| read(&automata, &table, &plan, &add(text), Some(peer)).1;
    let known = "<item><n>1</n></item><item><n>2</n><t>x</t></item>".repeat(10);
    let secret = format!("{known}<item><n>3</n><t><![CDATA[secret]]></t></item>");
    assert!(!like(&known, b"a"));
    assert!(like(&known, b"b"));
    assert!(!like(&secret, b"a"), "it is no part of what all share");
    assert!(like(&secret, b"a"));
    assert!(!like(&secret, b"b"), "a's value is not compared with b's");
}

#[test]
fn a_peer_whose_messages_always_have_something_new_is_read_plainly_in_the_end() {
    let table = Table::parse("Item = n:int, t:string?, *any*\nadd = item:Item*");
    let plan = table.plan("add");
    let automata = Automata::new(Receiving::default());
    let known = "<item><n>1</n></item><item><n>2</n><t>x</t></item>".repeat(15);
    // Sixteen shapes of an item, each with sixteen ways of what is new, are as much as is learned.
    let followed = (0..400)
        .filter(|i| {
            let text = format!("{known}<item><n>2</n><w:e{i} xmlns:w='urn:w'/></item>");
            read(&automata, &table, &plan, &add(&text), Some(b"a")).1
        })
        .count();
    assert!((200..300).contains(&followed), "{followed}");
    // Messages of others are tried now and then, and followed again from the first on that is like what was learned.
    let others = (0..200).filter(|_| read(&automata, &table, &plan, &add(&known), Some(b"b")).1);
    assert!(others.count() > 100);
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

fn numbers(values: &[f64]) -> String {
    let items: String = values.iter().map(|v| format!("<n>{v}</n>")).collect();
    add(&items)
}

/// How many numbers were not read again.
fn kept(automata: &Automata, table: &Table, plan: &Plan, text: &str, peer: Option<&[u8]>) -> u64 {
    let before = automata.stats().values_kept;
    read(automata, table, plan, text, peer);
    automata.stats().values_kept - before
}

#[test]
fn values_are_compared_with_those_of_the_same_peer_only() {
    let table = Table::parse("add = n:double*");
    let plan = table.plan("add");
    let automata = Automata::new(Receiving::default());
    let mut values: Vec<f64> = (0..2000).map(|i| f64::from(i) / 7.0).collect();
    let text = numbers(&values);
    let kept = |text: &str, peer: Option<&str>| kept(&automata, &table, &plan, text, peer.map(str::as_bytes));
    for _ in 0..3 {
        assert_eq!(kept(&text, None), 0, "nobody's values are not kept");
    }
    assert_eq!(kept(&text, Some("a")), 0);
    assert_eq!(kept(&text, Some("b")), 0, "a's values are not compared with b's");
    assert_eq!(kept(&text, Some("a")), 2000);
    values[1000] = 0.5;
    assert_eq!(kept(&numbers(&values), Some("a")), 1999);
    assert_eq!(kept(&text, Some("b")), 2000);
}

#[test]
fn last_messages_are_bounded_and_can_be_left_out() {
    let table = Table::parse("add = n:double*");
    let plan = table.plan("add");
    let options = Receiving {
        values_budget_bytes: 400_000,
        peers_max: 5,
        ..Receiving::default()
    };
    let automata = Automata::new(options.clone());
    let text = numbers(&[0.123456789; 2000]);
    for i in 0..40 {
        let peer = format!("peer {}", i % 9);
        read(&automata, &table, &plan, &text, Some(peer.as_bytes()));
        let most = options.values_budget_bytes + 20_000;
        assert!(automata.stats().memory <= most as u64, "{:?}", automata.stats());
    }
    let large = numbers(&[0.123456789; 20_000]);
    for _ in 0..4 {
        assert_eq!(
            kept(&automata, &table, &plan, &large, Some(b"a")),
            0,
            "more than a quarter"
        );
    }
    let without = Automata::new(Receiving {
        values: false,
        ..Receiving::default()
    });
    for _ in 0..4 {
        assert_eq!(kept(&without, &table, &plan, &text, Some(b"a")), 0);
    }
    assert!(without.stats().memory < 10_000, "{:?}", without.stats());
}

/// Arrays in which everything changes each time, and then one thing: in the first nothing can be gained, and soon
/// nothing is tried; in the second it is again at once. Where each row has one number that changes, the others do not help,
/// however much of it they are.
#[test]
fn what_never_repeats_is_read_plainly_and_what_does_is_not() {
    let long = |name: char| format!("<{name}>{}</{name}>", 1_234_567_890_123_456_i64);
    let longs: String = ('j'..='l').map(long).collect();
    for (types, more) in [
        ("add = n:double*", ""),
        ("row = n:double, m:int; add = n:row*", ""),
        ("row = n:double, m:int, k:int; add = n:row*", "<k>7</k>"),
        (
            "row = n:double, m:int, j:long, k:long, l:long; add = n:row*",
            &longs[..],
        ),
    ] {
        let table = Table::parse(&types.replace("; ", "\n"));
        let rows = types.starts_with("row");
        let plan = table.plan("add");
        let automata = Automata::new(Receiving::default());
        let text = |values: &[f64]| match rows {
            true => {
                let whole = |v: &f64| if more.is_empty() { (v * 1e9) as i32 } else { 12 };
                let row = |v: &f64| format!("<n><n>{v}</n><m>{}</m>{more}</n>", whole(v));
                add(&values.iter().map(row).collect::<String>())
            }
            false => numbers(values),
        };
        let mut rng = Rng::new(4);
        let mut always = |messages: usize| {
            let before = automata.stats();
            for _ in 0..messages {
                let values: Vec<f64> = (0..500).map(|_| rng.unit()).collect();
                read(&automata, &table, &plan, &text(&values), Some(b"a"));
            }
            let after = automata.stats();
            let compared = (after.values_parsed - before.values_parsed) / 500;
            (compared, after.followed - before.followed)
        };
        let (compared, followed) = always(20);
        assert!(
            compared <= 7 && followed <= 8,
            "{compared} compared, {followed} followed of 20"
        );
        let (compared, followed) = always(1000);
        assert!(
            compared <= 2 && followed <= 20,
            "{compared} compared, {followed} followed of 1000"
        );

        let mut values = vec![0.25; 500];
        let mut gained = 0;
        for i in 0..20 {
            values[i * 7] += 0.5;
            gained += kept(&automata, &table, &plan, &text(&values), Some(b"a"));
        }
        assert!(gained > 17 * 490, "{gained} values of 20 messages");
        let (compared, _) = always(100);
        assert!(compared <= 6, "{compared} of 100");
    }
}

/// Two messages in turn, whose rows have one number each that differs: a sample of the one may be found in the other and not the
/// other way round. What was kept for a sample's sake is compared, and that tells that it was in vain.
#[test]
fn a_sample_that_is_found_does_not_outweigh_what_was_compared() {
    let names: Vec<String> = (0..6).map(|k| format!("k{k}")).collect();
    let fields: String = names.iter().map(|name| format!(", {name}:long")).collect();
    let table = Table::parse(&format!("row = n:double{fields}\nadd = n:row*"));
    let plan = table.plan("add");
    for seed in 0..24 {
        let automata = Automata::new(Receiving::default());
        let (mut rng, count) = (Rng::new(seed), 500 + 37 * seed as i64);
        let texts = [(); 2].map(|()| {
            let row = |i: i64| {
                let stays: String = names.iter().map(|k| format!("<{k}>{}</{k}>", i << 40)).collect();
                format!("<n><n>{}</n>{stays}</n>", rng.unit())
            };
            add(&(0..count).map(row).collect::<String>())
        });
        for text in texts.iter().cycle().take(120) {
            read(&automata, &table, &plan, text, Some(b"a"));
        }
        let rows = automata.stats().values_parsed / 7 / count as u64;
        assert!(rows <= 10, "{seed}: {rows} messages of 120 were kept");
    }
}

/// Callers who each send two messages and go: once the first of them were kept in vain, of the others the second has to be
/// like the first before anything is kept.
#[test]
fn short_callers_are_kept_by_what_came_of_others() {
    let table = Table::parse("add = n:double*");
    let plan = table.plan("add");
    let automata = Automata::new(Receiving::default());
    let mut rng = Rng::new(9);
    let mut caller = |i: usize, messages: usize, repeats: bool| {
        let mut values: Vec<f64> = (0..500).map(|_| rng.unit()).collect();
        let before = automata.stats();
        for _ in 0..messages {
            if !repeats {
                values = (0..500).map(|_| rng.unit()).collect();
            }
            let peer = format!("caller {i}");
            read(&automata, &table, &plan, &numbers(&values), Some(peer.as_bytes()));
        }
        let after = automata.stats();
        (
            after.values_parsed - before.values_parsed,
            after.values_kept - before.values_kept,
        )
    };
    let parsed: u64 = (0..40).map(|i| caller(i, 2, false).0).sum();
    assert!(parsed <= 12 * 500, "{parsed} values were compared in vain");
    let (_, kept) = caller(41, 6, true);
    assert!(kept >= 3 * 500, "{kept}");
    let (_, kept) = caller(42, 6, true);
    assert!(kept >= 4 * 500, "{kept}: it is a habit again");
}

#[test]
fn the_same_message_gives_the_same_object() {
    let table = Table::parse("add = n:string*");
    let plan = table.plan("add");
    let automata = Automata::new(Receiving::default());
    let object = |text: &str, peer: &[u8]| {
        let (body, read) = read_by(&automata, &table, &plan, text, Some(peer), |message, intake| {
            automata.decode_shared::<Record>(message, 1, intake)
        });
        match read {
            Shared::Same(object) => (object, true),
            Shared::New(_, ticket) => {
                let object = std::sync::Arc::new(body);
                if let Some(ticket) = ticket {
                    automata.share(ticket, object.clone());
                }
                (object, false)
            }
        }
    };
    let (one, two) = (add("<n>one</n><n>x</n>"), add("<n>two</n>"));
    object(&one, b"a");
    let (first, _) = object(&one, b"a");
    let (again, same) = object(&one, b"a");
    assert!(same && std::sync::Arc::ptr_eq(&first, &again));
    assert!(!object(&one, b"b").1, "another peer's object is nobody else's");
    let (other, same) = object(&two, b"a");
    assert!(!same && *other != *first);
    assert!(!object(&one, b"a").1);
    assert!(object(&one, b"a").1);
    assert_eq!(automata.stats().same, 3);
}

/// A message is compared with the last one while it comes, and becomes its equal piece by piece: that does not make the object
/// of the last one its.
#[test]
fn what_differs_gives_another_object_however_it_came() {
    let table = Table::parse("add = n:double*");
    let plan = table.plan("add");
    let automata = Automata::new(Receiving::default());
    let mut values: Vec<f64> = (0..5000).map(|i| f64::from(i) + 0.5).collect();
    let (mut objects, mut same) = (Vec::new(), Vec::new());
    for n in 0..8 {
        if n % 2 == 0 {
            values[n * 7] += 1.0;
        }
        let text = numbers(&values);
        let bytes = text.as_bytes();
        let mut coming = automata.coming(b"a", &bytes[..1000]);
        for came in (1000..bytes.len()).step_by(1000) {
            if let Some(coming) = &mut coming {
                coming.came(&table.types, &bytes[..came]);
            }
        }
        let (body, read) = read_by(
            &automata,
            &table,
            &plan,
            &text,
            Some(b"a"),
            |mut message, intake| {
                message.came_as(coming);
                automata.decode_shared::<Record>(message, 1, intake)
            },
        );
        same.push(matches!(read, Shared::Same(_)));
        let object = match read {
            Shared::Same(object) => object,
            Shared::New(received, ticket) => {
                assert!(n < 4 || received.bytes_ahead > 50_000, "{n}: {received:?}");
                let object = std::sync::Arc::new(body);
                automata.share(ticket.expect("it is kept"), object.clone());
                object
            }
        };
        let read = object
            .get("add")
            .and_then(|v| v.get("n"))
            .and_then(Value::as_f64s);
        assert_eq!(read, Some(&values[..]), "{n}");
        objects.push(object);
    }
    assert_eq!(same, [false, true].repeat(4));
    assert_eq!(automata.stats().same, 4);
}

/// What came of one sender's message is of no use for another's, nor for one of another operation.
#[test]
fn what_came_is_of_one_sender_and_operation() {
    let table = Table::parse("add = n:double*");
    let plan = table.plan("add");
    let automata = Automata::new(Receiving::default());
    let values: Vec<f64> = (0..5000).map(|i| f64::from(i) / 7.0).collect();
    let text = numbers(&values);
    for _ in 0..3 {
        read(&automata, &table, &plan, &text, Some(b"a"));
    }
    for (peer, operation, ahead) in [(b"a", 1, true), (b"b", 1, false), (b"a", 17, false)] {
        let coming = automata.coming(b"a", text.as_bytes()).map(|mut coming| {
            coming.came(&table.types, text.as_bytes());
            coming
        });
        assert!(coming.is_some(), "it begins as the last one");
        let (body, received) = read_by(
            &automata,
            &table,
            &plan,
            &text,
            Some(peer),
            |mut message, intake| {
                message.came_as(coming);
                automata.decode(message, operation, intake)
            },
        );
        assert_eq!(received.bytes_ahead > 0, ahead, "{operation}");
        let read = body.get("add").and_then(|v| v.get("n")).and_then(Value::as_f64s);
        assert_eq!(read, Some(&values[..]));
        for _ in 0..2 {
            self::read(&automata, &table, &plan, &text, Some(b"a"));
        }
    }
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
                    let options = EncodeOptions::default();
                    let text = plainly::write(&table.types, plan, &body, &options).expect("good values");
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

#[test]
fn messages_of_which_few_are_alike_are_soon_read_plainly() {
    let table = Table::parse("add = n:string");
    let plan = table.plan("add");
    let automata = Automata::new(Receiving::default());
    // How many of so many messages were followed, of which one in `each` is like others.
    let followed = |messages: usize, each: usize| {
        let like = |i: &usize| {
            let text = match i % each {
                0 => add(&format!("<n>{i}</n>")),
                _ => add(&format!("<!--{i}--><n>{i}</n>")),
            };
            let (body, like) = read(&automata, &table, &plan, &text, None);
            let n = body.get("add").and_then(|v| v.get("n"));
            assert_eq!(n, Some(&Value::from(i.to_string().as_str())));
            like
        };
        (0..messages).filter(like).count()
    };
    assert!(followed(1000, 2) > 450);
    followed(1000, 5);
    assert!(followed(1000, 5) < 40, "it does not pay");
    followed(400, 1);
    assert!(followed(1000, 1) > 990, "it does again");
}
