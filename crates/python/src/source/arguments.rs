//! Arguments given by position and by name, as one dict of fields.

use castile_plan::{ComplexId, TypeId, Types};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::bind::alias;

/// The arguments of a call as something that [`super::Context::record`] takes.
///
/// A single typed object of the arguments' own type stands for all of them.
///
/// # Errors
/// `TypeError` for too many values and for two values of one name.
pub(crate) fn arguments<'py>(
    py: Python<'py>,
    types: &Types,
    complex: ComplexId,
    operation: &str,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let named = kwargs.map_or(0, |k| k.len());
    if args.is_empty() {
        return Ok(kwargs.map_or_else(|| PyDict::new(py), Clone::clone).into_any());
    }
    let first = args.get_item(0)?;
    if args.len() == 1 && named == 0 && is_whole(types, complex, &first) {
        return Ok(first);
    }
    let fields = &types.complex(complex).fields;
    let order = types.complex(complex).positional();
    if args.len() > order.len() {
        let why = format!(
            "{operation} takes at most {} values, {} given",
            order.len(),
            args.len()
        );
        return Err(PyTypeError::new_err(why));
    }
    let all = kwargs.map_or_else(|| Ok(PyDict::new(py)), PyDictMethods::copy)?;
    for (&field, value) in order.iter().zip(args) {
        let name = &*fields[field].name;
        let aliased = alias(name).is_some_and(|alias| all.contains(alias).unwrap_or(false));
        if aliased || all.contains(name)? {
            return Err(PyTypeError::new_err(format!(
                "{operation} got two values of {name:?}"
            )));
        }
        all.set_item(name, value)?;
    }
    Ok(all.into_any())
}

/// Whether a value says of itself that it is of the type, or of one derived from it.
fn is_whole(types: &Types, complex: ComplexId, value: &Bound<'_, PyAny>) -> bool {
    let name = value
        .get_type()
        .getattr("_castile_type")
        .and_then(|name| name.extract::<String>());
    let Ok(name) = name else { return false };
    if name == *types.complex(complex).label {
        return true;
    }
    match types.type_by_clark(&name) {
        Some(own @ TypeId::Complex(_)) => types.is_derived(own, TypeId::Complex(complex)),
        _ => false,
    }
}
