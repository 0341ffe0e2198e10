//! A sink of dynamic values.

use std::sync::Arc;

use crate::typed::LinesIn;
use crate::{
    ColumnBuf, DType, Graph, GraphSink, Grid, Packed, Record, RowLayout, Rows, Scalar, Shape, Sink, Slot,
    Value,
};

/// Builds [`Value`]s.
pub struct ValueSink {
    root: Record,
    open: Vec<Open>,
    objects: Vec<Value>,
    /// What is left of an earlier record, for each record that is open and the root: its arrays are filled anew.
    /// Nothing at all where there was no earlier record.
    spare: Vec<Vec<Value>>,
}

/// What is being built.
enum Open {
    Record(Slot, Record),
    Array(Slot, Vec<usize>, Value),
    Object(u32, Value),
}

impl ValueSink {
    /// A sink for one record of this shape.
    pub fn new(shape: Arc<Shape>) -> Self {
        ValueSink {
            root: Record::new(shape),
            open: Vec::new(),
            objects: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// The same, but arrays of an earlier value are filled anew: no memory is asked for as long as they are large
    /// enough. The value is a record of the sink's shape, or that of its only field.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use castile_value::{ColumnBuf, DType, Shape, Sink, Slot, Value, ValueSink};
    ///
    /// let shape = Arc::new(Shape::new("r", vec!["n".into()]));
    /// let earlier = Value::Column(ColumnBuf::F64(vec![0.5]));
    /// let mut sink = ValueSink::new(shape).with_spare(earlier);
    /// let n = Slot { field: 0, many: true };
    /// assert_eq!(sink.column(n, DType::F64).map(|column| column.len()), Some(0));
    /// assert_eq!(sink.finish().get("n"), Some(&Value::Column(ColumnBuf::F64(vec![]))));
    /// ```
    #[must_use]
    pub fn with_spare(mut self, earlier: Value) -> Self {
        let fields = match earlier {
            Value::Record(record) if Arc::ptr_eq(record.shape(), self.root.shape()) => record.into_values(),
            value if self.root.values().len() == 1 => vec![value],
            _ => Vec::new(),
        };
        self.spare = vec![fields];
        self
    }

    /// The record that was built. Objects that stand in several places, which only SOAP encoding has,
    /// are kept by [`ValueSink::finish_graph`] only.
    pub fn finish(self) -> Record {
        self.root
    }

    /// The record that was built, with the objects that it refers to.
    pub fn finish_graph(self) -> Graph<Record> {
        Graph {
            root: self.root,
            objects: self.objects,
        }
    }

    fn slot(&mut self, at: Slot) -> Option<&mut Value> {
        let record = match self.open.last_mut() {
            None => &mut self.root,
            Some(Open::Record(_, record)) => record,
            Some(Open::Array(_, _, value) | Open::Object(_, value)) => return Some(value),
        };
        record.values_mut().get_mut(at.field as usize)
    }

    /// Takes what an earlier record had in a field of the innermost one.
    fn take_spare(&mut self, at: Slot) -> Option<Value> {
        let spare = self.spare.last_mut()?.get_mut(at.field as usize);
        spare.map(std::mem::take)
    }

    /// What is open now has no earlier one.
    fn open_spare(&mut self) {
        if !self.spare.is_empty() {
            self.spare.push(Vec::new());
        }
    }

    /// The innermost that is open ends. What belongs to the root stays.
    fn close_spare(&mut self) {
        if self.spare.len() > 1 {
            self.spare.pop();
        }
    }

    /// Puts that there, if it fits and nothing is there yet.
    fn put_spare(&mut self, at: Slot, fits: impl Fn(&Value) -> bool) -> Option<&mut Value> {
        let spare = self.take_spare(at)?;
        let place = self.slot(at)?;
        if !matches!(place, Value::Absent) || !fits(&spare) {
            return None;
        }
        *place = spare;
        Some(place)
    }

    /// Numbers are given one after another, so there is room to make for one at most.
    fn make_room(&mut self, number: u32) {
        if number as usize == self.objects.len() {
            self.objects.push(Value::Absent);
        }
    }

    fn put(&mut self, at: Slot, value: Value) {
        if at.many {
            self.append(at, std::iter::once(value));
        } else if let Some(slot) = self.slot(at) {
            *slot = value;
        }
    }

    fn append(&mut self, at: Slot, values: impl Iterator<Item = Value>) {
        if let Some(list) = self.list(at) {
            list.extend(values);
        }
    }

    /// The list of a field, of what is there already.
    fn list(&mut self, at: Slot) -> Option<&mut Vec<Value>> {
        let slot = self.slot(at)?;
        if !matches!(slot, Value::List(_)) {
            *slot = Value::List(std::mem::take(slot).into_list());
        }
        match slot {
            Value::List(list) => Some(list),
            _ => None,
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
        if !self.spare.is_empty() {
            let fields = match self.take_spare(at) {
                Some(Value::Record(record)) if Arc::ptr_eq(record.shape(), shape) => record.into_values(),
                _ => Vec::new(),
            };
            self.spare.push(fields);
        }
        self.open.push(Open::Record(at, Record::new(shape.clone())));
    }

    fn close(&mut self) {
        self.close_spare();
        match self.open.pop() {
            None => {}
            Some(Open::Record(at, record)) => self.put(at, Value::Record(record)),
            Some(Open::Array(at, sizes, values)) => self.put(at, array(sizes, values)),
            Some(Open::Object(number, value)) => {
                if let Some(place) = self.objects.get_mut(number as usize) {
                    *place = value;
                }
            }
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

    fn packed(&mut self, at: Slot, packed: &Packed<'_>) {
        if let Some(list) = self.list(at) {
            packed.records(list);
        }
    }

    fn read_lines(&mut self, at: Slot, lines: &LinesIn<'_>) -> Option<(u32, usize)> {
        // Numbers alone are one array.
        if lines.layout.texts().is_empty() || !at.many {
            return None;
        }
        lines.read_records(self.list(at)?)
    }

    fn texts(&mut self, at: Slot, texts: &[&str]) {
        self.append(at, texts.iter().map(|text| Value::Text((*text).to_owned())));
    }

    fn column(&mut self, at: Slot, dtype: DType) -> Option<&mut ColumnBuf> {
        if matches!(self.slot(at)?, Value::Absent) {
            match self.given_column(at, dtype) {
                Some(column) => column.clear(),
                None => *self.slot(at)? = Value::Column(ColumnBuf::new(dtype)),
            }
        }
        let slot = self.slot(at)?;
        match slot {
            Value::Column(column) if column.dtype() == dtype => Some(column),
            _ => None,
        }
    }

    fn rows(&mut self, at: Slot, layout: &Arc<RowLayout>) -> Option<&mut Rows> {
        if matches!(self.slot(at)?, Value::Absent) {
            match self.given_rows(at, layout) {
                Some(rows) => rows.data_mut().clear(),
                None => *self.slot(at)? = Rows::new(layout.clone()).into(),
            }
        }
        let slot = self.slot(at)?;
        match slot {
            Value::Rows(rows) if Arc::ptr_eq(rows.layout(), layout) => Some(rows),
            _ => None,
        }
    }

    fn given_column(&mut self, at: Slot, dtype: DType) -> Option<&mut ColumnBuf> {
        let fits = |value: &Value| matches!(value, Value::Column(column) if column.dtype() == dtype);
        match self.put_spare(at, fits)? {
            Value::Column(column) => Some(column),
            _ => None,
        }
    }

    fn given_rows(&mut self, at: Slot, layout: &Arc<RowLayout>) -> Option<&mut Rows> {
        let fits = |value: &Value| matches!(value, Value::Rows(rows) if Arc::ptr_eq(rows.layout(), layout));
        match self.put_spare(at, fits)? {
            Value::Rows(rows) => Some(rows),
            _ => None,
        }
    }

    fn graph(&mut self) -> Option<&mut dyn GraphSink> {
        Some(self)
    }
}

impl GraphSink for ValueSink {
    fn array(&mut self, at: Slot, _shape: Option<&Arc<Shape>>, sizes: &[usize]) {
        self.open_spare();
        self.open.push(Open::Array(at, sizes.to_vec(), Value::Absent));
    }

    fn object(&mut self, number: u32) {
        self.make_room(number);
        self.open_spare();
        self.open.push(Open::Object(number, Value::Absent));
    }

    fn reference(&mut self, at: Slot, number: u32) {
        self.make_room(number);
        self.put(at, Value::Ref(number));
    }
}

/// An array that is one value, empty when nothing was put into it.
fn array(sizes: Vec<usize>, values: Value) -> Value {
    let values = match values {
        Value::Absent => Value::List(Vec::new()),
        values => values,
    };
    if sizes.len() < 2 {
        return values;
    }
    Grid::new(sizes, values).map_or_else(|values| values, Value::Grid)
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
