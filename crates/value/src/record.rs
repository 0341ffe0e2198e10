//! Values of a complex type: a [`Record`] and the [`Shape`] it shares with its like.

use std::fmt;
use std::sync::Arc;

use crate::{Value, deep};

/// The names of a record's fields, in order, shared by all records of one type.
#[derive(Debug, PartialEq, Eq)]
pub struct Shape {
    name: Box<str>,
    fields: Vec<Box<str>>,
    sorted: Vec<u32>,
}

impl Shape {
    /// A shape with the type's name, `{namespace}local` (or a description for an anonymous type),
    /// and its fields' names, which must differ from one another.
    pub fn new(name: impl Into<Box<str>>, fields: Vec<Box<str>>) -> Self {
        let mut sorted: Vec<u32> = (0..fields.len() as u32).collect();
        sorted.sort_by(|&a, &b| fields[a as usize].cmp(&fields[b as usize]));
        Shape {
            name: name.into(),
            fields,
            sorted,
        }
    }

    /// The type's name, `{namespace}local`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The fields' names, in order.
    pub fn fields(&self) -> impl ExactSizeIterator<Item = &str> {
        self.fields.iter().map(|f| &**f)
    }

    /// The name of field `index`.
    pub fn field(&self, index: usize) -> Option<&str> {
        self.fields.get(index).map(|f| &**f)
    }

    /// Number of fields.
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// Whether the type has no fields at all.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// The index of the field named `name`.
    pub fn index(&self, name: &str) -> Option<usize> {
        let found = self
            .sorted
            .binary_search_by(|&i| (*self.fields[i as usize]).cmp(name))
            .ok()?;
        Some(self.sorted[found] as usize)
    }
}

/// A value of a complex type: one [`Value`] a field of its shape, `Absent` where there is none.
///
/// Records in records may be nested as deep as memory allows: copying, comparing, printing and dropping them takes no more
/// stack than there is.
pub struct Record {
    shape: Arc<Shape>,
    values: Box<[Value]>,
}

impl Record {
    /// A record whose fields are all absent.
    pub fn new(shape: Arc<Shape>) -> Self {
        let values = (0..shape.len()).map(|_| Value::Absent).collect();
        Record { shape, values }
    }

    /// A record of these values, one for each field of the shape.
    pub(crate) fn of(shape: Arc<Shape>, values: Box<[Value]>) -> Self {
        debug_assert_eq!(shape.len(), values.len());
        Record { shape, values }
    }

    /// The names of the fields.
    pub fn shape(&self) -> &Arc<Shape> {
        &self.shape
    }

    /// The field named `name`; `None` when the type has no such field.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.shape.index(name).map(|i| &self.values[i])
    }

    /// Sets the field named `name`; gives the value back when the type has no such field.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) -> Result<(), Value> {
        match self.shape.index(name) {
            Some(i) => {
                self.values[i] = value.into();
                Ok(())
            }
            None => Err(value.into()),
        }
    }

    /// The values in the order of the shape's fields.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// The values in the order of the shape's fields, to change them.
    pub fn values_mut(&mut self) -> &mut [Value] {
        &mut self.values
    }

    /// The values, taken out, in the order of the shape's fields.
    pub fn into_values(mut self) -> Vec<Value> {
        std::mem::take(&mut self.values).into()
    }

    /// Name and value of each field that is not absent.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.shape
            .fields()
            .zip(&self.values)
            .filter(|(_, v)| !matches!(v, Value::Absent))
    }
}

impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        (Arc::ptr_eq(&self.shape, &other.shape) || self.shape == other.shape)
            && deep(|| self.values == other.values)
    }
}

impl Clone for Record {
    fn clone(&self) -> Self {
        Record {
            shape: self.shape.clone(),
            values: deep(|| self.values.clone()),
        }
    }
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Record");
        shown.field("shape", &self.shape);
        deep(|| shown.field("values", &self.values).finish())
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        let values = std::mem::take(&mut self.values);
        deep(|| drop(values));
    }
}
