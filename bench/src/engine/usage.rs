//! What a process has used of the machine, from /proc.

/// Seconds of CPU and the most memory of one process.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Usage {
    pub(crate) cpu_seconds: f64,
    /// Of processes that it started and that ended.
    pub(crate) children_seconds: f64,
    pub(crate) peak_kib: u64,
    /// What it holds now.
    pub(crate) resident_kib: u64,
}

/// Ticks a second that /proc counts in (fixed on Linux for programs).
const TICKS: f64 = 100.0;

/// `None` when the process is gone or the system has no /proc.
pub(crate) fn of(process: u32) -> Option<Usage> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let (cpu_seconds, children_seconds) = cpu(&stat)?;
    Some(Usage {
        cpu_seconds,
        children_seconds,
        peak_kib: kib(&status, "VmHWM:").unwrap_or(0),
        resident_kib: kib(&status, "VmRSS:").unwrap_or(0),
    })
}

/// CPU seconds of a process finer than the ticks of [`of`]: what its threads say that run still, unless those that ended
/// had more.
pub(crate) fn cpu_fine(process: u32) -> Option<f64> {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).ok()?;
    let ran = threads.flatten().filter_map(|thread| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<f64>().ok()
    });
    Some((ran.sum::<f64>() / 1e9).max(of(process)?.cpu_seconds))
}

/// utime and stime, cutime and cstime: fields 14 to 17, counted behind the name, which may hold anything.
fn cpu(stat: &str) -> Option<(f64, f64)> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |index: usize| fields.get(index)?.parse::<f64>().ok();
    let both = |index| Some((ticks(index)? + ticks(index + 1)?) / TICKS);
    Some((both(11)?, both(13)?))
}

fn kib(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().trim_end_matches(" kB").trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_text_is_read() {
        let stat = "42 (a ) b) S 1 42 42 0 -1 4194560 2000 0 0 0 150 50 30 10 20 0 1 0 100 1000 200";
        assert_eq!(cpu(stat), Some((2.0, 0.4)));
        assert_eq!(kib("Name:\tx\nVmHWM:\t   2048 kB\n", "VmHWM:"), Some(2048));
        let coarse = of(std::process::id()).expect("this process");
        assert!(coarse.resident_kib > 0 && coarse.resident_kib <= coarse.peak_kib);
        assert!(cpu_fine(std::process::id()).expect("this process") >= coarse.cpu_seconds);
    }
}
