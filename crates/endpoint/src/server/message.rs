//! Messages as a service takes and gives them, whatever carries them.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use bytes::Bytes;
use castile_codec::{Code, Route, Version};

use crate::payload::Payload;
use crate::session::Conversation;

/// A message for a [`Service`](super::Service): the envelope as text, and what the transport says of it.
#[derive(Clone, Copy, Debug)]
pub struct InMessage<'m> {
    /// The envelope.
    pub text: &'m str,
    /// What it is the end of, if that may be held until the next message of the same sender comes.
    pub lies_in: Option<&'m Bytes>,
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
    /// The session that it belongs to.
    pub conversation: Option<&'m Arc<Conversation>>,
    /// Who takes an answer that is sent while it is written; without one, answers are written whole.
    pub early: Option<Early<'m>>,
}

impl<'m> InMessage<'m> {
    /// An envelope that came without a transport.
    pub fn new(text: &'m str) -> Self {
        InMessage {
            text,
            lies_in: None,
            action: None,
            version: Version::Soap11,
            peer: None,
            principal: None,
            certificate: None,
            conversation: None,
            early: None,
        }
    }
}

impl InMessage<'_> {
    /// Whose values are in it: those of a user or the holder of a certificate, if the transport knows one,
    /// else those of a connection; `None` for a message that came without a transport.
    pub(super) fn whose(&self) -> Option<Whose> {
        Whose::of(self.principal, self.certificate, self.peer)
    }
}

/// Whose values are in a message, as bytes that are those of nobody else.
pub(super) enum Whose {
    Named(Vec<u8>),
    Connected([u8; 19]),
}

impl Whose {
    /// Those of a user or the holder of a certificate, if the transport knows one, else those of a connection.
    pub(super) fn of(
        principal: Option<&str>,
        certificate: Option<&[u8]>,
        peer: Option<SocketAddr>,
    ) -> Option<Whose> {
        let named = |kind: u8, name: &[u8]| Some(Whose::Named([&[kind], name].concat()));
        match (principal, certificate, peer) {
            (Some(principal), ..) => named(b'u', principal.as_bytes()),
            (_, Some(certificate), _) => named(b'c', certificate),
            (_, _, Some(peer)) => Some(Whose::Connected(address_bytes(peer))),
            (None, None, None) => None,
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Whose::Named(bytes) => bytes,
            Whose::Connected(bytes) => bytes,
        }
    }
}

fn address_bytes(peer: SocketAddr) -> [u8; 19] {
    let mut bytes = [b'p'; 19];
    let ip = match peer.ip() {
        IpAddr::V4(ip) => ip.to_ipv6_mapped(),
        IpAddr::V6(ip) => ip,
    };
    bytes[1..17].copy_from_slice(&ip.octets());
    bytes[17..].copy_from_slice(&peer.port().to_be_bytes());
    bytes
}

/// Takes the envelope of an answer whose end is not written yet.
#[derive(Clone, Copy)]
pub struct Early<'m>(pub &'m dyn Fn(Version, castile_http::Body));

impl fmt::Debug for Early<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Early")
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
