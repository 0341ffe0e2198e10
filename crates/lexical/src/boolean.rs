//! `xs:boolean` (XSD 1.0 Part 2, 3.2.2).

use crate::error::{Error, Reason};
use crate::space::trim;

/// The longest text of an `xs:boolean`: `false`.
pub const BOOL_WIDTH_MAX: usize = 5;

/// Reads `true`, `false`, `1` or `0`, white space around it allowed.
///
/// # Errors
/// Any other text, `True` and `yes` included.
#[inline]
pub fn parse_bool(text: &[u8]) -> Result<bool, Error> {
    match trim(text) {
        b"true" | b"1" => Ok(true),
        b"false" | b"0" => Ok(false),
        b"" => Err(Error::new("xs:boolean", Reason::Empty, text)),
        _ => Err(Error::new("xs:boolean", Reason::Boolean, text)),
    }
}

/// Reads a boolean that stands at the very start of the text; gives it and the bytes it takes.
///
/// What follows is not looked at: the caller compares it with the tag that must come.
#[inline]
pub fn prefix_bool(text: &[u8]) -> Option<(bool, usize)> {
    match text {
        [b't', b'r', b'u', b'e', ..] => Some((true, 4)),
        [b'f', b'a', b'l', b's', b'e', ..] => Some((false, 5)),
        [b'1', ..] => Some((true, 1)),
        [b'0', ..] => Some((false, 1)),
        _ => None,
    }
}

/// Appends `true` or `false`, the canonical forms.
#[inline]
pub fn format_bool(v: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(if v { b"true" } else { b"false" });
}

/// Writes `true` or `false` at the start of `out` and gives the bytes it takes; the rest of `out`
/// is left in any state.
#[inline]
pub fn write_bool(v: bool, out: &mut [u8; 32]) -> usize {
    let text: &[u8; 8] = if v { b"true    " } else { b"false   " };
    if let Some(start) = out.first_chunk_mut() {
        *start = *text;
    }
    5 - usize::from(v)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_forms() {
        for (text, value) in [("true", true), ("false", false), ("1", true), ("0", false)] {
            assert_eq!(parse_bool(text.as_bytes()), Ok(value));
            assert_eq!(parse_bool(format!(" \n{text}\t").as_bytes()), Ok(value));
            assert_eq!(prefix_bool(text.as_bytes()), Some((value, text.len())));
        }
        for bad in [
            "", " ", "True", "TRUE", "yes", "01", "tru", "truee", "t", "1 0", "\u{a0}1",
        ] {
            assert!(parse_bool(bad.as_bytes()).is_err(), "{bad:?}");
        }
        for bad in ["", " true", "tru", "fals", "T"] {
            assert_eq!(prefix_bool(bad.as_bytes()), None);
        }
    }

    #[test]
    fn writes_canonical_forms() {
        for v in [true, false] {
            let (mut out, mut fixed) = (Vec::new(), [0; 32]);
            format_bool(v, &mut out);
            let n = write_bool(v, &mut fixed);
            assert_eq!(out, v.to_string().as_bytes());
            assert_eq!(out, fixed[..n]);
            assert!(n <= BOOL_WIDTH_MAX);
        }
    }
}
