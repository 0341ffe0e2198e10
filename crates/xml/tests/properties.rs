//! What holds for every text: writing and reading are inverse, nothing panics, a cut-off document
//! ends unexpectedly, and parts read alone are what they are inside the whole.

mod support;

use castile_xml::{
    Doctype, Fragment, Kind, Reader, Token, check_text, escape_attribute, escape_text, is_char, to_utf8,
};
use proptest::prelude::*;

fn legal_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[ -~]{0,20}",
        2 => prop::sample::select(vec!["\r\n", "\r", "\n", "\t", "]]>", "&amp;", "<![CDATA[", "\u{FFFD}", "\u{EFFF}😀"])
            .prop_map(str::to_owned),
        1 => any::<char>().prop_filter("legal", |&c| is_char(c)).prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// Text made of what XML is made of, mostly not well-formed.
fn xmlish() -> impl Strategy<Value = String> {
    let pieces = vec![
        "<",
        ">",
        "/>",
        "</",
        "<a",
        "<a>",
        "</a>",
        "<p:b",
        "a",
        "p:",
        ":",
        "=",
        "'",
        "\"",
        " ",
        "\n",
        "\r",
        "\t",
        "&",
        "&lt;",
        "&#",
        "&#x",
        "65;",
        "&e;",
        "<!--",
        "-->",
        "--",
        "<?",
        "?>",
        "<?xml version='1.0'?>",
        "<?p",
        "<![CDATA[",
        "]]>",
        "]",
        "<!DOCTYPE a",
        "[",
        "<!ENTITY",
        "%p;",
        " xmlns='u'",
        " xmlns:p='v'",
        " xmlns:p=''",
        " b='c'",
        " p:b='c'",
        "é",
        "\u{FFFE}",
        "\u{FF01}",
        "\u{1}",
        "\u{FEFF}",
        "-",
        "1.",
        "xmlns",
        "xml:x=''",
    ];
    prop::collection::vec(prop::sample::select(pieces), 0..40).prop_map(|pieces| pieces.concat())
}

/// A well-formed document: elements with declarations, attributes, text, comments, nested.
fn document() -> impl Strategy<Value = String> {
    let attributes = prop::collection::btree_set(
        prop::sample::select(vec![
            "a='1'",
            "b=\"x&lt;\"",
            "p:c='3'",
            "xmlns='urn:d'",
            "xmlns:q='urn:q'",
            "xmlns=''",
        ]),
        0..4,
    )
    .prop_filter("one default declaration", |set| {
        !(set.contains("xmlns=''") && set.contains("xmlns='urn:d'"))
    })
    .prop_map(|set| set.iter().map(|a| format!(" {a}")).collect::<String>());
    let name = prop::sample::select(vec!["a", "item", "p:b", "é"]);
    let leaf = prop_oneof![
        "[a-z ]{1,9}",
        prop::sample::select(vec![
            "&#65;",
            "<![CDATA[<x>]]>",
            "\r\n",
            "<!-- c -->",
            "<?t d?>",
            "<e/>"
        ])
        .prop_map(str::to_owned),
    ];
    let tree = leaf.prop_recursive(5, 60, 6, move |inner| {
        (
            name.clone(),
            attributes.clone(),
            prop::collection::vec(inner, 0..6),
        )
            .prop_map(|(name, attributes, children)| match children.is_empty() {
                true => format!("<{name}{attributes}/>"),
                false => format!("<{name}{attributes}>{}</{name} >", children.concat()),
            })
    });
    prop::collection::vec(tree, 0..5).prop_map(|trees| format!("<r xmlns:p='urn:p'>{}</r>", trees.concat()))
}

fn prolog() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "",
        "\u{FEFF}<?xml version='1.0'?>",
        "<?xml version=\"1.0\" encoding='utf-8' standalone='yes' ?>\n<!-- c --> <?p?>",
        "<!DOCTYPE r SYSTEM \"x\" [<!ENTITY a \"b>\"> <!-- ]> --> %p; <?q ]>?><!ATTLIST r b CDATA #IMPLIED> ] >",
        "<!DOCTYPE r PUBLIC 'p' \"x\">",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn escaped_text_is_read_back(text in legal_text(), attribute in legal_text()) {
        check_text(&text).unwrap();
        let mut out = b"<a b=\"".to_vec();
        escape_attribute(&attribute, &mut out);
        out.extend_from_slice(b"\">");
        escape_text(&text, &mut out);
        out.extend_from_slice(b"</a>");
        let xml = to_utf8(&out, None).unwrap();
        let mut reader = Reader::new(&xml);
        reader.next().unwrap();
        prop_assert_eq!(&reader.attributes()[0].value, &attribute);
        match reader.next().unwrap() {
            Token::Text(found) => prop_assert_eq!(&found, &text),
            _ => prop_assert_eq!("", &text),
        }
    }

    #[test]
    fn illegal_characters_are_named(before in legal_text(), c in any::<char>()) {
        let text = format!("{before}{c}");
        match check_text(&text) {
            Ok(()) => prop_assert!(is_char(c)),
            Err(error) => {
                prop_assert_eq!(error.kind(), &Kind::Character(c));
                prop_assert_eq!(error.offset(), before.len());
            }
        }
    }

    #[test]
    fn nothing_panics(text in xmlish()) {
        for doctype in [Doctype::Refuse, Doctype::Skip] {
            let mut reader = Reader::new(&text).doctype(doctype);
            loop {
                let before = reader.position();
                match reader.next() {
                    Ok(Token::Eof) => break,
                    Ok(_) => prop_assert!(reader.token_start() >= before && reader.position() >= reader.token_start()),
                    Err(error) => {
                        prop_assert!(error.offset() <= text.len());
                        prop_assert!(text.is_char_boundary(error.offset()));
                        prop_assert_eq!(reader.next(), Err(error.clone()), "a failing call fails again alike");
                        let _ = error.with_position(&text);
                        break;
                    }
                }
            }
        }
        let _ = Fragment::parse(&text);
    }

    #[test]
    fn no_bytes_panic(bytes in any::<Vec<u8>>(), charset in prop::option::of("[a-z0-9-]{0,9}")) {
        for charset in [None, charset.as_deref(), Some("utf-8"), Some("utf-16"), Some("utf-16be"), Some("shift_jis")] {
            match to_utf8(&bytes, charset) {
                Ok(text) => { let _ = support::events(&mut Reader::new(&text)); }
                Err(error) => prop_assert!(error.offset() <= bytes.len()),
            }
        }
    }

    #[test]
    fn a_cut_document_ends_unexpectedly(prolog in prolog(), document in document()) {
        let text = prolog.to_owned() + &document;
        let whole = support::events(&mut Reader::new(&text).doctype(Doctype::Skip)).unwrap();
        for cut in (0..text.len()).filter(|&i| text.is_char_boundary(i)) {
            let mut reader = Reader::new(&text[..cut]).doctype(Doctype::Skip);
            let error = support::events(&mut reader).unwrap_err();
            prop_assert!(matches!(error.kind(), Kind::UnexpectedEnd { .. }), "{} {error}", &text[..cut]);
            prop_assert_eq!(error.offset(), cut);
        }
        prop_assert!(whole.len() >= 2);
    }

    #[test]
    fn a_token_can_be_read_again_from_its_start(text in document()) {
        let mut reader = Reader::new(&text);
        loop {
            let mut again = reader.clone();
            let token = reader.next().unwrap();
            prop_assert_eq!(again.next().unwrap(), token.clone());
            prop_assert_eq!(again.attributes(), reader.attributes());
            prop_assert_eq!(again.scope(), reader.scope());
            if token == Token::Eof { break }
        }
    }

    #[test]
    fn a_captured_element_reads_as_inside(text in document(), which in 0..40usize) {
        let mut reader = Reader::new(&text);
        let mut left = which;
        let inside = loop {
            match reader.next().unwrap() {
                Token::Start { .. } if left == 0 => break reader.clone(),
                Token::Start { .. } => left -= 1,
                Token::Eof => return Ok(()),
                _ => {}
            }
        };
        let depth = reader.depth();
        let start = reader.token_start();
        let captured = reader.capture().unwrap();
        let fragment = inside.clone().fragment().unwrap();
        prop_assert_eq!(fragment.as_str(), &captured);
        let parsed = Fragment::parse(&captured).unwrap();
        prop_assert_eq!(parsed.name(), fragment.name());

        let mut passed = inside.clone();
        passed.skip_element().unwrap();
        prop_assert_eq!((passed.position(), passed.depth(), passed.scope()), (reader.position(), depth - 1, reader.scope()));

        // The events of the captured element are those that the whole has at its place.
        let whole = support::events(&mut Reader::new(&text)).unwrap();
        let rest = support::events(&mut passed).unwrap();
        let before = whole.len() - rest.len() - support::events(&mut Reader::new(&captured)).unwrap().len();
        let alone = support::events(&mut Reader::new(&captured)).unwrap();
        prop_assert_eq!(&whole[before..before + alone.len()], &alone[..]);
        prop_assert!(text[start..].starts_with('<'));
    }

    #[test]
    fn skipped_siblings_leave_the_rest_as_it_was(text in document()) {
        let mut reader = Reader::new(&text);
        reader.next().unwrap();
        let parent = reader.clone();
        let mut ends = vec![reader.position()];
        loop {
            match reader.next().unwrap() {
                Token::Start { .. } => reader.skip_element().unwrap(),
                Token::End { .. } => break,
                _ => {}
            }
            ends.push(reader.position());
        }
        for end in ends {
            let mut skipping = parent.clone();
            skipping.skip_to(end);
            let mut reading = parent.clone();
            while reading.position() < end {
                if let Token::Start { .. } = reading.next().unwrap() { reading.skip_element().unwrap() }
            }
            prop_assert_eq!(support::events(&mut skipping), support::events(&mut reading));
        }
    }

    #[test]
    fn scope_ids_tell_bindings_apart(text in document()) {
        let mut seen = std::collections::BTreeMap::new();
        let mut reader = Reader::new(&text);
        loop {
            let token = reader.next().unwrap();
            let bindings: Vec<_> = reader.in_scope().map(|(p, u)| (p.to_owned(), u.to_owned())).collect();
            for (prefix, uri) in &bindings {
                let ns = reader.lookup(prefix).unwrap();
                prop_assert_eq!(reader.uri(ns), uri);
            }
            let first = seen.entry(reader.scope()).or_insert_with(|| bindings.clone());
            prop_assert_eq!(first, &bindings);
            if token == Token::Eof { break }
        }
    }
}
