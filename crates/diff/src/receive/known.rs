//! [`Known`]: what was learned and may be compared with the same messages.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use castile_codec::{Ahead, Lesson, Prologue, Track};

/// Prologues and tracks. Never changed but replaced, so that readers hold it without a lock.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    entries: Vec<Arc<Entry>>,
    prologues: Vec<Arc<Prologue>>,
}

/// Messages of one operation that begin alike.
#[derive(Debug)]
pub(super) struct Entry {
    operation: usize,
    prologue: Arc<Prologue>,
    /// Those that most messages were like come first.
    tracks: Vec<Arc<Kept>>,
    /// When it was used last, by the store's clock.
    last: AtomicU64,
}

/// A track, and how many messages were like it.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) track: Arc<Track>,
    hits: AtomicU64,
}

impl Known {
    pub(super) fn prologues(&self) -> &[Arc<Prologue>] {
        &self.prologues
    }

    /// What is known of an operation's messages that begin so.
    pub(super) fn entry(&self, operation: usize, prologue: &Arc<Prologue>) -> Option<&Arc<Entry>> {
        let same =
            |entry: &&Arc<Entry>| entry.operation == operation && Arc::ptr_eq(&entry.prologue, prologue);
        self.entries.iter().find(same)
    }

    /// How a message that begins so is followed while it comes, and the number of its operation.
    pub(super) fn begun_by(&self, came: &[u8]) -> Option<(usize, Ahead)> {
        self.entries.iter().find_map(|entry| {
            let mut tracks = entry.tracks.iter();
            let ahead = tracks.find_map(|kept| Ahead::new(&entry.prologue, &kept.track, came))?;
            Some((entry.operation, ahead))
        })
    }

    /// The tracks of an operation, whatever they begin with.
    pub(super) fn tracks(&self, operation: usize) -> impl Iterator<Item = &Track> {
        let entries = self
            .entries
            .iter()
            .filter(move |entry| entry.operation == operation);
        entries.flat_map(|entry| &entry.tracks).map(|kept| &*kept.track)
    }

    fn place(&self, operation: usize, prologue: &Arc<Prologue>) -> Option<usize> {
        let same = |e: &Arc<Entry>| e.operation == operation && Arc::ptr_eq(&e.prologue, prologue);
        self.entries.iter().position(same)
    }

    /// Adds what a message taught.
    pub(super) fn learn(&mut self, operation: usize, lesson: &Lesson, now: u64, tracks_max: usize) {
        let Lesson {
            prologue,
            track,
            instead_of,
        } = lesson.clone();
        // Another thread may have learned the same meanwhile.
        let prologue = match self.prologues.iter().find(|known| **known == prologue) {
            Some(known) => known.clone(),
            None => {
                self.prologues.push(prologue.clone());
                prologue
            }
        };
        let entry = self.place(operation, &prologue).and_then(|i| self.entries.get(i));
        let mut tracks = entry.map_or_else(Vec::new, |entry| entry.tracks.clone());
        if tracks.iter().any(|kept| kept.track == track) {
            return;
        }
        if let Some(old) = instead_of {
            // Unless another thread has learned more meanwhile.
            let Some(kept) = tracks.iter_mut().find(|kept| Arc::ptr_eq(&kept.track, &old)) else {
                return;
            };
            let hits = AtomicU64::new(kept.hits.load(Ordering::Relaxed));
            *kept = Arc::new(Kept { track, hits });
            return self.put(operation, prologue, tracks, now);
        }
        // What parts from a known track and meets it again becomes a part of that.
        let merged = |kept: &Arc<Kept>| Some((kept.clone(), kept.track.merged(&track)?));
        let track = match tracks.iter().find_map(merged) {
            Some((old, both)) => {
                tracks.retain(|kept| !Arc::ptr_eq(kept, &old));
                Arc::new(both)
            }
            None => track,
        };
        // A peer whose messages are never alike takes no place from those that are.
        tracks.sort_by_key(|kept| std::cmp::Reverse(kept.hits.load(Ordering::Relaxed)));
        tracks.truncate(tracks_max.saturating_sub(1));
        tracks.push(Arc::new(Kept {
            track,
            hits: AtomicU64::new(0),
        }));
        self.put(operation, prologue, tracks, now);
    }

    /// Puts the tracks of an operation's messages that begin so in the place of those before.
    fn put(&mut self, operation: usize, prologue: Arc<Prologue>, tracks: Vec<Arc<Kept>>, now: u64) {
        let place = self.place(operation, &prologue);
        let entry = Arc::new(Entry {
            operation,
            prologue,
            tracks,
            last: AtomicU64::new(now),
        });
        match place.and_then(|i| self.entries.get_mut(i)) {
            Some(old) => *old = entry,
            None => self.entries.push(entry),
        }
    }

    /// Drops what was not used for longest; false when there is nothing.
    pub(super) fn evict(&mut self) -> bool {
        let oldest = self.entries.iter().enumerate().min_by_key(|(_, e)| e.last());
        let Some((i, _)) = oldest else { return false };
        let gone = self.entries.swap_remove(i);
        if !self
            .entries
            .iter()
            .any(|e| Arc::ptr_eq(&e.prologue, &gone.prologue))
        {
            self.prologues.retain(|p| !Arc::ptr_eq(p, &gone.prologue));
        }
        true
    }

    /// Bytes of memory, roughly.
    pub(super) fn memory(&self) -> usize {
        let prologues: usize = self.prologues.iter().map(|p| p.memory()).sum();
        let tracks = self.entries.iter().flat_map(|entry| &entry.tracks);
        prologues + tracks.map(|kept| kept.track.memory()).sum::<usize>()
    }

    /// When any of it was used last.
    pub(super) fn last(&self) -> u64 {
        self.entries.iter().map(|entry| entry.last()).max().unwrap_or(0)
    }
}

impl Entry {
    pub(super) fn tracks(&self) -> &[Arc<Kept>] {
        &self.tracks
    }

    fn last(&self) -> u64 {
        self.last.load(Ordering::Relaxed)
    }

    /// Notes that a message was like one of the tracks.
    pub(super) fn hit(&self, now: u64) {
        if self.last() != now {
            self.last.store(now, Ordering::Relaxed);
        }
    }
}

/// The most hits that are counted.
const HITS_MAX: u64 = 1 << 16;

impl Kept {
    /// Notes that a message was like it; whether that is the first.
    pub(super) fn hit(&self) -> bool {
        let hits = self.hits.load(Ordering::Relaxed);
        // Which of a few were met most is known by then.
        if hits < HITS_MAX {
            self.hits.fetch_add(1, Ordering::Relaxed);
        }
        hits == 0
    }
}
