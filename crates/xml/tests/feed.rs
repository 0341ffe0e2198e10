//! What a [`Feed`] reads does not depend on how the bytes were cut, and is what a [`Reader`] reads.

mod support;

use castile_xml::{Error, Feed, Kind, Limits, Place, Reader, Token, to_utf8};
use proptest::prelude::*;

/// Tokens as text, and how it ended: where, and with what.
type Outcome = (Vec<String>, Option<(usize, (u32, u32), Kind)>);

fn shown(token: &Token<'_>, attributes: Vec<String>) -> String {
    format!("{token:?} {attributes:?}")
}

fn attributes(reader: &Reader<'_>, token: &Token<'_>) -> Vec<String> {
    let Token::Start { .. } = token else {
        return Vec::new();
    };
    let declared = reader
        .declarations()
        .iter()
        .map(|(p, ns)| format!("{p}={}", reader.uri(*ns)));
    let attributes = reader.attributes().iter().map(|a| format!("{a:?}"));
    declared
        .chain(attributes)
        .chain([format!("{:?}", reader.in_scope().collect::<Vec<_>>())])
        .collect()
}

/// Reads pieces as they come.
fn fed<'b>(pieces: impl Iterator<Item = &'b [u8]>, limits: Limits) -> Outcome {
    let mut feed = Feed::new(limits);
    let mut tokens = Vec::new();
    let mut pieces = pieces.map(Some).chain([None]);
    loop {
        match pieces.next() {
            Some(Some(piece)) => feed.push(piece),
            Some(None) => feed.finish(),
            None => return (tokens, None),
        }
        let error = feed.read(|window| {
            loop {
                match window.next() {
                    Ok(Some(token)) => tokens.push(shown(&token, attributes(window.reader(), &token))),
                    Ok(None) => return None,
                    Err(error) => {
                        let Place { offset, line, column } = window.place_of(&error);
                        return Some((offset, (line, column), error.kind().clone()));
                    }
                }
            }
        });
        if error.is_some() {
            return (tokens, error);
        }
    }
}

/// Reads it whole. What is wrong with its encoding is told first there, so it is not compared.
fn whole(bytes: &[u8], limits: Limits) -> Option<Outcome> {
    let text = to_utf8(bytes, None).ok()?;
    let mut reader = Reader::with_limits(&text, limits);
    let mut tokens = Vec::new();
    loop {
        match reader.next() {
            Ok(Token::Eof) => return Some((tokens, None)),
            Ok(token) => tokens.push(shown(&token, attributes(&reader, &token))),
            Err(error) => {
                let place = Reader::line_column(&text, error.offset());
                return Some((tokens, Some((error.offset(), place, error.kind().clone()))));
            }
        }
    }
}

fn pieces() -> impl Strategy<Value = String> {
    let pieces = vec![
        "<a>",
        "</a>",
        "<a",
        ">",
        "<p:b xmlns:p='v'>",
        "</p:b>",
        "<e/>",
        " b='c'",
        " c=\"<>\"",
        "é",
        "\u{10348}",
        "\r\n",
        "\r",
        "\n",
        "text",
        "&lt;",
        "&#65;",
        "&",
        "<![CDATA[",
        "<![CDATA[]]>",
        "]]>",
        "]]",
        "]",
        "<!--",
        "-->",
        "--",
        "<?p",
        "?>",
        "<?",
        "<!",
        "<",
        "</",
        "'",
        "\"",
        " ",
        "xmlns='u'",
        "<q xmlns='u' xmlns:p='w'>",
        "</q>",
        "\u{FFFE}",
        "\u{FEFF}",
        "<!DOCTYPE a>",
    ];
    let prolog = prop::sample::select(vec![
        "",
        "",
        "\u{FEFF}",
        "<?xml version='1.0'?>",
        "\u{FEFF}<?xml version='1.0' encoding='utf-8'?>\n",
        "<?xml",
        "<?x",
    ]);
    let middle = prop::collection::vec(prop::sample::select(pieces), 0..30);
    let around = any::<bool>();
    (prolog, middle, around).prop_map(|(prolog, middle, around)| {
        let middle = middle.concat();
        match around {
            true => format!("{prolog}<r xmlns:p='x'>{middle}</r>"),
            false => format!("{prolog}{middle}"),
        }
    })
}

/// Cuts at places given as numbers of any size.
fn cut<'b>(bytes: &'b [u8], places: &[usize]) -> Vec<&'b [u8]> {
    let mut places: Vec<usize> = places.iter().map(|p| p % (bytes.len() + 1)).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    places.windows(2).map(|w| &bytes[w[0]..w[1]]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_way_of_cutting_reads_the_same(text in pieces(), places in prop::collection::vec(any::<usize>(), 0..12)) {
        let limits = Limits { depth_max: 12, attributes_max: 3, name_bytes_max: 20, ..Limits::default() };
        let expected = whole(text.as_bytes(), limits).unwrap();
        prop_assert_eq!(&fed([text.as_bytes()].into_iter(), limits), &expected, "uncut");
        prop_assert_eq!(&fed(text.as_bytes().chunks(1), limits), &expected, "byte by byte");
        prop_assert_eq!(&fed(cut(text.as_bytes(), &places).into_iter(), limits), &expected, "cut");
    }

    #[test]
    fn any_bytes_read_the_same(bytes in any::<Vec<u8>>(), places in prop::collection::vec(any::<usize>(), 0..5), inside in any::<bool>()) {
        let bytes = if inside { [b"<a>", &bytes[..], b"</a>"].concat() } else { bytes };
        let once = fed([&bytes[..]].into_iter(), Limits::default());
        prop_assert_eq!(&fed(bytes.chunks(1), Limits::default()), &once);
        prop_assert_eq!(&fed(cut(&bytes, &places).into_iter(), Limits::default()), &once);
    }

    #[test]
    fn other_encodings_read_the_same(text in "[a-zé\u{10348}&;]{0,20}", places in prop::collection::vec(any::<usize>(), 0..5)) {
        let wide = |text: String, big: bool| -> Vec<u8> {
            text.encode_utf16().flat_map(|u| if big { u.to_be_bytes() } else { u.to_le_bytes() }).collect()
        };
        let declared = format!("<?xml version='1.0' encoding='utf-16'?><a>{text}</a>");
        let latin: String = text.chars().filter(|c| (*c as u32) < 256).collect();
        let latin = format!("<?xml version='1.0' encoding='iso-8859-1'?><a>{latin}</a>");
        let latin: Vec<u8> = latin.chars().map(|c| c as u8).collect();
        let documents = [wide(declared.clone(), true), wide(declared, false), wide(format!("\u{FEFF}<a>{text}</a>"), true), latin];
        for document in documents {
            let expected = whole(&document, Limits::default()).unwrap();
            prop_assert_eq!(&fed(document.chunks(1), Limits::default()), &expected);
            prop_assert_eq!(&fed(cut(&document, &places).into_iter(), Limits::default()), &expected);
        }
    }
}

#[test]
fn an_element_is_wanted_whole() -> Result<(), Error> {
    let mut feed = Feed::new(Limits::default());
    let mut seen = Vec::new();
    let document = "<r><i a='>'><j/>1<!-- </i> --></i><i><![CDATA[</i>]]></i><i/></r>";
    for piece in document.as_bytes().chunks(3) {
        feed.push(piece);
        feed.read(|window| {
            while let Some(token) = window.next()? {
                let Token::Start { name, .. } = token else {
                    continue;
                };
                if name.local == "i" {
                    if !window.whole()? {
                        break;
                    }
                    seen.push(window.reader().capture()?);
                }
            }
            Ok::<_, Error>(())
        })?;
    }
    assert_eq!(
        seen,
        [
            "<i a='>'><j/>1<!-- </i> --></i>",
            "<i><![CDATA[</i>]]></i>",
            "<i/>"
        ]
    );
    Ok(())
}

#[test]
fn what_is_read_is_dropped() {
    let mut feed = Feed::new(Limits::default());
    feed.push(b"<r>");
    let mut items = 0;
    for _ in 0..100_000 {
        feed.push(b"<i>some text in an item</i>");
        feed.read(|window| {
            while let Ok(Some(token)) = window.next() {
                items += usize::from(matches!(token, Token::End { .. }));
            }
        });
        assert!(feed.waiting() < 100);
    }
    assert_eq!(items, 100_000);
    assert_eq!(feed.place().offset, 3 + 100_000 * 27);
}

#[test]
fn limits_hold_for_the_whole_document_and_for_what_is_waited_for() {
    let kind = |document: String, limits| {
        fed(document.as_bytes().chunks(7), limits)
            .1
            .map(|(_, _, kind)| kind)
    };
    let limits = Limits {
        bytes_max: 100,
        window_bytes_max: 30,
        ..Limits::default()
    };
    let limit = |name, max| Some(Kind::Limit { name, max });
    assert_eq!(kind(format!("<r>{}</r>", "<i>1</i>".repeat(11)), limits), None);
    assert_eq!(
        kind(format!("<r>{}</r>", "<i>1</i>".repeat(12)), limits),
        limit("bytes_max", 100)
    );
    assert_eq!(
        kind(format!("<r>{}</r>", "x".repeat(60)), limits),
        limit("window_bytes_max", 30)
    );
    assert_eq!(
        kind(format!("<r a='{}'/>", "x".repeat(60)), limits),
        limit("window_bytes_max", 30)
    );
}

/// The W3C's documents, in all their encodings: in single bytes, and the shorter ones cut at every place.
#[test]
fn the_conformance_suite_cut_everywhere() {
    let Some(folder) = support::testdata("xmlconf/w3c-xmlconf") else {
        return;
    };
    let (mut read, mut refused) = (0, 0);
    for path in support::files(&folder) {
        let bytes = std::fs::read(&path).unwrap();
        let shown = path.display();
        let places = if bytes.len() <= 300 { 1..bytes.len() } else { 0..0 };
        let mut cuts: Vec<Vec<&[u8]>> = places.map(|at| cut(&bytes, &[at])).collect();
        cuts.push(bytes.chunks(1).collect());
        for pieces in cuts {
            let found = fed(pieces.into_iter(), Limits::default());
            match whole(&bytes, Limits::default()) {
                Some(expected) => assert_eq!(found, expected, "{shown}"),
                None => assert!(found.1.is_some(), "{shown}: it is not in its encoding"),
            }
            match found.1 {
                None => read += 1,
                Some(_) => refused += 1,
            }
        }
    }
    println!("{read} readings to the end, {refused} refused");
    assert!(read > 5000 && refused > 20_000);
}
