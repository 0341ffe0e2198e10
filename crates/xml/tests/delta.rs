//! Whatever a [`Delta`] has read before, it reads a document as a [`Reader`] does.

mod support;

use castile_xml::{Delta, DeltaOptions, Limits, Reader, Token};
use proptest::prelude::*;

/// Everything that can be asked after each token, and how it ended.
fn told(reader: &Reader<'_>, token: &Token<'_>) -> String {
    let uri = match token {
        Token::Start { name, .. } | Token::End { name } => reader.uri(name.ns),
        _ => "",
    };
    let tag = match token {
        Token::Start { .. } => {
            let starts: Vec<_> = (0..reader.attributes().len())
                .map(|i| reader.attribute_start(i))
                .collect();
            format!("{:?} {starts:?} {:?}", reader.attributes(), reader.declarations())
        }
        _ => String::new(),
    };
    format!(
        "{token:?} {uri} {tag} {} {} {} {}",
        reader.depth(),
        reader.scope(),
        reader.token_start(),
        reader.position()
    )
}

fn plain(text: &str, limits: Limits) -> Vec<String> {
    let mut reader = Reader::with_limits(text, limits);
    let mut all = Vec::new();
    loop {
        match reader.next() {
            Ok(token) => {
                all.push(told(&reader, &token));
                if token == Token::Eof {
                    return all;
                }
            }
            Err(error) => {
                assert_eq!(reader.next(), Err(error.clone()));
                all.push(error.to_string());
                return all;
            }
        }
    }
}

fn differential(delta: &mut Delta, text: &str) -> Vec<String> {
    let mut reader = delta.read(text);
    let mut all = Vec::new();
    loop {
        match reader.next() {
            Ok(token) => {
                all.push(told(&reader, &token));
                if token == Token::Eof {
                    return all;
                }
            }
            Err(error) => {
                assert_eq!(reader.next(), Err(error.clone()));
                all.push(error.to_string());
                return all;
            }
        }
    }
}

fn pieces() -> impl Strategy<Value = String> {
    let pieces = vec![
        "<a>",
        "</a>",
        "<a ",
        "<p:b xmlns:p='v'>",
        "</p:b>",
        "<p:b>",
        "<e/>",
        "<e b='1'/>",
        "<e b='2' c=\"'\"/>",
        "<e b='&lt;'/>",
        "<e p:b='\n'/>",
        "<a xmlns='u'>",
        "<a xmlns=''>",
        "<p:b xmlns:p='w' p:c='1' c='2'>",
        "text",
        "x&amp;y",
        "<!-- c -->",
        "<?p i?>",
        "<![CDATA[<]]>",
        " ",
        ">",
        "b='1'",
        "&",
        "<",
        "</e>",
        "<é ü='ö'/>",
        "<e xmlns:q='v' p:b='1' q:b='2'/>",
    ];
    prop::collection::vec(prop::sample::select(pieces), 0..24).prop_map(|pieces| pieces.concat())
}

fn document() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        "[a-z0-9]{1,9}",
        prop::sample::select(vec![
            "<e/>",
            "&#65;",
            "<e b='1'/>",
            "<e b='77' q:c=''/>",
            "<!-- c -->"
        ])
        .prop_map(str::to_owned),
    ];
    let tags = vec![
        "a",
        "item",
        "p:b",
        "p:b xmlns:p='w'",
        "a b='1'",
        "a xmlns='d'",
        "a b=\"2\"",
        "q:b xmlns:q='p'",
    ];
    let tree = leaf.prop_recursive(4, 40, 6, move |inner| {
        (
            prop::sample::select(tags.clone()),
            prop::collection::vec(inner, 0..6),
        )
            .prop_map(|(tag, children)| {
                let name = tag.split(' ').next().unwrap();
                format!("<{tag}>{}</{name}>", children.concat())
            })
    });
    prop::collection::vec(tree, 0..5)
        .prop_map(|trees| format!("<r xmlns:p='v' xmlns:q='q'>{}</r>", trees.concat()))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_documents(
        documents in prop::collection::vec(prop_oneof![4 => document(), 1 => pieces()], 1..12),
        small in any::<bool>(),
    ) {
        let limits = if small {
            Limits { depth_max: 4, attributes_max: 2, namespaces_max: 4, ..Limits::default() }
        } else {
            Limits::default()
        };
        let budget_bytes = if small { 2000 } else { 1 << 20 };
        let mut delta = Delta::new(DeltaOptions { limits, budget_bytes, tags_max: if small { 2 } else { 64 } });
        for text in &documents {
            prop_assert_eq!(differential(&mut delta, text), plain(text, limits), "{}", text);
            prop_assert!(delta.stats().memory < budget_bytes + 2000);
        }
    }

    #[test]
    fn passing_and_cutting_out(first in document(), text in document(), every in 1..5usize) {
        let mut delta = Delta::default();
        differential(&mut delta, &first);
        let (mut known, mut reader) = (delta.read(&text), Reader::new(&text));
        for n in 0.. {
            let token = reader.next().unwrap();
            prop_assert_eq!(&known.next().unwrap(), &token);
            if matches!(token, Token::Start { .. }) && n % every == 0 {
                match n % 3 {
                    0 => prop_assert_eq!(known.capture(), reader.capture()),
                    1 => prop_assert_eq!(known.skip_element(), reader.skip_element()),
                    _ => prop_assert_eq!(known.fragment(), reader.fragment()),
                }
            }
            if token == Token::Eof { break }
        }
    }
}

#[test]
fn only_what_is_new_is_parsed() {
    let list = |items: &[u32], extra: &str| {
        let items: String = items
            .iter()
            .map(|i| format!("<m:item id='{i}'><m:n>{i}</m:n></m:item>"))
            .collect();
        format!("<m:list xmlns:m='urn:m'>{items}{extra}</m:list>")
    };
    let mut delta = Delta::default();
    let mut parsed = |text: &str| {
        let before = delta.stats();
        differential(&mut delta, text);
        let after = delta.stats();
        (
            after.tags_parsed - before.tags_parsed,
            after.tags_known - before.tags_known,
        )
    };
    // The root declares, and is parsed each time.
    assert_eq!(parsed(&list(&[1, 2, 3], "")), (3, 4));
    assert_eq!(parsed(&list(&[7, 8, 9], "")), (1, 6), "other values");
    assert_eq!(parsed(&list(&[1, 5, 2, 3], "")), (1, 8), "more items");
    assert_eq!(parsed(&list(&[3], "<m:end/>")), (2, 2), "an element never seen");
    assert_eq!(parsed(&list(&[3], "<m:end/>")), (1, 3));
    assert_eq!(
        parsed(&list(&[3], "").replace("m:", "n:").replace(":m", ":n")),
        (3, 0)
    );
}

#[test]
fn what_never_repeats_takes_no_more_than_the_budget() {
    let budget_bytes = 10_000;
    let mut delta = Delta::new(DeltaOptions {
        budget_bytes,
        ..DeltaOptions::default()
    });
    for round in 0..200 {
        let tags: String = (0..50)
            .map(|i| format!("<x{round}_{i} xmlns='urn:{round}:{i}'/>"))
            .collect();
        differential(&mut delta, &format!("<r>{tags}</r>"));
        assert!(delta.stats().memory < budget_bytes + 500);
    }
    assert!(delta.stats().collections > 10);
    // What comes again is known again.
    differential(&mut delta, "<r><a/></r>");
    let before = delta.stats().tags_known;
    differential(&mut delta, "<r><a/></r>");
    assert_eq!(delta.stats().tags_known, before + 1);
}

#[test]
fn foreign_documents() {
    let Some(folder) = support::testdata("xmlconf") else {
        return;
    };
    let mut delta = Delta::default();
    let mut tokens = 0;
    for path in support::files(&folder) {
        let bytes = std::fs::read(&path).unwrap();
        let Ok(text) = castile_xml::to_utf8(&bytes, None) else {
            continue;
        };
        for _ in 0..2 {
            let found = differential(&mut delta, &text);
            assert_eq!(found, plain(&text, Limits::default()), "{}", path.display());
            tokens += found.len();
        }
    }
    assert!(tokens > 5000, "{tokens}");
}
