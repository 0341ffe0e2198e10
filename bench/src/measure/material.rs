//! What one cell sends and expects: traces, their files, and messages that are ready.

use std::path::PathBuf;
use std::sync::Arc;

use crate::Outcome;
use crate::engine::Engine;
use crate::suite::Suite;
use crate::trace::{Kind, Trace, generate};
use crate::wire::attached::{Form, Reference};
use crate::wire::{self, Message, Style};
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
    pub(crate) literal: Messages,
    encoded: Messages,
    /// Of files beside the envelope, which refers to them by texts.
    by_text: Option<Messages>,
}

/// Messages of one style.
pub(crate) struct Messages {
    /// Requests of the operation, one a set.
    pub(crate) requests: Vec<Arc<Message>>,
    pub(crate) response: Message,
    /// Requests and responses of the echoing operation.
    pub(crate) echo_requests: Vec<Arc<Message>>,
    pub(crate) echo_response: Message,
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
        let form = cell.form();
        let messages = |style, reference| Messages::of(style, (form, reference), &operation, &echo, &sets);
        let by_text = (form != Form::Inline).then(|| messages(Style::Literal, Reference::Text));
        Ok(Material {
            literal: messages(Style::Literal, Reference::Href)?,
            encoded: messages(Style::Encoded, Reference::Href)?,
            by_text: by_text.transpose()?,
            operation,
            echo,
            little,
            sets,
        })
    }

    /// Messages of the style of an engine.
    pub(crate) fn messages(&self, engine: &Engine) -> &Messages {
        match (engine.style, engine.refers, &self.by_text) {
            (Style::Literal, Reference::Text, Some(by_text)) => by_text,
            (Style::Literal, _, _) => &self.literal,
            (Style::Encoded, _, _) => &self.encoded,
        }
    }

    /// The values of message `index`.
    pub(crate) fn trace(&self, index: usize) -> &Trace {
        &self.sets[index % self.sets.len()].0
    }
}

impl Messages {
    fn of(
        style: Style,
        (form, reference): (Form, Reference),
        operation: &str,
        echo: &str,
        sets: &[(Trace, PathBuf)],
    ) -> Outcome<Messages> {
        let requests = |operation: &str| {
            let ready = sets.iter().map(|(trace, _)| {
                let envelope = wire::request(style, operation, trace);
                Ok(Arc::new(form.message(reference, envelope, trace)?))
            });
            ready.collect::<Outcome<Vec<_>>>()
        };
        let response = |operation: &str| {
            let first = &sets[0].0;
            // Of a count there is nothing to stand beside the envelope.
            let form = if operation.starts_with("send") {
                Form::Inline
            } else {
                form
            };
            form.message(reference, wire::response(style, operation, first), first)
        };
        Ok(Messages {
            requests: requests(operation)?,
            response: response(operation)?,
            echo_requests: requests(echo)?,
            echo_response: response(echo)?,
        })
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
