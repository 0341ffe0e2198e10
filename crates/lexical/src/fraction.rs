//! Fractions of a second, shared by dates and durations: up to 18 digits, counted in attoseconds.

use crate::error::Reason;

/// Attoseconds of a second.
pub(crate) const SECOND: u64 = 1_000_000_000_000_000_000;

/// Reads the digits behind the point at the start of the text; gives attoseconds and digits.
///
/// Digits beyond the eighteenth must be zeros. No digit at all is for the caller to refuse.
pub(crate) fn parse_fraction(text: &[u8]) -> Result<(u64, usize), Reason> {
    let mut attoseconds = 0;
    let mut scale = SECOND;
    let mut used = 0;
    for byte in text.iter().take_while(|byte| byte.is_ascii_digit()) {
        let digit = u64::from(byte - b'0');
        scale /= 10;
        if scale == 0 && digit != 0 {
            return Err(Reason::FractionLimit);
        }
        attoseconds += digit * scale;
        used += 1;
    }
    Ok((attoseconds, used))
}

/// Appends a point and the digits, without zeros at the end; nothing for a whole second.
pub(crate) fn format_fraction(attoseconds: u64, out: &mut Vec<u8>) {
    let mut rest = attoseconds % SECOND;
    if rest == 0 {
        return;
    }
    out.push(b'.');
    let mut scale = SECOND;
    while rest > 0 {
        scale /= 10;
        out.push(b'0' + (rest / scale) as u8);
        rest %= scale;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways() {
        for (text, attoseconds, canonical) in [
            ("5", SECOND / 2, ".5"),
            ("000", 0, ""),
            (
                "123456789012345678",
                123_456_789_012_345_678,
                ".123456789012345678",
            ),
            ("0000000000000000010000", 1, ".000000000000000001"),
        ] {
            assert_eq!(parse_fraction(text.as_bytes()), Ok((attoseconds, text.len())));
            let mut out = Vec::new();
            format_fraction(attoseconds, &mut out);
            assert_eq!(out, canonical.as_bytes());
        }
        assert_eq!(parse_fraction(b"1234567890123456781"), Err(Reason::FractionLimit));
    }
}
