//! Loading contracts: any documents give a contract or an error, never more than the limits allow; what
//! loads can be stored and taken back, and its operations carry messages.

use castile_codec::{DecodeOptions, EncodeOptions, Envelope, Version, encode};
use castile_contract::{Bundle, Contract, Limits, MemoryResolver, Options, Warning, WarningKind};
use castile_plan::{Plan, Types};
use castile_testkit::{Effort, Rng, Sampler};
use castile_value::ValueSink;

/// Documents parted by a zero byte: a WSDL, and what it may import.
pub(crate) fn contract(bytes: &[u8]) {
    let names = ["a.wsdl", "b.xsd", "c.wsdl"];
    let documents = names.iter().zip(bytes.split(|b| *b == 0));
    let files = documents.fold(MemoryResolver::new(), |files, (name, bytes)| {
        files.with(*name, bytes)
    });
    let limits = Limits {
        documents_max: 10,
        bytes_max: 1 << 20,
        table_max: 2000,
        particles_max: 500,
        ..Limits::default()
    };
    let options = Options {
        limits,
        offline: true,
        ..Options::default()
    };
    let Ok(contract) = Contract::load(names[0], &files, &options) else {
        return;
    };
    stored(&contract, &files);
    // Where the first of two particles takes what the second wrote, and it was said, nothing is promised.
    let ambiguous = |warning: &Warning| warning.kind == WarningKind::Ambiguous;
    if contract.warnings.iter().any(ambiguous) {
        return;
    }
    for operation in contract.bindings.iter().flat_map(|binding| &binding.operations) {
        for plan in operation.input.iter().chain(&operation.output) {
            messages(&contract.types, plan);
        }
    }
}

fn stored(contract: &Contract, files: &MemoryResolver) {
    let Ok(bundle) = Bundle::new(contract, files) else {
        return;
    };
    let mut bytes = Vec::new();
    if bundle.write(&mut bytes).is_ok() {
        let back = Bundle::read(&bytes).and_then(|bundle| bundle.contract());
        let back = back.expect("what was just stored");
        assert_eq!(back.bindings.len(), contract.bindings.len());
    }
}

/// What the smallest message says, if there is one, is read back.
fn messages(types: &Types, plan: &Plan) {
    let mut sampler = Sampler::new(types, Rng::new(1)).effort(Effort::Least);
    let (header, body) = (sampler.record(plan.header), sampler.record(plan.body));
    let mut out = Vec::new();
    let options = EncodeOptions::default();
    if encode(types, plan, Version::Soap11, &header, &body, &options, &mut out).is_err() {
        return;
    }
    let text = std::str::from_utf8(&out).expect("a message is UTF-8");
    let envelope = Envelope::open(text, &castile_codec::Limits::default()).expect("an envelope");
    let mut sinks = [plan.header, plan.body].map(|id| ValueSink::new(types.shape(id).clone()));
    let [header, body] = &mut sinks;
    let options = DecodeOptions {
        strict: false,
        ..DecodeOptions::default()
    };
    let read = envelope.decode(types, plan, &options, header, body);
    read.unwrap_or_else(|e| panic!("{e}\n{text}"));
}
