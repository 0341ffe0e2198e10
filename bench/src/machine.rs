//! The machine and the date, for the head of results, and how much of its memory is free.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Names and values that a reader of results wants to know.
pub(crate) fn describe() -> Vec<(String, String)> {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let line = |text: &str, name: &str| {
        let found = text
            .lines()
            .find_map(|l| l.strip_prefix(name))
            .unwrap_or_default();
        found
            .trim_start_matches([' ', '\t', ':', '='])
            .trim_matches('"')
            .to_owned()
    };
    let processor = read("/proc/cpuinfo");
    let cores = processor.lines().filter(|l| l.starts_with("processor")).count();
    let memory = line(&read("/proc/meminfo"), "MemTotal");
    let kernel = read("/proc/sys/kernel/osrelease");
    let governor = read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    let load = read("/proc/loadavg");
    let of = |name: &str, value: String| (name.to_owned(), value.trim().to_owned());
    vec![
        of("processor", line(&processor, "model name")),
        of("cores", cores.to_string()),
        of("memory", memory),
        of("system", line(&read("/etc/os-release"), "PRETTY_NAME")),
        of("kernel", kernel),
        of(
            "governor",
            if governor.is_empty() {
                "not known".into()
            } else {
                governor
            },
        ),
        of(
            "load at start",
            load.split(' ').take(3).collect::<Vec<_>>().join(" "),
        ),
    ]
}

/// The machine's memory now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    pub(crate) total_kib: u64,
    /// What programs can have without anything being written out.
    pub(crate) available_kib: u64,
}

/// `None` where the system does not tell.
pub(crate) fn memory() -> Option<Memory> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let kib = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().trim_end_matches(" kB").parse().ok()
    };
    Some(Memory {
        total_kib: kib("MemTotal:")?,
        available_kib: kib("MemAvailable:")?,
    })
}

/// How long some program has waited for memory since the machine started; `None` where the system does not tell.
pub(crate) fn memory_stalls() -> Option<Duration> {
    stalls(&std::fs::read_to_string("/proc/pressure/memory").ok()?)
}

/// The total of the line `some` of the kernel's pressure stall information.
fn stalls(text: &str) -> Option<Duration> {
    let line = text.lines().find_map(|line| line.strip_prefix("some "))?;
    let total = line.split(' ').find_map(|word| word.strip_prefix("total="))?;
    Some(Duration::from_micros(total.parse().ok()?))
}

/// Now, UTC: `2026-11-20T19:50:00`.
pub(crate) fn date_time() -> String {
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_secs());
    let (year, month, day) = civil((seconds / 86_400) as i64);
    let rest = seconds % 86_400;
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}",
        rest / 3600,
        rest / 60 % 60,
        rest % 60
    )
}

/// Year, month and day of a day since 1970-01-01 in the Gregorian calendar.
fn civil(day: i64) -> (i64, i64, i64) {
    let shifted = day + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, of_year - (153 * shifted_month + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_for_memory_is_read() {
        let text = "some avg10=4.46 avg60=20.88 avg300=23.24 total=1009933339\nfull avg10=4.11 avg60=19.66 avg300=21.90 total=9\n";
        assert_eq!(stalls(text), Some(Duration::from_micros(1_009_933_339)));
        assert_eq!(stalls("full avg10=0.00 total=3"), None);
    }

    #[test]
    fn days_have_their_dates() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(19_782), (2024, 2, 29));
        assert_eq!(civil(20_777), (2026, 11, 20));
    }
}
