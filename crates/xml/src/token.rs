//! What a [`Reader`](crate::Reader) gives: [`Token`], [`Name`], [`Attribute`].

use std::borrow::Cow;

use crate::namespaces::NsId;
#[cfg(doc)]
use crate::reader::Reader;

/// A name with its prefix resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Name<'a> {
    /// The prefix as written, empty if there is none.
    pub prefix: &'a str,
    /// What stands after the colon, or the whole name.
    pub local: &'a str,
    /// The namespace; [`Reader::uri`] gives its name.
    pub ns: NsId,
}

/// A piece of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token<'a> {
    /// A start tag, or an empty-element tag. [`Reader::attributes`] and [`Reader::declarations`]
    /// have the rest of it until the next `Start`.
    Start {
        /// The element's name.
        name: Name<'a>,
        /// True for `<a/>`; an `End` follows all the same.
        empty: bool,
    },
    /// An end tag, or the end that an empty-element tag implies. What the element declared is out
    /// of scope by now.
    End {
        /// The element's name, resolved as at its start.
        name: Name<'a>,
    },
    /// Character data, never empty: references, CDATA sections and the text around them in one,
    /// line ends as LF. Only comments and instructions part it. Outside the root there is none.
    Text(Cow<'a, str>),
    /// A comment, as written (line ends too).
    Comment(&'a str),
    /// A processing instruction.
    Instruction {
        /// The name after `<?`.
        target: &'a str,
        /// What follows the white space after the target, as written.
        data: &'a str,
    },
    /// The end of the document; every later call gives it again.
    Eof,
}

/// An attribute that is no namespace declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute<'a> {
    /// The name; without a prefix it is in no namespace, whatever the default (NS 6.2).
    pub name: Name<'a>,
    /// The value, normalised as one of type CDATA (XML 1.0, 3.3.3): references replaced, each
    /// literal line end or tab a space.
    pub value: Cow<'a, str>,
}
