//! [`Pool`]: arrays that several messages have in common.
//!
//! ```text
//!   Array ── published ──▶ Snapshot ◀── found, adopted ── Array of another message
//!     │                       ▲
//!     └ changes: lets go      ┆ weakly: what nobody sends is gone
//!                            Pool
//! ```

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use castile_codec::Flat;

use super::chunk::Chunk;
use super::layout::Shape;
use super::options::Stuffing;

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
    pub(crate) shape: Arc<Shape>,
    pub(crate) stuffing: Stuffing,
    pub(crate) rows: usize,
    pub(crate) shadow: Arc<Vec<u8>>,
    pub(crate) chunks: Vec<Chunk>,
    /// Whether another message took it over.
    pub(crate) taken: AtomicBool,
}

/// The same pool, not one that knows the same.
impl PartialEq for Pool {
    fn eq(&self, other: &Pool) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Snapshot {
    /// Says that another message has it.
    pub(crate) fn take(&self) {
        self.taken.store(true, Relaxed);
    }

    /// Whether another message has, or had, it.
    pub(crate) fn was_taken(&self) -> bool {
        self.taken.load(Relaxed)
    }

    /// Whether it has the values of `flat`.
    pub(crate) fn is(&self, flat: &Flat<'_>) -> bool {
        let shadow = (&self.shadow[..], self.rows);
        self.rows == flat.len() && self.shape.alike(shadow, flat, 0, 0, self.rows) == self.rows
    }
}

impl Pool {
    /// No arrays yet.
    pub fn new() -> Pool {
        Pool::default()
    }

    /// What was written for the values of `flat` in this shape.
    pub(crate) fn find(&self, shape: &Shape, stuffing: Stuffing, flat: &Flat<'_>) -> Option<Arc<Snapshot>> {
        let fits =
            |one: &Arc<Snapshot>| one.rows == flat.len() && one.stuffing == stuffing && *one.shape == *shape;
        // Compared without the lock; the last is the likeliest.
        let known = self.lock();
        let candidates: Vec<_> = known
            .iter()
            .rev()
            .filter_map(Weak::upgrade)
            .filter(fits)
            .take(TRIES)
            .collect();
        drop(known);
        candidates.into_iter().find(|one| one.is(flat))
    }

    pub(crate) fn add(&self, snapshot: Snapshot) -> Arc<Snapshot> {
        let snapshot = Arc::new(snapshot);
        let mut known = self.lock();
        known.retain(|one| one.strong_count() > 0);
        known.push(Arc::downgrade(&snapshot));
        snapshot
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Weak<Snapshot>>> {
        // It is whole after each change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Arrays that are compared before one is written.
const TRIES: usize = 4;
