//! Room for values that their slots cannot take.
//!
//! ```text
//!   steal     ─ value ┬ ····· ┬ other spaces ─        the nearest spaces; what lies between moves
//!   shift     ─ value ┬ ····················          all that lies behind moves
//!   rebuild   one pass over the chunk: what stays is copied once, however many values grow, and every
//!             so many slots get spaces, so that the next that grow find some to steal nearby
//! ```

use std::sync::Arc;

use super::chunk::{Chunk, trim};
use super::layout::Layout;
use super::number::fill_slot;
use super::patch::{Changed, Memory, Misfit};
use super::report::Report;
use super::slots::Slots;

impl Chunk {
    /// Puts the misfits into the chunk.
    ///
    /// Where they are few, each steals, or moves what lies behind it. Where they are many, or enough was
    /// moved, or there is nothing to steal, the chunk is rebuilt with those that are left.
    pub(super) fn make_room(&mut self, layout: &Layout<'_>, memory: &mut Memory, report: &mut Report) {
        memory.misfits.sort_unstable_by_key(|misfit| misfit.slot);
        let Memory { changed, misfits, .. } = memory;
        let one_pass = layout.options.one_pass;
        let mut cursor = Cursor {
            layout,
            may_move: if one_pass {
                self.bytes.len() / 2
            } else {
                usize::MAX
            },
            bytes: Arc::make_mut(&mut self.bytes),
            slots: &mut self.slots,
            slot: 0,
            at: 0,
            report,
        };
        let many = one_pass && misfits.len() > FEW;
        let put = |misfit: &&Misfit| !many && cursor.put(misfit, changed);
        let done = misfits.iter().take_while(put).count();
        if done < misfits.len() {
            misfits.drain(..done);
            self.rebuild(layout, memory, report);
        }
    }

    /// Puts the chunk together anew, with the misfits in slots of their own lengths.
    fn rebuild(&mut self, layout: &Layout<'_>, memory: &mut Memory, report: &mut Report) {
        let Memory {
            changed,
            places,
            misfits,
            chunk: new,
            ..
        } = memory;
        let (shape, slack) = (layout.shape, layout.slack());
        let old = Arc::make_mut(&mut self.bytes);
        let slots = &mut self.slots;
        places.find(&slots.widths);
        let start = |slot: usize| places.before(slot) + shape.gaps_before_slot(slot);
        report.bytes_shifted += old.len() as u64;
        new.clear();
        new.reserve_exact(old.len() + layout.options.reserve_bytes);
        let (mut from, mut misfits) = (0, misfits.iter().peekable());
        for first in (0..slots.widths.len()).step_by(SPREAD) {
            let end = slots.widths.len().min(first + SPREAD);
            while let Some(misfit) = misfits.next_if(|misfit| (misfit.slot as usize) < end) {
                let (slot, (text, length)) = (misfit.slot as usize, changed.text(misfit));
                new.extend_from_slice(&old[from..start(slot)]);
                new.extend_from_slice(&text[..length]);
                from = start(slot) + places.width(slot);
                slots.set(slot, length, length);
                report.bytes_rewritten += length as u64;
            }
            let Some(slot) = (first..end).rev().find(|slot| shape.pads[slot % shape.fields()]) else {
                continue;
            };
            let behind = start(slot) + places.width(slot);
            // A misfit behind it was put already: there is the next block.
            if behind >= from && slots.spare_of(first..end) < slack && slots.widen(slot, slack) {
                new.extend_from_slice(&old[from..behind]);
                new.resize(new.len() + slack, b' ');
                from = behind;
            }
        }
        new.extend_from_slice(&old[from..]);
        std::mem::swap(new, old);
        trim(old, layout.options);
    }
}

/// Goes through a chunk from misfit to misfit.
struct Cursor<'c> {
    layout: &'c Layout<'c>,
    bytes: &'c mut Vec<u8>,
    slots: &'c mut Slots,
    /// The slot it stands at, and where that lies.
    slot: usize,
    at: usize,
    /// Bytes that may still be moved.
    may_move: usize,
    report: &'c mut Report,
}

impl Cursor<'_> {
    /// Writes a value; `false` when there is no room for it.
    fn put(&mut self, misfit: &Misfit, changed: &Changed) -> bool {
        let slot = misfit.slot as usize;
        self.at += self.layout.shape.distance(&self.slots.widths, self.slot, slot);
        self.slot = slot;
        let (text, length) = changed.text(misfit);
        let width = usize::from(self.slots.widths[slot]);
        let found = length > width && self.steal(length - width);
        // Where there will be spaces to steal it is better to make some.
        if !found && (length > width && self.layout.slack() > 0 || !self.shift(width, length)) {
            return false;
        }
        let width = usize::from(self.slots.widths[slot]);
        self.report.bytes_rewritten += width as u64;
        fill_slot(&mut self.bytes[self.at..self.at + width], text, length);
        self.slots.set(slot, width, length);
        true
    }

    /// Takes `by` bytes from the spaces of the nearest slot that has them, moving only what lies between.
    fn steal(&mut self, by: usize) -> bool {
        let reach = self.layout.options.steal_reach;
        let Some(victim) = self.slots.nearest(self.slot, by, reach) else {
            return false;
        };
        let (shape, widths) = (&self.layout.shape, &self.slots.widths);
        let (moved, to);
        if victim > self.slot {
            let from = self.at + usize::from(widths[self.slot]);
            let theirs = self.at + shape.distance(widths, self.slot, victim);
            (moved, to) = (from..theirs + usize::from(widths[victim]) - by, from + by);
        } else {
            let theirs = self.at - shape.distance(widths, victim, self.slot);
            let from = theirs + usize::from(widths[victim]);
            (moved, to) = (from..self.at, from - by);
        }
        let bytes = moved.len();
        if bytes > self.may_move {
            return false;
        }
        self.bytes.copy_within(moved, to);
        self.at -= if victim < self.slot { by } else { 0 };
        self.slots.give(victim, self.slot, by);
        self.moved(bytes);
        self.report.widths_stolen += 1;
        true
    }

    /// Gives the slot its value's length by moving all that lies behind it.
    fn shift(&mut self, width: usize, length: usize) -> bool {
        let (behind, end) = (self.at + width, self.bytes.len());
        if end - behind > self.may_move {
            return false;
        }
        if length > width {
            self.bytes.resize(end + length - width, b' ');
        }
        self.bytes.copy_within(behind..end, self.at + length);
        self.bytes.truncate(end + length - width);
        self.slots.set(self.slot, length, length);
        self.moved(end - behind);
        true
    }

    fn moved(&mut self, bytes: usize) {
        self.may_move -= bytes;
        self.report.bytes_shifted += bytes as u64;
    }
}

/// Misfits of a chunk up to which moving a part of it for each is less than copying it once.
const FEW: usize = 8;

/// Slots of which one gets spaces.
const SPREAD: usize = 64;
