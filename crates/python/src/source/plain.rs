//! Lists of objects of one class whose type has only single values of simple types: what is the same
//! for all objects is worked out once, and each object costs little more than its values.
//!
//! A value that is no plain float, int, text or bool sends its object to a [`Node`], which can do
//! everything; so does an object of another class.

use std::cell::OnceCell;
use std::ops::Range;

use castile_plan::{ComplexId, Field, FieldKind};
use castile_value::{Item, Items, Packed, Scalar, Shape, Source};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

use super::bind::{Binding, Key, Manner};
use super::class::Class;
use super::convert::complex_of;
use super::rows::write;
use super::{Context, Kept, Node, Place};

/// Items for which it pays.
const ITEMS_MIN: usize = 4;

/// What all objects of the list share.
pub(super) struct Shared<'a, 'py> {
    context: &'a Context<'a, 'py>,
    list: Bound<'py, PyList>,
    class: *mut pyo3::ffi::PyTypeObject,
    binding: &'a Binding<'py>,
    complex: ComplexId,
    field: &'a Field,
    fields: &'a [Field],
    place: Place<'a>,
}

/// The list.
pub(super) struct Plain<'a, 'py>(&'a Shared<'a, 'py>);

/// One object of the list.
pub(super) struct Row<'a, 'py> {
    shared: &'a Shared<'a, 'py>,
    object: Bound<'py, PyAny>,
    item: u32,
    /// The object as what can do everything.
    node: OnceCell<&'a Node<'a, 'py>>,
}

impl<'a, 'py> Context<'a, 'py> {
    /// The objects of a list; `None` where this way does not pay.
    pub(super) fn plain(
        &'a self,
        object: &Bound<'py, PyAny>,
        field: Option<&'a Field>,
        place: Place<'a>,
    ) -> PyResult<Option<Kept<'a>>> {
        let (Some(field), Some(complex), Ok(list)) =
            (field, complex_of(field), object.cast_exact::<PyList>())
        else {
            return Ok(None);
        };
        if list.len() < ITEMS_MIN || field.kind != FieldKind::Element || !self.types.is_plain(complex) {
            return Ok(None);
        }
        let first = list.get_item(0)?;
        let fields = &self.types.complex(complex).fields;
        let names = fields.iter().any(|f| self.takes_names(Some(f)));
        if names || self.class(&first)? != Class::Record {
            return Ok(None);
        }
        let binding = self.bind(&first, Some(complex));
        if !binding.is_own(self.types, complex) {
            return Ok(None);
        }
        let shared: &'a Shared<'a, 'py> = self.shared.alloc(Shared {
            context: self,
            list: list.clone(),
            class: first.get_type_ptr(),
            binding,
            complex,
            field,
            fields,
            place,
        });
        let items: &'a dyn Items = self.plains.alloc(Plain(shared));
        Ok(Some(Kept::Items(items)))
    }
}

impl Items for Plain<'_, '_> {
    fn len(&self) -> usize {
        self.0.list.len()
    }

    fn item(&self, i: usize) -> Item<'_> {
        let shared = self.0;
        let place = shared.place_of(u32::try_from(i).unwrap_or(u32::MAX));
        match shared.list.get_item(i) {
            Ok(object) if shared.fits(&object) => Item::Record(shared.context.plain_rows.alloc(Row {
                shared,
                object,
                item: place.item.unwrap_or(u32::MAX),
                node: OnceCell::new(),
            })),
            Ok(object) => shared.context.convert(object, Some(shared.field), place).item(),
            Err(e) => shared.context.fail(&place, e).item(),
        }
    }

    fn pack<'s>(&'s self, range: Range<usize>, out: &mut Packed<'s>) -> bool {
        let own = self.0.binding.type_name.as_deref();
        own.is_none_or(|name| name == out.layout().shape().name())
            && range.into_iter().all(|i| {
                self.0
                    .list
                    .get_item(i)
                    .is_ok_and(|object| self.0.pack(&object, out).is_some())
            })
    }
}

impl<'a, 'py> Shared<'a, 'py> {
    /// Whether an object is of the list's class, and has no names but those of its type.
    #[inline]
    fn fits(&self, object: &Bound<'py, PyAny>) -> bool {
        let known = |dict: &Bound<'py, PyDict>| {
            let has = |key: &&Key<'py>| dict.contains(&key.exact).unwrap_or(false);
            self.binding.keys.iter().filter(has).count() == dict.len()
        };
        object.get_type_ptr() == self.class
            && match self.binding.manner {
                Manner::Dict => object.cast_exact::<PyDict>().is_ok_and(known),
                _ => true,
            }
    }

    /// Appends an object to a packed; `None`, and perhaps a part is appended, when some value is no plain one
    /// of its field.
    fn pack<'s>(&self, object: &Bound<'py, PyAny>, out: &mut Packed<'s>) -> Option<()>
    where
        'a: 's,
    {
        if !self.fits(object) {
            return None;
        }
        let layout = out.layout().clone();
        for field in layout.fields() {
            write(&self.held(object, field.index)?, field.dtype, &mut out.numbers)?;
        }
        for &index in layout.texts() {
            let text = self.held(object, index)?.cast_into_exact::<PyString>().ok()?;
            out.texts.push(self.context.text(text.into_any()).ok()?);
        }
        Some(())
    }

    /// What an object that fits holds in a field.
    #[inline]
    fn held(&self, object: &Bound<'py, PyAny>, index: usize) -> Option<Bound<'py, PyAny>> {
        let key = self.binding.keys.get(index)?;
        match (&key.member, self.binding.manner) {
            (Some(member), _) => member.held(object).ok()?,
            (None, Manner::Dict) => object.cast::<PyDict>().ok()?.get_item(&key.exact).ok()?,
            _ => None,
        }
    }

    fn place_of(&self, item: u32) -> Place<'a> {
        Place {
            item: Some(item),
            ..self.place
        }
    }
}

impl<'a, 'py> Row<'a, 'py> {
    fn node(&self) -> &'a Node<'a, 'py> {
        let shared = self.shared;
        let place = || shared.place_of(self.item);
        let new = || {
            shared
                .context
                .node(self.object.clone(), Some(shared.complex), place())
        };
        self.node.get_or_init(new)
    }

    /// The value in a field, if it is a plain one.
    #[inline]
    fn value(&self, index: usize, name: &str) -> Option<Kept<'a>> {
        let shared = self.shared;
        shared.fields.get(index).filter(|field| *field.name == *name)?;
        let key = shared.binding.keys.get(index)?;
        let found = match (&key.member, shared.binding.manner) {
            (Some(member), _) => member.held(&self.object),
            (None, Manner::Dict) => self.object.cast::<PyDict>().ok()?.get_item(&key.exact),
            _ => return None,
        };
        let value = match found {
            Ok(Some(value)) => value,
            Ok(None) => return Some(Kept::Absent),
            Err(_) => return None,
        };
        Some(match Class::builtin(&value)? {
            Class::Float => Kept::Double(value.extract().ok()?),
            Class::Int => Kept::Int(value.extract().ok()?),
            Class::Text => Kept::Text(shared.context.text(value).ok()?),
            Class::Bool => Kept::Bool(value.extract().ok()?),
            _ => return None,
        })
    }
}

impl Source for Row<'_, '_> {
    #[inline]
    fn field(&self, index: usize, name: &str) -> Item<'_> {
        match self.value(index, name) {
            Some(Kept::Double(v)) => Item::Scalar(Scalar::Double(v)),
            Some(Kept::Int(v)) => Item::Scalar(Scalar::Int(v)),
            Some(Kept::Text(v)) => Item::Scalar(Scalar::Text(v.into())),
            Some(kept) => kept.item(),
            None => self.node().kept(index, name).item(),
        }
    }

    fn type_name(&self) -> Option<&str> {
        self.shared.binding.type_name.as_deref()
    }

    fn entries(&self) -> Option<Vec<(String, Item<'_>)>> {
        self.node().entries()
    }

    fn unknown_name(&self, _shape: &Shape) -> Option<String> {
        // Objects with such names do not come here.
        None
    }
}
