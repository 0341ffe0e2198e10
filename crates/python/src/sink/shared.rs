//! Objects that stand in several places of a message: one Python object in all of them.
//!
//! An object may be referred to before it is read, by itself too. What refers to it holds `None` until
//! then, and is noted; at the end all that was noted is put right.

use std::sync::Arc;

use castile_value::{GraphSink, Scalar, Shape, Slot};
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::classes::Class;
use super::values::{grid_to_python, scalar_to_python};
use super::{Classes, Objects, Open};

/// An array that is a value of its own, or a shared object, being built.
pub(super) enum Target<'py> {
    /// With its class, where the contract has one, and its sizes when it has several dimensions.
    Array(Option<Arc<Class>>, Vec<usize>, Option<Bound<'py, PyAny>>),
    /// By its number.
    Object(u32, Option<Bound<'py, PyAny>>),
}

/// The shared objects of one message.
#[derive(Default)]
pub(super) struct Shared<'py> {
    objects: Vec<Option<Bound<'py, PyAny>>>,
    places: Vec<(u32, Place<'py>)>,
}

/// Where a reference stands.
enum Place<'py> {
    Field(Arc<Class>, Bound<'py, PyAny>, u32),
    Item(Bound<'py, PyList>, usize),
}

impl<'py> Shared<'py> {
    pub(super) fn define(&mut self, number: u32, value: Bound<'py, PyAny>) {
        if let Some(place) = self.objects.get_mut(number as usize) {
            *place = Some(value);
        }
    }

    /// Puts every object where it is referred to.
    pub(super) fn link(self) -> PyResult<()> {
        for (number, place) in self.places {
            let Some(Some(object)) = self.objects.get(number as usize) else {
                continue;
            };
            match place {
                Place::Field(class, holder, field) => class.set(&holder, field, object)?,
                Place::Item(list, at) => list.set_item(at, object)?,
            }
        }
        Ok(())
    }

    fn make_room(&mut self, number: u32) {
        if number as usize == self.objects.len() {
            self.objects.push(None);
        }
    }
}

impl<'py> Target<'py> {
    pub(super) fn set(&mut self, value: Bound<'py, PyAny>) {
        let (Target::Array(_, _, held) | Target::Object(_, held)) = self;
        *held = Some(value);
    }

    pub(super) fn scalar(
        &self,
        py: Python<'py>,
        classes: &Classes,
        value: Scalar<'_>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Target::Array(Some(class), ..) => class.scalar(py, classes, 0, value),
            _ => scalar_to_python(py, value),
        }
    }

    /// What was built; an array to which nothing was given is an empty list.
    pub(super) fn into_value(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(match self {
            Target::Array(_, sizes, Some(values)) if sizes.len() > 1 => grid_to_python(values, &sizes)?,
            Target::Array(_, _, Some(values)) => values,
            Target::Array(_, _, None) => PyList::empty(py).into_any(),
            Target::Object(_, value) => value.unwrap_or_else(|| py.None().into_bound(py)),
        })
    }
}

impl<'py> Open<'py> {
    /// The number of the shared object that this is.
    pub(super) fn number(&self) -> Option<u32> {
        match self.target {
            super::Target::Shared(Target::Object(number, _)) => Some(number),
            _ => None,
        }
    }

    /// Where the value stands that was just put.
    fn place(&self, at: Slot) -> Option<Place<'py>> {
        if at.many {
            let (_, list) = self.lists.iter().rev().find(|(field, _)| *field == at.field)?;
            return Some(Place::Item(list.clone(), list.len().checked_sub(1)?));
        }
        match &self.target {
            super::Target::Record(class, object) => {
                Some(Place::Field(class.clone(), object.clone(), at.field))
            }
            super::Target::Shared(_) => None,
        }
    }
}

impl GraphSink for Objects<'_, '_> {
    fn array(&mut self, at: Slot, shape: Option<&Arc<Shape>>, sizes: &[usize]) {
        if self.failure.is_some() {
            return;
        }
        match shape.map(|shape| self.class(shape)).transpose() {
            Ok(class) => {
                let target = Target::Array(class, sizes.to_vec(), None);
                self.begin(at, super::Target::Shared(target));
            }
            Err(e) => self.keep(Err(e)),
        }
    }

    fn object(&mut self, number: u32) {
        if self.failure.is_none() {
            self.shared.make_room(number);
            let at = Slot {
                field: 0,
                many: false,
            };
            self.begin(at, super::Target::Shared(Target::Object(number, None)));
        }
    }

    fn reference(&mut self, at: Slot, number: u32) {
        self.shared.make_room(number);
        self.step(|open, classes, py| open.put(classes, at, py.None().into_bound(py)));
        if let Some(place) = self.open.last().and_then(|open| open.place(at)) {
            self.shared.places.push((number, place));
        }
    }
}
