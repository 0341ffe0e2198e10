//! Whatever a [`Delta`] has read before, it reads a document as a [`Reader`] does.

#[path = "support/delta.rs"]
mod both;
mod support;

use std::ops::Range;

use both::{differential, patient, plain};
use castile_xml::{Delta, DeltaOptions, Limits, Reader, Token};
use proptest::prelude::*;

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

/// A change of a document, at two places of it that the numbers choose.
type Change = (u8, usize, usize);

/// A document that is like another one: elements taken away, put in or moved, texts, values and declarations
/// changed, white space added, or cut off.
fn changed(text: &str, changes: &[Change]) -> String {
    let mut text = text.to_owned();
    for &(kind, from, to) in changes {
        let (elements, texts) = places(&text);
        let pick = |ranges: &[Range<usize>], n: usize| ranges.get(n % ranges.len().max(1)).cloned();
        let (Some(one), Some(other)) = (pick(&elements, from), pick(&elements, to)) else {
            return text;
        };
        let character = (from..text.len())
            .find(|at| text.is_char_boundary(*at))
            .unwrap_or(0);
        let put = |at: usize, new: &str| [&text[..at], new, &text[at..]].concat();
        let replace = |old: Range<usize>, new: &str| [&text[..old.start], new, &text[old.end..]].concat();
        let piece = NEW[to % NEW.len()];
        text = match kind {
            0 => replace(one, ""),
            1 => put(one.start, &text[other]),
            2 if other.end <= one.start => [
                &text[..other.start],
                &text[other.end..one.start],
                &text[other],
                &text[one.start..],
            ]
            .concat(),
            3 => put(one.start, piece),
            4 => put(one.end, piece),
            5 => pick(&texts, from).map_or(text.clone(), |old| replace(old, piece)),
            6 => text.replacen("='", ["='1", " ='", "= '&#9;", "='\r\n"][to % 4], 1 + from % 3),
            7 => text.replacen(
                "xmlns:p='v'",
                ["xmlns:p='w'", "xmlns:p='v' xmlns:z='z'"][to % 2],
                1,
            ),
            8 => text.replacen('>', [" >", "\n>"][to % 2], from % 9),
            9 => text[..character].to_owned(),
            10 => format!("{text}{}", ["\n", " ", "<!-- end -->", "<x/>"][to % 4]),
            _ => format!(
                "{}{text}",
                ["<?xml version='1.0'?>", "\u{FEFF}", "<!-- c -->", "\n"][to % 4]
            ),
        };
    }
    text
}

const NEW: [&str; 12] = [
    "<new/>",
    "<new>1</new>",
    "<e b='1' c='2'/>",
    "text",
    "x&amp;y",
    "\r\n",
    "<![CDATA[]]>",
    "<![CDATA[<]]>",
    "<!-- c -->",
    "<a xmlns='d'><e/></a>",
    "<p:b xmlns:p='w'>1</p:b>",
    "7",
];

/// Where the elements of a document lie, but for its root, and where its texts do.
fn places(text: &str) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let (mut elements, mut texts, mut open) = (Vec::new(), Vec::new(), Vec::new());
    let mut reader = Reader::new(text);
    while let Ok(token) = reader.next() {
        let place = reader.token_start()..reader.position();
        match token {
            Token::Start { .. } => open.push(place.start),
            Token::End { .. } => elements.extend(open.pop().map(|start| start..place.end)),
            Token::Text(_) => texts.push(place),
            Token::Eof => break,
            _ => {}
        }
    }
    elements.retain(|element| element.start > 0 && element.end < text.len());
    (elements, texts)
}

fn options(small: bool) -> DeltaOptions {
    let limits = match small {
        true => Limits {
            depth_max: 4,
            attributes_max: 2,
            namespaces_max: 4,
            bytes_max: 300,
            ..Limits::default()
        },
        false => Limits::default(),
    };
    DeltaOptions {
        limits,
        budget_bytes: if small { 2000 } else { 1 << 20 },
        documents_max: if small { 1 } else { 3 },
        pauses: small,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_documents(
        documents in prop::collection::vec(prop_oneof![4 => document(), 1 => pieces()], 1..12),
        small in any::<bool>(),
    ) {
        let options = options(small);
        let mut delta = Delta::new(options);
        for text in &documents {
            prop_assert_eq!(differential(&mut delta, text), plain(text, options.limits), "{}", text);
            prop_assert!(delta.stats().memory <= options.budget_bytes);
        }
    }

    #[test]
    fn documents_that_change(
        first in document(),
        steps in prop::collection::vec(prop::collection::vec((0..12u8, 0..1000usize, 0..1000usize), 0..4), 1..8),
        small in any::<bool>(),
        drifts in any::<bool>(),
    ) {
        let options = options(small);
        let mut delta = Delta::new(options);
        differential(&mut delta, &first);
        let mut text = first.clone();
        for changes in &steps {
            text = changed(if drifts { &text } else { &first }, changes);
            prop_assert_eq!(differential(&mut delta, &text), plain(&text, options.limits), "{}", &text);
            prop_assert!(delta.stats().memory <= options.budget_bytes);
        }
    }

    #[test]
    fn lists_that_lose_and_get_items(
        edits in prop::collection::vec((0..300usize, 0..20usize, 0..20usize), 1..5),
        wide in any::<bool>(),
    ) {
        let mut delta = Delta::default();
        let mut items: Vec<usize> = (0..300).collect();
        let list = |items: &[usize]| -> String {
            let each = items.iter().map(|i| match wide {
                true => format!("<a><b c='1'/><d>{i}</d><e>{}</e></a>", i * i),
                false => format!("<a>{i}</a>"),
            });
            format!("<r>{}</r>", each.collect::<String>())
        };
        differential(&mut delta, &list(&items));
        for (at, removed, added) in edits {
            let at = at.min(items.len());
            let end = (at + removed).min(items.len());
            items.splice(at..end, (0..added).map(|i| 7_000_000 + 31 * i));
            let text = list(&items);
            prop_assert_eq!(differential(&mut delta, &text), plain(&text, Limits::default()));
        }
    }

    #[test]
    fn pieces_that_are_lost_or_repeated(
        groups in prop::collection::vec((0..GROUPS.len(), 15..30usize), 2..8),
        changes in prop::collection::vec((0..250usize, 0..60usize, any::<bool>()), 1..4),
    ) {
        let mut number = 0;
        let mut pieces = vec!["<r xmlns:p='p' xmlns:q='q'>".to_owned()];
        for (group, items) in groups {
            let (start, end) = GROUPS[group];
            pieces.push(start.to_owned());
            pieces.extend((0..items).map(|_| {
                number += 7919;
                format!("<p:a>{number}</p:a>")
            }));
            pieces.push(end.to_owned());
        }
        pieces.push("</r>".to_owned());
        let first = pieces.concat();
        let mut delta = patient();
        differential(&mut delta, &first);
        for (from, count, repeated) in changes {
            let from = from.min(pieces.len());
            let to = (from + count).min(pieces.len());
            if repeated {
                let some = pieces[from..to].to_vec();
                pieces.splice(to..to, some);
            } else {
                pieces.drain(from..to);
            }
            // Mostly not well-formed; what is right of it is read as it was.
            let text = pieces.concat();
            prop_assert_eq!(differential(&mut delta, &text), plain(&text, Limits::default()));
            prop_assert_eq!(differential(&mut delta, &first), plain(&first, Limits::default()));
        }
    }

    #[test]
    fn passing_and_cutting_out(
        first in document(),
        changes in prop::collection::vec((0..12u8, 0..1000usize, 0..1000usize), 0..3),
        every in 1..5usize,
    ) {
        let mut delta = Delta::default();
        differential(&mut delta, &first);
        let text = changed(&first, &changes);
        // The second time it is compared with what was noted while elements were passed.
        for _ in 0..2 {
            let (mut known, mut reader) = (delta.read(&text), Reader::new(&text));
            for n in 0.. {
                let token = reader.next();
                prop_assert_eq!(&known.next(), &token);
                if matches!(token, Ok(Token::Start { .. })) && n % every == 0 {
                    match n % 3 {
                        0 => prop_assert_eq!(known.capture(), reader.capture()),
                        1 => prop_assert_eq!(known.skip_element(), reader.skip_element()),
                        _ => prop_assert_eq!(known.fragment(), reader.fragment()),
                    }
                }
                if matches!(token, Ok(Token::Eof) | Err(_)) { break }
            }
        }
    }
}

/// Elements around items.
const GROUPS: [(&str, &str); 6] = [
    ("<g>", "</g>"),
    ("<h>", "</h>"),
    ("<g><g>", "</g></g>"),
    ("<x xmlns:p='v' xmlns:q='w'>", "</x>"),
    ("<x xmlns:q='w' xmlns:p='v'>", "</x>"),
    ("<x>", "</x>"),
];

#[test]
fn foreign_documents() {
    let Some(folder) = support::testdata("xmlconf") else {
        return;
    };
    let mut delta = patient();
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
