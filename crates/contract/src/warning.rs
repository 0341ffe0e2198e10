//! [`Warning`]: what a contract gets wrong that peers tolerate.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::contract::Contract;
use crate::error::Place;

/// What a contract gets wrong, or leaves open, without being useless for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// What kind of thing it is.
    pub kind: WarningKind,
    /// Where.
    pub place: Place,
    /// The rule it breaks, or the construct, and what was done about it: a sentence.
    pub text: Box<str>,
}

/// A kind of warnings. Less is graver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum WarningKind {
    /// A document cannot be loaded, and what needs it cannot be used.
    Missing,
    /// Something is left out or cannot be used: what it refers to is not there.
    LeftOut,
    /// An operation is not called what the contract calls it.
    Renamed,
    /// A reference leads nowhere; what it can only mean is taken for it.
    Meant,
    /// A name is declared twice; the first declaration counts.
    Twice,
    /// An element can be taken by two particles of a type; the first takes it (XSD part 1, 3.8.6).
    Ambiguous,
    /// Values are not checked by a rule that is none.
    Unchecked,
    /// A body in rpc style has no namespace (WS-I BP R2717).
    Unqualified,
    /// Another rule is broken, and what is meant is plain.
    Tolerated,
    /// The WS-I Basic Profile does not allow it: of [`Contract::profile`] only.
    Profile,
}

impl Contract {
    /// The warnings of each kind, the gravest first.
    pub fn warnings_by_kind(&self) -> impl Iterator<Item = &[Warning]> {
        self.warnings.chunk_by(|a, b| a.kind == b.kind)
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.text)
    }
}
