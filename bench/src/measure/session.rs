//! An engine during a run: its client and its server processes, started when they are first needed.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use crate::engine::process::{Process, Refusal, Served};
use crate::engine::{Engine, usage};
use crate::net::sender::Sender;
use crate::suite::Suite;
use crate::workload::Cell;

/// Settings of a point.
type Settings = BTreeMap<String, String>;

/// An engine with its processes.
pub(crate) struct Session<'s> {
    pub(crate) engine: &'s Engine,
    suite: &'s Suite,
    client: Option<(Process, Settings)>,
    loaded: Vec<String>,
    server: Option<Server>,
    /// How long each operation was warmed up already.
    pub(crate) warmed: BTreeMap<String, Duration>,
}

struct Server {
    process: Process,
    settings: Settings,
    loaded: String,
    contract: &'static str,
    served: Served,
}

impl<'s> Session<'s> {
    pub(crate) fn new(suite: &'s Suite, engine: &'s Engine) -> Session<'s> {
        Session {
            engine,
            suite,
            client: None,
            loaded: Vec::new(),
            server: None,
            warmed: BTreeMap::new(),
        }
    }

    /// The client, with the point's settings, and with these sets loaded.
    pub(crate) fn client(&mut self, cell: &Cell<'_>, sets: &[&Path]) -> Result<&mut Process, Refusal> {
        if !self
            .client
            .as_mut()
            .is_some_and(|(process, settings)| adjusted(process, settings, &cell.point.set))
        {
            self.loaded.clear();
            self.warmed.clear();
            self.client = None;
            let mut process = started(self.suite, self.engine, "client")?;
            set(&mut process, &cell.point.set)?;
            self.client = Some((process, cell.point.set.clone()));
        }
        let Some((process, _)) = &mut self.client else {
            return Err(Refusal::Failed("it has no client".into()));
        };
        let kind = cell.workload.kind.name();
        let wanted: Vec<String> = sets
            .iter()
            .map(|path| format!("load {kind} {}", path.display()))
            .collect();
        if kind != "void" && self.loaded != wanted {
            self.loaded.clear();
            process.ask("clear")?;
            for load in &wanted {
                process.ask(load)?;
            }
            self.loaded = wanted;
        }
        Ok(process)
    }

    /// Where the server is, with the point's settings; `load` is what it must have loaded to answer.
    pub(crate) fn server(&mut self, cell: &Cell<'_>, load: Option<&Path>) -> Result<Served, Refusal> {
        let wanted = load.map_or_else(String::new, |path| {
            format!("load {} {}", cell.workload.kind.name(), path.display())
        });
        let contract = cell.workload.kind.contract(self.engine.style);
        let fits = |server: &mut Server| {
            server.contract == contract
                && server.settings == cell.point.set
                && server.loaded == wanted
                && server.process.is_alive()
        };
        if !self.server.as_mut().is_some_and(fits) {
            self.server = None;
            self.warmed.clear();
            let mut process = started(self.suite, self.engine, "server")?;
            set(&mut process, &cell.point.set)?;
            if !wanted.is_empty() {
                process.ask(&wanted)?;
            }
            let served = process.serve(contract)?;
            self.server = Some(Server {
                process,
                settings: cell.point.set.clone(),
                loaded: wanted,
                contract,
                served,
            });
        }
        match &self.server {
            Some(server) => Ok(server.served.clone()),
            None => Err(Refusal::Failed("it has no server".into())),
        }
    }

    /// A connection to the server.
    pub(crate) fn sender(&mut self, cell: &Cell<'_>, load: Option<&Path>) -> Result<Sender, Refusal> {
        let served = self.server(cell, load)?;
        let timeout = Duration::from_secs_f64(self.engine.timeout_seconds);
        Ok(Sender::new(served.port, &served.path, timeout))
    }

    /// CPU seconds and peak memory of client and server so far.
    pub(crate) fn usage(&self) -> (usage::Usage, usage::Usage) {
        let of = |process: Option<&Process>| process.and_then(|p| usage::of(p.id())).unwrap_or_default();
        (
            of(self.client.as_ref().map(|(process, _)| process)),
            of(self.server.as_ref().map(|server| &server.process)),
        )
    }

    /// Memory that client and server hold now.
    pub(crate) fn resident_kib(&self) -> u64 {
        let (client, server) = self.usage();
        client.resident_kib + server.resident_kib
    }

    /// Ends both processes.
    pub(crate) fn end(&mut self) {
        self.client = None;
        self.server = None;
        self.loaded.clear();
        self.warmed.clear();
    }
}

/// A process that said hello.
pub(crate) fn started(suite: &Suite, engine: &Engine, role: &str) -> Result<Process, Refusal> {
    let failed = |e: Box<dyn std::error::Error>| Refusal::Failed(format!("it cannot be started: {e}"));
    let mut process = Process::start(suite, engine, role).map_err(failed)?;
    let hello = process.ask("hello")?;
    match hello.split(' ').next() {
        Some("1") => Ok(process),
        _ => Err(Refusal::Failed(format!("it speaks protocol {hello:?}"))),
    }
}

/// Brings a running client from its settings to others, which keeps it warm; whether that worked. What has no value that
/// means "as if never set" needs a process of its own.
fn adjusted(process: &mut Process, settings: &mut Settings, wanted: &Settings) -> bool {
    const UNSET: [(&str, &str); 3] = [
        ("keepalive", "on"),
        ("security", "none"),
        ("attachments", "inline"),
    ];
    if !process.is_alive() {
        return false;
    }
    let mut changes: Settings = wanted.clone();
    changes.retain(|name, value| settings.get(name) != Some(value));
    for name in settings.keys().filter(|name| !wanted.contains_key(*name)) {
        match UNSET.iter().find(|(known, _)| known == name) {
            Some((name, value)) => changes.insert((*name).into(), (*value).into()),
            None => return false,
        };
    }
    let well = set(process, &changes).is_ok();
    settings.clone_from(wanted);
    well
}

fn set(process: &mut Process, settings: &Settings) -> Result<(), Refusal> {
    for (name, value) in settings {
        process.ask(&format!("set {name} {value}"))?;
    }
    Ok(())
}
