//! Calls and services with generated types: the flows of [`Client`](crate::Client) and
//! [`Service`](crate::Service) with structs at both ends and no dynamic value between.
//!
//! ```text
//!   struct ─Fields─▶ encode ─▶ ··· ─▶ decode ─Builder─▶ struct
//! ```
//!
//! Generated code calls this module; users meet [`Reply`], [`Request`] and [`Failure`].

mod client;
mod convert;
mod embedded;
mod failure;
mod server;

pub use castile_value::typed::*;

pub use client::{Reply, call, call_async};
pub use convert::{from_value, to_value};
pub use embedded::Embedded;
pub use failure::{Failure, TypedFault};
pub use server::{Request, answer, unknown};
