//! Python objects out of a message.
//!
//! [`Objects`] is the decoder's sink: one typed object a record, one allocation an array. Arrays
//! of numbers become NumPy arrays that take the decoder's memory over; arrays of flat records
//! become structured arrays in the same way, or lists of objects.
//!
//! A sink cannot refuse a value, so the first Python error is kept, the rest of the message is
//! ignored, and [`Objects::finish`] gives the error.

mod classes;
mod pause;
mod shared;
mod values;

use std::sync::Arc;

use castile_value::{ColumnBuf, DType, GraphSink, Packed, RowLayout, Rows, Scalar, Shape, Sink, Slot};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

use self::classes::Class;
pub(crate) use self::classes::{Classes, Form, RowsAs};
use self::pause::Pause;
use self::shared::Shared;
pub(crate) use self::values::{record_to_python, value_to_python};

/// Builds the typed object of one record and all in it.
pub(crate) struct Objects<'c, 'py> {
    py: Python<'py>,
    classes: &'c Classes,
    open: Vec<Open<'py>>,
    shared: Shared<'py>,
    /// The class that was used last.
    last: Option<Arc<Class>>,
    _pause: Pause,
    failure: Option<PyErr>,
}

/// A record, array or shared object being built.
struct Open<'py> {
    at: Slot,
    target: Target<'py>,
    /// The lists of its repeated fields, so far.
    lists: Vec<(u32, Bound<'py, PyList>)>,
    arrays: Vec<(u32, Array)>,
}

enum Target<'py> {
    Record(Arc<Class>, Bound<'py, PyAny>),
    /// What only SOAP encoding has.
    Shared(shared::Target<'py>),
}

enum Array {
    Column(ColumnBuf),
    Rows(Rows),
}

impl<'c, 'py> Objects<'c, 'py> {
    /// A sink for one record of this shape.
    pub(crate) fn new(py: Python<'py>, classes: &'c Classes, shape: &Arc<Shape>) -> Self {
        let mut sink = Objects {
            py,
            classes,
            open: Vec::new(),
            shared: Shared::default(),
            last: None,
            _pause: Pause::new(py),
            failure: None,
        };
        sink.open(
            Slot {
                field: 0,
                many: false,
            },
            shape,
        );
        sink
    }

    /// The object that was built.
    ///
    /// # Errors
    /// What went wrong in Python.
    pub(crate) fn finish(mut self) -> PyResult<Bound<'py, PyAny>> {
        if let Some(e) = self.failure {
            return Err(e);
        }
        let Some(mut root) = self.open.pop() else {
            return Err(pyo3::exceptions::PyRuntimeError::new_err("no record was decoded"));
        };
        root.store_arrays(self.py, self.classes)?;
        let object = root.into_value(self.py)?;
        self.shared.link()?;
        Ok(object)
    }

    fn class(&mut self, shape: &Arc<Shape>) -> PyResult<Arc<Class>> {
        match &self.last {
            Some(last) if last.is_of(shape) => Ok(last.clone()),
            _ => {
                let class = self.classes.of(self.py, shape)?;
                self.last = Some(class.clone());
                Ok(class)
            }
        }
    }

    fn begin(&mut self, at: Slot, target: Target<'py>) {
        self.open.push(Open {
            at,
            target,
            lists: Vec::new(),
            arrays: Vec::new(),
        });
    }

    fn keep(&mut self, result: PyResult<()>) {
        if let Err(e) = result
            && self.failure.is_none()
        {
            self.failure = Some(e);
        }
    }

    /// Runs one step on the innermost record unless something failed before.
    fn step(&mut self, run: impl FnOnce(&mut Open<'py>, &Classes, Python<'py>) -> PyResult<()>) {
        if self.failure.is_some() {
            return;
        }
        let Some(open) = self.open.last_mut() else { return };
        let result = run(open, self.classes, self.py);
        self.keep(result);
    }
}

impl<'py> Open<'py> {
    fn put(&mut self, classes: &Classes, at: Slot, value: Bound<'py, PyAny>) -> PyResult<()> {
        if !at.many {
            return self.set(at.field, value);
        }
        match self.lists.iter().rev().find(|(field, _)| *field == at.field) {
            Some((_, list)) => list.append(value),
            None => self.start_list(classes, at.field, value.py())?.append(value),
        }
    }

    /// The list of a field: the numbers met so far one by one, or a new one.
    fn start_list(&mut self, classes: &Classes, field: u32, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = match self.arrays.iter().position(|(f, _)| *f == field) {
            Some(at) => self.arrays.swap_remove(at).1.into_list(py, classes)?,
            None => PyList::empty(py),
        };
        self.set(field, list.clone().into_any())?;
        self.lists.push((field, list.clone()));
        Ok(list)
    }

    fn set(&mut self, field: u32, value: Bound<'py, PyAny>) -> PyResult<()> {
        match &mut self.target {
            Target::Record(class, object) => class.set(object, field, &value),
            Target::Shared(target) => {
                target.set(value);
                Ok(())
            }
        }
    }

    fn scalar(
        &self,
        py: Python<'py>,
        classes: &Classes,
        field: u32,
        value: Scalar<'_>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match &self.target {
            Target::Record(class, _) => class.scalar(py, classes, field, value),
            Target::Shared(target) => target.scalar(py, classes, value),
        }
    }

    fn into_value(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.target {
            Target::Record(_, object) => Ok(object),
            Target::Shared(target) => target.into_value(py),
        }
    }

    fn store_arrays(&mut self, py: Python<'py>, classes: &Classes) -> PyResult<()> {
        for (field, array) in std::mem::take(&mut self.arrays) {
            let value = array.into_python(py, classes)?;
            self.set(field, value)?;
        }
        Ok(())
    }

    /// The array of a field, made when there is none and no other values are there already.
    fn array(&mut self, field: u32, new: impl FnOnce() -> Array) -> Option<&mut Array> {
        let known = self.arrays.iter().position(|(f, _)| *f == field);
        if known.is_none() {
            if self.lists.iter().any(|(f, _)| *f == field) {
                return None;
            }
            self.arrays.push((field, new()));
        }
        let at = known.unwrap_or(self.arrays.len() - 1);
        self.arrays.get_mut(at).map(|(_, array)| array)
    }
}

impl Array {
    fn into_python<'py>(self, py: Python<'py>, classes: &Classes) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Array::Column(column) => values::array_to_python(py, classes, column),
            Array::Rows(rows) => values::rows_to_python(py, classes, rows),
        }
    }

    fn into_list<'py>(self, py: Python<'py>, classes: &Classes) -> PyResult<Bound<'py, PyList>> {
        match self {
            Array::Column(column) => {
                let array = values::column_to_python(py, column);
                Ok(array.call_method0("tolist")?.cast_into::<PyList>()?)
            }
            Array::Rows(rows) => values::rows_to_list(py, classes, &rows),
        }
    }
}

impl Sink for Objects<'_, '_> {
    fn scalar(&mut self, at: Slot, value: Scalar<'_>) {
        self.step(|open, classes, py| {
            let value = open.scalar(py, classes, at.field, value)?;
            open.put(classes, at, value)
        });
    }

    fn nil(&mut self, at: Slot) {
        self.step(|open, classes, py| open.put(classes, at, py.None().into_bound(py)));
    }

    fn xml(&mut self, at: Slot, text: String) {
        self.step(|open, classes, py| {
            let value = values::xml_to_python(py, classes, &text)?;
            open.put(classes, at, value)
        });
    }

    fn attribute(&mut self, at: Slot, name: String, value: &str) {
        self.step(|open, _, py| {
            let Target::Record(class, object) = &open.target else {
                return Ok(());
            };
            let held = class.dict_in(object, at.field)?;
            let dict = match held {
                Some(dict) => dict,
                None => {
                    let dict = PyDict::new(py);
                    open.set(at.field, dict.clone().into_any())?;
                    dict
                }
            };
            dict.set_item(name, value)
        });
    }

    fn open(&mut self, at: Slot, shape: &Arc<Shape>) {
        if self.failure.is_some() {
            return;
        }
        let made = self
            .class(shape)
            .and_then(|class| Ok((class.new_object(self.py)?, class)));
        match made {
            Ok((object, class)) => self.begin(at, Target::Record(class, object)),
            Err(e) => self.keep(Err(e)),
        }
    }

    fn close(&mut self) {
        if self.failure.is_some() || self.open.len() < 2 {
            return;
        }
        let Some(mut done) = self.open.pop() else { return };
        let stored = done.store_arrays(self.py, self.classes);
        self.keep(stored);
        let (at, number) = (done.at, done.number());
        match (done.into_value(self.py), number) {
            (Ok(value), Some(number)) => self.shared.define(number, value),
            (Ok(value), None) => self.step(|open, classes, _| open.put(classes, at, value)),
            (Err(e), _) => self.keep(Err(e)),
        }
    }

    fn record(&mut self, at: Slot, shape: &Arc<Shape>, values: &mut Vec<(u32, Scalar<'_>)>) {
        if self.failure.is_some() {
            return values.clear();
        }
        let (py, classes) = (self.py, self.classes);
        let made = self.class(shape).and_then(|class| {
            let object = class.new_object(py)?;
            for (field, value) in values.drain(..) {
                class.set(&object, field, &class.scalar(py, classes, field, value)?)?;
            }
            Ok(object)
        });
        values.clear();
        self.step(|open, classes, _| open.put(classes, at, made?));
    }

    fn packed(&mut self, at: Slot, packed: &Packed<'_>) {
        if self.failure.is_some() {
            return;
        }
        let (py, classes) = (self.py, self.classes);
        let class = self.class(packed.layout().shape());
        self.step(|open, _, _| {
            let class = class?;
            values::packed_to_objects(py, &class, packed)
                .try_for_each(|object| open.put(classes, at, object?))
        });
    }

    fn texts(&mut self, at: Slot, texts: &[&str]) {
        self.step(|open, classes, py| {
            let mut texts = texts.iter().map(|text| PyString::new(py, text).into_any());
            texts.try_for_each(|text| open.put(classes, at, text))
        });
    }

    fn column(&mut self, at: Slot, dtype: DType) -> Option<&mut ColumnBuf> {
        if self.failure.is_some() {
            return None;
        }
        match self
            .open
            .last_mut()?
            .array(at.field, || Array::Column(ColumnBuf::new(dtype)))?
        {
            Array::Column(column) if column.dtype() == dtype => Some(column),
            _ => None,
        }
    }

    fn rows(&mut self, at: Slot, layout: &Arc<RowLayout>) -> Option<&mut Rows> {
        if self.failure.is_some() {
            return None;
        }
        match self
            .open
            .last_mut()?
            .array(at.field, || Array::Rows(Rows::new(layout.clone())))?
        {
            Array::Rows(rows) if Arc::ptr_eq(rows.layout(), layout) => Some(rows),
            _ => None,
        }
    }

    fn graph(&mut self) -> Option<&mut dyn GraphSink> {
        Some(self)
    }
}
