//! The W3C's tests of XML Schema 1.0: schemas that must load, instances that a strict reader must take
//! or refuse as the body of a message.
//!
//! A schema that breaks a rule is mostly loaded all the same: contracts of the world break rules, and
//! what other toolkits tolerate, we tolerate. So only valid schemas are tests, and instances of valid
//! schemas; how many invalid ones are refused or warned of is counted for information.

use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use castile_codec::{DecodeOptions, Envelope, Limits};
use castile_contract::Contract;
use castile_testkit::alone;
use castile_value::ValueSink;

use super::{Suite, Test};
use crate::corpus::Corpus;

const FOLDER: &str = "xsd/w3c-xsts";

/// A line of the flattened catalogue.
struct Case {
    group: String,
    name: String,
    schema: bool,
    valid: bool,
    /// What is tested, and for an instance the schemas it goes with.
    documents: Vec<String>,
    schemas: Vec<String>,
}

/// What became of a case.
enum Outcome {
    Right,
    Wrong(String),
    Skipped(&'static str),
}

/// Runs both lists, on all processors.
pub(crate) fn run(corpus: &Corpus) -> Suite {
    let folder = corpus.path(FOLDER);
    let cases = cases(&folder);
    let mut by_group: BTreeMap<&str, Vec<&Case>> = BTreeMap::new();
    for case in &cases {
        by_group.entry(&case.group).or_default().push(case);
    }
    let groups: Vec<Vec<&Case>> = by_group.into_values().collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let done = std::sync::Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::panic::set_hook(Box::new(|_| {}));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(group) = groups.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    let outcomes = run_group(corpus, &folder, group);
                    let mut done = done.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    done.extend(outcomes);
                }
            });
        }
    });
    let _ = std::panic::take_hook();
    let mut suite = Suite::new("W3C XML Schema 1.0 tests", include_str!("../../xsts.tsv"));
    for (class, name, outcome) in done
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
    {
        let failure = match outcome {
            Outcome::Right => None,
            Outcome::Wrong(why) => Some(why),
            Outcome::Skipped(why) => {
                *suite.skipped.entry(why).or_default() += 1;
                continue;
            }
        };
        suite.push(Test { class, name, failure });
    }
    suite
}

fn cases(folder: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for list in ["tests.tsv", "tests-nist.tsv"] {
        let text = std::fs::read_to_string(folder.join(list)).unwrap_or_default();
        cases.extend(text.lines().skip(1).filter_map(case));
    }
    let schemas = cases.iter().filter(|c| c.schema);
    let schemas: HashMap<String, (Vec<String>, bool)> = schemas
        .map(|c| (c.group.clone(), (c.documents.clone(), c.valid)))
        .collect();
    for case in &mut cases {
        if let Some((documents, valid)) = schemas.get(&case.group).filter(|_| !case.schema) {
            case.schemas.clone_from(documents);
            // The instances of an invalid schema say nothing.
            if !valid {
                case.schemas.clear();
            }
        }
    }
    cases
}

fn case(line: &str) -> Option<Case> {
    let columns: Vec<&str> = line.split('\t').collect();
    let [set, group, kind, name, validity, _, documents, ..] = columns[..] else {
        return None;
    };
    let validity = match validity {
        "valid" => true,
        "invalid" => false,
        _ => return None,
    };
    let folder = documents.rsplit_once('/').map_or("", |(folder, _)| folder);
    let set = if set.starts_with('(') { folder } else { set };
    let set = set.rsplit('/').next().unwrap_or(set).trim_end_matches(".testSet");
    Some(Case {
        group: format!("{set}/{group}"),
        name: format!("{set}/{group}/{kind}/{name}"),
        schema: kind == "schema",
        valid: validity,
        documents: documents.split(' ').map(str::to_owned).collect(),
        schemas: Vec::new(),
    })
}

/// The cases of one group share their schema.
fn run_group(corpus: &Corpus, folder: &Path, group: &[&Case]) -> Vec<(&'static str, String, Outcome)> {
    let mut loaded: HashMap<Vec<String>, Result<Contract, String>> = HashMap::new();
    let mut outcomes = Vec::new();
    for case in group {
        let documents = if case.schema {
            &case.documents
        } else {
            &case.schemas
        };
        let paths = documents.iter().map(|d| folder.join(d));
        let paths: Vec<PathBuf> = paths.filter(|p| p.is_file()).collect();
        let contract = loaded
            .entry(documents.clone())
            .or_insert_with(|| caught(|| load(corpus, &paths)));
        let (class, outcome) = match (case.schema, case.valid) {
            (true, true) => ("valid schemas that load in full", accepted(contract)),
            (true, false) => (
                "",
                Outcome::Skipped("schemas that break a rule: tolerated as other toolkits do"),
            ),
            (false, valid) => {
                let class = if valid {
                    "valid instances that are read"
                } else {
                    "invalid instances that are refused"
                };
                let path = folder.join(case.documents.first().map_or("", String::as_str));
                (class, instance(contract, &paths, &path, valid))
            }
        };
        outcomes.push((class, case.name.clone(), outcome));
    }
    outcomes
}

/// Runs what must not panic.
fn caught<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err("panicked".into()))
}

/// Several schemas are what an including schema would make of them, so the last one is the entry that
/// knows the others, in the suite's order.
fn load(corpus: &Corpus, paths: &[PathBuf]) -> Result<Contract, String> {
    let first = paths.first().ok_or("no schema")?;
    corpus.load_at(first).map_err(|e| e.to_string())
}

fn accepted(contract: &Result<Contract, String>) -> Outcome {
    match contract {
        Ok(contract) => match contract.types.unsupported.first() {
            Some(why) => Outcome::Wrong(why.to_string()),
            None => Outcome::Right,
        },
        Err(why) if why == "no schema" => Outcome::Skipped("the document is not in the collection"),
        Err(why) => Outcome::Wrong(why.clone()),
    }
}

fn instance(contract: &Result<Contract, String>, schemas: &[PathBuf], path: &Path, valid: bool) -> Outcome {
    if schemas.is_empty() {
        return Outcome::Skipped("instances without a valid schema of their own");
    }
    let Ok(contract) = contract else {
        return Outcome::Skipped("the schema did not load, which is counted there");
    };
    let Some(text) = std::fs::read(path)
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok())
    else {
        return Outcome::Skipped("instances that are not in UTF-8, which HTTP's reader turns into it");
    };
    let Some(text) = without_prolog(&text) else {
        return Outcome::Skipped("instances with a DTD, which SOAP forbids");
    };
    let message = format!(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>{text}</e:Body></e:Envelope>"
    );
    let read = caught(|| read(contract, &message));
    match (read, valid) {
        (Err(why), _) if why == "panicked" => Outcome::Wrong(why),
        (Err(why), _) if why == UNDECLARED && schemas.len() > 1 => {
            Outcome::Skipped("instances of several schemas that do not refer to one another")
        }
        (Err(why), _) if why == UNDECLARED => Outcome::Skipped("instances whose root no schema declares"),
        (Ok(()), true) | (Err(_), false) => Outcome::Right,
        (Err(why), true) => Outcome::Wrong(why),
        (Ok(()), false) if identity(schemas) => {
            Outcome::Skipped("identity constraints (key, unique, keyref): no part of what a message means")
        }
        (Ok(()), false) => Outcome::Wrong("invalid, but read".into()),
    }
}

const UNDECLARED: &str = "no such element";

fn read(contract: &Contract, message: &str) -> Result<(), String> {
    let envelope = Envelope::open(message, &Limits::default()).map_err(|e| e.to_string())?;
    let root = envelope.first().ok_or("no root")?.to_string();
    let types = &contract.types;
    let id = types
        .parse_clark(&root)
        .and_then(|name| types.element_named(&name));
    let id = id.ok_or(UNDECLARED)?;
    if types.elements[id.index()].is_abstract {
        return Err("an abstract element is no message".into());
    }
    let (types, plan) = alone(types, &types.elements[id.index()]);
    let mut header = ValueSink::new(types.shape(plan.header).clone());
    let mut body = ValueSink::new(types.shape(plan.body).clone());
    let read = envelope.decode(&types, &plan, &DecodeOptions::default(), &mut header, &mut body);
    read.map_err(|e| e.to_string())
}

/// Whether a schema has identity constraints.
fn identity(schemas: &[PathBuf]) -> bool {
    let has = |text: String| text.contains(":selector") || text.contains("<selector");
    schemas
        .iter()
        .any(|path| std::fs::read(path).is_ok_and(|bytes| has(String::from_utf8_lossy(&bytes).into_owned())))
}

/// The root element and what follows; `None` with a DTD.
fn without_prolog(text: &str) -> Option<&str> {
    let text = text.trim_start_matches('\u{FEFF}').trim_start();
    let text = match text.strip_prefix("<?xml") {
        Some(rest) => rest.split_once("?>").map_or("", |(_, rest)| rest),
        None => text,
    };
    (!text.contains("<!DOCTYPE")).then_some(text)
}
