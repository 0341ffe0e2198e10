//! The faults that WS-Addressing defines (1.0 SOAP Binding, 6.4; submission, 4).

use castile_codec::{Code, Detail, Fault, HeaderBlock, Name, Refusal};
use castile_value::Value;

use super::version::AddressingVersion;

/// A header that cannot be processed: `why` is the subcode of 1.0, `header` the local name.
pub(super) fn invalid(version: AddressingVersion, why: &str, header: &str, text: &str) -> Refusal {
    let subcodes: &[&str] = match version {
        AddressingVersion::V10 => &["InvalidAddressingHeader", why],
        AddressingVersion::Submission => &["InvalidMessageInformationHeader"],
    };
    let text = format!("the addressing header {header} cannot be processed: {text}");
    fault(version, subcodes, text, problem_header(version, header)).into()
}

/// A header that must be there is not.
pub(super) fn required(version: AddressingVersion, header: &str) -> Refusal {
    let subcode = match version {
        AddressingVersion::V10 => "MessageAddressingHeaderRequired",
        AddressingVersion::Submission => "MessageInformationHeaderRequired",
    };
    let text = format!("the addressing header {header} is required and is not there");
    fault(version, &[subcode], text, problem_header(version, header)).into()
}

/// No operation has this action; `None` when the message names none.
pub(crate) fn action_not_supported(blocks: &[HeaderBlock]) -> Option<Fault> {
    let action = super::read::action(blocks)?;
    let version = blocks
        .iter()
        .find_map(|b| AddressingVersion::from_namespace(&b.name.namespace))?;
    Some(unsupported(version, &action))
}

/// No operation has this action.
pub(super) fn unsupported(version: AddressingVersion, action: &str) -> Fault {
    let detail = (version == AddressingVersion::V10).then(|| {
        let inner = element(version, "Action", action);
        wrapped(version, "ProblemAction", &inner)
    });
    let text = format!("the action {action} cannot be processed at the receiver");
    fault(version, &["ActionNotSupported"], text, detail)
}

/// A fault with its subcodes, outermost first. SOAP 1.1 has room for one, which is the first.
fn fault(version: AddressingVersion, subcodes: &[&str], text: String, detail: Option<String>) -> Fault {
    let mut fault = Fault::new(Code::Sender, text);
    let name = |local: &str| Name {
        namespace: version.namespace().into(),
        local: local.into(),
    };
    fault.subcodes = subcodes.iter().map(|local| name(local)).collect();
    if let Some(xml) = detail {
        let local = xml.split([' ', ':']).nth(1).unwrap_or_default();
        let name = name(local);
        fault.detail.push(Detail {
            name,
            value: Value::Xml(xml),
        });
    }
    fault
}

fn problem_header(version: AddressingVersion, header: &str) -> Option<String> {
    (version == AddressingVersion::V10)
        .then(|| element(version, "ProblemHeaderQName", &format!("a:{header}")))
}

fn element(version: AddressingVersion, local: &str, text: &str) -> String {
    let mut out = Vec::new();
    castile_xml::escape_text(text, &mut out);
    wrapped(version, local, &String::from_utf8_lossy(&out))
}

fn wrapped(version: AddressingVersion, local: &str, inner: &str) -> String {
    format!(
        "<a:{local} xmlns:a=\"{}\">{inner}</a:{local}>",
        version.namespace()
    )
}
