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
mod node;
mod owned;
mod plain;
mod rows;
mod shared;
mod stream;
mod value;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use castile_plan::{ComplexId, Types};
use castile_value::{Batches, Changes, Column, ColumnBuf, Item, Items, Rows, Scalar, Source, Table};
use foldhash::fast::FixedState;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use typed_arena::Arena;

pub(crate) use self::arguments::arguments;
use self::bind::Binding;
use self::class::Class;
use self::node::Node;
pub(crate) use self::owned::owned;
pub(crate) use self::value::value_from_python;
use crate::error;

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
