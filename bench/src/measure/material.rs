//! What one cell sends and expects: traces, their files, and messages that are ready.

use std::path::PathBuf;
use std::sync::Arc;

use crate::Outcome;
use crate::suite::Suite;
use crate::trace::{Kind, Trace, generate};
use crate::wire::{self, Style};
use crate::workload::Cell;

/// Everything about a cell that does not depend on the engine.
pub(crate) struct Material {
    pub(crate) operation: String,
    /// The operation that brings the values back, for checks and for clients that deserialize.
    pub(crate) echo: String,
    /// The values of one message after the other: one set, or two that take turns.
    pub(crate) sets: Vec<(Trace, PathBuf)>,
    /// One item: what a client sends when only the reply matters.
    pub(crate) little: PathBuf,
    literal: Messages,
    encoded: Messages,
}

/// Messages of one style.
pub(crate) struct Messages {
    /// Requests of the operation, one a set.
    pub(crate) requests: Vec<Arc<Vec<u8>>>,
    pub(crate) response: Vec<u8>,
    /// Requests and responses of the echoing operation.
    pub(crate) echo_requests: Vec<Arc<Vec<u8>>>,
    pub(crate) echo_response: Vec<u8>,
}

impl Material {
    /// Makes values and messages, and writes the trace files.
    ///
    /// # Errors
    /// Values that cannot be made, a disk that is full.
    pub(crate) fn of(suite: &Suite, cell: &Cell<'_>) -> Outcome<Material> {
        let (kind, data) = (cell.workload.kind, &cell.workload.data);
        let first = generate::trace(kind, data, cell.size)?;
        let mut traces = vec![first];
        match (&cell.point.change, kind) {
            (Some(change), _) => traces.push(generate::changed(&traces[0], data, change)?),
            (None, Kind::Void | Kind::Google) => {}
            // All values differ from one message to the next: who remembers the last one gains nothing that was not asked
            // for (paper 003 compares bSOAP so too).
            (None, _) => traces.push(generate::other(kind, data, cell.size)?),
        }
        let name = |part: &str| suite.file(&format!("data/{}-{}-{part}.txt", cell.workload.name, cell.size));
        let mut sets = Vec::new();
        for (index, trace) in traces.into_iter().enumerate() {
            let part = match index {
                0 => "0".to_owned(),
                _ => format!(
                    "1-{}",
                    cell.point.name.replace(|c: char| !c.is_ascii_alphanumeric(), "")
                ),
            };
            let path = name(&part)?;
            written(&path, &trace)?;
            sets.push((trace, path));
        }
        let little = name("little")?;
        written(&little, &generate::trace(kind, data, 1)?)?;
        let operation = cell.operation();
        let echo = match kind {
            Kind::Void | Kind::Google => operation.clone(),
            _ => format!("echo{}", kind.suffix()),
        };
        let messages = |style| Messages::of(style, &operation, &echo, &sets);
        Ok(Material {
            literal: messages(Style::Literal),
            encoded: messages(Style::Encoded),
            operation,
            echo,
            little,
            sets,
        })
    }

    pub(crate) fn messages(&self, style: Style) -> &Messages {
        match style {
            Style::Literal => &self.literal,
            Style::Encoded => &self.encoded,
        }
    }

    /// The values of message `index`.
    pub(crate) fn trace(&self, index: usize) -> &Trace {
        &self.sets[index % self.sets.len()].0
    }
}

impl Messages {
    fn of(style: Style, operation: &str, echo: &str, sets: &[(Trace, PathBuf)]) -> Messages {
        let requests = |operation: &str| {
            let ready = sets
                .iter()
                .map(|(trace, _)| Arc::new(wire::request(style, operation, trace)));
            ready.collect()
        };
        let first = &sets[0].0;
        Messages {
            requests: requests(operation),
            response: wire::response(style, operation, first),
            echo_requests: requests(echo),
            echo_response: wire::response(style, echo, first),
        }
    }
}

fn written(path: &PathBuf, trace: &Trace) -> Outcome<()> {
    let text = trace.text();
    let same = std::fs::read_to_string(path).is_ok_and(|there| there == text);
    if !same {
        std::fs::write(path, text)?;
    }
    Ok(())
}
