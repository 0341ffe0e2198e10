//! What calls of engines took, and what that lets one expect of the next size.

use std::collections::BTreeMap;

use crate::engine::Engine;
use crate::workload::Cell;

/// Sizes of a message and nanoseconds of one call, the last two of each engine and workload.
#[derive(Default)]
pub(super) struct Took(BTreeMap<String, Last>);

/// What a call with fewer items than this takes is not theirs.
pub(super) const ITEMS_FEW: usize = 100;

#[derive(Clone, Copy)]
struct Last {
    size: usize,
    ns: f64,
    /// The one before, when it was smaller.
    before: Option<(usize, f64)>,
}

impl Took {
    /// Notes one call of what `name` means.
    pub(super) fn note(&mut self, name: String, size: usize, ns: f64) {
        let earlier = self.0.get(&name).copied();
        let before = earlier.and_then(|last| match last.size < size {
            true => Some((last.size, last.ns)),
            false => last
                .before
                .filter(|(smaller, _)| *smaller < size && last.size == size),
        });
        self.0.insert(name, Last { size, ns, before });
    }

    /// Seconds that a call of this size will take, and what that comes from: size and nanoseconds of the last. A larger size
    /// takes more by as much as the last did against the one before; where there is none, in proportion from a hundred items on.
    pub(super) fn expected(&self, name: &str, size: usize) -> Option<(f64, (usize, f64))> {
        let last = self.0.get(name)?;
        let items = |size: usize| size.max(ITEMS_FEW) as f64;
        let proportion = last.ns * items(size) / items(last.size);
        let ns = match last.before {
            Some((smaller, less)) if size > last.size => {
                let slope = (last.ns - less).max(0.0) / (last.size - smaller) as f64;
                (last.ns + slope * (size - last.size) as f64).min(proportion)
            }
            _ => proportion,
        };
        Some((ns / 1e9, (last.size, last.ns)))
    }
}

/// What an engine's last time is found by.
pub(super) fn history(engine: &Engine, cell: &Cell<'_>) -> String {
    format!("{} {}", engine.name, cell.workload.name)
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
    fn smaller_sizes_take_less() {
        let mut took = Took::default();
        took.note("a".into(), 100, 1e6);
        took.note("a".into(), 1000, 9e6);
        assert_eq!(took.expected("a", 1).map(|(seconds, _)| seconds), Some(9e-4));
    }
}
