//! Why an engine has no figures in a cell.

use super::Run;
use super::took::history;
use crate::engine::Engine;
use crate::engine::process::Refusal;
use crate::measure::Session;
use crate::measure::check::Finding;
use crate::row::Status;
use crate::workload::Cell;

impl Run<'_> {
    /// Why an engine would take too long, by what its last size took, or else by what earlier runs say.
    pub(super) fn slow(&self, engine: &Engine, cell: &Cell<'_>) -> Option<String> {
        match self.last.expected(&history(engine, cell), cell.size) {
            Some((expected, (size, ns))) => {
                let why = self.pace.slow(expected, cell)?;
                Some(format!("too slow: {why}; {:.2} s at {size}", ns / 1e9))
            }
            None => {
                let why = self.pace.slow(self.known.call(engine, cell)?, cell)?;
                Some(format!("too slow: {why}, as in an earlier run"))
            }
        }
    }

    /// What an engine did wrong at a smaller size of the same: these values are among those of the larger.
    pub(super) fn wrong_before(&self, engine: &Engine, cell: &Cell<'_>) -> Option<(usize, String)> {
        let mut rows = self.results.rows.iter();
        let before = rows.find(|row| {
            row.status == Status::Wrong
                && row.size < cell.size
                && row.engine == engine.name
                && row.workload == cell.workload.name
                && row.point == cell.point.name
                && row.measure == cell.measure.name()
                && !row.why.starts_with("as at ")
        });
        before.map(|row| (row.size, row.why.clone()))
    }
}

/// Why the definitions say that an engine has no part in a cell.
pub(super) fn refused(session: &Session<'_>, cell: &Cell<'_>) -> Option<String> {
    let engine = session.engine;
    if !cell.workload.engines.is_empty() && !cell.workload.engines.iter().any(|e| engine.matches(e)) {
        return Some("the workload is for other engines".into());
    }
    if !cell.workload.speaks(engine.style) {
        return Some(format!("the workload is not for {:?} messages", engine.style).to_lowercase());
    }
    let settings: Vec<String> = cell
        .point
        .set
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let operation = cell.operation();
    let measured = format!("{}:{}", cell.workload.name, cell.measure.name());
    let wanted = [&*operation, &*cell.workload.name, cell.measure.name(), &*measured];
    let names = cell.point.set.keys().map(|name| &**name);
    engine.lacks(
        wanted
            .into_iter()
            .chain(settings.iter().map(|s| &**s))
            .chain(names),
    )
}

/// What a row says of a finding. An engine that broke is started anew for the next cell.
pub(super) fn verdict(session: &mut Session<'_>, finding: Finding) -> (Status, String) {
    match finding {
        Finding::Wrong(why) => (Status::Wrong, why),
        Finding::Refused(Refusal::Unsupported(why)) => (Status::Unsupported, why),
        Finding::Refused(Refusal::Failed(why)) => {
            session.end();
            (Status::Failed, why)
        }
    }
}
