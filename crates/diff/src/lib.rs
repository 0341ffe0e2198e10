//! Messages like earlier ones: only what changed of them is written (differential serialization,
//! paper 000) or read (differential deserialization, paper 001).
//!
//! ```text
//!                      ┌ array ─▶ compare with the values sent last
//!                      │            equal   ─▶ its chunk again
//!   Source ──encode ───┤            changed ─▶ into its slot: fits, steals, shifts
//!                      │            mostly  ─▶ the chunk anew
//!                      ├ long text ─▶ the same: again, else anew
//!                      └ what is around them ─▶ anew, it is small
//! ```
//!
//! A [`Template`] is the message sent last; [`Templates`] keeps several of an operation, for senders
//! at the same time. Taking this crate away changes speed, never an answer: a patched message decodes
//! to the values of a fresh one.
//!
//! [`Automata`] is its mirror image for messages that are received (paper 001): the bytes that were the
//! same in earlier messages are compared, and only what stands between them is read.
//!
//! Non-goals: it sends and receives nothing, and knows no operation.
//!
//! ```
//! use castile_codec::{Draft, EncodeOptions, Version};
//! use castile_diff::{Match, Options, Template};
//! use castile_testkit::Table;
//! use castile_value::Value;
//!
//! let table = Table::parse("add = n:double*");
//! let (plan, options) = (table.plan("add"), EncodeOptions::default());
//! let mut template = Template::new(Options::default());
//! let mut send = |n: &[f64]| {
//!     let body = vec![("add".to_owned(), Value::map([("n", n.to_vec().into())]))];
//!     template.patch(&Draft {
//!         types: &table.types,
//!         plan: &plan,
//!         version: Version::Soap11,
//!         header: &Vec::new(),
//!         body: &body,
//!         options: &options,
//!     })
//! };
//! let mut numbers = vec![0.25; 1000];
//! assert_eq!(send(&numbers)?.report.kind, Match::FirstTime);
//! assert_eq!(send(&numbers)?.report.kind, Match::Content);
//! numbers[500] = 0.75;
//! let sent = send(&numbers)?;
//! assert_eq!((sent.report.kind, sent.report.values_rewritten), (Match::PerfectStructural, 1));
//! # Ok::<(), castile_codec::Error>(())
//! ```
#![deny(unsafe_code)]

mod receive;
mod send;

pub use receive::{Automata, Coming, Message, Received, Receiving, ReceivingStats, Reuse, Shared, Ticket};
pub use send::{
    Costs, Match, Options, Piece, Pieces, Pool, Report, Stats, Steps, Stuffing, Template, Templates, Widths,
};
