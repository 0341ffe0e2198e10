//! What a comparison costs: seconds of each engine in it, from what earlier runs took.
//!
//! A row of an earlier run says how long its engine took in all; where there is none for this size, it is computed from what a
//! call took at the nearest, and where nothing is known of a workload, from arrays of doubles of the same engine. Times of the
//! machine's own runs (`build/results`) count more than those on record.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::took::ITEMS_FEW;
use crate::Outcome;
use crate::engine::Engine;
use crate::measure::Session;
use crate::measure::check::Place;
use crate::pace::Pace;
use crate::row::{Results, Row, Status};
use crate::suite::Suite;
use crate::trace::Kind;
use crate::workload::{Cell, Measure};

/// Making values and messages of a cell and measuring the limits: at least, and for each item.
const CELL_SECONDS: (f64, f64) = (0.1, 1.2e-5);
/// Starting and ending an engine's processes: a virtual machine that wants warming up, and any other.
const START_SECONDS: (f64, f64) = (1.5, 0.2);
/// Warm-up by which a virtual machine is known.
const MACHINE_WARMUP_SECONDS: f64 = 5.0;
/// For the harness to read an item of a message and compare it.
const ITEM_SECONDS: f64 = 1e-6;
/// Commands between an engine and the harness in one cell.
const CHANGE_SECONDS: f64 = 0.02;

/// What is known of earlier runs.
#[derive(Default)]
pub(super) struct Known {
    /// What calls took, by engine, measure and workload: size and seconds, or requests a second.
    calls: BTreeMap<(String, String, String), Vec<(usize, f64)>>,
    /// Seconds of an engine in a whole comparison, by what names the row and by the engine, at the pace of such a run.
    spent: BTreeMap<(String, String), f64>,
}

/// Who was told to warm up already, for which operation and measure.
pub(super) type Warmed = BTreeSet<(String, String)>;

impl Known {
    /// From all results on record and then all of the suite's own runs here; later ones count more. What engines took in all is
    /// taken from runs at this pace.
    ///
    /// # Errors
    /// A file of results that cannot be read.
    pub(super) fn of(suite: &Suite, pace: &Pace) -> Outcome<Known> {
        let mut known = Known::default();
        let folders = [suite.folder.join("record"), suite.build.join("results")];
        for path in folders.iter().flat_map(|folder| records(folder)) {
            let results = Results::read(&path)?;
            let alike = results.head.rounds == pace.rounds && results.head.seconds == pace.seconds;
            for row in results.rows {
                known.note(row, alike);
            }
        }
        Ok(known)
    }

    fn note(&mut self, row: Row, alike: bool) {
        if let (true, Some(spent)) = (alike, row.spent) {
            self.spent.insert((row.key(), row.engine.clone()), spent);
        }
        let (Status::Ok, Some(median)) = (row.status, row.median) else {
            return;
        };
        let seconds = if row.unit == "1/s" { median } else { median / 1e9 };
        let times = self
            .calls
            .entry((row.engine, row.measure, row.workload))
            .or_default();
        times.retain(|(size, _)| *size != row.size);
        times.push((row.size, seconds));
    }

    /// Seconds that a call will take, where this engine was measured in this workload; loads and starts are no calls.
    pub(super) fn call(&self, engine: &Engine, cell: &Cell<'_>) -> Option<f64> {
        if matches!(cell.measure, Measure::Throughput | Measure::Coldstart) {
            return None;
        }
        let measure = cell.measure.name().to_owned();
        let key = (engine.name.clone(), measure, cell.workload.name.clone());
        let times = self.calls.get(&key)?;
        let (size, seconds) = times.iter().min_by_key(|(size, _)| size.abs_diff(cell.size))?;
        Some(seconds * items(cell.size) / items(*size))
    }

    /// Seconds of one call (requests a second, where that is measured).
    fn one(&self, engine: &Engine, cell: &Cell<'_>) -> f64 {
        let measure = match cell.measure {
            Measure::SendTime => Measure::Serialize,
            measure => measure,
        };
        let nearest = |measure: &str, workload: &str| {
            let found = [&*engine.name, engine.base()]
                .into_iter()
                .find_map(|name| self.calls.get(&(name.into(), measure.into(), workload.into())))?;
            found
                .iter()
                .min_by_key(|(size, _)| size.abs_diff(cell.size))
                .copied()
        };
        let find = |measure: &str, workload: &str| {
            let (size, seconds) = nearest(measure, workload)?;
            Some(seconds * items(cell.size) / items(size))
        };
        let guess = || {
            if cell.measure == Measure::Throughput {
                let (_, empty) = nearest("throughput", "throughput").unwrap_or((1, 10_000.0));
                return empty / (1.0 + cell.size as f64 / 10.0);
            }
            let numbers = find(measure.name(), "doubles").or_else(|| find("endtoend", "doubles"));
            numbers.unwrap_or(cell.size as f64 * 1e-6) * weight(cell)
        };
        let one = find(cell.measure.name(), &cell.workload.name).unwrap_or_else(guess);
        match cell.measure {
            Measure::Throughput => one.max(1.0),
            _ => one.max(nearest("endtoend", "echo-void").map_or(0.0005, |(_, seconds)| seconds)),
        }
    }

    /// Seconds that an engine will take in a cell, which it begins warm or not.
    pub(super) fn seconds(
        &self,
        pace: &Pace,
        session: &Session<'_>,
        cell: &Cell<'_>,
        warmed: &mut Warmed,
    ) -> f64 {
        let engine = session.engine;
        let Some(place) = Place::of(session, cell) else {
            return 0.0;
        };
        let computed = self.computed(pace, engine, place, cell, warmed);
        let known = self.spent.get(&(cell.key(), engine.name.clone()));
        known.copied().unwrap_or(computed)
    }

    fn computed(
        &self,
        pace: &Pace,
        engine: &Engine,
        place: Place,
        cell: &Cell<'_>,
        warmed: &mut Warmed,
    ) -> f64 {
        let one = self.one(engine, cell);
        let rounds = (pace.rounds_enough as f64 + pace.rounds as f64) / 2.0;
        let start = match engine.warmup_seconds >= MACHINE_WARMUP_SECONDS {
            true => START_SECONDS.0,
            false => START_SECONDS.1,
        };
        match cell.measure {
            Measure::Coldstart => return pace.rounds_enough as f64 * 4.0 * start,
            Measure::Application => return (one * rounds).min(pace.engine_seconds_max) + one,
            Measure::Throughput => {
                let counted = cell.point.requests.map_or(f64::INFINITY, |n| n as f64 / one);
                return cold(pace, engine, cell, start, warmed) + rounds * counted.min(pace.load_seconds);
            }
            _ if pace.slow(one, cell).is_some() => return 0.0,
            _ => {}
        }
        // Calls of the check, and messages that the harness reads in it.
        let each = if engine.remembers { 5.0 } else { 2.0 };
        let (calls, messages) = match place {
            Place::Both => (2.0 * each + 3.0, each + 5.0),
            _ => (each, each + 1.0),
        };
        let items = cell.size as f64 * weight(cell);
        let checks = calls * one + messages * ITEM_SECONDS * items;
        // What it is told to load takes about as long as sending it.
        let before = cold(pace, engine, cell, start, warmed) + checks + 4.0 * one;
        let round = (pace.seconds / pace.rounds as f64).max(2.0 * one);
        let most = 1.0 + (pace.engine_seconds_max / round).floor();
        CHANGE_SECONDS + before + round * most.min(rounds)
    }
}

/// What a call with fewer items takes is not theirs.
fn items(size: usize) -> f64 {
    size.max(ITEMS_FEW) as f64
}

/// Seconds until an engine is up and warm for a cell, where it was not.
fn cold(pace: &Pace, engine: &Engine, cell: &Cell<'_>, start: f64, warmed: &mut Warmed) -> f64 {
    let name = || engine.name.clone();
    let operation = (name(), format!("{} {}", cell.operation(), cell.measure.name()));
    // A contract needs a server of its own, settings of a point often another client as well.
    let settings = (name(), format!("{:?}", cell.point.set));
    let contract = (name(), cell.workload.kind.contract(engine.style).to_owned());
    let starts = [contract, settings].map(|started| f64::from(u8::from(warmed.insert(started))));
    let warmup = pace.warmup(engine);
    let more = warmup.most.saturating_sub(warmup.wanted) / 3;
    let warmup = (warmup.wanted + more).as_secs_f64();
    let first = f64::from(u8::from(warmed.insert(operation)));
    start * starts.iter().sum::<f64>() + warmup * first
}

/// Seconds of a cell without its engines.
pub(super) fn frame(cell: &Cell<'_>) -> f64 {
    CELL_SECONDS.0 + CELL_SECONDS.1 * cell.size as f64 * weight(cell)
}

/// How many doubles an item is like.
fn weight(cell: &Cell<'_>) -> f64 {
    match cell.workload.kind {
        Kind::ClassAds => 60.0,
        Kind::Google => 20.0,
        Kind::Nested | Kind::Attributes => 4.0,
        Kind::Files => cell.workload.data.length as f64 / 100.0,
        Kind::Mios | Kind::Events => 2.0 + cell.workload.data.length as f64 / 100.0,
        Kind::Bytes => 0.05,
        _ => 1.0,
    }
}

/// Files of results in a folder, by name, which is their date.
fn records(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "jsonl"));
    paths.sort();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite() -> Suite {
        Suite::open(Some(Path::new(env!("CARGO_MANIFEST_DIR")))).expect("the suite")
    }

    fn row(size: usize, engine: &str, more: &str) -> Row {
        let text = format!(
            r#"{{"workload":"doubles","size":{size},"measure":"serialize","engine":"{engine}","status":"ok","unit":"ns"{more}}}"#
        );
        serde_json::from_str(&text).expect("a row")
    }

    #[test]
    fn what_a_row_took_is_expected_again_and_the_rest_is_computed() {
        let suite = suite();
        let pace = Pace::of(&suite.folder, false).expect("the pace");
        let engine = suite.engines.iter().find(|e| e.name == "zeep").expect("zeep");
        let doubles = suite.workloads.iter().find(|w| w.name == "doubles");
        let cells = doubles.expect("doubles").cells(false);
        let at = |size: usize| cells.iter().find(|cell| cell.size == size).expect("a size");
        let session = Session::new(&suite, engine);
        let mut known = Known::default();
        known.note(row(1000, "zeep", r#","median":1e6,"spent":7.0"#), true);
        known.note(row(10_000, "zeep", r#","median":1e7,"spent":9.0"#), false);
        let seconds = |size: usize| known.seconds(&pace, &session, at(size), &mut Warmed::new());
        assert_eq!(seconds(1000), 7.0);
        // Of a run at another pace only the calls count.
        assert!(seconds(10_000) > 0.1 && seconds(10_000) < 9.0);
        // What is expected to be too slow takes no time.
        assert_eq!(seconds(1_000_000), 0.0);
        assert_eq!(known.call(engine, at(100_000)), Some(0.1));
        // Few items do not make a call.
        assert_eq!(known.call(engine, at(1)), Some(1e-4));
        // A rate is no time.
        let load = suite.workloads.iter().find(|w| w.name == "throughput");
        let load = &load.expect("throughput").cells(false)[0];
        let rate = row(1, "zeep", r#","median":9000.0"#);
        known.note(
            Row {
                workload: "throughput".into(),
                measure: "throughput".into(),
                unit: "1/s".into(),
                ..rate
            },
            true,
        );
        assert_eq!(known.call(engine, load), None);
    }
}
