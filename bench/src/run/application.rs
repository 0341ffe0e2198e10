//! Cells of applications that are run whole: engines take turns, and every run is checked.

use std::time::Instant;

use super::Run;
use super::refuse::{refused, verdict};
use crate::Outcome;
use crate::measure::application::{self, Whole};
use crate::measure::check::Finding;
use crate::progress::Progress;
use crate::row::{Row, Status};
use crate::stats;
use crate::workload::Cell;

/// One engine's runs.
struct Turn {
    index: usize,
    /// Seconds of all runs, their processes' starts included.
    spent: f64,
    runs: Vec<Whole>,
    failed: Option<Finding>,
}

impl Run<'_> {
    /// The rows of the engines `wanted`, by their place among the sessions.
    pub(super) fn application(
        &mut self,
        cell: &Cell<'_>,
        wanted: &[usize],
        progress: &Progress,
    ) -> Outcome<Vec<Row>> {
        let mut rows = Vec::new();
        let mut turns: Vec<Turn> = Vec::new();
        // The answer of the first engine that gives one; all others must give it too.
        let mut expected = None;
        for &index in wanted {
            let name = self.sessions[index].session.engine.name.clone();
            progress.engine(&name);
            if let Some((status, why)) = self.left_out(index, cell) {
                rows.push(Row::without(cell, &name, status, why));
                continue;
            }
            // The first run warms up.
            let began = Instant::now();
            match self.checked(index, cell, &mut expected) {
                Ok(first) => {
                    self.took(index, cell, first.span);
                    turns.push(Turn::new(index, began.elapsed().as_secs_f64()));
                }
                Err(finding) => {
                    let (status, why) = verdict(&mut self.sessions[index].session, finding);
                    rows.push(Row::without(cell, &name, status, why));
                }
            }
        }
        let count = turns.len();
        let enough = self.pace.engine_seconds_max * 1e9;
        for round in 0..self.pace.rounds {
            for offset in 0..count {
                let turn = &mut turns[(round + offset) % count];
                let spent: f64 = turn.runs.iter().map(|run| run.span).sum();
                if turn.failed.is_some() || spent > enough {
                    continue;
                }
                progress.engine(&self.sessions[turn.index].session.engine.name);
                let began = Instant::now();
                match self.checked(turn.index, cell, &mut expected) {
                    Ok(run) => turn.runs.push(run),
                    Err(finding) => turn.failed = Some(finding),
                }
                turn.spent += began.elapsed().as_secs_f64();
            }
        }
        rows.extend(turns.into_iter().filter_map(|turn| self.row(cell, turn)));
        Ok(rows)
    }

    /// Why an engine has no part in the cell.
    fn left_out(&self, index: usize, cell: &Cell<'_>) -> Option<(Status, String)> {
        let session = &self.sessions[index].session;
        match refused(session, cell) {
            Some(why) => Some((Status::Unsupported, why)),
            None => self.slow(session.engine, cell).map(|why| (Status::Slow, why)),
        }
    }

    /// One run, whose answer is that of all others.
    fn checked(
        &mut self,
        index: usize,
        cell: &Cell<'_>,
        expected: &mut Option<String>,
    ) -> Result<Whole, Finding> {
        let began = Instant::now();
        let session = &mut self.sessions[index].session;
        let run = application::run(session, cell);
        *self.spent.entry(session.engine.name.clone()).or_default() += began.elapsed().as_secs_f64();
        let run = run?;
        let wanted = expected.get_or_insert_with(|| run.answer.clone());
        match *wanted == run.answer {
            true => Ok(run),
            false => Err(Finding::Wrong(format!(
                "its answer is {}, that of others {wanted}",
                run.answer
            ))),
        }
    }

    fn row(&mut self, cell: &Cell<'_>, turn: Turn) -> Option<Row> {
        let session = &mut self.sessions[turn.index].session;
        let name = session.engine.name.clone();
        if let Some(finding) = turn.failed {
            let (status, why) = verdict(session, finding);
            return Some(Row::without(cell, &name, status, why));
        }
        let median = |of: fn(&Whole) -> f64| stats::median(&turn.runs.iter().map(of).collect::<Vec<_>>());
        let spans: Vec<Vec<f64>> = turn.runs.iter().map(|run| vec![run.span]).collect();
        let last = turn.runs.last()?;
        let cpu = median(|run| run.cpu_seconds) * 1e9;
        Some(Row {
            calls: last.calls,
            bytes_request: last.bytes_request,
            bytes_reply: last.bytes_reply,
            codec: Some(median(|run| run.codec)),
            cpu: (cpu > 0.0).then_some(cpu),
            spent: Some(turn.spent),
            peak_kib: Some(session.usage().0.peak_kib).filter(|&kib| kib > 0),
            ..Row::measured(cell, &name, "ns", stats::summary(&spans)?)
        })
    }
}

impl Turn {
    fn new(index: usize, spent: f64) -> Turn {
        Turn {
            index,
            spent,
            runs: Vec::new(),
            failed: None,
        }
    }
}
