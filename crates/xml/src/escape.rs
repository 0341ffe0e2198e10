//! Writing text so that a reader gives it back unchanged (XML 1.0, 2.4, 2.11, 3.3.3).

use crate::chars;
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
    escape(text, out, |b| match b {
        b'&' => Some("&amp;"),
        b'<' => Some("&lt;"),
        b'>' => Some("&gt;"),
        b'\r' => Some("&#13;"),
        _ => None,
    });
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
    escape(text, out, |b| match b {
        b'&' => Some("&amp;"),
        b'<' => Some("&lt;"),
        b'"' => Some("&quot;"),
        b'\t' => Some("&#9;"),
        b'\n' => Some("&#10;"),
        b'\r' => Some("&#13;"),
        _ => None,
    });
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
fn escape(text: &str, out: &mut Vec<u8>, reference: impl Fn(u8) -> Option<&'static str>) {
    let bytes = text.as_bytes();
    out.reserve(bytes.len());
    let mut run = 0;
    for (at, &b) in bytes.iter().enumerate() {
        if let Some(reference) = reference(b) {
            out.extend_from_slice(bytes.get(run..at).unwrap_or_default());
            out.extend_from_slice(reference.as_bytes());
            run = at + 1;
        }
    }
    out.extend_from_slice(bytes.get(run..).unwrap_or_default());
}
