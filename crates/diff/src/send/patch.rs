//! Writing what changed of a chunk.
//!
//! ```text
//!   masks ─▶ rows ─▶ texts ─▶ into their slots, in any order   those that fit
//!                        └──▶ one after the other              those that do not (see `room`)
//! ```
//!
//! Each step is a loop over many changed values of the chunk, so that the machine has as many of them
//! under way at once: where a value lies depends on no other's being written. Where slots lie is asked for while the chunk
//! before is written, and the slots while the chunk behind is compared.

use std::ops::Range;
use std::sync::Arc;

use super::changed::Changed;
use super::chunk::{Chunk, Open};
use super::layout::{Layout, Pad};
use super::number::{Number, fill_slot};
use super::pieces::Chunks;
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
    pub(super) events: Vec<Event>,
    pub(super) rebuilt: Rebuilt,
}

impl Memory {
    /// For rows of so many values.
    pub(crate) fn new(fields: usize) -> Memory {
        Memory {
            masks: vec![Vec::new(); fields],
            ..Memory::default()
        }
    }

    /// Lists the rows that masks give, field by field.
    pub(crate) fn list_rows(&mut self) {
        self.changed.clear();
        self.masks.iter().for_each(|masks| self.changed.take_rows(masks));
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
        memory.list_rows();
        self.prepare(layout, shadow, first, memory);
        memory.turn();
        self.put_prepared(layout, memory, report);
    }

    /// Asks for the places of what changed, of which the rows are listed.
    pub(crate) fn fetch_slots(&self, fields: usize, memory: &Memory) {
        let changed = &memory.changed;
        for field in 0..fields {
            let rows = changed.rows[changed.of(field)].iter();
            self.slots.fetch(rows.map(|&row| row as usize * fields + field));
        }
    }

    /// Makes the texts of what changed, of which the rows are listed, and asks for their slots. `shadow` has the values of
    /// the array, of which this chunk's begin at row `first`.
    pub(crate) fn prepare(&self, layout: &Layout<'_>, shadow: &[u8], first: usize, memory: &mut Memory) {
        let changed = &mut memory.changed;
        for field in 0..layout.shape.fields() {
            let some = changed.of(field);
            let column = layout.shape.column(shadow, first + self.rows, field);
            for from in some.clone().step_by(TOGETHER) {
                let some = from..some.end.min(from + TOGETHER);
                changed.format(layout, field, &column, first, some.clone());
                changed.find_slots(layout, field, some, self);
            }
        }
    }

    /// Writes what was prepared, and taken over by [`Memory::turn`].
    pub(crate) fn put_prepared(&mut self, layout: &Layout<'_>, memory: &mut Memory, report: &mut Report) {
        let mut open = self.open(layout, report);
        for field in 0..layout.shape.fields() {
            open.put_those_that_fit(field, memory.before.of(field), memory);
        }
        open.report.values_rewritten += memory.before.rows.len() as u64;
        if !memory.before.misfits.is_empty() {
            // They are written once more.
            let slots = memory.before.misfits.iter().map(|misfit| misfit.slot as usize);
            open.report.bytes_rewritten -= slots.map(|slot| open.width(slot) as u64).sum::<u64>();
            open.make_room(memory);
        }
    }
}

impl Open<'_> {
    /// Puts what changed of a field, which is `some` of all, into its slots, as far as it fits.
    fn put_those_that_fit(&mut self, field: usize, some: Range<usize>, memory: &mut Memory) {
        // Loops of their own: what is nearly always so need not be asked for every value.
        match self.layout.shape.pads[field] {
            Pad::Inside | Pad::Never => self.put_each(some, memory, |bytes, [at, width], text, length| {
                fill_slot(&mut bytes[at..at + width], text, length);
            }),
            Pad::Between(closing) => self.put_each(some, memory, |bytes, [at, width], text, length| {
                let slot = &mut bytes[at..at + width + closing];
                self.layout.fill(field, slot, text, length);
            }),
        }
    }

    /// Has `put` write values into their slots, of which it is given the start and the width. Of a misfit it is as
    /// much as its slot takes.
    #[inline(always)]
    fn put_each(
        &mut self,
        some: Range<usize>,
        memory: &Memory,
        put: impl Fn(&mut [u8], [usize; 2], &Number, usize),
    ) {
        let (changed, bytes) = (&memory.before, &mut self.bytes[..]);
        let slots = changed.slots[some.clone()].iter();
        let texts = changed.texts[some.clone()].iter().zip(&changed.lengths[some]);
        let mut written = 0;
        for (slot, (text, &length)) in slots.zip(texts) {
            let slot = slot.map(|n| n as usize);
            put(bytes, slot, text, usize::from(length).min(slot[1]));
            written += slot[1];
        }
        self.report.bytes_rewritten += written as u64;
    }
}

/// Values that are formatted before their slots are asked for: if the processor is to ask for more at once it waits.
const TOGETHER: usize = 32;
