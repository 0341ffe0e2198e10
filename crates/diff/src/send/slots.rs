//! The slots of a chunk: how wide each is, and how much of that its value leaves free.

use std::ops::Range;

use super::prefetch::prefetch;

/// Two columns, a byte a value each, row after row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slots {
    /// The width of each slot: its value's text with the spaces that pad it.
    widths: Vec<u8>,
    /// Of those, the spaces.
    pub(crate) spare: Vec<u8>,
    /// The widths of all slots before every 16th together; none when widths changed since.
    sums: Vec<u32>,
}

/// Slots that are looked at together.
const WIDE: usize = 16;

impl Slots {
    /// Makes room for so many more, so that adding them moves nothing.
    pub(crate) fn reserve(&mut self, count: usize) {
        self.widths.reserve(count);
        self.spare.reserve(count);
    }

    /// As many slots of the widths that `fill` gives them, without spaces.
    pub(crate) fn exact(&mut self, count: usize, fill: impl FnOnce(&mut [u8])) {
        self.sums.clear();
        let start = self.widths.len();
        self.widths.resize(start + count, 0);
        self.spare.resize(start + count, 0);
        fill(&mut self.widths[start..]);
    }

    /// The widths of all.
    pub(crate) fn widths(&self) -> &[u8] {
        &self.widths
    }

    /// The lengths of all values.
    pub(crate) fn lengths(&self) -> impl Iterator<Item = u8> {
        self.widths
            .iter()
            .zip(&self.spare)
            .map(|(width, spare)| width.saturating_sub(*spare))
    }

    /// Makes each slot as wide as its value, which has the length that is given; `false` when each was so wide.
    pub(crate) fn narrow(&mut self, lengths: &[u8]) -> bool {
        self.spare.fill(0);
        let differ = self.widths != lengths;
        if differ {
            self.sums.clear();
            self.widths.copy_from_slice(lengths);
        }
        differ
    }

    /// Adds a slot.
    pub(crate) fn push(&mut self, width: usize, length: usize) {
        self.sums.clear();
        self.widths.push(width as u8);
        self.spare.push((width - length) as u8);
    }

    pub(crate) fn clear(&mut self) {
        self.sums.clear();
        self.widths.clear();
        self.spare.clear();
    }

    pub(crate) fn append(&mut self, other: &Slots) {
        self.sums.clear();
        self.widths.extend_from_slice(&other.widths);
        self.spare.extend_from_slice(&other.spare);
    }

    /// Takes the slots from `slot` on out.
    pub(crate) fn split_off(&mut self, slot: usize) -> Slots {
        self.sums.clear();
        Slots {
            widths: self.widths.split_off(slot),
            spare: self.spare.split_off(slot),
            sums: Vec::new(),
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.widths.len()
    }

    /// The width of a slot.
    #[inline]
    pub(crate) fn width(&self, slot: usize) -> usize {
        usize::from(self.widths[slot])
    }

    /// The length of a slot's value.
    pub(crate) fn length(&self, slot: usize) -> u8 {
        self.widths[slot].saturating_sub(self.spare[slot])
    }

    /// Says that a slot's value leaves so many spaces.
    #[inline]
    pub(crate) fn set_spare(&mut self, slot: usize, spare: usize) {
        self.spare[slot] = spare as u8;
    }

    /// Gives a slot a width and the length of its value. Those behind it have to be told that they moved.
    pub(crate) fn resize(&mut self, slot: usize, width: usize, length: usize) {
        self.widths[slot] = width as u8;
        self.spare[slot] = (width - length) as u8;
    }

    /// Takes so many of its spaces from a slot. Those behind it have to be told that they moved.
    pub(crate) fn narrow_by(&mut self, slot: usize, by: usize) {
        self.widths[slot] -= by as u8;
        self.spare[slot] -= by as u8;
    }

    /// Adds widths up, so that places are found.
    pub(crate) fn find_places(&mut self) {
        if !self.sums.is_empty() || self.widths.is_empty() {
            return;
        }
        self.sums.reserve_exact(self.widths.len().div_ceil(WIDE));
        let mut before = 0;
        for part in self.widths.chunks(WIDE) {
            self.sums.push(before);
            before += sum(part) as u32;
        }
    }

    /// Says that slots were moved.
    pub(crate) fn move_places(&mut self, slots: Range<usize>, by: isize) {
        let blocks = slots.start.div_ceil(WIDE)..slots.end.div_ceil(WIDE);
        if let Some(sums) = self.sums.get_mut(blocks) {
            sums.iter_mut()
                .for_each(|sum| *sum = sum.wrapping_add_signed(by as i32));
        }
    }

    /// The widths of all slots before `slot` together, once places were found.
    #[inline]
    pub(crate) fn before(&self, slot: usize) -> usize {
        let (block, part) = (slot / WIDE, slot % WIDE);
        let widths = &self.widths[block * WIDE..];
        let within = match widths.first_chunk::<WIDE>() {
            Some(widths) => {
                let widths = u128::from_le_bytes(*widths) & ((1 << (8 * part)) - 1);
                lanes(widths as u64) + lanes((widths >> 64) as u64)
            }
            None => sum(&widths[..part]) as u32,
        };
        (self.sums[block] + within) as usize
    }

    /// The widths of all slots before `slot` together, by adding them all up.
    pub(crate) fn sum_before(&self, slot: usize) -> usize {
        sum(&self.widths[..slot])
    }

    /// Spaces of some slots together.
    pub(crate) fn spare_of(&self, slots: Range<usize>) -> usize {
        sum(&self.spare[slots])
    }

    /// The nearest other slot within `reach` with at least `by` spaces.
    pub(crate) fn nearest(&self, slot: usize, by: usize, reach: usize) -> Option<usize> {
        let by = u8::try_from(by).ok()?;
        let behind =
            &self.spare[slot + 1..self.spare.len().min(slot.saturating_add(reach).saturating_add(1))];
        let behind = first(behind, by);
        let reach = behind.unwrap_or(reach).min(slot);
        let before = last(&self.spare[slot - reach..slot], by);
        before
            .map(|found| slot - reach + found)
            .or(behind.map(|found| slot + 1 + found))
    }

    /// Asks for all of it before it is looked at.
    pub(crate) fn fetch(&self) {
        self.widths.chunks(64).for_each(prefetch);
        self.spare.chunks(64).for_each(prefetch);
        self.sums.chunks(16).for_each(prefetch);
    }

    /// Bytes of memory.
    pub(crate) fn memory(&self) -> usize {
        self.widths.capacity() + self.spare.capacity() + self.sums.capacity() * size_of::<u32>()
    }
}

/// The first that is at least `by`.
fn first(spare: &[u8], by: u8) -> Option<usize> {
    let (parts, rest) = spare.as_chunks::<WIDE>();
    let enough = |&s: &u8| s >= by;
    match parts.iter().position(|part| any(part, by)) {
        Some(part) => parts[part].iter().position(enough).map(|i| part * WIDE + i),
        None => rest.iter().position(enough).map(|i| parts.len() * WIDE + i),
    }
}

/// The last that is at least `by`.
fn last(spare: &[u8], by: u8) -> Option<usize> {
    let (rest, parts) = spare.as_rchunks::<WIDE>();
    let enough = |&s: &u8| s >= by;
    match parts.iter().rposition(|part| any(part, by)) {
        Some(part) => {
            let within = parts[part].iter().rposition(enough);
            within.map(|i| rest.len() + part * WIDE + i)
        }
        None => rest.iter().rposition(enough),
    }
}

#[inline]
fn any(part: &[u8; WIDE], by: u8) -> bool {
    part.iter().fold(false, |any, &spare| any | (spare >= by))
}

/// The sum of the eight bytes of a word.
#[inline]
fn lanes(word: u64) -> u32 {
    (((word & LOW) + (word >> 8 & LOW)).wrapping_mul(ONES) >> 48) as u32
}

const LOW: u64 = 0x00FF_00FF_00FF_00FF;
const ONES: u64 = 0x0001_0001_0001_0001;

/// The sum of many bytes, eight at once.
#[inline]
pub(crate) fn sum(widths: &[u8]) -> usize {
    let mut total = 0;
    // Four sums in a word, which together stay below 2^16 for so many bytes.
    for part in widths.chunks(256) {
        let (words, rest) = part.as_chunks::<8>();
        let sums = words.iter().fold(0, |sums, word| {
            let word = u64::from_le_bytes(*word);
            sums + (word & LOW) + (word >> 8 & LOW)
        });
        let lanes = sums.wrapping_mul(ONES) >> 48;
        total += lanes as usize + rest.iter().map(|&w| usize::from(w)).sum::<usize>();
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact_for_every_length() {
        for length in 0..1100 {
            let bytes: Vec<u8> = (0..length).map(|i| 255 - (i % 7) as u8).collect();
            let plain = |bytes: &[u8]| bytes.iter().map(|&b| usize::from(b)).sum::<usize>();
            assert_eq!(sum(&bytes), plain(&bytes));
            assert_eq!(sum(&vec![255; length]), 255 * length);
            let mut slots = Slots::default();
            slots.exact(length, |widths| widths.copy_from_slice(&bytes));
            slots.find_places();
            for slot in [0, length / 3, length / 2, length.saturating_sub(1)] {
                if slot < length {
                    assert_eq!(slots.before(slot), plain(&bytes[..slot]));
                    assert_eq!(slots.sum_before(slot), plain(&bytes[..slot]));
                }
            }
        }
    }

    #[test]
    fn the_nearest_with_enough_spaces_is_found() {
        let slots = |spare: &[(usize, u8)]| {
            let mut slots = Slots::default();
            slots.exact(100, |widths| widths.fill(30));
            spare.iter().for_each(|&(slot, spare)| slots.spare[slot] = spare);
            slots
        };
        let two = slots(&[(10, 3), (70, 5)]);
        for (slot, by, reach, expected) in [
            (50, 3, 99, Some(70)),
            (39, 3, 99, Some(10)),
            (39, 4, 99, Some(70)),
            (39, 6, 99, None),
            (39, 3, 29, Some(10)),
            (39, 3, 28, None),
            (69, 5, 1, Some(70)),
            (71, 5, 1, Some(70)),
            (70, 1, 59, None),
            (70, 1, 60, Some(10)),
            (0, 1, usize::MAX, Some(10)),
            (99, 1, usize::MAX, Some(70)),
            (11, 3, 0, None),
            (11, 256, 99, None),
        ] {
            assert_eq!(two.nearest(slot, by, reach), expected, "{slot} {by} {reach}");
        }
    }
}
