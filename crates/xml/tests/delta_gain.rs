//! What a [`Delta`] reads again of documents that are like earlier ones, and what it keeps of them.

#[path = "support/delta.rs"]
mod both;

use std::ops::Range;

use both::{differential, patient, plain};
use castile_xml::{Delta, DeltaOptions, Limits};

/// Tokens of a document that were read, after those before it.
fn read(delta: &mut Delta, text: &str) -> u64 {
    let before = delta.stats();
    assert_eq!(differential(delta, text), plain(text, Limits::default()));
    let after = delta.stats();
    assert_eq!(after.documents_plain, before.documents_plain);
    let bytes = after.bytes_read + after.bytes_same - before.bytes_read - before.bytes_same;
    assert_eq!(bytes, text.len() as u64);
    after.tokens_read - before.tokens_read
}

#[test]
fn only_what_is_new_is_read() {
    let list = |items: &[u32], extra: &str| {
        let items: String = items
            .iter()
            .map(|i| format!("<m:item id='{i}'><m:n>{i}</m:n></m:item>"))
            .collect();
        format!("<m:list xmlns:m='urn:m'>{items}{extra}</m:list>")
    };
    let mut delta = patient();
    let mut read = |text: &str| read(&mut delta, text);
    assert_eq!(read(&list(&[1, 2, 3], "")), 3 + 3 * 5);
    // The root and the end of the document are read each time.
    assert_eq!(read(&list(&[1, 2, 3], "")), 2);
    assert_eq!(read(&list(&[7, 8, 3], "")), 2 + 2 * 2, "a value and a text");
    assert_eq!(
        read(&list(&[7, 8, 3], "<m:end/>")),
        3 + 2,
        "an element that comes"
    );
    assert_eq!(read(&list(&[7, 8, 3], "<m:end/>")), 2);
    assert_eq!(
        read(&list(&[7, 8, 3], "<m:end a='1'/>")),
        2 + 1,
        "an attribute that comes"
    );
    assert_eq!(
        read(&list(&[7, 8, 3, 4], "<m:end a='1'/>")),
        2 + 5,
        "an item that comes"
    );
    assert_eq!(read(&list(&[7, 8], "<m:end a='1'/>")), 2, "items that go");
    assert_eq!(read(&list(&[], "<m:end a='1'/>")), 2, "all of them");
    assert_eq!(
        read(&list(&[1], "").replace("m:", "n:").replace(":m", ":n")),
        3 + 5,
        "another prefix"
    );
}

#[test]
fn items_that_come_or_go_cost_their_own_tokens() {
    let list = |items: &[usize]| {
        let items: String = items
            .iter()
            .map(|i| format!("<item><n>{}</n><v>{}</v></item>", i * 7919, i * i * 31))
            .collect();
        format!("<list>{items}</list>")
    };
    let all: Vec<usize> = (1..1000).collect();
    let mut delta = patient();
    read(&mut delta, &list(&all));
    let without = [&all[..300], &all[303..]].concat();
    assert!(read(&mut delta, &list(&without)) <= 2 + 8, "some go");
    assert!(read(&mut delta, &list(&all)) <= 2 + 8 + 2 * 3, "some come");
    let moved = [&all[..300], &all[310..800], &all[300..310], &all[800..]].concat();
    assert!(read(&mut delta, &list(&moved)) <= 2 + 8 + 8 + 2 * 10, "some move");
    let front = [&[5000, 5001], &moved[..]].concat();
    assert!(
        read(&mut delta, &list(&front)) <= 2 + 8 + 2 * 2,
        "some come first"
    );
    assert_eq!(read(&mut delta, &list(&front)), 2);
}

#[test]
fn what_goes_on_alike_elsewhere_is_another_place() {
    let items = |numbers: Range<usize>| -> String {
        numbers
            .map(|i| format!("<a>{}</a>", 1_000_003 * (i + 1)))
            .collect()
    };
    let (start, middle, end) = (items(0..10), items(10..20), items(20..40));
    // In the new documents end tags follow that are those of the old one at the place where the items are alike,
    // and not those of what is open.
    let cases = [
        (
            format!("<r><g>{start}{middle}</g><g><g>{end}</g></g></r>"),
            format!("<r><g>{start}{}</g></g></r>", items(25..40)),
        ),
        (
            format!("<r><g>{start}{middle}</g><h>{end}</h></r>"),
            format!("<r><g>{start}{}</h></r>", items(25..40)),
        ),
        (
            format!("<r><g>{start}{middle}</g><h>{end}</h></r>"),
            format!(
                "<r><g>{start}{}</g><h>{middle}</g><h>{end}</h></r>",
                items(100..110)
            ),
        ),
    ];
    // The same where all names are one, and only how deep it is differs.
    let [(old, new), ..] = &cases;
    let deep = [old, new].map(|text| text.replace("a>", "g>"));
    let cases = cases
        .iter()
        .map(|(old, new)| (old, new))
        .chain([(&deep[0], &deep[1])]);
    for (old, new) in cases {
        let mut delta = patient();
        read(&mut delta, old);
        let found = differential(&mut delta, new);
        assert_eq!(found, plain(new, Limits::default()), "{new}");
        assert!(
            found.last().is_some_and(|last| last.starts_with("end tag </")),
            "{new}"
        );
    }
}

#[test]
fn what_declares_otherwise_is_read_anew() {
    let mut delta = patient();
    let text = |uri: &str| format!("<r><p:a xmlns:p='{uri}'><p:b/><p:c>1</p:c></p:a><d/></r>");
    assert_eq!(read(&mut delta, &text("urn:1")), 12);
    assert_eq!(read(&mut delta, &text("urn:1")), 2);
    assert_eq!(read(&mut delta, &text("urn:2")), 2 + 7);
    assert_eq!(read(&mut delta, &text("urn:2")), 2);
    // Numbers of namespaces are the document's.
    let other = text("urn:2").replace("<r>", "<r><n xmlns='urn:n'/>");
    assert_eq!(read(&mut delta, &other), 2 + 2);
    assert_eq!(read(&mut delta, &text("urn:2")), 2);
}

#[test]
fn a_sender_may_have_several_kinds_of_documents() {
    let mut delta = patient();
    let text = |kind: &str, n: usize| {
        format!("<e:E xmlns:e='urn:e'><e:id>{n}</e:id><{kind}><a>1</a><b>2</b><c>{n}</c></{kind}></e:E>")
    };
    for n in 0..20 {
        for kind in ["one", "two", "three"] {
            let tokens = read(&mut delta, &text(kind, n));
            assert!(n == 0 || tokens == 4, "{kind} {n}: {tokens}");
        }
    }
    assert_eq!(delta.stats().documents_kept, 3);
}

#[test]
fn where_nothing_is_alike_documents_are_read_plainly() {
    let mut delta = Delta::default();
    let text = |n: usize| format!("<r{n}><a{n}>1</a{n}><b{n}/></r{n}>");
    for n in 0..300 {
        assert_eq!(
            differential(&mut delta, &text(n)),
            plain(&text(n), Limits::default())
        );
    }
    assert!(delta.stats().documents_plain > 250);
    for _ in 0..200 {
        differential(
            &mut delta,
            &"<r><a><b>1</b></a><a><b>1</b></a><c/><d/></r>".replace('r', "s"),
        );
    }
    let plain = delta.stats().documents_plain;
    differential(&mut delta, "<s><a><b>2</b></a><a><b>1</b></a><c/><d/></s>");
    assert_eq!(delta.stats().documents_plain, plain, "it pays again");
}

#[test]
fn what_is_not_read_to_its_end_is_not_kept() {
    let mut delta = patient();
    let text = "<r><a>1</a><b>2</b></r>";
    read(&mut delta, text);
    for other in ["<r><c/></r>", "<r><a>1</b>", "<r><a>1</a>"] {
        let mut reader = delta.read(other);
        while reader.depth() < 2 {
            reader.next().unwrap();
        }
        drop(reader);
        assert_eq!(read(&mut delta, text), 2);
    }
}

#[test]
fn what_never_repeats_takes_no_more_than_the_budget() {
    let budget_bytes = 10_000;
    let mut delta = Delta::new(DeltaOptions {
        budget_bytes,
        pauses: false,
        ..DeltaOptions::default()
    });
    for round in 0..200 {
        let tags: String = (0..round)
            .map(|i| format!("<x{round}_{i} xmlns='urn:{round}:{i}'/>"))
            .collect();
        differential(&mut delta, &format!("<r>{tags}</r>"));
        assert!(delta.stats().memory <= budget_bytes);
    }
    let plain = delta.stats().documents_plain;
    differential(&mut delta, &format!("<r>{}</r>", "1".repeat(budget_bytes)));
    assert_eq!(delta.stats().documents_plain, plain + 1, "it would not fit");
    // What comes again is known again.
    differential(&mut delta, "<r><a/></r>");
    assert_eq!(read(&mut delta, "<r><a/></r>"), 2);
}
