//! What calls of engines took, and what that lets one expect of the next size.

use std::collections::BTreeMap;

use crate::engine::Engine;
use crate::workload::Cell;

/// Sizes of a message and nanoseconds of one call, by engine, workload and measure.
#[derive(Default)]
pub(super) struct Took(BTreeMap<String, BTreeMap<usize, f64>>);

/// What a call with fewer items than this takes is not theirs.
pub(super) const ITEMS_FEW: usize = 100;

impl Took {
    /// Notes one call of what `name` means.
    pub(super) fn note(&mut self, name: String, size: usize, ns: f64) {
        self.0.entry(name).or_default().insert(size, ns);
    }

    /// Seconds that a call of this size will take, and what that comes from: size and nanoseconds of the nearest. Between two sizes
    /// it lies between their times; a size beyond all takes more by as much as the last did against the one before; where there
    /// is none, in proportion from a hundred items on.
    pub(super) fn expected(&self, name: &str, size: usize) -> Option<(f64, (usize, f64))> {
        let known = self.0.get(name)?;
        let point = |(&size, &ns): (&usize, &f64)| (size, ns);
        let mut below = known.range(..=size).rev().map(point);
        let above = known.range(size..).next().map(point);
        let items = |size: usize| size.max(ITEMS_FEW) as f64;
        let proportion = |(known, ns): (usize, f64)| ns * items(size) / items(known);
        let (last, before) = (below.next(), below.next());
        let (ns, from) = match (last, above) {
            (Some(last), _) if last.0 == size => (last.1, last),
            (Some(last), Some(above)) => (last.1 + slope(last, above) * (size - last.0) as f64, above),
            (Some(last), None) => {
                let more = before.map(|before| last.1 + slope(before, last) * (size - last.0) as f64);
                (more.unwrap_or(f64::INFINITY).min(proportion(last)), last)
            }
            (None, Some(above)) => (proportion(above), above),
            (None, None) => return None,
        };
        Some((ns / 1e9, from))
    }
}

/// What an item more takes, ns.
fn slope(smaller: (usize, f64), larger: (usize, f64)) -> f64 {
    (larger.1 - smaller.1).max(0.0) / (larger.0 - smaller.0) as f64
}

/// What an engine's last time is found by.
pub(super) fn history(engine: &Engine, cell: &Cell<'_>) -> String {
    format!("{} {} {}", engine.name, cell.workload.name, cell.measure.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_every_call_takes_is_not_taken_for_what_items_take() {
        let mut took = Took::default();
        assert_eq!(took.expected("a", 10), None);
        took.note("a".into(), 10, 1e6);
        assert_eq!(took.expected("a", 100), Some((0.001, (10, 1e6))));
        assert_eq!(took.expected("a", 1000), Some((0.01, (10, 1e6))));
        took.note("a".into(), 100, 1.9e6);
        let (seconds, _) = took.expected("a", 1000).expect("a time");
        assert!((seconds - 0.0109).abs() < 1e-9, "{seconds}");
        // The same size in another setting keeps what was known before.
        took.note("a".into(), 100, 2.8e6);
        let (seconds, _) = took.expected("a", 1000).expect("a time");
        assert!((seconds - 0.0208).abs() < 1e-9, "{seconds}");
    }

    #[test]
    fn sizes_are_told_by_their_nearest_whatever_came_last() {
        let mut took = Took::default();
        took.note("a".into(), 10_000, 9e6);
        took.note("a".into(), 1000, 1e6);
        took.note("a".into(), 1, 5e5);
        let expected = |size: usize| took.expected("a", size).map(|(seconds, _)| seconds);
        assert_eq!(expected(1000), Some(1e-3));
        assert_eq!(expected(5500), Some(5e-3));
        assert_eq!(expected(500).map(|seconds| seconds < 1e-3), Some(true));
        let beyond = expected(100_000).expect("a time");
        assert!((beyond - 0.089).abs() < 1e-9, "{beyond}");
    }

    #[test]
    fn smaller_sizes_take_less() {
        let mut took = Took::default();
        took.note("a".into(), 100, 1e6);
        took.note("a".into(), 1000, 9e6);
        assert_eq!(took.expected("a", 1).map(|(seconds, _)| seconds), Some(1e-3));
    }
}
