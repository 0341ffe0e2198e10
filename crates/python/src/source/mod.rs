//! Python objects as the source of a message.
//!
//! A [`Context`] lives as long as one encoding. It keeps every Python object that the encoder was
//! given a view of, so that memory borrowed from arrays, texts and bytes outlives the encoder's
//! use of it. A [`Node`] is a record over one Python object: its fields are looked up and
//! converted when the encoder asks, once each. A [`list::List`] is a list of any values.
//!
//! What cannot be converted is remembered in the context as the first error, with its path; the
//! encoder is told that the value is absent, and the caller raises the error instead of whatever
//! the encoder makes of that.

mod arguments;
mod array;
mod bind;
mod class;
mod convert;
mod derived;
mod group;
mod list;
mod map;
mod owned;
mod plain;
mod rows;
mod shared;
mod stream;
mod value;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use castile_plan::{ComplexId, Field, FieldKind, Types};
use castile_value::{Batches, Changes, Column, ColumnBuf, Item, Items, Rows, Scalar, Shape, Source, Table};
use foldhash::fast::FixedState;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyString};
use typed_arena::Arena;

pub(crate) use self::arguments::arguments;
use self::bind::{Binding, Manner};
use self::class::Class;
pub(crate) use self::owned::owned;
pub(crate) use self::value::value_from_python;
use crate::error;
use crate::slots::Member;

/// The entry of a dict that names its type.
const TYPE_KEY: &str = "@type";

type Map<K, V> = HashMap<K, V, FixedState>;

/// What one encoding borrows from Python.
pub(crate) struct Context<'a, 'py> {
    py: Python<'py>,
    types: &'a Types,
    /// Whether values are given in zeep's ways.
    zeep: bool,
    /// Whether iterators are streamed rather than read to their end at once.
    streams: bool,
    objects: Arena<Bound<'py, PyAny>>,
    nodes: Arena<Node<'a, 'py>>,
    lists: Arena<list::List<'a, 'py>>,
    shared: Arena<plain::Shared<'a, 'py>>,
    plains: Arena<plain::Plain<'a, 'py>>,
    plain_rows: Arena<plain::Row<'a, 'py>>,
    scalars: Arena<Scalar<'static>>,
    columns: Arena<Column<'a>>,
    changes: Arena<Arc<Changes>>,
    tables: Arena<Table<'a>>,
    buffers: Arena<ColumnBuf>,
    row_buffers: Arena<Rows>,
    bytes: Arena<Vec<u8>>,
    texts: Arena<String>,
    sizes: Arena<Vec<usize>>,
    cells: Arena<Cell<Option<Kept<'a>>>>,
    batches: Arena<stream::Batches<'a, 'py>>,
    bindings: Arena<Binding<'py>>,
    places: Arena<Place<'a>>,
    binding_of: RefCell<Map<(usize, u32), &'a Binding<'py>>>,
    last_binding: Cell<Option<(usize, u32, &'a Binding<'py>)>>,
    class_of: RefCell<Map<usize, Class>>,
    names: RefCell<Map<String, Bound<'py, PyString>>>,
    failure: RefCell<Option<PyErr>>,
    /// The objects that stand in several places, for SOAP encoding.
    identities: shared::Shared<'a, 'py>,
}

impl<'a, 'py> Context<'a, 'py> {
    /// A context for one encoding against a table of types.
    pub(crate) fn new(py: Python<'py>, types: &'a Types, zeep: bool) -> Self {
        Context {
            py,
            types,
            zeep,
            streams: false,
            objects: Arena::new(),
            nodes: Arena::new(),
            lists: Arena::new(),
            shared: Arena::new(),
            plains: Arena::new(),
            plain_rows: Arena::new(),
            scalars: Arena::new(),
            columns: Arena::new(),
            changes: Arena::new(),
            tables: Arena::new(),
            buffers: Arena::new(),
            row_buffers: Arena::new(),
            bytes: Arena::new(),
            texts: Arena::new(),
            sizes: Arena::new(),
            cells: Arena::new(),
            batches: Arena::new(),
            bindings: Arena::new(),
            places: Arena::new(),
            binding_of: RefCell::default(),
            last_binding: Cell::new(None),
            class_of: RefCell::default(),
            names: RefCell::default(),
            failure: RefCell::default(),
            identities: shared::Shared::default(),
        }
    }

    /// Has iterators streamed.
    pub(crate) fn streaming(mut self, streams: bool) -> Self {
        self.streams = streams;
        self
    }

    /// A record of type `complex` (as far as known) over a Python object: a dict or other
    /// mapping, a typed object, a dataclass, or anything with attributes.
    pub(crate) fn record(
        &'a self,
        object: Bound<'py, PyAny>,
        complex: Option<ComplexId>,
        label: &'a str,
    ) -> &'a dyn Source {
        self.node(
            object,
            complex,
            Place {
                parent: None,
                name: label,
                item: None,
            },
        )
    }

    /// What went wrong in Python while the encoder asked, if anything did.
    pub(crate) fn failure(&self) -> Option<PyErr> {
        self.failure.take()
    }

    fn node(
        &'a self,
        object: Bound<'py, PyAny>,
        complex: Option<ComplexId>,
        place: Place<'a>,
    ) -> &'a Node<'a, 'py> {
        let (complex, type_name) = self.said(&object, complex, &place);
        let binding = self.bind(&object, complex);
        let type_name = type_name.or(binding.type_name.as_deref());
        let empty = std::iter::repeat_with(|| Cell::new(None)).take(binding.keys.len());
        let cells: &'a [Cell<Option<Kept<'a>>>] = self.cells.alloc_extend(empty);
        let place = self.places.alloc(place);
        self.nodes.alloc(Node {
            context: self,
            object,
            binding,
            type_name,
            cells,
            place,
        })
    }

    /// The type that a dict says it is of, by its entry `@type`: the type's name, or its local
    /// name where that says enough.
    fn said(
        &'a self,
        object: &Bound<'py, PyAny>,
        declared: Option<ComplexId>,
        place: &Place<'a>,
    ) -> (Option<ComplexId>, Option<&'a str>) {
        let named = object
            .cast::<PyDict>()
            .ok()
            .and_then(|dict| dict.get_item(intern!(self.py, TYPE_KEY)).ok().flatten())
            .and_then(|name| name.extract::<String>().ok());
        let Some(name) = named else {
            return (declared, None);
        };
        let Some(id) = derived::find(self.types, declared, &name) else {
            self.fail(place, derived::none(self.types, declared, &name));
            return (declared, None);
        };
        let clark = match &self.types.complex(id).name {
            Some(name) => self.types.clark(name),
            None => self.types.complex(id).label.to_string(),
        };
        (Some(id), Some(self.texts.alloc(clark)))
    }

    fn bind(&'a self, object: &Bound<'py, PyAny>, complex: Option<ComplexId>) -> &'a Binding<'py> {
        let key = (
            object.get_type_ptr() as usize,
            complex.map_or(u32::MAX, |id| id.0),
        );
        if let Some((ty, id, binding)) = self.last_binding.get()
            && (ty, id) == key
        {
            return binding;
        }
        let known = self.binding_of.borrow().get(&key).copied();
        let binding = known.unwrap_or_else(|| {
            let new: &'a Binding<'py> = self.bindings.alloc(Binding::new(self, object, complex));
            self.binding_of.borrow_mut().insert(key, new);
            new
        });
        self.last_binding.set(Some((key.0, key.1, binding)));
        binding
    }

    /// Keeps an object as long as the encoding lasts.
    fn keep(&'a self, object: Bound<'py, PyAny>) -> &'a Bound<'py, PyAny> {
        self.objects.alloc(object)
    }

    fn scalar(&'a self, scalar: Scalar<'static>) -> Kept<'a> {
        Kept::Scalar(self.scalars.alloc(scalar))
    }

    /// A Python string of a name, made once.
    fn name(&self, name: &str) -> Bound<'py, PyString> {
        if let Some(known) = self.names.borrow().get(name) {
            return known.clone();
        }
        let new = PyString::intern(self.py, name);
        self.names.borrow_mut().insert(name.to_owned(), new.clone());
        new
    }

    #[cold]
    fn fail(&self, place: &Place<'a>, cause: PyErr) -> Kept<'a> {
        let mut failure = self.failure.borrow_mut();
        if failure.is_none() {
            *failure = Some(error::bad_value(self.py, &place.path(), cause));
        }
        Kept::Absent
    }
}

/// A converted value that stays put until the encoding is over.
#[derive(Clone, Copy)]
enum Kept<'a> {
    Absent,
    Nil,
    Bool(bool),
    Int(i64),
    UInt(u64),
    Double(f64),
    Text(&'a str),
    Bytes(&'a [u8]),
    Scalar(&'a Scalar<'static>),
    Column(&'a Column<'a>),
    Table(&'a Table<'a>),
    Record(&'a dyn Source),
    Items(&'a dyn Items),
    Stream(&'a dyn Batches),
    Xml(&'a str),
    Grid(&'a [usize], &'a Column<'a>),
    Ref(u32),
}

impl<'a> Kept<'a> {
    fn item(self) -> Item<'a> {
        match self {
            Kept::Absent => Item::Absent,
            Kept::Nil => Item::Nil,
            Kept::Bool(v) => Item::Scalar(Scalar::Bool(v)),
            Kept::Int(v) => Item::Scalar(Scalar::Int(v)),
            Kept::UInt(v) => Item::Scalar(Scalar::UInt(v)),
            Kept::Double(v) => Item::Scalar(Scalar::Double(v)),
            Kept::Text(v) => Item::Scalar(Scalar::Text(v.into())),
            Kept::Bytes(v) => Item::Scalar(Scalar::Bytes(v.into())),
            Kept::Scalar(v) => Item::Scalar(v.clone()),
            Kept::Column(v) => Item::Column(*v),
            Kept::Table(v) => Item::Table(v.clone()),
            Kept::Record(v) => Item::Record(v),
            Kept::Items(v) => Item::Items(v),
            Kept::Stream(v) => Item::Stream(v),
            Kept::Xml(v) => Item::Xml(v),
            Kept::Grid(sizes, v) => Item::Grid(sizes, Box::new(Item::Column(*v))),
            Kept::Ref(number) => Item::Ref(number),
        }
    }
}

/// Where a value stands, for error messages.
#[derive(Clone, Copy)]
struct Place<'a> {
    parent: Option<&'a Place<'a>>,
    name: &'a str,
    item: Option<u32>,
}

impl Place<'_> {
    fn path(&self) -> String {
        let mut path = self.parent.map_or(String::new(), Place::path);
        path.push('/');
        path.push_str(self.name);
        if let Some(item) = self.item {
            path.push_str(&format!("[{}]", item + 1));
        }
        path
    }
}

/// A record over one Python object.
struct Node<'a, 'py> {
    context: &'a Context<'a, 'py>,
    object: Bound<'py, PyAny>,
    binding: &'a Binding<'py>,
    /// What the object says its type is.
    type_name: Option<&'a str>,
    /// One a field of the type: what it was converted to.
    cells: &'a [Cell<Option<Kept<'a>>>],
    place: &'a Place<'a>,
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

    fn kept(&self, index: usize, name: &str) -> Kept<'a> {
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
