//! `--python FOLDER`: a Python module for every WSDL, with samples of the replies and faults of each
//! operation beside it. `conformance/python_types.py` imports them, and compares what a client decodes
//! with the annotations.

use std::path::Path;

use castile_codec::Version;
use castile_contract::files::FileResolver;
use castile_contract::{Bundle, Contract, Protocol};

use crate::corpus::Corpus;
use crate::message::Messages;

/// Writes modules of all WSDLs, or of every `every`th. Gives their number.
///
/// # Errors
/// A file that cannot be written.
pub(crate) fn write(
    corpus: &Corpus,
    folder: &Path,
    every: usize,
    only: Option<&str>,
) -> std::io::Result<usize> {
    std::fs::create_dir_all(folder)?;
    let mut modules = 0;
    for (n, row) in corpus.rows().iter().enumerate().filter(|(n, _)| n % every == 0) {
        if only.is_some_and(|part| !row.file.contains(part)) {
            continue;
        }
        let Ok(contract) = corpus.load(row) else { continue };
        let module = format!("m{n:04}");
        let mut bytes = Vec::new();
        let bundle = Bundle::new(&contract, &FileResolver::new()).and_then(|b| b.write(&mut bytes));
        bundle.map_err(|e| std::io::Error::other(format!("{}: {e}", row.file)))?;
        let beside = format!("{module}.contract");
        let text = castile_codegen::python(&contract, &beside);
        std::fs::write(folder.join(&beside), bytes)?;
        std::fs::write(
            folder.join(format!("{module}.samples")),
            samples(&row.file, &contract),
        )?;
        std::fs::write(folder.join(format!("{module}.py")), text)?;
        modules += 1;
    }
    Ok(modules)
}

/// Lines of WSDL, operation, kind and length, each followed by so many bytes: for the port that a client
/// calls when it is told nothing.
fn samples(file: &str, contract: &Contract) -> Vec<u8> {
    let mut out = Vec::new();
    let ports = contract.ports(None, None).unwrap_or_default();
    let Some(port) = ports.iter().find(|p| p.binding.protocol.is_soap()) else {
        return out;
    };
    let version = match port.binding.protocol {
        Protocol::Soap12 => Version::Soap12,
        _ => Version::Soap11,
    };
    let messages = Messages::new(contract);
    let callable = |o: &&castile_contract::Operation| o.unsupported.is_none() && o.input.is_some();
    for operation in port.binding.operations.iter().filter(callable) {
        let mut tell = |kind: &str, bytes: Vec<u8>| {
            let head = format!("{file}\t{}\t{kind}\t{}\n", operation.name, bytes.len());
            out.extend_from_slice(head.as_bytes());
            out.extend(bytes);
        };
        for (kind, plan) in [("request", &operation.input), ("reply", &operation.output)] {
            for bytes in plan.iter().flat_map(|plan| messages.bytes(plan, version)) {
                tell(kind, bytes);
            }
        }
        for sent in messages.operation(operation, version).sent {
            if sent.label.starts_with("fault ") {
                tell("fault", sent.bytes);
            }
        }
    }
    out
}
