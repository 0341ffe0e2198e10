//! How the fields of a complex type are found in objects of a Python class: worked out once for
//! each pair of the two.

use castile_plan::{ComplexId, TypeId, Types};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyString, PyTuple};

use super::Context;
use crate::schema::zeep_keys;
use crate::slots::Member;

/// How a value of the class is asked for a field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// A typed object: a slot.
    Record,
    /// A dict.
    Dict,
    /// Another mapping.
    Mapping,
    /// A row of a structured array: an item.
    Row,
    /// Anything else: an attribute.
    Object,
}

/// One field's name in the class.
pub(super) struct Key<'py> {
    pub(super) exact: Bound<'py, PyString>,
    /// The name as Python can write it, when that is another.
    pub(super) alias: Option<Bound<'py, PyString>>,
    /// The slot of a typed object.
    pub(super) member: Option<Member>,
}

/// A Python class over a complex type.
pub(super) struct Binding<'py> {
    pub(super) manner: Manner,
    /// The type in use: the class's own where it is derived from the declared one.
    pub(super) complex: Option<ComplexId>,
    /// What the class says its type is.
    pub(super) type_name: Option<String>,
    /// One a field of the type.
    pub(super) keys: Vec<Key<'py>>,
    /// The aliases among them.
    pub(super) aliases: Vec<String>,
    /// The names that every value of the class has, where the class tells.
    pub(super) own_names: Option<Vec<String>>,
    /// Those of them that the type has not, with their keys.
    pub(super) strange: Vec<(String, Bound<'py, PyString>)>,
}

impl<'py> Binding<'py> {
    pub(super) fn new(
        context: &Context<'_, 'py>,
        object: &Bound<'py, PyAny>,
        declared: Option<ComplexId>,
    ) -> Self {
        let class = object.get_type();
        let type_name = text_of(&class, "_castile_type").filter(|name| !name.is_empty());
        let manner = manner(object);
        let complex = actual(context, type_name.as_deref(), declared);
        let own = own_names(object, manner);
        let attrs = own_attrs(object, manner);
        let names: Vec<&str> = complex.map_or(Vec::new(), |id| {
            context
                .types
                .complex(id)
                .fields
                .iter()
                .map(|f| &*f.name)
                .collect()
        });
        let mut aliases = Vec::new();
        let zeep = complex
            .filter(|_| context.zeep)
            .map(|id| zeep_keys(&context.types.complex(id).fields));
        let key = |(at, name): (usize, &&str)| {
            // A typed object's slot may have another name than the field.
            let slot = own
                .iter()
                .flatten()
                .position(|n| n == name)
                .and_then(|at| attrs.get(at));
            let exact = slot.map_or(*name, |s| s);
            let other = zeep.iter().flatten().nth(at).filter(|key| key != name);
            let alias = other.cloned().or_else(|| alias(name)).filter(|_| slot.is_none());
            aliases.extend(alias.clone());
            Key {
                exact: PyString::intern(context.py, exact),
                member: slot.and_then(|slot| Member::new(&class, slot).ok()),
                alias: alias.map(|a| PyString::intern(context.py, &a)),
            }
        };
        let keys = names.iter().enumerate().map(key).collect();
        let strange = strange(context, own.as_deref(), &attrs, &names, &aliases);
        Binding {
            manner,
            complex,
            type_name,
            keys,
            aliases,
            own_names: own,
            strange,
        }
    }

    /// Whether the class is the type's own one with no names besides the type's, or a dict.
    pub(super) fn is_own(&self, types: &Types, id: ComplexId) -> bool {
        match self.manner {
            Manner::Dict => true,
            Manner::Record => {
                self.type_name.as_deref() == Some(&*types.complex(id).label) && self.strange.is_empty()
            }
            _ => false,
        }
    }
}

fn strange<'py>(
    context: &Context<'_, 'py>,
    own: Option<&[String]>,
    attrs: &[String],
    names: &[&str],
    aliases: &[String],
) -> Vec<(String, Bound<'py, PyString>)> {
    if names.is_empty() {
        return Vec::new();
    }
    let unknown =
        |name: &str| !names.contains(&name) && !aliases.iter().any(|a| a == name) && !name.starts_with('_');
    let all = own
        .unwrap_or_default()
        .iter()
        .enumerate()
        .filter(|(_, name)| unknown(name));
    all.map(|(i, name)| {
        (
            name.clone(),
            PyString::intern(context.py, attrs.get(i).unwrap_or(name)),
        )
    })
    .collect()
}

fn manner(object: &Bound<'_, PyAny>) -> Manner {
    if object.get_type().hasattr("_castile_fields").unwrap_or(false) {
        Manner::Record
    } else if object.is_instance_of::<PyDict>() {
        Manner::Dict
    } else if object.cast::<PyMapping>().is_ok() {
        Manner::Mapping
    } else if is_row(object) {
        Manner::Row
    } else {
        Manner::Object
    }
}

fn is_row(object: &Bound<'_, PyAny>) -> bool {
    let names = object
        .getattr(intern!(object.py(), "dtype"))
        .and_then(|d| d.getattr(intern!(object.py(), "names")));
    names.is_ok_and(|names| names.is_instance_of::<PyTuple>())
}

/// The class's own type when it is derived from the declared one, or none is declared.
fn actual(context: &Context<'_, '_>, name: Option<&str>, declared: Option<ComplexId>) -> Option<ComplexId> {
    let own = match name.and_then(|name| context.types.type_by_clark(name)) {
        Some(TypeId::Complex(id)) => id,
        _ => return declared,
    };
    match declared {
        Some(base)
            if !context
                .types
                .is_derived(TypeId::Complex(own), TypeId::Complex(base)) =>
        {
            Some(base)
        }
        _ => Some(own),
    }
}

fn own_names(object: &Bound<'_, PyAny>, manner: Manner) -> Option<Vec<String>> {
    let py = object.py();
    let class = object.get_type();
    match manner {
        Manner::Record => class.getattr("_castile_fields").ok()?.extract().ok(),
        Manner::Row => object
            .getattr("dtype")
            .ok()?
            .getattr("names")
            .ok()?
            .extract()
            .ok(),
        Manner::Object => {
            if let Ok(fields) = class.getattr(intern!(py, "__dataclass_fields__")) {
                return fields.cast::<PyDict>().ok()?.keys().extract().ok();
            }
            class.getattr(intern!(py, "_fields")).ok()?.extract().ok()
        }
        Manner::Dict | Manner::Mapping => None,
    }
}

fn own_attrs(object: &Bound<'_, PyAny>, manner: Manner) -> Vec<String> {
    if manner != Manner::Record {
        return Vec::new();
    }
    let attrs = object.get_type().getattr("_castile_attrs");
    attrs.and_then(|attrs| attrs.extract()).unwrap_or_default()
}

fn text_of(class: &Bound<'_, PyAny>, attribute: &str) -> Option<String> {
    class.getattr(attribute).ok()?.extract().ok()
}

const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// How Python code can write a name that is no identifier there, or a keyword; the same rule as
/// `attribute_names` of the Python side.
pub(super) fn alias(name: &str) -> Option<String> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let clean: String = name.chars().map(|c| if word(c) { c } else { '_' }).collect();
    let alias = if KEYWORDS.contains(&&*clean) {
        clean + "_"
    } else if clean.starts_with("__")
        || clean.starts_with("_castile_")
        || clean.starts_with(|c: char| c.is_numeric())
    {
        format!("x{clean}")
    } else {
        clean
    };
    (alias != name).then_some(alias)
}
