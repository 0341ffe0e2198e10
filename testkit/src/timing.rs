//! Benchmarks: what they are asked for, and their timing: this thread's processor time, so that what else the machine does counts little.

use std::hint::black_box;

use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds of this thread that the work takes; dropping its result is not counted.
pub fn time<T>(work: impl FnOnce() -> T) -> f64 {
    let now = || {
        let now = clock_gettime(ClockId::ThreadCPUTime);
        now.tv_sec as f64 * 1e9 + now.tv_nsec as f64
    };
    let start = now();
    let result = black_box(work());
    let time = now() - start;
    drop(result);
    time
}

/// The middle one of some times, which are not none.
pub fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The words after `cargo bench … --`: what of a benchmark is to be measured.
pub fn asked() -> Vec<String> {
    let words = std::env::args().skip(1);
    words.filter(|word| word != "--bench").collect()
}
