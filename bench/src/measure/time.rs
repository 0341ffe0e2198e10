//! The light driver: rounds of calls, timed and not looked at, for who passed the heavy one.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Material;
use super::check::Place;
use super::session::Session;
use crate::engine::process::{Refusal, Sample};
use crate::net::load::{self, Until};
use crate::net::sink::Sink;
use crate::trace::Kind;
use crate::warmup::Warmup;
use crate::wire::Message;
use crate::workload::{Cell, Measure};

/// What one round brought.
#[derive(Clone, Debug, Default)]
pub(crate) struct Round {
    /// Nanoseconds each, or requests a second.
    pub(crate) samples: Vec<f64>,
    pub(crate) bytes_request: usize,
    pub(crate) bytes_reply: usize,
    /// CPU seconds of the engine's processes, and how many calls they were for.
    pub(crate) cpu_seconds: f64,
    pub(crate) calls: usize,
    /// The engine could not tell when the last send call returned.
    pub(crate) at_sink: bool,
    /// Time was up before all requests were sent.
    pub(crate) cut: bool,
}

/// Calls in one command, at most: an answer is one line.
const CALLS_MAX: usize = 500;

/// A kind's loaded rows, where a server needs them.
fn load<'m>(cell: &Cell<'_>, material: &'m Material) -> Option<&'m Path> {
    (cell.workload.kind == Kind::Google).then(|| &*material.sets[0].1)
}

/// Calls until the engine is warm, not counted; gives the time of one call, ns.
pub(crate) fn warm(
    session: &mut Session<'_>,
    cell: &Cell<'_>,
    material: &Material,
    sink: &Sink,
    mut warmup: Warmup,
) -> Result<f64, Refusal> {
    let operation = format!("{} {}", material.operation, cell.measure.name());
    let before = session.warmed.get(&operation).copied().unwrap_or_default();
    let started = Instant::now();
    let mut calls = 1;
    loop {
        let round = round(
            session,
            cell,
            material,
            sink,
            Some(calls),
            Duration::from_millis(50),
        )?;
        let one = crate::stats::median(&round.samples).max(1.0);
        let spent = before + started.elapsed();
        if warmup.is_over(one, spent) {
            session.warmed.insert(operation, spent);
            return Ok(one);
        }
        calls = (50e6 / one).clamp(1.0, CALLS_MAX as f64) as usize;
    }
}

/// One round: as many calls as `calls` says, else one. A load is for `time`, or until as many requests are done as the cell
/// says where `calls` says that it counts.
pub(crate) fn round(
    session: &mut Session<'_>,
    cell: &Cell<'_>,
    material: &Material,
    sink: &Sink,
    calls: Option<usize>,
    time: Duration,
) -> Result<Round, Refusal> {
    let place = Place::of(session, cell).ok_or_else(|| super::check::no_role(cell))?;
    let (client, server) = session.usage();
    let counted = cell.point.requests.filter(|_| calls.is_some());
    // Whole turns of all sets: two messages that follow each other are never the same.
    let sets = material.sets.len();
    let calls = calls.unwrap_or(1).clamp(1, CALLS_MAX).next_multiple_of(sets);
    let mut round = match (cell.measure, place) {
        (Measure::Throughput, _) => throughput(session, cell, material, counted, time)?,
        (_, Place::Server) => served(session, cell, material, calls)?,
        (_, Place::Both) => together(session, cell, material, calls)?,
        (_, Place::Client) => called(session, cell, material, sink, calls)?,
    };
    let (client_after, server_after) = session.usage();
    round.cpu_seconds = (client_after.cpu_seconds - client.cpu_seconds).max(0.0)
        + (server_after.cpu_seconds - server.cpu_seconds).max(0.0);
    Ok(round)
}

/// The engine's client and a sink with a ready answer.
fn called(
    session: &mut Session<'_>,
    cell: &Cell<'_>,
    material: &Material,
    sink: &Sink,
    calls: usize,
) -> Result<Round, Refusal> {
    let messages = material.messages(session.engine);
    let receives = matches!(cell.measure, Measure::Deserialize | Measure::Endtoend);
    let (operation, answer) = match receives {
        true => (&material.echo, &messages.echo_response),
        false => (&material.operation, &messages.response),
    };
    let sets: Vec<&Path> = match cell.measure {
        Measure::Deserialize if cell.workload.kind != Kind::Google => vec![&material.little],
        _ => material.sets.iter().map(|(_, path)| &**path).collect(),
    };
    let url = sink.answer("time", answer, false);
    let fresh = cell.point.change.as_ref().is_some_and(|change| change.fresh);
    let process = session.client(cell, &sets)?;
    let mut samples = Vec::new();
    match fresh {
        // Each change starts from a first message of a new client; only the second is counted.
        true => {
            for _ in 0..calls {
                process.ask("reset")?;
                samples.extend(process.call(operation, &url, sets.len())?);
            }
        }
        false => samples = process.call(operation, &url, calls)?,
    }
    let arrivals = sink.take("time");
    if arrivals.len() != samples.len() {
        let counts = (samples.len(), arrivals.len());
        return Err(Refusal::Failed(format!(
            "{} calls made {} requests",
            counts.0, counts.1
        )));
    }
    let mut round = Round {
        calls: samples.len(),
        bytes_reply: answer.body.len(),
        ..Round::default()
    };
    for (index, (sample, arrival)) in samples.iter().zip(&arrivals).enumerate() {
        if fresh && index % sets.len() != sets.len() - 1 {
            continue;
        }
        round.bytes_request = arrival.bytes;
        let span = match cell.measure {
            Measure::SendTime => {
                round.at_sink |= sample.sent.is_none();
                sample
                    .sent
                    .unwrap_or(arrival.last_byte)
                    .saturating_sub(sample.start)
            }
            Measure::Serialize => arrival.last_byte.saturating_sub(sample.start),
            Measure::Deserialize => sample.end.saturating_sub(arrival.answered),
            _ => sample.end - sample.start,
        };
        round.samples.push(span as f64);
    }
    Ok(round)
}

/// Ready requests to the engine's server.
fn served(
    session: &mut Session<'_>,
    cell: &Cell<'_>,
    material: &Material,
    calls: usize,
) -> Result<Round, Refusal> {
    let mut sender = session.sender(cell, load(cell, material))?;
    let messages = material.messages(session.engine);
    let requests = match cell.measure {
        Measure::Endtoend => &messages.echo_requests,
        _ => &messages.requests,
    };
    let mut round = Round {
        calls,
        ..Round::default()
    };
    // The connection is made before the first that counts.
    for index in 0..=calls {
        let request = &requests[index % requests.len()];
        let exchange = sender
            .exchange(request, None)
            .map_err(|e| Refusal::Failed(format!("the server: {e}")))?;
        if !exchange.is_ok() {
            return Err(Refusal::Failed(format!(
                "the server answered {}",
                exchange.status
            )));
        }
        if index > 0 {
            round.samples.push((exchange.end - exchange.start) as f64);
        }
        (round.bytes_request, round.bytes_reply) = (exchange.sent, exchange.received);
    }
    Ok(round)
}

/// The engine's client and the engine's server.
fn together(
    session: &mut Session<'_>,
    cell: &Cell<'_>,
    material: &Material,
    calls: usize,
) -> Result<Round, Refusal> {
    let url = session.server(cell, load(cell, material))?.url();
    let sets: Vec<&Path> = material.sets.iter().map(|(_, path)| &**path).collect();
    let messages = material.messages(session.engine);
    let process = session.client(cell, &sets)?;
    let samples = process.call(&material.echo, &url, calls)?;
    let span = |sample: &Sample| (sample.end - sample.start) as f64;
    Ok(Round {
        samples: samples.iter().map(span).collect(),
        calls,
        // Between two engines nobody counts; ready messages of the same values are about as long.
        bytes_request: messages.echo_requests[0].body.len(),
        bytes_reply: messages.echo_response.body.len(),
        ..Round::default()
    })
}

fn throughput(
    session: &mut Session<'_>,
    cell: &Cell<'_>,
    material: &Material,
    counted: Option<u64>,
    time: Duration,
) -> Result<Round, Refusal> {
    let served = session.server(cell, load(cell, material))?;
    let requests: &[Arc<Message>] = &material.messages(session.engine).requests;
    let until = Until { time, count: counted };
    let load = load::run(
        served.port,
        &served.path,
        requests,
        cell.point.connections.max(1),
        until,
    )
    .map_err(|e| Refusal::Failed(format!("under load: {e}")))?;
    Ok(Round {
        cut: counted.is_some_and(|count| load.requests < count),
        samples: vec![load.rate],
        calls: load.requests as usize,
        bytes_request: requests[0].body.len(),
        ..Round::default()
    })
}
