//! [`Message`]: a message that was opened, and [`Received`]: what came of it.

use std::borrow::Cow;
use std::sync::Arc;

use castile_codec::{Edition, Envelope, Owner};

use super::coming::Coming;
use super::known::Known;

/// How one message was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Received {
    /// Whether it was like an earlier one.
    pub followed: bool,
    /// Whether it was the same as the last one, and gave the same object.
    pub same: bool,
    /// Numbers in its arrays that were those of the last message, and not read again.
    pub values_kept: u64,
    /// Bytes that had been read when its last one came.
    pub bytes_ahead: u64,
    /// Which message it is, for [`Automata::decode_into`](super::Automata::decode_into); `None` when nothing of it is kept.
    pub edition: Option<Edition>,
}

/// A message whose object may be that of the last one.
pub enum Shared<T> {
    /// It is the same as the last one, and this is the object that was made of that.
    Same(Arc<T>),
    /// It was read; an object made of it can be [kept](super::Automata::share).
    New(Received, Option<Ticket>),
}

impl<T> Shared<T> {
    /// How the message was read.
    pub fn received(&self) -> Received {
        match self {
            Shared::New(received, _) => *received,
            Shared::Same(_) => Received {
                followed: true,
                same: true,
                ..Received::default()
            },
        }
    }
}

/// Which message an object is made of.
#[derive(Debug)]
pub struct Ticket {
    pub(super) peer: Box<[u8]>,
    pub(super) operation: usize,
    pub(super) number: u64,
}

/// A message that was opened.
pub struct Message<'a> {
    /// It is passed on often, and so not in here.
    pub(super) envelope: Box<Envelope<'a>>,
    pub(super) length: usize,
    pub(super) shared: Arc<Known>,
    /// What is known of its peer alone.
    pub(super) own: Option<Arc<Known>>,
    pub(super) peer: Option<Cow<'a, [u8]>>,
    pub(super) owner: Option<Owner>,
    pub(super) coming: Option<Box<Coming>>,
}

impl<'a> Message<'a> {
    /// What stands before the body.
    pub fn envelope(&self) -> &Envelope<'a> {
        &self.envelope
    }

    /// The same, to say which roles are played.
    pub fn envelope_mut(&mut self) -> &mut Envelope<'a> {
        &mut self.envelope
    }

    /// Says whose it is, when that was found out after it was opened.
    pub fn belongs_to(&mut self, peer: &[u8]) {
        if self.peer.as_deref() != Some(peer) {
            self.peer = Some(Cow::Owned(peer.to_vec()));
            self.own = None;
        }
    }

    /// Says what its bytes lie in, when that may be held until the next message comes: it is kept instead of a copy.
    pub fn lies_in(&mut self, owner: impl Into<Option<Owner>>) {
        self.owner = owner.into();
    }

    /// Says what was read of these very bytes while they came.
    pub fn came_as(&mut self, coming: Option<Box<Coming>>) {
        self.coming = coming;
    }

    /// The envelope, to be decoded plainly.
    pub fn into_envelope(self) -> Envelope<'a> {
        *self.envelope
    }
}
