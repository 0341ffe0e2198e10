//! Dynamic values in generated types: what no schema describes (`anyType`, wildcards).

use std::any::Any;
use std::sync::Arc;

use super::{Input, Mismatch, Open, Place, Single};
use crate::{Item, Packed, Record, Shape, Value};

impl Single for Value {
    fn item(&self) -> Item<'_> {
        Value::item(self)
    }

    fn take(input: Input<'_, '_>) -> Result<Self, Mismatch> {
        Ok(match input {
            Input::Scalar(scalar) => scalar.into(),
            Input::Nil => Value::Nil,
            Input::Xml(text) => Value::Xml(text),
            Input::Column(column) => Value::Column(column),
            Input::Rows(rows) => rows.into(),
            Input::Packed(packed) => {
                let mut records = Vec::new();
                packed.records(&mut records);
                Value::List(records)
            }
            Input::Texts(texts) => Value::List(texts.iter().map(|text| Value::from(*text)).collect()),
            Input::Attribute(name, text) => Value::Map(vec![(name, text.into())]),
            Input::Record(record) => match (record as Box<dyn Any>).downcast::<Dynamic>() {
                Ok(own) => Value::Record(own.finish()),
                Err(_) => return Err(Mismatch::new("a record of another type")),
            },
            Input::Flat(shape, values) => {
                let mut record = Record::new(shape.clone());
                for (field, value) in values.drain(..) {
                    if let Some(slot) = record.values_mut().get_mut(field as usize) {
                        *slot = value.into();
                    }
                }
                Value::Record(record)
            }
        })
    }

    fn open(shape: &Arc<Shape>) -> Result<Box<dyn Open>, Mismatch> {
        Ok(Box::new(Dynamic {
            shape: shape.clone(),
            slots: shape.fields().map(|_| Slot(Value::Absent)).collect(),
        }))
    }

    fn pack<'s>(many: &'s [Self], out: &mut Packed<'s>) -> bool {
        many.iter().all(|value| match value.held() {
            Value::Record(record) => out.push(record),
            Value::Map(entries) => out.push_map(entries),
            _ => false,
        })
    }

    fn values(many: &[Self]) -> Option<&[Value]> {
        Some(many)
    }
}

/// A record that is being filled.
struct Dynamic {
    shape: Arc<Shape>,
    slots: Vec<Slot>,
}

impl Dynamic {
    fn finish(self) -> Record {
        let mut record = Record::new(self.shape);
        for (value, slot) in record.values_mut().iter_mut().zip(self.slots) {
            *value = slot.0;
        }
        record
    }
}

impl Open for Dynamic {
    fn place(&mut self, index: usize) -> Option<&mut dyn Place> {
        self.slots.get_mut(index).map(|slot| slot as &mut dyn Place)
    }

    fn must_have(&self) -> &'static [u32] {
        &[]
    }
}

/// A field of a record that is being filled: a list once its plan says that it repeats.
struct Slot(Value);

impl Place for Slot {
    fn item(&self) -> Item<'_> {
        self.0.item()
    }

    fn put(&mut self, many: bool, input: Input<'_, '_>) -> Result<(), Mismatch> {
        if let (Input::Attribute(name, text), Value::Map(map)) = (&input, &mut self.0) {
            map.push((name.clone(), (*text).into()));
            return Ok(());
        }
        let whole = matches!(
            input,
            Input::Column(_) | Input::Rows(_) | Input::Packed(_) | Input::Texts(_)
        );
        let value = Value::take(input)?;
        match (many, &mut self.0) {
            (true, Value::List(list)) => list.extend(if whole { value.into_list() } else { vec![value] }),
            (true, Value::Absent) if !whole => self.0 = Value::List(vec![value]),
            (true, slot) if !matches!(slot, Value::Absent) => {
                let mut list = std::mem::take(slot).into_list();
                list.extend(if whole { value.into_list() } else { vec![value] });
                *slot = Value::List(list);
            }
            _ => self.0 = value,
        }
        Ok(())
    }

    fn open(&self, shape: &Arc<Shape>) -> Result<Box<dyn Open>, Mismatch> {
        <Value as Single>::open(shape)
    }
}
