//! Which encoding bytes are in, who is believed, and where an error is.

use castile_xml::{Kind, Reader, Token, to_utf8};

fn utf16(text: &str, mark: bool, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let mark = if mark { "\u{FEFF}" } else { "" };
    mark.encode_utf16()
        .chain(text.encode_utf16())
        .flat_map(unit)
        .collect()
}

/// What is read, or the offset and the message.
fn read(bytes: &[u8], charset: Option<&str>) -> Result<String, (usize, String)> {
    match to_utf8(bytes, charset) {
        Ok(text) => Ok(text.into_owned()),
        Err(error) => match error.kind() {
            Kind::Encoding(what) => Err((error.offset(), what.to_string())),
            other => panic!("{other:?}"),
        },
    }
}

#[test]
fn utf8_with_and_without_a_mark() {
    for charset in [None, Some("utf-8"), Some("UTF8"), Some("\"utf-8\""), Some("")] {
        assert_eq!(read("<a>é</a>".as_bytes(), charset).unwrap(), "<a>é</a>");
        assert_eq!(read("\u{FEFF}<a>é</a>".as_bytes(), charset).unwrap(), "<a>é</a>");
    }
    assert!(matches!(
        to_utf8(b"<a/>", None),
        Ok(std::borrow::Cow::Borrowed(_))
    ));
}

#[test]
fn utf16_by_mark_by_pattern_and_by_name() {
    let text = "<?xml version='1.0' encoding='UTF-16'?><a>é😀</a>";
    for mark in [true, false] {
        for charset in [None, Some("utf-16")] {
            assert_eq!(read(&utf16(text, mark, u16::to_le_bytes), charset).unwrap(), text);
            assert_eq!(read(&utf16(text, mark, u16::to_be_bytes), charset).unwrap(), text);
        }
        assert_eq!(
            read(&utf16(text, mark, u16::to_le_bytes), Some("utf-16le")).unwrap(),
            text
        );
        assert_eq!(
            read(&utf16(text, mark, u16::to_be_bytes), Some("UTF-16BE")).unwrap(),
            text
        );
    }
}

#[test]
fn single_byte_encodings() {
    assert_eq!(
        read(b"<a>\xE9\x85</a>", Some("iso-8859-1")).unwrap(),
        "<a>é\u{85}</a>"
    );
    assert_eq!(
        read(b"<a>\xE9\x85</a>", Some("windows-1252")).unwrap(),
        "<a>é…</a>"
    );
    assert_eq!(read(b"<a>\xA4</a>", Some("ISO-8859-15")).unwrap(), "<a>€</a>");
    assert_eq!(read(b"<a>b</a>", Some("us-ascii")).unwrap(), "<a>b</a>");
    let declared = b"<?xml version=\"1.0\"  encoding = 'ISO-8859-1' ?><a>\xE9</a>";
    assert!(read(declared, None).unwrap().ends_with("<a>é</a>"));
}

#[test]
fn the_transport_wins_over_the_declaration() {
    let text = "<?xml version='1.0' encoding='iso-8859-1'?><a>é</a>";
    assert_eq!(read(text.as_bytes(), Some("utf-8")).unwrap(), text);
    let text = "<?xml version='1.0' encoding='x-unheard-of'?><a>é</a>";
    assert_eq!(read(text.as_bytes(), Some("utf-8")).unwrap(), text);
    let text = "<?xml version='1.0' encoding='utf-8'?><a>é</a>";
    assert_eq!(
        read(&utf16(text, true, u16::to_le_bytes), Some("utf-16")).unwrap(),
        text
    );
}

#[test]
fn contradictions_and_unknown_names() {
    let failing: &[(&[u8], Option<&str>, usize, &str)] = &[
        (b"<a/>", Some("x-unheard-of"), 0, "unknown encoding x-unheard-of"),
        (
            b"<a/>",
            Some("x-user-defined"),
            0,
            "unknown encoding x-user-defined",
        ),
        (
            b"<?xml version='1.0' encoding='foo'?><a/>",
            None,
            30,
            "unknown encoding foo",
        ),
        (
            b"<?xml version='1.0' encoding='UTF-16'?><a/>",
            None,
            30,
            "the first bytes contradict the encoding UTF-16",
        ),
        (
            b"\xEF\xBB\xBF<?xml version='1.0' encoding='ISO-8859-1'?><a/>",
            None,
            33,
            "the first bytes contradict the encoding ISO-8859-1",
        ),
        (
            b"\xEF\xBB\xBF<a/>",
            Some("iso-8859-1"),
            0,
            "the first bytes contradict the encoding iso-8859-1",
        ),
        (
            b"\xFF\xFE<\0a\0/\0>\0",
            Some("utf-8"),
            0,
            "the first bytes contradict the encoding utf-8",
        ),
        (
            b"\xFF\xFE<\0a\0/\0>\0",
            Some("utf-16be"),
            0,
            "the first bytes contradict the encoding utf-16be",
        ),
        (
            b"<a/>",
            Some("utf-16"),
            0,
            "the first bytes contradict the encoding utf-16",
        ),
        (b"\xFF\xFE\0\0<\0\0\0", None, 0, "UTF-32 is not supported"),
        (b"\x4C\x6F\xA7\x94", None, 0, "EBCDIC is not supported"),
    ];
    for (bytes, charset, offset, what) in failing {
        assert_eq!(
            read(bytes, *charset),
            Err((*offset, (*what).to_owned())),
            "{charset:?}"
        );
    }
    let wide = utf16(
        "<?xml version='1.0' encoding='utf-8'?><a/>",
        true,
        u16::to_be_bytes,
    );
    let (offset, what) = read(&wide, None).unwrap_err();
    assert_eq!(
        (offset, what.as_str()),
        (62, "UTF-16 contradicts the declared encoding utf-8")
    );
}

#[test]
fn invalid_bytes_are_named_where_they_are() {
    assert_eq!(read(b"<a>\xC3</a>", None).unwrap_err().0, 3);
    assert_eq!(read(b"\xEF\xBB\xBF<a>\xFF</a>", None).unwrap_err().0, 6);
    assert_eq!(read(b"<a>\xED\xA0\x80</a>", None).unwrap_err().0, 3);
    assert_eq!(read(b"<a>\xE9</a>", Some("us-ascii")).unwrap_err().0, 3);
    assert_eq!(read(b"\xFF\xFE<\0a\0\x00\xD8/\0>\0", None).unwrap_err().0, 6);
    assert_eq!(read(b"\xFF\xFE<\0a\0/", None).unwrap_err().0, 6);
    assert_eq!(read(b"<a>\x81\xFF</a>", Some("shift_jis")).unwrap_err().0, 3);
}

#[test]
fn what_was_transcoded_reads() {
    let bytes = utf16(
        "<?xml version='1.0' encoding='utf-16'?><a>é</a>",
        true,
        u16::to_le_bytes,
    );
    let text = to_utf8(&bytes, None).unwrap();
    let mut reader = Reader::new(&text);
    reader.next().unwrap();
    assert_eq!(reader.next().unwrap(), Token::Text("é".into()));
}
