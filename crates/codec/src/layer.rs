//! [`Layer`]: what adds header blocks before a message is encoded and reads those that came.
//!
//! ```text
//!   client  request(call) ─blocks─▶ encode ··· decode ─▶ check_reply(memory, received)
//!   server  check_request(received, found) ─▶ handler ─▶ reply(memory, answer) ─blocks─▶ encode
//! ```
//!
//! A layer is shared by all calls of an endpoint. What one call has to remember between its two
//! halves, such as the id that a reply must relate to, is its [`Memory`].

use std::any::Any;
use std::fmt;
use std::time::Duration;

use castile_message::Version;

use crate::decode::HeaderBlock;
use crate::fault::{Fault, Name};

/// Adds header blocks to messages that are sent, and checks those of messages that came. One layer
/// serves both roles: a client calls `request` and `check_reply`, a server `check_request` and `reply`.
pub trait Layer: Send + Sync + fmt::Debug {
    /// Whether the layer knows header blocks of this name: one that must be understood is then no
    /// reason to refuse the message.
    fn understands(&self, name: &Name) -> bool;

    /// Client: adds blocks to a request, each one namespace-complete XML element.
    ///
    /// # Errors
    /// The layer needs randomness and there is none.
    fn request(&self, _request: &Sending<'_>, _blocks: &mut Vec<String>) -> Result<Memory, NoRandomness> {
        Ok(None)
    }

    /// Client: checks a reply or fault.
    ///
    /// # Errors
    /// The reply cannot be trusted, or belongs to another request.
    fn check_reply(&self, _memory: &Memory, _reply: &Received<'_>) -> Result<(), Refusal> {
        Ok(())
    }

    /// Server: checks a request before anything else is done with it.
    ///
    /// # Errors
    /// The request is refused with a fault.
    fn check_request(
        &self,
        _request: &Received<'_>,
        _found: &mut Found,
        _memory: &mut Memory,
    ) -> Result<(), Refusal> {
        Ok(())
    }

    /// Server: adds blocks to a reply or a fault. `memory` is what `check_request` left there, which it
    /// may have refused.
    ///
    /// # Errors
    /// The layer needs randomness and there is none.
    fn reply(
        &self,
        _memory: &Memory,
        _reply: &Sending<'_>,
        _blocks: &mut Vec<String>,
    ) -> Result<(), NoRandomness> {
        Ok(())
    }
}

/// What a layer remembers of one exchange.
pub type Memory = Option<Box<dyn Any + Send + Sync>>;

/// A clock and a source of randomness: codec and layers have neither.
pub trait World: Send + Sync + fmt::Debug {
    /// The time since the start of 1970, UTC.
    fn now(&self) -> Duration;

    /// Fills a buffer with bytes that nobody can guess.
    ///
    /// # Errors
    /// The machine has no such bytes.
    fn random(&self, out: &mut [u8]) -> Result<(), NoRandomness>;
}

/// The machine has no random bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRandomness;

/// A message that is about to be written.
#[derive(Clone, Copy, Debug)]
pub struct Sending<'a> {
    /// Of its envelope.
    pub version: Version,
    /// The operation's name; empty when a request was refused before it was found.
    pub operation: &'a str,
    /// The WS-Addressing action of the message; empty for faults that the contract does not declare.
    pub action: &'a str,
    /// Where it goes, as far as the sender knows; empty for replies.
    pub to: &'a str,
    /// Whether no reply is expected.
    pub one_way: bool,
    /// The fault that the message is.
    pub fault: Option<&'a Fault>,
    /// Clock and randomness.
    pub world: &'a dyn World,
}

/// A message that came, before its body is decoded.
#[derive(Clone, Copy, Debug)]
pub struct Received<'a> {
    /// Of its envelope.
    pub version: Version,
    /// The operation's name, where it is known already.
    pub operation: &'a str,
    /// SOAPAction of the transport, or the action of its content type.
    pub action: Option<&'a str>,
    /// The WS-Addressing actions that the contract expects; empty: any.
    pub expected: &'a [&'a str],
    /// The header blocks.
    pub blocks: &'a [HeaderBlock],
    /// Whether no reply is expected to it.
    pub one_way: bool,
    /// Whether the body is a fault.
    pub is_fault: bool,
    /// Clock and randomness.
    pub world: &'a dyn World,
}

/// What layers found out about a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Who sent the message, proven.
    pub principal: Option<String>,
    /// Where the reply goes.
    pub reply: Route,
    /// Where a fault goes.
    pub fault: Route,
}

/// Where an answer goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Route {
    /// Back over the connection of the request.
    #[default]
    Back,
    /// Nowhere.
    Nowhere,
    /// To this address, in a request of its own.
    To(String),
}

/// Why a layer does not accept a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// What a server answers with; a client's error has its reason.
    pub fault: Box<Fault>,
    /// Whether it is a matter of trust, and not only of form.
    pub security: bool,
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Refusal {
            fault: Box::new(fault),
            security: false,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.fault.reason())
    }
}

impl std::error::Error for Refusal {}

impl fmt::Display for NoRandomness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the system has no random bytes")
    }
}

impl std::error::Error for NoRandomness {}
