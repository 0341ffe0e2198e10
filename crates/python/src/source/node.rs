//! A record over one Python object.

use std::cell::Cell;

use castile_plan::{Field, FieldKind};
use castile_value::{Item, Shape, Source};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyString};

use super::bind::{Binding, Manner};
use super::{Context, Kept, Place, TYPE_KEY, group};
use crate::error;
use crate::slots::Member;

/// A record over one Python object.
pub(super) struct Node<'a, 'py> {
    pub(super) context: &'a Context<'a, 'py>,
    pub(super) object: Bound<'py, PyAny>,
    pub(super) binding: &'a Binding<'py>,
    /// What the object says its type is.
    pub(super) type_name: Option<&'a str>,
    /// One a field of the type: what it was converted to.
    pub(super) cells: &'a [Cell<Option<Kept<'a>>>],
    pub(super) place: &'a Place<'a>,
}

impl<'a, 'py> Node<'a, 'py> {
    /// The cell and the plan's field at `index`, if that is indeed called `name`.
    fn known(&self, index: usize, name: &str) -> Option<(&'a Cell<Option<Kept<'a>>>, &'a Field)> {
        let field = self
            .context
            .types
            .complex(self.binding.complex?)
            .fields
            .get(index)?;
        (*field.name == *name).then_some(())?;
        Some((self.cells.get(index)?, field))
    }

    pub(super) fn kept(&self, index: usize, name: &str) -> Kept<'a> {
        let Some((cell, field)) = self.known(index, name) else {
            return self.by_name(name);
        };
        if let Some(kept) = cell.get() {
            return kept;
        }
        let place = Place {
            parent: Some(self.place),
            name: &field.name,
            item: None,
        };
        let found = match self.look_up(index) {
            Ok(None) if field.kind == FieldKind::Group => self.passes(index),
            found => found,
        };
        let kept = match found {
            Ok(None) => Kept::Absent,
            Ok(Some(value)) => self.context.convert(value, Some(field), place),
            Err(e) => self.context.fail(&place, e),
        };
        cell.set(Some(kept));
        kept
    }

    fn look_up(&self, index: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(key) = self.binding.keys.get(index) else {
            return Ok(None);
        };
        if let Some(member) = &key.member {
            return member.held(&self.object);
        }
        let found = self.get(&key.exact)?;
        match (&key.alias, found) {
            (Some(alias), None) => self.get(alias),
            (_, found) => Ok(found),
        }
    }

    fn get(&self, key: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.binding.manner {
            // Only asked for names that are none of the type's.
            Manner::Record => match Member::new(&self.object.get_type(), key.to_str()?) {
                Ok(member) => member.held(&self.object),
                Err(_) => Ok(None),
            },
            Manner::Dict => self.object.cast::<PyDict>()?.get_item(key),
            Manner::Mapping => {
                let mapping = self.object.cast::<PyMapping>()?;
                if mapping.contains(key)? {
                    mapping.get_item(key).map(Some)
                } else {
                    Ok(None)
                }
            }
            Manner::Row => {
                let name = key.to_str()?;
                let has = self.binding.own_names.iter().flatten().any(|own| own == name);
                if has {
                    self.object.get_item(key).map(Some)
                } else {
                    Ok(None)
                }
            }
            Manner::Object => self.object.getattr_opt(key),
        }
    }

    /// The passes through a repeated group of which a dict has one member.
    fn passes(&self, group: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (Manner::Dict, Some(id)) = (self.binding.manner, self.binding.complex) else {
            return Ok(None);
        };
        let types = self.context.types;
        group::passes(types, types.complex(id), group, self.object.cast::<PyDict>()?)
    }

    /// Whether a name is that of a member which stands for its group.
    fn in_group(&self, name: &str) -> PyResult<bool> {
        let types = self.context.types;
        let complex = self.binding.complex.map(|id| types.complex(id));
        match complex.and_then(|c| group::group_of(types, c, name)) {
            Some((group, _)) => Ok(self.look_up(group)?.is_none() && self.passes(group)?.is_some()),
            None => Ok(false),
        }
    }

    /// The slow way, for a type that is not known.
    fn by_name(&self, name: &str) -> Kept<'a> {
        let context = self.context;
        let kept_name: &'a String = context.texts.alloc(name.to_owned());
        let place = Place {
            parent: Some(self.place),
            name: kept_name,
            item: None,
        };
        match self.get(&context.name(name)) {
            Ok(None) => Kept::Absent,
            Ok(Some(value)) => context.convert(value, None, place),
            Err(e) => context.fail(&place, e),
        }
    }

    /// The names that the object itself has, where it can tell.
    fn own_names(&self) -> PyResult<Option<Vec<String>>> {
        match self.binding.manner {
            Manner::Dict => self.object.cast::<PyDict>()?.keys().extract().map(Some),
            Manner::Mapping => self.object.cast::<PyMapping>()?.keys()?.extract().map(Some),
            _ => Ok(self.binding.own_names.clone()),
        }
    }

    fn find_unknown(&self, shape: &Shape) -> PyResult<Option<String>> {
        let taken =
            |name: &str| shape.index(name).is_some() || self.binding.aliases.iter().any(|a| a == name);
        match self.binding.manner {
            Manner::Dict => {
                for key in self.object.cast::<PyDict>()?.keys() {
                    let key = key.cast_into::<PyString>().map_err(|_| error::key_is_no_name())?;
                    let name = key.to_str()?;
                    if name != TYPE_KEY && !taken(name) && !self.in_group(name)? {
                        return Ok(Some(name.to_owned()));
                    }
                }
                Ok(None)
            }
            Manner::Mapping => Ok(self
                .own_names()?
                .unwrap_or_default()
                .into_iter()
                .find(|name| !taken(name))),
            _ => {
                for (name, key) in &self.binding.strange {
                    if self.get(key)?.is_some_and(|v| !v.is_none()) {
                        return Ok(Some(name.clone()));
                    }
                }
                Ok(None)
            }
        }
    }
}

impl Source for Node<'_, '_> {
    fn field(&self, index: usize, name: &str) -> Item<'_> {
        self.kept(index, name).item()
    }

    fn type_name(&self) -> Option<&str> {
        self.type_name
    }

    fn entries(&self) -> Option<Vec<(String, Item<'_>)>> {
        let names = match self.own_names() {
            Ok(names) => names?,
            Err(e) => {
                self.context.fail(self.place, e);
                return None;
            }
        };
        let entry = |name: String| {
            let item = self.by_name(&name).item();
            (name, item)
        };
        Some(
            names
                .into_iter()
                .filter(|name| name != TYPE_KEY)
                .map(entry)
                .collect(),
        )
    }

    fn object(&self, number: u32) -> Item<'_> {
        self.context.shared_object(number).item()
    }

    fn unknown_name(&self, shape: &Shape) -> Option<String> {
        self.find_unknown(shape).unwrap_or_else(|e| {
            self.context.fail(self.place, e);
            None
        })
    }
}
