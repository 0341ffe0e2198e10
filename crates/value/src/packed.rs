//! Records of numbers and texts, some at a time: [`Packed`].

use std::sync::Arc;

use crate::record::Flock;
use crate::{Column, DType, Record, RowField, RowLayout, Scalar, Table, Value};

/// Some records of one layout: the numbers packed row after row, the texts beside them and borrowed.
///
/// Many records move in one call this way, out of a source ([`Items::pack`](crate::Items::pack)) and into
/// a sink ([`Sink::packed`](crate::Sink::packed)).
#[derive(Clone, Debug)]
pub struct Packed<'a> {
    layout: Arc<RowLayout>,
    /// The numbers of each record, packed as the layout says.
    pub numbers: Vec<u8>,
    /// The texts of each record, in the order of its fields.
    pub texts: Vec<&'a str>,
}

impl<'a> Packed<'a> {
    /// No records.
    pub fn new(layout: Arc<RowLayout>) -> Self {
        Packed {
            layout,
            numbers: Vec::new(),
            texts: Vec::new(),
        }
    }

    /// The layout of a record.
    pub fn layout(&self) -> &Arc<RowLayout> {
        &self.layout
    }

    /// Number of whole records.
    pub fn len(&self) -> usize {
        let rows = |have: usize, each: usize| have.checked_div(each).unwrap_or(usize::MAX);
        rows(self.numbers.len(), self.layout.stride()).min(rows(self.texts.len(), self.layout.texts().len()))
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all but the first records and what belongs to no whole record.
    pub fn truncate(&mut self, len: usize) {
        let len = len.min(self.len());
        self.numbers.truncate(len * self.layout.stride());
        self.texts.truncate(len * self.layout.texts().len());
    }

    /// The numbers of field `k` of the layout's number fields; `None` if there is no such field.
    pub fn column(&self, k: usize) -> Option<Column<'_>> {
        let field = self.layout.fields().get(k)?;
        let data = self.numbers.get(field.offset..).unwrap_or_default();
        Column::new(data, self.layout.stride(), field.dtype, self.len())
    }

    /// The numbers of all records, as columns.
    pub fn table(&self) -> Table<'_> {
        let fields = self.layout.fields().iter().enumerate();
        let columns = fields.filter_map(|(k, field)| Some((&*field.name, self.column(k)?)));
        Table::of_equal(columns.collect(), self.len())
    }

    /// The texts of record `i`; none past the end.
    #[inline]
    pub fn texts_of(&self, i: usize) -> &[&'a str] {
        let each = self.layout.texts().len();
        self.texts.get(i * each..(i + 1) * each).unwrap_or_default()
    }

    /// The packed numbers and the texts of each record.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = (&[u8], &[&'a str])> {
        let (stride, texts) = (self.layout.stride(), self.layout.texts().len());
        (0..self.len()).map(move |i| {
            let numbers = self.numbers.get(i * stride..(i + 1) * stride);
            let texts = self.texts.get(i * texts..(i + 1) * texts);
            (numbers.unwrap_or_default(), texts.unwrap_or_default())
        })
    }

    /// Appends a record; `false`, and perhaps a part of it, when it has another shape or values that
    /// the layout has no place for.
    pub fn push(&mut self, record: &'a Record) -> bool {
        let values = record.values();
        record.is_of(self.layout.shape()) && self.push_values(|i| values.get(i))
    }

    /// The same for a map, the names of which must stand in the order of the shape's fields.
    pub fn push_map(&mut self, entries: &'a [(String, Value)]) -> bool {
        self.layout.shape().is_of_map(entries) && self.push_values(|i| entries.get(i).map(|(_, value)| value))
    }

    fn push_values(&mut self, value: impl Fn(usize) -> Option<&'a Value>) -> bool {
        for &field in self.layout.texts() {
            match value(field) {
                Some(Value::Text(text)) => self.texts.push(text),
                _ => return false,
            }
        }
        let number = |field: &RowField| {
            value(field.index).is_some_and(|value| push_number(&mut self.numbers, field.dtype, value))
        };
        self.layout.fields().iter().all(number)
    }

    /// Appends the records as dynamic values.
    pub fn records(&self, out: &mut Vec<Value>) {
        let cells: Vec<Option<&RowField>> = self.layout.cells().collect();
        let mut flock = Flock::new(self.layout.shape(), out);
        let mut left = self.len();
        for (numbers, texts) in self.rows() {
            let mut texts = texts.iter();
            let value = |cell: &Option<&RowField>| match cell {
                Some(field) => number(field.dtype, numbers.get(field.offset..).unwrap_or_default()),
                None => texts.next().map_or(Value::Absent, |text| Value::from(*text)),
            };
            let put = |values: &mut Vec<Value>| {
                values.extend(cells.iter().map(value));
                Some(())
            };
            flock.push(|| left, put);
            left -= 1;
        }
        flock.finish();
    }

    /// The values of record `i` with their fields, appended to `out`.
    pub fn values(&self, i: usize, out: &mut Vec<(u32, Scalar<'a>)>) {
        let layout = &self.layout;
        for (k, field) in layout.fields().iter().enumerate() {
            let number = self.column(k).and_then(|column| column.get(i));
            out.extend(number.map(|number| (field.index as u32, number)));
        }
        let texts = layout.texts();
        let own = self.texts.iter().skip(i * texts.len());
        out.extend(
            texts
                .iter()
                .zip(own)
                .map(|(&field, text)| (field as u32, Scalar::from(*text))),
        );
        out.sort_unstable_by_key(|(field, _)| *field);
    }
}

/// The number of a machine type at the start of `bytes`.
#[inline]
fn number(dtype: DType, bytes: &[u8]) -> Value {
    match dtype {
        // What records mostly hold.
        DType::F64 => bytes.first_chunk().map(|v| Value::Double(f64::from_ne_bytes(*v))),
        DType::I32 => bytes
            .first_chunk()
            .map(|v| Value::Int(i32::from_ne_bytes(*v).into())),
        _ => Column::new(bytes, dtype.size(), dtype, 1)
            .and_then(|column| column.get(0))
            .map(Value::from),
    }
    .unwrap_or_default()
}

/// Appends a number in its machine type; `false` when the value is none of it.
fn push_number(out: &mut Vec<u8>, dtype: DType, value: &Value) -> bool {
    macro_rules! integer {
        ($v:expr, $t:ty) => {
            <$t>::try_from($v)
                .map(|v| out.extend_from_slice(&v.to_ne_bytes()))
                .is_ok()
        };
    }
    match (dtype, value) {
        (DType::F64, Value::Double(v)) => out.extend_from_slice(&v.to_ne_bytes()),
        (DType::F32, Value::Float(v)) => out.extend_from_slice(&v.to_ne_bytes()),
        (DType::Bool, Value::Bool(v)) => out.push((*v).into()),
        (DType::I32, Value::Int(v)) => return integer!(*v, i32),
        (DType::I64, Value::Int(v)) => out.extend_from_slice(&v.to_ne_bytes()),
        (DType::I16, Value::Int(v)) => return integer!(*v, i16),
        (DType::I8, Value::Int(v)) => return integer!(*v, i8),
        (DType::U64, Value::Int(v)) => return integer!(*v, u64),
        (DType::U32, Value::Int(v)) => return integer!(*v, u32),
        (DType::U16, Value::Int(v)) => return integer!(*v, u16),
        (DType::U8, Value::Int(v)) => return integer!(*v, u8),
        (DType::U64, Value::UInt(v)) => out.extend_from_slice(&v.to_ne_bytes()),
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shape;

    fn layout() -> Arc<RowLayout> {
        let names = vec!["seq".into(), "text".into(), "time".into()];
        let shape = Arc::new(Shape::new("{urn:x}Event", names));
        let cells = [Some(DType::I32), None, Some(DType::F64)];
        Arc::new(RowLayout::with_texts(shape, &cells).unwrap())
    }

    fn event(seq: impl Into<Value>, text: &str, time: f64) -> Record {
        let mut record = Record::new(layout().shape().clone());
        record.values_mut()[0] = seq.into();
        record.values_mut()[1] = text.into();
        record.values_mut()[2] = time.into();
        record
    }

    #[test]
    fn records_go_in_and_come_out() {
        let events = [event(1, "a", 0.5), event(-2, "", -0.0)];
        let mut packed = Packed::new(layout());
        assert!(packed.is_empty());
        assert!(events.iter().all(|event| packed.push(event)));
        assert_eq!((packed.len(), packed.numbers.len()), (2, 24));
        let mut back = Vec::new();
        packed.records(&mut back);
        assert_eq!(back, events.clone().map(Value::Record));
        let mut values = Vec::new();
        packed.values(1, &mut values);
        let expected = [(0, Scalar::Int(-2)), (1, "".into()), (2, Scalar::Double(-0.0))];
        assert_eq!(values, expected);
        packed.truncate(1);
        assert_eq!((packed.len(), packed.texts.len()), (1, 1));
    }

    #[test]
    fn maps_in_the_order_of_the_fields_are_records() {
        let event = event(7, "a", 0.5);
        let mut entries: Vec<(String, Value)> = event
            .iter()
            .map(|(name, value)| (name.to_owned(), value.clone()))
            .collect();
        let mut packed = Packed::new(layout());
        assert!(packed.push(&event) && packed.push_map(&entries));
        let rows: Vec<_> = packed.rows().collect();
        assert_eq!((rows.len(), rows[0]), (2, rows[1]));
        assert!(!Packed::new(layout()).push_map(&entries[1..]));
        entries.swap(0, 1);
        assert!(!Packed::new(layout()).push_map(&entries));
    }

    #[test]
    fn what_has_no_place_is_refused() {
        let mut other = Record::new(Arc::new(Shape::new("{urn:x}Event", vec!["seq".into()])));
        other.values_mut()[0] = 1.into();
        let mut nil = event(1, "a", 0.5);
        nil.values_mut()[1] = Value::Nil;
        for bad in [other, nil, event(1i64 << 40, "a", 0.5), event("1", "a", 0.5)] {
            assert!(!Packed::new(layout()).push(&bad), "{bad:?}");
        }
    }
}
