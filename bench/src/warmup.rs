//! [`Warmup`]: how long an engine is called before anything is timed.

use std::time::Duration;

/// A virtual machine compiles what it has run often: calls go on while that still makes them faster.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Warmup {
    pub(crate) wanted: Duration,
    pub(crate) most: Duration,
    until: Duration,
    /// The fastest call so far, ns.
    fastest: Option<f64>,
}

/// By how much calls have to become faster for an engine not to be warm yet.
const FASTER: f64 = 0.95;

impl Warmup {
    /// At least as long as is `wanted`, and as long again after each call that was faster than all before, but `most`.
    pub(crate) fn new(wanted: Duration, most: Duration) -> Warmup {
        Warmup {
            wanted,
            most,
            until: wanted,
            fastest: None,
        }
    }

    /// Notes that calls take so many nanoseconds after so long a time; whether that is enough.
    pub(crate) fn is_over(&mut self, one: f64, spent: Duration) -> bool {
        if self.fastest.is_some_and(|fastest| one < fastest * FASTER) {
            self.until = (spent + self.wanted).min(self.most);
        }
        self.fastest = Some(self.fastest.map_or(one, |fastest| fastest.min(one)));
        spent >= self.until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After how many calls of a tenth of a second it is over.
    fn calls(ns: impl Fn(usize) -> f64, before: u64) -> usize {
        let mut warmup = Warmup::new(Duration::from_millis(800), Duration::from_millis(5000));
        let over = |&n: &usize| warmup.is_over(ns(n), Duration::from_millis(before + 100 * n as u64));
        (1..).find(over).expect("it ends")
    }

    #[test]
    fn it_lasts_while_calls_become_faster() {
        assert_eq!(calls(|_| 100.0, 0), 8);
        assert_eq!(calls(|n| if n > 5 { 50.0 } else { 100.0 }, 0), 6 + 8);
        assert_eq!(calls(|n| 100.0 - n as f64 / 100.0, 0), 8, "hardly faster");
        assert_eq!(calls(|n| 0.9f64.powi(n as i32), 0), 50, "there is an end");
        assert_eq!(calls(|_| 100.0, 800), 1, "it is warm");
    }
}
