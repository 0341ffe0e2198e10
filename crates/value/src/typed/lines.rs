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
use crate::record::Flock;
use crate::{DType, RowLayout, Scalar, Value};

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
            && room.write_each(
                *around,
                records,
                |record| *around + record.line_bytes(),
                |record, out| record.put_line(cells, out),
                |record, out| record.append_line(cells, out),
            )
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
        if !is_line_of::<T>(self.layout) {
            return None;
        }
        let read = |walk: &Walk<'_>, at| {
            let (record, behind) = T::get_line(self.text, at, &walk.cells)?;
            let found = walk.behind(behind)?;
            if many.len() == many.capacity() {
                many.reserve(walk.likely());
            }
            many.push(record);
            Some(found)
        };
        Some(Walk::new(self)?.each(read))
    }

    /// The same for dynamic records.
    pub(crate) fn read_records(&self, many: &mut Vec<Value>) -> Option<(u32, usize)> {
        let walk = Walk::new(self)?;
        let kinds = self.layout.cells().map(|cell| Some(cell?.dtype));
        let cells: Vec<(Option<DType>, CellIn<'_>)> = kinds.zip(walk.cells.iter().copied()).collect();
        let mut flock = Flock::new(self.layout.shape(), many);
        let read = walk.each(|walk, at| {
            let put = |values: &mut Vec<Value>| {
                let behind = read_values(self.text, at, &cells, values)?;
                walk.behind(behind)
            };
            flock.push(|| walk.likely(), put)
        });
        flock.finish();
        Some(read)
    }
}

/// The way through records that are alike.
struct Walk<'l> {
    lines: &'l LinesIn<'l>,
    cells: Vec<CellIn<'l>>,
    /// What stands between the values of two records, which is compared at once.
    between: Vec<u8>,
    /// Records so far, and where they end.
    count: u32,
    end: usize,
    /// Where the first value of the next one is.
    next: Option<usize>,
}

/// Where a record ends, and where the first value of the next one is, if one follows.
type Found = (usize, Option<usize>);

impl<'l> Walk<'l> {
    /// `None` when some value is read otherwise.
    fn new(lines: &'l LinesIn<'l>) -> Option<Self> {
        let cells = (0..lines.layout.shape().len()).map(|k| lines.cells.cell(k));
        let cells: Vec<CellIn<'_>> = cells.collect::<Option<_>>()?;
        let first = cells.first()?.before;
        let input = lines.text.as_bytes();
        let next = after(input, lines.at, lines.gap).and_then(|at| after(input, at, first));
        Some(Walk {
            lines,
            between: [lines.close, lines.gap, first].concat(),
            cells,
            count: 0,
            end: lines.at,
            next,
        })
    }

    /// Has `read` take each record, the first value of which it is told the place of; gives how many it took, and where
    /// they end.
    #[inline(always)]
    fn each(mut self, mut read: impl FnMut(&Self, usize) -> Option<Found>) -> (u32, usize) {
        while let Some(at) = self.next.filter(|_| self.count < self.lines.left) {
            let Some((end, next)) = read(&self, at) else {
                break;
            };
            self.count += 1;
            (self.end, self.next) = (end, next);
        }
        (self.count, self.end)
    }

    /// What follows the last value of a record; `None` when that is not like the others.
    #[inline(always)]
    fn behind(&self, at: usize) -> Option<Found> {
        let input = self.lines.text.as_bytes();
        match after_space(input, at, &self.between) {
            Some(next) => Some((next - (self.between.len() - self.lines.close.len()), Some(next))),
            None => Some((after_space(input, at, self.lines.close)?, None)),
        }
    }

    /// How many records may follow, a few more than if they are as long as those so far: memory that is asked for once
    /// need not be copied.
    #[cold]
    fn likely(&self) -> usize {
        if self.count < SOME {
            return 1;
        }
        let each = (self.end - self.lines.at) / self.count as usize;
        let more = self.lines.text.len().saturating_sub(self.end) / each.max(1);
        (more + more / 16 + 1).min((self.lines.left - self.count) as usize)
    }
}

/// Records from whose length that of those that follow is guessed.
const SOME: u32 = 64;

/// Appends the values of a record from the place of its first on; gives where the last ends.
#[inline(always)]
fn read_values(
    text: &str,
    at: usize,
    cells: &[(Option<DType>, CellIn<'_>)],
    values: &mut Vec<Value>,
) -> Option<usize> {
    let ((kind, cell), rest) = cells.split_first()?;
    let mut at = push_value(text, at, *kind, cell, values)?;
    for (kind, cell) in rest {
        at = after_space(text.as_bytes(), at, cell.before)?;
        at = push_value(text, at, *kind, cell, values)?;
    }
    Some(at)
}

/// Appends the value at `at`; gives where it ends.
#[inline(always)]
fn push_value(
    text: &str,
    at: usize,
    kind: Option<DType>,
    cell: &CellIn<'_>,
    values: &mut Vec<Value>,
) -> Option<usize> {
    match kind {
        None => push(text, at, cell, values, Value::Text),
        Some(DType::F64) => push(text, at, cell, values, Value::Double),
        Some(DType::I32) => push(text, at, cell, values, |v: i32| Value::Int(v.into())),
        Some(DType::F32) => push(text, at, cell, values, Value::Float),
        Some(DType::Bool) => push(text, at, cell, values, Value::Bool),
        Some(DType::I64) => push(text, at, cell, values, Value::Int),
        Some(DType::U64) => push(text, at, cell, values, |v: u64| Scalar::UInt(v).into()),
        Some(DType::U32) => push(text, at, cell, values, |v: u32| Value::Int(v.into())),
        Some(DType::I16) => push(text, at, cell, values, |v: i16| Value::Int(v.into())),
        Some(DType::U16) => push(text, at, cell, values, |v: u16| Value::Int(v.into())),
        Some(DType::I8) => push(text, at, cell, values, |v: i8| Value::Int(v.into())),
        Some(DType::U8) => push(text, at, cell, values, |v: u8| Value::Int(v.into())),
    }
}

/// Appends a value for which there is room. It is made where it stays: one that is put together elsewhere first, as it
/// is if memory might have to be asked for, is waited for when it is moved.
#[inline(always)]
fn push<C: Cell>(
    text: &str,
    at: usize,
    cell: &CellIn<'_>,
    values: &mut Vec<Value>,
    value: impl Fn(C) -> Value,
) -> Option<usize> {
    let (v, end) = C::get(text, at, cell)?;
    if values.len() == values.capacity() {
        return None;
    }
    values.push(value(v));
    Some(end)
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
