//! One chunk of a kept array: rows of values with the constant bytes between them.
//!
//! ```text
//!   bytes   value gap value gap value gap … (value gap)      the last gap opens the next row
//!   widths    w0        w1        w2
//! ```
//!
//! A slot is a value's bytes with the spaces that pad it. Places are found by adding up: chunks are
//! small. The bytes may be lent to a connection; they are changed only while nobody else holds them.

use bytes::{Bytes, BytesMut};
use castile_codec::RowWriter;
use castile_value::Column;

use crate::options::{Options, Stuffing};
use crate::report::Report;

#[derive(Debug, Default)]
pub(crate) struct Chunk {
    pub(crate) bytes: Bytes,
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
            Stuffing::Max => text_max(self.writer.dtypes()[field]),
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
        rows: std::ops::Range<usize>,
        limit: usize,
    ) {
        let options = layout.options;
        let mut bytes = match std::mem::take(&mut self.bytes).try_into_mut() {
            Ok(mut own) => {
                own.clear();
                Vec::from(own)
            }
            Err(_) => Vec::new(),
        };
        let room = limit.min(layout.writer.row_bytes_likely() * rows.len());
        bytes.reserve_exact(room + STEP * layout.writer.row_bytes_max() + options.reserve_bytes);
        self.widths.clear();
        let mut at = rows.start;
        while at < rows.end && bytes.len() < limit {
            let stop = rows.end.min(at + STEP);
            if options.stuffing == Stuffing::None {
                layout
                    .writer
                    .write(columns, at..stop, &mut bytes, |width| self.widths.push(width));
            } else {
                (at..stop).for_each(|row| self.push_stuffed(layout, columns, row, &mut bytes));
            }
            at = stop;
        }
        self.rows = at - rows.start;
        self.bytes = bytes.into();
    }

    fn push_stuffed(&mut self, layout: &Layout<'_>, columns: &[Column<'_>], row: usize, bytes: &mut Vec<u8>) {
        for (field, column) in columns.iter().enumerate() {
            let mut text = [0; RowWriter::NUMBER];
            let length = layout.writer.put(field, column, row, &mut text);
            bytes.extend_from_slice(&text[..length]);
            let width = layout.stuffed(field, length);
            bytes.resize(bytes.len() + width - length, b' ');
            bytes.extend_from_slice(layout.writer.gap(field));
            self.widths.push(width as u8);
        }
    }

    /// Writes changed values into their slots. `changed` are numbers of values in this chunk,
    /// ascending; `columns` and `first` say where its rows lie.
    pub(crate) fn patch(
        &mut self,
        layout: &Layout<'_>,
        columns: &[Column<'_>],
        first: usize,
        changed: &[u32],
        report: &mut Report,
    ) {
        let mut bytes = match std::mem::take(&mut self.bytes).try_into_mut() {
            Ok(own) => own,
            Err(lent) => {
                report.chunks_copied += 1;
                let mut copy = BytesMut::with_capacity(lent.len() + layout.options.reserve_bytes);
                copy.extend_from_slice(&lent);
                copy
            }
        };
        let fields = layout.fields();
        let (mut value, mut at) = (0, 0);
        for &next in changed {
            let next = next as usize;
            at += self.distance(layout, value, next);
            value = next;
            let mut text = [0; RowWriter::NUMBER];
            let (row, field) = (value / fields, value % fields);
            let length = layout.writer.put(field, &columns[field], first + row, &mut text);
            let text = &text[..length];
            self.resize(layout, &mut bytes, value, at, length, report);
            bytes[at..at + length].copy_from_slice(text);
            let width = usize::from(self.widths[value]);
            bytes[at + length..at + width].fill(b' ');
            report.bytes_rewritten += width as u64;
        }
        report.values_rewritten += changed.len() as u64;
        self.bytes = bytes.freeze();
    }

    /// Bytes from the start of value `from` to the start of value `to`.
    fn distance(&self, layout: &Layout<'_>, from: usize, to: usize) -> usize {
        let widths: usize = self.widths[from..to].iter().map(|&w| usize::from(w)).sum();
        let fields = layout.fields();
        if fields == 1 {
            return widths + (to - from) * layout.gaps[0] as usize;
        }
        let rows = to / fields - from / fields;
        let part = |value: usize| {
            let before = &layout.gaps[..value % fields];
            before.iter().map(|&gap| gap as usize).sum::<usize>()
        };
        widths + rows * layout.row_gap() + part(to) - part(from)
    }

    /// Makes the slot of a value at `at` wide enough for a text, or as wide as it is when it must
    /// not be padded.
    #[inline]
    fn resize(
        &mut self,
        layout: &Layout<'_>,
        bytes: &mut BytesMut,
        value: usize,
        at: usize,
        length: usize,
        report: &mut Report,
    ) {
        let width = usize::from(self.widths[value]);
        if length > width {
            let by = length - width;
            if !self.steal(layout, bytes, value, at, by, report) {
                shift_right(bytes, at + width, by, report);
            }
            self.widths[value] = length as u8;
        } else if length < width && !layout.pads[value % layout.fields()] {
            bytes.copy_within(at + width.., at + length);
            bytes.truncate(bytes.len() - (width - length));
            report.bytes_shifted += (bytes.len() - at - length) as u64;
            self.widths[value] = length as u8;
        }
    }

    /// Takes `by` bytes from the spaces of a slot behind that of `value`, moving only what lies
    /// between them.
    fn steal(
        &mut self,
        layout: &Layout<'_>,
        bytes: &mut BytesMut,
        value: usize,
        at: usize,
        by: usize,
        report: &mut Report,
    ) -> bool {
        let fields = layout.fields();
        let end = at + usize::from(self.widths[value]);
        let mut slot = end;
        let reach = layout.options.steal_reach.min(self.widths.len() - value - 1);
        for neighbour in value + 1..=value + reach {
            slot += layout.gaps[(neighbour - 1) % fields] as usize;
            let width = usize::from(self.widths[neighbour]);
            let spare = &bytes[slot + width.saturating_sub(by)..slot + width];
            // A slot never holds spaces only: its text comes first.
            if width > by && spare.iter().all(|&b| b == b' ') {
                bytes.copy_within(end..slot + width - by, end + by);
                self.widths[neighbour] -= by as u8;
                report.bytes_shifted += (slot + width - by - end) as u64;
                report.widths_stolen += 1;
                return true;
            }
            slot += width;
        }
        false
    }

    /// Takes the rows from `row` on out into a chunk of their own.
    pub(crate) fn split_off(&mut self, layout: &Layout<'_>, row: usize) -> Chunk {
        let value = row * layout.fields();
        let at = self.distance(layout, 0, value);
        let tail = Chunk {
            bytes: Bytes::copy_from_slice(&self.bytes[at..]),
            widths: self.widths.split_off(value),
            rows: self.rows - row,
        };
        self.bytes.truncate(at);
        self.rows = row;
        tail
    }

    /// Bytes of memory, as far as they are counted.
    pub(crate) fn memory(&self) -> usize {
        self.bytes.len() + self.widths.len()
    }
}

/// Rows that are written before a chunk's size is looked at again.
const STEP: usize = 32;

fn shift_right(bytes: &mut BytesMut, from: usize, by: usize, report: &mut Report) {
    let length = bytes.len();
    bytes.resize(length + by, b' ');
    bytes.copy_within(from..length, from + by);
    report.bytes_shifted += (length - from) as u64;
}

/// The longest text of a value.
fn text_max(dtype: castile_value::DType) -> usize {
    use castile_value::DType;
    match dtype {
        DType::Bool => 5,
        DType::I8 => 4,
        DType::U8 => 3,
        DType::I16 => 6,
        DType::U16 => 5,
        DType::I32 => 11,
        DType::U32 => 10,
        DType::I64 | DType::U64 => 20,
        DType::F32 => 15,
        DType::F64 => 24,
    }
}
