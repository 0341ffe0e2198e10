//! Where a decoder puts values.

use std::sync::Arc;

use crate::{ColumnBuf, DType, Record, RowLayout, Rows, Scalar, Shape, Value};

/// Which field of the record being built a value belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The field's index in the shape of the innermost open record.
    pub field: u32,
    /// Whether the field repeats: values are appended, and one value is still a list.
    pub many: bool,
}

/// What a decoder fills. Object-safe. Calls come in document order; [`Sink::open`] and
/// [`Sink::close`] nest, and the outermost record is open before the first call.
pub trait Sink {
    /// A value of a simple type.
    fn scalar(&mut self, at: Slot, value: Scalar<'_>);
    /// An element that says it is nil.
    fn nil(&mut self, at: Slot);
    /// An element kept as namespace-complete XML.
    fn xml(&mut self, at: Slot, text: String);
    /// An attribute of an attribute wildcard: `name` is `{namespace}local`.
    fn attribute(&mut self, at: Slot, name: String, value: &str);
    /// A record begins; it may be of a type derived from the declared one.
    fn open(&mut self, at: Slot, shape: &Arc<Shape>);
    /// The innermost record ends.
    fn close(&mut self);
    /// A whole record whose fields are single values of simple types, each of `values` with its
    /// field: as [`Sink::open`], [`Sink::scalar`] and [`Sink::close`], in one call. Leaves `values`
    /// empty.
    fn record(&mut self, at: Slot, shape: &Arc<Shape>, values: &mut Vec<(u32, Scalar<'_>)>) {
        self.open(at, shape);
        for (field, value) in values.drain(..) {
            self.scalar(Slot { field, many: false }, value);
        }
        self.close();
    }
    /// The array to append numbers to, for a repeated field; `None` when the sink would rather
    /// have them one by one (also when the array already holds something that is no number).
    fn column(&mut self, at: Slot, dtype: DType) -> Option<&mut ColumnBuf>;
    /// The array to append flat records to, for a repeated field; `None` when the sink would
    /// rather have them one by one.
    fn rows(&mut self, at: Slot, layout: &Arc<RowLayout>) -> Option<&mut Rows>;
}

/// Builds [`Value`]s.
pub struct ValueSink {
    root: Record,
    open: Vec<(Slot, Record)>,
}

impl ValueSink {
    /// A sink for one record of this shape.
    pub fn new(shape: Arc<Shape>) -> Self {
        ValueSink {
            root: Record::new(shape),
            open: Vec::new(),
        }
    }

    /// The record that was built.
    pub fn finish(self) -> Record {
        self.root
    }

    fn slot(&mut self, at: Slot) -> Option<&mut Value> {
        let record = self.open.last_mut().map_or(&mut self.root, |(_, record)| record);
        record.values_mut().get_mut(at.field as usize)
    }

    fn put(&mut self, at: Slot, value: Value) {
        let Some(slot) = self.slot(at) else { return };
        if !at.many {
            *slot = value;
            return;
        }
        match slot {
            Value::List(list) => list.push(value),
            other => {
                let mut list = std::mem::take(other).into_list();
                list.push(value);
                *other = Value::List(list);
            }
        }
    }
}

impl Sink for ValueSink {
    fn scalar(&mut self, at: Slot, value: Scalar<'_>) {
        self.put(at, value.into());
    }

    fn nil(&mut self, at: Slot) {
        self.put(at, Value::Nil);
    }

    fn xml(&mut self, at: Slot, text: String) {
        self.put(at, Value::Xml(text));
    }

    fn attribute(&mut self, at: Slot, name: String, value: &str) {
        let Some(slot) = self.slot(at) else { return };
        match slot {
            Value::Map(map) => map.push((name, value.into())),
            other => *other = Value::Map(vec![(name, value.into())]),
        }
    }

    fn open(&mut self, at: Slot, shape: &Arc<Shape>) {
        self.open.push((at, Record::new(shape.clone())));
    }

    fn close(&mut self) {
        if let Some((at, record)) = self.open.pop() {
            self.put(at, Value::Record(record));
        }
    }

    fn record(&mut self, at: Slot, shape: &Arc<Shape>, values: &mut Vec<(u32, Scalar<'_>)>) {
        let mut record = Record::new(shape.clone());
        for (field, value) in values.drain(..) {
            if let Some(slot) = record.values_mut().get_mut(field as usize) {
                *slot = value.into();
            }
        }
        self.put(at, Value::Record(record));
    }

    fn column(&mut self, at: Slot, dtype: DType) -> Option<&mut ColumnBuf> {
        let slot = self.slot(at)?;
        if matches!(slot, Value::Absent) {
            *slot = Value::Column(ColumnBuf::new(dtype));
        }
        match slot {
            Value::Column(column) if column.dtype() == dtype => Some(column),
            _ => None,
        }
    }

    fn rows(&mut self, at: Slot, layout: &Arc<RowLayout>) -> Option<&mut Rows> {
        let slot = self.slot(at)?;
        if matches!(slot, Value::Absent) {
            *slot = Value::Rows(Rows::new(layout.clone()));
        }
        match slot {
            Value::Rows(rows) if Arc::ptr_eq(rows.layout(), layout) => Some(rows),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(field: u32, many: bool) -> Slot {
        Slot { field, many }
    }

    #[test]
    fn a_nil_among_numbers_turns_the_column_into_a_list() {
        let shape = Arc::new(Shape::new("t", vec!["n".into()]));
        let mut sink = ValueSink::new(shape);
        let Some(ColumnBuf::I32(column)) = sink.column(at(0, true), DType::I32) else {
            panic!()
        };
        column.extend([1, 2]);
        sink.nil(at(0, true));
        assert!(sink.column(at(0, true), DType::I32).is_none());
        sink.scalar(at(0, true), Scalar::Int(3));
        let n = sink.finish().get("n").cloned();
        assert_eq!(
            n,
            Some(Value::List(vec![1.into(), 2.into(), Value::Nil, 3.into()]))
        );
    }

    #[test]
    fn records_nest_and_repeat() {
        let inner = Arc::new(Shape::new("inner", vec!["a".into()]));
        let mut sink = ValueSink::new(Arc::new(Shape::new("outer", vec!["r".into()])));
        for text in ["x", "y"] {
            sink.open(at(0, true), &inner);
            sink.scalar(at(0, false), text.into());
            sink.close();
        }
        let record = sink.finish();
        let Some(Value::List(list)) = record.get("r") else {
            panic!()
        };
        assert_eq!(list[1].get("a"), Some(&"y".into()));
    }
}
