//! The values of a chunk that changed, and how each is to be written.

use std::ops::Range;

use castile_value::Column;

use super::chunk::Chunk;
use super::compare::BLOCK;
use super::layout::{Layout, Pad};
use super::number::Number;
use super::prefetch::prefetch;

/// The values of a chunk that changed, field by field.
#[derive(Debug, Default)]
pub(super) struct Changed {
    pub(super) rows: Vec<u32>,
    /// Where those of each field end.
    ends: Vec<usize>,
    /// Where its slot begins, and how wide it is.
    pub(super) slots: Vec<[u32; 2]>,
    pub(super) texts: Vec<Number>,
    pub(super) lengths: Vec<u8>,
    pub(super) misfits: Vec<Misfit>,
}

/// A changed value that its slot cannot take.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Misfit {
    pub(super) slot: u32,
    /// Its place among those that changed.
    changed: u32,
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
        self.misfits.clear();
    }

    /// Which of all are those of a field.
    pub(super) fn of(&self, field: usize) -> Range<usize> {
        let start = field.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[field]
    }

    /// Adds the rows of another field that masks give.
    ///
    /// A block mostly has none, one or two, which nobody could predict: two are written, and as many counted as
    /// there are.
    pub(super) fn take_rows(&mut self, masks: &[u64]) {
        let mut found = self.rows.len();
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

    /// Finds the slots of some of what changed of a field, and asks for them: they mostly are in no cache. Says which of
    /// them are misfits.
    pub(super) fn find_slots(
        &mut self,
        layout: &Layout<'_>,
        field: usize,
        some: Range<usize>,
        chunk: &Chunk,
    ) {
        let (fields, gap) = (layout.shape.fields(), layout.shape.gaps[field] as usize);
        let (starts, bytes) = (chunk.slots.starts(), &chunk.bytes[..]);
        let Changed {
            rows,
            lengths,
            slots,
            misfits,
            ..
        } = self;
        // What does not fit is noted without a branch, which nobody could predict.
        let (first, mut found) = (misfits.len(), misfits.len());
        misfits.resize(first + some.len(), Misfit::default());
        let exact = layout.shape.pads[field] == Pad::Never;
        let values = rows[some.clone()].iter().zip(&lengths[some.clone()]);
        slots.extend(values.zip(some).map(|((&row, &length), i)| {
            let slot = row as usize * fields + field;
            let (at, next) = (starts[slot] as usize, starts[slot + 1] as usize);
            let (length, width) = (usize::from(length), next - gap - at);
            // A slot may be cut by the end of a line.
            fetch(bytes, [at, at + width - 1]);
            misfits[found] = Misfit {
                slot: slot as u32,
                changed: i as u32,
            };
            found += usize::from(length > width || exact && length < width);
            [at as u32, width as u32]
        }));
        misfits.truncate(found);
        let misfits = misfits[first..].iter();
        misfits.for_each(|misfit| fetch_beside(misfit.slot as usize, starts, bytes));
    }
}

/// Asks for what stands beside a slot and is about to be moved.
fn fetch_beside(slot: usize, starts: &[u32], bytes: &[u8]) {
    let (at, end) = (starts[slot] as usize, starts[slot + 1] as usize);
    for far in [LINE, 2 * LINE, 3 * LINE] {
        fetch(bytes, [at.wrapping_sub(far), end + far]);
    }
    fetch(starts, [slot.wrapping_sub(NEAR), slot + NEAR]);
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
