//! What of an array changed, as its owner says: [`Changes`].

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Values that are marked together.
const BLOCK: usize = 64;

/// Which values of one array changed, and when: the data update tracking table of paper 000, one
/// entry for 64 values.
///
/// Time is counted in changes of this array. Whoever read the array remembers the [`Stamp`] of then,
/// and later asks what changed [since](Changes::has_changed). So any number of readers share one
/// table, and nothing has to be reset.
///
/// What is changed and not marked is not seen: that is the fault of whoever changes it.
///
/// ```
/// use castile_value::Changes;
///
/// let mut changes = Changes::new(1000);
/// let before = changes.stamp();
/// changes.mark(500..501);
/// assert!(changes.has_changed(before, 448..512));
/// assert!(!changes.has_changed(before, 0..448));
/// assert!(!changes.has_changed(changes.stamp(), 0..1000));
/// ```
#[derive(Debug)]
pub struct Changes {
    id: u64,
    /// Changes so far.
    now: u64,
    /// When a value of each block changed last.
    blocks: Vec<u64>,
    len: usize,
}

/// One moment in the life of one array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    id: u64,
    time: u64,
}

impl Changes {
    /// Of an array of `len` values, none of which anybody has seen.
    pub fn new(len: usize) -> Changes {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Changes {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            now: 0,
            blocks: vec![0; len.div_ceil(BLOCK)],
            len,
        }
    }

    /// Values of the array.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the array has no values.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Values `range` change; what lies beyond the end is ignored.
    pub fn mark(&mut self, range: Range<usize>) {
        let end = range.end.min(self.len);
        if range.start < end {
            self.now += 1;
            self.blocks[range.start / BLOCK..end.div_ceil(BLOCK)].fill(self.now);
        }
    }

    /// The array has `len` values now; new ones count as changed.
    pub fn resize(&mut self, len: usize) {
        self.now += 1;
        // A block that is cut is another block.
        self.blocks.truncate(len.min(self.len) / BLOCK);
        self.blocks.resize(len.div_ceil(BLOCK), self.now);
        self.len = len;
    }

    /// This moment.
    pub fn stamp(&self) -> Stamp {
        Stamp {
            id: self.id,
            time: self.now,
        }
    }

    /// Whether what changed since `stamp` can be told: it is one of this array.
    pub fn knows(&self, stamp: Stamp) -> bool {
        stamp.id == self.id
    }

    /// Whether some of the values `range`, or a neighbour of theirs, changed since `stamp`.
    pub fn has_changed(&self, stamp: Stamp, range: Range<usize>) -> bool {
        if !self.knows(stamp) {
            return true;
        }
        let end = range.end.min(self.len);
        if stamp.time == self.now || range.start >= end {
            return false;
        }
        let blocks = &self.blocks[range.start / BLOCK..end.div_ceil(BLOCK)];
        blocks.iter().any(|&time| time > stamp.time)
    }
}

/// A copy is another array: it will change at other times.
impl Clone for Changes {
    fn clone(&self) -> Changes {
        Changes::new(self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reader_sees_what_changed_since_it_looked() {
        let mut changes = Changes::new(300);
        let first = changes.stamp();
        changes.mark(10..11);
        let second = changes.stamp();
        changes.mark(290..1000);
        assert!(changes.has_changed(first, 0..64) && !changes.has_changed(second, 0..64));
        assert!(changes.has_changed(second, 256..300));
        assert!(!changes.has_changed(first, 64..256));
        changes.mark(5..5);
        assert!(!changes.has_changed(first, 64..256));
    }

    #[test]
    fn another_array_and_another_length_are_all_new() {
        let mut changes = Changes::new(100);
        let copy = changes.clone();
        assert!(!copy.knows(changes.stamp()) && copy.has_changed(changes.stamp(), 0..1));
        let before = changes.stamp();
        changes.resize(130);
        assert!(!changes.has_changed(before, 0..64));
        assert!(changes.has_changed(before, 64..100) && changes.has_changed(before, 129..130));
        let before = changes.stamp();
        changes.resize(70);
        assert!(changes.has_changed(before, 64..70) && !changes.has_changed(before, 0..64));
    }
}
