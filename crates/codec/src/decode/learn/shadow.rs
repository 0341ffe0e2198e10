//! [`Shadow`]: what is kept of the last message.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::array::Array;
use super::prologue::Prologue;
use super::text::{Owner, Part, Text};
use super::track::Track;

/// The text of a message's body and the numbers of its arrays, so that of the next message only the numbers that
/// differ are read. Nothing of the header is in it.
///
/// It holds values: it belongs to who sent the message, and must be compared with nobody else's.
#[derive(Debug)]
pub struct Shadow {
    pub(super) prologue: Arc<Prologue>,
    /// The track that the message was like, when its arrays are kept.
    pub(super) track: Option<Arc<Track>>,
    /// The message from the end of its prologue on.
    pub(super) text: Text,
    pub(super) arrays: Vec<Array>,
    pub(super) state: State,
    /// Which message it is of.
    pub(super) edition: Edition,
}

/// Which message a sink was told: no other has the same number. An object that is made of it and not changed since
/// can be given back to be changed where the next message differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edition(u64);

impl Edition {
    fn next() -> Edition {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Edition(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// How a shadow stands to the message at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    /// Nothing was done yet.
    Untouched,
    /// What is equal lies in the same place, and what differs in arrays is in the text.
    InPlace,
    Moved,
    /// It has to be dropped.
    Spoilt,
}

impl Shadow {
    /// Nothing is kept yet.
    pub(super) fn new(prologue: &Arc<Prologue>, track: Option<&Arc<Track>>) -> Shadow {
        Shadow {
            prologue: prologue.clone(),
            track: track.cloned(),
            text: Text::Own(Vec::new()),
            arrays: Vec::new(),
            state: State::Untouched,
            edition: Edition::next(),
        }
    }

    /// Keeps a message that is like no track, which goes on like this after its prologue.
    pub(super) fn whole(prologue: &Arc<Prologue>, rest: &[u8], owner: Option<&Owner>) -> Shadow {
        let mut shadow = Shadow::new(prologue, None);
        shadow.settle(rest, owner);
        shadow
    }

    pub(super) fn is_of(&self, track: &Arc<Track>) -> bool {
        self.track.as_ref().is_some_and(|own| Arc::ptr_eq(own, track))
    }

    /// The same, if nothing of a message was taken over since the last was settled.
    pub(super) fn untouched(self) -> Option<Shadow> {
        let is_right = self.state == State::Untouched && !self.text.bytes().is_empty();
        is_right.then_some(self)
    }

    /// An array, and what of the text is its.
    pub(super) fn array(&mut self, place: usize) -> Option<(&mut Array, Part<'_>)> {
        if self.arrays.len() <= place {
            self.arrays.resize_with(place + 1, Array::default);
        }
        let array = self.arrays.get_mut(place)?;
        let old = self.text.part(array.span.clone());
        Some((array, old))
    }

    /// Gives an array up with those after it: they are read plainly.
    pub(super) fn spoil(&mut self, place: usize) {
        self.state = State::Spoilt;
        self.arrays.truncate(place);
    }

    /// Whether a message with this prologue that goes on like this is the very same.
    pub(super) fn is_same(&self, prologue: &Arc<Prologue>, rest: &[u8]) -> bool {
        self.state == State::Untouched && Arc::ptr_eq(&self.prologue, prologue) && self.text.bytes() == rest
    }

    /// Takes over a message that was read; false when that cannot be kept.
    pub(super) fn settle(&mut self, rest: &[u8], owner: Option<&Owner>) -> bool {
        let patched = (self.state <= State::InPlace).then(|| self.around_arrays(rest.len()));
        self.text.renew(rest, owner, patched.as_deref());
        let kept = self.state != State::Spoilt;
        self.state = State::Untouched;
        self.edition = Edition::next();
        kept
    }

    /// What is not in an array.
    fn around_arrays(&self, length: usize) -> Vec<Range<usize>> {
        let starts = self.arrays.iter().map(|array| array.span.start).chain([length]);
        let ends = self.arrays.iter().map(|array| array.span.end);
        [0].into_iter()
            .chain(ends)
            .zip(starts)
            .map(|(from, to)| from..to)
            .collect()
    }

    /// Bytes of memory, roughly.
    pub fn memory(&self) -> usize {
        let arrays: usize = self.arrays.iter().map(Array::memory).sum();
        self.text.memory() + arrays + size_of::<Self>()
    }
}
