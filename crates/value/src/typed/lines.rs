//! Records as text: the bytes around their values are told once, and a type that knows its fields when it
//! is compiled writes and reads them itself.
//!
//! ```text
//!   <r><a> 1 </a><b> 2 </b></r><r><a> 3 ...
//!          ^ ------- ^ ---------------- ^      a value, then a constant
//! ```

use castile_xml::like::{after, after_space};
use castile_xml::{Constant, Room};

use super::{Cell, Fields};
use crate::{DType, Record, RowLayout, Scalar, Value};

/// A value of a record that is written as text.
#[derive(Clone, Copy, Debug)]
pub struct CellOut<'g> {
    /// The least and the greatest integer that may stand there, unless all of the machine type may.
    pub bounds: Option<(i64, i64)>,
    /// What comes after it: of the last value, through the start of the next record.
    pub after: &'g Constant,
}

/// The text that records are written to.
pub struct LinesOut<'o> {
    room: Room<'o>,
    layout: &'o RowLayout,
    cells: &'o [CellOut<'o>],
    /// Bytes of a record's constants.
    around: usize,
}

/// A value of a record that is read from text.
#[derive(Clone, Copy, Debug)]
pub struct CellIn<'a> {
    /// What stands before it.
    pub before: &'a [u8],
    /// The least and the greatest integer that may stand there, unless all of the machine type may.
    pub bounds: Option<(i64, i64)>,
}

/// The values of a record that is read from text.
pub trait CellsIn {
    /// Value `k`, in the order of the layout's shape; `None` past the end, or when it is read otherwise.
    fn cell(&self, k: usize) -> Option<CellIn<'_>>;
}

/// The text of some records, each like the one before it.
#[derive(Clone, Copy)]
pub struct LinesIn<'a> {
    /// The whole message.
    pub text: &'a str,
    /// Where the first of them begins.
    pub at: usize,
    /// How many are read at most.
    pub left: u32,
    /// The machine types of the values.
    pub layout: &'a RowLayout,
    /// What stands before a record.
    pub gap: &'a [u8],
    /// The values.
    pub cells: &'a dyn CellsIn,
    /// What stands after the last value.
    pub close: &'a [u8],
}

impl<'o> LinesOut<'o> {
    /// Writes behind `out`, values of this layout, all of whose fields have a cell.
    pub fn new(layout: &'o RowLayout, cells: &'o [CellOut<'o>], out: &'o mut Vec<u8>) -> Self {
        LinesOut {
            room: Room::new(out),
            layout,
            cells,
            around: cells.iter().map(|cell| cell.after.room()).sum(),
        }
    }

    /// Writes records; `false` when the type is not of this layout, or some value is none of its cell's.
    pub(super) fn write<T: Fields>(&mut self, records: &[T]) -> bool {
        let LinesOut {
            room, cells, around, ..
        } = self;
        is_line_of::<T>(self.layout)
            && records.iter().all(|record| {
                let plain = room.write(*around + record.line_bytes(), |out| record.put_line(cells, out));
                plain || room.append(|out| record.append_line(cells, out))
            })
    }

    /// Takes back the start of a record that does not come, which is so many bytes.
    pub fn finish(self, opening: usize) {
        self.room.finish(opening);
    }
}

impl LinesIn<'_> {
    /// Appends the records that are like the others; gives their number and where they end. `None` when the type
    /// is not of this layout, or some value is read otherwise.
    pub(super) fn read<T: Fields>(&self, many: &mut Vec<T>) -> Option<(u32, usize)> {
        match is_line_of::<T>(self.layout) {
            true => self.each(
                |at, cells| T::get_line(self.text, at, cells),
                |record| many.push(record),
            ),
            false => None,
        }
    }

    /// The same for dynamic records.
    pub(crate) fn read_records(&self, many: &mut Vec<Value>) -> Option<(u32, usize)> {
        let shape = self.layout.shape();
        let kinds: Vec<Option<DType>> = self.layout.cells().map(|cell| Some(cell?.dtype)).collect();
        self.each(
            |at, cells| {
                let (values, end) = values_at(self.text, at, &kinds, cells)?;
                Some((Record::of(shape.clone(), values.into()), end))
            },
            |record| many.push(record.into()),
        )
    }

    /// Takes each record that `get` reads at the place of its first value, through its last.
    #[inline(always)]
    fn each<R>(
        &self,
        get: impl Fn(usize, &[CellIn<'_>]) -> Option<(R, usize)>,
        mut take: impl FnMut(R),
    ) -> Option<(u32, usize)> {
        let cells: Option<Vec<CellIn<'_>>> = (0..self.layout.shape().len())
            .map(|k| self.cells.cell(k))
            .collect();
        let cells = cells?;
        let first = cells.first()?.before;
        let input = self.text.as_bytes();
        let start = after(input, self.at, self.gap).and_then(|at| after(input, at, first));
        let Some(mut at) = start.filter(|_| self.left > 0) else {
            return Some((0, self.at));
        };
        // What stands between the values of two records is compared at once.
        let between = [self.close, self.gap, first].concat();
        let head = self.gap.len() + first.len();
        let (mut count, mut end) = (0, self.at);
        while count < self.left {
            let Some((record, behind)) = get(at, &cells) else {
                break;
            };
            if let Some(next) = after_space(input, behind, &between) {
                take(record);
                count += 1;
                end = next - head;
                at = next;
                continue;
            }
            if let Some(behind) = after_space(input, behind, self.close) {
                take(record);
                count += 1;
                end = behind;
            }
            break;
        }
        Some((count, end))
    }
}

/// The values of a record from the place of its first on, and where the last ends.
#[inline]
fn values_at(
    text: &str,
    at: usize,
    kinds: &[Option<DType>],
    cells: &[CellIn<'_>],
) -> Option<(Vec<Value>, usize)> {
    let mut values = Vec::with_capacity(kinds.len());
    let mut at = at;
    for (k, (kind, cell)) in kinds.iter().zip(cells).enumerate() {
        if k > 0 {
            at = after_space(text.as_bytes(), at, cell.before)?;
        }
        let (value, end) = value_at(text, at, *kind, cell)?;
        values.push(value);
        at = end;
    }
    Some((values, at))
}

#[inline(always)]
fn value_at(text: &str, at: usize, kind: Option<DType>, cell: &CellIn<'_>) -> Option<(Value, usize)> {
    fn get<C: Cell>(
        text: &str,
        at: usize,
        cell: &CellIn<'_>,
        value: impl Fn(C) -> Value,
    ) -> Option<(Value, usize)> {
        C::get(text, at, cell).map(|(v, end)| (value(v), end))
    }
    match kind {
        None => get(text, at, cell, Value::Text),
        Some(DType::F64) => get(text, at, cell, Value::Double),
        Some(DType::I32) => get(text, at, cell, |v: i32| Value::Int(v.into())),
        Some(DType::F32) => get(text, at, cell, Value::Float),
        Some(DType::Bool) => get(text, at, cell, Value::Bool),
        Some(DType::I64) => get(text, at, cell, Value::Int),
        Some(DType::U64) => get(text, at, cell, |v: u64| Scalar::UInt(v).into()),
        Some(DType::U32) => get(text, at, cell, |v: u32| Value::Int(v.into())),
        Some(DType::I16) => get(text, at, cell, |v: i16| Value::Int(v.into())),
        Some(DType::U16) => get(text, at, cell, |v: u16| Value::Int(v.into())),
        Some(DType::I8) => get(text, at, cell, |v: i8| Value::Int(v.into())),
        Some(DType::U8) => get(text, at, cell, |v: u8| Value::Int(v.into())),
    }
}

/// Whether the fields of the type are those of the layout.
pub(super) fn is_line_of<T: Fields>(layout: &RowLayout) -> bool {
    let (numbers, texts) = (layout.fields(), layout.texts());
    let cell = |index: usize| T::CELLS.get(index).copied();
    T::CELLS.len() == numbers.len() + texts.len()
        && numbers
            .iter()
            .all(|field| cell(field.index) == Some(Some(field.dtype)))
        && texts.iter().all(|&index| cell(index) == Some(None))
}
