//! Messages that somebody really sent: each decoded by its WSDL, and encoded again to the same infoset.

mod source;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use castile_codec::{DecodeOptions, EncodeOptions, Envelope, Limits, Version};
use castile_contract::{Contract, Operation};
use castile_endpoint::Headers;
use castile_plan::{ComplexId, Plan};
use castile_value::{Record, ValueSink};

use crate::corpus::Corpus;
use crate::infoset;

/// Lines of file and reason.
const LEDGER: &str = include_str!("../../traffic.tsv");

/// What became of the messages.
#[derive(Default)]
pub(crate) struct Traffic {
    /// By the collection they come from, in alphabetical order.
    pub(crate) collections: BTreeMap<String, Counts>,
    /// Failures that are not on the ledger: file and what happened.
    pub(crate) unexpected: Vec<(String, String)>,
    /// Lines of the ledger that do not fail.
    pub(crate) obsolete: Vec<String>,
}

/// What became of one collection.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counts {
    /// Messages, without those that no WSDL describes.
    pub(crate) messages: usize,
    /// Decoded as the contract says.
    pub(crate) strict: usize,
    /// Decoded when not everything has to be as the contract says.
    pub(crate) lax: usize,
    /// Encoded again to the same infoset.
    pub(crate) same: usize,
    /// Failures on the ledger.
    pub(crate) known: usize,
    /// Messages that no WSDL of the corpus describes: read as far as SOAP goes.
    pub(crate) plain: usize,
}

impl Traffic {
    /// Whether the ledger is the truth.
    pub(crate) fn is_clean(&self) -> bool {
        self.unexpected.is_empty() && self.obsolete.is_empty()
    }
}

/// How one message was read.
enum Read {
    /// By its contract: strictly or not, and the first difference of what was encoded again.
    Contract {
        strict: bool,
        difference: Option<String>,
    },
    /// As SOAP: no contract describes it.
    Plain,
}

/// Reads all messages. `only`: those whose file name contains this.
pub(crate) fn run(corpus: &Corpus, only: Option<&str>) -> Traffic {
    let mut ledger: HashMap<&str, bool> = LEDGER
        .lines()
        .filter_map(|line| Some((line.split_once('\t')?.0, false)))
        .collect();
    let mut traffic = Traffic::default();
    let mut contracts: HashMap<PathBuf, Option<Contract>> = HashMap::new();
    for message in source::messages(corpus) {
        if only.is_some_and(|part| !message.label.contains(part)) {
            continue;
        }
        for wsdl in &message.wsdls {
            contracts
                .entry(wsdl.clone())
                .or_insert_with(|| corpus.load_at(wsdl).ok());
        }
        let loaded: Vec<&Contract> = message
            .wsdls
            .iter()
            .filter_map(|w| contracts.get(w)?.as_ref())
            .collect();
        let outcome = read(&loaded, &message.text);
        let counts = traffic.collections.entry(message.collection.clone()).or_default();
        let failure = counts.add(outcome);
        match (failure, ledger.get_mut(&*message.label)) {
            (Some(_), Some(met)) => {
                *met = true;
                counts.known += 1;
            }
            (Some(why), None) => traffic.unexpected.push((message.label, why)),
            (None, _) => {}
        }
    }
    if only.is_none() {
        let left = ledger.into_iter().filter(|(_, met)| !met);
        traffic.obsolete = left.map(|(label, _)| label.to_owned()).collect();
        traffic.obsolete.sort();
    }
    traffic
}

impl Counts {
    /// Counts a message; what went wrong with it.
    fn add(&mut self, outcome: Result<Read, String>) -> Option<String> {
        self.messages += 1;
        match outcome {
            Ok(Read::Plain) => {
                self.messages -= 1;
                self.plain += 1;
                None
            }
            Ok(Read::Contract { strict, difference }) => {
                self.strict += usize::from(strict);
                self.lax += usize::from(!strict);
                self.same += usize::from(difference.is_none());
                difference
            }
            Err(why) => Some(why),
        }
    }
}

fn read(contracts: &[&Contract], text: &str) -> Result<Read, String> {
    let envelope = open(text)?;
    if envelope.is_fault() {
        let types = contracts.first().map(|c| &*c.types);
        let empty = castile_plan::Types::default();
        let options = DecodeOptions { strict: false };
        let fault = envelope.decode_fault(types.unwrap_or(&empty), None, &options);
        return fault.map(|_| Read::Plain).map_err(|e| e.to_string());
    }
    let Some(first) = envelope.first() else {
        return Ok(Read::Plain);
    };
    let mut failure = None;
    for contract in contracts {
        let operations = contract
            .bindings
            .iter()
            .filter(|b| b.protocol.is_soap())
            .flat_map(|b| &b.operations);
        let plans = operations
            .flat_map(|o: &Operation| [o.input.as_ref(), o.output.as_ref()])
            .flatten();
        let fits = |plan: &&Plan| {
            let field = contract.types.complex(plan.body).fields.first();
            field.is_some_and(|f| {
                *f.wire.local == *first.local && contract.types.uri(f.wire.ns) == first.namespace
            })
        };
        for plan in plans.filter(fits) {
            match round(contract, plan, text) {
                Ok(read) => return Ok(read),
                Err(why) => _ = failure.get_or_insert(why),
            }
        }
    }
    failure.map_or(Ok(Read::Plain), Err)
}

/// There and back by one plan.
fn round(contract: &Contract, plan: &Plan, text: &str) -> Result<Read, String> {
    let (header, body, breach) = match decode(contract, plan, text, true) {
        Ok((header, body)) => (header, body, None),
        Err(why) => match decode(contract, plan, text, false) {
            Ok((header, body)) => (header, body, Some(why)),
            Err(_) => return Err(why),
        },
    };
    let envelope = open(text)?;
    let version = envelope.version();
    let named = |block: &castile_codec::HeaderBlock| {
        let fields = &contract.types.complex(plan.header).fields;
        fields.iter().any(|f| {
            *f.wire.local == *block.name.local && contract.types.uri(f.wire.ns) == block.name.namespace
        })
    };
    let raw: Vec<String> = envelope
        .headers()
        .iter()
        .filter(|b| !named(b))
        .map(|b| b.xml.clone())
        .collect();
    let headers = Headers {
        typed: &header,
        raw: &raw,
    };
    let again = encode(contract, plan, version, &headers, &body)?;
    let difference = infoset::difference(text, &again)?;
    Ok(Read::Contract {
        strict: breach.is_none(),
        difference: difference.map(|what| match breach {
            Some(breach) => format!("{what}; lax, because {breach}"),
            None => what,
        }),
    })
}

fn open(text: &str) -> Result<Envelope<'_>, String> {
    Envelope::open(text, &Limits::default()).map_err(|e| e.to_string())
}

fn decode(contract: &Contract, plan: &Plan, text: &str, strict: bool) -> Result<(Record, Record), String> {
    let sink = |id: ComplexId| ValueSink::new(contract.types.shape(id).clone());
    let (mut header, mut body) = (sink(plan.header), sink(plan.body));
    let options = DecodeOptions { strict };
    open(text)?
        .decode(&contract.types, plan, &options, &mut header, &mut body)
        .map_err(|e| e.to_string())?;
    Ok((header.finish(), body.finish()))
}

fn encode(
    contract: &Contract,
    plan: &Plan,
    version: Version,
    header: &Headers<'_>,
    body: &Record,
) -> Result<String, String> {
    let mut bytes = Vec::new();
    let options = EncodeOptions {
        strict: false,
        ..EncodeOptions::default()
    };
    castile_codec::encode(&contract.types, plan, version, header, body, &options, &mut bytes)
        .map_err(|e| format!("encoding: {e}"))?;
    String::from_utf8(bytes).map_err(|e| e.to_string())
}

/// Folders under a path, with all files below them.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.is_dir() {
                true => folders.push(path),
                false => found.push(path),
            }
        }
    }
    found.sort();
    found
}
