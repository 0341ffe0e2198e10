//! Single values, arrays and rows as Python objects.

use std::sync::Arc;

use castile_value::{Column, ColumnBuf, Decimal, Packed, Record, RowField, Rows, Scalar, Value, deep};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyType};

use super::classes::Class;
use super::{Array, Classes, RowsAs};
use crate::temporal::{moment_to_python, span_to_python};

impl Class {
    /// A value of one of the class's fields.
    #[inline]
    pub(super) fn scalar<'py>(
        &self,
        py: Python<'py>,
        classes: &Classes,
        field: u32,
        value: Scalar<'_>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match value {
            Scalar::Numbers(column) => array_to_python(py, classes, column),
            Scalar::Decimal(v) if self.is_integer(field) => integer_to_python(py, &v),
            Scalar::List(items) if self.is_integer(field) => {
                let list = PyList::empty(py);
                for item in items {
                    list.append(match item {
                        Scalar::Decimal(v) => integer_to_python(py, &v)?,
                        item => scalar_to_python(py, item)?,
                    })?;
                }
                Ok(list.into_any())
            }
            value => scalar_to_python(py, value),
        }
    }
}

/// One value of a simple type.
pub(crate) fn scalar_to_python<'py>(py: Python<'py>, value: Scalar<'_>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Scalar::Bool(v) => PyBool::new(py, v).to_owned().into_any(),
        Scalar::Int(v) => PyInt::new(py, v).into_any(),
        Scalar::UInt(v) => PyInt::new(py, v).into_any(),
        Scalar::Float(v) => PyFloat::new(py, v.into()).into_any(),
        Scalar::Double(v) => PyFloat::new(py, v).into_any(),
        Scalar::Text(v) => PyString::new(py, &v).into_any(),
        Scalar::Bytes(v) => PyBytes::new(py, &v).into_any(),
        Scalar::Decimal(v) => decimal_to_python(py, &v)?,
        Scalar::DateTime(v) => moment_to_python(py, &v)?,
        Scalar::Duration(v) => span_to_python(py, &v)?,
        Scalar::QName(v) => {
            static QNAME: PyOnceLock<Py<PyType>> = PyOnceLock::new();
            QNAME
                .import(py, "castile._records", "QName")?
                .call1((v.namespace, v.local))?
        }
        Scalar::List(items) => {
            let list = PyList::empty(py);
            for item in items {
                list.append(scalar_to_python(py, item)?)?;
            }
            list.into_any()
        }
        Scalar::Numbers(column) => column_to_python(py, column),
    })
}

fn decimal_to_python<'py>(py: Python<'py>, v: &Decimal) -> PyResult<Bound<'py, PyAny>> {
    static DECIMAL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    DECIMAL.import(py, "decimal", "Decimal")?.call1((v.as_str(),))
}

/// An integer of any length that Python reads: it has a limit on digits, since its way takes time by
/// their square.
///
/// # Errors
/// `LimitError`.
pub(super) fn integer_to_python<'py>(py: Python<'py>, v: &Decimal) -> PyResult<Bound<'py, PyAny>> {
    let made = py.get_type::<PyInt>().call1((v.as_str(),));
    made.map_err(|e| crate::error::exception(py, "LimitError", &e.value(py).to_string(), "", None))
}

/// An element kept as XML.
pub(super) fn xml_to_python<'py>(
    py: Python<'py>,
    classes: &Classes,
    text: &str,
) -> PyResult<Bound<'py, PyAny>> {
    if classes.form.zeep {
        return py
            .import("castile.zeep._values")?
            .call_method1("element", (text,));
    }
    static XML: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    XML.import(py, "castile._records", "XML")?.call1((text,))
}

/// An array of numbers, or a list of them.
pub(super) fn array_to_python<'py>(
    py: Python<'py>,
    classes: &Classes,
    column: ColumnBuf,
) -> PyResult<Bound<'py, PyAny>> {
    let array = column_to_python(py, column);
    match classes.form.lists {
        true => array.call_method0("tolist"),
        false => Ok(array),
    }
}

/// An array that takes the decoder's memory over.
pub(super) fn column_to_python(py: Python<'_>, column: ColumnBuf) -> Bound<'_, PyAny> {
    match column {
        ColumnBuf::Bool(v) => PyArray1::from_vec(py, v).into_any(),
        ColumnBuf::I8(v) => PyArray1::from_vec(py, v).into_any(),
        ColumnBuf::U8(v) => PyArray1::from_vec(py, v).into_any(),
        ColumnBuf::I16(v) => PyArray1::from_vec(py, v).into_any(),
        ColumnBuf::U16(v) => PyArray1::from_vec(py, v).into_any(),
        ColumnBuf::I32(v) => PyArray1::from_vec(py, v).into_any(),
        ColumnBuf::U32(v) => PyArray1::from_vec(py, v).into_any(),
        ColumnBuf::I64(v) => PyArray1::from_vec(py, v).into_any(),
        ColumnBuf::U64(v) => PyArray1::from_vec(py, v).into_any(),
        ColumnBuf::F32(v) => PyArray1::from_vec(py, v).into_any(),
        ColumnBuf::F64(v) => PyArray1::from_vec(py, v).into_any(),
    }
}

/// The values of an array of several dimensions as an array of this shape, or as lists in lists.
pub(super) fn grid_to_python<'py>(values: Bound<'py, PyAny>, sizes: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    let shape = pyo3::types::PyTuple::new(values.py(), sizes)?;
    match values.cast::<PyList>() {
        Err(_) => values.call_method1("reshape", (shape,)),
        Ok(list) => Ok(lists(list, sizes)?.into_any()),
    }
}

fn lists<'py>(values: &Bound<'py, PyList>, sizes: &[usize]) -> PyResult<Bound<'py, PyList>> {
    let [size, inner @ ..] = sizes else {
        return Ok(values.clone());
    };
    let block: usize = inner.iter().product();
    if inner.is_empty() {
        return Ok(values.clone());
    }
    let list = PyList::empty(values.py());
    for i in 0..*size {
        list.append(lists(&values.get_slice(i * block, (i + 1) * block), inner)?)?;
    }
    Ok(list)
}

/// Rows as a structured array over the decoder's memory, or as a list of objects.
pub(super) fn rows_to_python<'py>(
    py: Python<'py>,
    classes: &Classes,
    rows: Rows,
) -> PyResult<Bound<'py, PyAny>> {
    if classes.form.rows == RowsAs::Objects {
        return Ok(rows_to_list(py, classes, &rows)?.into_any());
    }
    static RECARRAY: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let dtype = classes.dtype(py, rows.layout())?;
    let bytes = PyArray1::from_vec(py, rows.into_data());
    bytes.call_method1("view", (dtype, RECARRAY.import(py, "numpy", "recarray")?))
}

/// Rows as a list of objects.
pub(super) fn rows_to_list<'py>(
    py: Python<'py>,
    classes: &Classes,
    rows: &Rows,
) -> PyResult<Bound<'py, PyList>> {
    let class = classes.of(py, rows.layout().shape())?;
    let table = rows.view();
    let columns = table.columns().iter().map(|(_, column)| *column);
    let columns: Vec<(u32, Column<'_>)> = (0..).zip(columns).collect();
    let list = PyList::empty(py);
    for i in 0..rows.len() {
        list.append(flat_object(py, &class, &columns, i)?)?;
    }
    Ok(list)
}

/// Records of numbers and texts as objects of their class.
pub(super) fn packed_to_objects<'p, 'py>(
    py: Python<'py>,
    class: &'p Class,
    packed: &'p Packed<'_>,
) -> impl Iterator<Item = PyResult<Bound<'py, PyAny>>> {
    let layout = packed.layout();
    let column = |(k, field): (usize, &RowField)| Some((field.index as u32, packed.column(k)?));
    let columns: Vec<(u32, Column<'_>)> = layout.fields().iter().enumerate().filter_map(column).collect();
    packed.rows().enumerate().map(move |(i, (_, texts))| {
        let object = flat_object(py, class, &columns, i)?;
        for (&field, text) in layout.texts().iter().zip(texts) {
            class.set(&object, field as u32, &PyString::new(py, text).into_any())?;
        }
        Ok(object)
    })
}

/// An object of the numbers in row `i` of columns, each with its field.
fn flat_object<'py>(
    py: Python<'py>,
    class: &Class,
    columns: &[(u32, Column<'_>)],
    i: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let object = class.new_object(py)?;
    for (field, column) in columns {
        class.set(&object, *field, &number(py, column, i))?;
    }
    Ok(object)
}

fn number<'py>(py: Python<'py>, column: &Column<'_>, i: usize) -> Bound<'py, PyAny> {
    match column.get(i) {
        Some(Scalar::Bool(v)) => PyBool::new(py, v).to_owned().into_any(),
        Some(Scalar::Int(v)) => PyInt::new(py, v).into_any(),
        Some(Scalar::UInt(v)) => PyInt::new(py, v).into_any(),
        Some(Scalar::Float(v)) => PyFloat::new(py, v.into()).into_any(),
        Some(Scalar::Double(v)) => PyFloat::new(py, v).into_any(),
        _ => py.None().into_bound(py),
    }
}

/// A dynamic value, as it comes in fault details.
pub(crate) fn value_to_python<'py>(
    py: Python<'py>,
    classes: &Classes,
    value: Value,
) -> PyResult<Bound<'py, PyAny>> {
    let none = || py.None().into_bound(py);
    Ok(match value {
        Value::Absent | Value::Nil => none(),
        Value::Bool(v) => scalar_to_python(py, Scalar::Bool(v))?,
        Value::Int(v) => scalar_to_python(py, Scalar::Int(v))?,
        Value::UInt(v) => scalar_to_python(py, Scalar::UInt(v))?,
        Value::Float(v) => scalar_to_python(py, Scalar::Float(v))?,
        Value::Double(v) => scalar_to_python(py, Scalar::Double(v))?,
        Value::Decimal(v) => scalar_to_python(py, Scalar::Decimal(v))?,
        Value::Text(v) => PyString::new(py, &v).into_any(),
        Value::Bytes(v) => PyBytes::new(py, &v).into_any(),
        Value::DateTime(v) => moment_to_python(py, &v)?,
        Value::Duration(v) => span_to_python(py, &v)?,
        Value::QName(v) => scalar_to_python(py, Scalar::QName(*v))?,
        Value::List(values) => {
            let list = PyList::empty(py);
            for value in values {
                list.append(value_to_python(py, classes, value)?)?;
            }
            list.into_any()
        }
        Value::Column(column) => array_to_python(py, classes, column)?,
        Value::Tracked(array) => array_to_python(py, classes, array.into_values())?,
        Value::Rows(rows) => Array::Rows(*rows).into_python(py, classes)?,
        Value::Grid(grid) => {
            let (sizes, values) = grid.into_parts();
            grid_to_python(value_to_python(py, classes, values)?, &sizes)?
        }
        // A detail stands alone: nobody has the object.
        Value::Ref(_) => none(),
        Value::Record(record) => deep(|| record_to_python(py, classes, record))?,
        Value::Map(fields) => {
            let dict = PyDict::new(py);
            for (name, value) in fields {
                dict.set_item(name, value_to_python(py, classes, value)?)?;
            }
            dict.into_any()
        }
        Value::Xml(text) => xml_to_python(py, classes, &text)?,
        Value::Shared(value) => value_to_python(py, classes, Arc::unwrap_or_clone(value))?,
    })
}

/// A record as a typed object.
pub(crate) fn record_to_python<'py>(
    py: Python<'py>,
    classes: &Classes,
    record: Record,
) -> PyResult<Bound<'py, PyAny>> {
    let class = classes.of(py, record.shape())?;
    let object = class.new_object(py)?;
    for (field, value) in (0u32..).zip(record.into_values()) {
        let value = match value {
            Value::Absent => continue,
            Value::Decimal(v) if class.is_integer(field) => integer_to_python(py, &v)?,
            Value::List(values) if class.is_integer(field) => {
                let list = PyList::empty(py);
                for value in values {
                    list.append(match value {
                        Value::Decimal(v) => integer_to_python(py, &v)?,
                        other => value_to_python(py, classes, other)?,
                    })?;
                }
                list.into_any()
            }
            value => value_to_python(py, classes, value)?,
        };
        class.set(&object, field, &value)?;
    }
    Ok(object)
}
