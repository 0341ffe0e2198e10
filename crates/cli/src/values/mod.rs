//! Values between the command line, JSON and the contract.
//!
//! [`Given`] is what was given, in words or JSON; [`typed`] makes a [`castile_value::Value`] of it
//! by the types of the contract, and [`json`] is the way back.

pub(crate) mod given;
pub(crate) mod json;
mod number;
pub(crate) mod shared;
mod simple;
pub(crate) mod typed;
pub(crate) mod words;

pub(crate) use given::Given;
