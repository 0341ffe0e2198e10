//! What tests of messages need: tables written in a line, random values for any plan, a slow and obvious decoder as an
//! oracle, and the plain codec in one call.
//!
//! ```text
//!   "Mio = x:int, y:int, value:double" ──Table::parse──▶ Types, Plan
//!   Types + seed ──Sampler──▶ Value      what a decoder gives for the encoded value
//!   bytes ──reference::decode──▶ Value   the whole document as a tree, every way tried
//!   Value ◀──plainly──▶ bytes            by the codec under test
//! ```
//!
//! Non-goals: speed, and any use outside tests.
//!
//! ```
//! use castile_testkit::{Rng, Sampler, Table};
//!
//! let table = Table::parse("Mio = x:int, y:int, value:double\nEcho = mio:Mio*, @id:string");
//! let plan = table.plan("Echo");
//! let body = Sampler::new(&table.types, Rng::new(1)).record(plan.body);
//! assert!(body.get("Echo").is_some());
//! ```
#![forbid(unsafe_code)]

mod alone;
mod body;
mod lent;
mod mutate;
mod notation;
pub mod plainly;
mod random;
pub mod reference;
mod rng;
mod same;
mod sample;
mod scalars;
mod table;
mod timing;
mod tree;
mod widths;

pub use alone::{alone, anything};
pub use body::Body;
pub use lent::Lent;
pub use mutate::mutate;
pub use random::random_table;
pub use rng::Rng;
pub use same::{difference, plain};
pub use sample::{Effort, Sampler};
pub use table::Table;
pub use timing::{asked, median, time};
pub use tree::{Group, Leaf, LeafKind, Model, Ty};
pub use widths::doubles_by_width;

/// The namespace of everything that a [`Table`] does not put elsewhere.
pub const TARGET: &str = "urn:t";
