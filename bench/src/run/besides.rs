//! What a run measures besides engines: the machine, and the programs of papers.

use super::Run;
use crate::Outcome;
use crate::measure::limit;
use crate::papers::{self, Program};
use crate::progress::Progress;
use crate::row::Row;
use crate::stats;

impl Run<'_> {
    /// What the machine can do, at the start of each run and each resumption.
    pub(super) fn calibrate(&mut self) -> Outcome<()> {
        let mut rows = Vec::new();
        for (measure, limits) in [("limit", limit::calibration()?), ("digits", limit::digits()?)] {
            for (name, size, samples) in limits {
                let summary = stats::summary(&[samples]);
                rows.extend(summary.map(|summary| Row::calibration(measure, name, size, summary)));
            }
        }
        self.results.add(rows)
    }

    /// Programs of papers that are asked for, in a full run of all engines too, and have no rows yet.
    pub(super) fn programs(&self) -> Outcome<Vec<Program>> {
        let head = &self.results.head;
        let all = !head.quick && head.workloads.is_empty() && head.chosen.is_empty();
        let rows = &self.results.rows;
        let mut programs = papers::all(&self.suite.folder)?;
        programs.retain(|program| {
            let wanted = all || head.workloads.contains(&program.name);
            wanted && !rows.iter().any(|row| row.workload == program.name)
        });
        Ok(programs)
    }

    /// Runs them.
    pub(super) fn papers(&mut self, progress: &Progress) -> Outcome<()> {
        for program in self.programs()? {
            progress.cell(&program.title);
            self.results.add(program.rows(self.suite))?;
            progress.done(program.seconds);
        }
        Ok(())
    }
}
