//! What is wrong with a text: [`Error`].

use std::fmt;

/// Bytes of the offending text an [`Error`] keeps.
const TEXT_BYTES_MAX: usize = 60;

/// A text that is not a legal value of an XSD type.
///
/// The guilty is whoever wrote the text: a peer where it came in a message, the author of a schema
/// where it was a facet or a default, the caller otherwise. Which of them it was is known only one
/// floor up, where the path is known too.
///
/// Displays as `"12x" is not an xs:int: ...reason...`; the text is cut to 60 bytes and escaped, so
/// the message is one printable line whatever a peer sent. Making one costs a single allocation.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    type_name: &'static str,
    reason: Reason,
    cut: bool,
    text_bytes: u8,
    text: [u8; TEXT_BYTES_MAX],
}

impl Error {
    /// The XSD type that the text was read as, with the usual prefix: `xs:double`.
    pub fn type_name(&self) -> &'static str {
        self.0.type_name
    }

    /// The first 60 bytes of the text, white space included.
    pub fn text(&self) -> &[u8] {
        let used = usize::from(self.0.text_bytes);
        self.0.text.get(..used).unwrap_or(&self.0.text)
    }

    /// True if the text is a legal form of the type, but beyond what this crate holds (a year of
    /// more than 18 digits, more than 18 digits of a second, a duration too long).
    pub fn is_limit(&self) -> bool {
        matches!(
            self.0.reason,
            Reason::FractionLimit | Reason::YearLimit | Reason::DurationLimit
        )
    }

    #[cold]
    pub(crate) fn new(type_name: &'static str, reason: Reason, text: &[u8]) -> Self {
        let used = text.len().min(TEXT_BYTES_MAX);
        let mut kept = [0; TEXT_BYTES_MAX];
        for (to, from) in kept.iter_mut().zip(text) {
            *to = *from;
        }
        Error(Box::new(Inner {
            type_name,
            reason,
            cut: text.len() > used,
            text_bytes: used as u8,
            text: kept,
        }))
    }
}

/// Why a text was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    Empty,
    Number,
    Integer,
    Range,
    Boolean,
    Decimal,
    Shape(&'static str),
    YearZero,
    YearDigits,
    YearLimit,
    Month,
    Day,
    Hour,
    Minute,
    Second,
    FractionLimit,
    Zone,
    DurationLimit,
    Base64Symbol,
    Base64Length,
    HexSymbol,
    HexLength,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Empty => "there is no text",
            Reason::Number => "expected a decimal number with an optional exponent, INF, -INF or NaN",
            Reason::Integer => "expected an optional sign and decimal digits",
            Reason::Range => "the number is outside the range of the type",
            Reason::Boolean => "expected true, false, 1 or 0",
            Reason::Decimal => "expected an optional sign, decimal digits and at most one decimal point",
            Reason::Shape(shape) => return write!(f, "expected {shape}"),
            Reason::YearZero => "there is no year 0000 in XSD 1.0",
            Reason::YearDigits => "a year has at least four digits, and no leading zero if it has more",
            Reason::YearLimit => "years of more than 18 digits are not supported",
            Reason::Month => "the month is not in 01..12",
            Reason::Day => "the month has no such day",
            Reason::Hour => "the hour is not in 00..23, nor is the time 24:00:00",
            Reason::Minute => "the minute is not in 00..59",
            Reason::Second => "the second is not in 00..59",
            Reason::FractionLimit => "more than 18 digits of a fraction of a second are not supported",
            Reason::Zone => "the time zone is not Z nor within -14:00..+14:00",
            Reason::DurationLimit => {
                "durations of more than 18446744073709551615 months or seconds are not supported"
            }
            Reason::Base64Symbol => "a character is not in the base64 alphabet",
            Reason::Base64Length => "the last base64 group is cut short, badly padded or has stray bits",
            Reason::HexSymbol => "a character is not a hexadecimal digit",
            Reason::HexLength => "the number of hexadecimal digits is odd",
        })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for part in self.text().utf8_chunks() {
            write!(f, "{}", part.valid().escape_debug())?;
            for byte in part.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        let dots = if self.0.cut { "..." } else { "" };
        write!(f, "\"{dots} is not an {}: {}", self.0.type_name, self.0.reason)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({self})")
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_one_short_printable_line() {
        let text = b"a\"\n\x1b\xff\xc3\xa9".as_slice();
        let error = Error::new("xs:int", Reason::Integer, text);
        let shown = error.to_string();
        assert_eq!(
            shown,
            "\"a\\\"\\n\\u{1b}\\xff\u{e9}\" is not an xs:int: expected an optional sign and decimal digits"
        );
        assert_eq!(error.text(), text);
        assert_eq!(error, error.clone());
    }

    #[test]
    fn cuts_long_texts() {
        let error = Error::new("xs:int", Reason::Integer, &[b'x'; 10_000]);
        let expected = format!("\"{}\"... is not", "x".repeat(60));
        assert!(error.to_string().starts_with(&expected), "{error}");
        assert_eq!(size_of::<Result<f64, Error>>(), 16);
    }
}
