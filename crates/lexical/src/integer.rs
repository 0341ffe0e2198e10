//! `xs:integer`'s machine-sized children, `xs:long` to `xs:unsignedByte` (XSD 1.0 Part 2, 3.3.16
//! to 3.3.24), both ways eight digits at a time.

use crate::error::{Error, Reason};
use crate::space::trim;

macro_rules! integer {
    ($int:ident, $type_name:literal, $width:ident = $width_max:literal, $sign:ident,
     $parse:ident, $prefix:ident, $format:ident, $write:ident) => {
        #[doc = concat!("The longest text [`", stringify!($format), "`] writes.")]
        pub const $width: usize = $width_max;

        #[doc = concat!("Reads an `", $type_name, "`, white space around it allowed.")]
        ///
        /// # Errors
        /// A text that is not an optional sign and digits, or a number out of range. Leading zeros
        /// and a plus sign are legal, and so is a minus before an unsigned zero.
        pub fn $parse(text: &[u8]) -> Result<$int, Error> {
            let trimmed = trim(text);
            match $prefix(trimmed) {
                Some((v, used)) if used == trimmed.len() => Ok(v),
                _ => Err(refusal($type_name, trimmed, text)),
            }
        }

        #[doc = concat!("Reads an `", $type_name, "` that stands at the very start of the text;")]
        /// gives it and the bytes it takes.
        ///
        /// `None` means: ask the parser of whole texts. All digits there are belong to the number;
        /// what follows them is not looked at.
        #[inline]
        pub fn $prefix(text: &[u8]) -> Option<($int, usize)> {
            let (negative, signs) = sign(text);
            let (magnitude, digits) = magnitude(text.get(signs..)?)?;
            Some((integer!(@signed $sign, $int, negative, magnitude)?, signs + digits))
        }

        #[doc = concat!("Appends an `", $type_name, "` in canonical form.")]
        #[inline]
        pub fn $format(v: $int, out: &mut Vec<u8>) {
            // Room of a fixed size and a cut are cheaper than a copy of just so many bytes.
            let before = out.len();
            out.extend_from_slice(&[0; 32]);
            let used = out.last_chunk_mut().map_or(0, |room| $write(v, room));
            out.truncate(before + used);
        }

        #[doc = concat!("Writes an `", $type_name, "` at the start of `out` in canonical form")]
        /// and gives the bytes it takes; the rest of `out` is left in any state.
        #[inline]
        pub fn $write(v: $int, out: &mut [u8; 32]) -> usize {
            integer!(@write $sign, v, out)
        }
    };
    (@signed signed, $int:ident, $negative:ident, $magnitude:ident) => {
        if $negative {
            0i64.checked_sub_unsigned($magnitude).and_then(|v| $int::try_from(v).ok())
        } else {
            $int::try_from($magnitude).ok()
        }
    };
    (@signed unsigned, $int:ident, $negative:ident, $magnitude:ident) => {
        $int::try_from($magnitude).ok().filter(|v| !$negative || *v == 0)
    };
    (@write signed, $v:ident, $out:ident) => {{
        let [first, ..] = $out;
        *first = b'-';
        let signs = usize::from($v < 0);
        write_magnitude(u64::from($v.unsigned_abs()), $out, signs)
    }};
    (@write unsigned, $v:ident, $out:ident) => {
        write_magnitude(u64::from($v), $out, 0)
    };
}

integer!(
    i64,
    "xs:long",
    I64_WIDTH_MAX = 20,
    signed,
    parse_i64,
    prefix_i64,
    format_i64,
    write_i64
);
integer!(
    i32,
    "xs:int",
    I32_WIDTH_MAX = 11,
    signed,
    parse_i32,
    prefix_i32,
    format_i32,
    write_i32
);
integer!(
    i16,
    "xs:short",
    I16_WIDTH_MAX = 6,
    signed,
    parse_i16,
    prefix_i16,
    format_i16,
    write_i16
);
integer!(
    i8,
    "xs:byte",
    I8_WIDTH_MAX = 4,
    signed,
    parse_i8,
    prefix_i8,
    format_i8,
    write_i8
);
integer!(
    u64,
    "xs:unsignedLong",
    U64_WIDTH_MAX = 20,
    unsigned,
    parse_u64,
    prefix_u64,
    format_u64,
    write_u64
);
integer!(
    u32,
    "xs:unsignedInt",
    U32_WIDTH_MAX = 10,
    unsigned,
    parse_u32,
    prefix_u32,
    format_u32,
    write_u32
);
integer!(
    u16,
    "xs:unsignedShort",
    U16_WIDTH_MAX = 5,
    unsigned,
    parse_u16,
    prefix_u16,
    format_u16,
    write_u16
);
integer!(
    u8,
    "xs:unsignedByte",
    U8_WIDTH_MAX = 3,
    unsigned,
    parse_u8,
    prefix_u8,
    format_u8,
    write_u8
);

#[cold]
fn refusal(type_name: &'static str, trimmed: &[u8], text: &[u8]) -> Error {
    let (_, signs) = sign(trimmed);
    let digits = trimmed.get(signs..).unwrap_or_default();
    let reason = if trimmed.is_empty() {
        Reason::Empty
    } else if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) {
        Reason::Range
    } else {
        Reason::Integer
    };
    Error::new(type_name, reason, text)
}

/// Whether a minus stands at the start, and how many bytes of sign there are.
#[inline]
fn sign(text: &[u8]) -> (bool, usize) {
    match text.first() {
        Some(b'-') => (true, 1),
        Some(b'+') => (false, 1),
        _ => (false, 0),
    }
}

/// All digits at the start: their value and count. `None` if there are none, or too many.
#[inline]
fn magnitude(text: &[u8]) -> Option<(u64, usize)> {
    const SCALE: [u64; 9] = [
        1,
        10,
        100,
        1_000,
        10_000,
        100_000,
        1_000_000,
        10_000_000,
        100_000_000,
    ];
    let (mut value, mut used) = eight_digits(text);
    let mut full = used == 8;
    while full {
        let (more, digits) = eight_digits(text.get(used..)?);
        value = value.checked_mul(*SCALE.get(digits)?)?.checked_add(more)?;
        used += digits;
        full = digits == 8;
    }
    (used > 0).then_some((value, used))
}

/// Up to eight digits at the start: their value and count.
#[inline]
fn eight_digits(text: &[u8]) -> (u64, usize) {
    let word = match text.first_chunk::<8>() {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => short_word(text),
    };
    // A byte is a digit if it is below ten after the xor; a carry out of a byte that is not one
    // only touches bytes behind it.
    let values = word ^ 0x3030_3030_3030_3030;
    let others = (values | values.wrapping_add(0x0606_0606_0606_0606)) & 0xf0f0_f0f0_f0f0_f0f0;
    let digits = others.trailing_zeros() / 8;
    if digits == 0 {
        return (0, 0);
    }
    // The first digit is the lowest byte: shifting up puts zeros before it.
    let values = values << (64 - 8 * digits);
    let pairs = values.wrapping_mul(10).wrapping_add(values >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    let eight = fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xffff_ffff;
    (eight, digits as usize)
}

#[cold]
fn short_word(text: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    for (to, from) in bytes.iter_mut().zip(text) {
        *to = *from;
    }
    u64::from_le_bytes(bytes)
}

const EIGHT: u64 = 100_000_000;

/// Writes the digits of `v` from `at` on and gives where they end.
#[inline]
fn write_magnitude(v: u64, out: &mut [u8; 32], at: usize) -> usize {
    if v < EIGHT {
        return write_leading(v, out, at);
    }
    let (high, low) = (v / EIGHT, v % EIGHT);
    let at = if high < EIGHT {
        write_leading(high, out, at)
    } else {
        let at = write_leading(high / EIGHT, out, at);
        write_word(digit_values(high % EIGHT), out, at);
        at + 8
    };
    write_word(digit_values(low), out, at);
    at + 8
}

/// Writes `v`, below 10^8, without leading zeros.
#[inline]
fn write_leading(v: u64, out: &mut [u8; 32], at: usize) -> usize {
    let values = digit_values(v);
    let zeros = (values | 1 << 56).trailing_zeros() / 8;
    write_word(values >> (8 * zeros), out, at);
    at + 8 - zeros as usize
}

#[inline]
fn write_word(values: u64, out: &mut [u8; 32], at: usize) {
    if let Some(to) = out.get_mut(at..).and_then(|rest| rest.first_chunk_mut()) {
        *to = (values | 0x3030_3030_3030_3030).to_le_bytes();
    }
}

/// The eight decimal digits of `v`, below 10^8, one a byte, the first in the lowest byte.
#[inline]
fn digit_values(v: u64) -> u64 {
    // Each step halves lanes: the quotient stays, the remainder moves to the lane behind it.
    let fours = (v / 10_000) | (v % 10_000) << 32;
    let hundreds = ((fours * 5243) >> 19) & 0x0000_007f_0000_007f;
    let pairs = hundreds | (fours - 100 * hundreds) << 16;
    let tens = ((pairs * 103) >> 10) & 0x000f_000f_000f_000f;
    tens | (pairs - 10 * tens) << 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_and_edge_both_ways() {
        let mut edges = vec![0u64, u64::MAX, i64::MAX as u64, i64::MIN.unsigned_abs()];
        for power in 0..20 {
            let ten = 10u64.pow(power);
            edges.extend([ten - 1, ten, ten + 1, ten.wrapping_mul(7) / 3]);
        }
        for v in edges {
            round_trip_u64(v);
            round_trip_i64(v as i64);
            round_trip_i64((v as i64).wrapping_neg());
        }
    }

    fn round_trip_u64(v: u64) {
        let (mut out, mut fixed) = (vec![b'>'], [0; 32]);
        format_u64(v, &mut out);
        assert_eq!(out[1..], *v.to_string().as_bytes());
        let n = write_u64(v, &mut fixed);
        assert_eq!(out[1..], fixed[..n]);
        assert!(n <= U64_WIDTH_MAX);
        assert_eq!(parse_u64(&out[1..]), Ok(v));
        out.extend_from_slice(b"</n>");
        assert_eq!(prefix_u64(&out[1..]), Some((v, n)));
    }

    fn round_trip_i64(v: i64) {
        let mut out = Vec::new();
        format_i64(v, &mut out);
        assert_eq!(out, v.to_string().as_bytes());
        assert!(out.len() <= I64_WIDTH_MAX);
        assert_eq!(parse_i64(&out), Ok(v));
        out.extend_from_slice(b"</n>");
        assert_eq!(prefix_i64(&out), Some((v, out.len() - 4)));
    }

    #[test]
    fn small_types_whole() {
        for v in i16::MIN..=i16::MAX {
            let mut out = Vec::new();
            format_i16(v, &mut out);
            assert_eq!(out, v.to_string().as_bytes());
            assert_eq!(parse_i16(&out), Ok(v));
            assert_eq!(parse_i8(&out).ok(), i8::try_from(v).ok());
            assert_eq!(parse_u8(&out).ok(), u8::try_from(v).ok());
            assert_eq!(parse_u16(&out).ok(), u16::try_from(v).ok());
        }
    }

    #[test]
    fn legal_spellings() {
        assert_eq!(parse_i64(b" \n+0000000000000000000000000042\t"), Ok(42));
        assert_eq!(parse_i64(b"-0"), Ok(0));
        assert_eq!(parse_u64(b"-00"), Ok(0));
        assert_eq!(parse_i32(b"-2147483648"), Ok(i32::MIN));
        assert_eq!(parse_i64(b"-9223372036854775808"), Ok(i64::MIN));
        assert_eq!(parse_u64(b"18446744073709551615"), Ok(u64::MAX));
    }

    #[test]
    fn refused_spellings() {
        for bad in [
            "",
            " ",
            "+",
            "-",
            "--1",
            "+-1",
            "1.0",
            "1.",
            "1e3",
            "1 2",
            "0x1",
            "1_0",
            "a",
            "12345678a",
            "\u{661}",
        ] {
            let error = parse_i64(bad.as_bytes()).unwrap_err();
            assert!(!error.to_string().contains("outside"), "{error}");
            assert!(parse_u64(bad.as_bytes()).is_err());
        }
        for big in [
            "9223372036854775808",
            "-9223372036854775809",
            "99999999999999999999999999",
        ] {
            let error = parse_i64(big.as_bytes()).unwrap_err();
            assert!(error.to_string().contains("outside"), "{error}");
        }
        assert!(parse_u64(b"18446744073709551616").is_err());
        assert!(parse_u64(b"-1").is_err());
        assert!(parse_i32(b"2147483648").is_err());
        assert_eq!(prefix_u64(b"<a>"), None);
        assert_eq!(prefix_i64(b" 1"), None);
    }
}
