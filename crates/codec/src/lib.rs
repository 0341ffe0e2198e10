//! The plain encoder and decoder of SOAP messages: always right, and the measure of every faster path.
//!
//! ```text
//!   Source ──encode──▶ bytes          encode / encode_fault
//!   bytes ──Envelope::open──▶ Envelope ──decode──▶ Sink | Fault
//! ```
//!
//! Both walk the tables of [`castile_plan`]; neither knows a WSDL, a socket or a clock. An array of
//! numbers is one call to the source and one to the sink, and a loop of tag, conversion, tag between.
//!
//! Decoding has two steps, because who dispatches needs the first body element before a plan can
//! be chosen: [`Envelope::open`] reads up to it, [`Envelope::decode`] goes on from there.
//!
//! Non-goals: no differences to earlier messages are looked for, and nothing is signed,
//! compressed or sent.
//!
//! ```
//! use castile_codec::{DecodeOptions, EncodeOptions, Envelope, Limits, Version, encode};
//! use castile_testkit::Table; // makes a table from a line; a contract has made it from a WSDL
//! use castile_value::{Value, ValueSink};
//!
//! let table = Table::parse("add = n:double*");
//! let (types, plan) = (&table.types, table.plan("add"));
//! let body = vec![("add".to_owned(), Value::map([("n", vec![1.5, 2.0].into())]))];
//! let mut message = Vec::new();
//! encode(types, &plan, Version::Soap12, &Vec::new(), &body, &EncodeOptions::default(), &mut message)?;
//!
//! let text = std::str::from_utf8(&message).unwrap();
//! assert!(text.contains("<ns1:add><ns1:n>1.5</ns1:n><ns1:n>2</ns1:n></ns1:add>"));
//! let envelope = Envelope::open(text, &Limits::default())?;
//! assert_eq!(envelope.first().unwrap().to_string(), "{urn:t}add");
//! let mut header = ValueSink::new(types.shape(plan.header).clone());
//! let mut body = ValueSink::new(types.shape(plan.body).clone());
//! envelope.decode(types, &plan, &DecodeOptions::default(), &mut header, &mut body)?;
//! assert_eq!(body.finish().get("add").unwrap().get("n").unwrap().as_f64s(), Some(&[1.5, 2.0][..]));
//! # Ok::<(), castile_codec::Error>(())
//! ```
//!
//! Errors say where (a path such as `/Envelope/Body/add/n[3]`, and line and column of what a peer
//! sent), what, and [whose fault](Error::guilty) it is.
#![forbid(unsafe_code)]

mod decode;
mod encode;
mod error;
mod fault;
mod layer;
mod scalar;

pub use castile_message::Version;
pub use castile_xml::{Limits, Room};
pub use decode::{
    Ahead, BodyStream, DecodeOptions, Earlier, Edition, Envelope, HeaderBlock, Intake, KeepOf, Learn, Lesson,
    Names, Owner, Prologue, Reading, Sample, Shadow, Spine, Step, Techniques, Track, Variable,
};
pub use encode::{
    Apart, Batch, Draft, Drain, EncodeOptions, Flat, Keep, Known, List, ListWriter, Long, RowWriter, Stopped,
    Untold, encode, encode_fault, glance,
};
pub use error::{Error, Guilty, Kind};
pub use fault::{Code, Detail, Fault, Name, Reason, upgrade_block};
pub use layer::{Found, Layer, Memory, NoRandomness, Received, Refusal, Route, Sending, World};
