//! Records: [`Fields`], what a decoder fills of one ([`Open`]), and choices ([`Alternatives`]).

use std::any::Any;
use std::sync::Arc;

use super::lines::is_line_of;
use super::place::extend_one_by_one;
use super::{CellIn, CellOut, Input, LinesIn, LinesOut, Mismatch, Place, Single};
use crate::{DType, Item, Packed, Shape, Source};

/// A generated record type, or an enum of several. Indexes are those of the fields in the plan.
pub trait Fields: 'static {
    /// The label of the value's own type in the plan: `{namespace}local`, or the path to it.
    fn label(&self) -> &'static str;

    /// What field `index` holds.
    fn get(&self, index: usize) -> Item<'_>;

    /// The place of field `index`; `None` when there is no such field.
    fn at(&mut self, index: usize) -> Option<&mut dyn Place>;

    /// An empty value of the type with this label; `None` when it can be none of this type.
    fn start(label: &str) -> Option<Self>
    where
        Self: Sized;

    /// The fields that must have been put.
    fn required(&self) -> &'static [u32] {
        &[]
    }

    /// The machine types of the fields, none for texts, when the type is flat: single numbers and texts only. Else
    /// there are none, and what follows is never asked for.
    const CELLS: &'static [Option<DType>] = &[];

    /// Writes the numbers to a packed row and appends the texts.
    fn write_row<'s>(&'s self, _row: &mut [u8], _texts: &mut Vec<&'s str>)
    where
        Self: Sized,
    {
    }

    /// Reads a packed row and its texts; `None` when it is too short.
    fn read_row(_row: &[u8], _texts: &[&str]) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }

    /// The most bytes that [`Fields::put_line`] needs, without those of the constants.
    fn line_bytes(&self) -> usize {
        0
    }

    /// Writes the values as text, each with what comes after it, and gives how many bytes; `None` when some value
    /// has to be looked at more closely.
    fn put_line(&self, _cells: &[CellOut<'_>], _out: &mut [u8]) -> Option<usize> {
        None
    }

    /// Appends the same, texts escaped; `false`, and perhaps a part is appended, when some value cannot stand there.
    fn append_line(&self, _cells: &[CellOut<'_>], _out: &mut Vec<u8>) -> bool {
        false
    }

    /// Reads a record whose first value is at `at`; gives where the last one ends. `None` when it is not like the
    /// cells.
    fn get_line(_text: &str, _at: usize, _cells: &[CellIn<'_>]) -> Option<(Self, usize)>
    where
        Self: Sized,
    {
        None
    }
}

/// A record that a decoder is filling.
pub trait Open: Any {
    /// The place of field `index`; `None` when there is no such field.
    fn place(&mut self, index: usize) -> Option<&mut dyn Place>;

    /// The fields that must have been put.
    fn must_have(&self) -> &'static [u32];
}

/// The alternatives of a choice, numbered; of the fields of the record around it, each is one.
pub trait Alternatives: Sized {
    /// The value of alternative `k`, if that is chosen.
    fn get(&self, k: usize) -> Item<'_>;

    /// The place of alternative `k`, which is chosen from now on.
    fn at(&mut self, k: usize) -> Option<&mut dyn Place>;

    /// Alternative `k` with an empty value.
    fn start(k: usize) -> Option<Self>;
}

impl<T: Alternatives> Alternatives for Option<T> {
    fn get(&self, k: usize) -> Item<'_> {
        self.as_ref().map_or(Item::Absent, |chosen| chosen.get(k))
    }

    fn at(&mut self, k: usize) -> Option<&mut dyn Place> {
        if self.is_none() {
            *self = T::start(k);
        }
        self.as_mut()?.at(k)
    }

    fn start(k: usize) -> Option<Self> {
        T::start(k).map(Some)
    }
}

impl<T: Fields> Fields for Box<T> {
    fn label(&self) -> &'static str {
        T::label(self)
    }

    fn get(&self, index: usize) -> Item<'_> {
        T::get(self, index)
    }

    fn at(&mut self, index: usize) -> Option<&mut dyn Place> {
        T::at(self, index)
    }

    fn start(label: &str) -> Option<Self> {
        T::start(label).map(Box::new)
    }

    fn required(&self) -> &'static [u32] {
        T::required(self)
    }
}

impl<T: Fields> Open for T {
    #[inline]
    fn place(&mut self, index: usize) -> Option<&mut dyn Place> {
        self.at(index)
    }

    fn must_have(&self) -> &'static [u32] {
        self.required()
    }
}

impl<T: Fields> Source for T {
    #[inline]
    fn field(&self, index: usize, _name: &str) -> Item<'_> {
        self.get(index)
    }

    #[inline]
    fn type_name(&self) -> Option<&str> {
        Some(self.label()).filter(|label| !label.is_empty())
    }
}

impl<T: Fields> Single for T {
    #[inline]
    fn item(&self) -> Item<'_> {
        Item::Record(self)
    }

    #[inline]
    fn take(input: Input<'_, '_>) -> Result<Self, Mismatch> {
        match input {
            Input::Record(record) => Ok(*closed(record)?),
            Input::Flat(shape, values) => {
                let mut own = begin::<T>(shape)?;
                for (field, value) in values.drain(..) {
                    if let Some(place) = own.at(field as usize) {
                        place.put(false, Input::Scalar(value))?;
                    }
                }
                Ok(own)
            }
            other => Err(other.refuse("a record")),
        }
    }

    #[inline]
    fn assign(&mut self, input: Input<'_, '_>) -> Result<(), Mismatch> {
        match input {
            Input::Record(record) => *self = *closed(record)?,
            other => *self = T::take(other)?,
        }
        Ok(())
    }

    fn open(shape: &Arc<Shape>) -> Result<Box<dyn Open>, Mismatch> {
        // Made where it stays: a large value is not moved on.
        match T::start(shape.name()) {
            Some(own) => Ok(Box::new(own)),
            None => Err(unknown(shape)),
        }
    }

    fn extend(many: &mut Vec<Self>, input: Input<'_, '_>) -> Result<(), Mismatch> {
        match input {
            Input::Rows(rows) if is_line_of::<T>(rows.layout()) => {
                let rows = rows.data().chunks_exact(rows.layout().stride());
                many.extend(rows.filter_map(|row| T::read_row(row, &[])));
            }
            Input::Packed(packed) if is_line_of::<T>(packed.layout()) => {
                many.extend(packed.rows().filter_map(|(row, texts)| T::read_row(row, texts)));
            }
            Input::Rows(rows) => {
                let shape = rows.layout().shape().clone();
                let view = rows.view();
                for i in 0..rows.len() {
                    let mut own = begin::<T>(&shape)?;
                    for (field, (_, column)) in view.columns().iter().enumerate() {
                        if let (Some(place), Some(value)) = (own.at(field), column.get(i)) {
                            place.put(false, Input::Scalar(value))?;
                        }
                    }
                    many.push(own);
                }
            }
            Input::Packed(packed) => extend_one_by_one(many, packed)?,
            Input::Record(record) => many.push(*closed(record)?),
            one => many.push(T::take(one)?),
        }
        Ok(())
    }

    fn pack<'s>(many: &'s [Self], out: &mut Packed<'s>) -> bool {
        if !is_line_of::<T>(out.layout()) {
            return false;
        }
        let bytes = out.layout().stride();
        let Packed { numbers, texts, .. } = out;
        let start = numbers.len();
        numbers.resize(start + many.len() * bytes, 0);
        let mut rows = &mut numbers[start..];
        for own in many {
            let (row, rest) = rows.split_at_mut(bytes);
            own.write_row(row, texts);
            rows = rest;
        }
        true
    }

    fn write_lines(many: &[Self], lines: &mut LinesOut<'_>) -> bool {
        lines.write(many)
    }

    fn read_lines(many: &mut Vec<Self>, lines: &LinesIn<'_>) -> Option<(u32, usize)> {
        lines.read(many)
    }
}

/// The record that was opened as one of this type.
fn closed<T: Fields>(record: Box<dyn Open>) -> Result<Box<T>, Mismatch> {
    let own = (record as Box<dyn Any>).downcast::<T>();
    own.map_err(|_| Mismatch::new("a record of another type"))
}

fn begin<T: Fields>(shape: &Shape) -> Result<T, Mismatch> {
    T::start(shape.name()).ok_or_else(|| unknown(shape))
}

#[cold]
fn unknown(shape: &Shape) -> Mismatch {
    let name = shape.name();
    Mismatch::new(format!("a record of {name}, which this type does not know"))
}
