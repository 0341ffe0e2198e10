//! Simple types: how text becomes a value, and what the schema says of it.

use serde::{Deserialize, Serialize};

use crate::{Builtin, QName, SimpleId};

/// A simple type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Simple {
    /// Its name; `None` for an anonymous type.
    pub name: Option<QName>,
    /// The type it restricts; `None` for the built-in root, lists and unions.
    pub base: Option<SimpleId>,
    /// What its text is.
    pub variety: Variety,
    /// The facets of this step and, where a step says nothing, of the steps before it; enumerations and
    /// patterns of earlier steps are kept by following `base`.
    pub facets: Facets,
    /// The schema's documentation, white space collapsed.
    pub doc: Option<Box<str>>,
}

/// What the text of a simple type is (XSD 1.0 part 2, 2.5.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Variety {
    /// One value of a built-in type.
    Atomic(Builtin),
    /// Items with white space between them.
    List(SimpleId),
    /// The first member type that the text fits.
    Union(Vec<SimpleId>),
}

/// What happens to white space before the text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)] // XSD's own words
pub enum WhiteSpace {
    Preserve,
    Replace,
    Collapse,
}

/// The constraining facets (XSD 1.0 part 2, 4.3), bounds as they stand in the schema.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // XSD's own words
pub struct Facets {
    pub length: Option<u64>,
    pub min_length: Option<u64>,
    pub max_length: Option<u64>,
    /// Patterns of one step are alternatives.
    pub patterns: Vec<Box<str>>,
    pub enumeration: Vec<Box<str>>,
    pub white_space: Option<WhiteSpace>,
    pub min_inclusive: Option<Box<str>>,
    pub min_exclusive: Option<Box<str>>,
    pub max_inclusive: Option<Box<str>>,
    pub max_exclusive: Option<Box<str>>,
    pub total_digits: Option<u32>,
    pub fraction_digits: Option<u32>,
}

impl Facets {
    /// Whether nothing is constrained.
    pub fn is_empty(&self) -> bool {
        *self == Facets::default()
    }
}
