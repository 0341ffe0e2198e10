//! Where an encoder gets values.

use std::ops::Range;

use crate::typed::LinesOut;
use crate::{Batches, Column, Packed, Rows, Scalar, Shape, Table, Value};

/// A record that an encoder can ask for its fields. Object-safe; one call a field, and a whole
/// array is one call.
pub trait Source {
    /// The value of the field at `index` of the shape in use, also known by `name`.
    fn field(&self, index: usize, name: &str) -> Item<'_>;

    /// The `{namespace}local` name of the value's own type, when it knows one: a derived type is
    /// announced with `xsi:type`.
    fn type_name(&self) -> Option<&str> {
        None
    }

    /// All names and values, for an attribute wildcard, whose names no plan knows; `None` when
    /// the value cannot tell.
    fn entries(&self) -> Option<Vec<(String, Item<'_>)>> {
        None
    }

    /// A name that the value has and `shape` has not, so that a misspelt argument is an error
    /// and not silently dropped.
    fn unknown_name(&self, _shape: &Shape) -> Option<String> {
        None
    }

    /// The object that [`Item::Ref`] stands for, asked of the outermost source of a message.
    fn object(&self, _number: u32) -> Item<'_> {
        Item::Absent
    }
}

/// What a field holds.
pub enum Item<'a> {
    /// Nothing: the element or attribute is left out (or its default written).
    Absent,
    /// An explicit nil (`xsi:nil`).
    Nil,
    /// One value of a simple type.
    Scalar(Scalar<'a>),
    /// A whole array of numbers.
    Column(Column<'a>),
    /// A whole array of flat records.
    Table(Table<'a>),
    /// One value of a complex type.
    Record(&'a dyn Source),
    /// Several values, one call each.
    Items(&'a dyn Items),
    /// Several values of which nobody holds the whole.
    Stream(&'a dyn Batches),
    /// A well-formed, namespace-complete XML element.
    Xml(&'a str),
    /// An array of several dimensions: their sizes, the slowest first, and its values in that order.
    Grid(&'a [usize], Box<Item<'a>>),
    /// The object of this number ([`Source::object`]), which may stand in several places.
    Ref(u32),
}

/// Several values of one field.
pub trait Items {
    /// How many.
    fn len(&self) -> usize;
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Value `i`, below `len`.
    fn item(&self, i: usize) -> Item<'_>;
    /// Whether the values lie somewhere and are not made for each call: to look at one twice costs little, and shows the
    /// same.
    fn is_at_rest(&self) -> bool {
        false
    }
    /// Appends the values of `range` to `out`, many in one call; `false`, and what was appended is to be
    /// thrown away, when they are no records of its layout.
    fn pack<'s>(&'s self, _range: Range<usize>, _out: &mut Packed<'s>) -> bool {
        false
    }
    /// Writes the values of `range`, when their type was made for it; `false`, and what was written is to be
    /// thrown away, when it was not, or some value cannot stand there.
    fn write_lines(&self, _range: Range<usize>, _lines: &mut LinesOut<'_>) -> bool {
        false
    }
    /// As [`Items::pack`], for texts.
    fn texts<'s>(&'s self, _range: Range<usize>, _out: &mut Vec<&'s str>) -> bool {
        false
    }
    /// The values of `range` where they lie, when they are dynamic ones: those are read in place, with
    /// nothing asked for.
    fn values(&self, _range: Range<usize>) -> Option<&[Value]> {
        None
    }
    /// The same for owned texts.
    fn strings(&self, _range: Range<usize>) -> Option<&[String]> {
        None
    }
}

impl Source for crate::Record {
    fn field(&self, index: usize, name: &str) -> Item<'_> {
        // The shape in use is mostly our own; a caller may also walk a record with its base's plan.
        match self.values().get(index) {
            Some(value) if self.shape().field(index) == Some(name) => value.item(),
            _ => self.get(name).map_or(Item::Absent, Value::item),
        }
    }
    fn type_name(&self) -> Option<&str> {
        Some(self.shape().name())
    }
    fn entries(&self) -> Option<Vec<(String, Item<'_>)>> {
        let entries = self.iter().map(|(name, value)| (name.to_owned(), value.item()));
        Some(entries.collect())
    }
    fn unknown_name(&self, shape: &Shape) -> Option<String> {
        if std::ptr::eq(&**self.shape(), shape) || **self.shape() == *shape {
            return None;
        }
        let names = self.iter().map(|(name, _)| name);
        shape.first_unknown(names).map(str::to_owned)
    }
}

impl Source for Vec<(String, Value)> {
    fn entries(&self) -> Option<Vec<(String, Item<'_>)>> {
        Some(
            self.iter()
                .map(|(name, value)| (name.clone(), value.item()))
                .collect(),
        )
    }
    fn field(&self, index: usize, name: &str) -> Item<'_> {
        let hit = self.get(index).filter(|(n, _)| n == name);
        hit.or_else(|| self.iter().find(|(n, _)| n == name))
            .map_or(Item::Absent, |(_, v)| v.item())
    }
    fn unknown_name(&self, shape: &Shape) -> Option<String> {
        let names = self.iter().map(|(name, _)| name.as_str());
        shape.first_unknown(names).map(str::to_owned)
    }
}

impl Value {
    /// The value as an encoder sees it.
    pub fn item(&self) -> Item<'_> {
        match self {
            Value::Absent => Item::Absent,
            Value::Nil => Item::Nil,
            Value::Bool(v) => Item::Scalar(Scalar::Bool(*v)),
            Value::Int(v) => Item::Scalar(Scalar::Int(*v)),
            Value::UInt(v) => Item::Scalar(Scalar::UInt(*v)),
            Value::Float(v) => Item::Scalar(Scalar::Float(*v)),
            Value::Double(v) => Item::Scalar(Scalar::Double(*v)),
            Value::Decimal(v) => Item::Scalar(Scalar::Decimal(v.clone())),
            Value::Text(v) => Item::Scalar(Scalar::Text(v.as_str().into())),
            Value::Bytes(v) => Item::Scalar(Scalar::Bytes(v.as_slice().into())),
            Value::DateTime(v) => Item::Scalar(Scalar::DateTime(**v)),
            Value::Duration(v) => Item::Scalar(Scalar::Duration(**v)),
            Value::QName(v) => Item::Scalar(Scalar::QName((**v).clone())),
            Value::List(v) => Item::Items(v),
            Value::Column(v) => Item::Column(v.view()),
            Value::Tracked(v) => v.column().map_or(Item::Absent, Item::Column),
            Value::Rows(v) => Item::Table(Rows::view(v)),
            Value::Record(v) => Item::Record(v),
            Value::Map(v) => Item::Record(v),
            Value::Xml(v) => Item::Xml(v),
            Value::Grid(v) => Item::Grid(v.sizes(), Box::new(v.values().item())),
            Value::Ref(number) => Item::Ref(*number),
            Value::Shared(v) => v.held().item(),
        }
    }
}
