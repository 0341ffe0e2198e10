//! Room for values that their slots cannot take.
//!
//! ```text
//!   before   ─ a ─ bb ─ c·· ─ d ─        what is to be put: a becomes aaa
//!   events       +2      -2              the nearest spaces are taken
//!   after    ─ aaa ─ bb ─ c ─ d ─        only what lies between was moved
//! ```
//!
//! Every value that needs another width is an event, and so is every slot that gives spaces away, or gets
//! some for the next that grow. What lies between two events is moved once, by the sum of those before it,
//! which mostly is nothing; so a chunk is moved once at most, however many of its values grow.

use std::ops::Range;
use std::sync::Arc;

use castile_codec::RowWriter;

use super::chunk::{Chunk, trim};
use super::layout::{Layout, Pad};
use super::patch::{Changed, Memory, Misfit};
use super::report::Report;
use super::slots::Slots;

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

impl Chunk {
    /// Puts the misfits into the chunk: all in one pass, or with [`Options::one_pass`] off each by itself.
    ///
    /// [`Options::one_pass`]: super::options::Options::one_pass
    pub(super) fn make_room(&mut self, layout: &Layout<'_>, memory: &mut Memory, report: &mut Report) {
        let Memory {
            changed,
            misfits,
            events,
            ..
        } = memory;
        misfits.sort_unstable_by_key(|misfit| misfit.slot);
        let at_once = if layout.options.one_pass { misfits.len() } else { 1 };
        let mut room = Room {
            layout,
            bytes: Arc::make_mut(&mut self.bytes),
            slots: Arc::make_mut(&mut self.slots),
            report,
        };
        for misfits in misfits.chunks(at_once) {
            room.plan(misfits, changed, events);
            room.slide(events);
            room.put(misfits, changed, events);
            room.move_places(events);
        }
        trim(room.bytes, layout.options.reserve_bytes);
    }
}

/// A chunk whose slots are given other widths.
struct Room<'c> {
    layout: &'c Layout<'c>,
    bytes: &'c mut Vec<u8>,
    slots: &'c mut Slots,
    report: &'c mut Report,
}

impl Room<'_> {
    /// Says which slots get other widths, in order, and how far what lies behind each is moved.
    fn plan(&mut self, misfits: &[Misfit], changed: &Changed, events: &mut Vec<Event>) {
        self.slots.find_places();
        events.clear();
        if misfits.len() > FEW {
            self.plan_many(misfits, changed, events);
        } else {
            self.plan_few(misfits, changed, events);
            events.sort_unstable_by_key(|event| event.slot);
            events.dedup_by(|next, event| {
                let same = next.slot == event.slot;
                event.by += if same { next.by } else { 0 };
                same
            });
        }
        self.place(events);
    }

    /// Where many values grow, nearly all has to be moved anyway, and each gets room of its own.
    fn plan_many(&self, misfits: &[Misfit], changed: &Changed, events: &mut Vec<Event>) {
        let more = self.layout.slack().min(MORE);
        events.extend(misfits.iter().map(|misfit| {
            let (_, length) = changed.text(misfit);
            let width = self.slots.width(misfit.slot as usize);
            let more = if length > width { more } else { 0 };
            Event::new(misfit.slot as usize, (length + more) as i32 - width as i32)
        }));
    }

    /// A few take spaces from others. Where there are none all that lies behind is moved, and the next that
    /// grow shall find some there.
    fn plan_few(&mut self, misfits: &[Misfit], changed: &Changed, events: &mut Vec<Event>) {
        // What they have left is theirs.
        misfits
            .iter()
            .for_each(|misfit| self.slots.set_spare(misfit.slot as usize, 0));
        let mut poor = None;
        for misfit in misfits {
            let slot = misfit.slot as usize;
            let (_, length) = changed.text(misfit);
            let width = self.slots.width(slot);
            events.push(Event::new(slot, length as i32 - width as i32));
            if length > width && !self.take(slot, length - width, events) {
                poor = poor.or(Some(slot));
            }
        }
        if let Some(slot) = poor.filter(|_| self.layout.slack() > 0) {
            self.spread(slot, events);
        }
    }

    /// Takes spaces from the nearest slot that has so many; `false` when none does.
    fn take(&mut self, slot: usize, by: usize, events: &mut Vec<Event>) -> bool {
        let Some(victim) = self.slots.nearest(slot, by, self.layout.options.steal_reach) else {
            return false;
        };
        self.slots
            .set_spare(victim, self.slots.spare_of(victim..victim + 1) - by);
        events.push(Event::new(victim, -(by as i32)));
        self.report.widths_stolen += 1;
        true
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
    fn place(&self, events: &mut [Event]) {
        let mut moved = 0;
        for event in events {
            let slot = event.slot as usize;
            let width = self.slots.width(slot);
            moved += event.by as isize;
            event.width = width as u32;
            let closing = self.layout.closing(slot % self.layout.shape.fields());
            event.behind =
                self.slots.before(slot) + self.layout.shape.gaps_before_slot(slot) + width + closing;
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

/// Misfits of a chunk up to which they take spaces from others.
const FEW: usize = 3;

/// Spaces that each of many values that grow gets beyond its length: most are about as long as the next.
const MORE: usize = 1;

/// Slots of which one gets spaces.
const SPREAD: usize = 8;

/// A slot may be 255 wide, and that of a value that grows is about to become wider.
const WIDTH_MAX: usize = 255 - RowWriter::NUMBER;
