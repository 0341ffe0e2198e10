//! [`Automata`]: what a client or a server has learned.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use castile_codec::{DecodeOptions, Envelope, Error, Lesson, Limits, Reading};
use castile_plan::{Plan, Types};
use castile_value::Sink;

use super::known::Known;
use super::options::Receiving;

/// What was learned of the messages of a client's or a server's operations. Readers never wait for each
/// other.
///
/// What says nothing but names is compared with everybody's messages. What holds a value of somebody's
/// message, because it could not be read by itself, is compared with the messages of the same peer only:
/// how long comparing takes would tell others of it.
#[derive(Debug)]
pub struct Automata {
    options: Receiving,
    shared: RwLock<Arc<Known>>,
    peers: Mutex<HashMap<Box<[u8]>, Arc<Known>>>,
    /// Whether there are any: mostly there are none, and nobody need look.
    has_peers: AtomicBool,
    clock: AtomicU64,
    /// Messages since the last one that was like another, by operation; some operations share a number.
    misses: [AtomicU32; COUNTERS],
    counters: Counters,
}

const COUNTERS: usize = 64;

#[derive(Debug, Default)]
struct Counters {
    followed: AtomicU64,
    plain: AtomicU64,
    learned: AtomicU64,
    bytes_compared: AtomicU64,
    bytes_parsed: AtomicU64,
}

/// What differential receiving did since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceivingStats {
    /// Messages that were like an earlier one.
    pub followed: u64,
    /// Messages decoded plainly.
    pub plain: u64,
    /// Of those, learned.
    pub learned: u64,
    /// Bytes of the messages that were followed.
    pub bytes_compared: u64,
    /// Bytes of the messages that were not.
    pub bytes_parsed: u64,
    /// Bytes kept now.
    pub memory: u64,
}

/// How one message was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Received {
    /// Whether it was like an earlier one.
    pub followed: bool,
}

/// A message that was opened.
pub struct Message<'a> {
    envelope: Envelope<'a>,
    length: usize,
    shared: Arc<Known>,
    /// What is known of its peer alone.
    own: Option<Arc<Known>>,
    peer: Option<Box<[u8]>>,
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

    /// The envelope, to be decoded plainly.
    pub fn into_envelope(self) -> Envelope<'a> {
        self.envelope
    }
}

impl Automata {
    /// Nothing learned yet.
    pub fn new(options: Receiving) -> Automata {
        Automata {
            options,
            shared: RwLock::default(),
            peers: Mutex::default(),
            has_peers: AtomicBool::new(false),
            clock: AtomicU64::new(0),
            misses: [const { AtomicU32::new(0) }; COUNTERS],
            counters: Counters::default(),
        }
    }

    /// The settings.
    pub fn options(&self) -> &Receiving {
        &self.options
    }

    /// What they did so far.
    pub fn stats(&self) -> ReceivingStats {
        let Counters {
            followed,
            plain,
            learned,
            bytes_compared,
            bytes_parsed,
        } = &self.counters;
        let [followed, plain, learned, bytes_compared, bytes_parsed] =
            [followed, plain, learned, bytes_compared, bytes_parsed].map(|c| c.load(Ordering::Relaxed));
        let own: usize = self.lock().values().map(|known| known.memory()).sum();
        let memory = (self.shared().memory() + own) as u64;
        ReceivingStats {
            followed,
            plain,
            learned,
            bytes_compared,
            bytes_parsed,
            memory,
        }
    }

    /// Opens a message. `peer` tells whose it is: a principal, or else a connection; what is private to
    /// nobody in particular is not learned.
    ///
    /// # Errors
    /// As [`Envelope::open`].
    pub fn open<'a>(
        &self,
        text: &'a str,
        limits: &Limits,
        peer: Option<&[u8]>,
    ) -> Result<Message<'a>, Error> {
        let shared = self.shared();
        let known_peer = peer.filter(|_| self.has_peers.load(Ordering::Acquire));
        let own = known_peer.and_then(|peer| self.lock().get(peer).cloned());
        let known = own.iter().flat_map(|own| own.prologues());
        let envelope = Envelope::open_like(text, limits, shared.prologues().iter().chain(known))?;
        Ok(Message {
            envelope,
            length: text.len(),
            shared,
            own,
            peer: peer.map(Into::into),
        })
    }

    /// Reads a message, as [`Envelope::decode`] does. `operation` is a number of the caller's for plan and
    /// options together.
    ///
    /// # Errors
    /// As [`Envelope::decode`].
    #[allow(clippy::too_many_arguments)] // decode's, and which operation
    pub fn decode(
        &self,
        message: Message<'_>,
        operation: usize,
        types: &Types,
        plan: &Plan,
        options: &DecodeOptions,
        header: &mut dyn Sink,
        body: &mut dyn Sink,
    ) -> Result<Received, Error> {
        let Message {
            envelope,
            length,
            shared,
            own,
            peer,
        } = message;
        let entry = |known: &Arc<Known>| known.entry(operation, envelope.prologue()?).cloned();
        let entries = [entry(&shared), own.as_ref().and_then(entry)];
        let tracks = || entries.iter().flatten().flat_map(|entry| entry.tracks());
        let misses = &self.misses[operation / 16 % COUNTERS];
        let learn = self.options.enabled && is_worth_learning(misses.load(Ordering::Relaxed));
        let known = tracks().map(|kept| &kept.track);
        let reading = envelope.decode_like(types, plan, options, header, body, known, learn)?;
        let count = |counter: &AtomicU64, n: u64| counter.fetch_add(n, Ordering::Relaxed);
        match reading {
            Reading::Followed(which) => {
                let now = count(&self.clock, 1);
                entries.iter().flatten().for_each(|entry| entry.hit(now));
                if let Some(kept) = tracks().nth(which) {
                    kept.hit();
                }
                misses.store(0, Ordering::Relaxed);
                count(&self.counters.followed, 1);
                count(&self.counters.bytes_compared, length as u64);
                return Ok(Received { followed: true });
            }
            Reading::Plain(lesson) => {
                misses.fetch_add(1, Ordering::Relaxed);
                count(&self.counters.plain, 1);
                count(&self.counters.bytes_parsed, length as u64);
                if let Some(lesson) = lesson {
                    self.learn(operation, lesson, peer);
                }
            }
        }
        Ok(Received { followed: false })
    }

    fn learn(&self, operation: usize, lesson: Lesson, peer: Option<Box<[u8]>>) {
        let now = self.clock.fetch_add(1, Ordering::Relaxed);
        let Receiving {
            budget_bytes,
            tracks_max,
            peers_max,
            ..
        } = self.options;
        if lesson.track.memory() + lesson.prologue.memory() > budget_bytes / 4 {
            return;
        }
        let renew = |known: &Known, budget: usize| {
            let mut known = known.clone();
            known.learn(operation, &lesson, now, tracks_max);
            while known.memory() > budget && known.evict() {}
            Arc::new(known)
        };
        if !lesson.track.is_private() && !lesson.prologue.is_private() {
            let mut shared = self.shared.write().unwrap_or_else(PoisonError::into_inner);
            *shared = renew(&shared, budget_bytes / 2);
        } else if let Some(peer) = peer {
            let mut peers = self.lock();
            let known = peers.get(&peer).cloned().unwrap_or_default();
            peers.insert(peer, renew(&known, budget_bytes / 4));
            let mut memory: usize = peers.values().map(|known| known.memory()).sum();
            while memory > budget_bytes / 2 || peers.len() > peers_max.max(1) {
                let oldest = peers.iter().min_by_key(|(_, known)| known.last());
                let Some(peer) = oldest.map(|(peer, _)| peer.clone()) else {
                    break;
                };
                memory -= peers.remove(&peer).map_or(0, |known| known.memory());
            }
            self.has_peers.store(!peers.is_empty(), Ordering::Release);
        } else {
            return;
        }
        self.counters.learned.fetch_add(1, Ordering::Relaxed);
    }

    fn shared(&self) -> Arc<Known> {
        self.shared.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Box<[u8]>, Arc<Known>>> {
        // A panic elsewhere leaves what was learned before, which is right.
        self.peers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lessons that are taken one after the other from messages that are like none before.
const LESSONS: u32 = 16;

/// Whether one more message is worth learning, after so many that were like none: messages that are never
/// alike are learned more and more seldom.
fn is_worth_learning(misses: u32) -> bool {
    misses < LESSONS || misses.is_power_of_two()
}
