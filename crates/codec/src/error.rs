//! What can go wrong between values and bytes.

use std::fmt;

/// Who has to change something for the error to go away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guilty {
    /// Whoever wrote the message.
    Peer,
    /// Whoever passed the values.
    Caller,
    /// Whoever wrote the WSDL, or we, who cannot do what it asks for yet.
    Contract,
}

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// The message is not well-formed XML, or has a DTD.
    Malformed,
    /// A limit on a peer's message was reached.
    Limit,
    /// Well-formed, but no SOAP envelope.
    NotSoap,
    /// An envelope of an unknown version of SOAP.
    Version,
    /// An element or attribute that the contract does not have there.
    Unexpected,
    /// An element or attribute that must be there is not.
    Missing,
    /// Text that its type does not allow.
    Lexical,
    /// SOAP encoding: a reference to an id that no element has.
    MissingId,
    /// SOAP encoding: an id that two elements have.
    DuplicateId,
    /// An `encodingStyle` that is not known.
    Encoding,
    /// A value that its type cannot hold, or of another kind than the type.
    Value,
    /// A name that the type does not have.
    UnknownName,
    /// A construct that this version cannot do.
    Unsupported,
}

/// An error of encoding or decoding.
#[derive(Clone, PartialEq)]
pub struct Error(Box<Inner>);

#[derive(Clone, Debug, PartialEq)]
struct Inner {
    kind: Kind,
    guilty: Guilty,
    message: String,
    /// Innermost first.
    path: Vec<String>,
    /// Byte, line and column in the peer's message.
    place: Option<(usize, u32, u32)>,
}

impl Error {
    #[cold]
    pub(crate) fn new(kind: Kind, guilty: Guilty, message: impl Into<String>) -> Self {
        Error(Box::new(Inner {
            kind,
            guilty,
            message: message.into(),
            path: Vec::new(),
            place: None,
        }))
    }

    #[cold]
    pub(crate) fn caller(kind: Kind, message: impl Into<String>) -> Self {
        Error::new(kind, Guilty::Caller, message)
    }

    #[cold]
    pub(crate) fn unsupported(what: &str) -> Self {
        Error::new(Kind::Unsupported, Guilty::Contract, what)
    }

    #[cold]
    pub(crate) fn xml(error: castile_xml::Error, input: &str) -> Self {
        let (line, column) = castile_xml::Reader::line_column(input, error.offset());
        let kind = match error.kind() {
            castile_xml::Kind::Limit { .. } => Kind::Limit,
            _ => Kind::Malformed,
        };
        let mut out = Error::new(kind, Guilty::Peer, error.kind().to_string());
        out.0.place = Some((error.offset(), line, column));
        out
    }

    /// Adds where in the peer's message it is, unless that is known already.
    #[cold]
    pub(crate) fn at(mut self, input: &str, offset: usize) -> Self {
        if self.0.place.is_none() {
            let (line, column) = castile_xml::Reader::line_column(input, offset);
            self.0.place = Some((offset, line, column));
        }
        self
    }

    /// Says that it is somebody else's fault.
    #[cold]
    pub(crate) fn blame(mut self, guilty: Guilty) -> Self {
        self.0.guilty = guilty;
        self
    }

    #[cold]
    pub(crate) fn within(mut self, segment: impl Into<String>) -> Self {
        self.0.path.push(segment.into());
        self
    }

    /// What went wrong.
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// Who has to change something.
    pub fn guilty(&self) -> Guilty {
        self.0.guilty
    }

    /// What went wrong, in words, without the place.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Where in the message's structure, such as `/Envelope/Body/add/n[3]`; empty when unknown.
    pub fn path(&self) -> String {
        self.0
            .path
            .iter()
            .rev()
            .fold(String::new(), |path, segment| match segment.strip_prefix('[') {
                Some(_) => path + segment,
                None => path + "/" + segment,
            })
    }

    /// Byte offset in the peer's message.
    pub fn offset(&self) -> Option<usize> {
        self.0.place.map(|p| p.0)
    }

    /// Line and column in the peer's message, from 1.
    pub fn line_column(&self) -> Option<(u32, u32)> {
        self.0.place.map(|p| (p.1, p.2))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        if !self.0.path.is_empty() {
            write!(f, ", at {}", self.path())?;
        }
        if let Some((_, line, column)) = self.0.place {
            write!(f, " (line {line}, column {column})")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.0.kind)
    }
}

impl std::error::Error for Error {}
