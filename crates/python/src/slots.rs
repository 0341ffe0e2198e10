//! The slots of typed objects.

use pyo3::exceptions::PyAttributeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// The value in a slot of a typed object; `None` when the slot is empty. The class's own
/// `__getattr__`, which makes empty fields read as something, is passed by.
pub(crate) fn held<'py>(
    object: &Bound<'py, PyAny>,
    slot: &Bound<'py, PyString>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = object.py();
    // SAFETY: both are live objects of this interpreter, to which this thread is attached; the
    // function gives a new reference, or sets an error and gives null.
    let found = unsafe {
        let value = ffi::PyObject_GenericGetAttr(object.as_ptr(), slot.as_ptr());
        Bound::from_owned_ptr_or_err(py, value)
    };
    match found {
        Ok(value) => Ok(Some(value)),
        Err(e) if e.is_instance_of::<PyAttributeError>(py) => Ok(None),
        Err(e) => Err(e),
    }
}
