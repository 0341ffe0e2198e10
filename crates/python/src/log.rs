//! What the core tells, as records of Python's `logging`: `castile_http::client` becomes a record of the
//! logger `castile.http`.
//!
//! Whether anybody listens to what each call tells is asked of Python only where the interpreter lock
//! is held anyway, at the start of each call; between, a flag is read. What is told rarely goes to
//! Python always, which knows what to do with it.

use std::fmt::Write as _;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Event, Level, Metadata, Subscriber};

/// Whether what each call tells is wanted.
static DETAILS: AtomicBool = AtomicBool::new(false);

const DEBUG: u8 = 10;

/// Starts passing records on. A second module of the same process changes nothing.
pub(crate) fn start(py: Python<'_>) {
    static STARTED: OnceLock<()> = OnceLock::new();
    STARTED.get_or_init(|| {
        // Another subscriber, set by whoever embeds us, has precedence.
        let _ = tracing::subscriber::set_global_default(ToPython);
    });
    refresh(py);
}

/// Asks Python whether what each call tells is wanted.
pub(crate) fn refresh(py: Python<'_>) {
    static ASK: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let ask = || -> PyResult<Py<PyAny>> { Ok(logger(py, "castile")?.getattr("isEnabledFor")?.unbind()) };
    let wanted = ASK
        .get_or_try_init(py, ask)
        .and_then(|ask| ask.bind(py).call1((DEBUG,))?.is_truthy());
    DETAILS.store(wanted.unwrap_or(false), Ordering::Relaxed);
}

fn logger<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    static GET: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let get = || -> PyResult<Py<PyAny>> { Ok(py.import("logging")?.getattr("getLogger")?.unbind()) };
    GET.get_or_try_init(py, get)?.bind(py).call1((name,))
}

/// Python's number of a level.
fn number(level: &Level) -> u8 {
    match *level {
        Level::ERROR => 40,
        Level::WARN => 30,
        Level::INFO => 20,
        Level::DEBUG => DEBUG,
        Level::TRACE => 5,
    }
}

struct ToPython;

impl Subscriber for ToPython {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() < Level::DEBUG || DETAILS.load(Ordering::Relaxed)
    }

    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        // Who listens can change at any time.
        match metadata.is_event() && metadata.target().starts_with("castile") {
            true => Interest::sometimes(),
            false => Interest::never(),
        }
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::DEBUG)
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        let text = line.text();
        let crate_name = event.metadata().target().split("::").next().unwrap_or_default();
        let name = crate_name.replacen("castile_", "castile.", 1);
        // Nobody reads the log of an interpreter on its way out.
        Python::try_attach(|py| {
            let level = number(event.metadata().level());
            let told = logger(py, &name).and_then(|l| l.call_method1("log", (level, "%s", text)));
            if let Err(e) = told {
                e.write_unraisable(py, None);
            }
        });
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// The message of an event, and its fields after it.
#[derive(Default)]
struct Line {
    message: String,
    fields: String,
}

impl Line {
    fn text(self) -> String {
        match (self.message.is_empty(), self.fields.is_empty()) {
            (false, false) => format!("{}: {}", self.message, self.fields.trim_start()),
            (true, _) => self.fields.trim_start().to_owned(),
            (false, true) => self.message,
        }
    }
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        // Writing to a string does not fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}
