//! Writing what changed of a chunk.
//!
//! ```text
//!   masks ─▶ rows ─▶ texts ─▶ into their slots, in any order   those that fit
//!                        └──▶ one after the other              those that do not (see `room`)
//! ```
//!
//! Each step is a loop over all changed values of the chunk, so that the machine has many of them
//! under way at once: where a value lies depends on no other's being written.

use std::sync::Arc;

use castile_value::Column;

use super::chunk::Chunk;
use super::compare::BLOCK;
use super::layout::Layout;
use super::number::{Number, fill_slot};
use super::prefetch::prefetch;
use super::report::Report;
use super::slots::Places;

/// What comparing and patching write into, kept for its memory.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// Of each value of a row, which rows of a chunk changed.
    pub(crate) masks: Vec<Vec<u64>>,
    pub(super) changed: Changed,
    pub(super) places: Places,
    pub(super) misfits: Vec<Misfit>,
    /// A chunk that is put together anew.
    pub(super) chunk: Vec<u8>,
}

/// The values of a chunk that changed, field by field.
#[derive(Debug, Default)]
pub(super) struct Changed {
    rows: Vec<u32>,
    texts: Vec<Number>,
    lengths: Vec<u8>,
}

/// A changed value that its slot cannot take.
#[derive(Clone, Copy, Debug)]
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

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> usize {
        self.chunk.capacity() + self.changed.texts.capacity() * size_of::<Number>()
    }
}

impl Changed {
    /// The text of one, with room behind it, and its length.
    pub(super) fn text(&self, misfit: &Misfit) -> (&Number, usize) {
        let i = misfit.changed as usize;
        (&self.texts[i], usize::from(self.lengths[i]))
    }

    /// Adds the rows that a mask gives.
    fn take_rows(&mut self, masks: &[u64]) {
        for (block, &mask) in masks.iter().enumerate() {
            let mut rows = mask;
            while rows != 0 {
                self.rows.push((block * BLOCK) as u32 + rows.trailing_zeros());
                rows &= rows - 1;
            }
        }
    }

    /// Formats the values of a field in the rows from `start` on.
    fn format(&mut self, layout: &Layout<'_>, field: usize, column: &Column<'_>, first: usize, start: usize) {
        let count = self.rows.len();
        if self.texts.len() < count {
            self.texts.resize(count, [0; _]);
            self.lengths.resize(count, 0);
        }
        layout.shape.writer.put_each(
            field,
            column,
            first,
            &self.rows[start..],
            &mut self.texts[start..count],
            &mut self.lengths[start..count],
        );
    }
}

impl Chunk {
    /// Writes changed values into their slots. Bit `row % 64` of mask `[field][row / 64]` says which;
    /// `columns` and `first` say where this chunk's rows lie.
    pub(crate) fn patch(
        &mut self,
        layout: &Layout<'_>,
        columns: &[Column<'_>],
        first: usize,
        memory: &mut Memory,
        report: &mut Report,
    ) {
        self.own(layout.options, report);
        memory.places.find(&self.slots.widths);
        memory.changed.rows.clear();
        memory.misfits.clear();
        for (field, column) in columns.iter().enumerate() {
            let start = memory.changed.rows.len();
            memory.changed.take_rows(&memory.masks[field]);
            self.fetch_slots(layout, field, start, memory);
            memory.changed.format(layout, field, column, first, start);
            self.put_those_that_fit(layout, field, start, memory, report);
        }
        report.values_rewritten += memory.changed.rows.len() as u64;
        if !memory.misfits.is_empty() {
            self.make_room(layout, memory, report);
        }
    }

    /// Asks for the slots that are about to be written, which mostly are in no cache: they come while the
    /// values are formatted.
    fn fetch_slots(&self, layout: &Layout<'_>, field: usize, start: usize, memory: &Memory) {
        let fields = layout.shape.fields();
        for &row in &memory.changed.rows[start..] {
            let row = row as usize;
            let at = memory.places.before(row * fields + field) + layout.shape.gaps_before(row, field);
            // A slot that is cut by the end of a line.
            for at in [at, at + LIKELY] {
                if let Some(byte) = self.bytes.get(at) {
                    prefetch(byte);
                }
            }
        }
    }

    /// Puts what changed of a field from `start` on into its slots, as far as it fits.
    fn put_those_that_fit(
        &mut self,
        layout: &Layout<'_>,
        field: usize,
        start: usize,
        memory: &mut Memory,
        report: &mut Report,
    ) {
        let Memory {
            changed,
            places,
            misfits,
            ..
        } = memory;
        let bytes = Arc::make_mut(&mut self.bytes);
        let fields = layout.shape.fields();
        for (i, text) in changed.texts[..changed.rows.len()].iter().enumerate().skip(start) {
            let (row, length) = (changed.rows[i] as usize, usize::from(changed.lengths[i]));
            let slot = row * fields + field;
            let width = usize::from(self.slots.widths[slot]);
            if !layout.fits(field, width, length) {
                misfits.push(Misfit {
                    slot: slot as u32,
                    changed: i as u32,
                });
                continue;
            }
            let at = places.before(slot) + layout.shape.gaps_before(row, field);
            fill_slot(&mut bytes[at..at + width], text, length);
            self.slots.set(slot, width, length);
            report.bytes_rewritten += width as u64;
        }
    }
}

/// Bytes of a slot, mostly.
const LIKELY: usize = 18;
