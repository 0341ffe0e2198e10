//! Comparing bytes with bytes seen before: how far they are equal ([`common_prefix`]), and where they are equal
//! again when one of them has more than the other ([`realign`]).
//!
//! Everything that reads only what differs stands on these two.

use memchr::memmem;

/// How many bytes two texts have in common at their beginning.
///
/// Made for texts that are equal for long or differ soon: the first bytes are compared word by word, then a block
/// at once, in the widest registers that the machine has.
///
/// ```
/// assert_eq!(castile_xml::common_prefix(b"<n>1</n>", b"<n>2</n>"), 3);
/// ```
#[inline]
pub fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let length = a.len().min(b.len());
    let (a, b) = (&a[..length], &b[..length]);
    let near = words(a, b, 0, NEAR.min(length));
    if near < NEAR.min(length) || near == length {
        return near;
    }
    far(a, b)
}

/// Bytes that are compared word by word.
const NEAR: usize = 32;

/// The same beyond what is near, which is equal.
#[inline(never)]
fn far(a: &[u8], b: &[u8]) -> usize {
    let at = blocks::<1024>(a, b, NEAR);
    let at = blocks::<64>(a, b, at);
    words(a, b, at, a.len())
}

/// How far whole blocks from `at` on are equal.
#[inline(always)]
fn blocks<const N: usize>(a: &[u8], b: &[u8], at: usize) -> usize {
    let (blocks, others) = (a[at..].as_chunks::<N>().0, b[at..].as_chunks::<N>().0);
    at + N * blocks.iter().zip(others).take_while(|(a, b)| a == b).count()
}

/// Where two texts of one length differ first, from `at` on and before `end`; `end` when they do not.
#[inline(always)]
fn words(a: &[u8], b: &[u8], mut at: usize, end: usize) -> usize {
    const WORD: usize = size_of::<u64>();
    let word = |text: &[u8], at: usize| {
        text.get(at..end)?
            .first_chunk::<WORD>()
            .copied()
            .map(u64::from_le_bytes)
    };
    while let (Some(x), Some(y)) = (word(a, at), word(b, at)) {
        let differing = x ^ y;
        if differing != 0 {
            return at + differing.trailing_zeros() as usize / 8;
        }
        at += WORD;
    }
    let rest = a[at..end].iter().zip(&b[at..end]);
    at + rest.take_while(|(a, b)| a == b).count()
}

/// What stands between two places at which texts are equal again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shift {
    /// So many bytes of the old text are not in the new one.
    Removed(usize),
    /// So many bytes of the new text were not in the old one.
    Inserted(usize),
}

/// Where two texts that differ are equal again for at least `sample` bytes: something was put into the new one,
/// or taken from it. Looks at `window` bytes of each and takes the nearest such place.
///
/// Only a guess, as far as meaning goes: what is equal may be another repetition of the same. Who uses it compares
/// on from there.
///
/// ```
/// use castile_xml::{Shift, realign};
/// let (old, new) = (b"<n>1</n><n>2</n><n>3</n>", b"<n>2</n><n>3</n>");
/// assert_eq!(realign(old, new, 8, 1024), Some(Shift::Removed(8)));
/// assert_eq!(realign(new, old, 8, 1024), Some(Shift::Inserted(8)));
/// ```
pub fn realign(old: &[u8], new: &[u8], sample: usize, window: usize) -> Option<Shift> {
    let place = |inside: &[u8], sample: Option<&[u8]>| {
        let sample = sample.filter(|sample| !sample.is_empty())?;
        memmem::find(&inside[..inside.len().min(window)], sample)
    };
    let removed = place(old, new.get(..sample));
    let inserted = place(new, old.get(..sample));
    match (removed, inserted) {
        (Some(removed), Some(inserted)) if inserted < removed => Some(Shift::Inserted(inserted)),
        (Some(removed), _) => Some(Shift::Removed(removed)),
        (None, inserted) => inserted.map(Shift::Inserted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_that_differs_is_found_wherever_it_is() {
        for length in (0..200).chain([1000, 2047, 2048, 2049, 5000, 10_000]) {
            let old: Vec<u8> = (0..length).map(|i| (i * 7 % 251) as u8).collect();
            assert_eq!(common_prefix(&old, &old), length);
            for at in (0..length).step_by(1 + length / 97) {
                let mut new = old.clone();
                new[at] ^= 0x10;
                assert_eq!(common_prefix(&old, &new), at, "{length}");
                new.truncate(at);
                assert_eq!(common_prefix(&old, &new), at, "{length}");
            }
        }
    }

    #[test]
    fn texts_are_aligned_again_by_the_nearest_place() {
        let items = |numbers: &[u32]| -> Vec<u8> {
            numbers
                .iter()
                .flat_map(|n| format!("<n>{n:04}</n>").into_bytes())
                .collect()
        };
        let old: Vec<u32> = (0..100).collect();
        for count in [1usize, 5, 50] {
            let shift = 11 * count;
            let more: Vec<u32> = (1000..1000 + count as u32).chain(old.iter().copied()).collect();
            assert_eq!(
                realign(&items(&old), &items(&more), 22, 4096),
                Some(Shift::Inserted(shift))
            );
            assert_eq!(
                realign(&items(&old), &items(&old[count..]), 22, 4096),
                Some(Shift::Removed(shift))
            );
        }
        assert_eq!(
            realign(&items(&old), &items(&old[50..]), 22, 100),
            None,
            "beyond the window"
        );
        assert_eq!(realign(b"", b"x", 1, 10), None);
        assert_eq!(realign(b"a", b"b", 2, 10), None);
    }
}
