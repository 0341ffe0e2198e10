//! Contracts from texts, and types as one line each.
#![allow(dead_code, reason = "each test file uses its part")]

use castile_contract::{Contract, Error, MemoryResolver, Options};
use castile_plan::{Complex, Field, FieldKind, Occurs, Particle, Simple, TypeId, Types, Variety};

/// The contract of these documents, of which the first is the entry.
pub(crate) fn load(documents: &[(&str, &str)], options: &Options) -> Result<Contract, Error> {
    let files = documents
        .iter()
        .fold(MemoryResolver::new(), |files, (at, text)| files.with(*at, *text));
    Contract::load(documents[0].0, &files, options)
}

/// The contract of a schema for `urn:t`, prefix `t`, whose components are given.
pub(crate) fn schema(components: &str) -> Contract {
    let text = format!(
        "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema' xmlns:t='urn:t' targetNamespace='urn:t'
          elementFormDefault='qualified'>{components}</xs:schema>"
    );
    load(&[("t.xsd", &text)], &Options::default()).unwrap()
}

/// A type of `urn:t` in one line.
pub(crate) fn shown(contract: &Contract, local: &str) -> String {
    show(
        &contract.types,
        contract
            .types
            .type_by_clark(&format!("{{urn:t}}{local}"))
            .expect("a type of that name"),
    )
}

/// A type in one line: attributes with `@`, then the content in the notation of DTDs.
pub(crate) fn show(types: &Types, ty: TypeId) -> String {
    match ty {
        TypeId::Any => "any".into(),
        TypeId::Simple(id) => simple(types, types.simple(id)),
        TypeId::Unsupported(i) => format!("unsupported: {}", types.unsupported[i as usize]),
        TypeId::Complex(id) => complex(types, types.complex(id)),
    }
}

fn simple(types: &Types, simple: &Simple) -> String {
    match &simple.variety {
        Variety::Atomic(builtin) => builtin.name().into(),
        Variety::List(item) => format!("list of {}", name(types, TypeId::Simple(*item))),
        Variety::Union(members) => {
            let members: Vec<_> = members.iter().map(|&m| name(types, TypeId::Simple(m))).collect();
            format!("union of {}", members.join(" "))
        }
    }
}

pub(crate) fn complex(types: &Types, complex: &Complex) -> String {
    let mut parts: Vec<String> = Vec::new();
    for field in &complex.fields {
        let required = if field.required { "!" } else { "" };
        match field.kind {
            FieldKind::Attribute => {
                parts.push(format!("@{}:{}{required}", field.name, name(types, field.ty)))
            }
            FieldKind::AnyAttribute(_) => parts.push(format!("@{}", field.name)),
            FieldKind::Text => parts.push(format!("{}:{}", field.name, name(types, field.ty))),
            _ => {}
        }
    }
    if !complex.content.is_empty() {
        parts.push(particle(types, complex, &mut 0));
    }
    parts.join(" ")
}

fn particle(types: &Types, complex: &Complex, at: &mut usize) -> String {
    let (optional, end, sign) = match complex.content[*at] {
        Particle::Leaf { field, occurs } => {
            *at += 1;
            return leaf(types, &complex.fields[field as usize], occurs);
        }
        Particle::Sequence { optional, end } => (optional, end, ", "),
        Particle::Choice { optional, end } => (optional, end, " | "),
        Particle::All { optional, end } => (optional, end, " & "),
    };
    *at += 1;
    let mut items = Vec::new();
    while *at < end as usize {
        items.push(particle(types, complex, at));
    }
    format!("({}){}", items.join(sign), if optional { "?" } else { "" })
}

fn leaf(types: &Types, field: &Field, occurs: Occurs) -> String {
    let nil = if field.nillable { "~" } else { "" };
    let times = match occurs {
        Occurs::ONE => String::new(),
        Occurs { min: 0, max: 1 } => "?".into(),
        Occurs {
            min: 0,
            max: Occurs::UNBOUNDED,
        } => "*".into(),
        Occurs {
            min: 1,
            max: Occurs::UNBOUNDED,
        } => "+".into(),
        Occurs { min, max } => format!("{{{min},{max}}}"),
    };
    let many = if field.many { "[]" } else { "" };
    let required = if field.required { "!" } else { "" };
    format!(
        "{}:{}{many}{required}{nil}{times}",
        field.name,
        name(types, field.ty)
    )
}

/// What a line calls a type that a field has: its local name, or for an anonymous one its line.
fn name(types: &Types, ty: TypeId) -> String {
    let named = match ty {
        TypeId::Simple(id) => types.simple(id).name.clone(),
        TypeId::Complex(id) => types.complex(id).name.clone(),
        _ => None,
    };
    named.map_or_else(|| show(types, ty), |name| name.local.into())
}

/// A WSDL for `urn:w` (prefix `w`) around these schema components, definitions and, for each
/// operation of binding `B` on port type `P`, the given content.
pub(crate) fn wsdl(components: &str, definitions: &str) -> String {
    format!(
        "<definitions name='Test' targetNamespace='urn:w' xmlns:w='urn:w' xmlns='http://schemas.xmlsoap.org/wsdl/'
           xmlns:s='http://schemas.xmlsoap.org/wsdl/soap/' xmlns:s12='http://schemas.xmlsoap.org/wsdl/soap12/' xmlns:xs='http://www.w3.org/2001/XMLSchema'
           xmlns:mime='http://schemas.xmlsoap.org/wsdl/mime/' xmlns:http='http://schemas.xmlsoap.org/wsdl/http/' xmlns:t='urn:t'>
         <types><xs:schema targetNamespace='urn:t' elementFormDefault='qualified'>{components}</xs:schema></types>
         {definitions}</definitions>"
    )
}

/// The only document is the WSDL that [`wsdl`] makes.
pub(crate) fn contract(components: &str, definitions: &str) -> Contract {
    load(&[("w.wsdl", &wsdl(components, definitions))], &Options::default()).unwrap()
}
