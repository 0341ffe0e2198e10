//! The interop suites of SOAP's early years, SOAPBuilders rounds 2 to 4 and the W3C's SOAP 1.2 test
//! collection: each recorded request is answered by a service over the suite's own WSDL, and the answer
//! must say what the recorded response says: the same values, or a fault of the same code.

mod echo;
mod soap12;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use castile_codec::{Code, DecodeOptions, EncodeOptions, Envelope, Limits, Name};
use castile_contract::{Contract, Operation};
use castile_endpoint::{InMessage, Service, ServiceOptions};
use castile_testkit::{difference, plainly};
use castile_value::{Graph, Record, Value};

use crate::corpus::Corpus;
use crate::infoset;
use echo::Echo;

/// Cases that do not come out as recorded: the case and why.
const LEDGER: &str = include_str!("../../suites.tsv");

/// What became of a suite.
#[derive(Default)]
pub(crate) struct SuiteResult {
    name: &'static str,
    cases: usize,
    failed: Vec<(String, String)>,
}

/// What became of all suites, against the ledger.
pub(crate) struct Suites {
    results: Vec<SuiteResult>,
    unexpected: Vec<(String, String)>,
    obsolete: Vec<String>,
}

impl Suites {
    /// Runs the suites.
    pub(crate) fn run(corpus: &Corpus) -> Suites {
        let results = vec![soapbuilders(corpus), collection(corpus)];
        let mut known: BTreeMap<&str, bool> = LEDGER
            .lines()
            .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
            .filter_map(|line| Some((line.split_once('\t')?.0, false)))
            .collect();
        let mut unexpected = Vec::new();
        for (case, why) in results.iter().flat_map(|result| &result.failed) {
            match known.get_mut(case.as_str()) {
                Some(met) => *met = true,
                None => unexpected.push((case.clone(), why.clone())),
            }
        }
        let left = known.into_iter().filter(|(_, met)| !met);
        Suites {
            results,
            unexpected,
            obsolete: left.map(|(case, _)| case.to_owned()).collect(),
        }
    }

    /// Whether the ledger is the truth.
    pub(crate) fn is_clean(&self) -> bool {
        self.unexpected.is_empty() && self.obsolete.is_empty()
    }

    /// Says how many came out as recorded, and which did not.
    pub(crate) fn print(&self, verbose: bool) {
        println!();
        for result in &self.results {
            let well = result.cases - result.failed.len();
            println!("{}: {well} of {} answered as recorded", result.name, result.cases);
            for (case, why) in result.failed.iter().filter(|_| verbose) {
                println!("  {case}: {why}");
            }
        }
        for (case, why) in &self.unexpected {
            println!("FAILED {case}: {}", why.chars().take(400).collect::<String>());
        }
        for case in &self.obsolete {
            println!("OBSOLETE on suites.tsv: {case}");
        }
    }
}

/// SOAPBuilders, as PHP ran them: the WSDL of a case is told by its name.
fn soapbuilders(corpus: &Corpus) -> SuiteResult {
    let folder = corpus.path("soap-interop/soapbuilders-php");
    let cases = std::fs::read_to_string(folder.join("cases.tsv")).unwrap_or_default();
    let mut services = Services::new(corpus, Suite::Soapbuilders);
    let mut result = SuiteResult {
        name: "SOAPBuilders rounds 2 to 4",
        ..SuiteResult::default()
    };
    for line in cases.lines().skip(1) {
        let Some(case) = line.split('\t').next() else {
            continue;
        };
        let Some(wsdl) = wsdl_of(case) else { continue };
        let message = |part: &str| std::fs::read_to_string(folder.join(format!("{case}.{part}.xml")));
        let (Ok(request), Ok(response)) = (message("request"), message("response")) else {
            continue;
        };
        result.cases += 1;
        if let Err(why) = services.case(&folder.join(wsdl), &request, &response) {
            result.failed.push((case.to_owned(), why));
        }
    }
    result
}

/// `Round3/GroupD/r3_groupD_doclit_001w` is of `Round3/GroupD/round3_groupD_doclit.wsdl`.
fn wsdl_of(case: &str) -> Option<String> {
    let (folder, name) = case.rsplit_once('/')?;
    let (group, _number) = name.rsplit_once('_')?;
    let round = group.strip_prefix('r')?;
    Some(format!("{folder}/round{round}.wsdl"))
}

/// The W3C's collection for SOAP 1.2, the messages as PHP has them.
fn collection(corpus: &Corpus) -> SuiteResult {
    let folder = corpus.path("soap-interop/soap12-testcollection");
    let mut services = Services::new(corpus, Suite::Soap12);
    let mut result = SuiteResult {
        name: "W3C SOAP 1.2 test collection",
        ..SuiteResult::default()
    };
    let mut requests: Vec<PathBuf> = std::fs::read_dir(folder.join("php"))
        .map(|entries| entries.filter_map(|e| Some(e.ok()?.path())).collect())
        .unwrap_or_default();
    requests.retain(|path| path.to_string_lossy().ends_with(".request.xml"));
    requests.sort();
    for path in requests {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let case = name.trim_end_matches(".request.xml").to_owned();
        let Ok(request) = std::fs::read_to_string(&path) else {
            continue;
        };
        let Some(response) = soap12::response(&folder, &case) else {
            continue;
        };
        result.cases += 1;
        if let Err(why) = services.case(&folder.join("soap12-test.wsdl"), &request, &response) {
            result.failed.push((case, why));
        }
    }
    result
}

/// Whose service answers.
#[derive(Clone, Copy)]
enum Suite {
    Soapbuilders,
    Soap12,
}

/// The services of the WSDLs, made once each.
struct Services<'c> {
    suite: Suite,
    corpus: &'c Corpus,
    known: BTreeMap<PathBuf, Result<Arc<Service>, String>>,
}

impl<'c> Services<'c> {
    fn new(corpus: &'c Corpus, suite: Suite) -> Self {
        Services {
            suite,
            corpus,
            known: BTreeMap::new(),
        }
    }

    fn service(&mut self, wsdl: &Path) -> Result<Arc<Service>, String> {
        let (corpus, suite) = (self.corpus, self.suite);
        let made = self.known.entry(wsdl.to_owned()).or_insert_with(|| {
            let service = match suite {
                Suite::Soapbuilders => {
                    let contract = corpus.load_at(wsdl).map_err(|e| e.to_string())?;
                    // Tests of headers send what their own declaration does not allow.
                    let options = ServiceOptions {
                        strict: false,
                        ..ServiceOptions::default()
                    };
                    Service::new(Arc::new(contract), options, Echo)
                }
                Suite::Soap12 => {
                    let contract = corpus.load_by(wsdl, &soap12::WithoutUnknown);
                    let options = ServiceOptions {
                        roles: soap12::roles(),
                        understood: soap12::understood(),
                        ..ServiceOptions::default()
                    };
                    Service::new(
                        Arc::new(contract.map_err(|e| e.to_string())?),
                        options,
                        soap12::NodeC,
                    )
                }
            };
            service.map(Arc::new).map_err(|e| e.to_string())
        });
        made.clone()
    }

    /// Answers a request and compares the answer.
    fn case(&mut self, wsdl: &Path, request: &str, response: &str) -> Result<(), String> {
        let service = self.service(wsdl)?;
        let expected = Envelope::open(response, &Limits::default()).map_err(|e| format!("response: {e}"))?;
        let version = expected.version();
        let answer = service.answer(InMessage {
            version,
            ..InMessage::new(request)
        });
        let text = String::from_utf8(answer.body.to_bytes().to_vec()).map_err(|e| e.to_string())?;
        if let Some(operation) = operation(service.contract(), request)
            && expected.is_fault()
            && operation.name.contains("Fault")
        {
            return fault(&service, operation, response);
        }
        if let Suite::Soap12 = self.suite
            && !(expected.is_fault() && expected.headers().is_empty())
            && let Some(difference) = infoset::headers_difference(response, &text)?
        {
            return Err(format!("{difference}: {text}"));
        }
        if expected.is_fault() {
            let expected = codes(&service, response)?;
            return match codes(&service, &text) {
                Ok(answered) if meets(&answered, &expected) => Ok(()),
                Ok(answered) => Err(format!("a fault {answered:?} and not {expected:?}: {text}")),
                Err(_) => Err(format!("no fault {expected:?}: {text}")),
            };
        }
        if answer.fault.is_some() {
            return Err(format!("a fault: {text}"));
        }
        let operation = operation(service.contract(), request);
        let Some(operation) = operation else {
            // Nothing is called: the body says nothing either way.
            return match expected.first() {
                None => Ok(()),
                Some(first) => Err(format!("nobody answers {first}")),
            };
        };
        let expected = read(service.contract(), operation, response).map_err(|e| format!("response: {e}"))?;
        let answered = read(service.contract(), operation, &text).map_err(|e| format!("answer: {e}"))?;
        same(&expected, &answered).map_err(|e| format!("{e}: {text}"))
    }
}

/// An operation whose answer is a fault that the caller chooses: its recorded fault is read, by the types
/// that the operation declares, written, and read again.
fn fault(service: &Service, operation: &Operation, response: &str) -> Result<(), String> {
    let types = service.types();
    let options = DecodeOptions::default();
    let decode = |text: &str| {
        let envelope = Envelope::open(text, &Limits::default()).map_err(|e| e.to_string())?;
        let version = envelope.version();
        let fault = envelope.decode_fault(types, Some(operation.detail), &options);
        fault.map(|fault| (fault, version)).map_err(|e| e.to_string())
    };
    let (fault, version) = decode(response)?;
    let typed = fault
        .detail
        .iter()
        .all(|entry| !matches!(entry.value, Value::Xml(_)));
    if !typed {
        return Err(format!("a detail is not of its declared type: {response}"));
    }
    let mut out = Vec::new();
    castile_codec::encode_fault(
        types,
        Some(operation.detail),
        version,
        &fault,
        &EncodeOptions::default(),
        &mut out,
    )
    .map_err(|e| e.to_string())?;
    let (again, _) = decode(&String::from_utf8_lossy(&out))?;
    let details = fault.detail.iter().zip(&again.detail);
    let difference = details.filter_map(|(a, b)| difference(&a.value, &b.value)).next();
    match difference {
        Some(difference) => Err(difference),
        None if again.code == fault.code && again.detail.len() == fault.detail.len() => Ok(()),
        None => Err(format!("{again:?} is not {fault:?}")),
    }
}

/// The code and the subcodes of a fault.
fn codes(service: &Service, text: &str) -> Result<(Code, Vec<Name>), String> {
    let envelope = Envelope::open(text, &Limits::default()).map_err(|e| e.to_string())?;
    let fault = envelope.decode_fault(
        service.types(),
        None,
        &DecodeOptions {
            strict: false,
            ..DecodeOptions::default()
        },
    );
    fault
        .map(|fault| (fault.code, fault.subcodes))
        .map_err(|e| e.to_string())
}

/// Whether a fault says at least as much as another. A prefix that is declared nowhere has no namespace.
fn meets(answered: &(Code, Vec<Name>), expected: &(Code, Vec<Name>)) -> bool {
    let same = |a: &Name, b: &Name| a.local == b.local && (b.namespace.is_empty() || a == b);
    let both = expected.1.iter().enumerate();
    let subcodes = both.map(|(n, b)| answered.1.get(n).is_some_and(|a| same(a, b)));
    answered.0 == expected.0 && subcodes.into_iter().all(|same| same)
}

/// The operation of a request, by the first element of its body.
fn operation<'c>(contract: &'c Contract, request: &str) -> Option<&'c Operation> {
    let first = Envelope::open(request, &Limits::default()).ok()?.first()?;
    let operations = contract.bindings.iter().flat_map(|binding| &binding.operations);
    let types = &contract.types;
    operations.into_iter().find(|operation| {
        let plan = operation.input.as_ref();
        let field = plan.and_then(|plan| types.complex(plan.body).fields.first());
        field.is_some_and(|f| *f.wire.local == *first.local && types.uri(f.wire.ns) == first.namespace)
    })
}

fn read(contract: &Contract, operation: &Operation, text: &str) -> Result<Graph<Record>, String> {
    let types = &contract.types;
    let Some(plan) = &operation.output else {
        return Err("there is no response".into());
    };
    plainly::read_graph(types, plan, text).map_err(|e| e.to_string())
}

fn same(expected: &Graph<Record>, answered: &Graph<Record>) -> Result<(), String> {
    let value = |graph: &Graph<Record>| Value::Record(graph.root.clone());
    if let Some(difference) = difference(&value(expected), &value(answered)) {
        return Err(difference);
    }
    let objects = expected.objects.iter().zip(&answered.objects);
    if expected.objects.len() != answered.objects.len() {
        return Err("another number of shared objects".into());
    }
    objects
        .map(|(a, b)| difference(a, b))
        .find_map(|difference| difference)
        .map_or(Ok(()), Err)
}
