//! One block of a kept list: items as they were sent last.
//!
//! ```text
//!   bytes    … item item item …      rows: each through the start of the next
//!   known    where each ends, and what it held
//! ```

use std::ops::Range;
use std::sync::Arc;

use castile_codec::{Batch, Known, List};

use super::chunk::trim;
use super::report::Report;

/// Some items that follow one another. The bytes may be lent to a connection; they are changed only while nobody
/// else holds them.
#[derive(Debug, Default)]
pub(crate) struct Block {
    bytes: Arc<Vec<u8>>,
    known: Known,
}

/// What updating blocks needs, one after the other.
#[derive(Default)]
pub(crate) struct Scratch {
    changed: Vec<usize>,
    /// What was written of the items that changed.
    bytes: Vec<u8>,
    known: Known,
    /// All items of a block.
    joined: Vec<u8>,
    joined_known: Known,
}

impl Scratch {
    /// Writes the items of `batch` that changed.
    fn write(&mut self, list: &List<'_>, batch: &mut Batch<'_>) -> bool {
        self.bytes.clear();
        self.known.clear();
        let which = (self.changed.len() < batch.len()).then_some(&self.changed[..]);
        list.write(batch, which, &mut self.bytes, &mut self.known)
    }

    /// What was written of the changed item `k`.
    fn written(&self, k: usize) -> &[u8] {
        &self.bytes[self.known.item(k)]
    }
}

impl Block {
    /// Writes items; `None` when one cannot be written or kept.
    pub(crate) fn write(list: &List<'_>, batch: &mut Batch<'_>) -> Option<Block> {
        let (mut bytes, mut known) = (Vec::new(), Known::default());
        if !list.write(batch, None, &mut bytes, &mut known) {
            return None;
        }
        bytes.shrink_to_fit();
        Some(Block {
            bytes: Arc::new(bytes),
            known,
        })
    }

    /// Items.
    pub(crate) fn len(&self) -> usize {
        self.known.len()
    }

    /// Bytes of the items.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The bytes, to be sent.
    pub(crate) fn shared(&self) -> Arc<Vec<u8>> {
        Arc::clone(&self.bytes)
    }

    /// Finds out which of as many items are not what they were; `false` when each is.
    pub(crate) fn find_changed(
        &self,
        list: &List<'_>,
        batch: &Batch<'_>,
        scratch: &mut Scratch,
        report: &mut Report,
    ) -> bool {
        report.values_compared += (self.len() * list.fields()) as u64;
        scratch.changed.clear();
        list.find_changed(batch, &self.known, &self.bytes, &mut scratch.changed);
        !scratch.changed.is_empty()
    }

    /// Makes the block say what these items hold, of which the changed ones were found; `false` when one cannot be
    /// written or kept.
    pub(crate) fn update(
        &mut self,
        list: &List<'_>,
        batch: &mut Batch<'_>,
        scratch: &mut Scratch,
        report: &mut Report,
    ) -> bool {
        if 2 * scratch.changed.len() > self.len() {
            // Putting so many in their places costs more than writing the others, too.
            scratch.changed.clear();
            scratch.changed.extend(0..self.len());
        }
        if !scratch.write(list, batch) {
            return false;
        }
        let differs = |(k, &i): (usize, &usize)| scratch.written(k) != &self.bytes[self.known.item(i)];
        let changed = scratch.changed.iter().enumerate().filter(|&pair| differs(pair));
        let changed = changed.count();
        if changed > 0 {
            report.values_rewritten += (changed * list.fields()) as u64;
            report.bytes_rewritten += scratch.bytes.len() as u64;
        }
        self.put(scratch, changed > 0, report);
        u32::try_from(self.bytes.len()).is_ok()
    }

    /// Whether item `old` is item `new` of a batch; it may be, and not be found to be.
    pub(crate) fn is_item(&self, old: usize, list: &List<'_>, batch: &Batch<'_>, new: usize) -> bool {
        list.is_item(batch, new, &self.known, &self.bytes, old)
    }

    /// Puts the items that were written in the place of those that were there; `differ`: not all have the same bytes.
    fn put(&mut self, scratch: &mut Scratch, differ: bool, report: &mut Report) {
        let mut changed = scratch.changed.iter().enumerate();
        if changed.all(|(k, &i)| self.known.fits(i, &scratch.known, k)) {
            if !differ {
                return self.set(scratch);
            }
            if let Some(bytes) = Arc::get_mut(&mut self.bytes) {
                for (k, &i) in scratch.changed.iter().enumerate() {
                    bytes[self.known.item(i)].copy_from_slice(scratch.written(k));
                }
                return self.set(scratch);
            }
        } else {
            report.bytes_shifted += self.bytes.len().saturating_sub(scratch.bytes.len()) as u64;
        }
        if scratch.changed.len() == self.len() {
            std::mem::swap(&mut scratch.joined, &mut scratch.bytes);
            std::mem::swap(&mut scratch.joined_known, &mut scratch.known);
        } else {
            self.join(scratch);
        }
        std::mem::swap(&mut self.known, &mut scratch.joined_known);
        self.known.trim();
        // A little more, so that the next block, which is about as long, finds room in what this one gives back.
        let more = scratch.joined.len() / 8;
        trim(&mut scratch.joined, more);
        match Arc::get_mut(&mut self.bytes) {
            Some(bytes) => std::mem::swap(bytes, &mut scratch.joined),
            None => {
                report.chunks_copied += 1;
                self.bytes = Arc::new(std::mem::take(&mut scratch.joined));
            }
        }
    }

    /// Knows the items that were written, which are where those were that they replace.
    fn set(&mut self, scratch: &Scratch) {
        for (k, &i) in scratch.changed.iter().enumerate() {
            self.known.set(i, &scratch.known, k);
        }
    }

    /// All items one behind the other, old and new.
    fn join(&self, scratch: &mut Scratch) {
        let Scratch {
            changed,
            bytes,
            known,
            joined,
            joined_known,
        } = scratch;
        joined.clear();
        joined_known.clear();
        let gone: usize = changed.iter().map(|&i| self.known.item(i).len()).sum();
        let length = self.bytes.len() + bytes.len() - gone;
        if joined.capacity() < length {
            // Growing would copy what it held.
            *joined = Vec::with_capacity(length + length / 8);
        }
        let mut next = 0;
        for (k, &i) in changed.iter().enumerate() {
            copy((&self.bytes, &self.known), next..i, joined, joined_known);
            copy((bytes, known), k..k + 1, joined, joined_known);
            next = i + 1;
        }
        copy((&self.bytes, &self.known), next..self.len(), joined, joined_known);
    }

    /// Takes the items from `item` on out into a block of their own.
    pub(crate) fn split_off(&mut self, item: usize) -> Block {
        let (mut bytes, mut known) = (Vec::new(), Known::default());
        copy(
            (&self.bytes, &self.known),
            item..self.len(),
            &mut bytes,
            &mut known,
        );
        self.bytes = Arc::new(self.bytes[self.known.items(0..item)].to_vec());
        self.known.truncate(item);
        Block {
            bytes: Arc::new(bytes),
            known,
        }
    }

    /// Adds the items of another block at the end.
    pub(crate) fn append(&mut self, other: &Block) {
        let bytes = Arc::make_mut(&mut self.bytes);
        copy(
            (&other.bytes, &other.known),
            0..other.len(),
            bytes,
            &mut self.known,
        );
    }

    /// Bytes of memory.
    pub(crate) fn memory(&self) -> usize {
        self.bytes.capacity() + self.known.memory()
    }
}

/// Appends items that were written elsewhere. Blocks have less than four gigabytes.
fn copy((from, of): (&[u8], &Known), items: Range<usize>, bytes: &mut Vec<u8>, known: &mut Known) {
    known.extend(of, items.clone(), bytes.len());
    bytes.extend_from_slice(&from[of.items(items)]);
}
