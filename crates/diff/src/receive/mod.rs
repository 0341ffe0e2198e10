//! Receiving: what was learned of messages, so that the next one like them is compared and not parsed
//! (differential deserialization, paper 001).

mod known;
mod lasts;
mod options;
mod store;
mod worth;

pub use options::{Receiving, Reuse};
pub use store::{Automata, Message, Received, ReceivingStats, Shared, Ticket};
