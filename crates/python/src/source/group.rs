//! A member of a repeated group that is given in place of the group.

use castile_plan::{Complex, FieldKind, TypeId, Types};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

/// The passes through the repeated group that is field `group`, where a dict lacks the group but has
/// exactly one of its members: a list of the member's values is one pass each, any other value
/// one pass.
pub(super) fn passes<'py>(
    types: &Types,
    complex: &Complex,
    group: usize,
    dict: &Bound<'py, PyDict>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = dict.py();
    let mut given: Option<(Bound<'py, PyAny>, bool)> = None;
    for key in dict.keys() {
        let Ok(name) = key.cast::<PyString>() else {
            continue;
        };
        if let Some((at, many)) = group_of(types, complex, name.to_str()?)
            && at == group
            && given.replace((key, many)).is_some()
        {
            return Ok(None);
        }
    }
    let Some((name, many)) = given else {
        return Ok(None);
    };
    let Some(value) = dict.get_item(&name)? else {
        return Ok(None);
    };
    let pass = |value: Bound<'py, PyAny>| -> PyResult<Bound<'py, PyDict>> {
        let pass = PyDict::new(py);
        pass.set_item(&name, value)?;
        Ok(pass)
    };
    let passes = PyList::empty(py);
    if !many && (value.is_instance_of::<PyList>() || value.is_exact_instance_of::<PyTuple>()) {
        for one in value.try_iter()? {
            passes.append(pass(one?)?)?;
        }
    } else {
        passes.append(pass(value)?)?;
    }
    Ok(Some(passes.into_any()))
}

/// The only repeated group of a type that has a member of the name, and whether the member
/// repeats in it; `None` when the type itself has such a field.
pub(super) fn group_of(types: &Types, complex: &Complex, name: &str) -> Option<(usize, bool)> {
    if complex.fields.iter().any(|f| *f.name == *name) {
        return None;
    }
    let mut found =
        complex
            .fields
            .iter()
            .enumerate()
            .filter_map(|(at, field)| match (&field.kind, field.ty) {
                (FieldKind::Group, TypeId::Complex(id)) => {
                    let member = types.complex(id).fields.iter().find(|m| *m.name == *name)?;
                    Some((at, member.many))
                }
                _ => None,
            });
    found.next().filter(|_| found.next().is_none())
}
