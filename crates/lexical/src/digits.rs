//! Doubles with fewer digits, for those who prefer speed to exactness (paper 004).

use crate::float::format_f64;

/// Appends an `xs:double` with at most `digits` significant digits, taken as 1 if 0 and as 17 if
/// above.
///
/// If the shortest text that reads back as the same bits is no longer than that, it is what
/// [`format_f64`] gives; else it is the exact value rounded to the nearest, ties to even, without
/// zeros at its end.
///
/// ```
/// let mut out = Vec::new();
/// castile_lexical::format_f64_digits(2.0 / 3.0, 4, &mut out);
/// assert_eq!(out, b"0.6667");
/// ```
pub fn format_f64_digits(v: f64, digits: u8, out: &mut Vec<u8>) {
    let digits = usize::from(digits.clamp(1, 17));
    let before = out.len();
    format_f64(v, out);
    if !v.is_finite() {
        return;
    }
    let text = out.get(before..).unwrap_or_default();
    let shortest = Scientific::read(text);
    if shortest.count <= digits {
        return;
    }
    let rounded = match shortest.round(digits) {
        Some(rounded) => rounded,
        None => Scientific::read(format!("{v:.*e}", digits - 1).as_bytes()),
    };
    out.truncate(before);
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

    /// Appends the shorter of the plain and the scientific form.
    fn write(&self, out: &mut Vec<u8>) {
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
                crate::integer::format_i32(exponent, out);
            }
        }
    }
}

fn read_exponent(text: &[u8]) -> i32 {
    crate::integer::parse_i32(text).unwrap_or(0)
}
