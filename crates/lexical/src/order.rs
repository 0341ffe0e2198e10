//! The order of dates, times and durations (XSD 1.0 Part 2, 3.2.6.2 and 3.2.7.4), which facets
//! such as `minInclusive` ask for. It is partial: some pairs are neither less, equal nor greater.

use std::cmp::Ordering;

use crate::datetime::{DateTime, DateTimeKind};
use crate::duration::Duration;

const DAY_SECONDS: i128 = 86_400;
const ZONE_SECONDS_MAX: i128 = 14 * 3_600;

impl DateTime {
    /// Compares two values of one kind by when they are.
    ///
    /// `None` if the kinds differ, or if just one value has a time zone and the two are so close
    /// that the zone of the other decides.
    ///
    /// ```
    /// use castile_lexical::{DateTime, DateTimeKind::Time};
    /// use std::cmp::Ordering;
    /// let at = |text: &str| DateTime::parse(Time, text.as_bytes()).unwrap();
    /// assert_eq!(at("12:00:00Z").compare(&at("14:00:00+02:00")), Some(Ordering::Equal));
    /// assert_eq!(at("12:00:00Z").compare(&at("14:00:00")), None);
    /// ```
    pub fn compare(&self, other: &DateTime) -> Option<Ordering> {
        if self.kind != other.kind {
            return None;
        }
        let (a, b) = (self.instant(), other.instant());
        let nearest = match (self.zone_minutes, other.zone_minutes) {
            (Some(_), Some(_)) | (None, None) => return Some(a.cmp(&b)),
            // The one without a zone may be this much earlier or later.
            _ => ZONE_SECONDS_MAX,
        };
        if (a.0 + nearest, a.1) < b {
            Some(Ordering::Less)
        } else if (b.0 + nearest, b.1) < a {
            Some(Ordering::Greater)
        } else {
            None
        }
    }

    /// Seconds since the start of year 1, in UTC if there is a zone, and attoseconds: equal values of
    /// one kind, both with or both without a zone, are equal here. Fields that the kind lacks are
    /// those of the first day of a leap year.
    pub fn instant(&self) -> (i128, u64) {
        let year = match (self.kind.has_year(), self.year) {
            (false, _) => 1972,
            (true, before @ ..0) => i128::from(before) + 1,
            (true, year) => i128::from(year),
        };
        let month = self.month.max(1);
        let day = i128::from(self.day.max(1)) - 1;
        let hour = match self.kind {
            // The end of a day without a date is its start.
            DateTimeKind::Time => self.hour % 24,
            _ => self.hour,
        };
        let days = days_before(12 * year + i128::from(month) - 1) + day;
        let minutes =
            60 * i128::from(hour) + i128::from(self.minute) - i128::from(self.zone_minutes.unwrap_or(0));
        let seconds = days * DAY_SECONDS + 60 * minutes + i128::from(self.second);
        (seconds, self.attoseconds)
    }
}

impl Duration {
    /// Compares two durations; `None` if it depends on which months they are: `P1M` and `P30D`.
    pub fn compare(&self, other: &Duration) -> Option<Ordering> {
        // XSD names these four months: adding to them shows every difference there can be.
        let orders = [(1696, 9), (1697, 2), (1903, 3), (1903, 7)].map(|(year, month)| {
            let start = 12 * year + month - 1;
            self.end_from(start).cmp(&other.end_from(start))
        });
        let [first, rest @ ..] = orders;
        rest.iter().all(|order| *order == first).then_some(first)
    }

    /// Where it ends if it starts with this month: attoseconds since the start of year 1.
    fn end_from(&self, month: i128) -> (i128, i128) {
        let sign = if self.negative { -1 } else { 1 };
        let days = days_before(month + sign * i128::from(self.months));
        let seconds = days * DAY_SECONDS + sign * i128::from(self.seconds);
        let attoseconds = sign * i128::from(self.attoseconds);
        if attoseconds < 0 {
            (seconds - 1, attoseconds + i128::from(crate::fraction::SECOND))
        } else {
            (seconds, attoseconds)
        }
    }
}

/// Days from the start of year 1 to the start of a month, counted from January of year 0 of the
/// proleptic Gregorian calendar.
pub(crate) fn days_before(month: i128) -> i128 {
    const BEFORE: [i128; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let (year, month) = (month.div_euclid(12), month.rem_euclid(12) as usize);
    let leaps_before = |year: i128| {
        let past = year - 1;
        past.div_euclid(4) - past.div_euclid(100) + past.div_euclid(400)
    };
    // A leap day of the year itself counts from March on.
    let leaps = leaps_before(if month >= 2 { year + 1 } else { year });
    365 * (year - 1) + leaps + BEFORE.get(month).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Ordering::{Equal, Greater, Less};

    #[test]
    fn days() {
        for (year, month, days) in [(1, 1, 0), (1970, 1, 719_162), (2000, 3, 730_179), (0, 3, -306)] {
            assert_eq!(days_before(12 * year + month - 1), days, "{year}-{month}");
        }
    }

    #[test]
    fn date_times() {
        let order = |kind, a: &str, b: &str| {
            let [a, b] = [a, b].map(|text| DateTime::parse(kind, text.as_bytes()).unwrap());
            assert_eq!(a.compare(&b), b.compare(&a).map(Ordering::reverse));
            a.compare(&b)
        };
        // The examples of 3.2.7.4, then the edges.
        let kind = DateTimeKind::DateTime;
        for (a, b, expected) in [
            ("2000-01-15T00:00:00", "2000-02-15T00:00:00", Some(Less)),
            ("2000-01-15T12:00:00", "2000-01-16T12:00:00Z", Some(Less)),
            ("2000-01-01T12:00:00", "1999-12-31T23:00:00Z", None),
            ("2000-01-16T12:00:00", "2000-01-16T12:00:00Z", None),
            ("2000-01-16T00:00:00", "2000-01-16T12:00:00Z", None),
            ("2000-01-16T14:00:00", "2000-01-16T00:00:00Z", None),
            ("2000-01-16T14:00:01", "2000-01-16T00:00:00Z", Some(Greater)),
            ("1999-12-31T24:00:00Z", "2000-01-01T00:00:00Z", Some(Equal)),
            ("2000-03-04T20:00:00Z", "2000-03-04T23:00:00+03:00", Some(Equal)),
            ("-0001-12-31T23:59:59Z", "0001-01-01T00:00:00Z", Some(Less)),
            ("2000-01-01T00:00:00.1", "2000-01-01T00:00:00.09", Some(Greater)),
        ] {
            assert_eq!(order(kind, a, b), expected, "{a} {b}");
        }
        assert_eq!(order(DateTimeKind::Time, "24:00:00", "00:00:00"), Some(Equal));
        assert_eq!(order(DateTimeKind::GMonthDay, "--02-29", "--03-01"), Some(Less));
        assert_eq!(order(DateTimeKind::GDay, "---31", "---01"), Some(Greater));
        assert_eq!(order(DateTimeKind::GYear, "-0002", "-0001"), Some(Less));
    }

    #[test]
    fn durations() {
        for (a, b, expected) in [
            // The table of 3.2.6.2.
            ("P1Y", "P364D", Some(Greater)),
            ("P1Y", "P365D", None),
            ("P1Y", "P366D", None),
            ("P1Y", "P367D", Some(Less)),
            ("P1M", "P27D", Some(Greater)),
            ("P1M", "P28D", None),
            ("P1M", "P31D", None),
            ("P1M", "P32D", Some(Less)),
            ("P5M", "P149D", Some(Greater)),
            ("P5M", "P150D", None),
            ("P5M", "P153D", None),
            ("P5M", "P154D", Some(Less)),
            ("P1Y", "P12M", Some(Equal)),
            ("-PT0.5S", "-PT0.25S", Some(Less)),
            ("-P1D", "PT0S", Some(Less)),
        ] {
            let [x, y] = [a, b].map(|text| Duration::parse(text.as_bytes()).unwrap());
            assert_eq!(x.compare(&y), expected, "{a} {b}");
            assert_eq!(y.compare(&x), expected.map(Ordering::reverse), "{b} {a}");
        }
    }
}
