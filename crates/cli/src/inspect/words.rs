//! Names of types and rules about values, in words.

use castile_plan::{ComplexId, Facets, Field, FieldKind, Occurs, Process, SimpleId, TypeId, Types, Variety};

/// The name of a type for people: the local name, with a prefix where two types share it.
pub(super) fn type_name(types: &Types, ty: TypeId) -> String {
    match ty {
        TypeId::Any => "anything".into(),
        TypeId::Unsupported(_) => "(unsupported)".into(),
        TypeId::Complex(id) => match (&types.complex(id).name, types.complex(id).array) {
            (Some(name), _) => qualified(types, name, ty),
            (None, Some(rank)) => array_name(types, id, rank),
            (None, None) => "record".into(),
        },
        TypeId::Simple(id) => simple_name(types, id),
    }
}

/// An array of SOAP encoding that has no name: its items' type and dimensions.
fn array_name(types: &Types, id: ComplexId, rank: u32) -> String {
    let item = types
        .complex(id)
        .fields
        .first()
        .map_or(TypeId::Any, |item| item.ty);
    format!(
        "{}[{}]",
        type_name(types, item),
        ",".repeat(rank.saturating_sub(1) as usize)
    )
}

fn simple_name(types: &Types, id: SimpleId) -> String {
    let simple = types.simple(id);
    match (&simple.name, &simple.variety) {
        (Some(name), _) if name.ns == Types::XSD => name.local.to_string(),
        (Some(name), _) => qualified(types, name, TypeId::Simple(id)),
        (None, Variety::Atomic(builtin)) => builtin.name().into(),
        (None, Variety::List(item)) => format!("list of {}", simple_name(types, *item)),
        (None, Variety::Union(members)) => {
            let names: Vec<String> = members.iter().take(4).map(|m| simple_name(types, *m)).collect();
            names.join(" or ")
        }
    }
}

/// The local name; with its prefix when a type of another namespace is called so too.
fn qualified(types: &Types, name: &castile_plan::QName, ty: TypeId) -> String {
    let shared = (0..types.namespaces.len() as u32)
        .map(castile_plan::NsIx)
        .any(|ns| {
            let other = castile_plan::QName::new(ns, name.local.clone());
            ns != name.ns && types.type_named(&other).is_some_and(|other| other != ty)
        });
    let prefix = types.namespaces.get(name.ns.0 as usize).map_or("", |n| &n.prefix);
    if shared && !prefix.is_empty() {
        format!("{prefix}:{}", name.local)
    } else {
        name.local.to_string()
    }
}

/// The rules that a field has beside its type: how often, nil, defaults, what it is on the wire.
pub(super) fn notes(types: &Types, field: &Field, occurs: Occurs) -> Vec<String> {
    let mut notes = Vec::new();
    match &field.kind {
        FieldKind::Attribute | FieldKind::AnyAttribute(_) => notes.push("attribute".to_owned()),
        FieldKind::Text => notes.push("the text itself".into()),
        _ => {}
    }
    notes.extend(how_often(field, occurs));
    if field.nillable {
        notes.push("may be nil".into());
    }
    if let Some(default) = &field.default {
        notes.push(format!("default {default:?}"));
    }
    if let Some(fixed) = &field.fixed {
        notes.push(format!("always {fixed:?}"));
    }
    match field.ty {
        TypeId::Unsupported(i) => notes.extend(
            types
                .unsupported
                .get(i as usize)
                .map(|why| format!("unsupported: {why}")),
        ),
        // A named type says its rules where it is listed; an enumeration is worth saying twice.
        TypeId::Simple(id) if types.simple(id).name.is_none() => notes.extend(rules(types, id)),
        TypeId::Simple(id) => notes.extend(enumeration(types, id)),
        _ => {}
    }
    notes
}

fn how_often(field: &Field, occurs: Occurs) -> Option<String> {
    Some(match (occurs.min, occurs.max) {
        (0, 1) => "optional".to_owned(),
        (1, 1) if field.many => "repeated".into(),
        (_, 1) => return None,
        (0, Occurs::UNBOUNDED) => "any number".into(),
        (min, Occurs::UNBOUNDED) => format!("{min} or more"),
        (min, max) if min == max => format!("{min} times"),
        (min, max) => format!("{min} to {max}"),
    })
}

/// What a wildcard admits.
pub(super) fn wildcard(types: &Types, field: &Field) -> Option<String> {
    let (FieldKind::Any(w) | FieldKind::AnyAttribute(w)) = &field.kind else {
        return None;
    };
    let what = if matches!(field.kind, FieldKind::Any(_)) {
        "XML"
    } else {
        "attributes"
    };
    let checked = if w.process == Process::Strict {
        ", declared somewhere"
    } else {
        ""
    };
    let of = match (&w.namespaces, w.other_than) {
        (_, Some(_)) => "of another namespace".to_owned(),
        (None, _) => "of any namespace".into(),
        (Some(list), _) => {
            let uri = |ns: &castile_plan::NsIx| match types.uri(*ns) {
                "" => "no namespace".to_owned(),
                uri => uri.to_owned(),
            };
            let uris: Vec<String> = list.iter().map(uri).collect();
            format!("of {}", uris.join(", "))
        }
    };
    Some(format!("{what} {of}{checked}"))
}

/// The values of an enumeration, the first few.
fn enumeration(types: &Types, id: SimpleId) -> Option<String> {
    let mut at = Some(id);
    while let Some(step) = at {
        let simple = types.simple(step);
        if !simple.facets.enumeration.is_empty() {
            return Some(one_of(&simple.facets.enumeration, 8));
        }
        at = simple.base;
    }
    None
}

fn one_of(values: &[Box<str>], most: usize) -> String {
    let shown: Vec<&str> = values.iter().take(most).map(|v| &**v).collect();
    let more = if values.len() > most {
        format!(", ... ({} in all)", values.len())
    } else {
        String::new()
    };
    format!("one of {}{more}", shown.join(", "))
}

/// All rules of a simple type, its bases' included.
pub(super) fn rules(types: &Types, id: SimpleId) -> Vec<String> {
    let simple = types.simple(id);
    let mut rules = bounds(&simple.facets);
    rules.extend(enumeration(types, id));
    let mut at = Some(id);
    while let Some(step) = at {
        let simple = types.simple(step);
        if !simple.facets.patterns.is_empty() {
            rules.push(format!("pattern {}", simple.facets.patterns.join(" or ")));
        }
        at = simple.base;
    }
    rules
}

fn bounds(facets: &Facets) -> Vec<String> {
    let mut rules = Vec::new();
    match (facets.length, facets.min_length, facets.max_length) {
        (Some(n), ..) => rules.push(format!("length {n}")),
        (None, Some(min), Some(max)) => rules.push(format!("length {min} to {max}")),
        (None, Some(min), None) => rules.push(format!("length {min} or more")),
        (None, None, Some(max)) => rules.push(format!("length up to {max}")),
        _ => {}
    }
    let limits = [
        ("from", &facets.min_inclusive),
        ("above", &facets.min_exclusive),
        ("to", &facets.max_inclusive),
        ("below", &facets.max_exclusive),
    ];
    rules.extend(
        limits
            .iter()
            .filter_map(|(word, bound)| Some(format!("{word} {}", bound.as_ref()?))),
    );
    if let Some(digits) = facets.total_digits {
        rules.push(format!("at most {digits} digits"));
    }
    if let Some(digits) = facets.fraction_digits {
        rules.push(format!("at most {digits} after the point"));
    }
    rules
}

/// What a simple type is made of.
pub(super) fn variety(types: &Types, id: SimpleId) -> String {
    match &types.simple(id).variety {
        Variety::Atomic(builtin) => builtin.name().into(),
        Variety::List(item) => format!("list of {}", simple_name(types, *item)),
        Variety::Union(members) => {
            let names: Vec<String> = members.iter().map(|m| simple_name(types, *m)).collect();
            names.join(" or ")
        }
    }
}
