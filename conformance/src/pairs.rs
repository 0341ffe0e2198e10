//! Requests and replies that lie beside a WSDL: how many are what it says. For information only:
//! many were written to show what another toolkit tolerates.

use std::path::Path;

use castile_codec::{DecodeOptions, Envelope, Limits};
use castile_contract::{Contract, Operation};
use castile_plan::{ComplexId, Plan};
use castile_value::ValueSink;

use crate::corpus::Corpus;

/// What became of the pairs.
#[derive(Default)]
pub(crate) struct Pairs {
    pub(crate) messages: usize,
    /// Read as they are.
    pub(crate) strict: usize,
    /// Read when not everything has to be as the contract says.
    pub(crate) lax: usize,
    /// What could not be read at all, and why.
    pub(crate) refused: Vec<String>,
}

/// Reads the pairs of node-soap's tests.
pub(crate) fn run(corpus: &Corpus) -> Pairs {
    let mut pairs = Pairs::default();
    let folder = corpus.path("messages/node-soap-pairs");
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut cases: Vec<_> = entries
        .map(|e| e.path())
        .filter(|p| p.join("soap.wsdl").is_file())
        .collect();
    cases.sort();
    for case in cases {
        let contract = corpus.load_at(&case.join("soap.wsdl"));
        for (file, reply) in [("request.xml", false), ("response.xml", true)] {
            let path = case.join(file);
            if !path.is_file() {
                continue;
            }
            pairs.messages += 1;
            let label = format!(
                "{}/{file}",
                case.file_name().unwrap_or_default().to_string_lossy()
            );
            let outcome = match &contract {
                Ok(contract) => read(contract, &path, reply),
                Err(e) => Err(e.to_string()),
            };
            match outcome {
                Ok(true) => pairs.strict += 1,
                Ok(false) => pairs.lax += 1,
                Err(why) => pairs.refused.push(format!("{label}: {why}")),
            }
        }
    }
    pairs
}

/// Reads a message; whether strictly.
fn read(contract: &Contract, path: &Path, reply: bool) -> Result<bool, String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let decode = |strict| message(contract, &text, reply, strict);
    decode(true)
        .map(|()| true)
        .or_else(|why| decode(false).map(|()| false).map_err(|_| why))
}

fn message(contract: &Contract, text: &str, reply: bool, strict: bool) -> Result<(), String> {
    let envelope = Envelope::open(text, &Limits::default()).map_err(|e| e.to_string())?;
    let options = DecodeOptions { strict };
    if envelope.is_fault() {
        let fault = envelope.decode_fault(&contract.types, None, &options);
        return fault.map(|_| ()).map_err(|e| e.to_string());
    }
    let operations = contract
        .bindings
        .iter()
        .filter(|b| b.protocol.is_soap())
        .flat_map(|b| &b.operations);
    let plan = |o: &'_ Operation| if reply { o.output.clone() } else { o.input.clone() };
    let plans: Vec<Plan> = operations.filter_map(plan).collect();
    let first = envelope.first();
    let fits = |plan: &&Plan| match (contract.types.complex(plan.body).fields.first(), &first) {
        (Some(field), Some(name)) => *field.wire.local == *name.local,
        (None, None) => true,
        _ => false,
    };
    let plan = plans.iter().find(fits).ok_or("no operation has such a body")?;
    let sink = |id: ComplexId| ValueSink::new(contract.types.shape(id).clone());
    let (mut header, mut body) = (sink(plan.header), sink(plan.body));
    envelope
        .decode(&contract.types, plan, &options, &mut header, &mut body)
        .map_err(|e| e.to_string())
}
