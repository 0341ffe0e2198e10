//! What goes into a message and what comes out of one.
//!
//! An encoder *pulls* from a [`Source`]: one call a field, and one call for a whole array.
//! A decoder *pushes* into a [`Sink`]: one call a value, and one call for a whole array.
//! Arrays of numbers are [`Column`]s (borrowed) and [`ColumnBuf`]s (owned); arrays of flat
//! records of numbers are [`Table`]s (borrowed) and [`Rows`] (owned); texts, and records that have some,
//! move some at a time, the records [`Packed`]. [`Value`] is the dynamic
//! value that implements both sides; generated structs and Python objects implement them directly.
//!
//! ```text
//!   Value | struct | Python object ──Source──▶ encoder
//!   decoder ──Sink──▶ ValueSink | struct | Python builder
//! ```
//!
//! Values are trees. Where SOAP encoding lets one object stand in several places, or in itself, a place
//! holds a number ([`Item::Ref`], [`Value::Ref`]) and the objects stand beside the tree, in a [`Graph`]:
//! nothing is copied, nothing is counted, and a cycle is no trouble to print, compare or drop.
//!
//! Non-goals: this crate knows no schema and no XML. What a field may hold is the plan's business.
//!
//! ```
//! use castile_value::{Column, Item, Source, Value};
//!
//! let person = Value::map([("name", "Ada".into()), ("scores", vec![1.5, 2.5].into())]);
//! let Value::Map(fields) = &person else { unreachable!() };
//! let Item::Column(scores) = fields.field(1, "scores") else { panic!("an array is one call") };
//! assert_eq!(scores.f64s().collect::<Vec<_>>(), [1.5, 2.5]);
//! ```
#![forbid(unsafe_code)]

mod batches;
mod changes;
mod column;
mod deep;
mod dtype;
mod graph;
mod grid;
mod packed;
mod record;
mod rows;
mod scalar;
mod sink;
mod source;
mod tracked;
pub mod typed;
mod value;
mod value_sink;

pub use batches::{BatchError, Batches, ONCE, Stream, Streamed};
pub use castile_lexical::{DateTime, DateTimeKind, Decimal, Duration};
pub use changes::{Changes, Stamp};
pub use column::{Column, ColumnBuf};
pub use deep::deep;
pub use dtype::DType;
pub use graph::{Graph, Objects};
pub use grid::Grid;
pub use packed::Packed;
pub use record::{Record, Shape};
pub use rows::{RowField, RowLayout, Rows, Table};
pub use scalar::{QName, Scalar};
pub use sink::{GraphSink, Sink, Slot};
pub use source::{Item, Items, Source};
pub use tracked::{Tracked, Values};
pub use value::Value;
pub use value_sink::ValueSink;
