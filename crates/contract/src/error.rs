//! The crate's one [`Error`]: what is wrong ([`Kind`]), where, and whose fault it is ([`Guilty`]).

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::near::near;

/// Why there is no contract, or not what was asked of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: Kind,
    place: Place,
}

/// A place in a document of a contract.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The document's location; empty when the error is about no document.
    pub location: Box<str>,
    /// The line, from 1; 0 when the error is about the document as a whole.
    pub line: u32,
    /// The column, from 1; 0 with the line.
    pub column: u32,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A document that is needed cannot be loaded; the text is the resolver's.
    Load(Box<str>),
    /// A document is not well-formed XML; the text is the reader's.
    Xml(Box<str>),
    /// The document is neither WSDL 1.1 nor an XML Schema; the text says what it is.
    NotContract(Box<str>),
    /// A catalog file is not one.
    Catalog(Box<str>),
    /// One of [`Limits`](crate::Limits) is exceeded.
    Limit {
        /// The field's name, such as `documents_max`.
        name: &'static str,
        /// Its value.
        max: u64,
    },
    /// The contract has no service, port or operation of the name asked for.
    Unknown {
        /// `service`, `port` or `operation`.
        what: &'static str,
        /// The name asked for.
        name: Box<str>,
        /// The names there are.
        known: Vec<Box<str>>,
    },
    /// The contract cannot be stored, or what is stored is no contract of this version.
    Stored(Box<str>),
    /// The tables that were compiled are not sound: a bug of this crate.
    Table(Box<str>),
}

/// Who has to change something for the error to go away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guilty {
    /// Whoever wrote the contract.
    Contract,
    /// Whatever loads documents: network, files, catalogs.
    Resolver,
    /// The program that asks.
    Caller,
    /// This crate.
    Us,
}

impl Error {
    /// What is wrong.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Where.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Whose fault it is.
    pub fn guilty(&self) -> Guilty {
        match self.kind {
            Kind::Load(_) | Kind::Stored(_) => Guilty::Resolver,
            Kind::Unknown { .. } | Kind::Catalog(_) => Guilty::Caller,
            Kind::Table(_) => Guilty::Us,
            _ => Guilty::Contract,
        }
    }

    pub(crate) fn new(kind: Kind, place: Place) -> Self {
        Error { kind, place }
    }

    pub(crate) fn limit(name: &'static str, max: u64, place: Place) -> Self {
        Error::new(Kind::Limit { name, max }, place)
    }
}

impl Place {
    /// A document as a whole.
    pub(crate) fn document(location: &str) -> Self {
        Place {
            location: location.into(),
            line: 0,
            column: 0,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let location = masked(&self.location);
        match self.line {
            0 => write!(f, "{location}"),
            line => write!(f, "{location}:{line}:{}", self.column),
        }
    }
}

/// A location without the user and password that a URL may have.
///
/// ```
/// assert_eq!(castile_contract::masked("http://jo:pw@h/a.wsdl?x=@"), "http://***:***@h/a.wsdl?x=@");
/// assert_eq!(castile_contract::masked("folder@home/a.wsdl"), "folder@home/a.wsdl");
/// ```
pub fn masked(location: &str) -> Cow<'_, str> {
    let Some((scheme, rest)) = location.split_once("://") else {
        return Cow::Borrowed(location);
    };
    let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    match authority.rfind('@') {
        Some(at) => Cow::Owned(format!("{scheme}://***:***{}", &rest[at..])),
        None => Cow::Borrowed(location),
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.place.location.is_empty() {
            write!(f, "{}: ", self.place)?;
        }
        write!(f, "{}", self.kind)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Load(why) => write!(f, "cannot be loaded: {why}"),
            Kind::Xml(why) => write!(f, "not well-formed XML: {why}"),
            Kind::NotContract(what) => write!(f, "neither WSDL 1.1 nor an XML Schema: {what}"),
            Kind::Catalog(what) => write!(f, "no catalog: {what}"),
            Kind::Limit { name, max } => write!(
                f,
                "limit {name} = {max} is exceeded; raise it if you trust this contract"
            ),
            Kind::Unknown { what, name, known } if known.is_empty() => {
                write!(f, "the contract has no {what} {name}, in fact none at all")
            }
            Kind::Unknown { what, name, known } => {
                write!(f, "the contract has no {what} {name}; ")?;
                if let Some(near) = near(name, known.iter().map(|known| &**known)) {
                    write!(f, "did you mean {near}? ")?;
                }
                write!(f, "it has {}", known.join(", "))
            }
            Kind::Stored(what) => write!(f, "stored contract: {what}"),
            Kind::Table(what) => write!(f, "{what}; this is a bug in Castile"),
        }
    }
}

impl std::error::Error for Error {}
