//! Source of a Python module for a contract.

use castile_contract::Bundle;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::error;
use crate::options::{Settings, load_options, location};

/// The source of a module for a contract and the contract itself, which goes into the file `beside`
/// the source.
#[pyfunction]
pub(crate) fn generate<'py>(
    py: Python<'py>,
    wsdl: &Bound<'py, PyAny>,
    beside: &str,
    settings: &Bound<'py, PyDict>,
) -> PyResult<(String, Bound<'py, PyBytes>)> {
    let location = location(wsdl)?;
    let load = load_options(&Settings(settings))?;
    let made = py.detach(|| -> Result<_, castile_endpoint::Error> {
        let contract = castile_endpoint::load(&location, &load)?;
        let documents = castile_endpoint::documents(&location, &load)?;
        let mut bytes = Vec::new();
        Bundle::new(&contract, &*documents)?.write(&mut bytes)?;
        Ok((castile_codegen::python(&contract, beside), bytes))
    });
    let (source, bytes) = made.map_err(|e| error::endpoint(py, &e))?;
    Ok((source, PyBytes::new(py, &bytes)))
}
