//! Errors as Python exceptions: the one place where they are mapped.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};

/// An exception class of `castile._errors`.
fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyType>> {
    Ok(py
        .import("castile._errors")?
        .getattr(name)?
        .cast_into::<PyType>()?)
}

/// An exception of one of our classes, with attributes.
pub(crate) fn exception(
    py: Python<'_>,
    name: &str,
    message: &str,
    path: &str,
    place: Option<(u32, u32)>,
) -> PyErr {
    let build = || -> PyResult<PyErr> {
        let value = class(py, name)?.call1((message,))?;
        if !path.is_empty() {
            value.setattr("path", path)?;
        }
        if let Some((line, column)) = place {
            value.setattr("line", line)?;
            value.setattr("column", column)?;
        }
        Ok(PyErr::from_value(value))
    };
    build().unwrap_or_else(|e| e)
}

/// A value that could not be converted. Errors of the user's own code, such as a property that
/// raises, pass as they are.
pub(crate) fn bad_value(py: Python<'_>, path: &str, cause: PyErr) -> PyErr {
    use pyo3::exceptions::{PyOverflowError, PyUnicodeEncodeError, PyValueError};
    let ours = cause.is_instance_of::<PyValueError>(py)
        || cause.is_instance_of::<PyTypeError>(py)
        || cause.is_instance_of::<PyOverflowError>(py)
        || cause.is_instance_of::<PyUnicodeEncodeError>(py);
    if !ours {
        return cause;
    }
    let error = exception(
        py,
        "BadValue",
        &format!("{}, at {path}", cause.value(py)),
        path,
        None,
    );
    error.set_cause(py, Some(cause));
    error
}

/// Says of which reply an exception is.
fn about(error: &PyErr, py: Python<'_>, status: u16, reply: &[u8]) -> PyResult<()> {
    let value = error.value(py);
    value.setattr("status", status)?;
    if !reply.is_empty() {
        value.setattr("reply", PyBytes::new(py, reply))?;
    }
    Ok(())
}

pub(crate) fn key_is_no_name() -> PyErr {
    PyTypeError::new_err("the keys of a dict that stands for a record are the names of its fields")
}

/// An error of the endpoint as an exception.
pub(crate) fn endpoint(py: Python<'_>, e: &castile_endpoint::Error) -> PyErr {
    use castile_endpoint::Kind;
    let name = match e.kind() {
        Kind::Contract | Kind::Unsupported => "ContractError",
        Kind::NoSuchOperation => "NoSuchOperation",
        Kind::Value => "BadValue",
        Kind::Peer => "BadPeer",
        Kind::Limit => "LimitError",
        Kind::Timeout => "Timeout",
        Kind::Security => "SecurityError",
        Kind::Transport => "TransportError",
        _ => "Error",
    };
    let (path, place) = e
        .codec()
        .map_or((String::new(), None), |c| (c.path(), c.line_column()));
    let error = exception(py, name, &e.to_string(), &path, place);
    match e.status().map(|status| about(&error, py, status, e.reply())) {
        Some(Err(other)) => other,
        _ => error,
    }
}
