//! SOAP envelope bytes and what is marked in them.
//!
//! An encoder reports where each value lies while it writes it: to a [`Marks`]. The plain path
//! passes [`Unmarked`], which compiles to nothing; a path that keeps the message to patch it later
//! passes [`Slots`], and gets the data update tracking table of a message: for each value its type,
//! its place and its length, and for an array one entry, however long it is.
//!
//! ```text
//!   encoder ──bytes──▶ Vec<u8>
//!           ──marks──▶ Marks (value 17 of type 23 lies at 812..830)
//! ```
//!
//! Parts beside the envelope come in MIME multipart messages, which [`parts`] takes apart.
//!
//! Non-goals: no types are interpreted here; a type is a number that the plan's table explains.
//!
//! ```
//! use castile_message::{Marks, Slots};
//!
//! let mut slots = Slots::default();
//! slots.value(23, 10..14);
//! // <n>1.5</n><n>-2.25</n>
//! slots.array(&[17], 40, &[7], &[3, 5]);
//! assert_eq!(slots.values().next().unwrap().span, 10..14);
//! assert_eq!(slots.arrays().next().unwrap().spans().last(), Some(50..55));
//! ```
#![forbid(unsafe_code)]

mod marks;
mod mime;
mod version;

pub use marks::{Array, Mark, Marks, Slot, Slots, Unmarked};
pub use mime::{HEADER_BYTES_MAX, MimeError, PARTS_MAX, Part, parts, unquote_printable};
pub use version::Version;
