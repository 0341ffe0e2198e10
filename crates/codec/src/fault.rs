//! SOAP faults.

use std::fmt;

use castile_value::Value;

/// A qualified name that need not be in any contract.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Name {
    /// Namespace URI; empty for none.
    pub namespace: String,
    /// Local part.
    pub local: String,
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.namespace {
            "" => f.write_str(&self.local),
            uri => write!(f, "{{{uri}}}{}", self.local),
        }
    }
}

/// Whose fault a fault is, under the names of SOAP 1.2 (part 1, 5.4.6); SOAP 1.1 calls a sender a
/// client and a receiver a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Code {
    /// The envelope is of another version.
    VersionMismatch,
    /// A header that must be understood was not.
    MustUnderstand,
    /// SOAP 1.2 only: an encoding that is not supported.
    DataEncodingUnknown,
    /// The message was wrong.
    Sender,
    /// Processing failed.
    Receiver,
    /// A code of the peer's own, which SOAP 1.1 allows.
    Other(Name),
}

/// One language's reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// Language tag; empty in SOAP 1.1.
    pub lang: String,
    /// What went wrong, for a person.
    pub text: String,
}

/// One entry of a fault's detail.
#[derive(Clone, Debug, PartialEq)]
pub struct Detail {
    /// The entry's element.
    pub name: Name,
    /// Its value: typed when the contract knows the element, else XML.
    pub value: Value,
}

/// A fault: what a peer answers instead of a reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Whose fault it is.
    pub code: Code,
    /// SOAP 1.2: subcodes, outermost first. SOAP 1.1: what stands after the first dot of the code
    /// comes as a subcode in the code's namespace.
    pub subcodes: Vec<Name>,
    /// What went wrong, in one or more languages; never empty.
    pub reasons: Vec<Reason>,
    /// The node that failed (SOAP 1.2 `Node`, SOAP 1.1 `faultactor`).
    pub node: Option<String>,
    /// The role in which it failed (SOAP 1.2 only).
    pub role: Option<String>,
    /// What the application says.
    pub detail: Vec<Detail>,
}

impl Fault {
    /// A fault with a reason in English and nothing else.
    pub fn new(code: Code, reason: impl Into<String>) -> Self {
        let reason = Reason {
            lang: "en".into(),
            text: reason.into(),
        };
        Fault {
            code,
            subcodes: Vec::new(),
            reasons: vec![reason],
            node: None,
            role: None,
            detail: Vec::new(),
        }
    }

    /// The first reason.
    pub fn reason(&self) -> &str {
        self.reasons.first().map_or("", |r| &r.text)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = match &self.code {
            Code::VersionMismatch => "VersionMismatch",
            Code::MustUnderstand => "MustUnderstand",
            Code::DataEncodingUnknown => "DataEncodingUnknown",
            Code::Sender => "Sender",
            Code::Receiver => "Receiver",
            Code::Other(name) => &name.local,
        };
        write!(f, "{code}: {}", self.reason())
    }
}

impl std::error::Error for Fault {}
