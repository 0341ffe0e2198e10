//! [`Automata`]: what a client or a server has learned.

use std::any::Any;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use castile_codec::{
    Ahead, Earlier, Edition, Envelope, Error, Intake, KeepOf, Learn, Lesson, Limits, Owner, Reading, Variable,
};
use castile_plan::Types;
use castile_value::Shape;

use super::known::{Entry, Known};
use super::lasts::{Last, Lasts};
use super::message::{Message, Received, Shared, Ticket};
use super::options::Receiving;
use super::stats::{Counters, ReceivingStats};
use super::worth::{Habit, Outcome, Worth};

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
    /// Whether anything with arrays was learned that is compared with everybody's messages.
    pub(super) has_arrays: AtomicBool,
    lasts: Mutex<Lasts>,
    clock: AtomicU64,
    /// Messages that were like none, since what was learned of one was of use for the first time, by operation;
    /// some operations share a number.
    misses: [AtomicU32; COUNTERS],
    worth: [Worth; COUNTERS],
    habits: [Habit; COUNTERS],
    counters: Counters,
}

const COUNTERS: usize = 64;

impl Automata {
    /// Nothing learned yet.
    pub fn new(options: Receiving) -> Automata {
        Automata {
            options,
            shared: RwLock::default(),
            peers: Mutex::default(),
            has_peers: AtomicBool::new(false),
            has_arrays: AtomicBool::new(false),
            lasts: Mutex::default(),
            clock: AtomicU64::new(0),
            misses: [const { AtomicU32::new(0) }; COUNTERS],
            worth: std::array::from_fn(|_| Worth::default()),
            habits: std::array::from_fn(|_| Habit::default()),
            counters: Counters::default(),
        }
    }

    /// The settings.
    pub fn options(&self) -> &Receiving {
        &self.options
    }

    /// What they did so far.
    pub fn stats(&self) -> ReceivingStats {
        let own: usize = self.lock().values().map(|known| known.memory()).sum();
        let memory = self.shared().memory() + own + self.lasts().memory();
        self.counters.stats(memory as u64)
    }

    /// What was learned of an operation's messages that is compared with everybody's: of each of their shapes the
    /// table of what may differ. `body` is the record type of the plan's body.
    pub fn variables(&self, operation: usize, types: &Types, body: &Arc<Shape>) -> Vec<Vec<Variable>> {
        let shared = self.shared();
        shared
            .tracks(operation)
            .map(|track| track.variables(types, body))
            .collect()
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
        peer: Option<&'a [u8]>,
    ) -> Result<Message<'a>, Error> {
        let shared = self.shared();
        let known_peer = peer.filter(|_| self.has_peers.load(Ordering::Acquire));
        let own = known_peer.and_then(|peer| self.lock().get(peer).cloned());
        let known = own.iter().flat_map(|own| own.prologues());
        let envelope = Envelope::open_like(text, limits, shared.prologues().iter().chain(known))?;
        Ok(Message {
            envelope: Box::new(envelope),
            length: text.len(),
            shared,
            own,
            peer: peer.map(Cow::Borrowed),
            owner: None,
            coming: None,
        })
    }

    /// What a message lies in, when it is large enough to be kept.
    pub fn owner_of<B>(&self, bytes: &B) -> Option<Owner>
    where
        B: AsRef<[u8]> + Clone + Send + Sync + 'static,
    {
        let large = bytes.as_ref().len() >= self.options.values_bytes_min;
        large.then(|| Owner::new(bytes.clone()))
    }

    /// Reads a message, as [`Envelope::decode`] does. `operation` is a number of the caller's for plan and
    /// options together.
    ///
    /// # Errors
    /// As [`Envelope::decode`].
    pub fn decode(
        &self,
        message: Message<'_>,
        operation: usize,
        intake: Intake<'_>,
    ) -> Result<Received, Error> {
        self.decode_into(message, operation, intake, None)
    }

    /// The same for a sink that has the arrays of an earlier message to [give](castile_value::Sink::given_column). If
    /// that is the last one that was kept, they are changed where the message differs, and otherwise filled anew.
    /// Who says `given` vouches for them: nobody has changed them since they were told.
    ///
    /// # Errors
    /// As [`Envelope::decode`].
    pub fn decode_into(
        &self,
        mut message: Message<'_>,
        operation: usize,
        intake: Intake<'_>,
        given: Option<Edition>,
    ) -> Result<Received, Error> {
        let last = self.last(&mut message, operation, self.options.values_bytes_min);
        let keeping = Keeping {
            last,
            keep: KeepOf::Arrays,
            given,
        };
        self.read(message, operation, intake, keeping)
            .map(|(received, _)| received)
    }

    /// The same, but for a message of the same peer that is the same as the last one, the body's sink is told
    /// nothing and the object is given that was [made](Automata::share) of that one, if it is a `T`.
    ///
    /// # Errors
    /// As [`Envelope::decode`].
    pub fn decode_shared<T: Any + Send + Sync>(
        &self,
        mut message: Message<'_>,
        operation: usize,
        intake: Intake<'_>,
    ) -> Result<Shared<T>, Error> {
        let mut last = self.last(&mut message, operation, 0);
        let same = last
            .as_ref()
            .and_then(|last| last.object_of(&message.envelope)?.downcast().ok());
        if let Some(object) = same {
            self.counters.same(message.length);
            if let Some(last) = &mut last {
                last.is_same(self.clock.fetch_add(1, Ordering::Relaxed));
            }
            self.keep(message.peer, operation, last);
            message.envelope.decode_only_header(intake)?;
            return Ok(Shared::Same(object));
        }
        let keeping = Keeping {
            last,
            keep: KeepOf::Text,
            given: None,
        };
        let (received, ticket) = self.read(message, operation, intake, keeping)?;
        Ok(Shared::New(received, ticket))
    }

    /// Keeps the object that was made of a message, unless another message came meanwhile.
    pub fn share(&self, ticket: Ticket, object: Arc<dyn Any + Send + Sync>) {
        let Ticket {
            peer,
            operation,
            number,
        } = ticket;
        let mut lasts = self.lasts();
        if lasts.number(&peer, operation) == Some(number)
            && let Some(mut last) = lasts.take(&peer, operation)
        {
            last.object = Some(object);
            lasts.put(peer, operation, last, &self.options);
        }
    }

    /// The last message of the same peer, when one like this is kept at all.
    fn last(&self, message: &mut Message<'_>, operation: usize, bytes_min: usize) -> Option<Last> {
        let Receiving {
            enabled,
            values,
            values_budget_bytes,
            ..
        } = self.options;
        let size = bytes_min..=values_budget_bytes / 4;
        let peer = message.peer.as_deref()?;
        message.coming.take_if(|coming| !coming.is_of(peer, operation));
        if !enabled || !values || !size.contains(&message.length) {
            return None;
        }
        let coming = message.coming.as_mut().and_then(|coming| coming.last.take());
        let last = coming.or_else(|| self.lasts().take(peer, operation));
        Some(last.unwrap_or_else(|| Last::new(self.is_kept_in_vain(operation))))
    }

    fn read(
        &self,
        message: Message<'_>,
        operation: usize,
        intake: Intake<'_>,
        keeping: Keeping,
    ) -> Result<(Received, Option<Ticket>), Error> {
        let Keeping {
            mut last,
            keep,
            given,
        } = keeping;
        let Message {
            envelope,
            length,
            shared,
            own,
            peer,
            owner,
            coming,
        } = message;
        let ahead = coming.map(|coming| coming.ahead);
        let bytes_ahead = ahead.as_ref().map_or(0, Ahead::followed);
        let entry = |known: &Arc<Known>| known.entry(operation, envelope.prologue()?).cloned();
        let entries = [entry(&shared), own.as_ref().and_then(entry)];
        let place = place(operation);
        let trial = &self.worth[place];
        let known = || entries.iter().flatten().flat_map(|entry| entry.tracks());
        let worth = last
            .as_mut()
            .is_some_and(|last| last.is_worth_keeping(envelope.rest()));
        let compared = worth && last.as_ref().is_some_and(|last| last.shadow.is_some());
        // The arrays of the next message will show whether it was worth the while.
        let keeps = worth && (keep == KeepOf::Text || known().any(|kept| kept.track.has_arrays()));
        let is_known = known().next().is_some();
        let is_tried = keeps || !is_known || ahead.is_some() || trial.is_tried();
        let shadow = last.as_mut().and_then(Last::take).filter(|_| worth);
        let earlier = Earlier {
            tracks: known().filter(|_| is_tried).map(|kept| &kept.track),
            shadow,
            ahead,
            keep: if worth { keep } else { KeepOf::Nothing },
            owner,
            given,
            learn: match self.options.enabled && is_tried && self.is_learned(place) {
                true if self.options.parts => Learn::Parts,
                true => Learn::Whole,
                false => Learn::Nothing,
            },
        };
        let learns = earlier.learn != Learn::Nothing;
        let mut reading = envelope.decode_like(intake, earlier)?;
        // The threads of a server meet here: what need not be written is not.
        let now = match last {
            Some(_) => self.clock.fetch_add(1, Ordering::Relaxed),
            None => self.clock.load(Ordering::Relaxed),
        };
        // What was read before the message had come saves nothing but time.
        if is_known && is_tried && (compared || !keeps && bytes_ahead == 0) {
            trial.note(outcome(&reading, length));
        }
        let lesson = reading.lesson.take();
        let learned = lesson.is_some_and(|lesson| self.learn(operation, lesson, peer.as_deref()));
        if is_tried {
            self.note(place, &entries, &reading, learns && !learned, now);
        }
        self.counters.read(&reading, length, bytes_ahead);
        let received = Received {
            followed: reading.followed.is_some(),
            same: false,
            values_kept: reading.values_kept as u64,
            bytes_ahead: bytes_ahead as u64,
            edition: reading.edition,
        };
        if let Some(last) = &mut last
            && let Some(useful) = last.renew(&mut reading, compared, now)
        {
            self.habits[place].note(useful);
        }
        let ticket = self.keep(peer, operation, last);
        Ok((received, ticket))
    }

    /// Whether one more message is worth learning, after those that were like none: messages that are never alike are
    /// learned more and more seldom.
    fn is_learned(&self, place: usize) -> bool {
        let misses = self.misses[place].load(Ordering::Relaxed);
        misses < LESSONS || misses.is_power_of_two()
    }

    /// Notes which track a message was like, or that it was like none; whether it was learned from in `vain`.
    fn note(&self, place: usize, entries: &[Option<Arc<Entry>>], reading: &Reading, vain: bool, now: u64) {
        let (entries, misses) = (entries.iter().flatten(), &self.misses[place]);
        match reading.followed {
            // What it had that is new could not be kept, and would have to be read by itself again and again.
            Some(_) if reading.bytes_new > 0 && vain => {
                misses.fetch_add(1, Ordering::Relaxed);
            }
            Some(which) => {
                entries.clone().for_each(|entry| entry.hit(now));
                let followed = entries.flat_map(|entry| entry.tracks()).nth(which);
                // What was learned last has paid.
                if followed.is_some_and(|kept| kept.hit()) {
                    misses.store(0, Ordering::Relaxed);
                }
            }
            None => {
                misses.fetch_add(if vain { VAIN } else { 1 }, Ordering::Relaxed);
            }
        }
    }

    /// Puts a message there as the last one.
    fn keep(&self, peer: Option<Cow<'_, [u8]>>, operation: usize, last: Option<Last>) -> Option<Ticket> {
        let (peer, last) = peer.zip(last.filter(Last::says_something))?;
        let peer: Box<[u8]> = peer.into_owned().into();
        let ticket = last.shadow.is_some().then(|| Ticket {
            peer: peer.clone(),
            operation,
            number: last.number,
        });
        self.lasts().put(peer, operation, last, &self.options);
        ticket
    }

    /// Keeps what a message taught, if there is room for it and somebody whose it is.
    fn learn(&self, operation: usize, lesson: Lesson, peer: Option<&[u8]>) -> bool {
        let now = self.clock.fetch_add(1, Ordering::Relaxed);
        let Receiving {
            budget_bytes,
            tracks_max,
            peers_max,
            ..
        } = self.options;
        if lesson.track.memory() + lesson.prologue.memory() > budget_bytes / 4 {
            return false;
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
            self.has_arrays
                .fetch_or(lesson.track.has_arrays(), Ordering::Relaxed);
        } else if let Some(peer) = peer {
            let mut peers = self.lock();
            let known = peers.get(peer).cloned().unwrap_or_default();
            peers.insert(peer.into(), renew(&known, budget_bytes / 4));
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
            return false;
        }
        self.counters.learned();
        true
    }

    pub(super) fn is_kept_in_vain(&self, operation: usize) -> bool {
        self.habits[place(operation)].is_vain()
    }

    pub(super) fn shared(&self) -> Arc<Known> {
        self.shared.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn lasts(&self) -> std::sync::MutexGuard<'_, Lasts> {
        self.lasts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Box<[u8]>, Arc<Known>>> {
        // A panic elsewhere leaves what was learned before, which is right.
        self.peers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is kept of the last message of the same peer, and of the one at hand.
struct Keeping {
    last: Option<Last>,
    keep: KeepOf,
    given: Option<Edition>,
}

/// What came of comparing a message of so many bytes. Reading by example costs a track a fourth more than the plain
/// decoder, and whatever else is in a message a fourth of it.
fn outcome(reading: &Reading, length: usize) -> Outcome {
    match reading.followed {
        None => Outcome::Unlike,
        Some(_) if reading.bytes_new > length / 4 => Outcome::Unlike,
        Some(_) if reading.bytes_by_example <= length / 4 * 3 => Outcome::Gained,
        Some(_) => Outcome::Read,
    }
}

/// Which of the counters are an operation's.
fn place(operation: usize) -> usize {
    operation / 16 % COUNTERS
}

/// Lessons that are taken one after the other from messages that are like none before.
const LESSONS: u32 = 16;

/// For how many a message counts that cannot be learned.
const VAIN: u32 = 8;
