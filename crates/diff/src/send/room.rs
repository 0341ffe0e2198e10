//! Room for values that their slots cannot take.
//!
//! ```text
//!   before   ─ a ─ bb ─ c·· ─ d ─        what is to be put: a becomes aaa
//!   after    ─ aaa ─ bb ─ c ─ d ─        the nearest spaces are taken, and only what lies between was moved
//! ```
//!
//! Where a few values of a chunk grow each takes spaces so. Where many do, and where there are no spaces, every value
//! that needs another width is an event, and so is every slot that gets spaces for the next that grow. What lies between
//! two events is moved once, by the sum of those before it; so a chunk is moved once at most, however many of its
//! values grow.

use std::ops::Range;

use castile_codec::RowWriter;

use super::chunk::{Open, trim};
use super::layout::Pad;
use super::patch::{Changed, Memory, Misfit};

/// A slot whose width changes, and by how much.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    slot: u32,
    by: i32,
    /// The slot's width before.
    width: u32,
    /// Where what lies behind the slot, and behind a closing tag that is moved with its value, began.
    behind: usize,
    /// How far that is moved.
    moved: isize,
}

impl Open<'_> {
    /// Puts the misfits into the chunk: all in one pass, or with [`Options::one_pass`] off each by itself.
    ///
    /// [`Options::one_pass`]: super::options::Options::one_pass
    pub(super) fn make_room(&mut self, memory: &mut Memory) {
        let Memory {
            changed,
            misfits,
            events,
            ..
        } = memory;
        misfits.sort_unstable_by_key(|misfit| misfit.slot);
        let options = self.layout.options;
        if !options.one_pass || misfits.len() <= FEW.max(self.slots.len() / SPARSE) {
            // What they have left is theirs.
            misfits
                .iter()
                .for_each(|misfit| self.slots.set_spare(misfit.slot as usize, 0));
            misfits.retain(|misfit| !self.steal(misfit, changed));
        }
        let spreads = misfits.len() <= FEW;
        let at_once = if options.one_pass { misfits.len() } else { 1 };
        for misfits in misfits.chunks(at_once.max(1)) {
            self.slots.find_places();
            self.plan(misfits, changed, events, spreads);
            self.slide(events);
            self.put(misfits, changed, events);
            self.move_places(events);
        }
        trim(self.bytes, options.reserve_bytes);
    }

    /// Takes what a value that grew lacks from the nearest slot that has so many spaces, and moves what lies between;
    /// `false` when none has.
    fn steal(&mut self, misfit: &Misfit, changed: &Changed) -> bool {
        let slot = misfit.slot as usize;
        let (text, length) = changed.text(misfit);
        let by = length.saturating_sub(self.slots.width(slot));
        let reach = self.layout.options.steal_reach;
        let Some(victim) = self.slots.nearest(slot, by, reach).filter(|_| by > 0) else {
            return false;
        };
        let (mut start, mut end) = (self.place(slot), self.behind(slot));
        if slot < victim {
            self.shift(end..self.behind(victim) - by, by as isize);
            self.slots.move_places(slot + 1..victim + 1, by as isize);
            end += by;
        } else {
            self.shift(self.behind(victim)..start, -(by as isize));
            self.slots.move_places(victim + 1..slot + 1, -(by as isize));
            start -= by;
        }
        let field = slot % self.layout.shape.fields();
        self.layout.fill(field, &mut self.bytes[start..end], text, length);
        self.slots.resize(slot, length, length);
        self.slots.narrow_by(victim, by);
        self.report.bytes_rewritten += length as u64;
        self.report.widths_stolen += 1;
        true
    }

    /// Where a slot begins.
    fn place(&self, slot: usize) -> usize {
        self.slots.before(slot) + self.layout.shape.gaps_before_slot(slot)
    }

    /// Where what lies behind a slot, and behind a closing tag that is moved with its value, begins.
    fn behind(&self, slot: usize) -> usize {
        let closing = self.layout.closing(slot % self.layout.shape.fields());
        self.place(slot) + self.slots.width(slot) + closing
    }

    /// Says which slots get other widths, in order, and how far what lies behind each is moved.
    fn plan(&mut self, misfits: &[Misfit], changed: &Changed, events: &mut Vec<Event>, spreads: bool) {
        // Of many each gets room of its own; behind the first of a few the next that grow shall find some.
        let slack = self.layout.slack();
        let more = if spreads { 0 } else { slack.min(MORE) };
        let mut poor = None;
        events.clear();
        for misfit in misfits {
            let slot = misfit.slot as usize;
            let (_, length) = changed.text(misfit);
            let width = self.slots.width(slot);
            let grows = length > width;
            let more = if grows { more } else { 0 };
            events.push(Event::new(slot, (length + more) as i32 - width as i32));
            poor = poor.or(Some(slot).filter(|_| grows));
        }
        if let Some(slot) = poor.filter(|_| spreads && slack > 0) {
            self.spread(slot, events);
            events.sort_unstable_by_key(|event| event.slot);
            events.dedup_by(|next, event| {
                let same = next.slot == event.slot;
                event.by += if same { next.by } else { 0 };
                same
            });
        }
        self.find(events);
    }

    /// Gives spaces to slots here and there behind `slot` where there are few.
    fn spread(&mut self, slot: usize, events: &mut Vec<Event>) {
        let (shape, slack) = (self.layout.shape, self.layout.slack());
        for first in (slot..self.slots.len()).step_by(SPREAD) {
            let end = self.slots.len().min(first + SPREAD);
            let widest = WIDTH_MAX.saturating_sub(slack);
            let fits = |slot: &usize| {
                shape.pads[slot % shape.fields()] != Pad::Never && self.slots.width(*slot) <= widest
            };
            if self.slots.spare_of(first..end) < slack
                && let Some(slot) = (first..end).rev().find(fits)
            {
                self.slots
                    .set_spare(slot, self.slots.spare_of(slot..slot + 1) + slack);
                events.push(Event::new(slot, slack as i32));
            }
        }
    }

    /// Says where the slots lie, and how far what lies behind each is moved.
    fn find(&self, events: &mut [Event]) {
        let mut moved = 0;
        for event in events {
            let slot = event.slot as usize;
            moved += event.by as isize;
            event.width = self.slots.width(slot) as u32;
            event.behind = self.behind(slot);
            event.moved = moved;
        }
    }

    /// Moves what lies between the events: what goes to the left from the left on, then what goes to the
    /// right from the right on, so that nothing is written over before it was moved.
    fn slide(&mut self, events: &[Event]) {
        let end = self.bytes.len();
        let longer = events.last().map_or(0, |event| event.moved);
        if longer > 0 {
            let longer = longer.unsigned_abs();
            if self.bytes.capacity() < end + longer {
                self.bytes
                    .reserve_exact(longer + self.layout.options.reserve_bytes);
            }
            self.bytes.resize(end + longer, b' ');
        }
        let stretch = |i: usize| {
            let to = events.get(i + 1).map_or(end, |next| next.kept());
            (events[i].behind..to, events[i].moved)
        };
        for (from, by) in (0..events.len()).map(stretch).filter(|(_, by)| *by < 0) {
            self.shift(from, by);
        }
        for (from, by) in (0..events.len()).rev().map(stretch).filter(|(_, by)| *by > 0) {
            self.shift(from, by);
        }
        if longer < 0 {
            self.bytes.truncate(end.saturating_add_signed(longer));
        }
    }

    fn shift(&mut self, from: Range<usize>, by: isize) {
        self.report.bytes_shifted += from.len() as u64;
        let to = from.start.saturating_add_signed(by);
        self.bytes.copy_within(from, to);
    }

    /// Writes the misfits, and the spaces of slots that got some.
    fn put(&mut self, misfits: &[Misfit], changed: &Changed, events: &[Event]) {
        let mut misfits = misfits.iter().peekable();
        for event in events {
            let (slot, old) = (event.slot as usize, event.width as usize);
            let width = old.saturating_add_signed(event.by as isize);
            let end = event.behind.saturating_add_signed(event.moved);
            if let Some(misfit) = misfits.next_if(|misfit| misfit.slot == event.slot) {
                let (text, length) = changed.text(misfit);
                let field = slot % self.layout.shape.fields();
                let start = end - width - self.layout.closing(field);
                self.layout.fill(field, &mut self.bytes[start..end], text, length);
                self.report.bytes_rewritten += width as u64;
                self.slots.resize(slot, width, length);
            } else {
                self.bytes[end - width.saturating_sub(old)..end].fill(b' ');
                self.slots
                    .resize(slot, width, width - self.slots.spare_of(slot..slot + 1));
            }
        }
    }

    /// Says where slots lie now.
    fn move_places(&mut self, events: &[Event]) {
        for (i, event) in events.iter().enumerate().filter(|(_, event)| event.moved != 0) {
            let end = events
                .get(i + 1)
                .map_or(self.slots.len(), |next| next.slot as usize + 1);
            self.slots.move_places(event.slot as usize + 1..end, event.moved);
        }
    }
}

impl Event {
    fn new(slot: usize, by: i32) -> Event {
        Event {
            slot: slot as u32,
            by,
            width: 0,
            behind: 0,
            moved: 0,
        }
    }

    /// Where what lay before ends of which something is kept: a slot that becomes narrower loses its end.
    fn kept(&self) -> usize {
        self.behind.saturating_add_signed((self.by as isize).min(0))
    }
}

/// Misfits that found no spaces, up to which others are given some that the next may take.
const FEW: usize = 3;

/// Slots of a chunk for each misfit, from which on taking spaces one by one is cheaper than moving nearly all once.
const SPARSE: usize = 64;

/// Spaces that each of many values that grow gets beyond its length: most are about as long as the next.
const MORE: usize = 1;

/// Slots of which one gets spaces.
const SPREAD: usize = 8;

/// A slot may be 255 wide, and that of a value that grows is about to become wider.
const WIDTH_MAX: usize = 255 - RowWriter::NUMBER;
