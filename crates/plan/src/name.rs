//! Namespaces and qualified names of a table.

use serde::{Deserialize, Serialize};

/// Index of a namespace in [`crate::Types::namespaces`]; 0 is "no namespace".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NsIx(pub u32);

impl NsIx {
    /// No namespace.
    pub const NONE: NsIx = NsIx(0);
}

/// A namespace and the prefix under which every message of the contract writes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Namespace {
    /// The URI; empty only for index 0.
    pub uri: Box<str>,
    /// The prefix, unique in the table; empty only for index 0.
    pub prefix: Box<str>,
}

/// A qualified name of a table.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct QName {
    /// Its namespace.
    pub ns: NsIx,
    /// Its local part.
    pub local: Box<str>,
}

impl QName {
    /// A name in a namespace.
    pub fn new(ns: NsIx, local: impl Into<Box<str>>) -> Self {
        QName {
            ns,
            local: local.into(),
        }
    }
}
