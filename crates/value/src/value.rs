//! The dynamic value.

use std::sync::Arc;

use crate::typed::Single;
use crate::{ColumnBuf, DateTime, Decimal, Duration, Grid, QName, Record, Rows, Scalar, Tracked};

/// Any value of any message. A decoder gives typed [`Record`]s; a user may also write a
/// [`Value::Map`] by names and leave the types to the plan. Four words long, so what is larger, and
/// rarely many, is boxed.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// No value: the element or attribute is not there.
    #[default]
    Absent,
    /// An element that says it is nil.
    Nil,
    /// xsd:boolean
    Bool(bool),
    /// An integer that fits 64 signed bits.
    Int(i64),
    /// An integer that fits only 64 unsigned bits.
    UInt(u64),
    /// xsd:float
    Float(f32),
    /// xsd:double
    Double(f64),
    /// xsd:decimal, or an integer of any length.
    Decimal(Decimal),
    /// Text.
    Text(String),
    /// Bytes of base64Binary or hexBinary.
    Bytes(Vec<u8>),
    /// xsd:dateTime, date, time and the g-types.
    DateTime(Box<DateTime>),
    /// xsd:duration
    Duration(Box<Duration>),
    /// A resolved qualified name.
    QName(Box<QName>),
    /// Several values: a repeated field, or a list type.
    List(Vec<Value>),
    /// Several numbers.
    Column(ColumnBuf),
    /// Several numbers that know which of them changed.
    Tracked(Box<Tracked<ColumnBuf>>),
    /// Several flat records of numbers.
    Rows(Box<Rows>),
    /// A typed value of a complex type.
    Record(Record),
    /// A value of a complex type by its fields' names, not yet checked against a type.
    Map(Vec<(String, Value)>),
    /// A well-formed, namespace-complete XML element.
    Xml(String),
    /// An array of several dimensions (SOAP encoding).
    Grid(Grid),
    /// The object of this number, which may stand in several places (SOAP encoding); the message's
    /// [`Graph`](crate::Graph) has it.
    Ref(u32),
    /// A value that others hold, too: what a service answers again and again is not copied for each call. It is written
    /// as what it [holds](Value::held), and no decoder makes one. It equals another that holds an equal value, and is not
    /// to be confused with the shared objects of SOAP encoding, which are one object in the message.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use castile_value::Value;
    ///
    /// let rows = Arc::new(Value::from(vec![0.5; 1000]));
    /// let answer = || Value::map([("rows", rows.clone().into()), ("total", 1000.into())]);
    /// assert_eq!(answer().get("rows").map(Value::count), Some(1000));
    /// ```
    Shared(Arc<Value>),
}

impl Value {
    /// A map from names and values.
    pub fn map<K: Into<String>>(fields: impl IntoIterator<Item = (K, Value)>) -> Value {
        Value::Map(fields.into_iter().map(|(k, v)| (k.into(), v)).collect())
    }

    /// The value itself, or what a shared one holds.
    #[inline]
    pub fn held(&self) -> &Value {
        let mut value = self;
        while let Value::Shared(held) = value {
            value = held;
        }
        value
    }

    /// The field named `name` of a record or map.
    pub fn get(&self, name: &str) -> Option<&Value> {
        match self.held() {
            Value::Record(record) => record.get(name),
            Value::Map(fields) => fields.iter().find(|(n, _)| n == name).map(|(_, v)| v),
            _ => None,
        }
    }

    /// The text, when the value is text.
    pub fn as_str(&self) -> Option<&str> {
        match self.held() {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The doubles, when the value is a column of doubles.
    pub fn as_f64s(&self) -> Option<&[f64]> {
        match self.held() {
            Value::Column(ColumnBuf::F64(v)) => Some(v),
            Value::Tracked(v) => match v.values() {
                ColumnBuf::F64(v) => Some(v),
                _ => None,
            },
            _ => None,
        }
    }

    /// The array, when it is one that knows its changes.
    pub fn as_tracked_mut(&mut self) -> Option<&mut Tracked<ColumnBuf>> {
        match self {
            Value::Tracked(tracked) => Some(tracked),
            _ => None,
        }
    }

    /// How many values a repeated field holds: a list's, column's or table's length, 0 for
    /// `Absent`, else 1.
    pub fn count(&self) -> usize {
        match self.held() {
            Value::Absent => 0,
            Value::List(v) => v.len(),
            Value::Column(v) => v.len(),
            Value::Tracked(v) => v.values().len(),
            Value::Rows(v) => v.len(),
            _ => 1,
        }
    }

    /// Whether other values are in it.
    pub(crate) fn holds_values(&self) -> bool {
        matches!(
            self,
            Value::List(_) | Value::Record(_) | Value::Map(_) | Value::Grid(_) | Value::Shared(_)
        )
    }

    /// The value as a list of single values: a column's numbers and a table's rows are taken apart.
    pub fn into_list(self) -> Vec<Value> {
        match self {
            Value::Absent => Vec::new(),
            Value::List(v) => v,
            Value::Column(v) => (0..v.len()).filter_map(|i| v.get(i)).map(Value::from).collect(),
            Value::Tracked(v) => Value::Column(v.into_values()).into_list(),
            Value::Rows(v) => v.records(),
            Value::Shared(v) => Arc::unwrap_or_clone(v).into_list(),
            other => vec![other],
        }
    }
}

impl From<Scalar<'_>> for Value {
    fn from(scalar: Scalar<'_>) -> Self {
        match scalar {
            Scalar::Bool(v) => Value::Bool(v),
            Scalar::Int(v) => Value::Int(v),
            Scalar::UInt(v) => i64::try_from(v).map_or(Value::UInt(v), Value::Int),
            Scalar::Float(v) => Value::Float(v),
            Scalar::Double(v) => Value::Double(v),
            Scalar::Decimal(v) => Value::Decimal(v),
            Scalar::Text(v) => Value::Text(v.into_owned()),
            Scalar::Bytes(v) => Value::Bytes(v.into_owned()),
            Scalar::DateTime(v) => Value::DateTime(v.into()),
            Scalar::Duration(v) => Value::Duration(v.into()),
            Scalar::QName(v) => Value::QName(v.into()),
            Scalar::List(v) => Value::List(v.into_iter().map(Value::from).collect()),
            Scalar::Numbers(v) => Value::Column(v),
        }
    }
}

macro_rules! from {
    ($($t:ty => $variant:ident),* $(,)?) => {
        $(impl From<$t> for Value {
            fn from(v: $t) -> Self { Value::$variant(v.into()) }
        })*
    };
}

from! {
    bool => Bool, i32 => Int, i64 => Int, u32 => Int, f32 => Float, f64 => Double,
    &str => Text, String => Text, Vec<u8> => Bytes, &[u8] => Bytes,
    DateTime => DateTime, Duration => Duration, Decimal => Decimal, QName => QName,
    Vec<Value> => List, ColumnBuf => Column, Rows => Rows, Record => Record, Grid => Grid,
    Vec<f64> => Column, Vec<f32> => Column, Vec<i32> => Column, Vec<i64> => Column,
    Vec<u64> => Column, Vec<bool> => Column, Tracked<ColumnBuf> => Tracked, Arc<Value> => Shared,
}

impl<T: Single> From<Tracked<Vec<T>>> for Value
where
    ColumnBuf: From<Vec<T>>,
{
    fn from(v: Tracked<Vec<T>>) -> Self {
        Tracked::<ColumnBuf>::from(ColumnBuf::from(v.into_values())).into()
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(v: Option<T>) -> Self {
        v.map_or(Value::Absent, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Value;

    #[test]
    fn a_shared_value_is_read_as_what_it_holds() {
        let list = Value::List(vec![1.into(), 2.into()]);
        let held = Arc::new(Value::map([("list", list.clone()), ("text", "t".into())]));
        let value = Value::from(Arc::new(Value::from(held.clone())));
        assert_eq!(value.held(), &*held);
        assert_eq!(value.get("text").and_then(Value::as_str), Some("t"));
        assert_eq!(value, Value::from(Arc::new(Value::from(held.clone()))));
        let shared = Value::from(Arc::new(list));
        assert_eq!(
            (shared.count(), shared.clone().into_list()),
            (2, shared.into_list())
        );
        let copy = value.clone();
        drop((value, held));
        assert_eq!(copy.get("list").map(Value::count), Some(2));
    }

    /// A record's values are written and read as fast as memory comes: what is large and rare is boxed.
    #[test]
    fn a_value_is_four_words() {
        assert_eq!(size_of::<Value>(), 4 * size_of::<u64>());
    }
}
