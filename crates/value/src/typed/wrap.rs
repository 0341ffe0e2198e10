//! Types for what Rust has none of: three states ([`Maybe`]), list types, bytes, attributes of
//! wildcards.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::{Input, Mismatch, Open, Place, Single};
use crate::{Item, Scalar, Shape, Source};

/// A value that may be left out or be nil, which are not the same on the wire (`minOccurs="0"` with
/// `nillable="true"`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Maybe<T> {
    /// The element is left out.
    #[default]
    Absent,
    /// The element says that it is nil.
    Nil,
    /// A value.
    Value(T),
}

impl<T> Maybe<T> {
    /// The value, if there is one.
    pub fn as_option(&self) -> Option<&T> {
        match self {
            Maybe::Value(value) => Some(value),
            _ => None,
        }
    }

    /// The value, taken out, if there is one.
    pub fn into_option(self) -> Option<T> {
        match self {
            Maybe::Value(value) => Some(value),
            _ => None,
        }
    }
}

impl<T> From<T> for Maybe<T> {
    fn from(value: T) -> Self {
        Maybe::Value(value)
    }
}

impl<T> From<Option<T>> for Maybe<T> {
    /// `None` is left out.
    fn from(value: Option<T>) -> Self {
        value.map_or(Maybe::Absent, Maybe::Value)
    }
}

impl<T: Single> Single for Maybe<T> {
    fn item(&self) -> Item<'_> {
        match self {
            Maybe::Absent => Item::Absent,
            Maybe::Nil => Item::Nil,
            Maybe::Value(value) => value.item(),
        }
    }

    fn take(input: Input<'_, '_>) -> Result<Self, Mismatch> {
        match input {
            Input::Nil => Ok(Maybe::Nil),
            input => T::take(input).map(Maybe::Value),
        }
    }

    fn open(shape: &Arc<Shape>) -> Result<Box<dyn Open>, Mismatch> {
        T::open(shape)
    }
}

/// An element of mixed content: a record while text stands before its children only, else XML.
#[derive(Clone, Debug, PartialEq)]
pub enum Mixed<T> {
    /// The fields, with the text before them.
    Record(T),
    /// The element as namespace-complete XML: text stands among the children.
    Xml(String),
}

impl<T: Default> Default for Mixed<T> {
    fn default() -> Self {
        Mixed::Record(T::default())
    }
}

impl<T> From<T> for Mixed<T> {
    fn from(record: T) -> Self {
        Mixed::Record(record)
    }
}

impl<T: Single> Single for Mixed<T> {
    fn item(&self) -> Item<'_> {
        match self {
            Mixed::Record(record) => record.item(),
            Mixed::Xml(text) => Item::Xml(text),
        }
    }

    fn take(input: Input<'_, '_>) -> Result<Self, Mismatch> {
        match input {
            Input::Xml(text) => Ok(Mixed::Xml(text)),
            input => T::take(input).map(Mixed::Record),
        }
    }

    fn open(shape: &Arc<Shape>) -> Result<Box<dyn Open>, Mismatch> {
        T::open(shape)
    }
}

/// The items of a list type: one text with white space between them (XSD 1.0 part 2, 2.5.1.2).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct List<T>(pub Vec<T>);

impl<T> Deref for List<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T> DerefMut for List<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.0
    }
}

impl<T> From<Vec<T>> for List<T> {
    fn from(items: Vec<T>) -> Self {
        List(items)
    }
}

impl<T: Single> Single for List<T> {
    fn item(&self) -> Item<'_> {
        Item::Scalar(Scalar::List(self.0.iter().filter_map(scalar).collect()))
    }

    fn take(input: Input<'_, '_>) -> Result<Self, Mismatch> {
        let mut items = Vec::new();
        match input {
            Input::Scalar(Scalar::List(scalars)) => {
                for scalar in scalars {
                    items.push(T::take(Input::Scalar(scalar))?);
                }
            }
            Input::Scalar(Scalar::Numbers(column)) => T::extend(&mut items, Input::Column(column))?,
            other => return Err(other.refuse("a list")),
        }
        Ok(List(items))
    }

    fn extend(many: &mut Vec<Self>, input: Input<'_, '_>) -> Result<(), Mismatch> {
        let nested = |list: &[Scalar<'_>]| matches!(list.first(), Some(Scalar::List(_) | Scalar::Numbers(_)));
        match input {
            Input::Scalar(Scalar::List(lists)) if nested(&lists) => {
                for list in lists {
                    many.push(Self::take(Input::Scalar(list))?);
                }
            }
            one => many.push(Self::take(one)?),
        }
        Ok(())
    }
}

fn scalar<T: Single>(item: &T) -> Option<Scalar<'_>> {
    match Single::item(item) {
        Item::Scalar(scalar) => Some(scalar),
        _ => None,
    }
}

/// Bytes, as base64 or hexadecimal digits on the wire.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Binary(pub Vec<u8>);

impl Deref for Binary {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.0
    }
}

impl From<Vec<u8>> for Binary {
    fn from(bytes: Vec<u8>) -> Self {
        Binary(bytes)
    }
}

impl From<&[u8]> for Binary {
    fn from(bytes: &[u8]) -> Self {
        Binary(bytes.to_vec())
    }
}

impl Single for Binary {
    fn item(&self) -> Item<'_> {
        Item::Scalar(Scalar::Bytes(self.0.as_slice().into()))
    }

    fn take(input: Input<'_, '_>) -> Result<Self, Mismatch> {
        match input {
            Input::Scalar(Scalar::Bytes(bytes)) => Ok(Binary(bytes.into_owned())),
            other => Err(other.refuse("bytes")),
        }
    }
}

/// Attributes that a wildcard admits: `{namespace}local` names and texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes(pub Vec<(String, String)>);

impl Place for Attributes {
    fn item(&self) -> Item<'_> {
        if self.0.is_empty() {
            Item::Absent
        } else {
            Item::Record(self)
        }
    }

    fn put(&mut self, _many: bool, input: Input<'_, '_>) -> Result<(), Mismatch> {
        match input {
            Input::Attribute(name, text) => {
                self.0.push((name, text.to_owned()));
                Ok(())
            }
            other => Err(other.refuse("an attribute")),
        }
    }

    fn open(&self, shape: &Arc<Shape>) -> Result<Box<dyn Open>, Mismatch> {
        Err(Mismatch::new(format!(
            "a record of {} where attributes belong",
            shape.name()
        )))
    }
}

impl Source for Attributes {
    fn field(&self, _index: usize, name: &str) -> Item<'_> {
        let found = self.0.iter().find(|(n, _)| n == name);
        found.map_or(Item::Absent, |(_, text)| Single::item(text))
    }

    fn entries(&self) -> Option<Vec<(String, Item<'_>)>> {
        Some(
            self.0
                .iter()
                .map(|(name, text)| (name.clone(), Single::item(text)))
                .collect(),
        )
    }
}
