//! XML: whatever the bytes and however they are cut, one document has one sequence of tokens.

use castile_xml::{Doctype, Error, Feed, Fragment, Kind, Limits, Reader, Token, to_utf8};

/// How the bytes are cut, and a document.
pub(crate) fn documents(bytes: &[u8]) {
    let [cut, document @ ..] = bytes else { return };
    for charset in [None, Some("utf-8"), Some("utf-16le"), Some("iso-8859-1")] {
        match to_utf8(document, charset) {
            Ok(text) => {
                whole(&text);
                in_pieces(document, charset, &text, usize::from(*cut));
            }
            Err(error) => assert!(error.offset() <= document.len()),
        }
    }
}

/// Reads a document at once, in every way that there is.
fn whole(text: &str) {
    for doctype in [Doctype::Refuse, Doctype::Skip] {
        let mut reader = Reader::new(text).doctype(doctype);
        loop {
            let before = reader.position();
            let mut again = reader.clone();
            match reader.next() {
                Ok(token) => {
                    assert!(reader.token_start() >= before && reader.position() >= reader.token_start());
                    assert_eq!(again.next().as_ref(), Ok(&token));
                    assert_eq!(again.attributes(), reader.attributes());
                    assert_eq!(again.scope(), reader.scope());
                    if token == Token::Eof {
                        break;
                    }
                }
                Err(error) => {
                    assert!(text.is_char_boundary(error.offset()), "{error}");
                    assert_eq!(reader.next(), Err(error.clone()), "it fails again alike");
                    let _ = error.with_position(text);
                    break;
                }
            }
        }
    }
    if let Ok(fragment) = Fragment::parse(text) {
        let again = Fragment::parse(fragment.as_str());
        assert_eq!(again.as_ref().map(Fragment::as_str), Ok(fragment.as_str()));
    }
}

/// Tokens as text, and the error at which they end.
type Outcome = (Vec<String>, Option<(usize, Kind)>);

/// Reads a document in pieces of a few lengths, and compares with reading it whole.
fn in_pieces(document: &[u8], charset: Option<&str>, text: &str, cut: usize) {
    let expected = tokens(text);
    for length in [1, cut.max(1)] {
        let mut feed = Feed::with_charset(Limits::default(), charset);
        let mut found = Outcome::default();
        for piece in document.chunks(length) {
            feed.push(piece);
            read_on(&mut feed, &mut found);
        }
        feed.finish();
        read_on(&mut feed, &mut found);
        assert_eq!(found, expected, "in pieces of {length} bytes: {text:?}");
    }
}

fn tokens(text: &str) -> Outcome {
    let mut reader = Reader::new(text);
    let mut found = Outcome::default();
    loop {
        match reader.next() {
            Ok(Token::Eof) => return found,
            Ok(token) => found.0.push(shown(&token, &reader)),
            Err(e) => {
                found.1 = Some((e.offset(), e.kind().clone()));
                return found;
            }
        }
    }
}

fn read_on(feed: &mut Feed, found: &mut Outcome) {
    if found.1.is_some() {
        return;
    }
    feed.read(|window| {
        let failed = |error: Error, window: &castile_xml::Window<'_>| {
            Some((window.place_of(&error).offset, error.kind().clone()))
        };
        loop {
            match window.next() {
                Ok(None) => return,
                Ok(Some(token)) => found.0.push(shown(&token, window.reader())),
                Err(error) => {
                    found.1 = failed(error, window);
                    return;
                }
            }
        }
    });
}

fn shown(token: &Token<'_>, reader: &Reader<'_>) -> String {
    let attributes = match token {
        Token::Start { .. } => reader.attributes(),
        _ => &[],
    };
    format!("{token:?} {attributes:?} {}", reader.depth())
}
