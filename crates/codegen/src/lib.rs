//! Rust and Python source from a [`Contract`](castile_contract::Contract).
//!
//! ```text
//!   Contract ─▶ reach: operations and the types they use ─▶ rust    structs, enums, client, trait
//!                                                        └▶ python  classes, clients, services
//! ```
//!
//! Generated Rust types are a `Source` for an encoder and are filled by a decoder, over the same plan
//! that dynamic values use: the contract, compiled, travels in a file beside the source
//! ([`Bundle`](castile_contract::Bundle)), and no schema is read when a program starts.
//!
//! Non-goals: no files are written here and none is read; the `castile generate` command and
//! `castile-build` do that. Nothing is said twice: names on the wire, order and types of text are the
//! plan's, and stand in the source only as documentation.
#![forbid(unsafe_code)]

mod doc;
mod ident;
mod python;
mod reach;
mod rust;

pub use python::python;
pub use rust::{Told, messages, rust};
