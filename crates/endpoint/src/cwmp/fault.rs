//! Faults of CWMP (TR-069 Amendment 6, 3.5 and A.5).

use std::sync::Arc;

use castile_codec::{Code, Detail, Fault, Name};
use castile_value::Value;

use super::NAMESPACE;
use crate::server::{Cause, FaultStyle};

/// What a fault of CWMP says. A handler fails with one, and a caller reads one out of a [`Fault`].
///
/// ```
/// use castile_endpoint::{Fault, cwmp::CwmpFault};
///
/// let fault: Fault = CwmpFault::new(9005, "Invalid parameter name").into();
/// assert_eq!(CwmpFault::of(&fault).map(|f| f.code), Some(9005));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CwmpFault {
    /// 8000 to 8899 from an ACS, 9000 to 9899 from a device.
    pub code: u32,
    /// For a person.
    pub text: String,
    /// What is wrong with each parameter that could not be set.
    pub parameters: Vec<ParameterFault>,
}

/// Why one parameter could not be set (`SetParameterValuesFault`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterFault {
    /// Its full name.
    pub name: String,
    /// As [`CwmpFault::code`].
    pub code: u32,
    /// For a person.
    pub text: String,
}

impl CwmpFault {
    /// A fault about the call as a whole.
    pub fn new(code: u32, text: impl Into<String>) -> CwmpFault {
        CwmpFault {
            code,
            text: text.into(),
            parameters: Vec::new(),
        }
    }

    /// The same with what is wrong with a parameter.
    #[must_use]
    pub fn parameter(mut self, name: impl Into<String>, code: u32, text: impl Into<String>) -> CwmpFault {
        self.parameters.push(ParameterFault {
            name: name.into(),
            code,
            text: text.into(),
        });
        self
    }

    /// What a fault says in the form of CWMP; `None` when it does not.
    pub fn of(fault: &Fault) -> Option<CwmpFault> {
        let detail = fault.detail.iter().find(|d| is_ours(d))?;
        let parameters = detail.value.get("SetParameterValuesFault").cloned();
        let parameters = parameters.unwrap_or_default().into_list();
        let parameter = |value: &Value| {
            Some(ParameterFault {
                name: text(value, "ParameterName")?,
                code: code(value)?,
                text: text(value, "FaultString").unwrap_or_default(),
            })
        };
        Some(CwmpFault {
            code: code(&detail.value)?,
            text: text(&detail.value, "FaultString").unwrap_or_default(),
            parameters: parameters.iter().filter_map(parameter).collect(),
        })
    }

    fn value(&self) -> Value {
        let parameter = |p: &ParameterFault| {
            Value::map([
                ("ParameterName", Value::from(&*p.name)),
                ("FaultCode", Value::from(i64::from(p.code))),
                ("FaultString", Value::from(&*p.text)),
            ])
        };
        Value::map([
            ("FaultCode", Value::from(i64::from(self.code))),
            ("FaultString", Value::from(&*self.text)),
            (
                "SetParameterValuesFault",
                Value::List(self.parameters.iter().map(parameter).collect()),
            ),
        ])
    }
}

impl From<CwmpFault> for Fault {
    fn from(fault: CwmpFault) -> Fault {
        // A.5: whose fault each code is.
        let code = match fault.code {
            8003 | 9003 | 9005..=9008 => Code::Sender,
            _ => Code::Receiver,
        };
        let detail = Detail {
            name: Name {
                namespace: String::new(),
                local: "Fault".into(),
            },
            value: fault.value(),
        };
        Fault {
            detail: vec![detail],
            ..Fault::new(code, "CWMP fault")
        }
    }
}

impl std::fmt::Display for CwmpFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CWMP fault {}: {}", self.code, self.text)
    }
}

impl std::error::Error for CwmpFault {}

/// Gives every fault of a role the form of CWMP; `base` is 8000 for an ACS, 9000 for a device.
pub(super) fn style(namespace: String, base: u32) -> FaultStyle {
    Arc::new(move |fault, cause| {
        let mut fault = match (&fault.code, cause) {
            // Headers that must be understood, and other versions of SOAP, have codes of their own.
            (Code::MustUnderstand | Code::VersionMismatch, _) => return fault,
            _ if fault.detail.iter().any(is_ours) => fault,
            (_, Cause::NoSuchOperation) => own(base, "Method not supported", &fault),
            (_, Cause::Message) => own(base + 3, fault.reason(), &fault),
            (_, Cause::Handler) => own(base + 1, fault.reason(), &fault),
            (_, Cause::Failure) => own(base + 2, "Internal error", &fault),
        };
        for detail in fault.detail.iter_mut().filter(|d| is_ours(d)) {
            detail.name.namespace.clone_from(&namespace);
        }
        fault
    })
}

/// A fault of CWMP in the place of another, whose headers it keeps.
fn own(code: u32, text: &str, fault: &Fault) -> Fault {
    Fault {
        headers: fault.headers.clone(),
        header_values: fault.header_values.clone(),
        ..CwmpFault::new(code, text).into()
    }
}

fn is_ours(detail: &Detail) -> bool {
    let Name { namespace, local } = &detail.name;
    local == "Fault" && (namespace.is_empty() || namespace.starts_with(NAMESPACE))
}

fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name)?.as_str().map(str::to_owned)
}

/// The code is a union of numbers: it comes as one of them, or as text from a peer with codes of its own.
fn code(value: &Value) -> Option<u32> {
    match value.get("FaultCode")? {
        Value::Int(n) => u32::try_from(*n).ok(),
        Value::UInt(n) => u32::try_from(*n).ok(),
        Value::Text(text) => text.trim().parse().ok(),
        _ => None,
    }
}
