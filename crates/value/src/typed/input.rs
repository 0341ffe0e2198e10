//! What a decoder puts into a field: [`Input`], and why it cannot: [`Mismatch`].

use std::fmt;
use std::sync::Arc;

use super::Open;
use crate::{ColumnBuf, Packed, Rows, Scalar, Shape};

/// Something that a decoder found for a field.
pub enum Input<'i, 'v> {
    /// A value of a simple type.
    Scalar(Scalar<'i>),
    /// An element that says it is nil.
    Nil,
    /// An element kept as namespace-complete XML.
    Xml(String),
    /// An attribute of a wildcard: its `{namespace}local` name and its text.
    Attribute(String, &'i str),
    /// A record that is complete, as [`Place::open`](super::Place::open) began it.
    Record(Box<dyn Open>),
    /// A record of single values: its shape, and each value with its field.
    Flat(&'i Arc<Shape>, &'i mut Vec<(u32, Scalar<'v>)>),
    /// Several numbers.
    Column(ColumnBuf),
    /// Several flat records of numbers.
    Rows(Rows),
    /// Several records of numbers and texts.
    Packed(&'i Packed<'i>),
    /// Several texts.
    Texts(&'i [&'i str]),
}

impl Input<'_, '_> {
    /// What it is, in words for messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Input::Scalar(scalar) => scalar.kind(),
            Input::Nil => "nil",
            Input::Xml(_) => "XML",
            Input::Attribute(..) => "an attribute",
            Input::Record(_) | Input::Flat(..) => "a record",
            Input::Column(_) => "an array of numbers",
            Input::Rows(_) | Input::Packed(_) => "an array of records",
            Input::Texts(_) => "a list of texts",
        }
    }

    /// The error that this is not what belongs there.
    #[cold]
    pub(super) fn refuse(&self, wanted: &str) -> Mismatch {
        Mismatch::new(format!("{} where {wanted} belongs", self.kind()))
    }
}

/// What came is not what the generated type has room for: it was read laxly, or by another contract
/// than the type was generated from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch(String);

impl Mismatch {
    /// A mismatch, in words.
    #[cold]
    pub fn new(text: impl Into<String>) -> Self {
        Mismatch(text.into())
    }

    /// The same at a field.
    #[cold]
    pub(super) fn at(self, path: &str) -> Self {
        Mismatch(format!("{path}: {}", self.0))
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Mismatch {}
