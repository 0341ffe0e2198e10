//! What generated Rust types are made of: structs and enums that are a [`Source`](crate::Source)
//! for an encoder and that a [`Builder`], which is a [`Sink`](crate::Sink), fills.
//!
//! ```text
//!   struct ── Fields: field by index ──▶ Item      (encoding)
//!   Input ──▶ Place: where it goes in the struct   (decoding, by Builder)
//! ```
//!
//! * [`Fields`] is a record: it gives its fields by the index that they have in the plan, and their
//!   places. The macros [`record!`](crate::record), [`choice!`](crate::choice) and
//!   [`hierarchy!`](crate::hierarchy) implement it.
//! * [`Single`] is one value of a field: a number, a text, a record, a [`Maybe`].
//! * [`Place`] is a whole field: a single value, or `Vec<T>` for a repeated one. Arrays of numbers
//!   move as columns, and flat records write and read their
//!   arrays themselves ([`LinesOut`], [`LinesIn`]); no call is made per number.
//!
//! Nothing here knows a type's name on the wire but its label, which says which derived type a
//! value has: names, order and text are the plan's.
//!
//! ```
//! use castile_value::typed::{Builder, Fields};
//! use castile_value::{Item, Sink, Slot, Source};
//!
//! #[derive(Debug, Default, PartialEq)]
//! struct Person { name: String, scores: Vec<f64> }
//! castile_value::record!(Person, "{urn:x}Person", { 0: name, 1: scores });
//!
//! let ada = Person { name: "Ada".into(), scores: vec![1.5, 2.5] };
//! let Item::Column(scores) = ada.field(1, "scores") else { panic!("an array is one call") };
//! assert_eq!(scores.f64s().sum::<f64>(), 4.0);
//!
//! let mut builder = Builder::<Person>::new();
//! builder.scalar(Slot { field: 0, many: false }, "Ada".into());
//! assert_eq!(builder.finish().unwrap().name, "Ada");
//! ```

mod atom;
mod builder;
mod copy;
mod dynamic;
mod empty;
mod fields;
mod input;
mod lines;
mod macros;
mod number;
mod place;
mod rows;
mod support;
mod wrap;

pub use builder::Builder;
pub use copy::{copy, copy_record};
pub use empty::{EMPTY, Empty};
pub use fields::{Alternatives, Fields, Open};
pub use input::{Input, Mismatch};
pub use lines::{CellIn, CellOut, CellsIn, LinesIn, LinesOut};
pub use place::{Place, Single};
pub use rows::Cell;
#[doc(hidden)]
pub use rows::{dtype_of, next_cell};
#[doc(hidden)]
pub use support::{chosen, member, scalar_of, take_text};
pub use wrap::{Attributes, Binary, List, Maybe, Mixed};
