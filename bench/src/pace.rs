//! How long runs measure, and whom: `runs.toml`.

use std::path::Path;
use std::time::Duration;

use serde::Deserialize;

use crate::Outcome;
use crate::engine::Engine;
use crate::stats;
use crate::warmup::Warmup;
use crate::workload::{Cell, Measure};

/// Times of a run; an engine that is slower than they allow gets fewer rounds, or a row that says so.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pace {
    /// In which engines take turns, at most.
    pub(crate) rounds: usize,
    /// After so many an engine is done whose rounds lie close together.
    pub(crate) rounds_enough: usize,
    /// How close: the greatest less the least, as a part of the median.
    pub(crate) spread_enough: f64,
    /// For one engine in one cell, all rounds together.
    pub(crate) seconds: f64,
    /// Part of the warm-up that an engine's definition asks for.
    pub(crate) warmup_part: f64,
    /// Warm-up of one engine for one operation in one measure,
    pub(crate) warmup_seconds: f64,
    /// and at most, while its calls still become faster.
    pub(crate) warmup_seconds_max: f64,
    /// A round of a load; where the cell counts requests, it ends with the last of them.
    pub(crate) load_seconds: f64,
    /// A cell in which one call would take longer is left out for an engine, with a row that says so.
    pub(crate) call_seconds_max: f64,
    /// Where one call would take longer than this, an engine is measured at powers of ten and the greatest size only; its other
    /// sizes say so.
    pub(crate) call_seconds_sparse: f64,
    /// One engine's rounds in one cell; who is beyond it after a round has no other.
    pub(crate) engine_seconds_max: f64,
    #[serde(default)]
    pub(crate) variants: Variants,
}

/// What variants that nobody asked for by name are spared.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Variants {
    /// They are measured at sizes that are powers of ten.
    #[serde(default)]
    powers_of_ten: bool,
    /// Variants that are measured in `workloads` only.
    #[serde(default)]
    few: Vec<String>,
    #[serde(default)]
    workloads: Vec<String>,
}

/// What matters most: it comes first, and stays when there is not time for all.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Order {
    /// Workloads that come first, in this order.
    workloads: Vec<String>,
    /// Sizes in the order of their weight; all others weigh less.
    sizes: Vec<usize>,
    /// Workloads whose two weightiest sizes weigh the same.
    core: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    order: Order,
    full: Pace,
    quick: Pace,
}

impl Pace {
    /// The warm-up of an engine for an operation.
    pub(crate) fn warmup(&self, engine: &Engine) -> Warmup {
        let asked = engine.warmup_seconds * self.warmup_part;
        let [wanted, most] = [self.warmup_seconds, self.warmup_seconds_max].map(|most| asked.min(most));
        Warmup::new(Duration::from_secs_f64(wanted), Duration::from_secs_f64(most))
    }

    /// That of a quick or of a full run of the suite in `folder`.
    ///
    /// # Errors
    /// No such file, or one that cannot be read.
    pub(crate) fn of(folder: &Path, quick: bool) -> Outcome<Pace> {
        let file = File::of(folder)?;
        Ok(if quick { file.quick } else { file.full })
    }

    /// Why an engine is too slow for a size, when one call is expected to take so many seconds.
    pub(crate) fn slow(&self, seconds: f64, cell: &Cell<'_>) -> Option<String> {
        if seconds > self.call_seconds_max {
            return Some(format!("a call is expected to take {seconds:.1} s"));
        }
        let greatest = cell.workload.sizes.iter().all(|size| *size <= cell.size);
        let sparse = seconds > self.call_seconds_sparse && !greatest && !power_of_ten(cell.size);
        sparse.then(|| {
            format!(
                "at powers of ten and the greatest size only, for a call is expected to take {seconds:.2} s"
            )
        })
    }

    /// Whether these medians of rounds are enough.
    pub(crate) fn enough(&self, measure: Measure, medians: &[f64]) -> bool {
        if medians.len() < self.rounds_enough.max(1) {
            return false;
        }
        let spread = stats::quantile(medians, 1.0) - stats::quantile(medians, 0.0);
        measure == Measure::Coldstart || spread <= self.spread_enough * stats::median(medians)
    }
}

impl Variants {
    /// Whether an engine is left out of a cell, where `named` are the patterns that the run was given.
    pub(crate) fn spare(&self, engine: &Engine, cell: &Cell<'_>, named: &[String]) -> bool {
        if engine.name == engine.base() || named.iter().any(|pattern| engine.matches(pattern)) {
            return false;
        }
        let few = self.few.contains(&engine.name) && !self.workloads.contains(&cell.workload.name);
        few || self.powers_of_ten && !power_of_ten(cell.size)
    }

    /// The same in words, for who reads the results.
    pub(crate) fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if self.powers_of_ten {
            words.push("variants of a toolkit are measured at sizes that are powers of ten".into());
        }
        if !self.few.is_empty() {
            let workloads = self.workloads.join(", ");
            words.push(format!("{} are measured in {workloads}", self.few.join(", ")));
        }
        words
    }
}

impl File {
    fn of(folder: &Path) -> Outcome<File> {
        let path = folder.join("runs.toml");
        let named = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
        let text = std::fs::read_to_string(&path).map_err(|e| named(&e))?;
        Ok(toml::from_str(&text).map_err(|e| named(&e))?)
    }
}

impl Order {
    /// That of the suite in `folder`.
    ///
    /// # Errors
    /// No such file, or one that cannot be read.
    pub(crate) fn of(folder: &Path) -> Outcome<Order> {
        Ok(File::of(folder)?.order)
    }

    /// The place of a workload among all.
    pub(crate) fn place(&self, workload: &str) -> usize {
        let place = self.workloads.iter().position(|name| name == workload);
        place.unwrap_or(self.workloads.len())
    }

    /// How many sizes of its workload weigh more than a cell's: 0 of the weightiest.
    pub(crate) fn rank(&self, cell: &Cell<'_>) -> usize {
        let place = |size: usize| {
            let known = self.sizes.iter().position(|&one| one == size);
            (known.unwrap_or(self.sizes.len()), size)
        };
        let own = place(cell.size);
        let before = cell.workload.sizes.iter().filter(|&&size| place(size) < own);
        match (before.count(), self.core.contains(&cell.workload.name)) {
            (rank, true) => rank.saturating_sub(1),
            (rank, false) => rank,
        }
    }
}

fn power_of_ten(size: usize) -> bool {
    size.checked_ilog10()
        .is_some_and(|digits| 10usize.pow(digits) == size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Suite;

    fn folder() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR"))
    }

    #[test]
    fn a_quick_run_takes_less_of_everything() {
        let (full, quick) = (
            Pace::of(folder(), false).expect("full"),
            Pace::of(folder(), true).expect("quick"),
        );
        assert!(quick.rounds <= full.rounds && quick.seconds < full.seconds);
        assert!(quick.warmup_part < full.warmup_part && quick.warmup_seconds < full.warmup_seconds);
        assert!(quick.call_seconds_max < full.call_seconds_max);
        assert!(quick.engine_seconds_max < full.engine_seconds_max);
        assert!(quick.load_seconds < full.load_seconds);
    }

    #[test]
    fn rounds_are_enough_when_they_lie_close_together() {
        let pace = Pace::of(folder(), false).expect("full");
        let (few, close, wide) = ([1.0, 1.0], [1.0, 1.01, 1.02], [1.0, 1.5, 1.0]);
        assert!(!pace.enough(Measure::Endtoend, &few));
        assert!(pace.enough(Measure::Endtoend, &close));
        assert!(!pace.enough(Measure::Endtoend, &wide));
        assert!(pace.enough(Measure::Coldstart, &wide));
    }

    #[test]
    fn variants_are_spared_unless_named() {
        let suite = Suite::open(Some(folder())).expect("the suite");
        let variants = Pace::of(folder(), false).expect("full").variants;
        let doubles = suite
            .workloads
            .iter()
            .find(|w| w.name == "doubles")
            .expect("doubles");
        let cells = doubles.cells(false);
        let spared = |name: &str, named: &[String]| -> Vec<usize> {
            let engine = suite.engines.iter().find(|e| e.name == name).expect(name);
            let spared = cells.iter().filter(|cell| variants.spare(engine, cell, named));
            spared.map(|cell| cell.size).collect()
        };
        assert_eq!(spared("castile-rust", &[]), [0usize; 0]);
        assert!(spared("castile-rust/plain", &[]).contains(&25_000));
        assert!(!spared("castile-rust/plain", &[]).contains(&100_000));
        assert_eq!(
            spared("castile-rust/plain", &["castile-rust/*".into()]),
            [0usize; 0]
        );
    }

    #[test]
    fn two_sizes_of_the_core_weigh_most_and_one_of_all_others() {
        let suite = Suite::open(Some(folder())).expect("the suite");
        let order = Order::of(folder()).expect("the order");
        let first = |name: &str| -> Vec<usize> {
            let workload = suite.workloads.iter().find(|w| w.name == name).expect(name);
            let mut sizes: Vec<usize> = workload
                .cells(false)
                .iter()
                .filter(|cell| order.rank(cell) == 0)
                .map(|cell| cell.size)
                .collect();
            sizes.sort_unstable();
            sizes.dedup();
            sizes
        };
        for core in ["doubles", "mios", "events"] {
            assert_eq!(first(core), [10_000, 100_000], "{core}");
        }
        for workload in &suite.workloads {
            let wanted = if order.core.contains(&workload.name) { 2 } else { 1 };
            assert_eq!(first(&workload.name).len(), wanted, "{}", workload.name);
        }
    }

    #[test]
    fn who_is_told_of_is_there() {
        let suite = Suite::open(Some(folder())).expect("the suite");
        let variants = Pace::of(folder(), false).expect("full").variants;
        let order = Order::of(folder()).expect("the order");
        let workloads = variants
            .workloads
            .iter()
            .chain(&order.workloads)
            .chain(&order.core)
            .cloned()
            .collect::<Vec<_>>();
        for name in workloads {
            assert!(suite.workloads.iter().any(|w| w.name == name), "{name}");
        }
        for name in &variants.few {
            assert!(suite.engines.iter().any(|e| e.name == *name), "{name}");
        }
    }
}
