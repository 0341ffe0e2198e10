//! What changed of an array, as Python told.

use std::sync::{Arc, Mutex, PoisonError};

use castile_value as value;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

/// The table of changes behind `castile.tracked` and `castile.hinted`.
#[pyclass(frozen, module = "castile._castile")]
pub(crate) struct Changes(Mutex<Arc<value::Changes>>);

#[pymethods]
impl Changes {
    #[new]
    fn new(len: usize) -> Self {
        Changes(Mutex::new(Arc::new(value::Changes::new(len))))
    }

    /// Values `start` up to `stop` changed.
    fn mark(&self, start: usize, stop: usize) {
        self.with(|changes| changes.mark(start..stop));
    }

    /// The values at these places changed.
    #[allow(clippy::needless_pass_by_value)] // PyO3's argument
    fn mark_each(&self, places: PyReadonlyArray1<'_, i64>) {
        self.with(|changes| {
            let places = places.as_array();
            for place in places.iter().filter_map(|&place| usize::try_from(place).ok()) {
                changes.mark(place..place.saturating_add(1));
            }
        });
    }
}

impl Changes {
    /// What is told until now.
    pub(crate) fn told(&self) -> Arc<value::Changes> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn with(&self, work: impl FnOnce(&mut value::Changes)) {
        let mut changes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // While a message is written from it nothing is marked: that holds the interpreter lock.
        work(Arc::make_mut(&mut changes));
    }
}
