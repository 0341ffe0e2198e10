//! What can be wrong with a table.

use std::fmt;

/// A table or stored form that cannot be used. The fault lies with whoever made it: a stored file
/// was damaged, or the compiler of contracts has a bug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(pub(crate) String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unusable message table: {}", self.0)
    }
}

impl std::error::Error for Error {}
