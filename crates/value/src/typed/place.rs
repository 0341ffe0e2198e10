//! Values of fields: [`Single`] is one, [`Place`] is all that a field holds.

use std::ops::Range;
use std::sync::Arc;

use super::{Input, LinesIn, LinesOut, Mismatch, Open};
use crate::{Item, Items, Packed, Scalar, Shape, Value};

/// One value: of a simple type, a record, or something that may be nil.
pub trait Single: Sized + 'static {
    /// The value as an encoder sees it.
    fn item(&self) -> Item<'_>;

    /// The value that a decoder found.
    ///
    /// # Errors
    /// It is of another kind, or does not fit.
    fn take(input: Input<'_, '_>) -> Result<Self, Mismatch>;

    /// As [`Single::take`], in place of this value: where values are large, moving them on and on would cost more
    /// than reading them.
    ///
    /// # Errors
    /// As [`Single::take`].
    #[inline]
    fn assign(&mut self, input: Input<'_, '_>) -> Result<(), Mismatch> {
        *self = Self::take(input)?;
        Ok(())
    }

    /// The value, when the text is surely one of this type: for choosing among the members of a
    /// union.
    fn exact(input: Input<'_, '_>) -> Option<Self> {
        Self::take(input).ok()
    }

    /// A record of this shape, to be filled and taken back as [`Input::Record`].
    ///
    /// # Errors
    /// The value is no record, or none of this type.
    fn open(shape: &Arc<Shape>) -> Result<Box<dyn Open>, Mismatch> {
        Err(Mismatch::new(format!(
            "a record of {} where a simple value belongs",
            shape.name()
        )))
    }

    /// Several values as an encoder sees them.
    fn items(many: &Vec<Self>) -> Item<'_> {
        Item::Items(many)
    }

    /// Appends what a decoder found: one value or several.
    ///
    /// # Errors
    /// As [`Single::take`].
    fn extend(many: &mut Vec<Self>, input: Input<'_, '_>) -> Result<(), Mismatch> {
        match input {
            Input::Column(column) => {
                many.reserve(column.len());
                for scalar in (0..column.len()).filter_map(|i| column.get(i)) {
                    many.push(Self::take(Input::Scalar(scalar))?);
                }
            }
            Input::Rows(rows) => {
                let shape = rows.layout().shape().clone();
                let view = rows.view();
                let mut values = Vec::new();
                for i in 0..rows.len() {
                    let scalars = view.columns().iter().filter_map(|(_, c)| c.get(i));
                    values.extend(scalars.enumerate().map(|(field, v)| (field as u32, v)));
                    many.push(Self::take(Input::Flat(&shape, &mut values))?);
                    values.clear();
                }
            }
            Input::Packed(packed) => extend_one_by_one(many, packed)?,
            Input::Texts(texts) => {
                many.reserve(texts.len());
                for text in texts {
                    many.push(Self::take(Input::Scalar(Scalar::from(*text)))?);
                }
            }
            Input::Scalar(Scalar::Numbers(column)) => Self::extend(many, Input::Column(column))?,
            Input::Scalar(Scalar::List(list)) => {
                for scalar in list {
                    many.push(Self::take(Input::Scalar(scalar))?);
                }
            }
            one => many.push(Self::take(one)?),
        }
        Ok(())
    }

    /// Appends the values to a packed; `false`, and what was appended is to be thrown away, when they are
    /// no records of its layout.
    fn pack<'s>(_many: &'s [Self], _out: &mut Packed<'s>) -> bool {
        false
    }

    /// Writes the values as text; `false`, and what was written is to be thrown away, when they are no records
    /// of the layout, or some value cannot stand there.
    fn write_lines(_many: &[Self], _lines: &mut LinesOut<'_>) -> bool {
        false
    }

    /// Appends the records that the text has; gives their number and where they end. `None` when the values are no
    /// records of the layout.
    fn read_lines(_many: &mut Vec<Self>, _lines: &LinesIn<'_>) -> Option<(u32, usize)> {
        None
    }

    /// The values when they are dynamic ones.
    fn values(_many: &[Self]) -> Option<&[Value]> {
        None
    }

    /// The values when they are texts.
    fn strings(_many: &[Self]) -> Option<&[String]> {
        None
    }
}

/// Appends the records of a packed.
pub(super) fn extend_one_by_one<T: Single>(many: &mut Vec<T>, packed: &Packed<'_>) -> Result<(), Mismatch> {
    let mut values = Vec::new();
    for i in 0..packed.len() {
        packed.values(i, &mut values);
        many.push(T::take(Input::Flat(packed.layout().shape(), &mut values))?);
        values.clear();
    }
    Ok(())
}

/// A field of a record: object-safe, one call a value or a whole array.
pub trait Place {
    /// What the field holds, as an encoder sees it.
    fn item(&self) -> Item<'_>;

    /// Takes what a decoder found; values of a repeated field are appended. `many` is what the plan
    /// says: whether the field repeats.
    ///
    /// # Errors
    /// What was found does not belong there.
    fn put(&mut self, many: bool, input: Input<'_, '_>) -> Result<(), Mismatch>;

    /// A record for this field, to be filled and given to [`Place::put`].
    ///
    /// # Errors
    /// The field holds no records of this type.
    fn open(&self, shape: &Arc<Shape>) -> Result<Box<dyn Open>, Mismatch>;

    /// Appends the records that the text has, for a repeated field; gives their number and where they end. `None`
    /// when it rather has them as values.
    fn read_lines(&mut self, _lines: &LinesIn<'_>) -> Option<(u32, usize)> {
        None
    }
}

impl<T: Single> Place for T {
    #[inline]
    fn item(&self) -> Item<'_> {
        Single::item(self)
    }

    #[inline]
    fn put(&mut self, _many: bool, input: Input<'_, '_>) -> Result<(), Mismatch> {
        self.assign(input)
    }

    fn open(&self, shape: &Arc<Shape>) -> Result<Box<dyn Open>, Mismatch> {
        <T as Single>::open(shape)
    }
}

impl<T: Single> Place for Vec<T> {
    #[inline]
    fn item(&self) -> Item<'_> {
        if self.is_empty() {
            return Item::Absent;
        }
        T::items(self)
    }

    #[inline]
    fn put(&mut self, _many: bool, input: Input<'_, '_>) -> Result<(), Mismatch> {
        T::extend(self, input)
    }

    fn open(&self, shape: &Arc<Shape>) -> Result<Box<dyn Open>, Mismatch> {
        T::open(shape)
    }

    fn read_lines(&mut self, lines: &LinesIn<'_>) -> Option<(u32, usize)> {
        T::read_lines(self, lines)
    }
}

impl<T: Single> Items for Vec<T> {
    fn len(&self) -> usize {
        Vec::len(self)
    }

    #[inline]
    fn item(&self, i: usize) -> Item<'_> {
        self.get(i).map_or(Item::Absent, Single::item)
    }

    fn is_at_rest(&self) -> bool {
        true
    }

    fn pack<'s>(&'s self, range: Range<usize>, out: &mut Packed<'s>) -> bool {
        self.get(range).is_some_and(|some| T::pack(some, out))
    }

    fn write_lines(&self, range: Range<usize>, lines: &mut LinesOut<'_>) -> bool {
        self.get(range).is_some_and(|some| T::write_lines(some, lines))
    }

    fn values(&self, range: Range<usize>) -> Option<&[Value]> {
        self.get(range).and_then(T::values)
    }

    fn strings(&self, range: Range<usize>) -> Option<&[String]> {
        self.get(range).and_then(T::strings)
    }
}

impl<T: Single> Single for Option<T> {
    #[inline]
    fn item(&self) -> Item<'_> {
        self.as_ref().map_or(Item::Absent, Single::item)
    }

    #[inline]
    fn take(input: Input<'_, '_>) -> Result<Self, Mismatch> {
        match input {
            Input::Nil => Ok(None),
            input => T::take(input).map(Some),
        }
    }

    fn open(shape: &Arc<Shape>) -> Result<Box<dyn Open>, Mismatch> {
        T::open(shape)
    }
}
