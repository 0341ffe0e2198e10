//! What must hold for any bytes at all, one function a target.
//!
//! ```text
//!   bytes ─▶ target ─▶ nothing, or a panic that says what does not hold
//!     ▲
//!     ├── libfuzzer/     a fuzzer looks for bytes that fail (`make fuzz`)
//!     ├── crashes/NAME/  those that once failed: an ordinary test, for ever
//!     └── seeds          messages to begin with, made anew each time
//! ```
//!
//! Non-goals: no target knows what feeds it, and none has an oracle of its own: those stand in the
//! testkit, or are another path of the same crate.
#![forbid(unsafe_code)]

mod contract;
mod decoding;
mod delta;
mod documents;
mod numbers;
mod receiving;
mod replies;
mod requests;
mod seeds;
mod sending;
mod tables;

pub use seeds::seeds;

/// A target's name and what it does with bytes.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: &[Target] = &[
    ("contract", contract::contract),
    ("decoding", decoding::decoding),
    ("delta", delta::delta),
    ("documents", documents::documents),
    ("numbers", numbers::numbers),
    ("receiving", receiving::receiving),
    ("replies", replies::replies),
    ("requests", requests::requests),
    ("sending", sending::sending),
];

/// Runs the target of this name.
///
/// # Panics
/// There is no such target, or what must hold does not hold.
pub fn run(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|target| target.0 == name);
    target.unwrap_or_else(|| panic!("there is no target {name}")).1(bytes);
}
