//! What can go wrong between values and bytes.

use std::fmt;
use std::sync::Arc;

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
    /// The message has a stream or a large array, and is to be written with
    /// [`Draft::encode_drained`](crate::Draft::encode_drained).
    Overlay,
    /// A stream could not give its next batch; [`source`](std::error::Error::source) has the reason.
    Batch,
    /// Nobody takes the rest of the message.
    Stopped,
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
    cause: Option<Cause>,
    /// The text ends before the message does.
    cut: bool,
}

/// Segments of a path that are shown.
const SEGMENTS_MAX: usize = 512;

/// What a stream failed with.
#[derive(Clone, Debug)]
struct Cause(Arc<dyn std::error::Error + Send + Sync>);

impl PartialEq for Cause {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
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
            cause: None,
            cut: false,
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
    pub(crate) fn overlay() -> Self {
        Error::caller(
            Kind::Overlay,
            "a stream, or an array too large to be held as a whole, goes portion by portion only",
        )
    }

    #[cold]
    pub(crate) fn stopped() -> Self {
        Error::caller(Kind::Stopped, "nobody takes the rest of the message")
    }

    #[cold]
    pub(crate) fn batch(cause: castile_value::BatchError) -> Self {
        let mut error = Error::caller(Kind::Batch, format!("the next batch could not be had: {cause}"));
        error.0.cause = Some(Cause(cause.into()));
        error
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
        out.0.cut = matches!(error.kind(), castile_xml::Kind::UnexpectedEnd { .. });
        out
    }

    /// Whether more bytes could have made it none.
    pub(crate) fn is_cut(&self) -> bool {
        self.0.cut
    }

    /// Changes byte, line and column.
    #[cold]
    pub(crate) fn map_place(mut self, map: impl FnOnce((usize, u32, u32)) -> (usize, u32, u32)) -> Self {
        self.0.place = self.0.place.map(map);
        self
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

    /// Says that the items that were numbered come after so many others.
    #[cold]
    pub(crate) fn later(mut self, by: usize) -> Self {
        if let Some(last) = self.0.path.last_mut()
            && let Some(number) = last.strip_prefix('[').and_then(|n| n.strip_suffix(']'))
            && let Ok(number) = number.parse::<usize>()
        {
            *last = format!("[{}]", number.saturating_add(by));
        }
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

    /// Where in the message's structure, such as `/Envelope/Body/add/n[3]`; empty when unknown. Of a very long one, `...`
    /// stands for the middle.
    pub fn path(&self) -> String {
        let segments = &self.0.path;
        let middle = match segments.len() {
            0..=SEGMENTS_MAX => 0..0,
            many => SEGMENTS_MAX / 2..many - SEGMENTS_MAX / 2,
        };
        let mut path = String::new();
        for (i, segment) in segments.iter().enumerate().rev() {
            let shown = match middle.contains(&i) {
                true if i == middle.start => "...",
                true => continue,
                false => segment,
            };
            if !shown.starts_with('[') {
                path.push('/');
            }
            path.push_str(shown);
        }
        path
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

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0
            .cause
            .as_ref()
            .map(|cause| &*cause.0 as &(dyn std::error::Error + 'static))
    }
}
