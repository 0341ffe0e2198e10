//! A fault, for people or programs, on standard error.

use castile_contract::Operation;
use castile_endpoint::{Code, Detail, Fault};
use castile_plan::Types;
use serde_json::{Value as Json, json};

use crate::values::json as values;

/// Prints a fault.
pub(super) fn print(types: &Types, operation: &Operation, fault: &Fault, json: bool) {
    if json {
        eprintln!("{}", json!({ "fault": to_json(types, operation, fault) }));
        return;
    }
    let style = anstyle::AnsiColor::Yellow.on_default().bold();
    anstream::eprintln!("{style}fault{style:#} {}: {}", code(fault), fault.reason());
    for reason in fault.reasons.iter().skip(1) {
        anstream::eprintln!("  {}: {}", reason.lang, reason.text);
    }
    for name in &fault.subcodes {
        anstream::eprintln!("  subcode: {name}");
    }
    for (what, text) in [("node", &fault.node), ("role", &fault.role)] {
        if let Some(text) = text {
            anstream::eprintln!("  {what}: {text}");
        }
    }
    for (what, entries) in [("", &fault.detail), ("header ", &fault.header_values)] {
        for entry in entries {
            let value = values::pretty(&value(types, operation, entry)).replace('\n', "\n  ");
            anstream::eprintln!("  {what}{}: {value}", entry.name.local);
        }
    }
}

/// A fault as JSON.
pub(crate) fn to_json(types: &Types, operation: &Operation, fault: &Fault) -> Json {
    let reasons: Vec<Json> = fault
        .reasons
        .iter()
        .map(|r| json!({ "lang": r.lang, "text": r.text }))
        .collect();
    let subcodes: Vec<String> = fault.subcodes.iter().map(ToString::to_string).collect();
    let entries = |entries: &[Detail]| -> Vec<Json> {
        let entry = |d: &Detail| json!({ "name": d.name.to_string(), "value": value(types, operation, d) });
        entries.iter().map(entry).collect()
    };
    json!({
        "code": code(fault),
        "subcodes": subcodes,
        "reasons": reasons,
        "node": fault.node,
        "role": fault.role,
        "detail": entries(&fault.detail),
        "headers": entries(&fault.header_values),
    })
}

fn code(fault: &Fault) -> String {
    match &fault.code {
        Code::VersionMismatch => "VersionMismatch".into(),
        Code::MustUnderstand => "MustUnderstand".into(),
        Code::DataEncodingUnknown => "DataEncodingUnknown".into(),
        Code::Sender => "Sender".into(),
        Code::Receiver => "Receiver".into(),
        Code::Other(name) => name.to_string(),
    }
}

/// A detail by its declared type.
fn value(types: &Types, operation: &Operation, detail: &Detail) -> Json {
    let mut fields = types.complex(operation.detail).fields.iter();
    let declared =
        fields.find(|f| *f.wire.local == *detail.name.local && types.uri(f.wire.ns) == detail.name.namespace);
    values::field(types, declared, &detail.value)
}
