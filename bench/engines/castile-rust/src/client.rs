//! Calls, each timed.

use std::collections::HashMap;
use std::fmt::Write as _;

use castile::{Client, Graph, Record, Value};
use rustix::time::{ClockId, clock_gettime};

use crate::settings::Settings;
use crate::{Calls, Outcome, ring, server, trace};

/// The sets of values that were loaded, the clients, and what came last.
#[derive(Default)]
pub(crate) struct Caller {
    sets: Vec<Set>,
    clients: HashMap<String, Client>,
    last: Option<(String, Graph)>,
}

/// Values of one trace file.
pub(crate) struct Set {
    kind: String,
    arguments: Graph,
    count: usize,
}

impl Calls for Caller {
    fn load(&mut self, settings: &Settings, kind: &str, file: &str) -> Outcome<usize> {
        let text = std::fs::read_to_string(file)?;
        let (arguments, count) = match kind {
            "ring" => (ring::of(&text.lines().collect::<Vec<_>>()), text.lines().count()),
            _ => {
                let (values, count) = trace::parse(kind, &text, settings.encoded)?;
                (Value::map([("values", values)]).into(), count)
            }
        };
        let kind = kind.to_owned();
        self.sets.push(Set {
            kind,
            arguments,
            count,
        });
        Ok(count)
    }

    fn clear(&mut self) {
        self.sets.clear();
    }

    fn reset(&mut self) {
        self.clients.clear();
    }

    fn call(&mut self, settings: &Settings, operation: &str, url: &str, count: usize) -> Outcome<String> {
        let key = format!("{url} {}", settings.wsdl(operation));
        if !self.clients.contains_key(&key) {
            let client = Client::new(settings.wsdl(operation), settings.client(url))?;
            self.clients.insert(key.clone(), client);
        }
        let client = &self.clients[&key];
        let single: Graph;
        let arguments: Vec<&Graph> = match self.sets.as_slice() {
            _ if operation == "echoVoid" => {
                single = Value::Absent.into();
                vec![&single]
            }
            sets if operation == "doGoogleSearch" => {
                single = question(sets.first().map_or(1, |s| s.count)).into();
                vec![&single]
            }
            [] => return Err("nothing is loaded".into()),
            sets => sets.iter().map(|set| &set.arguments).collect(),
        };
        let mut answer = "ok".to_owned();
        for arguments in arguments.iter().cycle().take(count) {
            let start = now();
            let reply = match arguments.objects.is_empty() {
                true => client.call(operation, &arguments.root)??,
                false => client.call_graph(operation, arguments)??,
            };
            let end = now();
            write!(answer, " {start},{},{end}", start + sent(&reply.record))?;
            let result = Graph {
                root: reply.value,
                objects: reply.objects,
            };
            self.last = Some((operation.to_owned(), result));
        }
        Ok(answer)
    }

    fn dump(&self, file: &str) -> Outcome<usize> {
        let (operation, result) = self.last.as_ref().ok_or("nothing was called")?;
        let value = &result.root;
        let text = match (operation.strip_prefix("echo"), value) {
            (Some("Void"), _) => String::new(),
            (Some("Ring"), _) => ring::names(value, result).join("\n") + "\n",
            (Some(kind), _) => trace::print(&kind.to_lowercase(), value)?,
            (None, Value::Int(count)) => format!("{count}\n"),
            (None, _) => trace::print("google", value)?,
        };
        std::fs::write(file, &text)?;
        Ok(text.lines().count())
    }

    fn serve(&self, settings: &Settings, contract: &str) -> Outcome<castile::http::Running> {
        // The first set's values of Google's kind are what a search finds.
        let set = self.sets.iter().find(|set| set.kind == "google");
        let found = set.and_then(|set| set.arguments.root.get("values").cloned());
        server::start(settings, contract, found)
    }
}

/// From the start of a call to after its last send, in ns.
pub(crate) fn sent(record: &Record) -> u64 {
    let span = record.encode + record.network.connect + record.network.send;
    u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)
}

/// CLOCK_MONOTONIC in ns.
pub(crate) fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0)
}

/// The arguments of a search for so many results.
fn question(results: usize) -> Value {
    let text = |t: &str| Value::from(t);
    Value::map([
        ("key", text("0000")),
        ("q", text("grid computing")),
        ("start", Value::Int(0)),
        (
            "maxResults",
            Value::Int(i64::try_from(results).unwrap_or(i64::MAX)),
        ),
        ("filter", Value::Bool(true)),
        ("restrict", text("")),
        ("safeSearch", Value::Bool(false)),
        ("lr", text("")),
        ("ie", text("")),
        ("oe", text("")),
    ])
}
