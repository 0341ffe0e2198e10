//! Iterators as streams of batches: [`Batches`].

use std::cell::{Cell, RefCell};

use castile_plan::Field;
use castile_value::{BatchError, Item, ONCE};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList};

use super::class::Class;
use super::{Context, Kept, Place};

/// Single items that are gathered to one batch.
const GATHERED: usize = 4096;

/// The values that an iterator gives: arrays and lists of items, or single items.
pub(super) struct Batches<'a, 'py> {
    context: &'a Context<'a, 'py>,
    object: Bound<'py, PyAny>,
    iterator: RefCell<Option<Bound<'py, PyIterator>>>,
    /// What came too early: a batch behind single items.
    next: RefCell<Option<Bound<'py, PyAny>>>,
    started: Cell<bool>,
    field: &'a Field,
    place: Place<'a>,
}

impl<'a, 'py> Context<'a, 'py> {
    /// Whether the value is streamed: an iterator, where any number of values may stand and the front
    /// can send them while they come.
    pub(super) fn is_stream(&self, value: &Bound<'py, PyAny>, field: Option<&Field>) -> PyResult<bool> {
        let many = field.is_some_and(|f| f.many) || self.inner_of_array_type(field).is_some();
        Ok(self.streams && many && value.hasattr(intern!(self.py, "__next__"))?)
    }

    pub(super) fn stream(
        &'a self,
        object: Bound<'py, PyAny>,
        field: &'a Field,
        place: Place<'a>,
    ) -> Kept<'a> {
        let field = match self.inner_of_array_type(Some(field)) {
            Some(inner) if !field.many => inner,
            _ => field,
        };
        let batches: &'a dyn castile_value::Batches = self.batches.alloc(Batches {
            context: self,
            object,
            iterator: RefCell::default(),
            next: RefCell::default(),
            started: Cell::new(false),
            field,
            place,
        });
        Kept::Stream(batches)
    }
}

impl<'py> Batches<'_, 'py> {
    /// The user's own exception, as it is.
    fn raised(&self, error: PyErr) -> BatchError {
        let told = error.to_string();
        self.context.failure.borrow_mut().get_or_insert(error);
        told.into()
    }

    fn is_batch(&self, value: &Bound<'py, PyAny>) -> PyResult<bool> {
        Ok(matches!(
            self.context.class(value)?,
            Class::Array | Class::List | Class::Masked | Class::Frame | Class::ArrayLike
        ))
    }

    /// The next batch as a list or array; `None` at the end.
    fn gather(&self) -> PyResult<Option<Bound<'py, PyAny>>> {
        if let Some(batch) = self.next.take() {
            return Ok(Some(batch));
        }
        let mut iterator = self.iterator.borrow_mut();
        let Some(iterator) = iterator.as_mut() else {
            return Ok(None);
        };
        let gathered = PyList::empty(self.context.py);
        while gathered.len() < GATHERED {
            let Some(value) = iterator.next().transpose()? else {
                break;
            };
            if !self.is_batch(&value)? {
                gathered.append(value)?;
            } else if gathered.is_empty() {
                return Ok(Some(value));
            } else {
                self.next.replace(Some(value));
                break;
            }
        }
        Ok((!gathered.is_empty()).then(|| gathered.into_any()))
    }
}

impl castile_value::Batches for Batches<'_, '_> {
    fn start(&self) -> Result<(), BatchError> {
        if self.started.replace(true) {
            return Err(ONCE.into());
        }
        let iterator = self.object.try_iter().map_err(|e| self.raised(e))?;
        self.iterator.replace(Some(iterator));
        Ok(())
    }

    fn next(&self, take: &mut dyn FnMut(Item<'_>)) -> Result<bool, BatchError> {
        let Some(batch) = self.gather().map_err(|e| self.raised(e))? else {
            return Ok(false);
        };
        // What the batch is converted to lasts as long as the batch.
        let outer = self.context;
        let context = Context::new(outer.py, outer.types, outer.zeep);
        let place = Place {
            parent: None,
            name: &self.place.path(),
            item: None,
        };
        take(context.convert(batch, Some(self.field), place).item());
        match context.failure() {
            Some(failure) => Err(self.raised(failure)),
            None => Ok(true),
        }
    }
}
