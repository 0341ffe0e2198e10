//! Writing what changed of a chunk.
//!
//! ```text
//!   masks ─▶ rows ─▶ texts ─▶ into their slots, in any order   those that fit
//!                        └──▶ one after the other              those that do not (see `room`)
//! ```
//!
//! Each step is a loop over all changed values of the chunk, so that the machine has many of them
//! under way at once: where a value lies depends on no other's being written.

use std::ops::Range;
use std::sync::Arc;

use castile_value::Column;

use super::chunk::{Chunk, Open};
use super::compare::BLOCK;
use super::layout::{Layout, Pad};
use super::number::{Number, fill_slot};
use super::pieces::Chunks;
use super::prefetch::prefetch;
use super::rebuild::Rebuilt;
use super::report::Report;
use super::room::Event;

/// What comparing and patching write into, kept for its memory, and what they have to let go.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// The chunks as they were handed out last, until one of them changes.
    pub(crate) handed: Option<Arc<Chunks>>,
    /// Of each value of a row, which rows of a chunk changed.
    pub(crate) masks: Vec<Vec<u64>>,
    /// Rows of the array in which some value changed.
    pub(crate) rows_changed: usize,
    pub(super) changed: Changed,
    /// The same of the chunk before, whose slots are written while those of the next come near.
    pub(super) before: Changed,
    pub(super) misfits: Vec<Misfit>,
    pub(super) events: Vec<Event>,
    pub(super) rebuilt: Rebuilt,
}

/// The values of a chunk that changed, field by field.
#[derive(Debug, Default)]
pub(super) struct Changed {
    pub(super) rows: Vec<u32>,
    /// Where those of each field end.
    pub(super) ends: Vec<usize>,
    /// Where its slot begins, and how wide it is.
    slots: Vec<[u32; 2]>,
    pub(super) texts: Vec<Number>,
    pub(super) lengths: Vec<u8>,
}

/// A changed value that its slot cannot take.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Misfit {
    pub(super) slot: u32,
    /// Its place among those that changed.
    changed: u32,
}

impl Memory {
    /// For rows of so many values.
    pub(crate) fn new(fields: usize) -> Memory {
        Memory {
            masks: vec![Vec::new(); fields],
            ..Memory::default()
        }
    }

    /// Makes what was prepared what is written next.
    pub(crate) fn turn(&mut self) {
        std::mem::swap(&mut self.changed, &mut self.before);
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> usize {
        let texts = self.changed.texts.capacity() + self.before.texts.capacity();
        texts * size_of::<Number>() + self.events.capacity() * size_of::<Event>()
    }
}

impl Changed {
    /// The text of one, with room behind it, and its length.
    pub(super) fn text(&self, misfit: &Misfit) -> (&Number, usize) {
        let i = misfit.changed as usize;
        (&self.texts[i], usize::from(self.lengths[i]))
    }

    /// Forgets those of another chunk.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.ends.clear();
        self.slots.clear();
    }

    /// Adds the rows of another field that masks give; says which of all they are.
    ///
    /// A block mostly has none, one or two, which nobody could predict: two are written, and as many counted as
    /// there are.
    pub(super) fn take_rows(&mut self, masks: &[u64]) -> Range<usize> {
        let start = self.rows.len();
        let mut found = start;
        let count = masks.iter().map(|mask| mask.count_ones() as usize).sum::<usize>();
        self.rows.resize(found + count + 2, 0);
        for (block, &mask) in masks.iter().enumerate() {
            let (first, mut left) = ((block * BLOCK) as u32, mask);
            loop {
                for row in &mut self.rows[found..found + 2] {
                    *row = first + left.trailing_zeros();
                    found += usize::from(left != 0);
                    left &= left.wrapping_sub(1);
                }
                if left == 0 {
                    break;
                }
            }
        }
        self.rows.truncate(found);
        self.ends.push(found);
        start..found
    }

    /// Makes the texts of some values of a field.
    pub(super) fn format(
        &mut self,
        layout: &Layout<'_>,
        field: usize,
        column: &Column<'_>,
        first: usize,
        some: Range<usize>,
    ) {
        let count = self.rows.len();
        if self.texts.len() < count {
            self.texts.resize(count, [0; _]);
            self.lengths.resize(count, 0);
        }
        layout.shape.writer.put_each(
            field,
            column,
            first,
            &self.rows[some.clone()],
            &mut self.texts[some.clone()],
            &mut self.lengths[some],
        );
    }
}

impl Chunk {
    /// Writes changed values into their slots. Bit `row % 64` of mask `[field][row / 64]` says which;
    /// `shadow` has the values of the array, of which this chunk's begin at row `first`.
    pub(crate) fn patch(
        &mut self,
        layout: &Layout<'_>,
        shadow: &[u8],
        first: usize,
        memory: &mut Memory,
        report: &mut Report,
    ) {
        self.prepare(layout, shadow, first, memory);
        memory.turn();
        self.put_prepared(layout, memory, report);
    }

    /// Makes the texts of what changed, and asks for their slots.
    pub(crate) fn prepare(&self, layout: &Layout<'_>, shadow: &[u8], first: usize, memory: &mut Memory) {
        let Memory { changed, masks, .. } = memory;
        let fields = layout.shape.fields();
        changed.clear();
        for (field, masks) in masks.iter().enumerate() {
            let some = changed.take_rows(masks);
            let rows = changed.rows[some.clone()].iter();
            self.slots.fetch(rows.map(|&row| row as usize * fields + field));
            let column = layout.shape.column(shadow, first + self.rows, field);
            changed.format(layout, field, &column, first, some.clone());
            self.find_slots(layout, field, some, changed);
        }
    }

    /// Writes what was prepared, and taken over by [`Memory::turn`].
    pub(crate) fn put_prepared(&mut self, layout: &Layout<'_>, memory: &mut Memory, report: &mut Report) {
        let mut open = self.open(layout, report);
        memory.misfits.clear();
        let mut start = 0;
        for field in 0..layout.shape.fields() {
            let end = memory.before.ends[field];
            open.put_those_that_fit(field, start..end, memory);
            start = end;
        }
        open.report.values_rewritten += start as u64;
        if !memory.misfits.is_empty() {
            open.make_room(memory);
        }
    }

    /// Finds the slots of what changed of a field, which is `some` of all, and asks for them: they mostly are in no cache,
    /// and come while the chunk behind this one is compared.
    fn find_slots(&self, layout: &Layout<'_>, field: usize, some: Range<usize>, changed: &mut Changed) {
        let (fields, gap) = (layout.shape.fields(), layout.shape.gaps[field] as usize);
        let (starts, bytes) = (self.slots.starts(), &self.bytes[..]);
        let values = changed.rows[some.clone()].iter().zip(&changed.lengths[some]);
        changed.slots.extend(values.map(|(&row, &length)| {
            let slot = row as usize * fields + field;
            let (at, next) = (starts[slot] as usize, starts[slot + 1] as usize);
            let width = next - gap - at;
            // A slot may be cut by the end of a line.
            fetch(bytes, [at, at + width - 1]);
            if usize::from(length) > width {
                // What stands beside it is about to be moved.
                for far in [LINE, 2 * LINE, 3 * LINE] {
                    fetch(bytes, [at.wrapping_sub(far), at + width + far]);
                }
                fetch(starts, [slot.wrapping_sub(NEAR), slot + NEAR]);
            }
            [at as u32, width as u32]
        }));
    }
}

impl Open<'_> {
    /// Puts what changed of a field, which is `some` of all, into its slots, as far as it fits.
    fn put_those_that_fit(&mut self, field: usize, some: Range<usize>, memory: &mut Memory) {
        let shape = self.layout.shape;
        // Loops of their own: what is nearly always so need not be asked for every value.
        match shape.pads[field] {
            Pad::Inside => self.put_each(field, some, memory, |bytes, [at, width], text, length| {
                fill_slot(&mut bytes[at..at + width], text, length.min(width));
                length <= width
            }),
            Pad::Never => self.put_each(field, some, memory, |bytes, [at, width], text, length| {
                fill_slot(&mut bytes[at..at + width], text, length.min(width));
                length == width
            }),
            Pad::Between(closing) => {
                self.put_each(field, some, memory, |bytes, [at, width], text, length| {
                    let slot = &mut bytes[at..at + width + closing];
                    self.layout.fill(field, slot, text, length.min(width));
                    length <= width
                })
            }
        }
    }

    /// Has `put` write values into their slots, of which it is given the start and the width, and say which fit.
    #[inline(always)]
    fn put_each(
        &mut self,
        field: usize,
        some: Range<usize>,
        memory: &mut Memory,
        put: impl Fn(&mut [u8], [usize; 2], &Number, usize) -> bool,
    ) {
        let Memory {
            before: changed,
            misfits,
            ..
        } = memory;
        let (fields, bytes, mut written) = (self.layout.shape.fields(), &mut self.bytes[..], 0);
        let all = changed.rows.iter().zip(&changed.slots).zip(&changed.texts);
        let all = all.zip(&changed.lengths).enumerate();
        let all = all.take(some.end).skip(some.start);
        // What does not fit is noted without a branch, which nobody could predict.
        let mut found = misfits.len();
        misfits.resize(found + some.len(), Misfit::default());
        for (i, (((&row, slot), text), &length)) in all {
            let slot = slot.map(|n| n as usize);
            misfits[found] = Misfit {
                slot: row * fields as u32 + field as u32,
                changed: i as u32,
            };
            let fits = put(bytes, slot, text, usize::from(length));
            found += usize::from(!fits);
            written += slot[1] * usize::from(fits);
        }
        misfits.truncate(found);
        self.report.bytes_rewritten += written as u64;
    }
}

/// Asks for the lines of what lies at some places.
#[inline(always)]
fn fetch<T>(all: &[T], places: [usize; 2]) {
    for at in places {
        if let Some(one) = all.get(at) {
            prefetch(one);
        }
    }
}

/// Bytes that memory is fetched by.
const LINE: usize = 64;

/// Slots between which spaces are mostly found.
const NEAR: usize = 8;
