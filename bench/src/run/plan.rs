//! What a run does, in which order, and what of it fits into the time that it is given: decided before it begins.
//!
//! A comparison is planned in two portions, the toolkits and their variants. The weightiest sizes of all workloads come
//! first (`runs.toml`), so that a run that has less time still has all workloads, measures and engines, and one that is stopped
//! has what matters most. Costs come from earlier runs ([`super::cost`]); the bar counts in them.

use std::collections::BTreeMap;

use super::cost::{Warmed, frame};
use super::refuse::refused;
use super::{Options, Run, head};
use crate::Outcome;
use crate::pace::Order;
use crate::row::{LeftOut, Results};
use crate::suite::Suite;
use crate::workload::Cell;

/// A comparison that a run does.
pub(super) struct Planned<'s> {
    pub(super) cell: Cell<'s>,
    /// With the variants of toolkits that are not done yet, too.
    pub(super) variants: bool,
    pub(super) seconds: f64,
}

/// What a run does, and what it has no time for.
pub(super) struct Plan<'s> {
    pub(super) cells: Vec<Planned<'s>>,
    pub(super) left_out: Vec<LeftOut>,
    /// The programs of papers included.
    pub(super) seconds: f64,
    rows: usize,
}

/// The toolkits of a comparison, or their variants.
struct Portion {
    cell: usize,
    variants: bool,
    rank: usize,
    seconds: f64,
    rows: usize,
}

/// What a run would take, in words.
pub(crate) fn plan(suite: &Suite, options: &Options) -> Outcome<String> {
    let results = match &options.resume {
        Some(path) => Results::read(path)?,
        None => Results::unwritten(head::head(suite, options)?),
    };
    let run = Run::new(suite, results)?;
    Ok(run.told(&run.planned(options.minutes)?))
}

impl<'s> Run<'s> {
    /// What is to be done, as far as it fits into so many minutes.
    pub(super) fn planned(&self, minutes: Option<f64>) -> Outcome<Plan<'s>> {
        let order = Order::of(&self.suite.folder)?;
        let mut cells = self.cells()?;
        cells.sort_by_key(|cell| (order.rank(cell), order.place(&cell.workload.name)));
        let programs: f64 = self.programs()?.iter().map(|program| program.seconds).sum();
        let portions = self.portions(&cells, &order);
        let budget = minutes.map_or(f64::INFINITY, |minutes| minutes * 60.0 - programs);
        let taken = fitting(&portions, budget);
        let mut plan = Plan {
            cells: Vec::new(),
            left_out: left_out(&cells, &portions, &taken),
            seconds: programs,
            rows: 0,
        };
        let mut chosen: BTreeMap<usize, (bool, f64)> = BTreeMap::new();
        for (portion, _) in portions.iter().zip(&taken).filter(|(_, taken)| **taken) {
            let (variants, seconds) = chosen.entry(portion.cell).or_default();
            *variants |= portion.variants;
            *seconds += portion.seconds;
            plan.seconds += portion.seconds;
            plan.rows += portion.rows;
        }
        for (index, cell) in cells.into_iter().enumerate() {
            if let Some((variants, seconds)) = chosen.remove(&index) {
                plan.cells.push(Planned {
                    cell,
                    variants,
                    seconds,
                });
            }
        }
        Ok(plan)
    }

    /// The portions of these cells that have no rows yet, the weightiest first.
    fn portions(&self, cells: &[Cell<'s>], order: &Order) -> Vec<Portion> {
        let mut portions = Vec::new();
        for (index, cell) in cells.iter().enumerate() {
            let (variants, toolkits): (Vec<usize>, Vec<usize>) =
                self.wanted(cell, true).into_iter().partition(|&session| {
                    let engine = self.sessions[session].session.engine;
                    engine.name != engine.base()
                });
            let rank = order.rank(cell);
            for (variants, sessions, rank) in [(false, toolkits, rank), (true, variants, rank + 1)] {
                if !sessions.is_empty() {
                    portions.push((
                        sessions,
                        Portion {
                            cell: index,
                            variants,
                            rank,
                            seconds: 0.0,
                            rows: 0,
                        },
                    ));
                }
            }
        }
        portions.sort_by_key(|(_, portion)| portion.rank);
        let mut warmed = Warmed::new();
        let mut framed = vec![false; cells.len()];
        let priced = portions.into_iter().map(|(sessions, mut portion)| {
            let cell = &cells[portion.cell];
            portion.rows = sessions.len();
            if cell.workload.unsupported.is_some() {
                return portion;
            }
            for index in sessions {
                let session = &self.sessions[index].session;
                if refused(session, cell).is_none() {
                    portion.seconds += self.known.seconds(&self.pace, session, cell, &mut warmed);
                }
            }
            // Values, messages and limits are made once for both portions.
            if portion.seconds > 0.0 && !std::mem::replace(&mut framed[portion.cell], true) {
                portion.seconds += frame(cell);
            }
            portion
        });
        priced.collect()
    }

    pub(super) fn told(&self, plan: &Plan<'_>) -> String {
        let mut told = format!(
            "computed time {:.0} min {:02.0} s: {} comparisons, {} rows",
            (plan.seconds / 60.0).floor(),
            plan.seconds % 60.0,
            plan.cells.len(),
            plan.rows
        );
        for words in &self.results.head.spared {
            told.push_str(&format!("\n  {words}"));
        }
        if !plan.left_out.is_empty() {
            told.push_str("\nleft out, for there is no time for it; --resume adds it:");
        }
        for left in &plan.left_out {
            told.push_str(&format!("\n  {left}"));
        }
        told
    }
}

/// Which portions, the weightiest first, fit into so many seconds. One that does not is left out, and lighter ones may
/// fit still; variants are never measured without their toolkits.
fn fitting(portions: &[Portion], seconds: f64) -> Vec<bool> {
    let mut left = seconds;
    let mut missed = Vec::new();
    let mut fits = |portion: &Portion| {
        let alone = portion.variants && missed.contains(&portion.cell);
        let fits = !alone && portion.seconds <= left;
        match fits {
            true => left -= portion.seconds,
            false => missed.push(portion.cell),
        }
        fits
    };
    portions.iter().map(&mut fits).collect()
}

/// What is not taken, a line a workload, point and measure.
fn left_out(cells: &[Cell<'_>], portions: &[Portion], taken: &[bool]) -> Vec<LeftOut> {
    let mut sizes: BTreeMap<(String, String, &str, bool), Vec<usize>> = BTreeMap::new();
    let missing = portions.iter().zip(taken).filter(|(_, taken)| !**taken);
    for (portion, _) in missing {
        let cell = &cells[portion.cell];
        let key = |variants| {
            (
                cell.workload.name.clone(),
                cell.point.name.clone(),
                cell.measure.name(),
                variants,
            )
        };
        // Where toolkits are left out, so are their variants.
        let whole = sizes
            .get(&key(false))
            .is_some_and(|sizes| sizes.contains(&cell.size));
        if !(portion.variants && whole) {
            sizes.entry(key(portion.variants)).or_default().push(cell.size);
        }
    }
    sizes
        .into_iter()
        .map(|((workload, point, measure, variants), mut sizes)| {
            sizes.sort_unstable();
            LeftOut {
                workload,
                point,
                measure: measure.into(),
                sizes,
                variants,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn portion(cell: usize, variants: bool, rank: usize, seconds: f64) -> Portion {
        Portion {
            cell,
            variants,
            rank,
            seconds,
            rows: 1,
        }
    }

    #[test]
    fn what_weighs_most_is_taken_first_and_what_fits_still_follows() {
        let portions = [
            portion(0, false, 0, 10.0),
            portion(1, false, 0, 10.0),
            portion(0, true, 1, 15.0),
            portion(2, false, 1, 4.0),
        ];
        assert_eq!(fitting(&portions, 25.0), [true, true, false, true]);
        assert_eq!(fitting(&portions, 35.0), [true, true, true, false]);
        assert_eq!(fitting(&portions, f64::INFINITY), [true; 4]);
        assert_eq!(fitting(&portions, 0.0), [false; 4]);
    }

    #[test]
    fn variants_are_not_measured_without_their_toolkits() {
        let portions = [
            portion(0, false, 0, 10.0),
            portion(0, true, 1, 1.0),
            portion(1, true, 1, 1.0),
        ];
        assert_eq!(fitting(&portions, 5.0), [false, false, true]);
    }

    fn suite() -> Suite {
        Suite::open(Some(Path::new(env!("CARGO_MANIFEST_DIR")))).expect("the suite")
    }

    #[test]
    fn what_is_left_out_is_named_once() {
        let suite = suite();
        let doubles = suite.workloads.iter().find(|w| w.name == "doubles");
        let cells = doubles.expect("doubles").cells(false);
        let at = |size: usize| cells.iter().position(|cell| cell.size == size).expect("a size");
        let portions = [
            portion(at(1000), false, 1, 1.0),
            portion(at(500), false, 2, 1.0),
            portion(at(1000), true, 2, 1.0),
            portion(at(500), true, 3, 1.0),
        ];
        let left = left_out(&cells, &portions, &[true, false, false, false]);
        let words: Vec<String> = left.iter().map(ToString::to_string).collect();
        assert_eq!(
            words,
            ["doubles serialize: 500", "doubles serialize: variants at 1000"]
        );
    }

    /// Costs as on record: a run of less time has all workloads and measures still, in fewer sizes.
    #[test]
    fn less_time_means_fewer_sizes_and_not_fewer_workloads() {
        let suite = suite();
        let order = Order::of(&suite.folder).expect("the order");
        let mut cells: Vec<Cell<'_>> = suite.workloads.iter().flat_map(|w| w.cells(false)).collect();
        cells.sort_by_key(|cell| order.rank(cell));
        let portions: Vec<Portion> = cells
            .iter()
            .enumerate()
            .map(|(index, cell)| portion(index, false, order.rank(cell), 1.0))
            .collect();
        let taken = fitting(&portions, 0.6 * cells.len() as f64);
        for workload in &suite.workloads {
            for cell in workload.cells(false) {
                let same = |other: &Cell<'_>| {
                    other.workload.name == workload.name
                        && other.measure == cell.measure
                        && other.point == cell.point
                };
                let has = cells
                    .iter()
                    .zip(&taken)
                    .any(|(other, taken)| *taken && same(other));
                assert!(has, "{}", cell.key());
            }
        }
    }
}
