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

/// Copies `text` to the start of `out`, when it is its own form as element content: [`check_text`] has
/// nothing against it and [`escape_text`] nothing to change. Else `false`, and `out` is left in any
/// state; so it is when `out` is too short.
///
/// For many short texts: one look at each byte, no call. Texts that have white space other than blanks,
/// or characters from U+F000 to U+FFFF, are not looked at closely enough, and are `false` as well.
///
/// ```
/// let mut out = [0; 8];
/// assert!(castile_xml::copy_plain("R\u{f6}d", &mut out));
/// assert_eq!(&out[..4], "R\u{f6}d".as_bytes());
/// assert!(!castile_xml::copy_plain("R&D", &mut out));
/// ```
#[inline]
pub fn copy_plain(text: &str, out: &mut [u8]) -> bool {
    match out.get_mut(..text.len()) {
        Some(out) if text.len() <= 32 => copy_short(text.as_bytes(), out),
        Some(out) => copy_blocks(text.as_bytes(), out),
        None => false,
    }
}

/// Copies up to 32 bytes.
#[inline(always)]
pub(crate) fn copy_short(bytes: &[u8], out: &mut [u8]) -> bool {
    match bytes.len() {
        16..=32 => copy_ends::<16>(bytes, out),
        8..16 => copy_ends::<8>(bytes, out),
        0..8 => copy_few(bytes, out),
        _ => false,
    }
}

/// Copies less than 8 bytes.
#[inline(never)]
fn copy_few(bytes: &[u8], out: &mut [u8]) -> bool {
    if bytes.len() >= 4 {
        return copy_ends::<4>(bytes, out);
    }
    let mut suspect = false;
    for (to, &b) in out.iter_mut().zip(bytes) {
        *to = b;
        suspect |= chars::cannot_stand(b);
    }
    !suspect
}

/// Copies `N` to `2 * N` bytes as two blocks, which may overlap.
#[inline(always)]
fn copy_ends<const N: usize>(bytes: &[u8], out: &mut [u8]) -> bool {
    let (Some(&head), Some(&tail)) = (bytes.first_chunk::<N>(), bytes.last_chunk::<N>()) else {
        return false;
    };
    if let Some(to) = out.first_chunk_mut() {
        *to = head;
    }
    if let Some(to) = out.last_chunk_mut() {
        *to = tail;
    }
    let suspects = head.iter().zip(&tail);
    let suspect = |&b: &u8| u8::from(chars::cannot_stand(b));
    suspects.fold(0, |any, (a, b)| any | suspect(a) | suspect(b)) == 0
}

/// Copies more than 32 bytes: whole blocks, and the last 32 bytes once more.
#[inline(never)]
fn copy_blocks(bytes: &[u8], out: &mut [u8]) -> bool {
    let blocks = bytes.chunks_exact(32).zip(out.chunks_exact_mut(32));
    let mut plain = true;
    for (from, to) in blocks {
        plain &= copy_ends::<16>(from, to);
    }
    match (bytes.last_chunk::<32>(), out.last_chunk_mut::<32>()) {
        (Some(from), Some(to)) => plain && copy_ends::<16>(from, to),
        _ => false,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_copied_and_other_text_refused() {
        let odd = ["&", "<", ">", "\r", "\n", "\0", "\u{1F}", "\u{FFFE}", "\u{FF01}"];
        for length in 0..100 {
            let plain: String = "a\u{e9}\u{1F600}]\"".chars().cycle().take(length).collect();
            let mut out = vec![0; plain.len()];
            assert!(copy_plain(&plain, &mut out));
            assert_eq!(out, plain.as_bytes());
            assert!(length == 0 || !copy_plain(&plain, &mut out[1..]), "too short");
            for (at, _) in plain.char_indices() {
                for odd in odd {
                    let text = format!("{}{odd}{}", &plain[..at], &plain[at..]);
                    assert!(!copy_plain(&text, &mut vec![0; text.len()]), "{text:?}");
                }
            }
        }
    }
}
