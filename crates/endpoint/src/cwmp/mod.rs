//! CWMP (TR-069), the protocol by which auto-configuration servers (ACS) manage devices (CPE): both
//! roles, over [sessions](crate::session) in which the server calls inside its HTTP replies.
//!
//! The protocol has no WSDL. Its schema (`cwmp-1-0.xsd` and later ones of the Broadband Forum) is the
//! contract: elements `X` and `XResponse` are the operation `X`.
//!
//! [`Acs`] is the server: devices open sessions with `Inform`, it answers, and a function of yours
//! calls them. [`Cpe`] is the device: it informs, calls what it likes, and answers by your handlers.
//!
//! What is of this protocol alone, and not of sessions: the header `ID` and its echo, `HoldRequests`,
//! the form of faults ([`CwmpFault`]), and who answers which methods.

mod acs;
mod connection_request;
mod cpe;
mod fault;
mod headers;

pub use acs::{Acs, AcsOptions, AcsSession};
pub use connection_request::ConnectionRequests;
pub use cpe::{Cpe, CpeOptions, CpeSession};
pub use fault::{CwmpFault, ParameterFault};

use castile_contract::Contract;
use castile_value::Value;

use crate::error::{Error, Guilty, Kind};

/// What the namespaces of all versions begin with.
const NAMESPACE: &str = "urn:dslforum-org:cwmp-1-";

/// What a device begins a session with.
const INFORM: &str = "Inform";

/// What either side tells of its methods.
const METHODS_OF: &str = "GetRPCMethods";

/// The result of [`METHODS_OF`].
fn method_list(names: &[&str]) -> Value {
    let names = names.iter().map(|name| Value::from(*name));
    Value::map([("MethodList", Value::List(names.collect()))])
}

/// The namespace of the version of the protocol that a contract is of.
fn namespace(contract: &Contract) -> Result<String, Error> {
    let found = contract.namespaces.iter().find(|uri| uri.starts_with(NAMESPACE));
    found.cloned().ok_or_else(|| {
        let text = format!(
            "{} is no contract of CWMP: no schema of it has a namespace {NAMESPACE}...",
            contract.name
        );
        Error::new(Kind::Contract, Guilty::Caller, text)
    })
}
