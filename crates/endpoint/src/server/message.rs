//! Messages as a service takes and gives them, whatever carries them.

use std::net::SocketAddr;

use castile_codec::{Code, Route, Version};

use crate::payload::Payload;

/// A message for a [`Service`](super::Service): the envelope as text, and what the transport says of it.
#[derive(Clone, Copy, Debug)]
pub struct InMessage<'m> {
    /// The envelope.
    pub text: &'m str,
    /// SOAPAction, or the action of the content type; `None` when there is none or it is empty.
    pub action: Option<&'m str>,
    /// The version to answer in when the envelope cannot be opened.
    pub version: Version,
    /// Who sent it, as far as the transport knows.
    pub peer: Option<SocketAddr>,
    /// The user that the transport has found to be genuine.
    pub principal: Option<&'m str>,
    /// The certificate by which the transport knows the sender, DER.
    pub certificate: Option<&'m [u8]>,
}

impl<'m> InMessage<'m> {
    /// An envelope that came without a transport.
    pub fn new(text: &'m str) -> Self {
        InMessage {
            text,
            action: None,
            version: Version::Soap11,
            peer: None,
            principal: None,
            certificate: None,
        }
    }
}

/// A message to send back.
#[derive(Clone, Debug, PartialEq)]
pub struct OutMessage {
    /// Of the envelope.
    pub version: Version,
    /// The envelope; empty when there is nothing to say.
    pub body: Payload,
    /// The code of a fault.
    pub fault: Option<Code>,
    /// The WS-Addressing action, when it goes to a place of its own.
    pub action: String,
    /// Where it goes.
    pub route: Route,
}
