//! Starting: from the start of a process to its first reply, and the first calls of what is new (paper 002, its cases 1, 2
//! and 4; case 3 needs resources), with what that takes of CPU, memory and wire.

use super::Material;
use super::check::Place;
use super::session::{Session, started};
use crate::engine::process::{Process, Refusal, Served};
use crate::engine::usage;
use crate::net::sender::{Exchange, Sender};
use crate::net::sink::Sink;
use crate::suite::Suite;
use crate::wire::Message;
use crate::workload::Cell;

/// Calls before latencies count as stable.
const CALLS_BEFORE: usize = 200;
const CALLS_STABLE: usize = 100;

/// Names of what is measured, their units, and values of one round each.
pub(crate) type Figures = Vec<(&'static str, &'static str, f64)>;

/// Name of the row that stands for the cell: from the start of the server, or of a client that has none, to the first reply.
pub(crate) const FIRST_REPLY: &str = "";

/// The case of paper 002 that nobody has yet, and why.
pub(crate) const NEW_RESOURCE: (&str, &str) = (
    "new resource",
    "resources are not in Castile yet, and the protocol has no commands for them",
);

/// One round, with processes of its own.
pub(crate) fn round(
    suite: &Suite,
    session: &Session<'_>,
    cell: &Cell<'_>,
    material: &Material,
    sink: &Sink,
) -> Result<Figures, Refusal> {
    let place = Place::of(session, cell).ok_or_else(|| super::check::no_role(cell))?;
    let cold = Cold {
        suite,
        session,
        cell,
        material,
        sink,
    };
    let mut figures = Figures::new();
    match place {
        Place::Client => cold.client(FIRST_REPLY, true, &mut figures)?,
        Place::Server => cold.server(true, &mut figures)?,
        Place::Both => {
            cold.server(false, &mut figures)?;
            cold.client("client's first reply", false, &mut figures)?;
            cold.both(&mut figures)?;
        }
    }
    Ok(figures)
}

/// What a round is of.
struct Cold<'r> {
    suite: &'r Suite,
    session: &'r Session<'r>,
    cell: &'r Cell<'r>,
    material: &'r Material,
    sink: &'r Sink,
}

impl Cold<'_> {
    /// A client from nothing to its first reply, which the harness gives; `alone` when there is no server for it.
    fn client(&self, name: &'static str, alone: bool, figures: &mut Figures) -> Result<(), Refusal> {
        let response = &self.material.messages(self.session.engine).response;
        let url = self.sink.answer("cold", response, false);
        let mut process = self.process("client")?;
        let first = process.call(&self.material.operation, &url, 1)?[0];
        figures.push((name, "ns", span(process.started, first.end)));
        cpu(figures, "CPU time of the client's start", &process);
        if alone {
            figures.push(("old server, new client", "ns", span(first.start, first.end)));
            figures.push(("none new", "ns", stable(&mut process, self.material, &url)?));
            memory(figures, "client's peak memory", &process);
        }
        if let Some(arrival) = self.sink.take("cold").first() {
            figures.push(("bytes of a request", "bytes", arrival.bytes as f64));
        }
        Ok(())
    }

    /// A server from nothing to its first reply, which a raw client asks for; `alone` when there is no client for it.
    fn server(&self, alone: bool, figures: &mut Figures) -> Result<(), Refusal> {
        let request = &self.material.messages(self.session.engine).requests[0];
        let (process, served) = self.cold_server()?;
        let first = asked(&served, request)?;
        figures.push((FIRST_REPLY, "ns", span(process.started, first.end)));
        figures.push(("bytes of a reply", "bytes", first.received as f64));
        cpu(figures, "CPU time of the server's start", &process);
        if alone {
            for _ in 0..CALLS_BEFORE {
                asked(&served, request)?;
            }
            let stable = asked(&served, request)?;
            figures.push(("new server", "ns", span(first.start, first.end)));
            figures.push(("none new", "ns", span(stable.start, stable.end)));
            memory(figures, "server's peak memory", &process);
        }
        Ok(())
    }

    /// The cases of paper 002 with client and server of one engine, whose processes are idle when calls begin.
    fn both(&self, figures: &mut Figures) -> Result<(), Refusal> {
        let operation = &self.material.operation;
        let (server, served) = self.cold_server()?;
        let url = served.url();
        let mut client = started(self.suite, self.session.engine, "client")?;
        let first = client.call(operation, &url, 1)?[0];
        figures.push(("new server, new client", "ns", span(first.start, first.end)));
        stable(&mut client, self.material, &url)?;
        drop(client);
        let mut client = started(self.suite, self.session.engine, "client")?;
        let first = client.call(operation, &url, 1)?[0];
        figures.push(("old server, new client", "ns", span(first.start, first.end)));
        figures.push(("none new", "ns", stable(&mut client, self.material, &url)?));
        memory(figures, "server's peak memory", &server);
        memory(figures, "client's peak memory", &client);
        Ok(())
    }

    fn process(&self, role: &str) -> Result<Process, Refusal> {
        Process::start(self.suite, self.session.engine, role).map_err(|e| Refusal::Failed(e.to_string()))
    }

    fn cold_server(&self) -> Result<(Process, Served), Refusal> {
        let mut process = self.process("server")?;
        let contract = self.cell.workload.kind.contract(self.session.engine.style);
        let served = process.serve(contract)?;
        Ok((process, served))
    }
}

fn span(from: u64, to: u64) -> f64 {
    to.saturating_sub(from) as f64
}

/// One exchange on a connection of its own.
fn asked(served: &Served, request: &Message) -> Result<Exchange, Refusal> {
    let timeout = std::time::Duration::from_secs(60);
    let exchange = Sender::new(served.port, &served.path, timeout)
        .exchange(request, None)
        .map_err(|e| Refusal::Failed(format!("the server: {e}")))?;
    match exchange.is_ok() {
        true => Ok(exchange),
        false => Err(Refusal::Failed(format!(
            "the server answered {}",
            exchange.status
        ))),
    }
}

/// The median of calls when many went before, ns.
fn stable(client: &mut Process, material: &Material, url: &str) -> Result<f64, Refusal> {
    client.call(&material.operation, url, CALLS_BEFORE)?;
    let samples = client.call(&material.operation, url, CALLS_STABLE)?;
    let spans: Vec<f64> = samples.iter().map(|s| (s.end - s.start) as f64).collect();
    Ok(crate::stats::median(&spans))
}

/// All CPU time of the process so far.
fn cpu(figures: &mut Figures, name: &'static str, process: &Process) {
    if let Some(seconds) = usage::cpu_fine(process.id()) {
        figures.push((name, "ns", seconds * 1e9));
    }
}

fn memory(figures: &mut Figures, name: &'static str, process: &Process) {
    if let Some(usage) = usage::of(process.id()) {
        figures.push((name, "KiB", usage.peak_kib as f64));
    }
}
