//! Messages that somebody really sent: each decoded by its WSDL, and encoded again to the same infoset.

mod source;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use castile_codec::{DecodeOptions, EncodeOptions, Envelope, Limits, Name, Version};
use castile_contract::{Contract, Operation};
use castile_endpoint::Headers;
use castile_plan::{Plan, Types};
use castile_testkit::{alone, anything, plainly};
use castile_value::{Record, Value};

use crate::corpus::Corpus;
use crate::infoset;

/// Lines of file and reason. A file that ends with an asterisk is all that begin so and differ in no more than
/// the namespaces of elements, or in rpc/encoded in what parameters are called.
const LEDGER: &str = include_str!("../../traffic.tsv");

/// What differences begin with that are in names alone.
const NAMES: &str = "only in ";

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
    /// Messages that a WSDL or a schema describes.
    pub(crate) messages: usize,
    /// Decoded as the contract says.
    pub(crate) strict: usize,
    /// Decoded when not everything has to be as the contract says.
    pub(crate) lax: usize,
    /// Encoded again to the same infoset.
    pub(crate) same: usize,
    /// Encoded again to the same but for names that the peer writes otherwise.
    pub(crate) names: usize,
    /// Failures on the ledger.
    pub(crate) known: usize,
    /// Faults, read and written again.
    pub(crate) faults: usize,
    /// Messages that nothing in the corpus describes: any XML, read and written again.
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
    /// A fault; what is different when it was written and read again.
    Fault(Option<String>),
    /// As SOAP: no contract describes it; the first difference of what was encoded again.
    Plain(Option<String>),
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
        let names = failure.as_ref().is_some_and(|why| why.starts_with(NAMES));
        match (failure, line(&mut ledger, &message.label, names)) {
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

/// The line of the ledger for a message.
fn line<'l>(ledger: &'l mut HashMap<&str, bool>, label: &str, names: bool) -> Option<&'l mut bool> {
    let covers = |line: &str| {
        let group = line.strip_suffix('*').filter(|_| names);
        line == label || group.is_some_and(|start| label.starts_with(start))
    };
    ledger
        .iter_mut()
        .find(|(line, _)| covers(line))
        .map(|(_, met)| met)
}

impl Counts {
    /// Counts a message; what went wrong with it.
    fn add(&mut self, outcome: Result<Read, String>) -> Option<String> {
        self.messages += 1;
        match outcome {
            Ok(Read::Plain(difference)) => {
                self.messages -= 1;
                self.plain += 1;
                difference
            }
            Ok(Read::Fault(difference)) => {
                self.messages -= 1;
                self.faults += 1;
                difference
            }
            Ok(Read::Contract { strict, difference }) => {
                self.strict += usize::from(strict);
                self.lax += usize::from(!strict);
                self.same += usize::from(difference.is_none());
                self.names += usize::from(difference.as_ref().is_some_and(|why| why.starts_with(NAMES)));
                difference
            }
            Err(why) => Some(why),
        }
    }
}

fn read(contracts: &[&Contract], text: &str) -> Result<Read, String> {
    let envelope = open(text)?;
    if envelope.is_fault() {
        return fault(contracts.first().map(|c| &*c.types), text).map(Read::Fault);
    }
    let Some(first) = envelope.first() else {
        return plain(text);
    };
    let mut failure = None;
    for contract in contracts {
        for plan in plans(contract, &first) {
            match round(&contract.types, plan, text) {
                Ok(read) => return Ok(read),
                Err(why) => _ = failure.get_or_insert(why),
            }
        }
    }
    if let Some(why) = failure {
        return Err(why);
    }
    // A schema may know the element that no message has.
    for contract in contracts {
        let types = &contract.types;
        let id = types
            .parse_clark(&first.to_string())
            .and_then(|name| types.element_named(&name));
        if let Some(id) = id {
            let (types, plan) = alone(types, &types.elements[id.index()]);
            return round(&types, &plan, text);
        }
    }
    plain(text)
}

/// The messages of a collection.
pub(crate) fn texts_of(corpus: &Corpus, collection: &str) -> Vec<String> {
    let messages = source::messages(corpus).into_iter();
    let of_it = messages.filter(|message| message.collection == collection);
    of_it.map(|message| message.text).collect()
}

/// The plans of a contract whose body begins with an element.
pub(crate) fn plans<'c>(contract: &'c Contract, first: &Name) -> Vec<&'c Plan> {
    let types = &contract.types;
    let soap = contract.bindings.iter().filter(|b| b.protocol.is_soap());
    let operations = soap.flat_map(|b| &b.operations);
    let plans = operations
        .flat_map(|o: &Operation| [o.input.as_ref(), o.output.as_ref()])
        .flatten();
    let fits = |plan: &&Plan| {
        let field = types.complex(plan.body).fields.first();
        field.is_some_and(|f| *f.wire.local == *first.local && types.uri(f.wire.ns) == first.namespace)
    };
    plans.filter(fits).collect()
}

/// A fault read, written and read again; what is different then.
fn fault(types: Option<&Types>, text: &str) -> Result<Option<String>, String> {
    let empty = Types::default();
    let types = types.unwrap_or(&empty);
    let options = DecodeOptions {
        strict: false,
        ..DecodeOptions::default()
    };
    let decode = |text: &str| {
        open(text)?
            .decode_fault(types, None, &options)
            .map_err(|e| e.to_string())
    };
    let version = open(text)?.version();
    let mut fault = decode(text)?;
    let mut out = Vec::new();
    castile_codec::encode_fault(types, None, version, &fault, &EncodeOptions::default(), &mut out)
        .map_err(|e| e.to_string())?;
    let mut again = decode(&String::from_utf8_lossy(&out))?;
    let details = fault.detail.iter().zip(&again.detail);
    let difference = details
        .filter_map(|(a, b)| same_detail(&a.value, &b.value))
        .next();
    for fault in [&mut fault, &mut again] {
        // Of XML, prefixes do not matter; a reason without a language gets one in SOAP 1.2.
        fault.headers.clear();
        fault
            .detail
            .iter_mut()
            .for_each(|entry| entry.value = Value::Absent);
        fault.reasons.iter_mut().for_each(|reason| reason.lang.clear());
    }
    Ok(difference.or_else(|| (fault != again).then(|| format!("{fault:?} and {again:?}"))))
}

fn same_detail(a: &Value, b: &Value) -> Option<String> {
    let (Value::Xml(a), Value::Xml(b)) = (a, b) else {
        return castile_testkit::difference(a, b);
    };
    let [a, b] = [a, b].map(|xml| format!("<Envelope><Body>{xml}</Body></Envelope>"));
    infoset::difference(&a, &b).unwrap_or_else(Some)
}

/// A message as any XML, there and back.
fn plain(text: &str) -> Result<Read, String> {
    let (types, plan) = anything();
    match round(&types, &plan, text)? {
        Read::Contract { difference, .. } => Ok(Read::Plain(difference)),
        other => Ok(other),
    }
}

/// There and back by one plan.
fn round(types: &Types, plan: &Plan, text: &str) -> Result<Read, String> {
    let (header, body, breach) = match decode(types, plan, text, true) {
        Ok((header, body)) => (header, body, None),
        Err(why) => match decode(types, plan, text, false) {
            Ok((header, body)) => (header, body, Some(why)),
            Err(lax) => return Err(format!("{why}; lax: {lax}")),
        },
    };
    let envelope = open(text)?;
    let version = envelope.version();
    let named = |block: &castile_codec::HeaderBlock| {
        let fields = &types.complex(plan.header).fields;
        fields
            .iter()
            .any(|f| *f.wire.local == *block.name.local && types.uri(f.wire.ns) == block.name.namespace)
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
    let again = encode(types, plan, version, &headers, &body)?;
    let difference = match infoset::difference(text, &again)? {
        Some(_) if infoset::same_but_for_names(text, &again, false)? => Some(format!("{NAMES}namespaces")),
        Some(_) if plan.encoded && infoset::same_but_for_names(text, &again, true)? => {
            Some(format!("{NAMES}what parameters are called"))
        }
        difference => difference,
    };
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

fn decode(types: &Types, plan: &Plan, text: &str, strict: bool) -> Result<(Record, Record), String> {
    plainly::read(types, plan, text, strict).map_err(|e| e.to_string())
}

fn encode(
    types: &Types,
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
    castile_codec::encode(types, plan, version, header, body, &options, &mut bytes)
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
