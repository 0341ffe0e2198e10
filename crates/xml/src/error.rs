//! The crate's one [`Error`]: what is wrong ([`Kind`]), where, and whose fault it is ([`Guilty`]).

use std::fmt;

/// What is wrong with a document, or with how it was asked for, and the byte at which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: Kind,
    offset: usize,
}

/// What is wrong. Clauses are sections of XML 1.0 (fifth edition), of Namespaces in XML 1.0 where
/// they start with `NS`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// The text breaks a rule of XML 1.0.
    NotWellFormed {
        /// The rule, in words.
        what: &'static str,
        /// The clause that has the rule, such as `3.1`.
        clause: &'static str,
    },
    /// A character that XML 1.0 cannot carry, not even as a reference (2.2).
    Character(char),
    /// An end tag whose name is not that of the element that is open (3, Element Type Match).
    EndTag {
        /// The name of the open element, as written.
        open: Box<str>,
        /// The name in the end tag, as written.
        found: Box<str>,
    },
    /// A reference to an entity other than the five predefined ones; entities that a DTD declares
    /// are never expanded (4.1, Entity Declared).
    Entity(Box<str>),
    /// The document breaks a rule of Namespaces in XML 1.0.
    Namespace {
        /// The rule, in words.
        what: &'static str,
        /// The name or prefix that breaks it.
        name: Box<str>,
        /// The clause that has the rule, such as `NS 5`.
        clause: &'static str,
    },
    /// The text ends before the document does.
    UnexpectedEnd {
        /// What it ends in.
        inside: &'static str,
    },
    /// There is a document type declaration and [`Doctype::Refuse`](crate::Doctype::Refuse) is set.
    Doctype,
    /// A field of [`Limits`](crate::Limits) is exceeded.
    Limit {
        /// The field's name, such as `depth_max`.
        name: &'static str,
        /// Its value.
        max: u64,
    },
    /// The bytes are not what their encoding allows, or the encoding is unknown or contradicted.
    Encoding(Box<str>),
    /// A call that the reader's state does not allow, such as capturing where no element starts.
    Misuse(&'static str),
}

/// Who has to change something for the error to go away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guilty {
    /// Whoever wrote the document.
    Peer,
    /// The program that calls this crate.
    Caller,
}

impl Error {
    /// What is wrong.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// The byte at which it is wrong, counted from the start of the text (for
    /// [`to_utf8`](crate::to_utf8): of the bytes before transcoding).
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Whose fault it is.
    pub fn guilty(&self) -> Guilty {
        match self.kind {
            Kind::Misuse(_) => Guilty::Caller,
            _ => Guilty::Peer,
        }
    }

    /// The message with line and column in place of the offset; `input` is the text that was read.
    pub fn with_position(&self, input: &str) -> String {
        let (line, column) = line_column(input, self.offset);
        format!("{} at line {line}, column {column}", self.kind)
    }

    #[cold]
    pub(crate) fn new(kind: Kind, offset: usize) -> Self {
        Error { kind, offset }
    }

    #[cold]
    pub(crate) fn not_well_formed(offset: usize, what: &'static str, clause: &'static str) -> Self {
        Error::new(Kind::NotWellFormed { what, clause }, offset)
    }

    #[cold]
    pub(crate) fn namespace(offset: usize, what: &'static str, name: &str, clause: &'static str) -> Self {
        let name = shortened(name);
        Error::new(Kind::Namespace { what, name, clause }, offset)
    }

    #[cold]
    pub(crate) fn end(offset: usize, inside: &'static str) -> Self {
        Error::new(Kind::UnexpectedEnd { inside }, offset)
    }

    #[cold]
    pub(crate) fn limit(offset: usize, name: &'static str, max: u64) -> Self {
        Error::new(Kind::Limit { name, max }, offset)
    }

    #[cold]
    pub(crate) fn encoding(offset: usize, what: impl Into<Box<str>>) -> Self {
        Error::new(Kind::Encoding(what.into()), offset)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.kind, self.offset)
    }
}

impl std::error::Error for Error {}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::NotWellFormed { what, clause } => write!(f, "{what} (XML 1.0, {clause})"),
            Kind::Character(c) => {
                write!(
                    f,
                    "character U+{:04X} is not allowed in XML 1.0 (2.2)",
                    u32::from(*c)
                )
            }
            Kind::EndTag { open, found } => {
                write!(f, "end tag </{found}> where <{open}> is open (XML 1.0, 3)")
            }
            Kind::Entity(name) => write!(
                f,
                "entity &{name}; is not one of the five predefined ones, and no other is expanded (XML 1.0, 4.1)"
            ),
            Kind::Namespace { what, name, clause } => write!(f, "{what}: {name} ({clause})"),
            Kind::UnexpectedEnd { inside } => write!(f, "the text ends inside {inside}"),
            Kind::Doctype => write!(f, "document type declarations are refused"),
            Kind::Limit { name, max } => write!(f, "limit {name} = {max} is exceeded"),
            Kind::Encoding(what) => write!(f, "{what}"),
            Kind::Misuse(what) => write!(f, "{what}"),
        }
    }
}

/// Line and column of a byte offset, both from 1; columns count characters, lines end at LF, CR or
/// CRLF. An offset inside a character or past the end counts as the nearest one before.
pub(crate) fn line_column(input: &str, offset: usize) -> (u32, u32) {
    let before = input.get(..input.floor_char_boundary(offset)).unwrap_or(input);
    let bytes = before.as_bytes();
    let mut line = 1u32;
    let mut line_start = 0;
    for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
        let half_of_crlf = bytes.get(at) == Some(&b'\r') && input.as_bytes().get(at + 1) == Some(&b'\n');
        if !half_of_crlf {
            line = line.saturating_add(1);
            line_start = at + 1;
        }
    }
    let column = before.get(line_start..).map_or(0, |rest| rest.chars().count());
    (
        line,
        u32::try_from(column).map_or(u32::MAX, |n| n.saturating_add(1)),
    )
}

/// At most 64 characters of a peer's name: messages go into logs.
pub(crate) fn shortened(name: &str) -> Box<str> {
    match name.char_indices().nth(64) {
        Some((at, _)) => format!("{}…", name.get(..at).unwrap_or_default()).into(),
        None => name.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_lf_cr_and_crlf() {
        let text = "a\nb\r\ncé\rd";
        assert_eq!(line_column(text, 0), (1, 1));
        assert_eq!(line_column(text, 2), (2, 1));
        assert_eq!(line_column(text, 4), (2, 3));
        assert_eq!(line_column(text, 5), (3, 1));
        assert_eq!(line_column(text, 7), (3, 2));
        assert_eq!(line_column(text, 8), (3, 3));
        assert_eq!(line_column(text, 9), (4, 1));
        assert_eq!(line_column(text, 99), (4, 2));
    }

    #[test]
    fn long_names_are_shortened() {
        assert_eq!(shortened(&"é".repeat(65)).chars().count(), 65);
        assert_eq!(&*shortened("short"), "short");
    }
}
