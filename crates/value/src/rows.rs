//! Arrays of flat records of numbers: [`Table`] borrows one, [`Rows`] owns one.

use std::sync::Arc;

use crate::{Column, DType, Record, Scalar, Shape, Value};

/// Where one field lies in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowField {
    /// The field's name.
    pub name: Box<str>,
    /// Its index in the shape.
    pub index: usize,
    /// Its machine type.
    pub dtype: DType,
    /// Its first byte in the row.
    pub offset: usize,
}

/// The layout of packed rows, fields in the order of the shape: NumPy's packed structured dtype. Texts
/// stand beside the rows ([`Packed`](crate::Packed)).
#[derive(Debug, PartialEq, Eq)]
pub struct RowLayout {
    shape: Arc<Shape>,
    fields: Vec<RowField>,
    texts: Vec<usize>,
    stride: usize,
}

impl RowLayout {
    /// The packed layout of `shape` whose fields have these machine types; `None` when their
    /// number differs from the shape's fields or there are none.
    pub fn packed(shape: Arc<Shape>, dtypes: &[DType]) -> Option<Self> {
        let cells: Vec<Option<DType>> = dtypes.iter().copied().map(Some).collect();
        RowLayout::with_texts(shape, &cells)
    }

    /// The same when some fields are texts: those without a machine type.
    pub fn with_texts(shape: Arc<Shape>, cells: &[Option<DType>]) -> Option<Self> {
        if cells.is_empty() || cells.len() != shape.len() {
            return None;
        }
        let mut stride = 0;
        let (mut fields, mut texts) = (Vec::new(), Vec::new());
        for (index, (name, cell)) in shape.fields().zip(cells).enumerate() {
            let Some(dtype) = *cell else {
                texts.push(index);
                continue;
            };
            fields.push(RowField {
                name: name.into(),
                index,
                dtype,
                offset: stride,
            });
            stride += dtype.size();
        }
        Some(RowLayout {
            shape,
            fields,
            texts,
            stride,
        })
    }

    /// The record type of a row.
    pub fn shape(&self) -> &Arc<Shape> {
        &self.shape
    }

    /// The fields of numbers and where they lie.
    pub fn fields(&self) -> &[RowField] {
        &self.fields
    }

    /// What each field of the shape is, in order: a number with its place, or a text (`None`).
    pub fn cells(&self) -> impl Iterator<Item = Option<&RowField>> {
        let mut numbers = self.fields.iter().peekable();
        (0..self.shape.len()).map(move |index| numbers.next_if(|field| field.index == index))
    }

    /// The indexes of the fields that are texts, which [`Rows`] has no place for.
    pub fn texts(&self) -> &[usize] {
        &self.texts
    }

    /// Bytes of one row.
    pub fn stride(&self) -> usize {
        self.stride
    }
}

/// An owned array of flat records, row after row in one allocation.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    layout: Arc<RowLayout>,
    data: Vec<u8>,
}

impl Rows {
    /// No rows of this layout, which has only numbers.
    pub fn new(layout: Arc<RowLayout>) -> Self {
        Rows {
            layout,
            data: Vec::new(),
        }
    }

    /// The rows that packed bytes hold, row after row; a part of a row at the end is left out.
    pub fn from_data(layout: Arc<RowLayout>, mut data: Vec<u8>) -> Self {
        data.truncate(data.len() / layout.stride * layout.stride);
        Rows { layout, data }
    }

    /// The layout of a row.
    pub fn layout(&self) -> &Arc<RowLayout> {
        &self.layout
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.data.len().checked_div(self.layout.stride).unwrap_or(0)
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// The bytes of all rows, row-major, packed, native byte order.
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// The bytes, taken out.
    pub fn into_data(self) -> Vec<u8> {
        self.data
    }

    /// Appends one row; its length must be the layout's stride, else nothing is appended.
    #[inline]
    pub fn push(&mut self, row: &[u8]) {
        debug_assert_eq!(row.len(), self.layout.stride);
        if row.len() == self.layout.stride {
            self.data.extend_from_slice(row);
        }
    }

    /// The bytes to append rows to. Only whole rows may be left in it: a partial row would shift
    /// all that follow, so callers truncate to a multiple of the stride when they give up.
    pub fn data_mut(&mut self) -> &mut Vec<u8> {
        &mut self.data
    }

    /// The rows as one column a field, without copying.
    pub fn view(&self) -> Table<'_> {
        let len = self.len();
        let columns = self.layout.fields.iter().map(|f| {
            let data = self.data.get(f.offset..).unwrap_or(&[]);
            let column = Column::new(data, self.layout.stride, f.dtype, len);
            (&*f.name, column.expect("a layout's fields lie in its rows"))
        });
        Table {
            columns: columns.collect(),
            len,
        }
    }

    /// Row `i` as a record, or `None` past the end.
    pub fn record(&self, i: usize) -> Option<Record> {
        if i >= self.len() {
            return None;
        }
        let mut record = Record::new(self.layout.shape.clone());
        let view = self.view();
        for (slot, (_, column)) in record.values_mut().iter_mut().zip(&view.columns) {
            *slot = column.get(i).map_or(Value::Absent, Value::from);
        }
        Some(record)
    }

    /// All rows as records.
    pub fn records(&self) -> Vec<Value> {
        (0..self.len())
            .filter_map(|i| self.record(i))
            .map(Value::Record)
            .collect()
    }
}

/// A borrowed array of flat records: columns of one length with their names.
#[derive(Clone, Debug)]
pub struct Table<'a> {
    columns: Vec<(&'a str, Column<'a>)>,
    len: usize,
}

impl<'a> Table<'a> {
    /// Columns of equal length with their fields' names; `None` when the lengths differ.
    pub fn new(columns: Vec<(&'a str, Column<'a>)>) -> Option<Self> {
        let len = columns.first().map_or(0, |(_, c)| c.len());
        columns
            .iter()
            .all(|(_, c)| c.len() == len)
            .then_some(Table { columns, len })
    }

    pub(crate) fn of_equal(columns: Vec<(&'a str, Column<'a>)>, len: usize) -> Self {
        Table { columns, len }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The column named `name`.
    pub fn column(&self, name: &str) -> Option<Column<'a>> {
        self.columns.iter().find(|(n, _)| *n == name).map(|(_, c)| *c)
    }

    /// The columns and their names.
    pub fn columns(&self) -> &[(&'a str, Column<'a>)] {
        &self.columns
    }

    /// Field `name` of row `i`.
    pub fn get(&self, i: usize, name: &str) -> Option<Scalar<'static>> {
        self.column(name)?.get(i)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_packed_and_seen_as_columns() {
        let shape = Arc::new(Shape::new(
            "{urn:x}Mio",
            vec!["x".into(), "y".into(), "value".into()],
        ));
        let layout = Arc::new(RowLayout::packed(shape, &[DType::I32, DType::I32, DType::F64]).unwrap());
        assert_eq!(layout.stride(), 16);
        let mut rows = Rows::new(layout);
        for i in 0..3i32 {
            let mut row = Vec::new();
            row.extend(i.to_ne_bytes());
            row.extend((-i).to_ne_bytes());
            row.extend((f64::from(i) / 2.0).to_ne_bytes());
            rows.push(&row);
        }
        assert_eq!(rows.len(), 3);
        assert_eq!(rows.view().get(2, "y"), Some(Scalar::Int(-2)));
        assert_eq!(rows.record(1).unwrap().get("value"), Some(&Value::Double(0.5)));
        assert!(rows.record(3).is_none());
        assert!(Rows::new(rows.layout().clone()).view().is_empty());
    }
}
