//! One chunk of a kept array: rows of values with the constant bytes between them.
//!
//! ```text
//!   bytes   value gap value gap value gap … (value gap)      the last gap opens the next row
//!   widths    w0        w1        w2
//! ```
//!
//! A slot is a value's bytes with the spaces that pad it. Places are found by adding up: chunks are
//! small. The bytes may be lent to a connection; they are changed only while nobody else holds them.

use std::ops::Range;
use std::sync::Arc;

use castile_codec::RowWriter;
use castile_value::Column;

use super::array::Memory;
use super::compare::BLOCK;
use super::options::{Options, Stuffing};
use super::report::Report;

#[derive(Debug, Default)]
pub(crate) struct Chunk {
    pub(crate) bytes: Arc<Vec<u8>>,
    /// The width of each slot, row after row.
    pub(crate) widths: Vec<u8>,
    pub(crate) rows: usize,
}

/// What patching a chunk needs to know of its array.
pub(crate) struct Layout<'s> {
    pub(crate) writer: &'s RowWriter,
    /// Bytes after each value of a row.
    pub(crate) gaps: &'s [u32],
    /// Whether each value of a row may be padded with spaces.
    pub(crate) pads: &'s [bool],
    pub(crate) options: &'s Options,
}

impl Layout<'_> {
    fn fields(&self) -> usize {
        self.gaps.len()
    }

    fn row_gap(&self) -> usize {
        self.gaps.iter().map(|&gap| gap as usize).sum()
    }

    /// The width that stuffing gives a value.
    fn stuffed(&self, field: usize, length: usize) -> usize {
        let width = match self.options.stuffing {
            Stuffing::None => 0,
            _ if !self.pads[field] => 0,
            Stuffing::Width(width) => usize::from(width),
            Stuffing::Max => self.writer.width_max(field),
        };
        width.max(length)
    }
}

impl Chunk {
    /// Writes the first rows of `columns` from `row` on, as many as a chunk takes; `memory` is used
    /// again.
    pub(crate) fn fill(
        &mut self,
        layout: &Layout<'_>,
        columns: &[Column<'_>],
        rows: Range<usize>,
        limit: usize,
    ) {
        let options = layout.options;
        if Arc::get_mut(&mut self.bytes).is_none() {
            self.bytes = Arc::default();
        }
        let bytes = Arc::make_mut(&mut self.bytes);
        bytes.clear();
        let room = limit.min(layout.writer.row_bytes_likely() * rows.len());
        bytes.reserve(room + STEP * layout.writer.row_bytes_max() + options.reserve_bytes);
        self.widths.clear();
        let mut at = rows.start;
        while at < rows.end && bytes.len() < limit {
            let stop = rows.end.min(at + STEP);
            if options.stuffing == Stuffing::None {
                layout
                    .writer
                    .write(columns, at..stop, bytes, |width| self.widths.push(width));
            } else {
                (at..stop).for_each(|row| push_stuffed(layout, columns, row, bytes, &mut self.widths));
            }
            at = stop;
        }
        self.rows = at - rows.start;
        trim(bytes, options);
    }

    /// Writes changed values into their slots. Bit `row % 64` of mask `[field][row / 64]` says which;
    /// `columns` and `first` say where this chunk's rows lie.
    ///
    /// Where few values changed, one that finds no room moves what lies behind it. Where many did, or enough
    /// was moved, the chunk is put together anew from there on: what did not change is copied once, however
    /// many values grow.
    pub(crate) fn patch(
        &mut self,
        layout: &Layout<'_>,
        columns: &[Column<'_>],
        first: usize,
        memory: &mut Memory,
        report: &mut Report,
    ) {
        let Memory { masks, chunk: anew } = memory;
        self.own(layout.options, report);
        let blocks = self.rows.div_ceil(BLOCK);
        let marked = masks.iter().flat_map(|field| &field[..blocks]);
        let changed: u32 = marked.map(|rows| rows.count_ones()).sum();
        let mut cursor = Cursor {
            layout,
            bytes: Arc::make_mut(&mut self.bytes),
            widths: &mut self.widths,
            value: 0,
            at: 0,
            anew: None,
            memory: anew,
            may_shift: changed <= FEW || !layout.options.one_pass,
            shifted: 0,
            report,
        };
        for block in 0..blocks {
            let mut rows = masks.iter().fold(0, |any, field| any | field[block]);
            while rows != 0 {
                let bit = rows.trailing_zeros();
                rows &= rows - 1;
                let row = block * BLOCK + bit as usize;
                for (field, column) in columns.iter().enumerate() {
                    if masks[field][block] >> bit & 1 == 1 {
                        cursor.go_to(row * columns.len() + field);
                        cursor.put(field, column, first + row);
                    }
                }
            }
        }
        cursor.finish();
    }

    /// Whether somebody may still be sending the bytes.
    pub(crate) fn is_lent(&self) -> bool {
        Arc::strong_count(&self.bytes) > 1
    }

    /// Makes the bytes our own.
    fn own(&mut self, options: &Options, report: &mut Report) {
        if self.is_lent() {
            report.chunks_copied += 1;
            let mut copy = Vec::with_capacity(self.bytes.len() + options.reserve_bytes);
            copy.extend_from_slice(&self.bytes);
            self.bytes = Arc::new(copy);
        }
    }

    /// Adds the rows of another chunk at the end.
    pub(crate) fn append(&mut self, other: &Chunk) {
        Arc::make_mut(&mut self.bytes).extend_from_slice(&other.bytes);
        self.widths.extend_from_slice(&other.widths);
        self.rows += other.rows;
    }

    /// Takes the rows from `row` on out into a chunk of their own.
    pub(crate) fn split_off(&mut self, layout: &Layout<'_>, row: usize) -> Chunk {
        let value = row * layout.fields();
        let at = distance(layout, &self.widths, 0, value);
        let tail = Chunk {
            bytes: Arc::new(self.bytes[at..].to_vec()),
            widths: self.widths.split_off(value),
            rows: self.rows - row,
        };
        match Arc::get_mut(&mut self.bytes) {
            Some(own) => {
                own.truncate(at);
                trim(own, layout.options);
            }
            None => self.bytes = Arc::new(self.bytes[..at].to_vec()),
        }
        self.rows = row;
        tail
    }

    /// Bytes of memory, as far as they are counted.
    pub(crate) fn memory(&self) -> usize {
        self.bytes.capacity() + self.widths.capacity()
    }
}

fn push_stuffed(
    layout: &Layout<'_>,
    columns: &[Column<'_>],
    row: usize,
    bytes: &mut Vec<u8>,
    widths: &mut Vec<u8>,
) {
    for (field, column) in columns.iter().enumerate() {
        let mut text = [0; RowWriter::NUMBER];
        let length = layout.writer.put(field, column, row, &mut text);
        bytes.extend_from_slice(&text[..length]);
        let width = layout.stuffed(field, length);
        bytes.resize(bytes.len() + width - length, b' ');
        bytes.extend_from_slice(layout.writer.gap(field));
        widths.push(width as u8);
    }
}

/// Goes through a chunk from value to value.
///
/// ```text
///   in place   bytes   ──────┬─ value ─┬──────     written over
///                            at
///   anew       memory  ──────┐ value                appended
///              bytes   ──────┴─ value ─┬──────     read
///                           anew      at
/// ```
struct Cursor<'c> {
    layout: &'c Layout<'c>,
    bytes: &'c mut Vec<u8>,
    widths: &'c mut [u8],
    /// The value it stands at, and where that lies.
    value: usize,
    at: usize,
    /// When the chunk is put together anew in `memory`: what comes next of `bytes`.
    anew: Option<usize>,
    memory: &'c mut Vec<u8>,
    /// Whether what lies behind a value may be moved in place.
    may_shift: bool,
    /// Bytes moved in place so far.
    shifted: usize,
    report: &'c mut Report,
}

impl Cursor<'_> {
    #[inline]
    fn go_to(&mut self, value: usize) {
        self.at += distance(self.layout, self.widths, self.value, value);
        self.value = value;
    }

    /// Writes the value at the cursor.
    #[inline]
    fn put(&mut self, field: usize, column: &Column<'_>, row: usize) {
        let mut text = [0; RowWriter::NUMBER];
        let length = self.layout.writer.put(field, column, row, &mut text);
        let width = usize::from(self.widths[self.value]);
        let fits = length == width || length < width && self.layout.pads[field];
        self.report.values_rewritten += 1;
        if self.anew.is_some() || !(fits || self.make_room(width, length)) {
            let width = if fits { width } else { length };
            return self.append(field, &padded(&text, length), width);
        }
        let width = usize::from(self.widths[self.value]);
        self.report.bytes_rewritten += width as u64;
        let slot = &mut self.bytes[self.at..self.at + width];
        if width <= RowWriter::NUMBER {
            fill_slot(slot, &padded(&text, length));
        } else {
            slot.fill(b' ');
            slot[..length].copy_from_slice(&text[..length]);
        }
    }

    /// Appends what lies before the value, and the value in a slot of `width`, to the new bytes; goes
    /// on to the next value.
    fn append(&mut self, field: usize, text: &Number, width: usize) {
        let from = self.anew.unwrap_or_else(|| {
            self.memory.clear();
            self.memory
                .reserve_exact(self.bytes.len() + self.layout.options.reserve_bytes);
            self.report.bytes_shifted += (self.bytes.len() - self.at) as u64;
            0
        });
        self.memory.extend_from_slice(&self.bytes[from..self.at]);
        let text = &text[..width.min(RowWriter::NUMBER)];
        self.memory.extend_from_slice(text);
        self.memory.resize(self.memory.len() + width - text.len(), b' ');
        let end = self.at + usize::from(self.widths[self.value]);
        self.anew = Some(end);
        self.report.bytes_rewritten += width as u64;
        self.widths[self.value] = width as u8;
        self.value += 1;
        self.at = end + self.layout.gaps[field] as usize;
    }

    /// Gives the slot the width that its value needs, in place; `false` when that is not to be.
    fn make_room(&mut self, width: usize, length: usize) -> bool {
        if length > width && self.shifted < self.bytes.len() && self.steal(length - width) {
            return true;
        }
        let behind = self.bytes.len() - self.at - width;
        let enough = self.layout.options.one_pass && self.shifted + behind > self.bytes.len();
        if self.may_shift && !enough {
            self.shift(width, length);
        }
        self.may_shift && !enough
    }

    /// Moves all that lies behind the slot.
    fn shift(&mut self, width: usize, length: usize) {
        let (behind, end) = (self.at + width, self.bytes.len());
        if length > width {
            self.bytes.resize(end + length - width, b' ');
        }
        self.bytes.copy_within(behind..end, self.at + length);
        self.bytes.truncate(end + length - width);
        self.widths[self.value] = length as u8;
        self.shifted += end - behind;
        self.report.bytes_shifted += (end - behind) as u64;
    }

    fn finish(self) {
        if let Some(from) = self.anew {
            self.memory.extend_from_slice(&self.bytes[from..]);
            std::mem::swap(self.memory, self.bytes);
            trim(self.bytes, self.layout.options);
        }
    }

    /// Takes `by` bytes from the spaces of a slot further on, moving only what lies between.
    fn steal(&mut self, by: usize) -> bool {
        let fields = self.layout.fields();
        let end = self.at + usize::from(self.widths[self.value]);
        let mut slot = end;
        let reach = self
            .layout
            .options
            .steal_reach
            .min(self.widths.len() - self.value - 1);
        for neighbour in self.value + 1..=self.value + reach {
            slot += self.layout.gaps[(neighbour - 1) % fields] as usize;
            let width = usize::from(self.widths[neighbour]);
            // A slot never holds spaces only: its text comes first.
            let spare = &self.bytes[slot + width.saturating_sub(by)..slot + width];
            if width > by && spare.iter().all(|&b| b == b' ') {
                self.bytes.copy_within(end..slot + width - by, end + by);
                self.widths[neighbour] -= by as u8;
                self.widths[self.value] += by as u8;
                self.shifted += slot + width - by - end;
                self.report.bytes_shifted += (slot + width - by - end) as u64;
                self.report.widths_stolen += 1;
                return true;
            }
            slot += width;
        }
        false
    }
}

/// Gives memory back that is much more than the bytes need.
fn trim(bytes: &mut Vec<u8>, options: &Options) {
    let room = bytes.len() + options.reserve_bytes;
    if bytes.capacity() > room + bytes.len() / 4 {
        bytes.shrink_to(room);
    }
}

/// A text with spaces behind it: the same few wide instructions for every length.
#[inline(always)]
fn padded(text: &Number, length: usize) -> Number {
    let mask = &MASKS[length];
    let mut padded = [b' '; RowWriter::NUMBER];
    for ((to, &from), &mask) in padded.iter_mut().zip(text).zip(mask) {
        *to = from & mask | b' ' & !mask;
    }
    padded
}

/// Writes the first bytes of a text over a whole slot of at most as many, with two wide stores that
/// overlap. The slot is not read: it mostly is in no cache, and a store need not wait for it.
#[inline]
fn fill_slot(slot: &mut [u8], text: &Number) {
    let width = slot.len();
    match width {
        16.. => ends::<16>(slot, text, width),
        8.. => ends::<8>(slot, text, width),
        4.. => ends::<4>(slot, text, width),
        _ => slot.copy_from_slice(&text[..width]),
    }
}

#[inline(always)]
fn ends<const N: usize>(slot: &mut [u8], text: &Number, width: usize) {
    slot[..N].copy_from_slice(&text[..N]);
    slot[width - N..].copy_from_slice(&text[width - N..width]);
}

type Number = [u8; RowWriter::NUMBER];

/// Mask `n` has ones in its first `n` bytes.
static MASKS: [Number; RowWriter::NUMBER + 1] = masks();

const fn masks() -> [Number; RowWriter::NUMBER + 1] {
    let mut masks = [[0; RowWriter::NUMBER]; RowWriter::NUMBER + 1];
    let mut n = 0;
    while n <= RowWriter::NUMBER {
        let mut k = 0;
        while k < n {
            masks[n][k] = 0xFF;
            k += 1;
        }
        n += 1;
    }
    masks
}

/// Bytes from the start of value `from` to the start of value `to`.
#[inline]
fn distance(layout: &Layout<'_>, widths: &[u8], from: usize, to: usize) -> usize {
    let width = sum(&widths[from..to]);
    let fields = layout.fields();
    if fields == 1 {
        return width + (to - from) * layout.gaps[0] as usize;
    }
    let part = |value: usize| {
        let before = &layout.gaps[..value % fields];
        before.iter().map(|&gap| gap as usize).sum::<usize>()
    };
    width + (to / fields - from / fields) * layout.row_gap() + part(to) - part(from)
}

/// The sum of many bytes, eight at once.
#[inline]
fn sum(widths: &[u8]) -> usize {
    const LOW: u64 = 0x00FF_00FF_00FF_00FF;
    let mut total = 0;
    // Four sums in a word, which together stay below 2^16 for so many bytes.
    for part in widths.chunks(256) {
        let (words, rest) = part.as_chunks::<8>();
        let sums = words.iter().fold(0, |sums, word| {
            let word = u64::from_le_bytes(*word);
            sums + (word & LOW) + (word >> 8 & LOW)
        });
        let lanes = sums.wrapping_mul(0x0001_0001_0001_0001) >> 48;
        total += lanes as usize + rest.iter().map(|&w| usize::from(w)).sum::<usize>();
    }
    total
}

/// Changed values of a chunk up to which moving its tail for each is less than copying it once.
const FEW: u32 = 8;

/// Rows that are written before a chunk's size is looked at again.
const STEP: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact_for_every_length() {
        for length in 0..1100 {
            let bytes: Vec<u8> = (0..length).map(|i| 255 - (i % 7) as u8).collect();
            let expected: usize = bytes.iter().map(|&b| usize::from(b)).sum();
            assert_eq!(sum(&bytes), expected);
            assert_eq!(sum(&vec![255; length]), 255 * length);
        }
    }

    #[test]
    fn a_slot_is_filled_with_text_and_spaces() {
        let text: Number = *b"12345678901234567890123456789012";
        for width in 1..=RowWriter::NUMBER {
            for length in 1..=width {
                let mut bytes = [b'.'; RowWriter::NUMBER + 2];
                fill_slot(&mut bytes[1..=width], &padded(&text, length));
                assert_eq!(bytes[1..=length], text[..length]);
                assert!(bytes[length + 1..=width].iter().all(|&b| b == b' '));
                assert_eq!((bytes[0], bytes[width + 1]), (b'.', b'.'));
            }
        }
    }
}
