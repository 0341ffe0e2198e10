//! Arrays of numbers and of flat records, ready to be written: [`Flat`] and its [`RowWriter`].

use std::ops::Range;

use castile_lexical as lexical;
use castile_plan::Tags;
use castile_value::{Column, DType};
use castile_xml::{Constant, NUMBER, Room};

use super::glue::Glue;
use super::kernel::Kernel;
use super::texts::{ROWS, Texts};

/// Bytes of rows that are written at once, about: so few that room for them is still in the cache when they come.
const BYTES_AT_ONCE: usize = 1536;

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
        let mut writer = RowWriter {
            kernels: Vec::new(),
            dtypes: Vec::new(),
            glue,
        };
        writer.set(columns);
        writer
    }

    /// Other columns, written with the same bytes between.
    pub(super) fn set(&mut self, columns: &[(Kernel, Column<'_>)]) {
        self.kernels = columns.iter().map(|(kernel, _)| *kernel).collect();
        self.dtypes = columns.iter().map(|(_, column)| column.dtype()).collect();
    }

    /// A writer of numbers that are no part of a message: for finding out what writing costs.
    pub fn sample(dtype: DType) -> RowWriter {
        let tags = Tags {
            open: b"<ns1:item".as_slice().into(),
            typed: b"<ns1:item".as_slice().into(),
            close: b"</ns1:item>".as_slice().into(),
        };
        RowWriter {
            kernels: vec![Kernel::exact(dtype)],
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
        self.glue.between.iter().map(|g| g.len() + 20).sum()
    }

    /// Bytes that may be written, and written over again, beyond the last row.
    pub fn bytes_beyond(&self) -> usize {
        let gaps = self.glue.between.iter().map(Constant::room);
        NUMBER + gaps.max().unwrap_or(0)
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

    /// Writes so many rows at the start of `out`, each value with its gap, and gives their bytes. `text` is asked for
    /// value after value, with its field: a text with anything behind it, and its length. `out` has room for the rows
    /// and for [`bytes_beyond`](RowWriter::bytes_beyond).
    #[inline]
    pub fn join<'t>(
        &self,
        rows: usize,
        out: &mut [u8],
        mut text: impl FnMut(usize) -> (&'t [u8; NUMBER], usize),
    ) -> usize {
        let mut at = 0;
        let mut put = |field: usize, gap: &Constant| {
            let (text, length) = text(field);
            at = gap.put_after(out, at, |number| {
                *number = *text;
                length
            });
        };
        match &self.glue.between[..] {
            // A loop of its own for what arrays mostly are.
            [gap] => (0..rows).for_each(|_| put(0, gap)),
            gaps => (0..rows).for_each(|_| {
                let fields = gaps.iter().enumerate();
                fields.for_each(|(field, gap)| put(field, gap));
            }),
        }
        at
    }

    /// Writes rows, each value with its gap. `note` is told the length of every value.
    pub fn write(
        &self,
        columns: &[Column<'_>],
        rows: Range<usize>,
        room: &mut Room<'_>,
        note: impl FnMut(u8),
    ) {
        let [column] = columns else {
            return self.write_rows(columns, rows, room, note);
        };
        // Loops of their own for what arrays mostly hold.
        match self.kernels[0] {
            Kernel::F64 => self.write_column(column, rows, room, note, |v, out| {
                lexical::write_f64(f64::from_ne_bytes(v), out)
            }),
            Kernel::F32 => self.write_column(column, rows, room, note, |v, out| {
                lexical::write_f32(f32::from_ne_bytes(v), out)
            }),
            Kernel::I32 => self.write_column(column, rows, room, note, |v, out| {
                lexical::write_i32(i32::from_ne_bytes(v), out)
            }),
            Kernel::I64 => self.write_column(column, rows, room, note, |v, out| {
                lexical::write_i64(i64::from_ne_bytes(v), out)
            }),
            _ => self.write_rows(columns, rows, room, note),
        }
    }

    #[inline]
    fn write_column<const N: usize>(
        &self,
        column: &Column<'_>,
        rows: Range<usize>,
        room: &mut Room<'_>,
        mut note: impl FnMut(u8),
        put: impl Fn([u8; N], &mut [u8; NUMBER]) -> usize,
    ) {
        let gap = &self.glue.between[0];
        self.write_blocks(rows, ROWS, room, |rows, out| {
            let mut at = 0;
            for value in column.each(rows) {
                at = gap.put_after(out, at, |number| {
                    let length = put(value, number);
                    note(length as u8);
                    length
                });
            }
            at
        });
    }

    fn write_rows(
        &self,
        columns: &[Column<'_>],
        rows: Range<usize>,
        room: &mut Room<'_>,
        mut note: impl FnMut(u8),
    ) {
        let gaps = &self.glue.between;
        let mut texts = Texts::new(gaps.len());
        let at_once = (BYTES_AT_ONCE / self.row_bytes().max(1)).clamp(ROWS / 8, ROWS);
        self.write_blocks(rows, at_once, room, |rows, out| {
            for (cell, (kernel, column)) in self.kernels.iter().zip(columns).enumerate() {
                texts.fill(cell, *kernel, column, rows.clone());
            }
            let mut at = 0;
            for i in 0..rows.len() {
                for (k, gap) in gaps.iter().enumerate() {
                    let Some((text, length)) = texts.get(k, i) else {
                        break;
                    };
                    note(length as u8);
                    at = gap.put_after(out, at, |number| {
                        *number = *text;
                        length
                    });
                }
            }
            at
        });
    }

    /// Has `put` write the rows so many at a time into room for them, and say how many bytes.
    #[inline(always)]
    fn write_blocks(
        &self,
        rows: Range<usize>,
        at_once: usize,
        room: &mut Room<'_>,
        mut put: impl FnMut(Range<usize>, &mut [u8]) -> usize,
    ) {
        let (row, beyond) = (self.row_bytes(), self.bytes_beyond());
        let mut from = rows.start;
        while from < rows.end {
            let some = from..rows.end.min(from + at_once);
            from = some.end;
            room.write(some.len() * row + beyond, |out| Some(put(some, out)));
        }
    }

    /// The most bytes that a row takes.
    fn row_bytes(&self) -> usize {
        let fields = self.kernels.iter().zip(&self.glue.between);
        fields.map(|(kernel, gap)| kernel.width_max() + gap.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use castile_value::ColumnBuf;

    use super::*;

    fn tags(name: &str) -> Tags {
        let open = format!("<{name}").into_bytes();
        Tags {
            open: open.as_slice().into(),
            typed: open.as_slice().into(),
            close: format!("</{name}>").as_bytes().into(),
        }
    }

    #[test]
    fn rows_joined_of_texts_are_the_rows_that_are_written() {
        let doubles = ColumnBuf::from((0..100).map(|i| f64::from(i) / 7.0).collect::<Vec<f64>>());
        let ints = ColumnBuf::from((0..100).map(|i| 1 << (i % 31)).collect::<Vec<i32>>());
        let long = "n".repeat(70);
        for names in [
            &["item"][..],
            &[&long],
            &["item", "a", "b"],
            &["item", &long, "b"],
        ] {
            let tags: Vec<Tags> = names.iter().map(|name| tags(name)).collect();
            let both = [(Kernel::F64, doubles.view()), (Kernel::I32, ints.view())];
            let columns = &both[..(names.len() - 1).max(1)];
            let writer = RowWriter::new(columns, Glue::new(&tags.iter().collect::<Vec<_>>(), false));
            let columns: Vec<Column<'_>> = columns.iter().map(|(_, column)| *column).collect();
            let mut written = Vec::new();
            let mut room = Room::new(&mut written);
            writer.write(&columns, 0..100, &mut room, |_| {});
            room.finish(0);
            let texts: Vec<([u8; NUMBER], usize)> = (0..100)
                .flat_map(|row| (0..columns.len()).map(move |field| (row, field)))
                .map(|(row, field)| {
                    let mut text = [b'?'; NUMBER];
                    let length = writer.put(field, &columns[field], row, &mut text);
                    (text, length)
                })
                .collect();
            let mut joined = vec![b'!'; written.len() + writer.bytes_beyond()];
            let mut next = texts.iter();
            let bytes = writer.join(100, &mut joined, |_| {
                next.next().map_or((&[0; _], 0), |(text, length)| (text, *length))
            });
            assert_eq!(joined[..bytes], written, "{names:?}");
        }
    }
}
