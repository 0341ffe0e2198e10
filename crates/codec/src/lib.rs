//! The plain encoder and decoder of SOAP messages: always right, and the measure of every faster path.
//!
//! ```text
//!   Source ──encode──▶ bytes          encode::request / encode::fault
//!   bytes ──Envelope::open──▶ Envelope ──decode──▶ Sink | Fault
//! ```
//!
//! Both walk the tables of [`castile_plan`]; neither knows a WSDL, a socket or a clock. An array of
//! numbers is one call to the source and one to the sink, and a loop of tag, conversion, tag between.
//!
//! Decoding has two steps, because who dispatches needs the first body element before a plan can
//! be chosen: [`Envelope::open`] reads up to it, [`Envelope::decode`] goes on from there.
//!
//! Errors say where (a path such as `/Envelope/Body/add/n[3]`, and line and column of what a peer
//! sent), what, and [whose fault](Error::guilty) it is.
#![forbid(unsafe_code)]

mod decode;
mod encode;
mod error;
mod fault;
mod scalar;

pub use castile_message::Version;
pub use castile_xml::Limits;
pub use decode::{DecodeOptions, Envelope, HeaderBlock};
pub use encode::{EncodeOptions, encode, encode_fault, encode_marked};
pub use error::{Error, Guilty, Kind};
pub use fault::{Code, Detail, Fault, Name, Reason};
