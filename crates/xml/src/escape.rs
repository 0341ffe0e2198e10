//! Writing text so that a reader gives it back unchanged (XML 1.0, 2.4, 2.11, 3.3.3).

use std::borrow::Cow;

use crate::chars::{self, TEXT_ESCAPE, VALUE_ESCAPE};
use crate::error::{Error, Kind};

/// Appends `text` as element content: `&`, `<`, `>` and CR as references. The text must be free of
/// characters that XML cannot carry, see [`check_text`].
///
/// ```
/// let mut out = Vec::new();
/// castile_xml::escape_text("a < b\r\n", &mut out);
/// assert_eq!(out, b"a &lt; b&#13;\n");
/// ```
pub fn escape_text(text: &str, out: &mut Vec<u8>) {
    escape::<TEXT_ESCAPE>(text, out);
}

/// Appends `text` as the inside of an attribute value in double quotes: `&`, `<`, `"`, TAB, LF and
/// CR as references. The text must be free of characters that XML cannot carry, see
/// [`check_text`].
///
/// ```
/// let mut out = Vec::new();
/// castile_xml::escape_attribute("say \"a\tb\"", &mut out);
/// assert_eq!(out, b"say &quot;a&#9;b&quot;");
/// ```
pub fn escape_attribute(text: &str, out: &mut Vec<u8>) {
    escape::<VALUE_ESCAPE>(text, out);
}

/// What [`escape_text`] or [`escape_attribute`] wrote, as it was before.
///
/// ```
/// assert_eq!(castile_xml::unescape(b"a &lt; b&#13;"), "a < b\r");
/// ```
pub fn unescape(written: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(written);
    if !text.contains('&') {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let known = b"&<>\"\t\n\r".iter();
        let found = known
            .filter_map(|&b| Some((b, after.strip_prefix(reference(b).get(1..)?)?)))
            .next();
        let (b, after) = found.unwrap_or((b'&', after));
        out.push(char::from(b));
        rest = after;
    }
    out.push_str(rest);
    out.into()
}

/// Checks that XML 1.0 can carry every character of `text` (2.2): there is no way, not even a
/// reference, to write the others.
///
/// # Errors
/// [`Kind::Character`] with the first one and its offset in `text`.
pub fn check_text(text: &str) -> Result<(), Error> {
    match chars::first_illegal(text) {
        Some((at, c)) => Err(Error::new(Kind::Character(c), at)),
        None => Ok(()),
    }
}

#[inline]
fn escape<const STOP: u8>(text: &str, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    out.reserve(bytes.len());
    let mut run = 0;
    loop {
        let end = chars::stop::<STOP>(bytes, run);
        out.extend_from_slice(bytes.get(run..end).unwrap_or_default());
        let Some(&b) = bytes.get(end) else { return };
        out.extend_from_slice(reference(b).as_bytes());
        run = end + 1;
    }
}

/// The reference for a byte that [`chars`] classes as one to escape.
fn reference(b: u8) -> &'static str {
    match b {
        b'&' => "&amp;",
        b'<' => "&lt;",
        b'>' => "&gt;",
        b'"' => "&quot;",
        b'\t' => "&#9;",
        b'\n' => "&#10;",
        _ => "&#13;",
    }
}
