//! `xs:double` and `xs:float` (XSD 1.0 Part 2, 3.2.4 and 3.2.5).
//!
//! Texts are read with correct rounding and written as the shortest digits that read back as the
//! same bits. Values beyond the range round to infinity or zero, as IEEE 754 says; negative zero
//! keeps its sign; any NaN is written `NaN` and read as the quiet NaN.

use crate::error::{Error, Reason};
use crate::integer::{write_i32, write_i64};
use crate::shortest;
use crate::space::trim;

/// The longest text [`format_f64`] writes: `-2.2250738585072014e-308`.
pub const F64_WIDTH_MAX: usize = 24;

/// The longest text [`format_f32`] writes: `-0.0000123456789`.
pub const F32_WIDTH_MAX: usize = 16;

macro_rules! float {
    ($float:ident, $int:ident, $type_name:literal, $parse:ident, $prefix:ident, $format:ident,
     $write:ident, $write_part:ident, $write_large:ident, $write_int:ident) => {
        #[doc = concat!("Reads an `", $type_name, "`, white space around it allowed.")]
        ///
        /// # Errors
        /// A text that is not of the type: `inf`, `+INF`, `nan`, `0x1`, `1e`, `1_0`, none at all.
        pub fn $parse(text: &[u8]) -> Result<$float, Error> {
            let trimmed = trim(text);
            match $prefix(trimmed) {
                Some((v, used)) if used == trimmed.len() => Ok(v),
                _ if trimmed.is_empty() => Err(Error::new($type_name, Reason::Empty, text)),
                _ => Err(Error::new($type_name, Reason::Number, text)),
            }
        }

        #[doc = concat!("Reads an `", $type_name, "` that stands at the very start of the text;")]
        /// gives it and the bytes it takes.
        ///
        /// `None` means: ask the parser of whole texts. The number ends where no longer one would
        /// be legal; what follows is not looked at, except that an `e` with no exponent is refused.
        #[inline]
        pub fn $prefix(text: &[u8]) -> Option<($float, usize)> {
            match text.first() {
                Some(b'0'..=b'9' | b'-' | b'.' | b'+') => {}
                Some(b'I') if text.starts_with(b"INF") => return Some(($float::INFINITY, 3)),
                Some(b'N') if text.starts_with(b"NaN") => return Some(($float::NAN, 3)),
                _ => return None,
            }
            let (v, used) = fast_float2::parse_partial::<$float, _>(text).ok()?;
            if matches!(text.get(used), Some(b'e' | b'E')) {
                return None;
            }
            if v.is_finite() {
                return Some((v, used));
            }
            // Infinite or not a number: either out of range, or spelt in letters.
            match text {
                [b'0'..=b'9' | b'.', ..] | [_, b'0'..=b'9' | b'.', ..] => Some((v, used)),
                _ if text.starts_with(b"-INF") => Some(($float::NEG_INFINITY, 4)),
                _ => None,
            }
        }

        #[doc = concat!("Appends an `", $type_name, "`: the shortest digits that read back as")]
        /// the same bits, with no point in a whole number but `-0.0`, or `INF`, `-INF`, `NaN`.
        #[inline]
        pub fn $format(v: $float, out: &mut Vec<u8>) {
            // Room of a fixed size and a cut are cheaper than a copy of just so many bytes.
            let before = out.len();
            out.extend_from_slice(&[0; 32]);
            let used = out.last_chunk_mut().map_or(0, |room| $write(v, room));
            out.truncate(before + used);
        }

        #[doc = concat!("Writes an `", $type_name, "` at the start of `out` as")]
        #[doc = concat!("[`", stringify!($format), "`] does, and gives the bytes it takes;")]
        /// the rest of `out` is left in any state.
        #[inline(always)]
        pub fn $write(v: $float, out: &mut [u8; 32]) -> usize {
            // Whole numbers are common and as integers much faster. A number is whole if no set bit
            // of its mantissa is worth less than one, that is if exponent and zeros reach UNIT.
            const DIGITS: u32 = $float::MANTISSA_DIGITS - 1;
            const UNIT: u32 = DIGITS + $float::MAX_EXP as u32 - 1;
            let bits = v.to_bits();
            let exponent = (bits >> DIGITS) as u32 & (2 * $float::MAX_EXP as u32 - 1);
            let zeros = (bits | 1 << DIGITS).trailing_zeros();
            if exponent + zeros < UNIT && bits != 0 {
                $write_part(v, out)
            } else if exponent <= UNIT {
                $write_int(v as $int, out)
            } else {
                $write_large(v, out)
            }
        }

        /// Writes what is far from zero, infinite or not a number.
        #[cold]
        fn $write_large(v: $float, out: &mut [u8; 32]) -> usize {
            let mut buffer = zmij::Buffer::new();
            let text = if v.is_nan() {
                b"NaN"
            } else if v.is_infinite() {
                if v > 0.0 { b"INF".as_slice() } else { b"-INF" }
            } else {
                let text = buffer.format_finite(v).as_bytes();
                text.strip_suffix(b".0").unwrap_or(text)
            };
            copy_short(text, out)
        }
    };
}

float!(
    f64,
    i64,
    "xs:double",
    parse_f64,
    prefix_f64,
    format_f64,
    write_f64,
    write_f64_part,
    write_f64_large,
    write_i64
);
float!(
    f32,
    i32,
    "xs:float",
    parse_f32,
    prefix_f32,
    format_f32,
    write_f32,
    write_any_part,
    write_f32_large,
    write_i32
);

/// Writes a number that is not whole.
#[inline(always)]
fn write_f64_part(v: f64, out: &mut [u8; 32]) -> usize {
    match shortest::write(v, out) {
        Some(used) => used,
        None => write_any_part(v, out),
    }
}

/// Writes a number that is not whole.
#[inline(always)]
fn write_any_part(v: impl zmij::Float, out: &mut [u8; 32]) -> usize {
    copy_short(Room::new().0.format_finite(v).as_bytes(), out)
}

/// Room for digits within one line of the cache. What is written there is read again at once, and where that
/// crossed a line, depending on where the stack happened to be, a number took twice as long.
#[repr(align(64))]
struct Room(zmij::Buffer);

impl Room {
    #[inline(always)]
    fn new() -> Room {
        Room(zmij::Buffer::new())
    }
}

/// Copies up to 32 bytes as two overlapping blocks of a fixed size: no call, no loop.
#[inline(always)]
fn copy_short(text: &[u8], out: &mut [u8; 32]) -> usize {
    macro_rules! blocks {
        ($n:literal) => {
            if let (Some(head), Some(tail)) = (text.first_chunk::<$n>(), text.last_chunk::<$n>()) {
                if let Some(to) = out.first_chunk_mut::<$n>() {
                    *to = *head;
                }
                let from = text.len() - $n;
                if let Some(to) = out.get_mut(from..).and_then(|rest| rest.first_chunk_mut()) {
                    *to = *tail;
                }
                return text.len();
            }
        };
    }
    blocks!(16);
    blocks!(8);
    blocks!(4);
    blocks!(2);
    blocks!(1);
    0
}
