//! Writing a chunk again of which much changed, and much stayed.
//!
//! ```text
//!   before   ─ a ─ bb ─ ccc ─ d ─      what stayed is copied
//!   texts          eee        f        what changed
//!   now      ─ a ─ eee ─ ccc ─ f ─     in another buffer
//! ```
//!
//! One walk from the first value to the last takes the bytes of each from the one place or the other, by a
//! choice without a branch: where changes lie at random nobody could predict it. Nothing has to be found, and nothing to
//! be moved later. It is for arrays that are never padded: where slots are padded nearly all of what changes fits soon, and
//! patching is quicker.

use std::hint::select_unpredictable;
use std::sync::Arc;

use castile_codec::RowWriter;

use super::changed::Changed;
use super::chunk::{Chunk, trim};
use super::layout::Layout;
use super::number::Number;
use super::options::Options;
use super::patch::Memory;
use super::prefetch::prefetch;
use super::report::Report;
use super::spares;

/// What rebuilding writes into.
#[derive(Debug, Default)]
pub(super) struct Rebuilt {
    /// The bytes of the next chunk; before, those that the last one had.
    spare: Vec<u8>,
    /// The length of the text of each slot that changed, and 0 where it stays.
    lengths: Vec<u8>,
    /// Where the slots of the next chunk lie; before, those of the last one.
    starts: Vec<u32>,
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
    /// Writes the chunk again with changed values, of which the rows are listed; `shadow` has the values of the array, of which this chunk's begin at row `first`.
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
        self.take_places(changed, rebuilt, report);
    }

    /// Makes the texts of what changed, field by field, and says which slot each is for. The chunk's bytes are asked for
    /// meanwhile, a few lines at a time: if the processor is to ask for more it waits, and does nothing else.
    fn format_changed(&self, layout: &Layout<'_>, shadow: &[u8], first: usize, memory: &mut Memory) {
        let Memory {
            changed,
            rebuilt: Rebuilt { lengths, next, .. },
            ..
        } = memory;
        let fields = layout.shape.fields();
        next.clear();
        lengths.clear();
        lengths.resize(self.slots.len(), 0);
        let mut lines = self.bytes.chunks(LINE);
        let times = changed.rows.len().div_ceil(TOGETHER).max(1);
        let at_once = lines.len().div_ceil(times);
        for field in 0..fields {
            let some = changed.of(field);
            next.push(some.start);
            let column = layout.shape.column(shadow, first + self.rows, field);
            for from in some.clone().step_by(TOGETHER) {
                lines.by_ref().take(at_once).for_each(prefetch);
                let some = from..some.end.min(from + TOGETHER);
                changed.format(layout, field, &column, first, some);
            }
            for i in some {
                lengths[changed.rows[i] as usize * fields + field] = changed.lengths[i];
            }
        }
    }

    /// Writes all values into the spare bytes; gives how many bytes these are.
    fn walk(&self, layout: &Layout<'_>, changed: &Changed, rebuilt: &mut Rebuilt) -> usize {
        let (shape, writer) = (layout.shape, &layout.shape.writer);
        let room = writer.bytes_beyond().max(layout.options.reserve_bytes);
        rebuilt.make_place(self.bytes.len() + sum(&rebuilt.lengths) + room, layout.options);
        let Rebuilt {
            spare,
            lengths,
            starts,
            next,
        } = rebuilt;
        starts.clear();
        starts.resize(self.slots.starts().len(), 0);
        let last = Last::new(&self.bytes);
        let mut walk = Walk {
            last: &last,
            slots: self
                .slots
                .starts()
                .windows(2)
                .zip(&*lengths)
                .zip(&mut starts[1..]),
            texts: &changed.texts,
            at: 0,
        };
        match next[..] {
            // A loop of its own for what arrays mostly are.
            [mut next] => {
                let gap = shape.gaps[0];
                writer.join(self.rows, spare, |_| walk.step(gap, &mut next))
            }
            _ => writer.join(self.rows, spare, |field| {
                walk.step(shape.gaps[field], &mut next[field])
            }),
        }
    }

    /// Says where every slot is now.
    fn take_places(&mut self, changed: &Changed, rebuilt: &mut Rebuilt, report: &mut Report) {
        let count = changed.rows.len();
        let written = sum(&changed.lengths[..count]);
        report.values_rewritten += count as u64;
        report.bytes_rewritten += written as u64;
        if self.slots.starts() != rebuilt.starts {
            report.bytes_shifted += (self.bytes.len() - written) as u64;
            Arc::make_mut(&mut self.slots).replace(&mut rebuilt.starts);
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
    /// Where each slot was and where that behind it, the length of its text if it changed, and where to say where that
    /// behind it is now.
    slots: S,
    texts: &'c [Number],
    /// Where the next slot is now.
    at: u32,
}

impl<'c, S: Iterator<Item = ((&'c [u32], &'c u8), &'c mut u32)>> Walk<'c, S> {
    /// The text of the next value, before `gap` bytes, and its length. If it changed, `next` says which of the texts is
    /// its own.
    #[inline(always)]
    fn step(&mut self, gap: u32, next: &mut usize) -> (&'c Number, usize) {
        let Some(((&[was, next_was], &length), next_is)) = self.slots.next() else {
            return (&[0; _], 0);
        };
        let stayed = self.last.text(was as usize);
        let is_new = length != 0;
        let new = self.texts.get(*next).unwrap_or(stayed);
        *next += usize::from(is_new);
        let text = select_unpredictable(is_new, new, stayed);
        let width = (next_was - was - gap) as usize;
        let length = select_unpredictable(is_new, usize::from(length), width);
        self.at += length as u32 + gap;
        *next_is = self.at;
        (text, length)
    }
}

/// Bytes that memory is fetched by.
const LINE: usize = 64;

/// Values that are formatted between.
const TOGETHER: usize = 8;

fn sum(lengths: &[u8]) -> usize {
    lengths.iter().map(|&length| usize::from(length)).sum()
}
