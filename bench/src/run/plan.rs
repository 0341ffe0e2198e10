//! What a run will take: seconds for each cell, computed before it begins from what calls took in earlier runs.
//!
//! The times come from `record/`; what no record has is guessed from arrays of doubles of the same engine. It is told
//! before the run, and the bar counts in it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::{Options, Run, head, refused};
use crate::Outcome;
use crate::engine::{Engine, Role};
use crate::measure::check::Place;
use crate::pace::Pace;
use crate::row::{Results, Status};
use crate::suite::Suite;
use crate::trace::Kind;
use crate::workload::{Cell, Measure};

/// Making values and messages of a cell and measuring the limits: at least, and for each item.
const CELL_SECONDS: (f64, f64) = (0.1, 1.2e-5);
/// Starting and ending an engine's processes: a virtual machine that wants warming up, and any other.
const START_SECONDS: (f64, f64) = (1.5, 0.2);
/// Warm-up by which a virtual machine is known.
const MACHINE_WARMUP_SECONDS: f64 = 5.0;

/// What calls took, by engine, measure and workload: size and seconds, or requests a second.
struct Known(BTreeMap<(String, String, String), Vec<(usize, f64)>>);

/// Who was told to warm up already, for which operation and measure.
type Warmed = BTreeSet<(String, String)>;

/// What a run would take, in words.
pub(crate) fn plan(suite: &Suite, options: &Options) -> Outcome<String> {
    let results = match &options.resume {
        Some(path) => Results::read(path)?,
        None => Results::unwritten(head::head(suite, options)?),
    };
    let run = Run::new(suite, results)?;
    run.told(&run.planned()?)
}

impl Known {
    /// From all dated results of the suite; later ones count more.
    ///
    /// # Errors
    /// A file of results that cannot be read.
    fn of(suite: &Suite) -> Outcome<Known> {
        let mut known: BTreeMap<_, Vec<(usize, f64)>> = BTreeMap::new();
        for path in records(suite) {
            for row in Results::read(&path)?.rows {
                let (Status::Ok, Some(median)) = (row.status, row.median) else {
                    continue;
                };
                let seconds = if row.unit == "1/s" { median } else { median / 1e9 };
                let times = known.entry((row.engine, row.measure, row.workload)).or_default();
                times.retain(|(size, _)| *size != row.size);
                times.push((row.size, seconds));
            }
        }
        Ok(Known(known))
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
                .find_map(|name| self.0.get(&(name.into(), measure.into(), workload.into())))?;
            found
                .iter()
                .min_by_key(|(size, _)| size.abs_diff(cell.size))
                .copied()
        };
        let find = |measure: &str, workload: &str| {
            let (size, seconds) = nearest(measure, workload)?;
            Some(seconds * cell.size as f64 / size.max(1) as f64)
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
    fn seconds(&self, pace: &Pace, engine: &Engine, cell: &Cell<'_>, warmed: &mut Warmed) -> f64 {
        let machine = engine.warmup_seconds >= MACHINE_WARMUP_SECONDS;
        let start = if machine { START_SECONDS.0 } else { START_SECONDS.1 };
        let one = self.one(engine, cell);
        let cold = warmed.insert((
            engine.name.clone(),
            format!("{} {} {}", cell.operation(), cell.measure.name(), cell.point.name),
        ));
        let warmup = match cold {
            true => (engine.warmup_seconds * pace.warmup_part).min(pace.warmup_seconds_max),
            false => 0.0,
        };
        // A contract needs a server of its own, settings of a point often another client as well.
        let contract = cell.workload.kind.contract(engine.style);
        let other = warmed.insert((engine.name.clone(), contract.to_owned()));
        let started = start * f64::from(u8::from(other) + u8::from(cold && !cell.point.set.is_empty()));
        let rounds = (pace.rounds_enough as f64 + pace.rounds as f64) / 2.0;
        match cell.measure {
            Measure::Coldstart => pace.rounds_enough as f64 * 4.0 * start,
            Measure::Application => (one * rounds).min(pace.engine_seconds_max) + one,
            Measure::Throughput => {
                let counted = cell
                    .point
                    .requests
                    .map_or(f64::INFINITY, |count| count as f64 / one);
                started + warmup + rounds * counted.min(pace.load_seconds)
            }
            _ if pace.slow(one, cell).is_some() => 0.0,
            _ => {
                let checks = match (
                    engine.remembers,
                    cell.measure == Measure::Endtoend && engine.is(Role::Server),
                ) {
                    (true, true) => 14.0,
                    (true, false) => 7.0,
                    (false, true) => 7.0,
                    (false, false) => 3.0,
                };
                let before = started + checks * one + warmup.max(2.0 * one);
                let round = (pace.seconds / pace.rounds as f64).max(2.0 * one);
                let most = 1.0 + ((pace.engine_seconds_max - before) / round).max(0.0).floor();
                before + round * most.min(rounds)
            }
        }
    }
}

impl<'s> Run<'s> {
    /// The cells and the seconds that each will take, as far as earlier runs tell.
    pub(super) fn planned(&self) -> Outcome<Vec<(Cell<'s>, f64)>> {
        let known = Known::of(self.suite)?;
        let mut warmed = Warmed::new();
        let mut seconds = |cell: &Cell<'_>| {
            let wanted = self
                .wanted(cell)
                .into_iter()
                .map(|index| &self.sessions[index].session);
            let able: Vec<_> = wanted
                .filter(|session| refused(session, cell).is_none())
                .collect();
            if able.is_empty() || cell.workload.unsupported.is_some() {
                return 0.0;
            }
            let each = able.iter().filter(|session| Place::of(session, cell).is_some());
            let engines: f64 = each
                .map(|session| known.seconds(&self.pace, session.engine, cell, &mut warmed))
                .sum();
            engines + frame(cell)
        };
        let cells = self.cells()?;
        Ok(cells
            .into_iter()
            .map(|cell| {
                let took = seconds(&cell);
                (cell, took)
            })
            .collect())
    }

    /// All of it, the programs of papers too.
    pub(super) fn seconds(&self, planned: &[(Cell<'_>, f64)]) -> Outcome<f64> {
        let programs = self.programs()?;
        let programs: f64 = programs.iter().map(|program| program.seconds).sum();
        Ok(programs + planned.iter().map(|(_, seconds)| seconds).sum::<f64>())
    }

    pub(super) fn told(&self, planned: &[(Cell<'_>, f64)]) -> Outcome<String> {
        let seconds = self.seconds(planned)?;
        let rows: usize = planned.iter().map(|(cell, _)| self.wanted(cell).len()).sum();
        let mut told = format!(
            "computed time {:.0} min {:02.0} s: {} comparisons, {rows} rows",
            (seconds / 60.0).floor(),
            seconds % 60.0,
            planned.len()
        );
        for words in &self.results.head.spared {
            told.push_str(&format!("\n  {words}"));
        }
        Ok(told)
    }
}

/// Seconds of a cell without its engines.
fn frame(cell: &Cell<'_>) -> f64 {
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

fn records(suite: &Suite) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(suite.folder.join("record"))
        .into_iter()
        .flatten();
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "jsonl"));
    paths.sort();
    paths
}
