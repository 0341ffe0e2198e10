//! XML white space and the `whiteSpace` facet (XSD 1.0 Part 2, 4.3.6).

use std::borrow::Cow;

/// True for the four characters of XML's `S`: space, tab, line feed, carriage return.
#[inline]
pub const fn is_xml_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The text without XML white space at both ends.
#[inline]
pub fn trim(text: &[u8]) -> &[u8] {
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        if !is_xml_space(*first) {
            break;
        }
        rest = tail;
    }
    while let [head @ .., last] = rest {
        if !is_xml_space(*last) {
            break;
        }
        rest = head;
    }
    rest
}

/// `whiteSpace="replace"`: each tab, line feed and carriage return becomes a space.
pub fn replace(text: &str) -> Cow<'_, str> {
    if text.bytes().any(|byte| is_xml_space(byte) && byte != b' ') {
        Cow::Owned(text.replace(['\t', '\n', '\r'], " "))
    } else {
        Cow::Borrowed(text)
    }
}

/// `whiteSpace="collapse"`: white space at the ends goes, any other run becomes one space.
pub fn collapse(text: &str) -> Cow<'_, str> {
    let trimmed = text.trim_matches([' ', '\t', '\n', '\r']);
    if !needs_collapse(trimmed.as_bytes()) {
        return Cow::Borrowed(trimmed);
    }
    let mut out = String::with_capacity(trimmed.len());
    for word in trimmed.split([' ', '\t', '\n', '\r']) {
        if word.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    Cow::Owned(out)
}

fn needs_collapse(trimmed: &[u8]) -> bool {
    let mut after_space = false;
    for &byte in trimmed {
        let space = is_xml_space(byte);
        if space && (after_space || byte != b' ') {
            return true;
        }
        after_space = space;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trim_takes_only_xml_space() {
        assert_eq!(trim(b" \t\r\n a b \n"), b"a b");
        assert_eq!(trim(b"\x0ca"), b"\x0ca");
        assert_eq!(trim(b" \n"), b"");
    }

    #[test]
    fn replace_keeps_the_length() {
        assert_eq!(replace(" a\r\n\tb "), " a   b ");
        assert!(matches!(replace("a  b"), Cow::Borrowed(_)));
    }

    #[test]
    fn collapse_makes_single_spaces() {
        assert_eq!(collapse("  a\r\n\tb  c "), "a b c");
        assert!(matches!(collapse(" a b "), Cow::Borrowed("a b")));
        assert_eq!(collapse("\u{a0}a\u{2003}b"), "\u{a0}a\u{2003}b");
        assert_eq!(collapse(" \n "), "");
    }
}
