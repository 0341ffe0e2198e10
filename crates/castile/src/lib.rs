//! A SOAP toolkit: compile the contract once, then move only bytes and values.
//!
//! ```text
//!   WSDL ─▶ Client ─ call("op", args) ─▶ Reply | Fault
//!   WSDL ─▶ Service ─ Handlers ─▶ Server
//! ```
//!
//! A client in five lines:
//!
//! ```no_run
//! use castile::{Client, ClientOptions, Value};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::new("weather.wsdl", ClientOptions::default())?;
//! let args = Value::map([("city", "Toledo".into()), ("days", 3.into())]);
//! let reply = client.call("forecast", &args)??;
//! println!("{:?} in {:?}", reply.value, reply.record.network.total());
//! # Ok(())
//! # }
//! ```
//!
//! A server in ten:
//!
//! ```no_run
//! use std::sync::Arc;
//! use castile::{Handlers, LoadOptions, Location, Server, ServerOptions, Service, ServiceOptions, Value};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let load = LoadOptions::default();
//! let contract = castile::load(&Location::from("weather.wsdl"), &load)?;
//! let handlers = Handlers::new().on("forecast", |args| {
//!     let days = match args.get("days") { Some(Value::Int(n)) => *n as usize, _ => 1 };
//!     Ok(vec![21.5; days].into())
//! });
//! let service = Service::new(contract, ServiceOptions::default(), handlers)?;
//! let options = ServerOptions::default();
//! let server = Server::bind(Arc::new(service), "127.0.0.1:8080", options, &castile::resolver(&load))?;
//! server.start()?.join();
//! # Ok(())
//! # }
//! ```
//!
//! The crates below this one can be used alone: [`xml`], [`lexical`], [`codec`], [`http`].
#![forbid(unsafe_code)]

pub use castile_codec as codec;
pub use castile_contract as contract;
pub use castile_http as http;
pub use castile_lexical as lexical;
pub use castile_plan as plan;
pub use castile_security as security;
pub use castile_xml as xml;

/// Makes the module that `castile-build` generated in the build script: `include_contract!("weather")`
/// is `pub mod weather { ... }`.
#[macro_export]
macro_rules! include_contract {
    ($module:literal) => {
        include!(concat!(env!("OUT_DIR"), "/", $module, ".mod.rs"));
    };
}

pub use castile_value::{choice, enumeration, hierarchy, record, union};

pub use castile_contract::Contract;
pub use castile_endpoint::*;
pub use castile_value::{
    Changes, Column, ColumnBuf, DType, DateTime, DateTimeKind, Decimal, Duration, Graph, GraphSink, Grid,
    Item, Items, Objects, QName, Record as ValueRecord, RowLayout, Rows, Scalar, Shape, Sink, Slot, Source,
    Table, Tracked, Value, ValueSink,
};

/// The Rust in README and guide, as tests.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/guides/rust.md")]
    struct Guide;
    #[doc = include_str!("../../../docs/guides/layers.md")]
    struct Layers;
    #[doc = include_str!("../../../docs/guides/encoded.md")]
    struct Encoded;
    #[doc = include_str!("../../../docs/guides/cwmp.md")]
    struct Cwmp;
}
