//! One block of a kept list: items as they were sent last.
//!
//! ```text
//!   bytes    … text gap number gap  text gap number gap …      each item through the start of the next
//!   places     ^                 |  ^                 |        where texts begin and items end
//!   numbers  of each item, packed
//! ```
//!
//! A text is compared with what was written of it: one that had to be escaped is found changed, and is written to
//! see that it is not.

use std::ops::Range;
use std::sync::Arc;

use castile_codec::{ListWriter, Places};
use castile_value::Packed;

use super::report::Report;

/// Some items that follow one another. The bytes may be lent to a connection; they are changed only while nobody
/// else holds them.
#[derive(Debug, Default)]
pub(crate) struct Block {
    bytes: Arc<Vec<u8>>,
    places: Places,
    numbers: Vec<u8>,
}

/// What updating blocks needs, one after the other.
pub(crate) struct Scratch<'s> {
    changed: Vec<usize>,
    /// The items that changed, and what was written of them.
    some: Packed<'s>,
    bytes: Vec<u8>,
    places: Places,
    /// All items of a block.
    joined: Vec<u8>,
    joined_places: Places,
}

impl<'s> Scratch<'s> {
    pub(crate) fn new(writer: &ListWriter) -> Self {
        Scratch {
            changed: Vec::new(),
            some: Packed::new(Arc::clone(writer.layout())),
            bytes: Vec::new(),
            places: Places::default(),
            joined: Vec::new(),
            joined_places: Places::default(),
        }
    }

    /// Writes the items of `all` that changed.
    fn write(&mut self, writer: &ListWriter, all: &Packed<'s>) -> bool {
        self.bytes.clear();
        clear(&mut self.places);
        if self.changed.len() == all.len() {
            return writer.write(all, &mut self.bytes, &mut self.places);
        }
        let some = &mut self.some;
        some.truncate(0);
        let stride = all.layout().stride();
        for &i in &self.changed {
            some.numbers
                .extend_from_slice(&all.numbers[i * stride..(i + 1) * stride]);
            some.texts.extend_from_slice(all.texts_of(i));
        }
        writer.write(some, &mut self.bytes, &mut self.places)
    }

    /// What was written of the changed item `k`.
    fn written(&self, k: usize) -> &[u8] {
        &self.bytes[start(&self.places, k)..self.places.ends[k] as usize]
    }
}

impl Block {
    /// Writes items; `None` when one cannot be written.
    pub(crate) fn write(writer: &ListWriter, packed: &Packed<'_>) -> Option<Block> {
        let (mut bytes, mut places) = (Vec::new(), Places::default());
        if !writer.write(packed, &mut bytes, &mut places) {
            return None;
        }
        bytes.shrink_to_fit();
        Some(Block {
            bytes: Arc::new(bytes),
            places,
            numbers: packed.numbers.clone(),
        })
    }

    /// Items.
    pub(crate) fn len(&self) -> usize {
        self.places.ends.len()
    }

    /// Bytes of the items.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The bytes, to be sent.
    pub(crate) fn shared(&self) -> Arc<Vec<u8>> {
        Arc::clone(&self.bytes)
    }

    /// Makes the block say what as many items hold; `false` when one cannot be written.
    pub(crate) fn update<'s>(
        &mut self,
        writer: &ListWriter,
        packed: &Packed<'s>,
        scratch: &mut Scratch<'s>,
        report: &mut Report,
    ) -> bool {
        report.values_compared += (self.len() * writer.fields()) as u64;
        scratch.changed.clear();
        self.compare(packed, &mut scratch.changed);
        if scratch.changed.is_empty() {
            return true;
        }
        if 2 * scratch.changed.len() > self.len() {
            // Putting so many in their places costs more than writing the others, too.
            scratch.changed.clear();
            scratch.changed.extend(0..self.len());
        }
        if !scratch.write(writer, packed) {
            return false;
        }
        let differs = |(k, &i): (usize, &usize)| scratch.written(k) != self.item(i);
        let changed = scratch.changed.iter().enumerate().filter(|&pair| differs(pair));
        let changed = changed.count();
        if changed > 0 {
            report.values_rewritten += (changed * writer.fields()) as u64;
            report.bytes_rewritten += scratch.bytes.len() as u64;
            self.put(scratch, report);
        }
        self.numbers.clone_from(&packed.numbers);
        u32::try_from(self.bytes.len()).is_ok()
    }

    /// Finds the items that may not be as they were.
    fn compare(&self, packed: &Packed<'_>, changed: &mut Vec<usize>) {
        let same_numbers = self.numbers == packed.numbers;
        let stride = packed.layout().stride();
        let mut places = self.places.texts.iter();
        for i in 0..self.len() {
            let numbers = i * stride..(i + 1) * stride;
            let mut same = same_numbers || self.numbers[numbers.clone()] == packed.numbers[numbers];
            for (text, &at) in packed.texts_of(i).iter().zip(places.by_ref()) {
                same &= self.has_text(at, text);
            }
            if !same {
                changed.push(i);
            }
        }
    }

    /// Whether a text, and nothing but it, stands at a place.
    fn has_text(&self, at: u32, text: &str) -> bool {
        let (at, end) = (at as usize, at as usize + text.len());
        self.bytes.get(end) == Some(&b'<') && self.bytes[at..end] == *text.as_bytes()
    }

    /// Whether item `old` is item `new` of others; one with a text that was escaped is not.
    pub(crate) fn is_item(&self, old: usize, packed: &Packed<'_>, new: usize) -> bool {
        let (stride, each) = (packed.layout().stride(), packed.layout().texts().len());
        let places = &self.places.texts[old * each..(old + 1) * each];
        self.numbers[old * stride..][..stride] == packed.numbers[new * stride..][..stride]
            && packed
                .texts_of(new)
                .iter()
                .zip(places)
                .all(|(text, &at)| self.has_text(at, text))
    }

    fn item(&self, i: usize) -> &[u8] {
        &self.bytes[start(&self.places, i)..self.places.ends[i] as usize]
    }

    /// Puts the items that were written in the place of those that were there.
    fn put(&mut self, scratch: &mut Scratch<'_>, report: &mut Report) {
        let stays = |(k, &i): (usize, &usize)| scratch.written(k).len() == self.item(i).len();
        let lengths_stay = scratch.changed.iter().enumerate().all(stays);
        if !lengths_stay {
            report.bytes_shifted += self.bytes.len().saturating_sub(scratch.bytes.len()) as u64;
        } else if let Some(bytes) = Arc::get_mut(&mut self.bytes) {
            let each = self.places.texts.len() / self.places.ends.len().max(1);
            for (k, &i) in scratch.changed.iter().enumerate() {
                let (written, at) = (scratch.written(k), start(&self.places, i));
                bytes[at..at + written.len()].copy_from_slice(written);
                let moved = (at as u32).wrapping_sub(start(&scratch.places, k) as u32);
                let texts = self.places.texts[i * each..].iter_mut();
                for (text, written) in texts.zip(&scratch.places.texts[k * each..(k + 1) * each]) {
                    *text = written.wrapping_add(moved);
                }
            }
            return;
        }
        if scratch.changed.len() == self.len() {
            std::mem::swap(&mut scratch.joined, &mut scratch.bytes);
            std::mem::swap(&mut scratch.joined_places, &mut scratch.places);
        } else {
            self.join(scratch);
        }
        std::mem::swap(&mut self.places, &mut scratch.joined_places);
        match Arc::get_mut(&mut self.bytes) {
            Some(bytes) => std::mem::swap(bytes, &mut scratch.joined),
            None => {
                report.chunks_copied += 1;
                self.bytes = Arc::new(std::mem::take(&mut scratch.joined));
            }
        }
    }

    /// All items one behind the other, old and new.
    fn join(&self, scratch: &mut Scratch<'_>) {
        let Scratch {
            changed,
            bytes,
            places,
            joined,
            joined_places,
            ..
        } = scratch;
        joined.clear();
        clear(joined_places);
        joined.reserve(self.bytes.len() + bytes.len());
        let mut next = 0;
        for (k, &i) in changed.iter().enumerate() {
            copy((&self.bytes, &self.places), next..i, joined, joined_places);
            copy((bytes, places), k..k + 1, joined, joined_places);
            next = i + 1;
        }
        copy(
            (&self.bytes, &self.places),
            next..self.len(),
            joined,
            joined_places,
        );
    }

    /// Takes the items from `item` on out into a block of their own.
    pub(crate) fn split_off(&mut self, item: usize) -> Block {
        let mut tail = Block::default();
        let bytes = Arc::make_mut(&mut tail.bytes);
        copy(
            (&self.bytes, &self.places),
            item..self.len(),
            bytes,
            &mut tail.places,
        );
        tail.numbers = self.numbers.split_off(self.numbers.len() / self.len() * item);
        let at = start(&self.places, item);
        self.places
            .texts
            .truncate(self.places.texts.len() / self.len() * item);
        self.places.ends.truncate(item);
        self.bytes = Arc::new(self.bytes[..at].to_vec());
        tail
    }

    /// Adds the items of another block at the end.
    pub(crate) fn append(&mut self, other: &Block) {
        let bytes = Arc::make_mut(&mut self.bytes);
        copy(
            (&other.bytes, &other.places),
            0..other.len(),
            bytes,
            &mut self.places,
        );
        self.numbers.extend_from_slice(&other.numbers);
    }

    /// Bytes of memory.
    pub(crate) fn memory(&self) -> usize {
        let Places { ends, texts } = &self.places;
        self.bytes.capacity()
            + self.numbers.capacity()
            + size_of::<u32>() * (ends.capacity() + texts.capacity())
    }
}

/// Where an item begins.
fn start(places: &Places, item: usize) -> usize {
    item.checked_sub(1)
        .map_or(0, |before| places.ends[before] as usize)
}

fn clear(places: &mut Places) {
    places.ends.clear();
    places.texts.clear();
}

/// Appends items that were written elsewhere. Blocks have less than four gigabytes.
fn copy((from, at): (&[u8], &Places), items: Range<usize>, bytes: &mut Vec<u8>, places: &mut Places) {
    let each = at.texts.len() / at.ends.len().max(1);
    let (begin, end) = (start(at, items.start), start(at, items.end));
    let moved = (bytes.len() as u32).wrapping_sub(begin as u32);
    let to = |place: &u32| place.wrapping_add(moved);
    bytes.extend_from_slice(&from[begin..end]);
    places.ends.extend(at.ends[items.clone()].iter().map(to));
    places
        .texts
        .extend(at.texts[items.start * each..items.end * each].iter().map(to));
}
