//! WS-Addressing as a [`Layer`](castile_codec::Layer): 1.0 (W3C, 2006), and the submission of August
//! 2004, which replies speak when the request did.
//!
//! ```text
//!   request  Action, MessageID, To, ReplyTo, reference parameters of the target
//!   reply    Action, MessageID, RelatesTo = the request's MessageID, reference parameters of ReplyTo
//! ```
//!
//! [`Addressing`] is the client's layer, [`AddressingService`] the server's. An [`EndpointReference`]
//! is an address with parameters that whoever sends there must repeat as headers. [`Callbacks`] takes
//! replies that do not come back over the connection of their request.

mod callbacks;
mod client;
mod fault;
mod read;
mod reference;
mod server;
mod version;

pub use callbacks::{Callbacks, CallbacksOptions};
pub use client::{Addressing, AddressingOptions};
pub use reference::EndpointReference;
pub use server::{AddressingService, AddressingServiceOptions, Elsewhere};
pub use version::AddressingVersion;

pub(crate) use callbacks::Ticket;
pub(crate) use client::Asked;
pub(crate) use fault::action_not_supported;
pub(crate) use read::{action, text};

use castile_codec::{NoRandomness, World};

/// A message id that nobody else makes: a random UUID (RFC 9562, 5.4).
pub(crate) fn message_id(world: &dyn World) -> Result<String, NoRandomness> {
    let mut bytes = [0; 16];
    world.random(&mut bytes)?;
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let mut id = String::from("urn:uuid:");
    for (i, byte) in bytes.iter().enumerate() {
        if matches!(i, 4 | 6 | 8 | 10) {
            id.push('-');
        }
        id.push_str(&format!("{byte:02x}"));
    }
    Ok(id)
}
