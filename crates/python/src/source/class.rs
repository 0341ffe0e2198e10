//! What kind of value a Python class makes: found out once a class.

use numpy::PyUntypedArray;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDate, PyDateTime, PyDelta, PyDict, PyFloat, PyInt, PyList, PyMapping,
    PyMemoryView, PyString, PyTime, PyTuple, PyType,
};

use crate::temporal::{Moment, Span};

/// A kind of value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    Nil,
    ForcedNil,
    Skip,
    Bool,
    Int,
    Float,
    Text,
    Xml,
    Bytes,
    ByteArray,
    Memory,
    List,
    Record,
    Array,
    Masked,
    NumPyScalar,
    Enum,
    DateTime,
    Date,
    Time,
    Delta,
    Decimal,
    Moment,
    Span,
    QName,
    Frame,
    ArrayLike,
    Iterable,
    Element,
    StandIn,
    Tracked,
}

impl Class {
    /// Exact built-in classes; the order is by how often they come.
    pub(super) fn builtin(value: &Bound<'_, PyAny>) -> Option<Class> {
        Some(if value.is_exact_instance_of::<PyFloat>() {
            Class::Float
        } else if value.is_exact_instance_of::<PyInt>() {
            Class::Int
        } else if value.is_exact_instance_of::<PyString>() {
            Class::Text
        } else if value.is_none() {
            Class::Nil
        } else if value.is_exact_instance_of::<PyBool>() {
            Class::Bool
        } else if value.is_exact_instance_of::<PyList>() || value.is_exact_instance_of::<PyTuple>() {
            Class::List
        } else if value.is_exact_instance_of::<PyDict>() {
            Class::Record
        } else {
            return None;
        })
    }

    /// Everything else; worth remembering for the class.
    pub(super) fn other(value: &Bound<'_, PyAny>) -> PyResult<Class> {
        static MASKED: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        static ENUM: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        static SKIP: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        static NIL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        static XML: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        static QNAME: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        static RECORD: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        const RECORDS: &str = "castile._records";
        Ok(if is(value, &RECORD, RECORDS, "Record")? {
            Class::Record
        } else if value.cast::<PyUntypedArray>().is_ok() {
            if is(value, &MASKED, "numpy.ma", "MaskedArray")? {
                Class::Masked
            } else {
                Class::Array
            }
        } else if is(value, &ENUM, "enum", "Enum")? {
            Class::Enum
        } else if is(value, &SKIP, RECORDS, "Skip")? {
            Class::Skip
        } else if is(value, &NIL, RECORDS, "Nil")? {
            Class::ForcedNil
        } else if is(value, &XML, RECORDS, "XML")? {
            Class::Xml
        } else if is(value, &QNAME, RECORDS, "QName")? {
            Class::QName
        } else {
            Class::derived(value)?
        })
    }

    /// By the class of Python, its library or NumPy that the class derives from.
    fn derived(value: &Bound<'_, PyAny>) -> PyResult<Class> {
        static GENERIC: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        static DECIMAL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let ty = value.get_type();
        Ok(if value.is_instance_of::<PyFloat>() {
            Class::Float
        } else if value.is_instance_of::<PyInt>() {
            Class::Int
        } else if value.is_instance_of::<PyString>() {
            Class::Text
        } else if value.is_instance_of::<PyBytes>() {
            Class::Bytes
        } else if value.is_instance_of::<PyByteArray>() {
            Class::ByteArray
        } else if is(value, &GENERIC, "numpy", "generic")? {
            Class::NumPyScalar
        } else if value.is_instance_of::<PyDateTime>() {
            Class::DateTime
        } else if value.is_instance_of::<PyDate>() {
            Class::Date
        } else if value.is_instance_of::<PyTime>() {
            Class::Time
        } else if value.is_instance_of::<PyDelta>() {
            Class::Delta
        } else if is(value, &DECIMAL, "decimal", "Decimal")? {
            Class::Decimal
        } else if value.is_instance_of::<Moment>() {
            Class::Moment
        } else if value.is_instance_of::<Span>() {
            Class::Span
        } else if value.is_instance_of::<PyTuple>() && ty.hasattr("_fields")? {
            // A named tuple is a record.
            Class::Record
        } else if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
            Class::List
        } else {
            Class::protocol(value, &ty)?
        })
    }

    /// By what the class can do.
    fn protocol(value: &Bound<'_, PyAny>, ty: &Bound<'_, PyType>) -> PyResult<Class> {
        let name = ty.name()?.to_string();
        let module = ty.module()?.to_string();
        Ok(
            if module.starts_with("pandas") && (name == "NAType" || name == "NaTType") {
                Class::Nil
            } else if module == "castile._tracked" {
                Class::Tracked
            } else if ty.hasattr("__castile__")? {
                Class::StandIn
            } else if ty.hasattr("to_records")? {
                Class::Frame
            } else if (module.starts_with("lxml") || module.starts_with("xml.etree")) && ty.hasattr("iter")? {
                Class::Element
            } else if ty.hasattr("__array__")? || ty.hasattr("__array_interface__")? {
                Class::ArrayLike
            } else if value.is_instance_of::<PyMemoryView>() || (module == "array" && name == "array") {
                Class::Memory
            } else if is_mapping(value) || ty.hasattr("__dataclass_fields__")? {
                Class::Record
            } else if ty.hasattr("__iter__")? || ty.hasattr("__next__")? {
                Class::Iterable
            } else {
                Class::Record
            },
        )
    }
}

/// Whether it is of a class that some module has; the class is looked up once.
fn is(
    value: &Bound<'_, PyAny>,
    cell: &'static PyOnceLock<Py<PyType>>,
    module: &str,
    name: &str,
) -> PyResult<bool> {
    value.is_instance(cell.import(value.py(), module, name)?)
}

fn is_mapping(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyDict>() || value.cast::<PyMapping>().is_ok()
}
