//! The slots of a chunk: how wide each is, and how much of that its value leaves free.

use std::ops::Range;

use super::prefetch::prefetch;

/// Two columns, a byte a value each, row after row.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    /// The width of each slot: its value's text with the spaces that pad it.
    pub(crate) widths: Vec<u8>,
    /// Of those, the spaces.
    pub(crate) spare: Vec<u8>,
}

impl Slots {
    /// As many slots of the widths that `fill` gives them, without spaces.
    pub(crate) fn exact(&mut self, count: usize, fill: impl FnOnce(&mut [u8])) {
        let start = self.widths.len();
        self.widths.resize(start + count, 0);
        self.spare.resize(start + count, 0);
        fill(&mut self.widths[start..]);
    }

    /// Adds a slot.
    pub(crate) fn push(&mut self, width: usize, length: usize) {
        self.widths.push(width as u8);
        self.spare.push((width - length) as u8);
    }

    pub(crate) fn clear(&mut self) {
        self.widths.clear();
        self.spare.clear();
    }

    pub(crate) fn append(&mut self, other: &Slots) {
        self.widths.extend_from_slice(&other.widths);
        self.spare.extend_from_slice(&other.spare);
    }

    /// Takes the slots from `slot` on out.
    pub(crate) fn split_off(&mut self, slot: usize) -> Slots {
        Slots {
            widths: self.widths.split_off(slot),
            spare: self.spare.split_off(slot),
        }
    }

    /// Says that `slot` is so wide and holds a text of `length`.
    #[inline]
    pub(crate) fn set(&mut self, slot: usize, width: usize, length: usize) {
        self.widths[slot] = width as u8;
        self.spare[slot] = (width - length) as u8;
    }

    /// Gives a slot more spaces; `false` when it would be wider than a slot can be.
    pub(crate) fn widen(&mut self, slot: usize, by: usize) -> bool {
        let wider = u8::try_from(by).ok();
        let Some((by, width)) = wider.and_then(|by| Some((by, self.widths[slot].checked_add(by)?))) else {
            return false;
        };
        self.widths[slot] = width;
        self.spare[slot] += by;
        by > 0
    }

    /// Spaces of some slots together.
    pub(crate) fn spare_of(&self, slots: Range<usize>) -> usize {
        sum(&self.spare[slots])
    }

    /// Moves spaces from one slot to another.
    pub(crate) fn give(&mut self, from: usize, to: usize, by: usize) {
        self.widths[from] -= by as u8;
        self.spare[from] -= by as u8;
        self.widths[to] += by as u8;
        self.spare[to] += by as u8;
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

    /// Asks for the columns before they are looked at.
    pub(crate) fn fetch(&self) {
        let lines = self
            .widths
            .iter()
            .step_by(64)
            .chain(self.spare.iter().step_by(64));
        lines.for_each(prefetch);
    }

    /// Bytes of memory.
    pub(crate) fn memory(&self) -> usize {
        self.widths.capacity() + self.spare.capacity()
    }
}

/// Slots that are looked at together.
const WIDE: usize = 16;

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

/// Where slots lie, found once for all of a chunk.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// The widths, eight a word, and the sum of all before each word.
    words: Vec<(u64, u32)>,
}

impl Places {
    /// Looks at the widths.
    pub(crate) fn find(&mut self, widths: &[u8]) {
        let (words, rest) = widths.as_chunks::<8>();
        self.words.clear();
        self.words.resize(words.len() + 1, (0, 0));
        let mut sum = 0;
        for (i, word) in words.iter().enumerate() {
            let word = u64::from_le_bytes(*word);
            self.words[i] = (word, sum);
            sum += lanes(word);
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.words[words.len()] = (u64::from_le_bytes(last), sum);
    }

    /// The widths of all slots before `slot` together.
    #[inline]
    pub(crate) fn before(&self, slot: usize) -> usize {
        let (word, sum) = self.words[slot / 8];
        let part = word & ((1 << (8 * (slot % 8))) - 1);
        (sum + lanes(part)) as usize
    }

    /// The width of a slot when they were looked at.
    #[inline]
    pub(crate) fn width(&self, slot: usize) -> usize {
        usize::from(self.words[slot / 8].0.to_le_bytes()[slot % 8])
    }
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
        let mut places = Places::default();
        for length in 0..1100 {
            let bytes: Vec<u8> = (0..length).map(|i| 255 - (i % 7) as u8).collect();
            let plain = |bytes: &[u8]| bytes.iter().map(|&b| usize::from(b)).sum::<usize>();
            assert_eq!(sum(&bytes), plain(&bytes));
            assert_eq!(sum(&vec![255; length]), 255 * length);
            places.find(&bytes);
            for slot in [0, length / 3, length / 2, length] {
                assert_eq!(places.before(slot), plain(&bytes[..slot]));
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
