//! Python objects that stand in several places of a message that SOAP encoding writes: each is sent once,
//! so that whoever reads the message has one object again, and a cycle ends.
//!
//! [`Context::find_shared`] goes through all that can be reached from the arguments, without recursion,
//! and remembers what it meets twice. Conversion then gives a number in place of such an object, and the
//! encoder asks for each number once.

use std::cell::RefCell;

use castile_plan::Field;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple};

use super::class::Class;
use super::{Context, Kept, Map, Place};

/// What is known of shared objects.
#[derive(Default)]
pub(super) struct Shared<'a, 'py> {
    /// The objects that are shared, by address.
    numbers: RefCell<Map<usize, Option<u32>>>,
    /// Those with a number, with the field that they were first met in.
    objects: RefCell<Vec<(Bound<'py, PyAny>, Option<&'a Field>)>>,
}

/// Objects deeper than this in others are written by themselves, as if they were shared.
const DEPTH_MAX: u32 = 50;

impl<'a, 'py> Context<'a, 'py> {
    /// Finds what can be reached from `root` on several ways. Only then are objects shared at all.
    pub(crate) fn find_shared(&'a self, root: &Bound<'py, PyAny>) -> PyResult<()> {
        let mut seen: Map<usize, bool> = Map::default();
        let mut waiting = vec![(root.clone(), 0)];
        while let Some((object, depth)) = waiting.pop() {
            if !self.has_identity(&object)? {
                continue;
            }
            match seen.get_mut(&(object.as_ptr() as usize)) {
                Some(twice) => *twice = true,
                None => {
                    // A long chain is written in pieces.
                    let deep = depth >= DEPTH_MAX;
                    seen.insert(object.as_ptr() as usize, deep);
                    let mut inside = Vec::new();
                    self.children(&object, &mut inside)?;
                    let depth = if deep { 0 } else { depth + 1 };
                    waiting.extend(inside.into_iter().map(|object| (object, depth)));
                    // Its address stays its own as long as it lives.
                    self.keep(object);
                }
            }
        }
        let shared = seen.into_iter().filter(|(_, twice)| *twice);
        *self.identities.numbers.borrow_mut() = shared.map(|(address, _)| (address, None)).collect();
        Ok(())
    }

    /// Whether the object is a value that can be told from another one that says the same.
    fn has_identity(&'a self, object: &Bound<'py, PyAny>) -> PyResult<bool> {
        Ok(match self.class(object)? {
            Class::Record | Class::Array => true,
            Class::List => object.is_instance_of::<PyList>(),
            _ => false,
        })
    }

    fn children(&'a self, object: &Bound<'py, PyAny>, out: &mut Vec<Bound<'py, PyAny>>) -> PyResult<()> {
        if let Ok(list) = object.cast::<PyList>() {
            out.extend(list.iter().filter(|item| !is_atom(item)));
        } else if let Ok(tuple) = object.cast::<PyTuple>() {
            out.extend(tuple.iter().filter(|item| !is_atom(item)));
        } else if let Ok(dict) = object.cast::<PyDict>() {
            out.extend(
                dict.iter()
                    .map(|(_, value)| value)
                    .filter(|value| !is_atom(value)),
            );
        } else if let Ok(mapping) = object.cast::<PyMapping>() {
            out.extend(mapping.values()?.iter());
        } else if let Ok(names) = object.get_type().getattr(intern!(self.py, "_castile_attrs")) {
            attributes(object, names, out)?;
        } else if let Ok(fields) = object
            .get_type()
            .getattr(intern!(self.py, "__dataclass_fields__"))
        {
            attributes(object, fields, out)?;
        } else if let Ok(held) = object.getattr(intern!(self.py, "__dict__")) {
            out.extend(held.cast::<PyDict>()?.values().iter());
        }
        Ok(())
    }

    /// Whether any object is shared: then each object of a list is looked at for itself.
    pub(super) fn has_shared(&self) -> bool {
        !self.identities.numbers.borrow().is_empty()
    }

    /// The number of an object that stands in several places. `field` is where it was met.
    pub(super) fn shared_number(
        &'a self,
        object: &Bound<'py, PyAny>,
        field: Option<&'a Field>,
    ) -> Option<u32> {
        let mut numbers = self.identities.numbers.borrow_mut();
        if numbers.is_empty() {
            return None;
        }
        let known = numbers.get_mut(&(object.as_ptr() as usize))?;
        let mut objects = self.identities.objects.borrow_mut();
        Some(*known.get_or_insert_with(|| {
            objects.push((object.clone(), field));
            u32::try_from(objects.len() - 1).unwrap_or(u32::MAX)
        }))
    }

    /// The value of a number.
    pub(super) fn shared_object(&'a self, number: u32) -> Kept<'a> {
        let found = self.identities.objects.borrow().get(number as usize).cloned();
        let Some((object, field)) = found else {
            return Kept::Absent;
        };
        let place = Place {
            parent: None,
            name: field.map_or("object", |f| &f.name),
            item: None,
        };
        let converted = self
            .class(&object)
            .and_then(|class| self.convert_as(class, object, field, place));
        converted.unwrap_or_else(|e| self.fail(&place, e))
    }
}

/// Whether an object is one of the plain values that most lists are full of.
fn is_atom(object: &Bound<'_, PyAny>) -> bool {
    object.is_exact_instance_of::<PyFloat>()
        || object.is_exact_instance_of::<PyInt>()
        || object.is_exact_instance_of::<PyString>()
        || object.is_none()
}

fn attributes<'py>(
    object: &Bound<'py, PyAny>,
    names: Bound<'py, PyAny>,
    out: &mut Vec<Bound<'py, PyAny>>,
) -> PyResult<()> {
    for name in names.try_iter()? {
        let name = name?.cast_into::<PyString>()?;
        out.extend(object.getattr_opt(&name)?);
    }
    Ok(())
}
