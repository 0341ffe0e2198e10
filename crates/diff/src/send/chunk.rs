//! One chunk of a kept array: rows of values with the constant bytes between them.
//!
//! ```text
//!   bytes   value gap value gap value gap … (value gap)      the last gap opens the next row
//!   slots     s0        s1        s2
//! ```
//!
//! A slot is a value's bytes with the spaces that pad it. The bytes may be lent to a connection; they are changed only
//! while nobody else holds them.

use std::ops::Range;
use std::sync::Arc;

use castile_codec::{Room, RowWriter};
use castile_value::Column;

use super::layout::{Layout, Shape};
use super::prefetch::prefetch;
use super::report::Report;
use super::slots::Slots;
use super::spares;

/// A clone shares bytes and slots with it, until either changes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chunk {
    pub(crate) bytes: Arc<Vec<u8>>,
    pub(crate) slots: Arc<Slots>,
    pub(crate) rows: usize,
}

/// A chunk that nobody shares, being changed.
pub(super) struct Open<'c> {
    pub(super) layout: &'c Layout<'c>,
    pub(super) bytes: &'c mut Vec<u8>,
    pub(super) slots: &'c mut Slots,
    pub(super) report: &'c mut Report,
}

impl Chunk {
    /// Writes the first of `rows`, as many as it takes to reach `limit` bytes; its memory is used again.
    pub(crate) fn fill(
        &mut self,
        layout: &Layout<'_>,
        columns: &[Column<'_>],
        rows: Range<usize>,
        limit: usize,
    ) {
        let (writer, options) = (&layout.shape.writer, layout.options);
        let (bytes, slots) = (anew(&mut self.bytes), anew(&mut self.slots));
        let likely = limit.min(writer.row_bytes_likely() * rows.len());
        let room = likely + STEP * writer.row_bytes_max() + options.reserve_bytes;
        if bytes.capacity() == 0 && options.spare_bytes > 0 {
            *bytes = spares::take(room);
        }
        bytes.reserve_exact(room.saturating_sub(bytes.len()));
        slots.clear();
        let likely = likely / writer.row_bytes_likely() + 2 * STEP;
        slots.reserve(likely.min(rows.len()) * writer.dtypes().len());
        let fill = if layout.stuffs() { fill_stuffed } else { fill_plain };
        self.rows = fill(layout, columns, rows, limit, bytes, slots);
        trim(bytes, options.reserve_bytes);
        slots.trim();
    }

    /// Asks for what patching will look at first, which mostly is in no cache.
    pub(crate) fn fetch(&self) {
        prefetch(&*self.bytes);
        prefetch(&*self.slots);
    }

    /// Whether somebody may still be sending the bytes.
    pub(crate) fn is_lent(&self) -> bool {
        Arc::strong_count(&self.bytes) > 1
    }

    /// Makes bytes and slots its own, to be changed.
    ///
    /// Asking whether they are waits until all that was written before has reached memory, so it is asked once, while
    /// little is under way.
    pub(super) fn open<'c>(&'c mut self, layout: &'c Layout<'c>, report: &'c mut Report) -> Open<'c> {
        if self.is_lent() {
            report.chunks_copied += 1;
            let mut copy = Vec::with_capacity(self.bytes.len() + layout.options.reserve_bytes);
            copy.extend_from_slice(&self.bytes);
            self.bytes = Arc::new(copy);
        }
        Open {
            layout,
            bytes: Arc::make_mut(&mut self.bytes),
            slots: Arc::make_mut(&mut self.slots),
            report,
        }
    }

    /// The bytes that value and spaces of a slot take, and a closing tag that is moved with its value.
    pub(crate) fn slot(&self, shape: &Shape, slot: usize) -> Range<usize> {
        let field = shape.field(slot);
        let gap = shape.gaps[field] as usize - shape.closing(field);
        self.slots.start(slot)..self.slots.start(slot + 1) - gap
    }

    /// Adds the rows of another chunk at the end.
    pub(crate) fn append(&mut self, other: &Chunk) {
        Arc::make_mut(&mut self.bytes).extend_from_slice(&other.bytes);
        Arc::make_mut(&mut self.slots).append(&other.slots);
        self.rows += other.rows;
    }

    /// Takes the rows from `row` on out into a chunk of their own.
    pub(crate) fn split_off(&mut self, layout: &Layout<'_>, row: usize) -> Chunk {
        let value = row * layout.shape.fields();
        let at = self.slots.start(value);
        let tail = Chunk {
            bytes: Arc::new(self.bytes[at..].to_vec()),
            slots: Arc::new(Arc::make_mut(&mut self.slots).split_off(value)),
            rows: self.rows - row,
        };
        match Arc::get_mut(&mut self.bytes) {
            Some(own) => {
                own.truncate(at);
                trim(own, layout.options.reserve_bytes);
            }
            None => self.bytes = Arc::new(self.bytes[..at].to_vec()),
        }
        self.rows = row;
        tail
    }

    /// The memory of its bytes, unless somebody still sends them.
    pub(crate) fn into_buffer(self) -> Option<Vec<u8>> {
        Arc::into_inner(self.bytes)
    }

    /// Bytes of memory, as far as they are counted.
    pub(crate) fn memory(&self) -> usize {
        self.bytes.capacity() + self.slots.memory()
    }
}

/// What is shared with nobody, and will be written anew.
fn anew<T: Clone + Default>(shared: &mut Arc<T>) -> &mut T {
    if Arc::get_mut(shared).is_none() {
        *shared = Arc::default();
    }
    Arc::make_mut(shared)
}

/// Writes the first of `rows` over what is in `bytes`, as many as it takes to reach `limit`, and says how many.
fn fill_plain(
    layout: &Layout<'_>,
    columns: &[Column<'_>],
    rows: Range<usize>,
    limit: usize,
    bytes: &mut Vec<u8>,
    slots: &mut Slots,
) -> usize {
    let (writer, gaps) = (&layout.shape.writer, &layout.shape.gaps[..]);
    let mut room = Room::over(bytes);
    let mut at = rows.start;
    while at < rows.end && room.at() < limit {
        // As many as stay below the limit however long they are.
        let step = STEP.max((limit - room.at()) / writer.row_bytes_max());
        let stop = rows.end.min(at.saturating_add(step));
        slots.add((stop - at) * gaps.len(), |mut place, starts| {
            let mut starts = starts.iter_mut();
            let mut next = |bytes: u32| {
                place += bytes;
                if let Some(start) = starts.next() {
                    *start = place;
                }
            };
            match *gaps {
                // A loop of its own for what arrays mostly are.
                [gap] => writer.write(columns, at..stop, &mut room, |n| next(u32::from(n) + gap)),
                _ => {
                    let mut gaps = gaps.iter().cycle();
                    let mut gap = || gaps.next().copied().unwrap_or_default();
                    writer.write(columns, at..stop, &mut room, |n| next(u32::from(n) + gap()));
                }
            }
        });
        at = stop;
    }
    room.finish(0);
    at - rows.start
}

/// The same with spaces behind each value up to its width.
fn fill_stuffed(
    layout: &Layout<'_>,
    columns: &[Column<'_>],
    rows: Range<usize>,
    limit: usize,
    bytes: &mut Vec<u8>,
    slots: &mut Slots,
) -> usize {
    bytes.clear();
    let mut written = 0;
    for row in rows {
        if written % STEP == 0 && bytes.len() >= limit {
            break;
        }
        push_stuffed(layout, columns, row, bytes, slots);
        written += 1;
    }
    written
}

fn push_stuffed(
    layout: &Layout<'_>,
    columns: &[Column<'_>],
    row: usize,
    bytes: &mut Vec<u8>,
    slots: &mut Slots,
) {
    let writer = &layout.shape.writer;
    for (field, column) in columns.iter().enumerate() {
        let mut text = [0; RowWriter::NUMBER];
        let length = writer.put(field, column, row, &mut text);
        bytes.extend_from_slice(&text[..length]);
        let width = layout.stuffed(field, length);
        let (closing, opening) = writer.gap(field).split_at(layout.closing(field));
        bytes.extend_from_slice(closing);
        bytes.resize(bytes.len() + width - length, b' ');
        bytes.extend_from_slice(opening);
        slots.add(1, |_, next| next.fill(bytes.len() as u32));
    }
}

/// Gives memory back that is much more than the bytes need, and so many behind them.
pub(crate) fn trim(bytes: &mut Vec<u8>, reserve_bytes: usize) {
    let room = bytes.len() + reserve_bytes;
    if bytes.capacity() > room + bytes.len() / 4 {
        bytes.shrink_to(room);
    }
}

/// So many rows are written before a chunk's size is looked at again, however long they are.
const STEP: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_lent_is_no_buffer() {
        let chunk = Chunk {
            bytes: Arc::new(b"what is sent".to_vec()),
            ..Chunk::default()
        };
        let lent = Arc::clone(&chunk.bytes);
        assert_eq!(chunk.clone().into_buffer(), None);
        drop(lent);
        assert_eq!(chunk.into_buffer(), Some(b"what is sent".to_vec()));
    }
}
