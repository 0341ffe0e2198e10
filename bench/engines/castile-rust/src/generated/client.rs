//! Calls of generated code, each timed.

use std::collections::HashMap;
use std::fmt::Write as _;

use castile::typed::{self, Failure, Fields, Reply};
use castile::{Client, Error, Source};

use super::kind::{
    self, Attributes, Bytes, ClassAds, Doubles, Events, Files, Ints, Kind, Mios, Nested, Packed, Strings,
    Trace,
};
use super::{bench, files, nested, server};
use crate::client::{now, sent};
use crate::settings::Settings;
use crate::{Calls, Outcome};

/// The sets of values that were loaded, the clients, and what came last.
#[derive(Default)]
pub(crate) struct Caller {
    sets: Vec<Box<dyn Loaded>>,
    results: Vec<bench::ResultElement>,
    clients: HashMap<String, Client>,
    last: String,
}

/// Values of one trace file, as they are sent.
trait Loaded {
    /// Calls an operation on its kind; gives the sample, and what prints the result.
    fn call(&self, client: &Client, operation: &str) -> Outcome<(String, Printer)>;
}

/// Makes the trace of what came back.
type Printer = Box<dyn FnOnce() -> String>;

struct Set<K: Kind> {
    send: K::Send,
    echo: K::Echo,
}

impl<K: Trace> Set<K> {
    fn load(lines: &[&str]) -> Outcome<Box<dyn Loaded>>
    where
        K: 'static,
    {
        let values = K::parse(lines)?;
        Ok(Box::new(Set::<K> {
            send: K::send(values.clone()),
            echo: K::echo(values),
        }))
    }
}

impl<K: Trace + 'static> Loaded for Set<K> {
    fn call(&self, client: &Client, operation: &str) -> Outcome<(String, Printer)> {
        if operation == K::SEND {
            let (sample, reply) = timed::<K::SendResponse>(client, operation, &self.send)?;
            let count = K::counted(&reply);
            return Ok((sample, Box::new(move || format!("{count}\n"))));
        }
        if operation != K::ECHO {
            return Err(format!("{operation} is not for what is loaded").into());
        }
        let (sample, reply) = timed::<K::EchoResponse>(client, operation, &self.echo)?;
        let values = K::returned(reply);
        Ok((sample, Box::new(move || K::print(&values))))
    }
}

/// One call: what methods of generated clients do, and a look at the clock before and after.
fn timed<T: Fields + Default>(
    client: &Client,
    operation: &str,
    request: &dyn Source,
) -> Outcome<(String, T)> {
    let start = now();
    let reply: Result<Reply<T>, Failure> = typed::call(client, operation, &typed::EMPTY, request);
    let end = now();
    let reply = reply.map_err(|failure| failure.to_string())?;
    Ok((
        format!("{start},{},{end}", start + sent(&reply.record)),
        reply.value,
    ))
}

impl Calls for Caller {
    fn load(&mut self, _: &Settings, kind: &str, file: &str) -> Outcome<usize> {
        let text = std::fs::read_to_string(file)?;
        let lines: Vec<&str> = text.lines().collect();
        let set = match kind {
            "doubles" => Set::<Doubles>::load(&lines)?,
            "ints" => Set::<Ints>::load(&lines)?,
            "strings" => Set::<Strings>::load(&lines)?,
            "bytes" => Set::<Bytes>::load(&lines)?,
            "packed" => Set::<Packed>::load(&lines)?,
            "mios" => Set::<Mios>::load(&lines)?,
            "events" => Set::<Events>::load(&lines)?,
            "attributes" => Set::<Attributes>::load(&lines)?,
            "classads" => Set::<ClassAds>::load(&lines)?,
            "nested" => Set::<Nested>::load(&lines)?,
            "files" => Set::<Files>::load(&lines)?,
            "google" => {
                self.results = kind::read(&lines)?;
                return Ok(lines.len());
            }
            _ => return Err(format!("no kind {kind}").into()),
        };
        self.sets.push(set);
        Ok(lines.len())
    }

    fn clear(&mut self) {
        self.sets.clear();
        self.results.clear();
    }

    fn reset(&mut self) {
        self.clients.clear();
    }

    fn call(&mut self, settings: &Settings, operation: &str, url: &str, count: usize) -> Outcome<String> {
        let (name, make) = contract(operation);
        let key = format!("{url} {name}");
        if !self.clients.contains_key(&key) {
            self.clients.insert(key.clone(), make(settings.client(url))?);
        }
        let client = &self.clients[&key];
        let question = question(self.results.len());
        let mut answer = "ok".to_owned();
        let mut last: Option<Printer> = None;
        for index in 0..count {
            let (sample, printer): (String, Printer) = match operation {
                "echoVoid" => {
                    let (sample, _) = timed::<bench::EchoVoidResponse>(client, operation, &typed::EMPTY)?;
                    (sample, Box::new(String::new))
                }
                "doGoogleSearch" => {
                    let (sample, reply) =
                        timed::<bench::DoGoogleSearchResponse>(client, operation, &question)?;
                    (
                        sample,
                        Box::new(move || kind::print(&reply.r#return.result_elements.item)),
                    )
                }
                _ => {
                    let sets = self.sets.len().max(1);
                    let set = self.sets.get(index % sets).ok_or("nothing is loaded")?;
                    set.call(client, operation)?
                }
            };
            write!(answer, " {sample}")?;
            last = Some(printer);
        }
        self.last = last.map_or_else(String::new, |printer| printer());
        Ok(answer)
    }

    fn dump(&self, file: &str) -> Outcome<usize> {
        std::fs::write(file, &self.last)?;
        Ok(self.last.lines().count())
    }

    fn serve(&self, settings: &Settings, contract: &str) -> Outcome<castile::http::Running> {
        server::start(settings, contract, self.results.clone())
    }
}

type Make = fn(castile::ClientOptions) -> Result<Client, Error>;

/// The contract that has an operation, and what makes its client.
fn contract(operation: &str) -> (&'static str, Make) {
    match operation {
        "sendNested" | "echoNested" => ("nested", |options| {
            Client::with_contract(nested::CONTRACT.contract()?, options)
        }),
        "sendFiles" | "echoFiles" => ("files", |options| {
            Client::with_contract(files::CONTRACT.contract()?, options)
        }),
        _ => ("bench", |options| {
            Client::with_contract(bench::CONTRACT.contract()?, options)
        }),
    }
}

/// The arguments of a search for so many results.
fn question(results: usize) -> bench::DoGoogleSearch {
    bench::DoGoogleSearch {
        key: "0000".into(),
        q: "grid computing".into(),
        max_results: i32::try_from(results.max(1)).unwrap_or(i32::MAX),
        filter: true,
        ..bench::DoGoogleSearch::default()
    }
}
