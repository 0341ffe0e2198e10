//! Where the slots of a chunk lie.
//!
//! ```text
//!   bytes    value·· gap value gap value· gap
//!            ▲           ▲         ▲          ▲
//!   starts   0           1         2          the end
//! ```
//!
//! A slot reaches from its start to the gap before the next. How many spaces are in it its bytes tell.

use std::ops::Range;

use super::prefetch::prefetch;

/// The table of places.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Slots {
    /// Where each slot begins, and where one more would; none as long as there are no slots.
    starts: Vec<u32>,
}

impl Slots {
    pub(crate) fn clear(&mut self) {
        self.starts.clear();
    }

    /// Makes room for so many more, so that adding them moves nothing.
    pub(crate) fn reserve(&mut self, count: usize) {
        self.starts.reserve_exact(count + 1);
    }

    /// Gives memory back that is much more than what is in use.
    pub(crate) fn trim(&mut self) {
        if self.starts.capacity() > self.starts.len() + self.starts.len() / 4 {
            self.starts.shrink_to_fit();
        }
    }

    /// Adds so many slots; `fill` is given the place where the first begins, and is to say where each of those behind
    /// begins.
    pub(crate) fn add(&mut self, count: usize, fill: impl FnOnce(u32, &mut [u32])) {
        let first = self.end();
        if self.starts.is_empty() {
            self.starts.push(first);
        }
        let before = self.starts.len();
        self.starts.resize(before + count, 0);
        fill(first, &mut self.starts[before..]);
    }

    /// Adds the slots of a chunk that comes behind.
    pub(crate) fn append(&mut self, other: &Slots) {
        self.add(other.len(), |first, starts| {
            let others = other.starts.iter().skip(1);
            starts
                .iter_mut()
                .zip(others)
                .for_each(|(to, from)| *to = first + from);
        });
    }

    /// Takes the slots from `slot` on out.
    pub(crate) fn split_off(&mut self, slot: usize) -> Slots {
        let first = self.start(slot) as u32;
        let tail = self.starts[slot..].iter().map(|start| start - first).collect();
        self.starts.truncate(slot + 1);
        Slots { starts: tail }
    }

    /// Takes other places over; gives those of before.
    pub(crate) fn replace(&mut self, starts: &mut Vec<u32>) {
        std::mem::swap(&mut self.starts, starts);
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Where each begins, and where one more would.
    pub(crate) fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// Where a slot begins, or, for their number, where one more would.
    #[inline]
    pub(crate) fn start(&self, slot: usize) -> usize {
        self.starts[slot] as usize
    }

    /// Where one more would begin.
    fn end(&self) -> u32 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Says that slots were moved.
    pub(crate) fn shift(&mut self, slots: Range<usize>, by: isize) {
        let moved = |start: &mut u32| *start = start.wrapping_add_signed(by as i32);
        self.starts[slots].iter_mut().for_each(moved);
    }

    /// Asks for the places of some slots before they are looked at.
    pub(crate) fn fetch(&self, slots: impl ExactSizeIterator<Item = usize>) {
        let lines = self.starts.chunks(LINE);
        if slots.len() > lines.len() {
            lines.for_each(prefetch);
        } else {
            slots.filter_map(|slot| self.starts.get(slot)).for_each(prefetch);
        }
    }

    /// Bytes of memory.
    pub(crate) fn memory(&self) -> usize {
        self.starts.capacity() * size_of::<u32>()
    }
}

/// Places that are fetched from memory together.
const LINE: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    fn slots(starts: &[u32]) -> Slots {
        let mut slots = Slots::default();
        slots.add(starts.len() - 1, |first, rest| {
            assert_eq!(first, starts[0]);
            rest.copy_from_slice(&starts[1..]);
        });
        slots
    }

    #[test]
    fn what_is_split_off_and_appended_lies_where_it_did() {
        let all = [0, 7, 9, 20, 21];
        for slot in 0..all.len() {
            let mut head = slots(&all);
            let tail = head.split_off(slot);
            assert_eq!((head.len(), tail.len()), (slot, 4 - slot));
            assert_eq!(head.starts(), &all[..=slot]);
            assert_eq!(tail.starts()[0], 0);
            head.append(&tail);
            assert_eq!(head, slots(&all), "{slot}");
        }
    }

    #[test]
    fn those_that_were_moved_lie_elsewhere() {
        let mut moved = slots(&[0, 7, 9, 20]);
        moved.shift(1..3, 5);
        moved.shift(2..4, -2);
        assert_eq!(moved.starts(), [0, 12, 12, 18]);
    }

    #[test]
    fn there_may_be_none() {
        let mut none = Slots::default();
        none.append(&Slots::default());
        assert_eq!(none.len(), 0);
        none.append(&slots(&[0, 3]));
        assert_eq!(none, slots(&[0, 3]));
    }
}
