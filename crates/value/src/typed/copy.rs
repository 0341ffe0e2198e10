//! From any source to any sink, without bytes between: dynamic values to generated types and back.

use crate::{Item, Record, Shape, Sink, Slot, Value};

/// Puts a dynamic value's fields into a sink whose root has `shape`.
///
/// Fields that the shape does not have are left out, and so is what is no record.
pub fn copy(value: &Value, shape: &Shape, sink: &mut dyn Sink) {
    match value {
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
        match value {
            Value::List(list) => list.iter().for_each(|one| put(slot(true), one, sink)),
            Value::Column(column) => {
                let scalars = (0..column.len()).filter_map(|i| column.get(i));
                scalars.for_each(|scalar| sink.scalar(slot(true), scalar));
            }
            Value::Rows(rows) => rows.records().iter().for_each(|row| put(slot(true), row, sink)),
            one => put(slot(false), one, sink),
        }
    }
}

fn put(at: Slot, value: &Value, sink: &mut dyn Sink) {
    match value {
        Value::Record(record) => {
            sink.open(at, record.shape());
            copy_record(record, record.shape(), sink);
            sink.close();
        }
        Value::Map(map) => {
            for (name, value) in map {
                if let Some(text) = value.as_str() {
                    sink.attribute(at, name.clone(), text);
                }
            }
        }
        value => match value.item() {
            Item::Scalar(scalar) => sink.scalar(at, scalar),
            Item::Nil => sink.nil(at),
            Item::Xml(text) => sink.xml(at, text.to_owned()),
            _ => {}
        },
    }
}
