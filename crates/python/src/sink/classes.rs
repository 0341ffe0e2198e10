//! The Python classes of a contract's complex types, made when they are first met.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use castile_plan::{Builtin, Complex, ComplexId, Field, FieldKind, SimpleId, TypeId, Types, Variety};
use castile_value::{RowLayout, Shape};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple, PyType};

use crate::schema::{role, zeep_keys};
use crate::slots::Member;

/// How deep arrays may lie in records, for [`Classes::is_arrays`].
const ARRAYS_DEPTH_MAX: u32 = 4;

/// How deep lists and unions may lie in simple types, for [`Classes::holds_integers`].
const MEMBERS_DEPTH_MAX: u32 = 16;

/// What an array of flat records becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RowsAs {
    /// A structured NumPy array.
    NumPy,
    /// A list of typed objects.
    Objects,
}

/// What values become in Python.
#[derive(Clone, Copy)]
pub(crate) struct Form {
    /// Arrays of flat records.
    pub(crate) rows: RowsAs,
    /// Whether arrays of numbers become lists.
    pub(crate) lists: bool,
    /// Whether objects are like zeep's.
    pub(crate) zeep: bool,
}

/// All classes of one contract.
pub(crate) struct Classes {
    types: Arc<Types>,
    pub(crate) form: Form,
    /// What gives the class of a type, by the arguments of `record_class`, where that does not.
    makes: Option<Py<PyAny>>,
    /// The types of repeated groups.
    groups: HashSet<ComplexId>,
    /// The types of the contract's shapes, by the shapes' addresses: the table holds the shapes.
    ids: HashMap<usize, ComplexId>,
    known: Mutex<HashMap<usize, Arc<Class>>>,
    dtypes: Mutex<HashMap<usize, Py<PyAny>>>,
}

/// The class of one type.
pub(crate) struct Class {
    python: Py<PyType>,
    slots: Vec<Member>,
    /// Fields of integers, or of lists of them: each is an `int` however long it is.
    integers: Vec<bool>,
    shape: Arc<Shape>,
}

impl Classes {
    /// No class is made yet.
    pub(crate) fn new(types: Arc<Types>, form: Form, makes: Option<Py<PyAny>>) -> Self {
        let all = (0..types.complex.len() as u32).map(ComplexId);
        let ids = all
            .map(|id| (Arc::as_ptr(types.shape(id)) as usize, id))
            .collect();
        Classes {
            groups: groups(&types),
            types,
            form,
            makes,
            ids,
            known: Mutex::default(),
            dtypes: Mutex::default(),
        }
    }

    /// The contract's types.
    pub(crate) fn types(&self) -> &Arc<Types> {
        &self.types
    }

    /// The class of a shape.
    pub(crate) fn of(&self, py: Python<'_>, shape: &Arc<Shape>) -> PyResult<Arc<Class>> {
        let key = Arc::as_ptr(shape) as usize;
        if let Some(class) = self
            .known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&key)
        {
            return Ok(class.clone());
        }
        let class = Arc::new(self.make(py, shape)?);
        self.known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(key, class.clone());
        Ok(class)
    }

    /// The class of a complex type, as Python sees it.
    pub(crate) fn python<'py>(&self, py: Python<'py>, id: ComplexId) -> PyResult<Bound<'py, PyType>> {
        Ok(self.of(py, self.types.shape(id))?.python.bind(py).clone())
    }

    /// The dtype of packed rows.
    pub(crate) fn dtype<'py>(&self, py: Python<'py>, layout: &Arc<RowLayout>) -> PyResult<Bound<'py, PyAny>> {
        let key = Arc::as_ptr(layout) as usize;
        if let Some(dtype) = self
            .dtypes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&key)
        {
            return Ok(dtype.bind(py).clone());
        }
        let fields = row_kind(py, layout)?;
        let fields = PyList::new(py, fields.iter())?;
        let dtype = py.import("numpy")?.call_method1("dtype", (fields,))?;
        // Only the contract's own layouts live as long as this table.
        if self.ids.contains_key(&(Arc::as_ptr(layout.shape()) as usize)) {
            self.dtypes
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(key, dtype.clone().unbind());
        }
        Ok(dtype)
    }

    /// Whether values of a type are mostly arrays: reading them needs the interpreter for little, so
    /// that its lock is better let go of meanwhile. Objects are better made as they are read.
    pub(crate) fn is_arrays(&self, id: ComplexId) -> bool {
        self.is_arrays_to(id, ARRAYS_DEPTH_MAX)
    }

    fn is_arrays_to(&self, id: ComplexId, depth: u32) -> bool {
        self.types.complex(id).fields.iter().all(|field| match field.ty {
            TypeId::Simple(_) if !field.many => true,
            TypeId::Simple(id) => self.types.dtype(id).is_some() && !self.form.lists,
            TypeId::Complex(id) if field.many => {
                self.types.row_layout(id).is_some() && self.form.rows == RowsAs::NumPy
            }
            TypeId::Complex(id) => depth > 0 && self.is_arrays_to(id, depth - 1),
            _ => false,
        })
    }

    fn make(&self, py: Python<'_>, shape: &Arc<Shape>) -> PyResult<Class> {
        let id = self.ids.get(&(Arc::as_ptr(shape) as usize)).copied();
        let complex = id.map(|id| self.types.complex(id));
        let fields = complex.map_or(&[][..], |c| &c.fields[..]);
        let names: Vec<&str> = shape.fields().collect();
        let mut kinds = Vec::with_capacity(names.len());
        for i in 0..names.len() {
            kinds.push(self.kind(py, fields.get(i))?);
        }
        let is_array = matches!(fields, [f] if f.many && f.kind == FieldKind::Element);
        let doc = complex.map(|c| self.doc(py, shape.name(), c)).transpose()?;
        let count = names.len();
        let (names, kinds) = (PyTuple::new(py, &names)?, PyTuple::new(py, kinds)?);
        let made = if self.form.zeep {
            let roles: Vec<&str> = fields.iter().map(|f| role(&f.kind)).collect();
            let (roles, keys) = (PyTuple::new(py, roles)?, PyTuple::new(py, zeep_keys(fields))?);
            let is_group = id.is_some_and(|id| self.groups.contains(&id));
            let args = (shape.name(), names, kinds, roles, keys, is_group, doc);
            py.import("castile.zeep._values")?
                .call_method1("compound_class", args)?
        } else {
            let members = complex.map_or_else(Vec::new, |c| self.members(c));
            let args = (shape.name(), names, kinds, is_array, doc, members);
            match &self.makes {
                Some(makes) => makes.bind(py).call1(args)?,
                None => py
                    .import("castile._records")?
                    .call_method1("record_class", args)?,
            }
        };
        let python = made.cast_into::<PyType>()?;
        let attrs: Vec<String> = python.getattr("_castile_attrs")?.extract()?;
        let slots = attrs
            .iter()
            .map(|attr| Member::new(&python, attr))
            .collect::<PyResult<_>>()?;
        let integers = (0..count)
            .map(|i| fields.get(i).is_some_and(|f| self.is_integer(f)))
            .collect();
        Ok(Class {
            python: python.unbind(),
            slots,
            integers,
            shape: shape.clone(),
        })
    }

    /// The elements that stand in exactly one repeated group and nowhere else, each with the group.
    fn members<'c>(&'c self, complex: &'c Complex) -> Vec<(&'c str, &'c str)> {
        let mut members: Vec<(&str, &str)> = Vec::new();
        for (group, inside) in self.groups(complex) {
            members.extend(inside.fields.iter().map(|field| (&*field.name, group)));
        }
        let own = |name: &str| complex.fields.iter().any(|f| *f.name == *name);
        let times = |name: &str| members.iter().filter(|(member, _)| *member == name).count();
        let mut once: Vec<_> = members.clone();
        once.retain(|(name, _)| times(name) == 1 && !own(name));
        once
    }

    fn groups<'c>(&'c self, complex: &'c Complex) -> impl Iterator<Item = (&'c str, &'c Complex)> {
        complex.fields.iter().filter_map(|f| match (&f.kind, f.ty) {
            (FieldKind::Group, TypeId::Complex(id)) => Some((&*f.name, self.types.complex(id))),
            _ => None,
        })
    }

    /// The help of a type's class: its documentation and fields, called as in Python.
    fn doc(&self, py: Python<'_>, name: &str, complex: &Complex) -> PyResult<String> {
        let head = complex.doc.as_deref();
        let mut text = head.map_or_else(|| format!("A value of {name}."), str::to_owned);
        if complex.fields.is_empty() {
            return Ok(text);
        }
        let names = PyTuple::new(py, complex.fields.iter().map(|field| &*field.name))?;
        let attrs = py
            .import("castile._names")?
            .call_method1("attribute_names", (names,))?
            .extract::<Vec<String>>()?;
        text.push_str("\n\nFields:");
        for (attr, field) in attrs.iter().zip(&complex.fields) {
            text.push_str(&format!("\n    {attr}: {}", self.words(field)));
            if let Some(doc) = &field.doc {
                text.push_str(&format!(". {doc}"));
            }
        }
        Ok(text)
    }

    /// What a field holds, in words.
    fn words(&self, field: &Field) -> String {
        let mut words = match (&field.kind, field.ty) {
            (FieldKind::Group, TypeId::Complex(id)) => {
                let members = self.types.complex(id).fields.iter().map(|f| &*f.name);
                let members = members.collect::<Vec<_>>().join(", ");
                return match field.many {
                    true => format!("a list of records of {members}"),
                    false => format!("a record of {members}"),
                };
            }
            (FieldKind::Any(_), _) => "any element".to_owned(),
            (FieldKind::AnyAttribute(_), _) => return "a dict of any attributes".to_owned(),
            _ => self.types.type_label(field.ty),
        };
        if field.kind == FieldKind::Attribute {
            words.push_str(", attribute");
        }
        if field.many {
            words.push_str(", any number");
        } else if !field.required {
            words.push_str(", optional");
        }
        if field.nillable {
            words.push_str(", may be nil");
        }
        words
    }

    /// What the Python side calls a kind: what the field holds when nothing came.
    fn kind<'py>(&self, py: Python<'py>, field: Option<&Field>) -> PyResult<Bound<'py, PyAny>> {
        let text = |text: &str| PyString::new(py, text).into_any();
        let Some(field) = field.filter(|f| f.many) else {
            return Ok(text(""));
        };
        if self.form.lists && matches!(field.ty, TypeId::Simple(_)) {
            return Ok(text("list"));
        }
        match field.ty {
            TypeId::Simple(id) => match self.types.simple(id).variety {
                Variety::Atomic(builtin) => Ok(text(builtin.dtype().map_or("list", |d| d.name()))),
                _ => Ok(text("list")),
            },
            TypeId::Complex(id) => match self
                .types
                .row_layout(id)
                .filter(|_| self.form.rows == RowsAs::NumPy)
            {
                Some(layout) => Ok(row_kind(py, layout)?.into_any()),
                None => Ok(text("list")),
            },
            _ => Ok(text("list")),
        }
    }

    fn is_integer(&self, field: &Field) -> bool {
        matches!(field.ty, TypeId::Simple(id) if self.holds_integers(id, MEMBERS_DEPTH_MAX))
    }

    /// Whether a number too long for a machine's is an integer: also in a list, or of a union that has no
    /// decimals beside integers.
    fn holds_integers(&self, id: SimpleId, depth: u32) -> bool {
        match &self.types.simple(id).variety {
            Variety::Atomic(builtin) => builtin.is_integer(),
            _ if depth == 0 => false,
            Variety::List(item) => self.holds_integers(*item, depth - 1),
            Variety::Union(members) => {
                let decimal = |id: &SimpleId| {
                    matches!(self.types.simple(*id).variety, Variety::Atomic(Builtin::Decimal))
                };
                !members.iter().any(decimal)
                    && members
                        .iter()
                        .any(|&member| self.holds_integers(member, depth - 1))
            }
        }
    }
}

fn groups(types: &Types) -> HashSet<ComplexId> {
    let fields = types.complex.iter().flat_map(|c| &c.fields);
    fields
        .filter_map(|f| match (&f.kind, f.ty) {
            (FieldKind::Group, TypeId::Complex(id)) => Some(id),
            _ => None,
        })
        .collect()
}

/// Pairs of name and dtype, as NumPy takes them.
fn row_kind<'py>(py: Python<'py>, layout: &RowLayout) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(py, layout.fields().iter().map(|f| (&*f.name, f.dtype.name())))
}

impl Class {
    /// An object with empty slots.
    pub(super) fn new_object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let ty = self.python.bind(py);
        // SAFETY: `ty` is a live heap type whose base is `object`, so the generic `tp_new` makes a
        // complete object of it: all its slots are empty. `__init__` would only fill them.
        unsafe {
            let object = ffi::PyType_GenericNew(ty.as_type_ptr(), std::ptr::null_mut(), std::ptr::null_mut());
            Bound::from_owned_ptr_or_err(py, object)
        }
    }

    /// Whether it is the class of this very shape.
    pub(super) fn is_of(&self, shape: &Arc<Shape>) -> bool {
        Arc::ptr_eq(&self.shape, shape)
    }

    /// Puts a value into a field of an object of the class.
    #[inline]
    pub(super) fn set<'py>(
        &self,
        object: &Bound<'py, PyAny>,
        field: u32,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<()> {
        match self.slots.get(field as usize) {
            Some(slot) => slot.put(object, value),
            None => Ok(()),
        }
    }

    pub(super) fn is_integer(&self, field: u32) -> bool {
        self.integers.get(field as usize).copied().unwrap_or(false)
    }

    /// The dict that a slot holds.
    pub(super) fn dict_in<'py>(
        &self,
        object: &Bound<'py, PyAny>,
        field: u32,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let held = match self.slots.get(field as usize) {
            Some(slot) => slot.held(object)?,
            None => None,
        };
        Ok(held.and_then(|held| held.cast_into::<PyDict>().ok()))
    }
}
