//! The slots of typed objects, read and written without looking names up.

use std::ffi::c_void;

use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;

/// One slot of a class: the descriptor that Python made for it, and that descriptor's two functions.
pub(crate) struct Member {
    descriptor: Py<PyAny>,
    get: ffi::descrgetfunc,
    set: ffi::descrsetfunc,
}

impl Member {
    /// The slot `name` of a class that declares it in `__slots__`, itself or in a base.
    ///
    /// # Errors
    /// The class has no such slot.
    pub(crate) fn new(class: &Bound<'_, PyType>, name: &str) -> PyResult<Self> {
        let descriptor = class.getattr(name)?;
        let kind = descriptor.get_type_ptr();
        if kind != std::ptr::addr_of_mut!(ffi::PyMemberDescr_Type) {
            return Err(PyTypeError::new_err(format!("{name:?} is no slot of {class}")));
        }
        // SAFETY: `kind` is the class of member descriptors, whose slots of these two numbers hold
        // null or functions of these two types.
        let functions = unsafe {
            let get = ffi::PyType_GetSlot(kind, ffi::Py_tp_descr_get);
            let set = ffi::PyType_GetSlot(kind, ffi::Py_tp_descr_set);
            (
                std::mem::transmute::<*mut c_void, Option<ffi::descrgetfunc>>(get),
                std::mem::transmute::<*mut c_void, Option<ffi::descrsetfunc>>(set),
            )
        };
        let (Some(get), Some(set)) = functions else {
            return Err(PyTypeError::new_err("member descriptors cannot be called"));
        };
        Ok(Member {
            descriptor: descriptor.unbind(),
            get,
            set,
        })
    }

    /// The value in the slot; `None` when it is empty. The class's own `__getattr__`, which makes
    /// empty fields read as something, is passed by.
    #[inline]
    pub(crate) fn held<'py>(&self, object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = object.py();
        // SAFETY: descriptor and object are alive, and this thread is attached; the function, which
        // itself checks that the object is of the descriptor's class, gives a new reference, or sets
        // an error and gives null.
        let found = unsafe {
            let class = object.get_type_ptr().cast();
            let value = (self.get)(self.descriptor.as_ptr(), object.as_ptr(), class);
            Bound::from_owned_ptr_or_err(py, value)
        };
        match found {
            Ok(value) => Ok(Some(value)),
            Err(e) if e.is_instance_of::<PyAttributeError>(py) => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// Puts a value into the slot.
    #[inline]
    pub(crate) fn put<'py>(&self, object: &Bound<'py, PyAny>, value: &Bound<'py, PyAny>) -> PyResult<()> {
        // SAFETY: as in `held`; the function takes its own reference to the value, and gives 0, or
        // sets an error and gives -1.
        let result = unsafe { (self.set)(self.descriptor.as_ptr(), object.as_ptr(), value.as_ptr()) };
        match result {
            0 => Ok(()),
            _ => Err(PyErr::fetch(object.py())),
        }
    }
}
