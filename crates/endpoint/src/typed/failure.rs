//! What a typed call fails with: [`Failure`].

use std::fmt;

use castile_codec::{Code, Fault};
use castile_value::typed::Empty;

use crate::error::Error;

/// Why there is no reply, or why a service gives none. `D` is what the operation's declared faults
/// have as detail.
#[derive(Debug)]
pub enum Failure<D = Empty> {
    /// The service answered with a fault.
    Fault(Box<TypedFault<D>>),
    /// Everything else.
    Error(Error),
}

/// A fault and its detail.
#[derive(Clone, Debug)]
pub struct TypedFault<D = Empty> {
    /// The detail, when it is one that the operation declares.
    pub detail: Option<D>,
    /// The fault; its `detail` holds all entries as dynamic values.
    pub fault: Fault,
}

impl<D> Failure<D> {
    /// A fault without detail, for a service to fail with.
    pub fn new(code: Code, reason: impl Into<String>) -> Self {
        Fault::new(code, reason).into()
    }

    /// A fault that the operation declares, for a service to fail with.
    pub fn declared(code: Code, reason: impl Into<String>, detail: D) -> Self {
        Failure::Fault(Box::new(TypedFault {
            detail: Some(detail),
            fault: Fault::new(code, reason),
        }))
    }

    /// The declared detail, when the failure is a fault that has one.
    pub fn detail(&self) -> Option<&D> {
        match self {
            Failure::Fault(fault) => fault.detail.as_ref(),
            Failure::Error(_) => None,
        }
    }
}

impl<D> From<Error> for Failure<D> {
    fn from(error: Error) -> Self {
        Failure::Error(error)
    }
}

impl<D> From<Fault> for Failure<D> {
    fn from(fault: Fault) -> Self {
        Failure::Fault(Box::new(TypedFault { detail: None, fault }))
    }
}

impl<D> fmt::Display for Failure<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Fault(fault) => fault.fault.fmt(f),
            Failure::Error(error) => error.fmt(f),
        }
    }
}

impl<D: fmt::Debug> std::error::Error for Failure<D> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Failure::Fault(fault) => Some(&fault.fault),
            Failure::Error(error) => Some(error),
        }
    }
}
