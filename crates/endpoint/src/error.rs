//! The one error of this crate, and the one place where errors become faults.

use std::fmt;

use castile_codec::{Code, Fault, Version};

/// Who has to change something for the error to go away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guilty {
    /// The other end.
    Peer,
    /// The calling program.
    Caller,
    /// Whoever wrote the WSDL, or we, who cannot do what it asks for yet.
    Contract,
    /// The way between.
    Network,
    /// This software.
    Us,
}

/// What kind of trouble it is: what a program would branch on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// The WSDL or a schema cannot be loaded or used.
    Contract,
    /// The contract has no such service, port or operation.
    NoSuchOperation,
    /// A construct that this version cannot do.
    Unsupported,
    /// A value that the contract does not allow.
    Value,
    /// What the peer sent is wrong: not HTTP, not SOAP, not what the contract says.
    Peer,
    /// A limit on what a peer sends was reached.
    Limit,
    /// Bytes could not be moved, or what came back is an error of HTTP and no SOAP: [`Error::status`] has it then.
    Transport,
    /// A time limit passed.
    Timeout,
    /// TLS or authentication failed.
    Security,
    /// The caller interrupted the call.
    Interrupted,
}

/// Anything but a reply or a fault.
pub struct Error(Box<Inner>);

struct Inner {
    kind: Kind,
    guilty: Guilty,
    text: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
    reply: Option<About>,
}

/// The reply that an error is about.
struct About {
    status: u16,
    beginning: Box<[u8]>,
}

/// Bytes of a reply that an error keeps.
const REPLY_BYTES_MAX: usize = 64 * 1024;

impl Error {
    pub(crate) fn new(kind: Kind, guilty: Guilty, text: impl Into<String>) -> Self {
        Error(Box::new(Inner {
            kind,
            guilty,
            text: text.into(),
            source: None,
            reply: None,
        }))
    }

    fn caused(
        kind: Kind,
        guilty: Guilty,
        text: String,
        source: impl std::error::Error + Send + Sync + 'static,
    ) -> Self {
        Error(Box::new(Inner {
            kind,
            guilty,
            text,
            source: Some(Box::new(source)),
            reply: None,
        }))
    }

    /// Adds what was being done, before the text.
    pub(crate) fn during(mut self, what: impl fmt::Display) -> Self {
        self.0.text = format!("{what}: {}", self.0.text);
        self
    }

    /// Says that it is about a reply.
    pub(crate) fn about(mut self, status: u16, body: &[u8]) -> Self {
        let beginning = body[..body.len().min(REPLY_BYTES_MAX)].into();
        self.0.reply = Some(About { status, beginning });
        self
    }

    /// The HTTP status of the reply that it is about, when one came.
    pub fn status(&self) -> Option<u16> {
        self.0.reply.as_ref().map(|reply| reply.status)
    }

    /// How that reply begins, as it came but decompressed: all of it up to 64 KiB. Empty for one that was read
    /// as a stream.
    pub fn reply(&self) -> &[u8] {
        self.0.reply.as_ref().map_or(&[], |reply| &reply.beginning)
    }

    /// What kind of trouble it is.
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// Who has to change something.
    pub fn guilty(&self) -> Guilty {
        self.0.guilty
    }

    /// The codec's error, with path and position, when it is one.
    pub fn codec(&self) -> Option<&castile_codec::Error> {
        self.0.source.as_ref()?.downcast_ref()
    }

    /// The fault that tells a peer of this error. What is not the peer's fault is told without
    /// details; the server logs them.
    pub fn to_fault(&self) -> Fault {
        match (self.0.kind, self.0.guilty) {
            (Kind::NoSuchOperation | Kind::Unsupported, _) | (_, Guilty::Peer) => self.to_fault_in_full(),
            _ => Fault::new(Code::Receiver, FAILED),
        }
    }

    /// The fault that tells of this error whoever is guilty: for those who make a service, not for strangers.
    pub fn to_fault_in_full(&self) -> Fault {
        let code = match (self.0.kind, self.0.guilty) {
            (Kind::NoSuchOperation, _) | (_, Guilty::Peer) => {
                match self.codec().map(castile_codec::Error::kind) {
                    Some(castile_codec::Kind::Version) => Code::VersionMismatch,
                    Some(castile_codec::Kind::Encoding) => Code::DataEncodingUnknown,
                    _ => Code::Sender,
                }
            }
            _ => Code::Receiver,
        };
        Fault::new(code, self.0.text.clone())
    }

    /// The same for a caller of an operation, `rpc` or not, who speaks `version`: SOAP 1.2 has subcodes
    /// for what is wrong with encoded data and with the arguments of a procedure (part 2, 3.2 and 4.4).
    pub(crate) fn to_fault_of(&self, version: Version, rpc: bool) -> Fault {
        let mut fault = self.to_fault();
        if version != Version::Soap12 || fault.code != Code::Sender {
            return fault;
        }
        let subcode = match self.codec().map(castile_codec::Error::kind) {
            Some(castile_codec::Kind::MissingId) => soap12::subcode(soap12::ENCODING, "MissingID"),
            Some(castile_codec::Kind::DuplicateId) => soap12::subcode(soap12::ENCODING, "DuplicateID"),
            Some(
                castile_codec::Kind::Unexpected
                | castile_codec::Kind::Missing
                | castile_codec::Kind::Lexical
                | castile_codec::Kind::Value,
            ) if rpc => soap12::subcode(soap12::RPC, "BadArguments"),
            _ => return fault,
        };
        fault.subcodes.push(subcode);
        fault
    }
}

/// What a stranger is told of a failure.
pub(crate) const FAILED: &str = "the service failed to answer";

/// The subcodes of SOAP 1.2 part 2.
pub(crate) mod soap12 {
    use castile_codec::Name;

    /// Of faults in encoded data (3.2).
    pub(crate) const ENCODING: &str = "http://www.w3.org/2003/05/soap-encoding";
    /// Of faults in calls of procedures (4.4).
    pub(crate) const RPC: &str = "http://www.w3.org/2003/05/soap-rpc";

    pub(crate) fn subcode(namespace: &str, local: &str) -> Name {
        Name {
            namespace: namespace.to_owned(),
            local: local.to_owned(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} ({:?}): {}", self.0.kind, self.0.guilty, self.0.text)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0
            .source
            .as_ref()
            .map(|s| &**s as &(dyn std::error::Error + 'static))
    }
}

impl From<castile_codec::Error> for Error {
    fn from(error: castile_codec::Error) -> Self {
        use castile_codec::Kind as Codec;
        let guilty = match error.guilty() {
            castile_codec::Guilty::Peer => Guilty::Peer,
            castile_codec::Guilty::Caller => Guilty::Caller,
            castile_codec::Guilty::Contract => Guilty::Contract,
        };
        let kind = match (error.kind(), guilty) {
            (Codec::Unsupported, _) => Kind::Unsupported,
            (Codec::Limit, _) => Kind::Limit,
            (_, Guilty::Peer) => Kind::Peer,
            _ => Kind::Value,
        };
        Error::caused(kind, guilty, error.to_string(), error)
    }
}

impl From<castile_contract::Error> for Error {
    fn from(error: castile_contract::Error) -> Self {
        let guilty = match error.guilty() {
            // What cannot be loaded is mostly a location misspelt by whoever asked for it.
            castile_contract::Guilty::Resolver | castile_contract::Guilty::Caller => Guilty::Caller,
            castile_contract::Guilty::Us => Guilty::Us,
            castile_contract::Guilty::Contract => Guilty::Contract,
        };
        Error::caused(Kind::Contract, guilty, error.to_string(), error)
    }
}

impl From<castile_http::Error> for Error {
    fn from(error: castile_http::Error) -> Self {
        use castile_http::{Guilty as Whose, Kind as Http};
        let kind = match error.kind() {
            Http::Timeout => Kind::Timeout,
            Http::Tls | Http::Authentication => Kind::Security,
            Http::TooLarge => Kind::Limit,
            Http::Interrupted => Kind::Interrupted,
            Http::Options | Http::Url | Http::Request => Kind::Value,
            Http::Truncated | Http::Malformed | Http::Coding | Http::Redirect => Kind::Peer,
            _ => Kind::Transport,
        };
        let guilty = match error.guilty() {
            Whose::Peer => Guilty::Peer,
            Whose::Caller => Guilty::Caller,
            Whose::Network => Guilty::Network,
            Whose::Us => Guilty::Us,
        };
        Error::caused(kind, guilty, error.to_string(), error)
    }
}
