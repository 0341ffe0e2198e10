//! [`Pool`]: arrays that several messages have in common.
//!
//! ```text
//!   Array ── published ──▶ Snapshot ◀── found, adopted ── Array of another message
//!     │                       ▲
//!     └ changes: takes it     ┆ weakly: what nobody sends is gone
//!       away and goes on     Pool
//! ```
//!
//! Two arrays that have one snapshot in common leave values and chunks there between messages, so whoever is first to
//! change something changes them where they are. The other finds what he made of it, if it is what it sends next;
//! if not, it goes on from there and has what it changes copied. Where more have it in common, it stays.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use castile_codec::Flat;

use super::chunk::Chunk;
use super::layout::Shape;
use super::options::Stuffing;
use super::pieces::Chunks;

/// What arrays wrote, for other messages of the same values: with one pool among its settings, any number of
/// operations, clients and templates write an array that all of them send once, and the others take its chunks,
/// copying what they change later. A clone is the same pool.
///
/// It keeps nothing by itself; what it knows is what templates keep now. Messages for principals that must not
/// learn of each other get no pool in common: what the one was sent could be told from the time of the other's.
#[derive(Clone, Debug, Default)]
pub struct Pool(Arc<Mutex<Vec<Weak<Snapshot>>>>);

/// An array as it was written.
#[derive(Debug)]
pub(crate) struct Snapshot {
    shape: Arc<Shape>,
    stuffing: Stuffing,
    rows: usize,
    /// None once somebody went on from it.
    held: Mutex<Option<Held>>,
    /// Whether another message took it over.
    taken: AtomicBool,
    /// How many have nothing of it but what is here.
    left: AtomicUsize,
}

/// What an array has in memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Held {
    /// The values, packed row after row.
    pub(crate) shadow: Arc<Vec<u8>>,
    pub(crate) chunks: Vec<Chunk>,
    /// The chunks as they are handed out.
    pub(crate) handed: Option<Arc<Chunks>>,
}

/// The same pool, not one that knows the same.
impl PartialEq for Pool {
    fn eq(&self, other: &Pool) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Snapshot {
    /// Of an array that is written so.
    pub(crate) fn new(shape: Arc<Shape>, stuffing: Stuffing, rows: usize, held: Held) -> Snapshot {
        Snapshot {
            shape,
            stuffing,
            rows,
            held: Mutex::new(Some(held)),
            taken: AtomicBool::new(false),
            left: AtomicUsize::new(0),
        }
    }

    /// Says that another message has it.
    pub(crate) fn take(&self) {
        self.taken.store(true, Relaxed);
    }

    /// Whether another message has, or had, it.
    pub(crate) fn was_taken(&self) -> bool {
        self.taken.load(Relaxed)
    }

    /// What it has; nothing once somebody went on from it.
    fn held(&self) -> Option<Held> {
        lock(&self.held).clone()
    }

    /// Bytes of memory that it holds.
    pub(crate) fn memory(&self) -> usize {
        lock(&self.held).as_ref().map_or(0, Held::memory)
    }

    /// Leaves what an array has here, with its chunks as they were handed out; `false` when nothing is here any more.
    pub(crate) fn leave(&self, handed: &Arc<Chunks>) -> bool {
        let mut held = lock(&self.held);
        let Some(held) = held.as_mut() else {
            return false;
        };
        held.handed = Some(Arc::clone(handed));
        self.left.fetch_add(1, Relaxed);
        true
    }

    /// Gives an array what it left here, unless somebody went on from it.
    pub(crate) fn pick_up(&self) -> Option<Held> {
        self.left.fetch_sub(1, Relaxed);
        self.held()
    }

    /// Lets go of it to change what it has. One other array that left it here loses it; more of them keep it.
    pub(crate) fn go_on(self: Arc<Self>) {
        if Arc::strong_count(&self) == 2 && self.left.load(Relaxed) == 1 {
            // Dropped without the lock.
            let held = lock(&self.held).take();
            drop(held);
        }
    }

    fn fits(&self, shape: &Shape, stuffing: Stuffing, rows: usize) -> bool {
        self.rows == rows && self.stuffing == stuffing && *self.shape == *shape
    }

    /// What it has, if that are the values of `flat`.
    fn held_as(&self, flat: &Flat<'_>) -> Option<Held> {
        // Compared without the lock.
        let shadow = lock(&self.held).as_ref().map(|held| Arc::clone(&held.shadow))?;
        let same = self.shape.has(&shadow, self.rows, flat);
        drop(shadow);
        if same { self.held() } else { None }
    }
}

impl Held {
    /// Bytes of memory.
    pub(crate) fn memory(&self) -> usize {
        self.shadow.capacity() + self.chunks.iter().map(Chunk::memory).sum::<usize>()
    }
}

impl Pool {
    /// No arrays yet.
    pub fn new() -> Pool {
        Pool::default()
    }

    /// What was written for the values of `flat` in this shape.
    pub(crate) fn find(
        &self,
        shape: &Shape,
        stuffing: Stuffing,
        flat: &Flat<'_>,
    ) -> Option<(Arc<Snapshot>, Held)> {
        let candidates = self.fitting(shape, stuffing, flat.len());
        candidates.into_iter().find_map(|one| {
            let held = one.held_as(flat)?;
            Some((one, held))
        })
    }

    /// What was written last in this shape, for so many rows.
    pub(crate) fn last(&self, shape: &Shape, stuffing: Stuffing, rows: usize) -> Option<Held> {
        let candidates = self.fitting(shape, stuffing, rows);
        candidates.iter().find_map(|one| one.held())
    }

    /// The last is the likeliest.
    fn fitting(&self, shape: &Shape, stuffing: Stuffing, rows: usize) -> Vec<Arc<Snapshot>> {
        let known = lock(&self.0);
        let fitting = known.iter().rev().filter_map(Weak::upgrade);
        fitting
            .filter(|one| one.fits(shape, stuffing, rows))
            .take(TRIES)
            .collect()
    }

    pub(crate) fn add(&self, snapshot: Snapshot) -> Arc<Snapshot> {
        let snapshot = Arc::new(snapshot);
        let mut known = lock(&self.0);
        known.retain(|one| one.strong_count() > 0);
        known.push(Arc::downgrade(&snapshot));
        snapshot
    }
}

/// What it guards is whole after each change.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Arrays that are compared before one is written.
const TRIES: usize = 4;
