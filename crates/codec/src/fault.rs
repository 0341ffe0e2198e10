//! SOAP faults.

use std::fmt;

use castile_message::Version;
use castile_value::Value;

/// A qualified name that need not be in any contract.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Name {
    /// Namespace URI; empty for none.
    pub namespace: String,
    /// Local part.
    pub local: String,
}

impl Name {
    /// The name that is written `{namespace}local`, or `local`.
    pub fn from_clark(text: &str) -> Self {
        let parts = text.strip_prefix('{').and_then(|rest| rest.rsplit_once('}'));
        let (namespace, local) = parts.unwrap_or(("", text));
        Name {
            namespace: namespace.to_owned(),
            local: local.to_owned(),
        }
    }
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
    /// Header blocks of the message, each one namespace-complete XML element: what was wrong with a
    /// header stands there and not in the detail (SOAP 1.1, 4.4; WSDL 1.1, 3.7).
    pub headers: Vec<String>,
    /// The values of header blocks whose elements the contract knows (`headerfault`; WSDL 1.1, 3.7). Of a fault
    /// that came they are among the [headers](Fault::headers), too; of one that goes out they need not be.
    pub header_values: Vec<Detail>,
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
            headers: Vec::new(),
            header_values: Vec::new(),
        }
    }

    /// The same with the code that a text names: that of SOAP 1.2 or 1.1, or `{namespace}local`. The dotted
    /// form of SOAP 1.1 (4.4.1) becomes a subcode too, as when it is read.
    ///
    /// ```
    /// use castile_codec::{Code, Fault};
    ///
    /// let fault = Fault::new(Code::Receiver, "bad key").with_code("Client.Authentication");
    /// assert_eq!(fault.code, Code::Sender);
    /// assert_eq!(fault.subcodes[0].local, "Client.Authentication");
    /// ```
    #[must_use]
    pub fn with_code(mut self, text: &str) -> Self {
        let (head, dotted) = match text.split_once('.') {
            Some((head @ ("Client" | "Server"), _)) if castile_xml::is_ncname(text) => (head, true),
            _ => (text, false),
        };
        self.code = match head {
            "VersionMismatch" => Code::VersionMismatch,
            "MustUnderstand" => Code::MustUnderstand,
            "DataEncodingUnknown" => Code::DataEncodingUnknown,
            "Sender" | "Client" => Code::Sender,
            "Receiver" | "Server" => Code::Receiver,
            other => Code::Other(Name::from_clark(other)),
        };
        if dotted {
            let name = Name {
                namespace: Version::Soap11.namespace().to_owned(),
                local: text.to_owned(),
            };
            self.subcodes.insert(0, name);
        }
        self
    }

    /// The fault for header blocks that must be understood and are not (SOAP 1.1, 4.4.1; SOAP 1.2 part
    /// 1, 5.4.8: each is named in a `NotUnderstood` block).
    pub fn not_understood(version: Version, names: &[Name]) -> Self {
        let shown: Vec<String> = names.iter().map(Name::to_string).collect();
        let text = match &shown[..] {
            [one] => format!("header {one} must be understood and is not"),
            _ => format!("headers {} must be understood and are not", shown.join(", ")),
        };
        let mut fault = Fault::new(Code::MustUnderstand, text);
        if version == Version::Soap12 {
            fault.headers = names.iter().map(not_understood_block).collect();
        }
        fault
    }

    /// The first reason.
    pub fn reason(&self) -> &str {
        self.reasons.first().map_or("", |r| &r.text)
    }
}

/// The header block that tells which envelopes are taken, for an answer to one of another version (SOAP
/// 1.2 part 1, 5.4.7), the best first.
pub fn upgrade_block() -> String {
    let [new, old] = [Version::Soap12, Version::Soap11].map(Version::namespace);
    format!(
        "<U:Upgrade xmlns:U=\"{new}\"><U:SupportedEnvelope qname=\"U:Envelope\"/>\
         <U:SupportedEnvelope xmlns:O=\"{old}\" qname=\"O:Envelope\"/></U:Upgrade>"
    )
}

fn not_understood_block(name: &Name) -> String {
    let mut block = format!("<S:NotUnderstood xmlns:S=\"{}\"", Version::Soap12.namespace()).into_bytes();
    let prefix = if name.namespace.is_empty() {
        ""
    } else {
        block.extend(b" xmlns:n=\"");
        castile_xml::escape_attribute(&name.namespace, &mut block);
        block.push(b'"');
        "n:"
    };
    block.extend(format!(" qname=\"{prefix}{}\"/>", name.local).into_bytes());
    String::from_utf8_lossy(&block).into_owned()
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
