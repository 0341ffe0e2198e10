//! One WSDL: loaded, and every message of every operation sent round.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use castile_codec::Version;
use castile_contract::{Binding, Contract, Operation, Protocol};
use castile_testkit::time;

use crate::corpus::{Corpus, Row};
use crate::message::{Messages, Outcome, Sent};

/// What became of a WSDL.
pub(crate) struct FileResult {
    /// The WSDL.
    pub(crate) row: Row,
    /// Whether it could be loaded, or why not.
    pub(crate) loaded: Result<(), String>,
    /// Milliseconds of processor time that loading took.
    pub(crate) load_ms: f64,
    /// What the loader warned of.
    pub(crate) warnings: Vec<String>,
    /// Why the first operation that is out of scope is, in full.
    pub(crate) refused: Option<String>,
    /// Operations of SOAP ports.
    pub(crate) operations: Vec<OperationResult>,
    /// Why operations are out of scope, and how many for that reason.
    pub(crate) unsupported: BTreeMap<String, usize>,
    /// One encoded message of each kind, for foreign readers.
    pub(crate) sent: Vec<Sent>,
}

/// What became of an operation.
pub(crate) struct OperationResult {
    /// Its name, with the binding's when the contract has several.
    pub(crate) name: String,
    /// Messages sent round.
    pub(crate) messages: usize,
    /// What went wrong first, if anything did.
    pub(crate) failure: Option<String>,
}

/// Loads a WSDL and sends its messages round. Whatever panics is a failure of `*`.
pub(crate) fn run(corpus: &Corpus, row: &Row) -> FileResult {
    let mut loaded = None;
    let result = catch_unwind(AssertUnwindSafe(|| {
        let load_ms = time(|| loaded = Some(corpus.load(row))) / 1e6;
        match loaded.take() {
            Some(Ok(contract)) => Ok((contract, load_ms)),
            Some(Err(error)) => Err(error.to_string()),
            None => Err("not loaded".to_owned()),
        }
    }));
    let empty = |loaded| FileResult {
        row: row.clone(),
        loaded,
        load_ms: 0.0,
        warnings: Vec::new(),
        refused: None,
        operations: Vec::new(),
        unsupported: BTreeMap::new(),
        sent: Vec::new(),
    };
    match result {
        Ok(Ok((contract, load_ms))) => FileResult {
            load_ms,
            ..round(row, &contract)
        },
        Ok(Err(why)) => empty(Err(why)),
        Err(panic) => empty(Err(format!("panicked: {}", words(&*panic)))),
    }
}

fn round(row: &Row, contract: &Contract) -> FileResult {
    let mut result = FileResult {
        row: row.clone(),
        loaded: Ok(()),
        load_ms: 0.0,
        warnings: contract.warnings.iter().map(ToString::to_string).collect(),
        refused: None,
        operations: Vec::new(),
        unsupported: BTreeMap::new(),
        sent: Vec::new(),
    };
    let messages = Messages::new(contract);
    let soap: Vec<&Binding> = contract
        .bindings
        .iter()
        .filter(|b| b.protocol.is_soap())
        .collect();
    for binding in &soap {
        for operation in &binding.operations {
            let name = match soap.len() {
                1 => operation.name.clone(),
                _ => format!("{}/{}", binding.name, operation.name),
            };
            self::operation(&messages, binding, operation, name, &mut result);
        }
    }
    result
}

fn operation(
    messages: &Messages<'_>,
    binding: &Binding,
    operation: &Operation,
    name: String,
    result: &mut FileResult,
) {
    if let Some(why) = &operation.unsupported {
        *result.unsupported.entry(kind_of(why)).or_default() += 1;
        result.refused.get_or_insert_with(|| why.clone());
        return;
    }
    let version = if binding.protocol == Protocol::Soap12 {
        Version::Soap12
    } else {
        Version::Soap11
    };
    let sent = catch_unwind(AssertUnwindSafe(|| messages.operation(operation, version)));
    let outcome = sent.unwrap_or_else(|panic| Outcome::failed(format!("panicked: {}", words(&*panic))));
    if let Some(why) = outcome.unsupported {
        *result.unsupported.entry(kind_of(&why)).or_default() += 1;
        result.refused.get_or_insert(why);
    }
    result.sent.extend(outcome.sent.into_iter().map(|mut sent| {
        sent.label = format!("{} {name} {}", result.row.file, sent.label);
        sent
    }));
    let (messages, failure) = (outcome.messages, outcome.failure);
    if messages > 0 || failure.is_some() {
        result.operations.push(OperationResult {
            name,
            messages,
            failure,
        });
    }
}

/// The construct of a reason, without the place and the names.
fn kind_of(why: &str) -> String {
    let text = why.split(" at ").next().unwrap_or(why);
    let kinds = [
        ("encoded", "use=\"encoded\""),
        ("substitution", "substitution groups"),
        ("soapenc", "SOAP encoding's types"),
        ("attachment", "attachments"),
        ("multipart", "attachments"),
        ("notification", "messages that the server begins"),
        ("not declared", "the contract refers to what it does not declare"),
        ("not defined", "the contract refers to what it does not declare"),
        ("missing", "the contract refers to what it does not declare"),
        (
            "has no operation",
            "the binding has an operation that its port type lacks",
        ),
        (
            "must have a type",
            "parts of elements in rpc style, which WSDL does not allow",
        ),
        ("body of simple type", "parts of simple types in document style"),
    ];
    match kinds.iter().find(|(word, _)| text.contains(word)) {
        Some((_, kind)) => (*kind).to_owned(),
        None => text.chars().take(80).collect(),
    }
}

fn words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("without a word")
        .to_owned()
}
