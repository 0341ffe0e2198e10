//! The one tokio runtime of the module, for asyncio: started when first needed.

use std::sync::OnceLock;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tokio::runtime::{Builder, Handle, Runtime};

static RUNTIME: OnceLock<Result<Runtime, String>> = OnceLock::new();

/// The runtime's handle.
pub(crate) fn handle(py: Python<'_>) -> PyResult<Handle> {
    let start = || {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("castile")
            .enable_all()
            .build();
        runtime.map_err(|e| e.to_string())
    };
    match py.detach(|| RUNTIME.get_or_init(start)) {
        Ok(runtime) => Ok(runtime.handle().clone()),
        Err(e) => Err(PyRuntimeError::new_err(format!(
            "the threads for asynchronous calls could not be started: {e}"
        ))),
    }
}
