//! `xs:decimal` and `xs:integer` of any length (XSD 1.0 Part 2, 3.2.3 and 3.3.13): [`Decimal`].

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use crate::error::{Error, Reason};
use crate::float::parse_f64;
use crate::integer::{parse_i64, parse_u64};

/// A decimal number of any length, kept as the text it came as.
///
/// Compares, and hashes, by value: `1.0` equals `+01`. The text takes as many bytes as it has
/// characters; a limit on it is the limit on the message.
///
/// ```
/// use castile_lexical::Decimal;
/// let price = Decimal::parse(" +0012.50 ").unwrap();
/// assert_eq!(price.as_str(), "+0012.50");
/// assert_eq!(price.canonical(), "12.5");
/// assert!(price > Decimal::from(12i64));
/// ```
#[derive(Clone)]
pub struct Decimal {
    text: Box<str>,
}

impl Decimal {
    /// Reads an `xs:decimal`, white space around it allowed.
    ///
    /// # Errors
    /// A text that is not an optional sign, digits and at most one point, with at least one digit.
    pub fn parse(text: &str) -> Result<Decimal, Error> {
        Self::parse_as("xs:decimal", true, text)
    }

    /// Reads an `xs:integer`, white space around it allowed.
    ///
    /// # Errors
    /// A text that is not an optional sign and digits.
    pub fn parse_integer(text: &str) -> Result<Decimal, Error> {
        Self::parse_as("xs:integer", false, text)
    }

    /// The text as it was given, without the white space around it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The shortest text of the value: no plus, no needless zeros or point; `0` for every zero.
    ///
    /// For integers this is the canonical form; for others XSD 1.0 would add `.0` to a whole
    /// number, which no type derived from `xs:integer` could read.
    pub fn canonical(&self) -> String {
        let parts = self.parts();
        let mut out = String::with_capacity(self.text.len());
        if parts.negative {
            out.push('-');
        }
        out.push_str(if parts.whole.is_empty() { "0" } else { parts.whole });
        if !parts.fraction.is_empty() {
            out.push('.');
            out.push_str(parts.fraction);
        }
        out
    }

    /// True if the text is legal as an `xs:integer` too: it has no decimal point.
    pub fn is_integer(&self) -> bool {
        !self.text.contains('.')
    }

    /// True below zero; false for `-0`.
    pub fn is_negative(&self) -> bool {
        self.parts().negative
    }

    /// The digits that the facet `totalDigits` counts: those of the shortest text, zero has one.
    pub fn total_digits(&self) -> usize {
        let parts = self.parts();
        (parts.whole.len() + parts.fraction.len()).max(1)
    }

    /// The digits that the facet `fractionDigits` counts: those behind the point but the zeros at
    /// the end.
    pub fn fraction_digits(&self) -> usize {
        self.parts().fraction.len()
    }

    /// The value if it is whole and an `i64` holds it.
    pub fn to_i64(&self) -> Option<i64> {
        parse_i64(self.whole_text()?.as_bytes()).ok()
    }

    /// The value if it is whole and a `u64` holds it.
    pub fn to_u64(&self) -> Option<u64> {
        parse_u64(self.whole_text()?.as_bytes()).ok()
    }

    /// The nearest double; infinite if the value is beyond its range. There is one zero among decimals, and
    /// it has no sign.
    pub fn to_f64(&self) -> f64 {
        // Every decimal text is a legal text of a double; adding zero takes the sign of a negative one.
        parse_f64(self.text.as_bytes()).map_or(f64::NAN, |v| v + 0.0)
    }

    fn parse_as(type_name: &'static str, point: bool, text: &str) -> Result<Decimal, Error> {
        let trimmed = text.trim_matches([' ', '\t', '\n', '\r']);
        let unsigned = trimmed.strip_prefix(['+', '-']).unwrap_or(trimmed);
        let digits = unsigned.bytes().filter(u8::is_ascii_digit).count();
        let points = unsigned.bytes().filter(|&byte| byte == b'.').count();
        if digits > 0 && points <= usize::from(point) && digits + points == unsigned.len() {
            return Ok(Decimal { text: trimmed.into() });
        }
        let reason = match (trimmed.is_empty(), point) {
            (true, _) => Reason::Empty,
            (false, true) => Reason::Decimal,
            (false, false) => Reason::Integer,
        };
        Err(Error::new(type_name, reason, text.as_bytes()))
    }

    /// The digits before the point with their sign, if nothing but zeros is behind it.
    fn whole_text(&self) -> Option<&str> {
        match self.text.split_once('.') {
            None => Some(&self.text),
            Some((_, fraction)) if fraction.bytes().any(|digit| digit != b'0') => None,
            Some(("" | "+" | "-", _)) => Some("0"),
            Some((whole, _)) => Some(whole),
        }
    }

    fn parts(&self) -> Parts<'_> {
        let unsigned = self.text.strip_prefix(['+', '-']).unwrap_or(&self.text);
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let whole = whole.trim_start_matches('0');
        let fraction = fraction.trim_end_matches('0');
        let zero = whole.is_empty() && fraction.is_empty();
        Parts {
            negative: !zero && self.text.starts_with('-'),
            whole,
            fraction,
        }
    }
}

/// The digits that matter.
#[derive(PartialEq, Eq, Hash)]
struct Parts<'a> {
    negative: bool,
    whole: &'a str,
    fraction: &'a str,
}

impl Ord for Decimal {
    fn cmp(&self, other: &Decimal) -> Ordering {
        let (a, b) = (self.parts(), other.parts());
        let sizes = || {
            let wholes = a.whole.len().cmp(&b.whole.len()).then(a.whole.cmp(b.whole));
            wholes.then(a.fraction.cmp(b.fraction))
        };
        match (a.negative, b.negative) {
            (false, false) => sizes(),
            (true, true) => sizes().reverse(),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Decimal) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Decimal) -> bool {
        self.parts() == other.parts()
    }
}

impl Eq for Decimal {}

impl Hash for Decimal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.parts().hash(state);
    }
}

/// Zero.
impl Default for Decimal {
    fn default() -> Self {
        Decimal { text: "0".into() }
    }
}

impl From<i64> for Decimal {
    fn from(v: i64) -> Decimal {
        Decimal {
            text: v.to_string().into(),
        }
    }
}

impl From<i32> for Decimal {
    fn from(value: i32) -> Self {
        i64::from(value).into()
    }
}

impl From<u64> for Decimal {
    fn from(v: u64) -> Decimal {
        Decimal {
            text: v.to_string().into(),
        }
    }
}

impl std::str::FromStr for Decimal {
    type Err = Error;

    fn from_str(text: &str) -> Result<Decimal, Error> {
        Decimal::parse(text)
    }
}

/// The text as it was given.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Decimal({})", self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn texts_and_their_canonical_form() {
        for (text, canonical, digits) in [
            ("0", "0", (1, 0)),
            ("-0.00", "0", (1, 0)),
            ("+0012.500", "12.5", (3, 1)),
            ("-.5", "-0.5", (1, 1)),
            ("7.", "7", (1, 0)),
            ("-100", "-100", (3, 0)),
            (
                "123456789012345678901234567890.1",
                "123456789012345678901234567890.1",
                (31, 1),
            ),
        ] {
            let v = decimal(&format!(" \n{text}\t"));
            assert_eq!((v.as_str(), v.canonical().as_str()), (text, canonical));
            assert_eq!((v.total_digits(), v.fraction_digits()), digits);
            assert_eq!(decimal(canonical), v);
        }
    }

    #[test]
    fn refused_texts() {
        for bad in [
            "", " ", ".", "+", "-.", "1e3", "1.2.3", "--1", "1,5", "1 2", "INF", "\u{661}", "1-",
        ] {
            assert!(Decimal::parse(bad).is_err(), "{bad}");
        }
        assert!(Decimal::parse_integer("1.0").is_err());
        assert!(Decimal::parse_integer("-00123456789012345678901").is_ok());
    }

    #[test]
    fn conversions() {
        assert_eq!(decimal("42.000").to_i64(), Some(42));
        assert_eq!(decimal("-.0").to_u64(), Some(0));
        assert_eq!(decimal("42.5").to_i64(), None);
        assert_eq!(decimal("9223372036854775808").to_i64(), None);
        assert_eq!(decimal("9223372036854775808").to_u64(), Some(1 << 63));
        assert_eq!(decimal("0.1").to_f64(), 0.1);
        assert_eq!(decimal(&"9".repeat(400)).to_f64(), f64::INFINITY);
        assert_eq!(Decimal::from(i64::MIN).to_i64(), Some(i64::MIN));
        assert!(!decimal("1.0").is_integer() && decimal("+1").is_integer());
    }
}
