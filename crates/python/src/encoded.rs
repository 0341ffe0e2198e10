//! What `encode` gave last: [`Encoded`].

use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The envelope that each operation's `encode` gave last, to be given again when nothing changed.
#[derive(Default)]
pub(crate) struct Encoded {
    by_operation: HashMap<String, (u64, Py<PyBytes>, usize)>,
    /// Bytes of all.
    pub(crate) bytes: usize,
}

impl Encoded {
    /// The envelope of this number, if it was the last. Zero is no number.
    pub(crate) fn find<'py>(
        &self,
        py: Python<'py>,
        operation: &str,
        message: u64,
    ) -> Option<Bound<'py, PyBytes>> {
        let (number, bytes, _) = self.by_operation.get(operation)?;
        (*number == message && message != 0).then(|| bytes.bind(py).clone())
    }

    /// Keeps an envelope in the place of the operation's last one, unless all together take more than `room`
    /// then: nothing is kept then.
    pub(crate) fn keep(&mut self, operation: &str, message: u64, bytes: &Bound<'_, PyBytes>, room: usize) {
        if let Some((_, _, length)) = self.by_operation.remove(operation) {
            self.bytes -= length;
        }
        let length = bytes.as_bytes().len();
        if self.bytes + length > room {
            *self = Encoded::default();
        } else if message != 0 {
            let kept = (message, bytes.clone().unbind(), length);
            self.by_operation.insert(operation.to_owned(), kept);
            self.bytes += length;
        }
    }
}
