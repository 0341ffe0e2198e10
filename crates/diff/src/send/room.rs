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

use super::changed::{Changed, Misfit};
use super::chunk::{Open, trim};
use super::layout::Pad;
use super::patch::Memory;

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
            before: changed,
            events,
            ..
        } = memory;
        let mut misfits = std::mem::take(&mut changed.misfits);
        misfits.sort_unstable_by_key(|misfit| misfit.slot);
        let options = self.layout.options;
        let few = !options.one_pass || misfits.len() <= FEW.max(self.slots.len() / SPARSE);
        if few && !self.layout.shape.is_exact() {
            misfits.retain(|misfit| !self.steal(misfit, changed));
        }
        let spreads = misfits.len() <= FEW;
        let at_once = if options.one_pass { misfits.len() } else { 1 };
        for misfits in misfits.chunks(at_once.max(1)) {
            self.plan(misfits, changed, events, spreads);
            self.slide(events);
            self.put(misfits, changed, events);
            self.move_places(events);
        }
        changed.misfits = misfits;
        trim(self.bytes, options.reserve_bytes);
    }

    /// Takes what a value that grew lacks from the nearest slot that has so many spaces, and moves what lies between;
    /// `false` when none has.
    fn steal(&mut self, misfit: &Misfit, changed: &Changed) -> bool {
        let slot = misfit.slot as usize;
        let (text, length) = changed.text(misfit);
        let by = length.saturating_sub(self.width(slot));
        let reach = self.layout.options.steal_reach;
        let Some(victim) = self.nearest(slot, by, reach).filter(|_| by > 0) else {
            return false;
        };
        let (mut start, mut end) = (self.slots.start(slot), self.behind(slot));
        if slot < victim {
            self.shift(end..self.behind(victim) - by, by as isize);
            self.slots.shift(slot + 1..victim + 1, by as isize);
            end += by;
        } else {
            self.shift(self.behind(victim)..start, -(by as isize));
            self.slots.shift(victim + 1..slot + 1, -(by as isize));
            start -= by;
        }
        let field = self.layout.shape.field(slot);
        self.layout.fill(field, &mut self.bytes[start..end], text, length);
        self.report.bytes_rewritten += length as u64;
        self.report.widths_stolen += 1;
        true
    }

    /// The nearest other slot within `reach` with at least `by` spaces.
    fn nearest(&self, slot: usize, by: usize, reach: usize) -> Option<usize> {
        let count = self.slots.len();
        for far in 1..=reach.min(slot.max(count - slot)) {
            if slot + far < count && self.has_spaces(slot + far, by) {
                return Some(slot + far);
            }
            if far <= slot && self.has_spaces(slot - far, by) {
                return Some(slot - far);
            }
        }
        None
    }

    /// Whether a slot has so many spaces.
    #[inline]
    fn has_spaces(&self, slot: usize, by: usize) -> bool {
        self.bytes[self.behind(slot) - 1] == b' ' && self.spaces(slot) >= by
    }

    /// Where what lies behind a slot, and behind a closing tag that is moved with its value, begins.
    fn behind(&self, slot: usize) -> usize {
        let shape = self.layout.shape;
        let field = shape.field(slot);
        self.slots.start(slot + 1) + shape.closing(field) - shape.gaps[field] as usize
    }

    /// Bytes of a slot.
    pub(super) fn width(&self, slot: usize) -> usize {
        let gap = self.layout.shape.gaps[self.layout.shape.field(slot)];
        self.slots.start(slot + 1) - self.slots.start(slot) - gap as usize
    }

    /// Spaces at the end of a slot, or behind a closing tag that is moved with its value.
    fn spaces(&self, slot: usize) -> usize {
        let bytes = &self.bytes[self.slots.start(slot)..self.behind(slot)];
        bytes.iter().rev().take_while(|byte| **byte == b' ').count()
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
            let width = self.width(slot);
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
            let some = first..self.slots.len().min(first + SPREAD);
            let spaces = some.clone().map(|slot| self.spaces(slot)).sum::<usize>();
            let takes = |slot: &usize| shape.pads[shape.field(*slot)] != Pad::Never;
            if spaces < slack
                && let Some(slot) = some.rev().find(takes)
            {
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
            event.width = self.width(slot) as u32;
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
                let field = self.layout.shape.field(slot);
                let start = end - width - self.layout.closing(field);
                self.layout.fill(field, &mut self.bytes[start..end], text, length);
                self.report.bytes_rewritten += width as u64;
            } else {
                self.bytes[end - width.saturating_sub(old)..end].fill(b' ');
            }
        }
    }

    /// Says where slots lie now.
    fn move_places(&mut self, events: &[Event]) {
        for (i, event) in events.iter().enumerate().filter(|(_, event)| event.moved != 0) {
            let last = events
                .get(i + 1)
                .map_or(self.slots.len(), |next| next.slot as usize);
            self.slots.shift(event.slot as usize + 1..last + 1, event.moved);
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

#[cfg(test)]
mod tests {
    use castile_codec::RowWriter;
    use castile_value::{Column, DType};

    use super::super::chunk::Chunk;
    use super::super::layout::{Layout, Shape};
    use super::super::options::Options;
    use super::super::report::Report;
    use super::*;

    /// A chunk of ints, and what it says.
    struct Kept {
        values: Vec<i32>,
        chunk: Chunk,
        shape: Shape,
        options: Options,
    }

    impl Kept {
        fn new(values: &[i32], options: Options) -> Kept {
            let writer = RowWriter::sample(DType::I32);
            let pad = Pad::of(&writer, 0, &options);
            let mut kept = Kept {
                values: values.to_vec(),
                chunk: Chunk::default(),
                shape: Shape::new(writer, vec![pad]),
                options,
            };
            let bytes = kept.bytes();
            let columns = [Column::new(&bytes, 4, DType::I32, values.len()).expect("so many values")];
            let mut chunk = Chunk::default();
            chunk.fill(&kept.layout(), &columns, 0..values.len(), usize::MAX);
            kept.chunk = chunk;
            kept
        }

        fn layout(&self) -> Layout<'_> {
            Layout {
                shape: &self.shape,
                options: &self.options,
                typical: &[],
            }
        }

        fn bytes(&self) -> Vec<u8> {
            self.values.iter().flat_map(|value| value.to_ne_bytes()).collect()
        }

        /// Changes values, and gives what it took to patch the chunk.
        fn set(&mut self, changes: &[(usize, i32)]) -> Report {
            let mut memory = Memory::new(1);
            memory.masks[0] = vec![0; self.values.len().div_ceil(64)];
            for &(i, value) in changes {
                self.values[i] = value;
                memory.masks[0][i / 64] |= 1 << (i % 64);
            }
            let mut report = Report::default();
            let mut chunk = std::mem::take(&mut self.chunk);
            chunk.patch(&self.layout(), &self.bytes(), 0, &mut memory, &mut report);
            self.chunk = chunk;
            report
        }

        /// The width of each slot, of which the bytes say what they should.
        fn widths(&self) -> Vec<usize> {
            let slots = (0..self.values.len()).map(|slot| self.chunk.slot(&self.shape, slot));
            let check = |(slot, value): (Range<usize>, &i32)| {
                let text = std::str::from_utf8(&self.chunk.bytes[slot.clone()]).expect("digits");
                assert_eq!(text.trim_end_matches(' '), value.to_string());
                slot.len()
            };
            let widths: Vec<usize> = slots.zip(&self.values).map(check).collect();
            let gaps = self.shape.gaps[0] as usize * self.values.len();
            assert_eq!(self.chunk.bytes.len(), widths.iter().sum::<usize>() + gaps);
            widths
        }
    }

    #[test]
    fn a_value_that_grows_takes_the_nearest_spaces_that_are_enough() {
        for (grows, by, victim) in [
            (4, 1, 5),
            (4, 2, 1),
            (4, 3, 1),
            (6, 1, 5),
            (7, 2, 1),
            (0, 3, 1),
            (9, 1, 5),
        ] {
            let mut kept = Kept::new(&[1000; 10], Options::default());
            kept.set(&[(1, 1), (5, 100)]);
            assert_eq!(kept.widths(), [4; 10]);
            let report = kept.set(&[(grows, 10i32.pow(3 + by))]);
            assert_eq!(
                (report.widths_stolen, report.bytes_rewritten),
                (1, 4 + u64::from(by))
            );
            let mut expected = [4; 10];
            expected[grows] += by as usize;
            expected[victim] -= by as usize;
            assert_eq!(kept.widths(), expected, "{grows} by {by}");
        }
    }

    #[test]
    fn where_none_has_enough_or_is_near_enough_what_lies_behind_is_moved() {
        for (steal_reach, by) in [(0, 1), (2, 1), (64, 4)] {
            let options = Options {
                steal_reach,
                slack_bytes: 0,
                ..Options::default()
            };
            let mut kept = Kept::new(&[1000; 10], options);
            kept.set(&[(1, 1)]);
            let report = kept.set(&[(4, 10i32.pow(3 + by))]);
            assert_eq!(report.widths_stolen, 0);
            assert!(report.bytes_shifted > 0);
            let mut expected = [4; 10];
            expected[4] += by as usize;
            assert_eq!(kept.widths(), expected);
        }
    }

    #[test]
    fn many_that_grow_and_shrink_are_moved_once() {
        for pad in [true, false] {
            let options = Options {
                pad,
                ..Options::default()
            };
            let mut kept = Kept::new(&[1000; 300], options);
            for round in 0..4 {
                let changes = (0..300).step_by(1 + round);
                let changes: Vec<_> = changes
                    .map(|i| (i, 10i32.pow((i * 7 + round) as u32 % 10)))
                    .collect();
                let length = kept.chunk.bytes.len() as u64;
                let report = kept.set(&changes);
                assert!(report.bytes_shifted <= length);
                let widths = kept.widths();
                let exact = widths
                    .iter()
                    .zip(&kept.values)
                    .all(|(width, value)| value.to_string().len() == *width);
                assert_eq!(exact, !pad);
            }
        }
    }
}
