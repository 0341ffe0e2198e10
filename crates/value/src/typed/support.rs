//! What the macros' code calls.

use super::{Input, Mismatch, Place, Single};
use crate::{Item, Scalar};

/// The value of the alternative that was chosen: none is nil there, else nothing would be chosen.
#[doc(hidden)]
pub fn chosen<P: Place>(place: &P) -> Item<'_> {
    match place.item() {
        Item::Absent => Item::Nil,
        item => item,
    }
}

/// A value made of text.
#[doc(hidden)]
pub fn take_text<T>(input: Input<'_, '_>, make: impl FnOnce(&str) -> T) -> Result<T, Mismatch> {
    match input {
        Input::Scalar(Scalar::Text(text)) => Ok(make(&text)),
        other => Err(other.refuse("text")),
    }
}

/// The scalar that came for a union.
#[doc(hidden)]
pub fn scalar_of<'i>(input: Input<'i, '_>) -> Result<Scalar<'i>, Mismatch> {
    match input {
        Input::Scalar(scalar) => Ok(scalar),
        other => Err(other.refuse("a simple value")),
    }
}

/// The scalar as one of a member type, if it is one.
#[doc(hidden)]
pub fn member<T: Single>(scalar: &Scalar<'_>) -> Option<T> {
    T::exact(Input::Scalar(scalar.clone()))
}
