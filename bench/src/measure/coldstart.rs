//! Starting: from the start of a process to its first reply, and the first calls of what is new (paper 002, its cases 1, 2
//! and 4; case 3 needs resources).

use super::Material;
use super::check::Place;
use super::session::{Session, started};
use crate::engine::process::{Process, Refusal, Served};
use crate::engine::usage;
use crate::net::sender::Sender;
use crate::net::sink::Sink;
use crate::suite::Suite;
use crate::workload::Cell;

/// Calls before latencies count as stable.
const CALLS_BEFORE: usize = 200;
const CALLS_STABLE: usize = 100;

/// Names of what is measured, and values of one round each.
pub(crate) type Figures = Vec<(&'static str, &'static str, f64)>;

/// Name of the row that stands for the cell.
pub(crate) const FIRST_REPLY: &str = "";

/// One round, with processes of its own.
pub(crate) fn round(
    suite: &Suite,
    session: &Session<'_>,
    cell: &Cell<'_>,
    material: &Material,
    sink: &Sink,
) -> Result<Figures, Refusal> {
    let place = Place::of(session, cell).ok_or_else(|| super::check::no_role(cell))?;
    let engine = session.engine;
    let messages = material.messages(engine.style);
    let mut figures = Figures::new();
    let request = &messages.requests[0];
    let ns = |from: u64, to: u64| to.saturating_sub(from) as f64;
    if place == Place::Client {
        let url = sink.answer("cold", &messages.response, false);
        let mut process =
            Process::start(suite, engine, "client").map_err(|e| Refusal::Failed(e.to_string()))?;
        let first = process.call(&material.operation, &url, 1)?[0];
        figures.push((FIRST_REPLY, "ns", ns(process.started, first.end)));
        figures.push(("old server, new client", "ns", ns(first.start, first.end)));
        figures.push(("none new", "ns", stable(&mut process, material, &url)?));
        sink.take("cold");
        memory(&mut figures, "client's peak memory", &process);
        return Ok(figures);
    }
    // A server from nothing to its first reply, which a raw client asks for.
    let contract = cell.workload.kind.contract(engine.style);
    let (server, served) = cold_server(suite, session, contract)?;
    let first = asked(&served, request)?;
    figures.push((FIRST_REPLY, "ns", ns(server.started, first.1)));
    if place == Place::Server {
        let mut second = first;
        for _ in 0..CALLS_BEFORE {
            second = asked(&served, request)?;
        }
        figures.push(("new server", "ns", ns(first.0, first.1)));
        figures.push(("none new", "ns", ns(second.0, second.1)));
        memory(&mut figures, "server's peak memory", &server);
        return Ok(figures);
    }
    drop(server);
    let (server, served) = cold_server(suite, session, contract)?;
    let url = served.url();
    let mut client = started(suite, engine, "client")?;
    let first = client.call(&material.operation, &url, 1)?[0];
    figures.push(("new server, new client", "ns", ns(first.start, first.end)));
    stable(&mut client, material, &url)?;
    drop(client);
    let mut client = started(suite, engine, "client")?;
    let first = client.call(&material.operation, &url, 1)?[0];
    figures.push(("old server, new client", "ns", ns(first.start, first.end)));
    figures.push(("none new", "ns", stable(&mut client, material, &url)?));
    memory(&mut figures, "server's peak memory", &server);
    memory(&mut figures, "client's peak memory", &client);
    Ok(figures)
}

fn cold_server(suite: &Suite, session: &Session<'_>, contract: &str) -> Result<(Process, Served), Refusal> {
    let mut process =
        Process::start(suite, session.engine, "server").map_err(|e| Refusal::Failed(e.to_string()))?;
    let served = process.serve(contract)?;
    Ok((process, served))
}

/// Start and end of one exchange on a connection of its own.
fn asked(served: &Served, request: &[u8]) -> Result<(u64, u64), Refusal> {
    let timeout = std::time::Duration::from_secs(60);
    let exchange = Sender::new(served.port, &served.path, timeout)
        .exchange(request, None)
        .map_err(|e| Refusal::Failed(format!("the server: {e}")))?;
    match exchange.is_ok() {
        true => Ok((exchange.start, exchange.end)),
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

fn memory(figures: &mut Figures, name: &'static str, process: &Process) {
    if let Some(usage) = usage::of(process.id()) {
        figures.push((name, "KiB", usage.peak_kib as f64));
    }
}
