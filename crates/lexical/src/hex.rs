//! `xs:hexBinary` (XSD 1.0 Part 2, 3.2.15).

use crate::error::{Error, Reason};
use crate::space::trim;

/// Reads an `xs:hexBinary`, in either case and with white space around it, and appends its bytes
/// to `out`.
///
/// # Errors
/// A character that is not a hexadecimal digit, or an odd number of them. `out` is then as it was.
pub fn parse_hex(text: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    let before = out.len();
    let (pairs, odd) = trim(text).as_chunks::<2>();
    let mut wrong = 0;
    out.extend(pairs.iter().map(|[high, low]| {
        let (high, low) = (NIBBLES[usize::from(*high)], NIBBLES[usize::from(*low)]);
        wrong |= high | low;
        high << 4 | (low & 0x0f)
    }));
    let reason = if wrong & 0x80 != 0 || odd.iter().any(|byte| !byte.is_ascii_hexdigit()) {
        Reason::HexSymbol
    } else if !odd.is_empty() {
        Reason::HexLength
    } else {
        return Ok(());
    };
    out.truncate(before);
    Err(Error::new("xs:hexBinary", reason, text))
}

/// Appends the bytes as an `xs:hexBinary` in upper case, the canonical form.
pub fn format_hex(bytes: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.reserve(2 * bytes.len());
    for byte in bytes {
        let (high, low) = (usize::from(byte >> 4), usize::from(byte & 0x0f));
        out.extend_from_slice(&[DIGITS[high], DIGITS[low]]);
    }
}

/// The value of each hexadecimal digit; the highest bit is set for every other byte.
const NIBBLES: [u8; 256] = {
    let mut table = [0x80; 256];
    let mut value = 0;
    while value < 16 {
        let digit = b"0123456789abcdef"[value];
        table[digit as usize] = value as u8;
        table[digit.to_ascii_uppercase() as usize] = value as u8;
        value += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways() {
        let bytes: Vec<u8> = (0..=255).collect();
        let (mut text, mut back) = (Vec::new(), b"kept".to_vec());
        format_hex(&bytes, &mut text);
        assert!(text.starts_with(b"000102030405060708090A0B0C0D0E0F10"));
        parse_hex(&text, &mut back).unwrap();
        assert_eq!(back.split_off(4), bytes);
        parse_hex(b" \nabCDef\t", &mut back).unwrap();
        assert_eq!(back.split_off(4), [0xab, 0xcd, 0xef]);
    }

    #[test]
    fn refused() {
        let mut out = b"kept".to_vec();
        for bad in ["0", "0g", "abc", "ab cd", "0x10", "\u{ff10}0", "0g1"] {
            assert!(parse_hex(bad.as_bytes(), &mut out).is_err(), "{bad}");
            assert_eq!(out, b"kept");
        }
    }
}
