//! Doubles with fewer digits, for those who prefer speed to exactness (paper 004).

use crate::float::{format_f64, write_f64};
use crate::integer::{format_i32, parse_i32, write_u64};

/// Appends an `xs:double` with at most `digits` significant digits, taken as 1 if 0 and as 17 if
/// above.
///
/// If the shortest digits that read back as the same bits are no more than that, it is those;
/// else it is the exact value rounded to the nearest, ties to even. There are no zeros at the end.
///
/// ```
/// let mut out = Vec::new();
/// castile_lexical::format_f64_digits(2.0 / 3.0, 4, &mut out);
/// assert_eq!(out, b"0.6667");
/// ```
pub fn format_f64_digits(v: f64, digits: u8, out: &mut Vec<u8>) {
    if !v.is_finite() {
        return format_f64(v, out);
    }
    let digits = usize::from(digits.clamp(1, 17));
    let rounded = match Scientific::of_moderate(v.abs(), digits) {
        Some(rounded) => rounded,
        None => Scientific::of_any(v.abs(), digits),
    };
    if v.is_sign_negative() {
        out.push(b'-');
    }
    rounded.write(out);
}

/// Significant digits without zeros at either end, and the power of ten of the first of them.
struct Scientific {
    digits: [u8; 32],
    count: usize,
    exponent: i32,
}

impl Scientific {
    /// The quick way: scales by one exact power of ten, so with one rounding. `None` if that might
    /// have crossed a tie, and for numbers too long, too small or too large for it.
    fn of_moderate(v: f64, digits: usize) -> Option<Scientific> {
        if digits > 12 || !(1e-5..1e15).contains(&v) {
            return None;
        }
        // Off by one just below a power of ten, where the digits round up to that power anyway.
        let exponent = if v >= 1.0 {
            (v as u64).checked_ilog10()? as i32
        } else {
            ((v * 1e5) as u64).checked_ilog10()? as i32 - 5
        };
        let shift = digits as i32 - 1 - exponent;
        let power = *POWERS.get(shift.unsigned_abs() as usize)?;
        let scaled = if shift < 0 { v / power } else { v * power };
        let whole = scaled as u64;
        let above_tie = scaled - whole as f64 - 0.5;
        if above_tie.abs() <= scaled * f64::EPSILON {
            return None;
        }
        let mut rounded = Scientific {
            digits: [b'0'; 32],
            count: 0,
            exponent,
        };
        rounded.count = write_u64(whole + u64::from(above_tie > 0.0), &mut rounded.digits);
        rounded.exponent += rounded.count as i32 - digits as i32;
        rounded.trim();
        Some(rounded)
    }

    /// The way that is always right.
    fn of_any(v: f64, digits: usize) -> Scientific {
        let mut text = [0; 32];
        let width = write_f64(v, &mut text);
        let shortest = Scientific::read(text.get(..width).unwrap_or_default());
        if shortest.count <= digits {
            return shortest;
        }
        shortest.round(digits).unwrap_or_else(|| {
            let exact = format!("{v:.*e}", digits - 1);
            Scientific::read(exact.as_bytes())
        })
    }

    /// Takes apart a decimal number that this crate or the standard library wrote.
    fn read(text: &[u8]) -> Scientific {
        let mut v = Scientific {
            digits: [b'0'; 32],
            count: 0,
            exponent: 0,
        };
        let (mut point, mut seen) = (None, 0i32);
        let mut bytes = text.iter();
        for &byte in bytes.by_ref() {
            match byte {
                b'0' if v.count == 0 => seen += i32::from(point.is_some()),
                b'0'..=b'9' => v.push(byte),
                b'.' => point = Some(v.count as i32),
                b'e' => break,
                _ => {}
            }
        }
        let whole = point.unwrap_or(v.count as i32);
        v.exponent = whole - seen - 1 + read_exponent(bytes.as_slice());
        v.trim();
        v
    }

    fn push(&mut self, digit: u8) {
        if let Some(slot) = self.digits.get_mut(self.count) {
            *slot = digit;
            self.count += 1;
        }
    }

    fn trim(&mut self) {
        while let Some(last) = self.count.checked_sub(1)
            && self.digits.get(last) == Some(&b'0')
        {
            self.count = last;
        }
    }

    /// Rounds these shortest digits to fewer. `None` if they may lie on the other side of a tie
    /// than the exact value.
    ///
    /// That is so only if they are the tie, one digit longer and that a five: were another tie
    /// between them and the exact value, it would read back as the same bits and be shorter or
    /// closer, so they would not be the shortest and closest.
    fn round(&self, digits: usize) -> Option<Scientific> {
        let first_cut = *self.digits.get(digits)?;
        if self.count == digits + 1 && first_cut == b'5' {
            return None;
        }
        let mut v = Scientific {
            digits: self.digits,
            count: digits,
            exponent: self.exponent,
        };
        if first_cut >= b'5' {
            v.increment();
        }
        v.trim();
        Some(v)
    }

    /// Adds one to the last digit.
    fn increment(&mut self) {
        let kept = self.digits.get_mut(..self.count).unwrap_or_default();
        for digit in kept.iter_mut().rev() {
            if *digit < b'9' {
                *digit += 1;
                return;
            }
            *digit = b'0';
        }
        self.digits[0] = b'1';
        self.exponent += 1;
    }

    /// Appends the plain form, or the scientific one of what would be many zeros.
    fn write(&self, out: &mut Vec<u8>) {
        if self.count == 0 {
            return out.push(b'0');
        }
        let digits = self.digits.get(..self.count).unwrap_or_default();
        let count = self.count as i32;
        match self.exponent {
            whole @ 0.. if whole < count + 4 => {
                let point = (whole as usize + 1).min(self.count);
                let (before, after) = digits.split_at_checked(point).unwrap_or((digits, &[]));
                out.extend_from_slice(before);
                out.extend((count..=whole).map(|_| b'0'));
                if !after.is_empty() {
                    out.push(b'.');
                    out.extend_from_slice(after);
                }
            }
            zeros @ -5..=-1 => {
                out.extend_from_slice(b"0.");
                out.extend((zeros + 1..0).map(|_| b'0'));
                out.extend_from_slice(digits);
            }
            exponent => {
                let (first, after) = digits.split_at_checked(1).unwrap_or((digits, &[]));
                out.extend_from_slice(first);
                if !after.is_empty() {
                    out.push(b'.');
                    out.extend_from_slice(after);
                }
                out.push(b'e');
                format_i32(exponent, out);
            }
        }
    }
}

fn read_exponent(text: &[u8]) -> i32 {
    parse_i32(text).unwrap_or(0)
}

/// The powers of ten that a double holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

#[cfg(test)]
mod tests {
    use super::*;

    fn text(v: f64, digits: u8) -> String {
        let mut out = Vec::new();
        format_f64_digits(v, digits, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn rounds_the_exact_value() {
        for (v, digits, expected) in [
            (1.0, 17, "1"),
            (-0.0, 3, "-0"),
            (0.0, 1, "0"),
            (123456.0, 3, "123000"),
            (1e15, 2, "1e15"),
            (1.25, 2, "1.2"),
            (1.35, 2, "1.4"),
            (0.15, 1, "0.1"),
            (2.5, 1, "2"),
            (9.996, 3, "10"),
            (99999.5, 5, "1e5"),
            (0.000099996, 4, "0.0001"),
            (5e-324, 17, "5e-324"),
            (f64::MAX, 1, "2e308"),
            (f64::MAX, 5, "1.7977e308"),
            (0.1, 17, "0.1"),
            (1.0 / 3.0, 0, "0.3"),
            (1.0 / 3.0, 99, "0.3333333333333333"),
            (f64::NAN, 3, "NaN"),
            (f64::NEG_INFINITY, 3, "-INF"),
        ] {
            assert_eq!(text(v, digits), expected, "{v:e} to {digits}");
        }
    }
}
