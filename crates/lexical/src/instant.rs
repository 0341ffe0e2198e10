//! Points in time as a clock gives them.

use std::time::Duration;

use crate::datetime::{DateTime, DateTimeKind};
use crate::order::days_before;

const DAY_SECONDS: i128 = 86_400;

impl DateTime {
    /// The `xs:dateTime` in UTC so long after the start of 1970.
    ///
    /// ```
    /// use castile_lexical::DateTime;
    /// use std::time::Duration;
    /// let mut out = Vec::new();
    /// DateTime::from_unix(Duration::from_millis(951_825_600_250)).format(&mut out);
    /// assert_eq!(out, b"2000-02-29T12:00:00.25Z");
    /// ```
    pub fn from_unix(since: Duration) -> DateTime {
        let seconds = since.as_secs();
        let (days, second) = (seconds / 86_400, seconds % 86_400);
        // Counted from 1 March of year 0, leap days come last: the civil calendar by division.
        let day = days + 719_468;
        let (era, day) = (day / 146_097, day % 146_097);
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let of_month = day - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        let year = year + era * 400 + u64::from(month <= 2);
        DateTime {
            kind: DateTimeKind::DateTime,
            year: year as i64,
            month: month as u8,
            day: of_month as u8,
            hour: (second / 3_600) as u8,
            minute: (second / 60 % 60) as u8,
            second: (second % 60) as u8,
            attoseconds: u64::from(since.subsec_nanos()) * 1_000_000_000,
            zone_minutes: Some(0),
        }
    }

    /// How long after the start of 1970 it is; without a zone it is taken as UTC. `None` for earlier
    /// values and for those beyond what a `Duration` holds.
    pub fn to_unix(&self) -> Option<Duration> {
        let (seconds, attoseconds) = self.instant();
        let seconds = seconds - days_before(12 * 1970) * DAY_SECONDS;
        let nanos = u32::try_from(attoseconds / 1_000_000_000).ok()?;
        Some(Duration::new(u64::try_from(seconds).ok()?, nanos))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_instants() {
        // From `date -u -d @N`.
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"),
        ] {
            let mut out = Vec::new();
            DateTime::from_unix(Duration::from_secs(seconds)).format(&mut out);
            assert_eq!(String::from_utf8_lossy(&out), text);
        }
    }

    #[test]
    fn there_and_back() {
        for step in 0..20_000_u64 {
            let at = Duration::new(step * 7_654_321, (step % 1000) as u32 * 1_000_000);
            assert_eq!(DateTime::from_unix(at).to_unix(), Some(at));
        }
        let parse = |text: &str| DateTime::parse(DateTimeKind::DateTime, text.as_bytes()).unwrap();
        assert_eq!(parse("1969-12-31T23:59:59Z").to_unix(), None);
        assert_eq!(parse("1970-01-01T02:00:00+02:00").to_unix(), Some(Duration::ZERO));
    }
}
