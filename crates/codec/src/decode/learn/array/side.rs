//! Arrays of single numbers: both texts side by side, in one loop that calls nothing.
//!
//! Where little differs, texts are compared wide, and the lengths of the values say how many items were passed.
//! Where much does, each item is compared by itself, which takes a few words.

use castile_lexical as lexical;
use castile_value::DType;
use castile_xml::common_prefix;

use super::super::changes::Changes;
use super::super::text::Part;
use super::progress::Source;
use super::walk::Walk;
use crate::decode::repeat::{Kernel, end_of, number};
use crate::scalar::packed;

/// So few items between two that differ, and the next are not compared wide; so many equal ones in a row, and
/// they are again.
const FEW: usize = 12;
const MANY: usize = 24;

/// Items that are compared at once then.
const SOME: usize = 64;

impl Walk<'_, '_, '_> {
    /// Goes on as far as there are items in both texts and each can be read, but not to the last; or until too many
    /// differ in a row.
    pub(super) fn single(&mut self) {
        let (Some(cell), source) = (self.form.cells.first(), self.source) else {
            return;
        };
        let (kernel, dtype) = (cell.kernel, cell.dtype);
        match (kernel, dtype) {
            (Kernel::F64, DType::F64) => self.side_by_side(|at| {
                let (value, end) = number(source.bytes, at, lexical::prefix_f64)?;
                Some((value.to_ne_bytes(), end))
            }),
            _ => match dtype.size() {
                1 => self.side_by_side::<1>(any(source, kernel, dtype)),
                2 => self.side_by_side::<2>(any(source, kernel, dtype)),
                4 => self.side_by_side::<4>(any(source, kernel, dtype)),
                _ => self.side_by_side::<8>(any(source, kernel, dtype)),
            },
        }
    }

    #[inline(always)]
    fn side_by_side<const N: usize>(&mut self, read: impl Fn(usize) -> Option<([u8; N], usize)>) {
        let (form, on) = (self.form, &mut *self.on);
        let room = form.most.saturating_sub(on.items).saturating_sub(1) as usize;
        let count = on.widths.ahead().len().saturating_sub(1).min(room);
        let (Some(widths), Some(cell)) = (on.widths.ahead_mut().get_mut(..count), form.cells.first()) else {
            return;
        };
        let mut sides = Sides {
            old: self.old.again(),
            new: self.source.bytes,
            between: &form.between,
            kernel: cell.kernel,
            widths,
            values: on.values.ahead_mut().as_chunks_mut::<N>().0,
            item: 0,
            before: on.before,
            at: on.at,
            differing: on.differing,
            in_place: on.in_place,
            parsed: 0,
            changes: &mut on.changes,
            first: on.items as usize,
        };
        sides.run(on.patience, read);
        let item = sides.item;
        (on.before, on.at, on.in_place) = (sides.before, sides.at, sides.in_place);
        on.parsed += sides.parsed;
        on.differing = sides.differing;
        on.widths.keep(item);
        on.values.keep(item * N);
        on.items += item as u32;
    }
}

/// Both texts of an array, and how far they were gone through.
struct Sides<'s, const N: usize> {
    old: Part<'s>,
    new: &'s [u8],
    between: &'s [u8],
    kernel: Kernel,
    widths: &'s mut [u8],
    values: &'s mut [[u8; N]],
    item: usize,
    /// Where it begins in the old text, and in the new one.
    before: usize,
    at: usize,
    /// Items in a row that differ.
    differing: usize,
    in_place: bool,
    parsed: usize,
    changes: &'s mut Changes,
    /// Items of the array before these.
    first: usize,
}

/// How the next items are compared.
enum Mode {
    /// Wide, to where the texts differ.
    Wide,
    /// Some items, and then those that differ are read.
    Some,
    /// One by one, while so many more are equal: the texts shift.
    Single(usize),
}

impl<const N: usize> Sides<'_, N> {
    /// Goes on to the last item, to one that cannot be read, or until as many as `patience` differ in a row.
    #[inline(always)]
    fn run(&mut self, patience: usize, read: impl Fn(usize) -> Option<([u8; N], usize)>) {
        let mut mode = Mode::Wide;
        while self.item < self.widths.len() && self.differing < patience {
            mode = match mode {
                Mode::Wide => match self.pass_equal() {
                    _ if self.item == self.widths.len() => return,
                    passed => {
                        let shift = self.shift();
                        if !self.read(&read) {
                            return;
                        }
                        match (passed < FEW, shift == self.shift()) {
                            (false, _) => Mode::Wide,
                            (true, true) => Mode::Some,
                            (true, false) => Mode::Single(MANY),
                        }
                    }
                },
                Mode::Some => match self.some(patience, &read) {
                    Some(mode) => mode,
                    None => return,
                },
                Mode::Single(0) => Mode::Wide,
                Mode::Single(left) => {
                    if self.pass_one() {
                        Mode::Single(left - 1)
                    } else if self.read(&read) {
                        Mode::Single(MANY)
                    } else {
                        return;
                    }
                }
            }
        }
    }

    /// How far the new text is behind the old one.
    fn shift(&self) -> usize {
        self.at.wrapping_sub(self.before)
    }

    /// Passes all items up to the first that differs; how many.
    #[inline(always)]
    fn pass_equal(&mut self) -> usize {
        let (old, new) = (self.old.bytes().get(self.before..), self.new.get(self.at..));
        let same = common_prefix(old.unwrap_or_default(), new.unwrap_or_default());
        let ahead = self.widths.get(self.item..).unwrap_or_default();
        let (items, bytes) = inside(ahead, self.between.len(), same);
        self.pass(items, bytes);
        items
    }

    /// Passes the next item if it is equal.
    #[inline(always)]
    fn pass_one(&mut self) -> bool {
        let width = self.widths.get(self.item).copied().unwrap_or_default();
        let bytes = usize::from(width) + self.between.len();
        let (old, new) = (self.old.bytes().get(self.before..), self.new.get(self.at..));
        let same = is_equal(old.unwrap_or_default(), new.unwrap_or_default(), bytes);
        if same {
            self.pass(1, bytes);
        }
        same
    }

    #[inline(always)]
    fn pass(&mut self, items: usize, bytes: usize) {
        self.item += items;
        self.before += bytes;
        self.at += bytes;
        if items > 0 {
            self.differing = 0;
        }
    }

    /// Compares some items, and then reads those that differ, as long as they are as long as they were. What is
    /// to be done next; `None` when one cannot be read.
    #[inline(always)]
    fn some(&mut self, patience: usize, read: impl Fn(usize) -> Option<([u8; N], usize)>) -> Option<Mode> {
        let gap = self.between.len();
        let old = self.old.bytes().get(self.before..).unwrap_or_default();
        let new = self.new.get(self.at..).unwrap_or_default();
        let ahead = self.widths.get(self.item..).unwrap_or_default();
        let (mut places, mut place, mut mask) = ([0; SOME], 0, 0u64);
        let mut count = 0;
        for (&width, start) in ahead.iter().zip(&mut places) {
            let bytes = usize::from(width) + gap;
            *start = place;
            let (old, new) = (old.get(place..), new.get(place..));
            let same = is_equal(old.unwrap_or_default(), new.unwrap_or_default(), bytes);
            mask |= u64::from(!same) << count;
            place += bytes;
            count += 1;
        }
        let few = mask.count_ones() as usize * FEW < count;
        let (start, shift) = (self.before, self.shift());
        let first = self.item;
        while mask != 0 {
            let i = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            let passed = first + i - self.item;
            self.pass(passed, start + places.get(i)? - self.before);
            if !self.read(&read) {
                return None;
            }
            if self.shift() != shift {
                return Some(Mode::Single(MANY));
            }
            if self.differing >= patience {
                return Some(Mode::Some);
            }
        }
        self.pass(first + count - self.item, start + place - self.before);
        Some(if few { Mode::Wide } else { Mode::Some })
    }

    /// Reads the item at hand, which differs; false when it is none that can be kept.
    #[inline(always)]
    fn read(&mut self, read: impl Fn(usize) -> Option<([u8; N], usize)>) -> bool {
        let (at, gap) = (self.at, self.between.len());
        let found = read(at).and_then(|(value, end)| {
            let next = end_of(self.kernel, self.new, end, self.between)?;
            Some((value, u8::try_from(next - gap - at).ok()?, next))
        });
        let places = self.widths.get_mut(self.item).zip(self.values.get_mut(self.item));
        let (Some((value, new_width, next)), Some((width, place))) = (found, places) else {
            return false;
        };
        *place = value;
        let old_width = usize::from(*width);
        self.in_place &= new_width == *width;
        if self.in_place {
            self.old
                .put(self.before, old_width, self.new.get(at..).unwrap_or_default());
        }
        *width = new_width;
        self.changes.add(self.first + self.item);
        self.item += 1;
        self.before += old_width + gap;
        self.at = next;
        self.parsed += 1;
        self.differing += 1;
        true
    }
}

/// Whether both texts begin with the same bytes, so many. What items mostly take is compared without a branch.
#[inline(always)]
fn is_equal(a: &[u8], b: &[u8], bytes: usize) -> bool {
    const HALF: usize = size_of::<u128>();
    let (Some(a), Some(b)) = (a.get(..bytes), b.get(..bytes)) else {
        return false;
    };
    let half = |half: Option<&[u8; HALF]>| half.map_or(0, |half| u128::from_ne_bytes(*half));
    match bytes {
        HALF..=32 => {
            let first = half(a.first_chunk()) ^ half(b.first_chunk());
            let last = half(a.last_chunk()) ^ half(b.last_chunk());
            first | last == 0
        }
        _ => a == b,
    }
}

/// Reads a number of any type.
fn any<const N: usize>(
    source: Source<'_, '_>,
    kernel: Kernel,
    dtype: DType,
) -> impl Fn(usize) -> Option<([u8; N], usize)> {
    move |at| {
        let (scalar, end) = source.value(kernel, at)?;
        Some((*packed(dtype, &scalar)?.first_chunk()?, end))
    }
}

/// How many items with these widths lie in so many bytes, and how many bytes they take.
#[inline(always)]
fn inside(widths: &[u8], gap: usize, same: usize) -> (usize, usize) {
    let (items, bytes) = groups::<16>(widths, gap, same, (0, 0));
    let (mut items, mut bytes) = groups::<4>(widths, gap, same, (items, bytes));
    for &width in widths.get(items..).unwrap_or_default() {
        let more = usize::from(width) + gap;
        if bytes + more > same {
            break;
        }
        (items, bytes) = (items + 1, bytes + more);
    }
    (items, bytes)
}

/// The same by whole groups of so many items, behind those that were counted.
#[inline(always)]
fn groups<const N: usize>(
    widths: &[u8],
    gap: usize,
    same: usize,
    (mut items, mut bytes): (usize, usize),
) -> (usize, usize) {
    for group in widths.get(items..).unwrap_or_default().as_chunks::<N>().0 {
        let more = group.iter().map(|&width| u32::from(width)).sum::<u32>() as usize + N * gap;
        if bytes + more > same {
            break;
        }
        (items, bytes) = (items + N, bytes + more);
    }
    (items, bytes)
}

/// Copies as many bytes as there is room for. Texts of numbers are copied in two words, which may overlap.
#[inline(always)]
pub(in super::super) fn copy(to: &mut [u8], from: &[u8]) {
    let Some(from) = from.get(..to.len()) else {
        return;
    };
    match to.len() {
        8..16 => copy_ends::<8>(to, from),
        16..=32 => copy_ends::<16>(to, from),
        _ => to.copy_from_slice(from),
    }
}

/// The same for `N` to `2 * N` bytes.
#[inline(always)]
fn copy_ends<const N: usize>(to: &mut [u8], from: &[u8]) {
    if let (Some(first), Some(last)) = (from.first_chunk::<N>(), from.last_chunk::<N>()) {
        if let Some(place) = to.first_chunk_mut() {
            *place = *first;
        }
        if let Some(place) = to.last_chunk_mut() {
            *place = *last;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{copy, inside};

    #[test]
    fn items_are_counted_that_lie_wholly_in_what_is_equal() {
        let widths: Vec<u8> = (0..100).map(|i| i % 7).collect();
        for gap in [0, 5] {
            for same in 0..1000 {
                let mut expected = (0, 0);
                for &width in &widths {
                    let more = usize::from(width) + gap;
                    if expected.1 + more > same {
                        break;
                    }
                    expected = (expected.0 + 1, expected.1 + more);
                }
                assert_eq!(inside(&widths, gap, same), expected, "{gap} {same}");
            }
        }
    }

    #[test]
    fn texts_of_any_length_are_copied_whole() {
        let from: Vec<u8> = (1..=80).collect();
        for length in 0..=80 {
            let mut to = vec![0; length];
            copy(&mut to, &from);
            assert_eq!(to, from[..length]);
        }
        let mut short = [0; 4];
        copy(&mut short, &[1]);
        assert_eq!(short, [0; 4], "there is less than is asked for");
    }
}
