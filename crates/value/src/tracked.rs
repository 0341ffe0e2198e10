//! Arrays that know what of them changed: [`Tracked`].

use std::ops::{Deref, Range};

use crate::typed::{Input, Mismatch, Open, Place, Single};
use crate::{Changes, Column, ColumnBuf, Item, Shape};

/// An array of numbers that is changed only through methods that mark what they change, so that
/// sending it again takes no comparing (the get and set methods of paper 000, 3.2).
///
/// ```
/// use castile_value::Tracked;
///
/// let mut field = Tracked::from(vec![0.0f64; 1000]);
/// field.set(7, 0.5);
/// field.range_mut(100..200).fill(1.0);
/// assert_eq!(field[7] + field[150], 1.5);
/// ```
///
/// [`Tracked::values_mut`] with [`Tracked::mark`] is for code that knows itself what it changes:
/// a range that changed and was not marked is not sent.
#[derive(Clone, Debug)]
pub struct Tracked<C> {
    values: C,
    changes: Changes,
}

/// Arrays that can be tracked: vectors of numbers, and [`ColumnBuf`].
pub trait Values {
    /// The array as a column; `None` when it is none.
    fn column(&self) -> Option<Column<'_>>;
}

impl Values for ColumnBuf {
    fn column(&self) -> Option<Column<'_>> {
        Some(self.view())
    }
}

impl<T: Single> Values for Vec<T> {
    fn column(&self) -> Option<Column<'_>> {
        match T::items(self) {
            Item::Column(column) => Some(column),
            _ => None,
        }
    }
}

impl<C: Values> Tracked<C> {
    /// The values.
    pub fn values(&self) -> &C {
        &self.values
    }

    /// The values, to be changed by somebody who [marks](Tracked::mark) what he changed. When their
    /// number changed, all of them are marked.
    pub fn values_mut(&mut self) -> &mut C {
        &mut self.values
    }

    /// Values `range` were changed.
    pub fn mark(&mut self, range: Range<usize>) {
        self.changes.mark(range);
    }

    /// The values, taken out.
    pub fn into_values(self) -> C {
        self.values
    }

    /// The values with what is known of their changes.
    pub fn column(&self) -> Option<Column<'_>> {
        Some(self.values.column()?.with_changes(&self.changes))
    }
}

impl Tracked<ColumnBuf> {
    /// The doubles of a range, all of which count as changed; `None` when they are no doubles or the
    /// range is not within the array.
    pub fn f64s_mut(&mut self, range: Range<usize>) -> Option<&mut [f64]> {
        let ColumnBuf::F64(values) = &mut self.values else {
            return None;
        };
        let values = values.get_mut(range.clone())?;
        self.changes.mark(range);
        Some(values)
    }
}

impl<T: Single> Tracked<Vec<T>> {
    /// Sets value `i`.
    ///
    /// # Panics
    /// There is no value `i`, as with `values[i]`.
    #[inline]
    pub fn set(&mut self, i: usize, value: T) {
        self.values[i] = value;
        self.changes.mark(i..i + 1);
    }

    /// The values of a range, all of which count as changed.
    ///
    /// # Panics
    /// The range is not within the array.
    pub fn range_mut(&mut self, range: Range<usize>) -> &mut [T] {
        self.changes.mark(range.clone());
        &mut self.values[range]
    }

    /// Appends a value.
    pub fn push(&mut self, value: T) {
        self.values.push(value);
        self.changes.resize(self.values.len());
    }

    /// Leaves the values from `len` on out.
    pub fn truncate(&mut self, len: usize) {
        self.values.truncate(len);
        self.changes.resize(self.values.len());
    }
}

impl<T: Single> From<Vec<T>> for Tracked<Vec<T>> {
    fn from(values: Vec<T>) -> Self {
        Tracked {
            changes: Changes::new(values.len()),
            values,
        }
    }
}

impl From<ColumnBuf> for Tracked<ColumnBuf> {
    fn from(values: ColumnBuf) -> Self {
        Tracked {
            changes: Changes::new(values.len()),
            values,
        }
    }
}

impl<T: Single> Default for Tracked<Vec<T>> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<C: PartialEq> PartialEq for Tracked<C> {
    fn eq(&self, other: &Self) -> bool {
        self.values == other.values
    }
}

impl<T: Single> Deref for Tracked<Vec<T>> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.values
    }
}

impl<T: Single> Place for Tracked<Vec<T>> {
    fn item(&self) -> Item<'_> {
        match self.column() {
            Some(column) if !column.is_empty() => Item::Column(column),
            _ => Place::item(&self.values),
        }
    }

    fn put(&mut self, many: bool, input: Input<'_, '_>) -> Result<(), Mismatch> {
        let put = self.values.put(many, input);
        self.changes = Changes::new(self.values.len());
        put
    }

    fn open(&self, shape: &std::sync::Arc<Shape>) -> Result<Box<dyn Open>, Mismatch> {
        Place::open(&self.values, shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setter_marks_what_it_sets() {
        let mut field = Tracked::from(vec![0i32; 200]);
        let stamp = |field: &Tracked<Vec<i32>>| field.changes.stamp();
        let before = stamp(&field);
        field.set(3, 7);
        assert!(field.changes.has_changed(before, 0..64) && !field.changes.has_changed(before, 64..200));
        let before = stamp(&field);
        field.range_mut(64..70).fill(9);
        assert!(field.changes.has_changed(before, 64..128));
        let before = stamp(&field);
        field.push(5);
        assert_eq!((field.len(), field[200]), (201, 5));
        assert!(field.changes.has_changed(before, 200..201));
        field.truncate(10);
        assert_eq!(
            field.column().map(|c| (c.len(), c.changes().is_some())),
            Some((10, true))
        );
    }

    #[test]
    fn a_length_that_nobody_told_is_no_known_change() {
        let mut field = Tracked::from(vec![0.5f64; 10]);
        field.values_mut().push(1.5);
        assert!(field.column().is_some_and(|c| c.changes().is_none()));
    }
}
