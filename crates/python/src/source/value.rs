//! Python values as dynamic values, where no type is declared: details of faults.

use std::sync::Arc;

use castile_plan::Types;
use castile_value::{Item, Record, Shape, Source, Value};
use pyo3::prelude::*;

use super::{Context, Place};

/// A value of any kind as a dynamic value, copied; objects keep the names of their types.
pub(crate) fn value_from_python(types: &Types, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    let context = Context::new(value.py(), types, false);
    let place = Place {
        parent: None,
        name: "detail",
        item: None,
    };
    let copied = copy(context.convert(value.clone(), None, place).item());
    match context.failure() {
        Some(e) => Err(e),
        None => Ok(copied),
    }
}

fn copy(item: Item<'_>) -> Value {
    match item {
        Item::Absent => Value::Absent,
        Item::Nil => Value::Nil,
        Item::Scalar(scalar) => scalar.into(),
        Item::Column(column) => Value::List(
            (0..column.len())
                .filter_map(|i| column.get(i))
                .map(Value::from)
                .collect(),
        ),
        Item::Table(table) => {
            let row = |i| {
                Value::map(
                    table
                        .columns()
                        .iter()
                        .filter_map(|(n, c)| Some((*n, c.get(i)?.into()))),
                )
            };
            Value::List((0..table.len()).map(row).collect())
        }
        Item::Items(items) => Value::List((0..items.len()).map(|i| copy(items.item(i))).collect()),
        Item::Record(source) => record(source),
        Item::Xml(text) => Value::Xml(text.to_owned()),
        Item::Grid(sizes, values) => {
            castile_value::Grid::new(sizes.to_vec(), copy(*values)).map_or_else(|values| values, Value::Grid)
        }
        Item::Ref(_) | Item::Stream(_) => Value::Absent,
    }
}

/// A record knows the name of its type, which a map does not.
fn record(source: &dyn Source) -> Value {
    let entries = source.entries().unwrap_or_default().into_iter();
    let entries: Vec<(String, Value)> = entries.map(|(name, item)| (name, copy(item))).collect();
    let Some(type_name) = source.type_name() else {
        return Value::Map(entries);
    };
    let names = entries.iter().map(|(name, _)| name.as_str().into()).collect();
    let mut record = Record::new(Arc::new(Shape::new(type_name, names)));
    for (slot, (_, value)) in record.values_mut().iter_mut().zip(entries) {
        *slot = value;
    }
    Value::Record(record)
}
