//! Receiving: what was learned of messages, so that the next one like them is compared and not parsed
//! (differential deserialization, paper 001).

mod coming;
mod known;
mod lasts;
mod message;
mod options;
mod stats;
mod store;
mod worth;

pub use coming::Coming;
pub use message::{Message, Received, Shared, Ticket};
pub use options::{Receiving, Reuse};
pub use stats::ReceivingStats;
pub use store::Automata;
