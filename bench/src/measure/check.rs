//! The heavy driver: what an engine sends is decoded by the reference and compared with the trace, what it returns and
//! what it decoded likewise, numbers bit for bit. Only who passes is timed.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

use super::Material;
use super::session::Session;
use crate::Outcome;
use crate::engine::process::Refusal;
use crate::engine::{Engine, Role, sources};
use crate::net::sink::{Arrival, Sink};
use crate::suite::Suite;
use crate::trace::{Kind, Trace};
use crate::wire::attached::Form;
use crate::wire::{Message, Side, read, token};
use crate::workload::{Cell, Measure};

/// Who passed what: lines of a file that outlives a run, so that unchanged engines are not checked again.
pub(crate) struct Passes {
    path: PathBuf,
    passed: BTreeSet<String>,
}

impl Passes {
    pub(crate) fn open(suite: &Suite) -> Outcome<Passes> {
        let path = suite.file("passes.txt")?;
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        Ok(Passes {
            path,
            passed: text.lines().map(str::to_owned).collect(),
        })
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.passed.contains(key)
    }

    pub(crate) fn add(&mut self, key: String) -> Outcome<()> {
        let mut file = OpenOptions::new().append(true).create(true).open(&self.path)?;
        writeln!(file, "{key}")?;
        self.passed.insert(key);
        Ok(())
    }
}

/// A pass is for this harness, these sources of an engine, and this cell.
pub(crate) fn key(harness: &str, session: &Session<'_>, fingerprint: &str, cell: &Cell<'_>) -> String {
    format!("{harness} {fingerprint} {} {}", session.engine.name, cell.key())
}

/// The fingerprint of this program and of the workloads.
pub(crate) fn harness(suite: &Suite) -> Outcome<String> {
    let program = std::fs::read(std::env::current_exe()?)?;
    let workloads = sources::fingerprint(&suite.folder.join("workloads"))?;
    Ok(format!(
        "{}-{}",
        &sources::digest(&program)[..16],
        &workloads[..16]
    ))
}

/// How a check ended, when not well.
#[derive(Debug)]
pub(crate) enum Finding {
    /// The answer is wrong.
    Wrong(String),
    /// There was none.
    Refused(Refusal),
}

impl From<Refusal> for Finding {
    fn from(refusal: Refusal) -> Finding {
        Finding::Refused(refusal)
    }
}

/// Which side of a call the engine is in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Client,
    Server,
    Both,
}

impl Place {
    /// What the engine is where this is measured; `None` when it cannot be.
    pub(crate) fn of(session: &Session<'_>, cell: &Cell<'_>) -> Option<Place> {
        let is = |role| session.engine.is(role);
        let google = cell.workload.kind == Kind::Google;
        let (client, server) = (is(Role::Client), is(Role::Server));
        match cell.measure {
            Measure::Serialize if google => server.then_some(Place::Server),
            Measure::Serialize | Measure::SendTime => client.then_some(Place::Client),
            Measure::Deserialize if google => client.then_some(Place::Client),
            Measure::Throughput => server.then_some(Place::Server),
            Measure::Application => client.then_some(Place::Both),
            Measure::Deserialize if server && !(client && session.engine.reads == Role::Client) => {
                Some(Place::Server)
            }
            Measure::Deserialize | Measure::Endtoend | Measure::Coldstart => match (client, server) {
                (true, true) if cell.measure == Measure::Endtoend || cell.measure == Measure::Coldstart => {
                    Some(Place::Both)
                }
                (true, _) => Some(Place::Client),
                (_, true) => Some(Place::Server),
                _ => None,
            },
        }
    }
}

/// Checks all that a cell will time.
pub(crate) fn check(
    session: &mut Session<'_>,
    cell: &Cell<'_>,
    material: &Material,
    sink: &Sink,
    scratch: &std::path::Path,
) -> Result<(), Finding> {
    let place = Place::of(session, cell).ok_or_else(|| no_role(cell))?;
    if place != Place::Server {
        client(session, cell, material, sink, scratch)?;
    }
    if place != Place::Client {
        server(session, cell, material)?;
    }
    if place == Place::Both && cell.workload.kind != Kind::Void {
        together(session, cell, material, scratch)?;
    }
    Ok(())
}

/// What an engine that lacks a role is told.
pub(crate) fn no_role(cell: &Cell<'_>) -> Refusal {
    let role = match cell.measure {
        Measure::Serialize | Measure::SendTime => "client",
        _ => "server",
    };
    Refusal::Unsupported(format!("the toolkit has no {role}"))
}

/// What the client sends, and what it makes of a reply.
fn client(
    session: &mut Session<'_>,
    cell: &Cell<'_>,
    material: &Material,
    sink: &Sink,
    scratch: &std::path::Path,
) -> Result<(), Finding> {
    let engine = session.engine;
    let messages = material.messages(engine);
    let kind = cell.workload.kind;
    let replies = matches!(cell.measure, Measure::Deserialize | Measure::Endtoend) && kind != Kind::Void;
    let (operation, answer) = match replies {
        true => (&material.echo, &messages.echo_response),
        false => (&material.operation, &messages.response),
    };
    let sets: Vec<&std::path::Path> = material.sets.iter().map(|(_, path)| &**path).collect();
    let url = sink.answer("check", answer, true);
    // Who remembers makes the first message of a set in another way than the later ones: twice each set and once more.
    let calls = match session.engine.remembers {
        true => 2 * sets.len() + 1,
        false => sets.len(),
    };
    let process = session.client(cell, &sets)?;
    process.ask("reset")?;
    process.call(operation, &url, calls)?;
    let arrivals = sink.take("check");
    if arrivals.len() != calls {
        return Err(Finding::Wrong(format!(
            "{calls} calls made {} requests",
            arrivals.len()
        )));
    }
    for (index, arrival) in arrivals.iter().enumerate() {
        went_as_told(cell, arrival)?;
        if kind == Kind::Google {
            continue;
        }
        let sent = decoded(
            engine,
            cell,
            operation,
            Side::Request,
            &arrival.body,
            &arrival.media_type,
        );
        differs("sent", material.trace(index), &sent)?;
    }
    if replies {
        dumped(process, scratch, material.trace(0))?;
    }
    Ok(())
}

/// Whether a request is what the point's settings ask for.
fn went_as_told(cell: &Cell<'_>, arrival: &Arrival) -> Result<(), Finding> {
    if cell.asks("security", "username")
        && let Some(fault) = token::fault(&arrival.body)
    {
        return Err(Finding::Wrong(format!("its UsernameToken: {fault}")));
    }
    Ok(())
}

/// What the server answers.
fn server(session: &mut Session<'_>, cell: &Cell<'_>, material: &Material) -> Result<(), Finding> {
    let engine = session.engine;
    let kind = cell.workload.kind;
    let messages = material.messages(engine);
    let load = (kind == Kind::Google).then(|| material.sets[0].1.clone());
    let rounds = if session.engine.remembers { 2 } else { 1 };
    let mut sender = session.sender(cell, load.as_deref())?;
    let mut reply = Vec::new();
    let secured = cell.asks("security", "username");
    if secured {
        let exchange = sender.exchange(&messages.requests[0], None);
        if exchange.is_ok_and(|exchange| exchange.is_ok()) {
            return Err(Finding::Wrong("the server does not ask for a token".into()));
        }
    }
    let mut exchange = |request: &Message| -> Result<(Vec<u8>, String), Finding> {
        let with_token = secured.then(|| Message {
            media_type: request.media_type.clone(),
            body: token::secured(&request.body),
        });
        let exchange = sender
            .exchange(with_token.as_ref().unwrap_or(request), Some(&mut reply))
            .map_err(|e| Refusal::Failed(format!("the server: {e}")))?;
        match exchange.is_ok() {
            true => Ok((reply.clone(), exchange.media_type)),
            false => {
                let text = String::from_utf8_lossy(&reply)
                    .chars()
                    .take(300)
                    .collect::<String>();
                Err(Refusal::Failed(format!("the server answered {}: {text}", exchange.status)).into())
            }
        }
    };
    for round in 0..rounds {
        for (index, request) in messages.requests.iter().enumerate() {
            let trace = material.trace(index);
            if material.operation != material.echo {
                let (reply, _) = exchange(request)?;
                let count = read::count(engine.style, kind, &material.operation, &reply)
                    .map_err(|e| Finding::Wrong(format!("the server's reply: {e}")))?;
                let wanted = kind.count(trace);
                if count != wanted {
                    return Err(Finding::Wrong(format!(
                        "the server counted {count}, not {wanted}"
                    )));
                }
                if round == 1 {
                    continue;
                }
            }
            let (reply, media_type) = exchange(&messages.echo_requests[index])?;
            let back = decoded(engine, cell, &material.echo, Side::Response, &reply, &media_type);
            differs("returned", trace, &back)?;
        }
    }
    Ok(())
}

/// Client and server of one engine with each other.
fn together(
    session: &mut Session<'_>,
    cell: &Cell<'_>,
    material: &Material,
    scratch: &std::path::Path,
) -> Result<(), Finding> {
    let load = (cell.workload.kind == Kind::Google).then(|| material.sets[0].1.clone());
    let url = session.server(cell, load.as_deref())?.url();
    let sets: Vec<&std::path::Path> = material.sets.iter().map(|(_, path)| &**path).collect();
    let process = session.client(cell, &sets)?;
    for calls in 1..=sets.len() {
        process.call(&material.echo, &url, calls)?;
        dumped(process, scratch, material.trace(calls - 1))?;
    }
    Ok(())
}

fn dumped(
    process: &mut crate::engine::process::Process,
    scratch: &std::path::Path,
    wanted: &Trace,
) -> Result<(), Finding> {
    process.ask(&format!("dump {}", scratch.display()))?;
    let text = std::fs::read_to_string(scratch).map_err(|e| Finding::Wrong(format!("its dump: {e}")))?;
    let have = Trace::parse(wanted.kind, &text);
    differs("decoded", wanted, &have)
}

/// The values of a message, whose files must be where the cell's point wants them.
fn decoded(
    engine: &Engine,
    cell: &Cell<'_>,
    operation: &str,
    side: Side,
    body: &[u8],
    media_type: &str,
) -> Outcome<Trace> {
    let form = cell.form();
    let (envelope, parts) = form.envelope(media_type, body)?;
    let values = read::values(engine.style, cell.workload.kind, operation, side, &envelope)?;
    match form == Form::Inline || parts == values.rows.len() {
        true => Ok(values),
        false => Err(format!("it refers to {parts} parts, of {} files", values.rows.len()).into()),
    }
}

fn differs(what: &str, wanted: &Trace, have: &Outcome<Trace>) -> Result<(), Finding> {
    let finding = match have {
        Ok(have) => wanted.difference(have),
        Err(error) => Some(error.to_string()),
    };
    match finding {
        Some(text) => Err(Finding::Wrong(format!("what it {what}: {text}"))),
        None => Ok(()),
    }
}
