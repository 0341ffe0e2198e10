//! The shortest digits of doubles of common sizes.
//!
//! ```text
//!   v = m · 2^q           m of 53 bits; the numbers that are read as v lie within 2^q / 2 of it
//!   v · 10^k = whole.part k so that 2^q · 10^k, the distance to the next double, is less than 1, but no less than 1/10
//! ```
//!
//! If a whole number is that near, it has the shortest digits, and there is no other; else the nearest with one digit
//! more has. For these sizes 2^q · 10^k is a whole number of 2^-64ths, so that one multiplication gives `whole.part`
//! exactly, and no case is decided by a bound. The text is put together in registers, by blocks of 16 bytes at places from
//! a table: what was just stored in small parts could not be read again at once, and a branch on digits nobody predicts.

use std::hint::select_unpredictable;

/// Writes a number that is not whole at the start of `out`, in as few digits as are read as its bits, without an
/// exponent, and gives the bytes it takes; `None` for one below 2^-16 or from 2^46 on, and for powers of two.
#[inline(always)]
pub(crate) fn write(v: f64, out: &mut [u8; 32]) -> Option<usize> {
    let bits = v.to_bits();
    let mantissa = bits & (UNIT - 1);
    let at = (bits >> MANTISSA) as usize & 0x7FF;
    let scale = SCALES.get(at.wrapping_sub(LEAST)).filter(|_| mantissa != 0)?;
    let (whole, digit) = digits(mantissa | UNIT, scale.step);
    // With 15 digits the one behind them comes along.
    let is_short = whole < 1_000_000_000_000_000;
    let whole = select_unpredictable(is_short, 10 * whole + digit, whole);
    let digit = select_unpredictable(is_short, 0, digit);
    let form = &FORMS[(scale.form - usize::from(is_short)) & 31];

    let first = eight(whole / 100_000_000);
    let last = eight(whole % 100_000_000);
    let zeros = select_unpredictable(last == 0, 64 + first.trailing_zeros(), last.trailing_zeros()) / 8;
    let text = |digits: u64| u128::from((digits | ZEROS).swap_bytes());
    let text = text(first) | text(last) << 64;
    let beside = text << 8;
    let block = (text ^ beside) & form.before_point ^ beside;

    let sign = (bits >> 63) as usize;
    let [all_at, block_at, point_at] = form.places.map(|at| (sign + usize::from(at)) & 15);
    out[0] = b'-';
    out[sign..sign + 8].copy_from_slice(b"0.000000");
    out[all_at..all_at + 16].copy_from_slice(&text.to_le_bytes());
    out[all_at + 16] = b'0' + digit as u8;
    out[block_at..block_at + 16].copy_from_slice(&block.to_le_bytes());
    out[point_at] = b'.';
    let end = all_at + 16;
    Some(select_unpredictable(digit != 0, end + 1, end - zeros as usize))
}

/// The first 15 or 16 digits of a number of `mantissa` steps, and the one behind them, or 0 where it needs none.
#[inline(always)]
fn digits(mantissa: u64, step: u64) -> (u64, u64) {
    let scaled = u128::from(mantissa) * u128::from(step);
    let (part, half) = (scaled as u64, step / 2);
    // Neither end of what is read as this number is whole: it has more bits behind the point than 10^k takes away.
    let (_, rises) = part.overflowing_add(half);
    let whole = (scaled >> 64) as u64 + u64::from(rises);
    let nearest = ((u128::from(part) * 10 + (1 << 63)) >> 64) as u64;
    // 2.5 is as near to 2, which is even. So is 7.5 to 8.
    let nearest = select_unpredictable(part == 1 << 62, 2, nearest);
    (whole, select_unpredictable(rises | (part < half), 0, nearest))
}

/// The eight digits of a number, a byte each, the last in the lowest.
#[inline(always)]
fn eight(number: u64) -> u64 {
    let fours = number + ((1 << 32) - 10_000) * ((number * 109_951_163) >> 40);
    let twos = fours + ((1 << 16) - 100) * (((fours * 5243) >> 19) & 0x7F_0000_007F);
    twos + ((1 << 8) - 10) * (((twos * 103) >> 10) & 0x000F_000F_000F_000F)
}

/// How doubles of one exponent become decimal.
#[derive(Clone, Copy)]
struct Scale {
    /// 2^q · 10^k, in 2^-64ths.
    step: u64,
    /// Which of the forms 17 digits have.
    form: usize,
}

/// Where 16 digits and one more stand in a text. They are all written behind the point, and beside it once more, one byte
/// further to the front before the point.
#[derive(Clone, Copy)]
struct Form {
    /// Ones for the digits before the point.
    before_point: u128,
    /// Of all digits, of those beside the point, and of the point.
    places: [u8; 3],
}

const MANTISSA: u32 = f64::MANTISSA_DIGITS - 1;
const UNIT: u64 = 1 << MANTISSA;
const ZEROS: u64 = u64::from_ne_bytes([b'0'; 8]);
/// The exponent of 2^-16, as it stands in the bits.
const LEAST: usize = 1023 - 16;
/// Up to that of 2^45.
static SCALES: [Scale; 62] = scales();
/// Digits behind the point that 17 have for 2^-16, and one more for shorter ones.
const SMALL: i32 = 5;
static FORMS: [Form; 32] = forms();

const fn scales() -> [Scale; 62] {
    let mut scales = [Scale { step: 0, form: 0 }; 62];
    let mut i = 0;
    while i < scales.len() {
        let q = (LEAST + i) as i32 - 1023 - MANTISSA as i32;
        // The power of ten that 2^q reaches; 315653 / 2^20 is log10 of 2.
        let power = (q * 315_653) >> 20;
        let k = -power - 1;
        scales[i] = Scale {
            step: 5u64.pow(k as u32) << (q + k + 64),
            form: (17 + power + SMALL) as usize,
        };
        i += 1;
    }
    scales
}

/// By how many of the digits stand before the point, and `SMALL` more.
const fn forms() -> [Form; 32] {
    let mut forms = [Form {
        before_point: 0,
        places: [0; 3],
    }; 32];
    let mut i = 0;
    while i < forms.len() {
        let digits = i as i32 - SMALL;
        forms[i] = if digits <= 0 {
            let at = (2 - digits) as u8;
            Form {
                before_point: u128::MAX,
                places: [at, at, 1],
            }
        } else {
            let digits = if digits < 15 { digits as u8 } else { 15 };
            Form {
                before_point: (1 << (8 * digits)) - 1,
                places: [1, 0, digits],
            }
        };
        i += 1;
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::write;

    /// Writes a number that is not whole, as it has to be, or leaves it.
    fn check(v: f64) {
        let is_common = (2f64.powi(-16)..2f64.powi(46)).contains(&v.abs()) && v.to_bits() << 12 != 0;
        let mut out = [b'x'; 32];
        let written = write(v, &mut out).map(|length| &out[..length]);
        let mut expected = zmij::Buffer::new();
        let expected = is_common.then(|| expected.format_finite(v).as_bytes());
        assert_eq!(written, expected, "{v:e}");
    }

    fn check_both(v: f64) {
        if v != v.trunc() {
            check(v);
            check(-v);
        }
    }

    /// A number of an exponent with the mantissa `bits`.
    fn number(exponent: i32, bits: u64) -> f64 {
        f64::from_bits(((1023 + exponent) as u64) << 52 | bits & ((1 << 52) - 1))
    }

    #[test]
    fn numbers_of_every_exponent_have_the_shortest_digits() {
        let mut bits = 1u64;
        for exponent in -18..48 {
            for round in 0..4000 {
                bits = bits
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                // All bits of the mantissa, and few, of which ties come.
                check_both(number(exponent, (bits >> 12) & u64::MAX << (round % 52)));
            }
            for bits in [0, 1, u64::MAX - 1, u64::MAX] {
                check_both(number(exponent, bits));
            }
        }
    }

    #[test]
    fn decimal_numbers_are_written_as_they_were_read() {
        for places in 1..12 {
            for i in (1..2_000_000u64).step_by(177) {
                check_both(i as f64 / 10f64.powi(places));
            }
        }
    }

    #[test]
    fn others_are_left() {
        for v in [f64::MIN_POSITIVE, 5e-324, 1e-300 / 3.0] {
            check(v);
        }
        for v in [f64::INFINITY, f64::NAN, f64::MAX] {
            assert_eq!(write(v, &mut [0; 32]), None);
        }
    }
}
