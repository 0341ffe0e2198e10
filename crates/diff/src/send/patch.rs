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
use super::layout::Layout;
use super::number::Number;
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
    pub(super) misfits: Vec<Misfit>,
    pub(super) events: Vec<Event>,
    pub(super) rebuilt: Rebuilt,
}

/// The values of a chunk that changed, field by field.
#[derive(Debug, Default)]
pub(super) struct Changed {
    pub(super) rows: Vec<u32>,
    /// Where its slot lies.
    places: Vec<u32>,
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

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> usize {
        self.changed.texts.capacity() * size_of::<Number>() + self.events.capacity() * size_of::<Event>()
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
        self.places.clear();
    }

    /// Adds the rows that a mask gives.
    ///
    /// A block mostly has none, one or two, which nobody could predict: two are written, and as many counted as
    /// there are.
    pub(super) fn take_rows(&mut self, masks: &[u64]) {
        let mut found = self.rows.len();
        for (block, &mask) in masks.iter().enumerate() {
            let (first, mut left) = ((block * BLOCK) as u32, mask);
            self.rows.resize(found + BLOCK, 0);
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
        let rows = self.rows;
        let mut open = self.open(layout, report);
        open.slots.find_places();
        memory.changed.clear();
        memory.misfits.clear();
        for field in 0..layout.shape.fields() {
            let start = memory.changed.rows.len();
            memory.changed.take_rows(&memory.masks[field]);
            let column = layout.shape.column(shadow, first + rows, field);
            for some in groups(start..memory.changed.rows.len()) {
                open.find_slots(field, some.clone(), &mut memory.changed);
                memory.changed.format(layout, field, &column, first, some);
            }
            open.put_those_that_fit(field, start, memory);
        }
        open.report.values_rewritten += memory.changed.rows.len() as u64;
        if !memory.misfits.is_empty() {
            open.make_room(memory);
        }
    }
}

impl Open<'_> {
    /// Finds the slots of what changed of a field, and asks for those that are about to be
    /// written, which mostly are in no cache: they come while the values are formatted.
    fn find_slots(&self, field: usize, some: Range<usize>, changed: &mut Changed) {
        let (shape, bytes) = (self.layout.shape, &self.bytes[..]);
        let fields = shape.fields();
        let Changed { rows, places, .. } = changed;
        places.extend(rows[some].iter().map(|&row| {
            let row = row as usize;
            let at = self.slots.before(row * fields + field) + shape.gaps_before(row, field);
            // A slot that is cut by the end of a line.
            for at in [at, at + LIKELY] {
                if let Some(byte) = bytes.get(at) {
                    prefetch(byte);
                }
            }
            at as u32
        }));
    }

    /// Puts what changed of a field from `start` on into its slots, as far as it fits.
    fn put_those_that_fit(&mut self, field: usize, start: usize, memory: &mut Memory) {
        let Memory { changed, misfits, .. } = memory;
        let (layout, bytes, slots) = (self.layout, &mut self.bytes[..], &mut *self.slots);
        let (fields, closing, mut written) = (layout.shape.fields(), layout.closing(field), 0);
        let all = changed.rows.iter().zip(&changed.places).zip(&changed.texts);
        let all = all.zip(&changed.lengths).enumerate().skip(start);
        // What does not fit is noted without a branch, which nobody could predict.
        let mut found = misfits.len();
        misfits.resize(found + changed.rows.len() - start, Misfit::default());
        for (i, (((&row, &at), text), &length)) in all {
            let (at, length) = (at as usize, usize::from(length));
            let slot = row as usize * fields + field;
            let width = slots.width(slot);
            misfits[found] = Misfit {
                slot: slot as u32,
                changed: i as u32,
            };
            let fits = layout.fits(field, width, length);
            found += usize::from(!fits);
            written += width * usize::from(fits);
            let length = length.min(width);
            layout.fill(field, &mut bytes[at..at + width + closing], text, length);
            slots.set_spare(slot, width - length);
        }
        misfits.truncate(found);
        self.report.bytes_rewritten += written as u64;
    }
}

/// Some at a time of the values that changed. The processor asks for a few lines of memory at once; if it is to ask for
/// more it waits, and does nothing else meanwhile.
pub(super) fn groups(all: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = all.end;
    all.step_by(TOGETHER)
        .map(move |from| from..end.min(from + TOGETHER))
}

/// Values of a group.
pub(super) const TOGETHER: usize = 8;

/// Bytes of a slot, mostly.
const LIKELY: usize = 18;
