//! Writing a chunk again of which much changed, and much stayed.
//!
//! ```text
//!   before   ─ a ─ bb·· ─ ccc ─ d ─      what stayed is copied, without the spaces behind it
//!   texts          eee          f        what changed
//!   now      ─ a ─ eee ─ ccc ─ f ─       in another buffer
//! ```
//!
//! One walk from the first value to the last takes the bytes of each from the one place or the other, by a
//! choice without a branch: where changes lie at random nobody could predict it. Nothing has to be found, and nothing to
//! be moved later. Afterwards every slot is as wide as its value, as in a chunk that was written anew.

use std::hint::select_unpredictable;
use std::sync::Arc;

use castile_codec::RowWriter;

use super::chunk::{Chunk, trim};
use super::layout::Layout;
use super::number::Number;
use super::options::Options;
use super::patch::{Changed, Memory, TOGETHER, groups};
use super::prefetch::prefetch;
use super::report::Report;
use super::slots::sum;
use super::spares;

/// What rebuilding writes into.
#[derive(Debug, Default)]
pub(super) struct Rebuilt {
    /// The bytes of the next chunk; before, those that the last one had.
    spare: Vec<u8>,
    /// The length that the value of each slot will have, with a mark where it changed.
    lengths: Vec<u8>,
    /// For each value of a row, which of the texts is next.
    next: Vec<usize>,
}

impl Rebuilt {
    /// Gives the memory of bytes back.
    pub(super) fn give_back(&mut self, options: &Options) {
        if self.spare.capacity() > 0 {
            spares::give([std::mem::take(&mut self.spare)], options.spare_bytes);
        }
    }

    /// Makes place for so many bytes. What was there before is left: all of it is written over.
    fn make_place(&mut self, bytes: usize, options: &Options) {
        let spare = &mut self.spare;
        if spare.capacity() == 0 && options.spare_bytes > 0 {
            *spare = spares::take(bytes);
        }
        if spare.len() < bytes {
            spare.reserve_exact(bytes - spare.len());
            spare.resize(bytes, 0);
        }
    }
}

impl Chunk {
    /// Writes the chunk again with changed values. Bit `row % 64` of mask `[field][row / 64]` says which;
    /// `shadow` has the values of the array, of which this chunk's begin at row `first`.
    pub(crate) fn rebuild(
        &mut self,
        layout: &Layout<'_>,
        shadow: &[u8],
        first: usize,
        memory: &mut Memory,
        report: &mut Report,
    ) {
        self.format_changed(layout, shadow, first, memory);
        let Memory { changed, rebuilt, .. } = memory;
        let written = self.walk(layout, changed, rebuilt);
        rebuilt.spare.truncate(written);
        match Arc::get_mut(&mut self.bytes) {
            Some(own) => std::mem::swap(own, &mut rebuilt.spare),
            None => self.bytes = Arc::new(std::mem::take(&mut rebuilt.spare)),
        }
        trim(Arc::make_mut(&mut self.bytes), layout.options.reserve_bytes);
        self.take_lengths(changed, rebuilt, report);
    }

    /// Makes the texts of what changed, field by field, and says how long every value will be. The chunk's bytes are
    /// asked for meanwhile.
    fn format_changed(&self, layout: &Layout<'_>, shadow: &[u8], first: usize, memory: &mut Memory) {
        let Memory {
            masks,
            changed,
            rebuilt: Rebuilt { lengths, next, .. },
            ..
        } = memory;
        changed.clear();
        lengths.clear();
        lengths.extend(self.slots.lengths());
        next.clear();
        for masks in &*masks {
            next.push(changed.rows.len());
            changed.take_rows(masks);
        }
        let (fields, count) = (layout.shape.fields(), changed.rows.len());
        let mut lines = self.bytes.chunks(LINE);
        let at_once = lines.len().div_ceil(count.div_ceil(TOGETHER).max(1));
        for (field, &start) in next.iter().enumerate() {
            let end = next.get(field + 1).copied().unwrap_or(count);
            let column = layout.shape.column(shadow, first + self.rows, field);
            for some in groups(start..end) {
                lines.by_ref().take(at_once).for_each(prefetch);
                changed.format(layout, field, &column, first, some);
            }
            for i in start..end {
                lengths[changed.rows[i] as usize * fields + field] = changed.lengths[i] | CHANGED;
            }
        }
    }

    /// Writes all values into the spare bytes; gives how many bytes these are.
    fn walk(&self, layout: &Layout<'_>, changed: &Changed, rebuilt: &mut Rebuilt) -> usize {
        let (shape, writer) = (layout.shape, &layout.shape.writer);
        let marks = usize::from(CHANGED) * changed.rows.len();
        let bytes = sum(&rebuilt.lengths) - marks + shape.gaps_before(self.rows, 0);
        let room = writer.bytes_beyond().max(layout.options.reserve_bytes);
        rebuilt.make_place(bytes + room, layout.options);
        let Rebuilt { spare, lengths, next } = rebuilt;
        let last = Last::new(&self.bytes);
        let mut walk = Walk {
            last: &last,
            at: 0,
            slots: self.slots.widths().iter().zip(&*lengths),
            texts: &changed.texts,
        };
        match next[..] {
            [mut next] => {
                let gap = writer.gap(0).len();
                writer.join(self.rows, spare, |_| walk.step(gap, &mut next))
            }
            _ => writer.join(self.rows, spare, |field| {
                walk.step(writer.gap(field).len(), &mut next[field])
            }),
        }
    }

    /// Makes every slot as wide as its value is now.
    fn take_lengths(&mut self, changed: &Changed, rebuilt: &mut Rebuilt, report: &mut Report) {
        let count = changed.rows.len();
        let written = sum(&changed.lengths[..count]);
        report.values_rewritten += count as u64;
        report.bytes_rewritten += written as u64;
        rebuilt.lengths.iter_mut().for_each(|length| *length &= !CHANGED);
        if Arc::make_mut(&mut self.slots).narrow(&rebuilt.lengths) {
            report.bytes_shifted += (self.bytes.len() - written) as u64;
        }
    }
}

/// A chunk's bytes as they were.
struct Last<'c> {
    bytes: &'c [u8],
    /// The end of them once more, with room behind it.
    end: [u8; 2 * RowWriter::NUMBER],
    end_at: usize,
}

impl<'c> Last<'c> {
    fn new(bytes: &'c [u8]) -> Last<'c> {
        let end_at = bytes.len().saturating_sub(RowWriter::NUMBER);
        let mut end = [0; 2 * RowWriter::NUMBER];
        end.iter_mut()
            .zip(&bytes[end_at..])
            .for_each(|(to, from)| *to = *from);
        Last { bytes, end, end_at }
    }

    /// What stands at a place, with room behind it.
    #[inline(always)]
    fn text(&self, at: usize) -> &Number {
        match self.bytes.get(at..).and_then(<[u8]>::first_chunk) {
            Some(text) => text,
            None => self.near_end(at),
        }
    }

    #[cold]
    fn near_end(&self, at: usize) -> &Number {
        let end = self.end.get(at.saturating_sub(self.end_at)..);
        end.and_then(<[u8]>::first_chunk).unwrap_or(&[0; _])
    }
}

/// The way through a chunk from value to value.
struct Walk<'c, S> {
    last: &'c Last<'c>,
    /// Where the next value was.
    at: usize,
    /// The width that the slot of each value had, and the length that it will have.
    slots: S,
    texts: &'c [Number],
}

impl<'c, S: Iterator<Item = (&'c u8, &'c u8)>> Walk<'c, S> {
    /// The text of the next value, and its length. `gap` bytes come behind it; if it changed, `next` says which of the
    /// texts is its own.
    #[inline(always)]
    fn step(&mut self, gap: usize, next: &mut usize) -> (&'c Number, usize) {
        let Some((&width, &length)) = self.slots.next() else {
            return (&[0; _], 0);
        };
        let stayed = self.last.text(self.at);
        self.at += usize::from(width) + gap;
        let is_new = length & CHANGED != 0;
        let new = self.texts.get(*next).unwrap_or(stayed);
        *next += usize::from(is_new);
        let text = select_unpredictable(is_new, new, stayed);
        (text, usize::from(length & !CHANGED))
    }
}

/// Marks the length of a value that changed.
const CHANGED: u8 = 0x80;

/// Bytes that memory is fetched by.
const LINE: usize = 64;
