//! [`Known`]: what is kept of items beside the bytes that were written of them.

use std::ops::Range;

/// What is known of some items that were written one after the other: where their bytes are, and what they hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// Where each item ends.
    pub(super) ends: Vec<u32>,
    /// Where texts begin that are compared with the bytes written of them, as many of each item.
    pub(super) texts: Vec<u32>,
    /// What else the items hold.
    pub(super) values: Vec<u8>,
    /// Where that of each item ends; none where it has one length.
    pub(super) value_ends: Vec<u32>,
}

impl Known {
    /// Items.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Where the bytes of an item are. Callers keep to items that there are.
    pub fn item(&self, i: usize) -> Range<usize> {
        start(&self.ends, i)..self.ends[i] as usize
    }

    /// Where the bytes of some items are.
    pub fn items(&self, items: Range<usize>) -> Range<usize> {
        start(&self.ends, items.start)..start(&self.ends, items.end)
    }

    /// What an item holds.
    pub(super) fn value(&self, i: usize) -> &[u8] {
        &self.values[self.values_of(i..i + 1)]
    }

    /// Where its texts begin.
    pub(super) fn texts_of(&self, i: usize) -> &[u32] {
        &self.texts[self.places_of(i..i + 1)]
    }

    fn values_of(&self, items: Range<usize>) -> Range<usize> {
        if self.value_ends.is_empty() {
            let each = self.values.len() / self.len().max(1);
            return items.start * each..items.end * each;
        }
        start(&self.value_ends, items.start)..start(&self.value_ends, items.end)
    }

    fn places_of(&self, items: Range<usize>) -> Range<usize> {
        let each = self.texts.len() / self.len().max(1);
        items.start * each..items.end * each
    }

    /// Forgets all, and keeps the memory.
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Forgets all but the first items.
    pub fn truncate(&mut self, items: usize) {
        self.values.truncate(self.values_of(0..items).end);
        self.texts.truncate(self.places_of(0..items).end);
        self.value_ends.truncate(items);
        self.ends.truncate(items);
    }

    /// Appends what is known of items elsewhere, whose bytes are appended at byte `at`. What is put together has less
    /// than four gigabytes.
    pub fn extend(&mut self, from: &Known, items: Range<usize>, at: usize) {
        let moved = (at as u32).wrapping_sub(from.items(items.clone()).start as u32);
        let to = |place: &u32| place.wrapping_add(moved);
        let values = from.values_of(items.clone());
        if !from.value_ends.is_empty() {
            let moved = (self.values.len() as u32).wrapping_sub(values.start as u32);
            let ends = &from.value_ends[items.clone()];
            self.value_ends
                .extend(ends.iter().map(|end| end.wrapping_add(moved)));
        }
        self.values.extend_from_slice(&from.values[values]);
        let texts = &from.texts[from.places_of(items.clone())];
        self.texts.extend(texts.iter().map(to));
        self.ends.extend(from.ends[items].iter().map(to));
    }

    /// Whether item `k` of others takes as much room as item `i`, of its bytes and of what is known of it.
    pub fn fits(&self, i: usize, from: &Known, k: usize) -> bool {
        self.item(i).len() == from.item(k).len() && self.value(i).len() == from.value(k).len()
    }

    /// Item `i` is item `k` of others from now on, which [fits](Known::fits).
    pub fn set(&mut self, i: usize, from: &Known, k: usize) {
        let moved = (self.item(i).start as u32).wrapping_sub(from.item(k).start as u32);
        let (places, values) = (self.places_of(i..i + 1), self.values_of(i..i + 1));
        for (place, other) in self.texts[places].iter_mut().zip(from.texts_of(k)) {
            *place = other.wrapping_add(moved);
        }
        self.values[values].copy_from_slice(from.value(k));
    }

    /// Gives memory back that is much more than it needs, but for a little: others are put together in it later.
    pub fn trim(&mut self) {
        trim(&mut self.ends);
        trim(&mut self.texts);
        trim(&mut self.values);
        trim(&mut self.value_ends);
    }

    /// Bytes of memory.
    pub fn memory(&self) -> usize {
        let places = self.ends.capacity() + self.texts.capacity() + self.value_ends.capacity();
        self.values.capacity() + size_of::<u32>() * places
    }
}

fn trim<T>(all: &mut Vec<T>) {
    let room = all.len() + all.len() / 8;
    if all.capacity() > room + all.len() / 4 {
        all.shrink_to(room);
    }
}

/// Where what stands at `i` begins.
fn start(ends: &[u32], i: usize) -> usize {
    i.checked_sub(1).map_or(0, |before| ends[before] as usize)
}

#[cfg(test)]
mod tests {
    use super::Known;

    /// Items of so many bytes, with a text in each, and values of one length or of several.
    fn items(lengths: &[u32], equal: bool) -> Known {
        let mut known = Known::default();
        let mut end = 0;
        for &length in lengths {
            known.texts.push(end + 1);
            end += length;
            known.ends.push(end);
            let held = if equal { 2 } else { length as usize };
            known.values.extend(std::iter::repeat_n(length as u8, held));
            if !equal {
                known.value_ends.push(known.values.len() as u32);
            }
        }
        known
    }

    #[test]
    fn parts_put_together_are_the_whole() {
        for equal in [true, false] {
            let whole = items(&[3, 5, 4, 7], equal);
            for cut in 0..=4 {
                let mut put = Known::default();
                put.extend(&whole, 0..cut, 0);
                let at = whole.items(0..cut).end;
                put.extend(&whole, cut..4, at);
                assert_eq!(put, whole);
                put.truncate(cut);
                assert_eq!(put.len(), cut);
                put.extend(&whole, cut..4, at);
                assert_eq!(put, whole);
            }
        }
    }

    #[test]
    fn an_item_is_put_in_the_place_of_one_that_is_as_long() {
        for equal in [true, false] {
            let (mut known, other) = (items(&[3, 5, 4], equal), items(&[1, 9, 5], equal));
            assert!(known.fits(1, &other, 2) && !known.fits(0, &other, 2));
            known.values[3] = 0;
            known.set(1, &other, 2);
            assert_eq!(known, items(&[3, 5, 4], equal));
        }
    }
}
