//! From any source to any sink, without bytes between: dynamic values to generated types and back.

use crate::{Item, Record, Scalar, Shape, Sink, Slot, Value, deep};

/// Puts a dynamic value's fields into a sink whose root has `shape`.
///
/// Fields that the shape does not have are left out, and so is what is no record.
pub fn copy(value: &Value, shape: &Shape, sink: &mut dyn Sink) {
    match value.held() {
        Value::Record(record) => copy_record(record, shape, sink),
        Value::Map(map) => fields(map.iter().map(|(n, v)| (n.as_str(), v)), shape, sink),
        _ => {}
    }
}

/// The same for a record.
pub fn copy_record(record: &Record, shape: &Shape, sink: &mut dyn Sink) {
    fields(record.iter(), shape, sink);
}

fn fields<'v>(values: impl Iterator<Item = (&'v str, &'v Value)>, shape: &Shape, sink: &mut dyn Sink) {
    for (name, value) in values {
        let Some(field) = shape.index(name) else { continue };
        let slot = |many| Slot {
            field: field as u32,
            many,
        };
        let value = value.held();
        match value {
            // The items of a list type, or values of a repeated field: the place knows which.
            Value::List(list) => match scalar_of(value) {
                Some(scalar) => sink.scalar(slot(true), scalar),
                None => list.iter().for_each(|one| put(slot(true), one, sink)),
            },
            Value::Column(column) => sink.scalar(slot(true), Scalar::Numbers(column.clone())),
            Value::Tracked(array) => sink.scalar(slot(true), Scalar::Numbers(array.values().clone())),
            Value::Rows(rows) => rows.records().iter().for_each(|row| put(slot(true), row, sink)),
            one => put(slot(false), one, sink),
        }
    }
}

/// A simple value, or a list of simple values; `None` if some value is none.
fn scalar_of(value: &Value) -> Option<Scalar<'_>> {
    match value.held() {
        Value::List(list) => list
            .iter()
            .map(scalar_of)
            .collect::<Option<_>>()
            .map(Scalar::List),
        Value::Column(column) => Some(Scalar::Numbers(column.clone())),
        Value::Tracked(array) => Some(Scalar::Numbers(array.values().clone())),
        one => match one.item() {
            Item::Scalar(scalar) => Some(scalar),
            _ => None,
        },
    }
}

fn put(at: Slot, value: &Value, sink: &mut dyn Sink) {
    match value.held() {
        Value::Record(record) => {
            sink.open(at, record.shape());
            deep(|| copy_record(record, record.shape(), sink));
            sink.close();
        }
        Value::Map(map) => {
            for (name, value) in map {
                if let Some(text) = value.as_str() {
                    sink.attribute(at, name.clone(), text);
                }
            }
        }
        value => match (scalar_of(value), value.item()) {
            (Some(scalar), _) => sink.scalar(at, scalar),
            (None, Item::Nil) => sink.nil(at),
            (None, Item::Xml(text)) => sink.xml(at, text.to_owned()),
            _ => {}
        },
    }
}
