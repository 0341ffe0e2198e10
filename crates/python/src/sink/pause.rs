//! No search for cyclic garbage while a message's objects are made.

use pyo3::ffi;
use pyo3::prelude::*;

/// Decoding makes many objects and no garbage, so that a search among them finds nothing, many times
/// over. Dropping this lets Python search again, if it did before.
pub(super) struct Pause {
    resume: bool,
}

impl Pause {
    pub(super) fn new(_py: Python<'_>) -> Self {
        // SAFETY: this thread is attached to the interpreter; the function only sets a flag and
        // gives what it was.
        let resume = unsafe { ffi::PyGC_Disable() } == 1;
        Pause { resume }
    }
}

impl Drop for Pause {
    fn drop(&mut self) {
        if self.resume {
            // SAFETY: the owner holds a token of the interpreter, so this thread is attached; the
            // function only sets a flag.
            unsafe { ffi::PyGC_Enable() };
        }
    }
}
