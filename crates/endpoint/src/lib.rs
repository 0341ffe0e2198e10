//! SOAP clients and servers: the flows from values to bytes on the wire and back.
//!
//! ```text
//!   call   args ─encode─▶ bytes ─send─▶ ··· ─receive─▶ bytes ─decode─▶ value | Fault
//!   serve  bytes ─open─▶ envelope ─dispatch─▶ operation ─decode─▶ handler ─encode─▶ bytes
//! ```
//!
//! [`Client`] calls one port of a service described by a WSDL. [`Service`] answers messages of one:
//! it takes a message, not a socket, and [`Server`] puts it behind HTTP. Both work with any
//! [`Source`](castile_value::Source) and [`Sink`](castile_value::Sink), in steps, so that a front
//! decides on which thread and under which lock each step runs; [`Client::call`] and
//! [`Handlers`] do all steps with dynamic values.
//!
//! Non-goals: no bytes of SOAP or HTTP are made here; that is the codec's and the transport's work.
#![forbid(unsafe_code)]

mod adapt;
pub mod addressing;
mod arrival;
mod batched;
mod client;
mod costs;
pub mod cwmp;
mod error;
mod layers;
mod load;
mod media;
mod payload;
mod portions;
pub mod sample;
mod server;
pub mod session;
pub mod typed;
mod world;
pub mod xroad;

pub use adapt::{Headers, Nothing};
pub use batched::StreamOptions;
pub use castile_codec::{
    Code, Detail, Fault, Found, HeaderBlock, Layer, Limits, Memory, Name, NoRandomness, Owner, Reason,
    Received, Refusal, Route, Sending, Version, World,
};
pub use castile_diff::{
    Costs, Match, Options as Differential, Pool, Receiving, ReceivingStats, Report, Reuse, Shared,
    Stats as DifferentialStats, Steps, Stuffing, Ticket, Widths,
};
pub use client::{
    Attachment, CallOptions, Carrier, Carrying, Client, ClientOptions, Exchange, InPlace, Incoming, Outcome,
    Outgoing, Record, Reply, ReplyStream, Rest, SharedReply,
};
pub use error::{Error, Guilty, Kind};
pub use layers::Layers;
pub use load::{Cache, LoadOptions, Location, documents, load, profile, resolver};
pub use payload::Payload;
pub use portions::{Here, Host};
pub use server::{
    Answer, ArgumentStream, Call, Cause, Early, FaultStyle, Handler, Handlers, InMessage, OutMessage,
    Replier, Server, ServerOptions, Service, ServiceOptions, Sharing, Stats, Trouble,
};
pub use world::System;
