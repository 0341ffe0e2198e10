//! Whether a table can be walked without checks: every index, every name of a prefix, every group.

use crate::model::check_groups;
use crate::{
    Builtin, Complex, Disallowed, Error, Field, FieldKind, Namespace, Particle, QName, SimpleId, TypeId,
    Types, Variety,
};

/// Checks the whole table.
pub(crate) fn table(types: &Types) -> Result<(), Error> {
    check_simple(types)?;
    for (i, complex) in types.complex.iter().enumerate() {
        let named = |e: Error| Error(format!("complex type {i} ({}): {}", complex.label, e.0));
        check_complex(types, complex).map_err(named)?;
    }
    for element in &types.elements {
        check_name(types, &element.name)?;
        check_type(types, element.ty)?;
    }
    for Disallowed { element, ty, .. } in &types.disallowed {
        check_name(types, element)?;
        check_type(types, *ty)?;
    }
    check_prefixes(types)?;
    check_groups(types)
}

fn check_simple(types: &Types) -> Result<(), Error> {
    let fresh = Types::new();
    if types.simple.get(..Builtin::ALL.len()) != Some(&fresh.simple[..])
        || types.namespaces.get(..4) != Some(&fresh.namespaces[..])
    {
        return Err(Error("the built-in types are not at their places".into()));
    }
    for (i, simple) in types.simple.iter().enumerate() {
        let part = |id: &SimpleId| {
            // Parts come before the whole, which also rules out cycles.
            let builtin_item = i < Builtin::ALL.len() && id.index() < Builtin::ALL.len();
            if id.index() < i || builtin_item {
                Ok(())
            } else {
                Err(Error(format!("simple type {i} refers to {}", id.0)))
            }
        };
        if let Some(name) = &simple.name {
            check_name(types, name)?;
        }
        simple.base.as_ref().map_or(Ok(()), part)?;
        match &simple.variety {
            Variety::Atomic(_) => {}
            Variety::List(item) => part(item)?,
            Variety::Union(members) => members.iter().try_for_each(part)?,
        }
    }
    Ok(())
}

/// Prefixes are unique, names, and none of those that an encoder makes up itself: `S` for the
/// envelope, `E` for SOAP encoding, and `f`, `a` and `q` with or without a number for names that no table knows.
fn check_prefixes(types: &Types) -> Result<(), Error> {
    let mut seen = std::collections::HashSet::new();
    for (i, Namespace { uri, prefix }) in types.namespaces.iter().enumerate() {
        let made_up = matches!(&**prefix, "S" | "E")
            || prefix
                .strip_prefix(['f', 'a', 'q'])
                .is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()));
        let named = prefix.bytes().next().is_some_and(|b| b.is_ascii_alphabetic())
            && prefix
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'));
        if i > 0 && (!named || made_up || uri.is_empty()) || !seen.insert(prefix) {
            return Err(Error(format!(
                "namespace {uri:?} cannot have the prefix {prefix:?}"
            )));
        }
    }
    Ok(())
}

fn check_name(types: &Types, name: &QName) -> Result<(), Error> {
    match types.namespaces.get(name.ns.0 as usize) {
        Some(_) => Ok(()),
        None => Err(Error(format!(
            "{} is in namespace {}, which is not in the table",
            name.local, name.ns.0
        ))),
    }
}

fn check_type(types: &Types, ty: TypeId) -> Result<(), Error> {
    let fits = match ty {
        TypeId::Any => true,
        TypeId::Simple(id) => id.index() < types.simple.len(),
        TypeId::Complex(id) => id.index() < types.complex.len(),
        TypeId::Unsupported(i) => (i as usize) < types.unsupported.len(),
    };
    if fits {
        Ok(())
    } else {
        Err(Error(format!("type {ty:?} is not in the table")))
    }
}

fn check_complex(types: &Types, complex: &Complex) -> Result<(), Error> {
    if let Some(name) = &complex.name {
        check_name(types, name)?;
    }
    complex.base.map_or(Ok(()), |base| check_type(types, base))?;
    let mut names: Vec<&str> = complex.fields.iter().map(|f| &*f.name).collect();
    names.sort_unstable();
    if let Some(twice) = names.windows(2).find(|w| w[0] == w[1]) {
        return Err(Error(format!("two fields are called {}", twice[0])));
    }
    for field in &complex.fields {
        check_field(types, field)?;
    }
    check_array(complex)?;
    check_content(complex)
}

/// An array has one field, the item, and dimensions.
fn check_array(complex: &Complex) -> Result<(), Error> {
    match (complex.array, &complex.fields[..]) {
        (None, _) => Ok(()),
        (Some(1..), [item]) if item.many && item.kind == FieldKind::Element => Ok(()),
        _ => Err(Error("an array needs dimensions and one repeated element".into())),
    }
}

fn check_field(types: &Types, field: &Field) -> Result<(), Error> {
    check_name(types, &field.wire)?;
    check_type(types, field.ty)?;
    let fits = match field.kind {
        FieldKind::Attribute | FieldKind::Text => {
            matches!(field.ty, TypeId::Simple(_) | TypeId::Unsupported(_))
        }
        FieldKind::Group => match field.ty {
            TypeId::Complex(id) => types.complex(id).fields.iter().all(is_content),
            _ => false,
        },
        _ => true,
    };
    if fits {
        Ok(())
    } else {
        Err(Error(format!(
            "field {} cannot have type {:?}",
            field.name, field.ty
        )))
    }
}

fn is_content(field: &Field) -> bool {
    matches!(
        field.kind,
        FieldKind::Element | FieldKind::Any(_) | FieldKind::Group
    )
}

/// Groups must nest, cover the whole table, and leaves must refer to fields that are content.
fn check_content(complex: &Complex) -> Result<(), Error> {
    let content = &complex.content;
    let mut open: Vec<u32> = Vec::new();
    for (i, particle) in content.iter().enumerate() {
        while open.last().is_some_and(|&end| end as usize <= i) {
            open.pop();
        }
        let limit = open.last().copied().unwrap_or(content.len() as u32);
        match *particle {
            Particle::Leaf { field, occurs } => {
                let kind = complex.fields.get(field as usize).map(|f| &f.kind);
                let content = matches!(
                    kind,
                    Some(FieldKind::Element | FieldKind::Any(_) | FieldKind::Group)
                );
                if !content || occurs.min > occurs.max || occurs.max == 0 {
                    return Err(Error(format!("particle {i} is no usable leaf")));
                }
            }
            Particle::Sequence { end, .. } | Particle::Choice { end, .. } | Particle::All { end, .. } => {
                if end as usize <= i || end > limit || (i == 0 && end as usize != content.len()) {
                    return Err(Error(format!("particle {i} ends at {end}")));
                }
                open.push(end);
            }
        }
    }
    if content.len() > 1 && matches!(content[0], Particle::Leaf { .. }) {
        return Err(Error("the content has more than one root".into()));
    }
    Ok(())
}
