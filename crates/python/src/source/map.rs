//! A dict where a contract has a `Map` of Apache SOAP: its pairs.

use castile_plan::Field;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::Context;
use super::convert::complex_of;

/// The name of the type, a list of pairs of a key and a value.
const MAP: &str = "{http://xml.apache.org/xml-soap}Map";

impl<'py> Context<'_, 'py> {
    /// The pairs of a dict that stands for a map, in its order; `None` where no map belongs, and for what
    /// says its pairs itself.
    pub(super) fn pairs_of_map(
        &self,
        value: &Bound<'py, PyAny>,
        field: Option<&Field>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let is_map = complex_of(field).is_some_and(|id| &*self.types.complex(id).label == MAP);
        let Some(dict) = value.cast::<PyDict>().ok().filter(|_| is_map) else {
            return Ok(None);
        };
        if says_pairs(dict)? {
            return Ok(None);
        }
        let pairs = PyList::empty(self.py);
        for (key, value) in dict {
            let pair = PyDict::new(self.py);
            pair.set_item(intern!(self.py, "key"), key)?;
            pair.set_item(intern!(self.py, "value"), value)?;
            pairs.append(pair)?;
        }
        Ok(Some(pairs.into_any()))
    }
}

/// Whether a dict is the map's own form: one entry, `item`, with a list.
fn says_pairs(dict: &Bound<'_, PyDict>) -> PyResult<bool> {
    if dict.len() != 1 {
        return Ok(false);
    }
    let item = dict.get_item(intern!(dict.py(), "item"))?;
    Ok(item.is_some_and(|item| item.is_instance_of::<PyList>()))
}
