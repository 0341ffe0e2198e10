//! The derived type that a dict names.

use castile_plan::{ComplexId, TypeId, Types};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The complex type of a name, `{namespace}local` or `local`, that can stand where `declared` does.
pub(super) fn find(types: &Types, declared: Option<ComplexId>, name: &str) -> Option<ComplexId> {
    let fits = |id: &ComplexId| declared.is_none_or(|base| derived_or_same(types, *id, base));
    if let Some(TypeId::Complex(id)) = types.type_by_clark(name) {
        return Some(id).filter(fits);
    }
    let called = |id: &ComplexId| {
        types
            .complex(*id)
            .name
            .as_ref()
            .is_some_and(|n| *n.local == *name)
    };
    let mut all = (0..types.complex.len() as u32)
        .map(ComplexId)
        .filter(called)
        .filter(fits);
    all.next().filter(|_| all.next().is_none())
}

/// Says which types could have been meant.
pub(super) fn none(types: &Types, declared: Option<ComplexId>, name: &str) -> PyErr {
    const SHOWN_MAX: usize = 12;
    let fits = |id: &ComplexId| declared.is_none_or(|base| derived_or_same(types, *id, base));
    let all = (0..types.complex.len() as u32).map(ComplexId).filter(fits);
    let mut names: Vec<&str> = all
        .filter_map(|id| types.complex(id).name.as_ref().map(|n| &*n.local))
        .collect();
    if names.len() > SHOWN_MAX {
        names.truncate(SHOWN_MAX);
        names.push("...");
    }
    PyValueError::new_err(format!(
        "{} {name:?} is no type that can stand here; there are {}",
        super::TYPE_KEY,
        names.join(", ")
    ))
}

fn derived_or_same(types: &Types, id: ComplexId, base: ComplexId) -> bool {
    id == base || types.is_derived(TypeId::Complex(id), TypeId::Complex(base))
}
