//! Arrays of numbers and of flat records, ready to be written: [`Flat`] and its [`RowWriter`].

use std::ops::Range;

use castile_lexical as lexical;
use castile_plan::Tags;
use castile_value::{Column, DType};

use super::glue::{Constant, Glue, piece};
use super::kernel::{Kernel, NUMBER};

/// Rows for which room is made at once: the buffer is cleared before it is written, and a block
/// of this many stays in the cache meanwhile.
const BLOCK: usize = 256;

/// An array of numbers, or of flat records, that is about to be written: one column a field, all of
/// whose values their types can hold.
#[derive(Debug)]
pub struct Flat<'a> {
    pub(super) columns: Vec<Column<'a>>,
    pub(super) writer: RowWriter,
}

/// How the rows of an array are written. Two that are equal write the same bytes for the same values.
///
/// ```text
///   first  value gap[0] value gap[1] … value gap[last]  value gap[0] …
///   <r><a>   1   </a><b>  2  </b></r><r><a>
/// ```
///
/// The last gap leads into the next row; after the last row its end, [`opening`](RowWriter::opening)
/// bytes long, is to be taken back.
#[derive(Clone, Debug, PartialEq)]
pub struct RowWriter {
    kernels: Vec<Kernel>,
    dtypes: Vec<DType>,
    glue: Glue,
}

impl<'a> Flat<'a> {
    /// The values, a column a field, all of one length.
    pub fn columns(&self) -> &[Column<'a>] {
        &self.columns
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.columns.first().map_or(0, Column::len)
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How they are written.
    pub fn writer(&self) -> &RowWriter {
        &self.writer
    }
}

impl RowWriter {
    /// Room for the text of any value.
    pub const NUMBER: usize = NUMBER;

    pub(super) fn new(columns: &[(Kernel, Column<'_>)], glue: Glue) -> RowWriter {
        RowWriter {
            kernels: columns.iter().map(|(kernel, _)| *kernel).collect(),
            dtypes: columns.iter().map(|(_, column)| column.dtype()).collect(),
            glue,
        }
    }

    /// A writer of numbers that are no part of a message: for finding out what writing costs.
    pub fn sample(dtype: DType) -> RowWriter {
        let tags = Tags {
            open: b"<ns1:item".as_slice().into(),
            typed: b"<ns1:item".as_slice().into(),
            close: b"</ns1:item>".as_slice().into(),
        };
        let kernel = match dtype {
            DType::F64 => Kernel::F64,
            DType::F32 => Kernel::F32,
            DType::I32 => Kernel::I32,
            DType::I64 => Kernel::I64,
            DType::U64 => Kernel::U64,
            DType::Bool => Kernel::Bool,
            small => Kernel::Small(small),
        };
        RowWriter {
            kernels: vec![kernel],
            dtypes: vec![dtype],
            glue: Glue::new(&[&tags], false),
        }
    }

    /// What stands before the first value.
    pub fn first(&self) -> &[u8] {
        &self.glue.first
    }

    /// The constant bytes after value `field` of a row.
    pub fn gap(&self, field: usize) -> &[u8] {
        self.glue.between[field].bytes()
    }

    /// The lengths of the constant bytes after each value of a row.
    pub fn gaps(&self) -> Vec<u32> {
        self.glue.gaps()
    }

    /// The bytes at the end of the last gap that belong to the next row.
    pub fn opening(&self) -> usize {
        self.glue.opening
    }

    /// The machine types of a row's values.
    pub fn dtypes(&self) -> &[DType] {
        &self.dtypes
    }

    /// The longest text of value `field` of a row.
    pub fn width_max(&self, field: usize) -> usize {
        self.kernels[field].width_max()
    }

    /// The most bytes that a row takes.
    pub fn row_bytes_max(&self) -> usize {
        self.glue.between.iter().map(|g| NUMBER + g.room()).sum()
    }

    /// The bytes that a row mostly takes.
    pub fn row_bytes_likely(&self) -> usize {
        self.glue.between.iter().map(|g| g.len + 20).sum()
    }

    /// Writes one value without what stands around it; gives its length.
    #[inline]
    pub fn put(&self, field: usize, column: &Column<'_>, row: usize, out: &mut [u8; NUMBER]) -> usize {
        self.kernels[field].put(column, row, out)
    }

    /// Writes values of a column, as [`put`](RowWriter::put) does: those of `rows`, counted from `first`,
    /// each to its place in `texts`, its length to that in `lengths`.
    pub fn put_each(
        &self,
        field: usize,
        column: &Column<'_>,
        first: usize,
        rows: &[u32],
        texts: &mut [[u8; NUMBER]],
        lengths: &mut [u8],
    ) {
        let places = rows.iter().zip(texts).zip(lengths);
        let places = places.map(|((&row, text), length)| (first + row as usize, text, length));
        // A loop of its own for what arrays mostly hold.
        match self.kernels[field] {
            Kernel::F64 => places.for_each(|(i, text, length)| {
                *length = lexical::write_f64(f64::from_ne_bytes(column.bytes(i)), text) as u8;
            }),
            kernel => places.for_each(|(i, text, length)| *length = kernel.put(column, i, text) as u8),
        }
    }

    /// Appends rows, each value with its gap. `note` is told the length of every value.
    pub fn write(
        &self,
        columns: &[Column<'_>],
        rows: Range<usize>,
        out: &mut Vec<u8>,
        mut note: impl FnMut(u8),
    ) {
        let [column] = columns else {
            return self.write_rows(columns, rows, out, note);
        };
        match self.kernels[0] {
            // A loop of its own for what arrays mostly hold.
            Kernel::F64 => self.write_column(rows, out, note, |i, o| {
                lexical::write_f64(f64::from_ne_bytes(column.bytes(i)), o)
            }),
            Kernel::F32 => self.write_column(rows, out, note, |i, o| {
                lexical::write_f32(f32::from_ne_bytes(column.bytes(i)), o)
            }),
            Kernel::I32 => self.write_column(rows, out, note, |i, o| {
                lexical::write_i32(i32::from_ne_bytes(column.bytes(i)), o)
            }),
            Kernel::I64 => self.write_column(rows, out, note, |i, o| {
                lexical::write_i64(i64::from_ne_bytes(column.bytes(i)), o)
            }),
            kernel => self.write_column(rows, out, &mut note, |i, o| kernel.put(column, i, o)),
        }
    }

    #[inline]
    fn write_column(
        &self,
        rows: Range<usize>,
        out: &mut Vec<u8>,
        mut note: impl FnMut(u8),
        put: impl Fn(usize, &mut [u8; NUMBER]) -> usize,
    ) {
        let between = &self.glue.between[0];
        for block in rows.clone().step_by(BLOCK) {
            let stop = rows.end.min(block + BLOCK);
            let start = out.len();
            out.resize(start + self.room(stop - block), 0);
            let room = &mut out[start..];
            let mut at = 0;
            for i in block..stop {
                let length = put(i, piece(room, at));
                note(length as u8);
                at = between.put(room, at + length);
            }
            out.truncate(start + at);
        }
    }

    fn write_rows(
        &self,
        columns: &[Column<'_>],
        rows: Range<usize>,
        out: &mut Vec<u8>,
        mut note: impl FnMut(u8),
    ) {
        let fields = self.kernels.iter().zip(columns).zip(&self.glue.between);
        let fields: Vec<_> = fields
            .map(|((kernel, column), gap)| (*kernel, *column, gap))
            .collect();
        for block in rows.clone().step_by(BLOCK) {
            let stop = rows.end.min(block + BLOCK);
            let start = out.len();
            out.resize(start + self.room(stop - block), 0);
            let room = &mut out[start..];
            let mut at = 0;
            for i in block..stop {
                for (kernel, column, gap) in &fields {
                    let length = kernel.put(column, i, piece(room, at));
                    note(length as u8);
                    at = gap.put(room, at + length);
                }
            }
            out.truncate(start + at);
        }
    }

    /// Room for so many rows, and for what is written beyond the last value and its gap.
    fn room(&self, rows: usize) -> usize {
        let gaps = &self.glue.between;
        let row: usize = self
            .kernels
            .iter()
            .zip(gaps)
            .map(|(k, g)| k.width_max() + g.len)
            .sum();
        let beyond = gaps.iter().map(Constant::room).max().unwrap_or(0);
        rows * row + NUMBER + beyond
    }
}
