//! How the rows of a kept array lie in memory and in its chunks.

use std::ops::Range;

use castile_codec::{Flat, RowWriter};
use castile_value::{Column, DType};

use super::compare::BLOCK;
use super::number::{Number, fill_slot};
use super::options::{Options, Stuffing};

/// Where a value may have spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pad {
    /// Nowhere: its slot is as wide as it is.
    Never,
    /// Behind it in its element.
    Inside,
    /// Behind the closing tag, which takes so many bytes.
    Between(usize),
}

impl Pad {
    /// For value `field` of a row.
    pub(crate) fn of(writer: &RowWriter, field: usize, options: &Options) -> Pad {
        // Peers may read a padded boolean wrongly, numbers they read.
        let number = writer.dtypes()[field] != DType::Bool;
        let gap = writer.gap(field);
        match gap.iter().position(|&byte| byte == b'>') {
            _ if !options.pad => Pad::Never,
            _ if number && !options.pad_between => Pad::Inside,
            Some(end) if gap.starts_with(b"</") => Pad::Between(end + 1),
            _ => Pad::Never,
        }
    }
}

/// What all rows of an array have in common.
#[derive(Debug, PartialEq)]
pub(crate) struct Shape {
    pub(crate) writer: RowWriter,
    /// Bytes of the constants behind each value of a row.
    pub(crate) gaps: Vec<u32>,
    /// Where each value of a row may have spaces.
    pub(crate) pads: Vec<Pad>,
    /// Where each value lies in a row of the shadow, and a row's size.
    pub(crate) offsets: Vec<usize>,
    pub(crate) stride: usize,
}

impl Shape {
    /// `pads` says for each value of a row where it may be padded.
    pub(crate) fn new(writer: RowWriter, pads: Vec<Pad>) -> Shape {
        let sizes = writer.dtypes().iter().map(|dtype| dtype.size());
        Shape {
            gaps: writer.gaps(),
            pads,
            stride: sizes.clone().sum(),
            offsets: sums(sizes),
            writer,
        }
    }

    /// Values of a row.
    pub(crate) fn fields(&self) -> usize {
        self.gaps.len()
    }

    /// The value of a row that a slot is for.
    #[inline]
    pub(crate) fn field(&self, slot: usize) -> usize {
        match self.fields() {
            1 => 0,
            fields => slot % fields,
        }
    }

    /// Bytes of the closing tag that is moved with the end of a slot's value.
    #[inline]
    pub(crate) fn closing(&self, field: usize) -> usize {
        match self.pads[field] {
            Pad::Between(closing) => closing,
            Pad::Never | Pad::Inside => 0,
        }
    }

    /// The length of the value at the start of some bytes of a slot, which, where it is moved, the closing tag follows.
    pub(crate) fn length(&self, field: usize, slot: &[u8]) -> usize {
        match self.pads[field] {
            Pad::Never => slot.len(),
            Pad::Inside => slot.trim_ascii_end().len(),
            Pad::Between(_) => slot.iter().position(|&byte| byte == b'<').unwrap_or(slot.len()),
        }
    }

    /// Whether every slot is as wide as its value.
    pub(crate) fn is_exact(&self) -> bool {
        self.pads.iter().all(|pad| *pad == Pad::Never)
    }

    /// Values of the rows, packed one after the other, as columns.
    pub(crate) fn columns<'s>(&self, packed: &'s [u8], rows: usize) -> Vec<Column<'s>> {
        let column = |field| self.column(packed, rows, field);
        (0..self.fields()).map(column).collect()
    }

    /// One of these columns.
    pub(crate) fn column<'s>(&self, packed: &'s [u8], rows: usize, field: usize) -> Column<'s> {
        let data = packed.get(self.offsets[field]..).unwrap_or_default();
        let dtype = self.writer.dtypes()[field];
        Column::new(data, self.stride, dtype, rows).expect("there are so many rows")
    }

    /// How many rows from one old and one new row on are equal, up to `most`. `shadow` is the old rows, packed,
    /// and their number.
    pub(crate) fn alike(
        &self,
        (shadow, rows): (&[u8], usize),
        flat: &Flat<'_>,
        old: usize,
        new: usize,
        most: usize,
    ) -> usize {
        let most = most.min(rows - old).min(flat.len() - new);
        let mut alike = 0;
        if let Some(packed) = self.packed(flat, new..new + most) {
            let old = &shadow[old * self.stride..][..packed.len()];
            let new = packed;
            let blocks = old
                .chunks_exact(BLOCK * self.stride)
                .zip(new.chunks_exact(BLOCK * self.stride));
            alike = BLOCK * blocks.take_while(|(old, new)| old == new).count();
        }
        let row = |i: usize| &shadow[(old + i) * self.stride..(old + i + 1) * self.stride];
        alike
            + (alike..most)
                .take_while(|&i| self.is_row(row(i), flat, new + i))
                .count()
    }

    /// Whether so many packed rows are those of `flat`.
    pub(crate) fn has(&self, shadow: &[u8], rows: usize, flat: &Flat<'_>) -> bool {
        rows == flat.len() && self.alike((shadow, rows), flat, 0, 0, rows) == rows
    }

    fn is_row(&self, row: &[u8], flat: &Flat<'_>, new: usize) -> bool {
        let places = flat.columns().iter().zip(&self.offsets);
        places.into_iter().all(|(column, &offset)| {
            let size = column.dtype().size();
            let at = new * column.stride();
            column.data()[at..at + size] == row[offset..offset + size]
        })
    }

    /// Rows that lie in memory as in the shadow: one after the other, and the values of each without a gap. `None`
    /// when they lie otherwise.
    pub(crate) fn packed<'f>(&self, flat: &'f Flat<'_>, rows: Range<usize>) -> Option<&'f [u8]> {
        let first = flat.columns().first()?.data();
        let is_packed = |(column, offset): (&Column<'_>, &usize)| {
            let behind = column.data().as_ptr().addr().checked_sub(first.as_ptr().addr());
            column.stride() == self.stride && behind == Some(*offset)
        };
        let packed = flat.columns().iter().zip(&self.offsets).all(is_packed);
        first
            .get(rows.start * self.stride..rows.end * self.stride)
            .filter(|_| packed)
    }

    /// Copies rows, packed.
    pub(crate) fn pack(&self, flat: &Flat<'_>, rows: Range<usize>, out: &mut Vec<u8>) {
        if let Some(packed) = self.packed(flat, rows.clone()) {
            return out.extend_from_slice(packed);
        }
        for row in rows {
            for column in flat.columns() {
                let at = row * column.stride();
                out.extend_from_slice(&column.data()[at..at + column.dtype().size()]);
            }
        }
    }
}

/// What writing and patching a chunk needs to know.
#[derive(Clone, Copy)]
pub(crate) struct Layout<'s> {
    pub(crate) shape: &'s Shape,
    pub(crate) options: &'s Options,
    /// The width that is typical of each value of a row; none when nothing is known.
    pub(crate) typical: &'s [u8],
}

impl Layout<'_> {
    /// Whether values get more room than they need when they are written.
    pub(crate) fn stuffs(&self) -> bool {
        match self.options.stuffing {
            Stuffing::None => false,
            Stuffing::Typical => !self.typical.is_empty(),
            Stuffing::Max | Stuffing::Width(_) | Stuffing::Types(_) => true,
        }
    }

    /// The width that stuffing gives a value.
    pub(crate) fn stuffed(&self, field: usize, length: usize) -> usize {
        let writer = &self.shape.writer;
        let width = match self.options.stuffing {
            Stuffing::None => 0,
            _ if self.shape.pads[field] == Pad::Never => 0,
            Stuffing::Width(width) => usize::from(width),
            Stuffing::Max => writer.width_max(field),
            Stuffing::Types(widths) => usize::from(match writer.dtypes()[field] {
                DType::F64 => widths.doubles,
                DType::F32 => widths.floats,
                DType::Bool => 0,
                _ => widths.integers,
            }),
            Stuffing::Typical => self.typical.get(field).copied().map_or(0, usize::from),
        };
        width.max(length)
    }

    /// Bytes of the closing tag that is moved with the end of a slot's value.
    #[inline]
    pub(crate) fn closing(&self, field: usize) -> usize {
        self.shape.closing(field)
    }

    /// Writes a text of `length` bytes over a slot and, where that is moved, its closing tag.
    #[inline(always)]
    pub(crate) fn fill(&self, field: usize, slot: &mut [u8], text: &Number, length: usize) {
        match self.shape.pads[field] {
            Pad::Never | Pad::Inside => fill_slot(slot, text, length),
            Pad::Between(closing) => {
                slot.fill(b' ');
                slot[..length].copy_from_slice(&text[..length]);
                slot[length..length + closing].copy_from_slice(&self.shape.writer.gap(field)[..closing]);
            }
        }
    }

    /// Spaces that slots are given so that others can steal them.
    pub(crate) fn slack(&self) -> usize {
        let useful = self.options.pad && self.options.steal_reach > 0;
        if useful { self.options.slack_bytes } else { 0 }
    }
}

/// For each number the sum of those before it.
fn sums(numbers: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut sum = 0;
    let before = |number| {
        sum += number;
        sum - number
    };
    numbers.map(before).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_do_not_count_as_length() {
        for (pad, slot, length) in [
            (Pad::Never, "1.5", 3),
            (Pad::Inside, "1.5", 3),
            (Pad::Inside, "1.5  ", 3),
            (Pad::Between(7), "1.5</item>  ", 3),
            (Pad::Between(7), "1.5</item>", 3),
        ] {
            let shape = Shape::new(RowWriter::sample(DType::F64), vec![pad]);
            assert_eq!(shape.length(0, slot.as_bytes()), length, "{pad:?} {slot}");
        }
    }
}
