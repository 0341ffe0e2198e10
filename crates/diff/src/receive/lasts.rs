//! [`Lasts`]: the last message of each sender and operation.

use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;

use castile_codec::{Ahead, Envelope, Reading, Sample, Shadow};

use super::options::Receiving;

/// An object that was made of a message.
pub(super) type Object = Arc<dyn Any + Send + Sync>;

/// Values of the last messages. Whoever reads a message takes the last one out and puts it back afterwards; who
/// finds none reads without.
#[derive(Debug, Default)]
pub(super) struct Lasts {
    peers: HashMap<Box<[u8]>, HashMap<usize, Last>>,
    bytes: usize,
}

/// The last message of one operation.
#[derive(Debug, Default)]
pub(super) struct Last {
    pub(super) shadow: Option<Shadow>,
    /// What was made of it.
    pub(super) object: Option<Object>,
    /// Which message it was, by the store's clock.
    pub(super) number: u64,
    /// How many messages in a row had little in common with the one before; a message that had nothing counts twice.
    useless: u32,
    /// Messages that are not even looked at, since keeping was of no use.
    pause: u32,
    /// Of the message before this one, while none are kept.
    sample: Option<Sample>,
    /// Whether the next message is kept, since the last two were alike by a sample.
    is_promising: bool,
}

/// So often in a row little was in common, and no message is kept until one is like its predecessor by a sample.
const USELESS: u32 = 3;

/// The most messages that a pause lasts, where samples were alike and messages were not.
const PAUSE_MOST: u32 = 64;

impl Last {
    /// Of a sender that nothing is known of. `in_vain`: others of the operation were kept in vain, so this one's second message
    /// shows first whether it is like its first, and the third is kept.
    pub(super) fn new(in_vain: bool) -> Last {
        Last {
            useless: if in_vain { USELESS } else { 0 },
            ..Last::default()
        }
    }

    /// Whether the next message is kept, whatever is in it. What was kept is compared at least once: that tells more than
    /// a sample.
    fn keeps(&self) -> bool {
        self.useless < USELESS || self.shadow.is_some() || self.is_promising
    }

    /// Whether to keep the message at hand, with this body. Where only its sample was like that of the one before, the
    /// next is: this one may have been read while it came, and would have to be read again.
    pub(super) fn is_worth_keeping(&mut self, body: &str) -> bool {
        if self.keeps() {
            self.is_promising = false;
            return true;
        }
        if self.pause > 0 {
            self.pause -= 1;
            self.sample = None;
            return false;
        }
        let before = self.sample.replace(Sample::new(body));
        self.is_promising = before.is_some_and(|before| before.is_like(body));
        false
    }

    /// How a message that begins so is compared with it while it comes.
    fn begun_by(&self, came: &[u8]) -> Option<Ahead> {
        Ahead::like(self.shadow.as_ref()?, came)
    }

    /// The object that was made of it, when the message is the same.
    pub(super) fn object_of(&self, message: &Envelope<'_>) -> Option<Object> {
        let shadow = self.shadow.as_ref()?;
        self.object.clone().filter(|_| message.is_same(shadow))
    }

    /// Takes out what the message at hand is compared with.
    pub(super) fn take(&mut self) -> Option<Shadow> {
        self.object = None;
        self.shadow.take()
    }

    /// Keeps what is left of a reading, and notes how much of the message was in the last one if it was
    /// compared with that: whether enough.
    pub(super) fn renew(&mut self, reading: &mut Reading, compared: bool, number: u64) -> Option<bool> {
        self.number = number;
        self.shadow = reading.shadow.take();
        if !compared {
            return None;
        }
        let (all, read) = (
            reading.values_kept + reading.values_parsed,
            reading.values_of_parsed,
        );
        match all.saturating_sub(read) {
            // Where half has to be read, reading all of it plainly is as quick.
            kept if kept > read => {
                self.is_same(number);
                return Some(true);
            }
            kept if kept < read / 16 => self.useless += 2,
            _ => self.useless += 1,
        }
        if self.useless >= USELESS {
            self.shadow = None;
            self.pause = match (self.useless - USELESS) / 2 {
                0 => 0,
                times => (2 << times.min(8)).min(PAUSE_MOST),
            };
        }
        Some(false)
    }

    /// Notes that a message was the same, or mostly.
    pub(super) fn is_same(&mut self, number: u64) {
        self.number = number;
        self.useless = 0;
        self.sample = None;
    }

    /// Whether anything is lost without it.
    pub(super) fn says_something(&self) -> bool {
        self.shadow.is_some() || self.useless > 0
    }

    fn memory(&self) -> usize {
        let shadow = self.shadow.as_ref().map_or(0, Shadow::memory);
        // Of an object nobody knows how large it is; mostly it is smaller than its message.
        let object = self.object.as_ref().map_or(0, |_| shadow);
        let sample = self.sample.as_ref().map_or(0, Sample::memory);
        shadow + object + sample + size_of::<Self>()
    }
}

impl Lasts {
    /// Takes the last message out.
    pub(super) fn take(&mut self, peer: &[u8], operation: usize) -> Option<Last> {
        let last = self.peers.get_mut(peer)?.remove(&operation)?;
        self.bytes = self.bytes.saturating_sub(last.memory());
        Some(last)
    }

    /// Takes out the last message of this peer that one which begins so may be like, with the number of its operation.
    pub(super) fn take_like(&mut self, peer: &[u8], came: &[u8]) -> Option<(usize, Ahead, Last)> {
        let mut of = self.peers.get(peer)?.iter();
        let (operation, ahead) = of.find_map(|(&operation, last)| Some((operation, last.begun_by(came)?)))?;
        Some((operation, ahead, self.take(peer, operation)?))
    }

    /// Whether the next message is going to be kept; `in_vain`: whether those of others were in vain.
    pub(super) fn keeps(&self, peer: &[u8], operation: usize, in_vain: impl FnOnce() -> bool) -> bool {
        match self.peers.get(peer).and_then(|of| of.get(&operation)) {
            Some(last) => last.keeps(),
            None => !in_vain(),
        }
    }

    /// Which message is there.
    pub(super) fn number(&self, peer: &[u8], operation: usize) -> Option<u64> {
        Some(self.peers.get(peer)?.get(&operation)?.number)
    }

    /// Puts a message there, and drops those used least recently beyond the bounds.
    pub(super) fn put(&mut self, peer: Box<[u8]>, operation: usize, last: Last, options: &Receiving) {
        let (budget, peers_max) = (options.values_budget_bytes, options.peers_max.max(1));
        self.bytes += last.memory();
        let replaced = self.peers.entry(peer).or_default().insert(operation, last);
        self.bytes -= replaced.map_or(0, |last| last.memory());
        while self.bytes > budget || self.peers.len() > peers_max {
            if !self.evict() {
                break;
            }
        }
    }

    /// Drops what was used least recently; false when there is nothing.
    fn evict(&mut self) -> bool {
        let all = self
            .peers
            .iter()
            .flat_map(|(peer, of)| of.iter().map(move |(op, last)| (last.number, peer, *op)));
        let oldest = all
            .min_by_key(|(number, ..)| *number)
            .map(|(_, peer, op)| (peer.clone(), op));
        match oldest {
            Some((peer, operation)) => {
                self.take(&peer, operation);
                if self.peers.get(&peer).is_some_and(HashMap::is_empty) {
                    self.peers.remove(&peer);
                }
                true
            }
            // Who has nothing kept any more needs no place.
            None => {
                let any = !self.peers.is_empty();
                self.peers.clear();
                any
            }
        }
    }

    /// Bytes of memory, roughly.
    pub(super) fn memory(&self) -> usize {
        self.bytes
    }
}
