//! Dates and times (XSD 1.0 Part 2, 3.2.7 to 3.2.14): [`DateTime`], [`DateTimeKind`].

use crate::error::{Error, Reason};
use crate::fraction::{SECOND, format_fraction, parse_fraction};
use crate::integer::format_u64;
use crate::space::trim;

/// Which of the eight date and time types a [`DateTime`] is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DateTimeKind {
    /// `xs:dateTime`: `2002-10-10T17:00:00Z`.
    DateTime,
    /// `xs:date`: `2002-10-10`.
    Date,
    /// `xs:time`: `17:00:00`.
    Time,
    /// `xs:gYearMonth`: `2002-10`.
    GYearMonth,
    /// `xs:gYear`: `2002`.
    GYear,
    /// `xs:gMonthDay`: `--10-31`.
    GMonthDay,
    /// `xs:gDay`: `---31`.
    GDay,
    /// `xs:gMonth`: `--10`.
    GMonth,
}

impl DateTimeKind {
    /// The name of the type with the usual prefix: `xs:dateTime`.
    pub fn type_name(self) -> &'static str {
        match self {
            Self::DateTime => "xs:dateTime",
            Self::Date => "xs:date",
            Self::Time => "xs:time",
            Self::GYearMonth => "xs:gYearMonth",
            Self::GYear => "xs:gYear",
            Self::GMonthDay => "xs:gMonthDay",
            Self::GDay => "xs:gDay",
            Self::GMonth => "xs:gMonth",
        }
    }

    /// True if values of the type have a year.
    pub fn has_year(self) -> bool {
        matches!(self, Self::DateTime | Self::Date | Self::GYearMonth | Self::GYear)
    }

    /// True if values of the type have a month.
    pub fn has_month(self) -> bool {
        !matches!(self, Self::Time | Self::GYear | Self::GDay)
    }

    /// True if values of the type have a day.
    pub fn has_day(self) -> bool {
        matches!(self, Self::DateTime | Self::Date | Self::GMonthDay | Self::GDay)
    }

    /// True if values of the type have hour, minute and second.
    pub fn has_time(self) -> bool {
        matches!(self, Self::DateTime | Self::Time)
    }

    fn shape(self) -> Reason {
        Reason::Shape(match self {
            Self::DateTime => "YYYY-MM-DDThh:mm:ss, then a fraction and a time zone if wanted",
            Self::Date => "YYYY-MM-DD, then a time zone if wanted",
            Self::Time => "hh:mm:ss, then a fraction and a time zone if wanted",
            Self::GYearMonth => "YYYY-MM, then a time zone if wanted",
            Self::GYear => "YYYY, then a time zone if wanted",
            Self::GMonthDay => "--MM-DD, then a time zone if wanted",
            Self::GDay => "---DD, then a time zone if wanted",
            Self::GMonth => "--MM, then a time zone if wanted",
        })
    }
}

/// A date, a time, both, or a recurring part of them, as its fields.
///
/// Fields that values of the kind do not have are zero. Equality is that of the fields: the same
/// instant in two time zones is two values. What [`DateTime::parse`] gives is right; a value put
/// together by hand is right if [`DateTime::check`] says so.
///
/// ```
/// use castile_lexical::{DateTime, DateTimeKind};
/// let noon = DateTime::parse(DateTimeKind::DateTime, b"2002-10-10T12:00:00.50-05:00").unwrap();
/// assert_eq!((noon.year, noon.hour, noon.zone_minutes), (2002, 12, Some(-300)));
/// let mut out = Vec::new();
/// noon.format(&mut out);
/// assert_eq!(out, b"2002-10-10T12:00:00.5-05:00");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DateTime {
    /// The type of the value.
    pub kind: DateTimeKind,
    /// The year: never 0; -1 is the year before 1 (XSD 1.0). At most 18 digits.
    pub year: i64,
    /// 1 to 12.
    pub month: u8,
    /// 1 to the length of the month. Years below zero are leap years by the plain rule of
    /// appendix E: those that four divides, but not hundred, or four hundred.
    pub day: u8,
    /// 0 to 23; 24 if minute, second and fraction are zero: the end of the day.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// 0 to 59: XSD 1.0 has no leap seconds.
    pub second: u8,
    /// The fraction of the second, in attoseconds: below 10^18.
    pub attoseconds: u64,
    /// Minutes that the zone is ahead of UTC, -840 to 840; `None` if the value has no zone.
    pub zone_minutes: Option<i16>,
}

/// The first second of the year 1, without a zone.
impl Default for DateTime {
    fn default() -> Self {
        DateTime {
            kind: DateTimeKind::DateTime,
            year: 1,
            month: 1,
            day: 1,
            hour: 0,
            minute: 0,
            second: 0,
            attoseconds: 0,
            zone_minutes: None,
        }
    }
}

impl DateTime {
    /// Reads a value of the kind, white space around it allowed.
    ///
    /// `--MM--`, the form of `xs:gMonth` in the first edition of XSD 1.0, is read too.
    ///
    /// # Errors
    /// A text of another shape, a field out of its range, year 0000, a zone beyond 14 hours; a
    /// year or a fraction of more than 18 digits, for which [`Error::is_limit`] is true.
    pub fn parse(kind: DateTimeKind, text: &[u8]) -> Result<DateTime, Error> {
        let mut reader = Reader { rest: trim(text) };
        let fields = reader.fields(kind);
        let checked = fields.and_then(|v| v.check_fields().map(|()| v));
        checked.map_err(|reason| Error::new(kind.type_name(), reason, text))
    }

    /// Checks the ranges of the fields that the kind has.
    ///
    /// # Errors
    /// The first field out of its range; the text in the error is what [`DateTime::format`] gives.
    pub fn check(&self) -> Result<(), Error> {
        self.check_fields().map_err(|reason| {
            let mut text = Vec::new();
            self.format(&mut text);
            Error::new(self.kind.type_name(), reason, &text)
        })
    }

    /// Appends the text of the value; the zone is `Z` if it is UTC, and the fraction has no zeros
    /// at its end.
    pub fn format(&self, out: &mut Vec<u8>) {
        let kind = self.kind;
        if kind.has_year() {
            format_year(self.year, out);
        } else if kind.has_month() || kind.has_day() {
            out.push(b'-');
        }
        if kind.has_month() {
            out.push(b'-');
            format_two(self.month, out);
        } else if kind.has_day() {
            out.push(b'-');
        }
        if kind.has_day() {
            out.push(b'-');
            format_two(self.day, out);
        }
        if kind == DateTimeKind::DateTime {
            out.push(b'T');
        }
        if kind.has_time() {
            format_two(self.hour, out);
            out.push(b':');
            format_two(self.minute, out);
            out.push(b':');
            format_two(self.second, out);
            format_fraction(self.attoseconds, out);
        }
        format_zone(self.zone_minutes, out);
    }

    fn check_fields(&self) -> Result<(), Reason> {
        let kind = self.kind;
        let ensure = |right: bool, reason: Reason| if right { Ok(()) } else { Err(reason) };
        if kind.has_year() {
            ensure(self.year != 0, Reason::YearZero)?;
            ensure(self.year.unsigned_abs() < SECOND, Reason::YearLimit)?;
        }
        if kind.has_month() {
            ensure((1..=12).contains(&self.month), Reason::Month)?;
        }
        if kind.has_day() {
            ensure((1..=self.month_days()).contains(&self.day), Reason::Day)?;
        }
        if kind.has_time() {
            let rest = (self.minute, self.second, self.attoseconds);
            let day_end = self.hour == 24 && rest == (0, 0, 0);
            ensure(self.hour < 24 || day_end, Reason::Hour)?;
            ensure(self.minute < 60, Reason::Minute)?;
            ensure(self.second < 60, Reason::Second)?;
            ensure(self.attoseconds < SECOND, Reason::FractionLimit)?;
        }
        let zone = self.zone_minutes.unwrap_or(0);
        ensure((-14 * 60..=14 * 60).contains(&zone), Reason::Zone)
    }

    fn month_days(&self) -> u8 {
        match (self.kind, self.month) {
            (DateTimeKind::GDay, _) => 31,
            (DateTimeKind::GMonthDay, 2) => 29,
            (_, 2) if self.year % 400 == 0 || (self.year % 4 == 0 && self.year % 100 != 0) => 29,
            (_, 2) => 28,
            (_, 4 | 6 | 9 | 11) => 30,
            _ => 31,
        }
    }
}

fn format_year(year: i64, out: &mut Vec<u8>) {
    if year < 0 {
        out.push(b'-');
    }
    let digits = year.unsigned_abs();
    for power in [1000, 100, 10] {
        if digits < power {
            out.push(b'0');
        }
    }
    format_u64(digits, out);
}

fn format_two(v: u8, out: &mut Vec<u8>) {
    let v = v % 100;
    out.extend_from_slice(&[b'0' + v / 10, b'0' + v % 10]);
}

fn format_zone(zone_minutes: Option<i16>, out: &mut Vec<u8>) {
    match zone_minutes {
        None => {}
        Some(0) => out.push(b'Z'),
        Some(zone) => {
            let minutes = zone.unsigned_abs();
            out.push(if zone < 0 { b'-' } else { b'+' });
            format_two((minutes / 60) as u8, out);
            out.push(b':');
            format_two((minutes % 60) as u8, out);
        }
    }
}

/// The text not read yet. A field that is not there is a wrong shape; its range is checked later.
struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn fields(&mut self, kind: DateTimeKind) -> Result<DateTime, Reason> {
        let mut v = DateTime {
            kind,
            year: 0,
            month: 0,
            day: 0,
            hour: 0,
            minute: 0,
            second: 0,
            attoseconds: 0,
            zone_minutes: None,
        };
        if self.rest.is_empty() {
            return Err(Reason::Empty);
        }
        self.date(&mut v)?;
        if kind == DateTimeKind::DateTime {
            self.literal(b"T", kind)?;
        }
        if kind.has_time() {
            self.time(&mut v)?;
        }
        v.zone_minutes = self.zone(kind)?;
        if self.rest.is_empty() {
            Ok(v)
        } else {
            Err(kind.shape())
        }
    }

    fn date(&mut self, v: &mut DateTime) -> Result<(), Reason> {
        let kind = v.kind;
        if kind.has_year() {
            v.year = self.year(kind)?;
        } else if kind.has_month() || kind.has_day() {
            self.literal(b"-", kind)?;
        }
        if kind.has_month() {
            self.literal(b"-", kind)?;
            v.month = self.two(kind)?;
        } else if kind.has_day() {
            self.literal(b"-", kind)?;
        }
        if kind.has_day() {
            self.literal(b"-", kind)?;
            v.day = self.two(kind)?;
        }
        if kind == DateTimeKind::GMonth && self.rest.starts_with(b"--") {
            self.literal(b"--", kind)?;
        }
        Ok(())
    }

    fn time(&mut self, v: &mut DateTime) -> Result<(), Reason> {
        let kind = v.kind;
        v.hour = self.two(kind)?;
        self.literal(b":", kind)?;
        v.minute = self.two(kind)?;
        self.literal(b":", kind)?;
        v.second = self.two(kind)?;
        if let [b'.', digits @ ..] = self.rest {
            let (attoseconds, used) = parse_fraction(digits)?;
            if used == 0 {
                return Err(kind.shape());
            }
            v.attoseconds = attoseconds;
            self.rest = digits.get(used..).unwrap_or_default();
        }
        Ok(())
    }

    fn year(&mut self, kind: DateTimeKind) -> Result<i64, Reason> {
        let negative = self.rest.starts_with(b"-");
        let text = self.rest.strip_prefix(b"-").unwrap_or(self.rest);
        let used = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = text.split_at_checked(used).ok_or_else(|| kind.shape())?;
        match digits {
            [] => return Err(kind.shape()),
            [b'0', _, _, _, _, ..] => return Err(Reason::YearDigits),
            _ if used < 4 => return Err(Reason::YearDigits),
            _ if used > 18 => return Err(Reason::YearLimit),
            _ => {}
        }
        self.rest = rest;
        let year = digits
            .iter()
            .fold(0, |year, digit| year * 10 + i64::from(digit - b'0'));
        Ok(if negative { -year } else { year })
    }

    fn zone(&mut self, kind: DateTimeKind) -> Result<Option<i16>, Reason> {
        let (ahead, rest) = match self.rest {
            [] => return Ok(None),
            [b'Z', rest @ ..] => {
                self.rest = rest;
                return Ok(Some(0));
            }
            [b'+', rest @ ..] => (1, rest),
            [b'-', rest @ ..] => (-1, rest),
            _ => return Err(kind.shape()),
        };
        self.rest = rest;
        let hours = i16::from(self.two(kind)?);
        self.literal(b":", kind)?;
        let minutes = i16::from(self.two(kind)?);
        if minutes > 59 {
            return Err(Reason::Zone);
        }
        Ok(Some(ahead * (60 * hours + minutes)))
    }

    fn two(&mut self, kind: DateTimeKind) -> Result<u8, Reason> {
        match self.rest {
            [a @ b'0'..=b'9', b @ b'0'..=b'9', rest @ ..] => {
                self.rest = rest;
                Ok(10 * (a - b'0') + (b - b'0'))
            }
            _ => Err(kind.shape()),
        }
    }

    fn literal(&mut self, expected: &[u8], kind: DateTimeKind) -> Result<(), Reason> {
        self.rest = self.rest.strip_prefix(expected).ok_or_else(|| kind.shape())?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn again(kind: DateTimeKind, text: &str) -> Result<String, Error> {
        let v = DateTime::parse(kind, text.as_bytes())?;
        let mut out = Vec::new();
        v.format(&mut out);
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn legal_texts() {
        use DateTimeKind::*;
        for (kind, text, canonical) in [
            (DateTime, "2002-10-10T12:00:00Z", ""),
            (DateTime, "2002-10-10T12:00:00.123456789012345678-14:00", ""),
            (DateTime, "-0044-03-15T00:00:00", ""),
            (DateTime, "1999-12-31T24:00:00", ""),
            (
                DateTime,
                " 123456789012345678-02-28T23:59:59.50\n",
                "123456789012345678-02-28T23:59:59.5",
            ),
            (DateTime, "2000-02-29T00:00:00.000+00:00", "2000-02-29T00:00:00Z"),
            (Date, "2004-02-29-00:00", "2004-02-29Z"),
            (Date, "2004-04-30+05:30", ""),
            (Time, "13:20:00.5-05:00", ""),
            (GYearMonth, "1999-05Z", ""),
            (GYear, "1999-13:59", ""),
            (GYear, "-12345+14:00", ""),
            (GMonthDay, "--02-29", ""),
            (GMonthDay, "--12-31Z", ""),
            (GDay, "---31+01:00", ""),
            (GMonth, "--05", ""),
            (GMonth, "--05--", "--05"),
            (GMonth, "--05---01:00", "--05-01:00"),
        ] {
            let expected = if canonical.is_empty() { text } else { canonical };
            assert_eq!(again(kind, text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn illegal_texts_and_why() {
        use DateTimeKind::*;
        for (kind, text, why) in [
            (DateTime, "", "no text"),
            (DateTime, "2002-10-10", "expected YYYY"),
            (DateTime, "2002-10-10t12:00:00", "expected YYYY"),
            (DateTime, "2002-10-10 12:00:00", "expected YYYY"),
            (DateTime, "2002-10-10T12:00", "expected YYYY"),
            (DateTime, "2002-10-10T12:00:00.", "expected YYYY"),
            (DateTime, "2002-10-10T12:00:00z", "expected YYYY"),
            (DateTime, "+2002-10-10T12:00:00", "expected YYYY"),
            (DateTime, "0000-10-10T12:00:00", "year 0000"),
            (DateTime, "-0000-10-10T12:00:00", "year 0000"),
            (DateTime, "02002-10-10T12:00:00", "leading zero"),
            (DateTime, "202-10-10T12:00:00", "four digits"),
            (DateTime, "1234567890123456789-10-10T12:00:00", "18 digits"),
            (DateTime, "2002-10-10T24:00:01", "the hour"),
            (DateTime, "2002-10-10T24:00:00.1", "the hour"),
            (DateTime, "2002-10-10T25:00:00", "the hour"),
            (DateTime, "2002-10-10T00:60:00", "the minute"),
            (DateTime, "2002-10-10T00:00:60", "the second"),
            (DateTime, "2002-10-10T00:00:00.1234567890123456789", "18 digits"),
            (DateTime, "2002-10-10T00:00:00+14:01", "time zone"),
            (DateTime, "2002-10-10T00:00:00-15:00", "time zone"),
            (DateTime, "2002-10-10T00:00:00-01:60", "time zone"),
            (DateTime, "2002-10-10T00:00:00+1:00", "expected YYYY"),
            (Date, "2002-00-10", "the month"),
            (Date, "2002-13-10", "the month"),
            (Date, "2002-10-00", "no such day"),
            (Date, "2002-04-31", "no such day"),
            (Date, "1900-02-29", "no such day"),
            (Date, "2002-10-10T00:00:00", "expected YYYY"),
            (Time, "1:20:00", "expected hh"),
            (GMonthDay, "--02-30", "no such day"),
            (GDay, "---32", "no such day"),
            (GDay, "--31", "expected ---DD"),
            (GMonth, "--13", "the month"),
            (GMonth, "--05-", "expected --MM"),
        ] {
            let error = again(kind, text).unwrap_err();
            assert!(error.to_string().contains(why), "{error}");
            assert_eq!(error.is_limit(), why == "18 digits");
            assert_eq!(error.type_name(), kind.type_name());
        }
    }

    #[test]
    fn values_made_by_hand_are_checked() {
        let mut v = DateTime::parse(DateTimeKind::DateTime, b"2024-02-29T10:00:00Z").unwrap();
        assert_eq!(v.check(), Ok(()));
        v.year = 2023;
        let error = v.check().unwrap_err().to_string();
        assert!(
            error.starts_with("\"2023-02-29T10:00:00Z\" is not an xs:dateTime"),
            "{error}"
        );
        (v.year, v.zone_minutes) = (i64::MIN, Some(i16::MIN));
        assert!(v.check().unwrap_err().is_limit());
    }
}
