//! `xs:duration` (XSD 1.0 Part 2, 3.2.6): [`Duration`].

use crate::error::{Error, Reason};
use crate::fraction::{SECOND, format_fraction, parse_fraction};
use crate::integer::format_u64;
use crate::space::trim;

const MINUTE_SECONDS: u64 = 60;
const HOUR_SECONDS: u64 = 3_600;
const DAY_SECONDS: u64 = 86_400;
const SHAPE: Reason = Reason::Shape(
    "P, then numbers with Y, M, D in this order, then T and numbers with H, M, S, at least one in all",
);

/// A length of time: months, and seconds that have no fixed ratio to them.
///
/// Years are twelve months and days are 86,400 seconds, so `P1Y` equals `P12M` and `P1D` equals
/// `PT24H`; what was given is not kept apart. A zero is never negative.
///
/// ```
/// use castile_lexical::Duration;
/// let lease = Duration::parse(b"PT36H0.250S").unwrap();
/// assert_eq!((lease.months, lease.seconds), (0, 129_600));
/// let mut out = Vec::new();
/// lease.format(&mut out);
/// assert_eq!(out, b"P1DT12H0.25S");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Duration {
    /// True if the whole is below zero.
    pub negative: bool,
    /// Years and months, in months.
    pub months: u64,
    /// Days, hours, minutes and whole seconds, in seconds.
    pub seconds: u64,
    /// The fraction of a second, in attoseconds: below 10^18.
    pub attoseconds: u64,
}

impl Duration {
    /// Reads an `xs:duration`, white space around it allowed.
    ///
    /// # Errors
    /// A text of another shape; more months or seconds than a `u64` holds or more than 18 digits
    /// of a fraction, for which [`Error::is_limit`] is true.
    pub fn parse(text: &[u8]) -> Result<Duration, Error> {
        read(trim(text)).map_err(|reason| Error::new("xs:duration", reason, text))
    }

    /// Appends the text of the value with the fewest parts: `PT0S` for zero.
    pub fn format(&self, out: &mut Vec<u8>) {
        let zero = self.months == 0 && self.seconds == 0 && self.attoseconds == 0;
        if zero {
            return out.extend_from_slice(b"PT0S");
        }
        if self.negative {
            out.push(b'-');
        }
        out.push(b'P');
        format_part(self.months / 12, b'Y', out);
        format_part(self.months % 12, b'M', out);
        format_part(self.seconds / DAY_SECONDS, b'D', out);
        let time = self.seconds % DAY_SECONDS;
        if time == 0 && self.attoseconds == 0 {
            return;
        }
        out.push(b'T');
        format_part(time / HOUR_SECONDS, b'H', out);
        format_part(time % HOUR_SECONDS / MINUTE_SECONDS, b'M', out);
        if !time.is_multiple_of(MINUTE_SECONDS) || self.attoseconds != 0 {
            format_u64(time % MINUTE_SECONDS, out);
            format_fraction(self.attoseconds, out);
            out.push(b'S');
        }
    }
}

fn format_part(v: u64, unit: u8, out: &mut Vec<u8>) {
    if v > 0 {
        format_u64(v, out);
        out.push(unit);
    }
}

fn read(text: &[u8]) -> Result<Duration, Reason> {
    if text.is_empty() {
        return Err(Reason::Empty);
    }
    let negative = text.starts_with(b"-");
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let text = text.strip_prefix(b"P").ok_or(SHAPE)?;
    let (date, time) = match text.iter().position(|&byte| byte == b'T') {
        Some(at) => (text.get(..at), text.get(at + 1..)),
        None => (Some(text), None),
    };
    let date = Parts::read(date.unwrap_or_default(), *b"YMD")?;
    let clock = Parts::read(time.unwrap_or_default(), *b"HMS")?;
    if (time.is_some() && clock.count == 0) || date.count + clock.count == 0 || date.fraction {
        return Err(SHAPE);
    }
    let [years, months, days] = date.values;
    let [hours, minutes, seconds] = clock.values;
    let months = sum([(years, 12), (months, 1)])?;
    let seconds = sum([
        (days, DAY_SECONDS),
        (hours, HOUR_SECONDS),
        (minutes, MINUTE_SECONDS),
        (seconds, 1),
    ])?;
    let attoseconds = clock.attoseconds;
    Ok(Duration {
        negative: negative && (months, seconds, attoseconds) != (0, 0, 0),
        months,
        seconds,
        attoseconds,
    })
}

fn sum<const N: usize>(parts: [(u64, u64); N]) -> Result<u64, Reason> {
    let mut total = 0u64;
    for (value, unit) in parts {
        let part = value.checked_mul(unit).ok_or(Reason::DurationLimit)?;
        total = total.checked_add(part).ok_or(Reason::DurationLimit)?;
    }
    Ok(total)
}

/// The numbers before three units, zero where a unit is missing.
#[derive(Default)]
struct Parts {
    values: [u64; 3],
    attoseconds: u64,
    count: usize,
    fraction: bool,
}

impl Parts {
    fn read(mut text: &[u8], units: [u8; 3]) -> Result<Parts, Reason> {
        let mut parts = Parts::default();
        // A unit that was passed does not come again.
        let mut slots = units.iter().enumerate();
        while !text.is_empty() {
            let used = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let (digits, rest) = text.split_at_checked(used).ok_or(SHAPE)?;
            let (unit, rest) = parts.read_fraction(rest)?.split_first().ok_or(SHAPE)?;
            let (slot, _) = slots.find(|(_, slot)| *slot == unit).ok_or(SHAPE)?;
            if digits.is_empty() || (parts.fraction && *unit != b'S') {
                return Err(SHAPE);
            }
            if let Some(value) = parts.values.get_mut(slot) {
                *value = read_digits(digits)?;
            }
            parts.count += 1;
            text = rest;
        }
        Ok(parts)
    }

    /// Reads a point and digits, if they are there, and gives what follows.
    fn read_fraction<'a>(&mut self, text: &'a [u8]) -> Result<&'a [u8], Reason> {
        let Some(digits) = text.strip_prefix(b".") else {
            return Ok(text);
        };
        let (attoseconds, used) = parse_fraction(digits)?;
        if used == 0 {
            return Err(SHAPE);
        }
        debug_assert!(attoseconds < SECOND);
        self.attoseconds = attoseconds;
        self.fraction = true;
        digits.get(used..).ok_or(SHAPE)
    }
}

fn read_digits(digits: &[u8]) -> Result<u64, Reason> {
    let mut value = 0u64;
    for digit in digits {
        let shifted = value.checked_mul(10).ok_or(Reason::DurationLimit)?;
        let digit = u64::from(digit - b'0');
        value = shifted.checked_add(digit).ok_or(Reason::DurationLimit)?;
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legal_texts() {
        for (text, canonical) in [
            ("P1Y2M3DT10H30M0S", "P1Y2M3DT10H30M"),
            ("-P120D", "-P120D"),
            ("P1347M", "P112Y3M"),
            ("P0Y1347M0D", "P112Y3M"),
            ("PT0S", "PT0S"),
            ("-P0Y", "PT0S"),
            (" PT86400S\n", "P1D"),
            ("PT1.50S", "PT1.5S"),
            ("P1DT0.000000000000000001S", "P1DT0.000000000000000001S"),
            ("PT18446744073709551615S", "P213503982334601DT7H15S"),
        ] {
            let v = Duration::parse(text.as_bytes()).unwrap();
            let mut out = Vec::new();
            v.format(&mut out);
            assert_eq!(String::from_utf8(out).as_deref(), Ok(canonical), "{text}");
        }
    }

    #[test]
    fn illegal_texts_and_why() {
        for (text, why) in [
            ("", "no text"),
            ("P", "expected P"),
            ("-P", "expected P"),
            ("P-1347M", "expected P"),
            ("P1Y2MT", "expected P"),
            ("PT", "expected P"),
            ("1Y", "expected P"),
            ("+P1Y", "expected P"),
            ("P1", "expected P"),
            ("P1S", "expected P"),
            ("PT1D", "expected P"),
            ("P1M1Y", "expected P"),
            ("P1Y1Y", "expected P"),
            ("P1.5D", "expected P"),
            ("PT1.5M", "expected P"),
            ("PT1.5M2S", "expected P"),
            ("PT.5S", "expected P"),
            ("PT5.S", "expected P"),
            ("PY", "expected P"),
            ("P1YT1HT1M", "expected P"),
            ("P 1Y", "expected P"),
            ("P18446744073709551616M", "not supported"),
            ("P1537228672809129302Y", "not supported"),
            ("P213503982334602D", "not supported"),
            ("PT0.1234567890123456789S", "not supported"),
        ] {
            let error = Duration::parse(text.as_bytes()).unwrap_err();
            assert!(error.to_string().contains(why), "{error}");
            assert_eq!(error.is_limit(), why == "not supported");
        }
    }
}
