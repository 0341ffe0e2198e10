//! The Python and NumPy front of Castile.
//!
//! The only crate that names PyO3 or NumPy. It gives the encoder Python objects to read from
//! ([`source`]), builds Python objects from what the decoder finds ([`sink`]), maps errors, and
//! wraps the client and the server of the endpoint. What needs no speed is Python beside it, in
//! `python/castile`.
//!
//! ```text
//!   arguments ──source──▶ encode │ lock released: bytes move │ decode ──sink──▶ values
//! ```
mod error;
mod sink;
mod slots;
mod source;
mod temporal;

use pyo3::prelude::*;

#[pymodule]
mod _castile {
    #[pymodule_export]
    use super::temporal::{Moment, Span};
}
