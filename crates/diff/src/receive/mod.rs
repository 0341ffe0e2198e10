//! Receiving: what was learned of messages, so that the next one like them is compared and not parsed
//! (differential deserialization, paper 001).

mod known;
mod lasts;
mod message;
mod options;
mod store;
mod worth;

pub use message::{Message, Received, Shared, Ticket};
pub use options::{Receiving, Reuse};
pub use store::{Automata, ReceivingStats};
