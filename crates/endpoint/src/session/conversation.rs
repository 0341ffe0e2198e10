//! What is known of a session: [`Conversation`].

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use castile_value::{Record, ValueSink};

use crate::error::{Error, Guilty, Kind};
use crate::server::Service;

/// Messages of a guest that a session remembers; more are answered and forgotten.
const SAID_MAX: usize = 64;

/// A session as those see it who answer its messages: who the guest is and what it asked so far.
pub struct Conversation {
    pub(super) id: String,
    pub(super) peer: SocketAddr,
    pub(super) principal: Option<String>,
    pub(super) service: Arc<Service>,
    said: Mutex<Vec<Arc<str>>>,
}

/// A request that a guest sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// The operation's name.
    pub operation: String,
    /// Its arguments.
    pub arguments: Record,
}

impl Conversation {
    pub(super) fn new(
        id: String,
        peer: SocketAddr,
        principal: Option<String>,
        service: Arc<Service>,
    ) -> Conversation {
        Conversation {
            id,
            peer,
            principal,
            service,
            said: Mutex::default(),
        }
    }

    /// The guest's address as it opened the session.
    pub fn peer(&self) -> SocketAddr {
        self.peer
    }

    /// The user that the transport found to be genuine.
    pub fn principal(&self) -> Option<&str> {
        self.principal.as_deref()
    }

    /// The service of the contract that the session is by.
    pub fn service(&self) -> &Arc<Service> {
        &self.service
    }

    /// The envelopes of the requests that the guest sent so far, the first 64, the opening one first.
    pub fn envelopes(&self) -> Vec<Arc<str>> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The same, decoded.
    ///
    /// # Errors
    /// One is not what the contract says, so that it was answered with a fault.
    pub fn said(&self) -> Result<Vec<Said>, Error> {
        self.envelopes().iter().map(|text| self.read(text)).collect()
    }

    /// The request that opened the session.
    ///
    /// # Errors
    /// It is not what the contract says.
    pub fn opening(&self) -> Result<Said, Error> {
        let first = self.envelopes().first().cloned();
        let first = first
            .ok_or_else(|| Error::new(Kind::Peer, Guilty::Us, "the session was opened by no message"))?;
        self.read(&first)
    }

    fn read(&self, text: &str) -> Result<Said, Error> {
        let call = self.service.open(text)?;
        let types = self.service.types();
        let operation = call.operation().name.clone();
        let Some((header, arguments)) = call.arguments() else {
            let text = format!("operation {operation} has no request");
            return Err(Error::new(Kind::Unsupported, Guilty::Contract, text));
        };
        let mut header = ValueSink::new(types.shape(header).clone());
        let mut sink = ValueSink::new(types.shape(arguments).clone());
        call.decode(&mut header, &mut sink)?;
        Ok(Said {
            operation,
            arguments: sink.finish(),
        })
    }

    pub(super) fn note(&self, text: &str) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.len() < SAID_MAX {
            said.push(text.into());
        }
    }
}

impl std::fmt::Debug for Conversation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The id opens the session to whoever knows it.
        f.debug_struct("Conversation")
            .field("peer", &self.peer)
            .field("principal", &self.principal)
            .finish_non_exhaustive()
    }
}
