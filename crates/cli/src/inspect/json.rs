//! A contract as JSON.

use castile_contract::{Binding, BodyStyle, Contract, Operation, Protocol};
use castile_plan::{
    ComplexId, Derivation, Facets, Field, FieldKind, Occurs, SimpleId, TypeId, Types, Variety,
};
use serde_json::{Map, Value as Json, json};

use super::reach::{self, Reached};
use super::{View, faults, text};

/// Everything of the view: services with ports with operations, and every type they reach.
pub(super) fn contract(view: &View) -> Json {
    let contract = &view.contract;
    let mut reached = Reached::default();
    let wanted = |name: &str, wanted: &Option<String>| wanted.as_ref().is_none_or(|w| w == name);
    let services = contract
        .services
        .iter()
        .filter(|s| wanted(&s.name, &view.service))
        .map(|service| {
            let ports = service.ports.iter().filter(|p| wanted(&p.name, &view.port));
            let ports = ports.filter_map(|port| {
                let mut json = binding(view, contract.bindings.get(port.binding)?);
                let Json::Object(fields) = &mut json else {
                    return None;
                };
                fields.insert("name".into(), port.name.as_str().into());
                fields.insert("address".into(), json!(port.address));
                fields.insert("doc".into(), json!(port.doc));
                Some(json)
            });
            json!({
                "name": service.name, "namespace": service.namespace, "doc": service.doc,
                "ports": ports.collect::<Vec<_>>(),
            })
        });
    let services: Vec<Json> = services.collect();
    // A WSDL without services still says what can be called somewhere.
    let bindings: Vec<Json> = match contract.services.is_empty() {
        true => contract.bindings.iter().map(|b| binding(view, b)).collect(),
        false => Vec::new(),
    };
    for binding in view.ports().iter().map(|p| p.binding) {
        for operation in binding.operations.iter().filter(|o| view.wants(o)) {
            reach::of_operation(contract, operation, &mut reached);
        }
    }
    if view.operation.is_none() && (view.types || contract.bindings.is_empty()) {
        reached = reach::all(contract);
    }
    json!({
        "name": contract.name,
        "doc": contract.doc,
        "documents": contract.documents.iter().map(|d| &*d.location).collect::<Vec<_>>(),
        "services": services,
        "bindings": bindings,
        "types": types(&contract.types, &reached),
        "warnings": contract.warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "missing": contract.missing,
    })
}

fn binding(view: &View, binding: &Binding) -> Json {
    let operations = binding.operations.iter().filter(|o| view.wants(o));
    let operations: Vec<Json> = operations.map(|o| operation(&view.contract, o)).collect();
    json!({
        "name": binding.name,
        "protocol": match &binding.protocol {
            Protocol::Soap11 => "soap11",
            Protocol::Soap12 => "soap12",
            Protocol::Http => "http",
            Protocol::Other(_) => "other",
        },
        "binding": binding.name,
        "port_type": binding.port_type,
        "operations": operations,
    })
}

fn operation(contract: &Contract, operation: &Operation) -> Json {
    let types = &contract.types;
    let content = |id: ComplexId| fields(types, id);
    let input = operation.input.as_ref().map(
        |plan| json!({ "arguments": content(text::arguments(types, plan)), "headers": content(plan.header) }),
    );
    let output = operation.output.as_ref().map(
        |plan| json!({ "results": content(text::results(types, plan)), "headers": content(plan.header) }),
    );
    let faults: Vec<Json> = operation
        .faults
        .iter()
        .map(|f| json!({ "name": f.name, "element": f.element, "type": faults::ty(types, operation, f) }))
        .collect();
    json!({
        "name": operation.name,
        "doc": operation.doc,
        "soap_action": operation.soap_action,
        "style": if operation.style == BodyStyle::Rpc { "rpc" } else { "document" },
        "encoded": operation.input.as_ref().is_some_and(|plan| plan.encoded),
        "one_way": operation.one_way,
        "unsupported": operation.unsupported,
        "input": input,
        "output": output,
        "faults": faults,
        "detail": content(operation.detail),
    })
}

fn fields(types: &Types, id: ComplexId) -> Json {
    let complex = types.complex(id);
    complex
        .fields
        .iter()
        .enumerate()
        .map(|(i, f)| field(types, id, i as u32, f))
        .collect()
}

fn field(types: &Types, id: ComplexId, index: u32, field: &Field) -> Json {
    let mut out = Map::new();
    out.insert("name".into(), field.name.as_ref().into());
    out.insert("kind".into(), kind(&field.kind).into());
    out.insert("type".into(), types.type_label(field.ty).into());
    out.insert("required".into(), field.required.into());
    out.insert("many".into(), field.many.into());
    if let Some(Occurs { min, max }) = occurs(types, id, index) {
        out.insert("min".into(), min.into());
        out.insert(
            "max".into(),
            if max == Occurs::UNBOUNDED {
                Json::Null
            } else {
                max.into()
            },
        );
    }
    out.insert("nillable".into(), field.nillable.into());
    if !field.wire.local.is_empty() {
        out.insert("wire".into(), types.clark(&field.wire).into());
    }
    for (name, text) in [
        ("default", &field.default),
        ("fixed", &field.fixed),
        ("doc", &field.doc),
    ] {
        if let Some(text) = text {
            out.insert(name.into(), text.as_ref().into());
        }
    }
    match field.ty {
        TypeId::Simple(id) if types.simple(id).name.is_none() => {
            out.insert("simple".into(), simple(types, id));
        }
        TypeId::Unsupported(i) => {
            out.insert("unsupported".into(), json!(types.unsupported.get(i as usize)));
        }
        _ => {}
    }
    out.into()
}

fn kind(kind: &FieldKind) -> &'static str {
    match kind {
        FieldKind::Element => "element",
        FieldKind::Attribute => "attribute",
        FieldKind::Text => "text",
        FieldKind::Any(_) => "any",
        FieldKind::AnyAttribute(_) => "any_attribute",
        FieldKind::Group => "group",
    }
}

/// How often all leaves of a field together stand.
fn occurs(types: &Types, id: ComplexId, field: u32) -> Option<Occurs> {
    let required = types.complex(id).fields.get(field as usize)?.required;
    let leaves = types
        .leaves(id)
        .iter()
        .filter(|leaf| leaf.field == field)
        .map(|leaf| leaf.occurs);
    let sum = |a: Occurs, b: Occurs| Occurs {
        min: a.min.saturating_add(b.min),
        max: a.max.saturating_add(b.max),
    };
    let all = leaves.reduce(sum)?;
    Some(if required { all } else { Occurs { min: 0, ..all } })
}

/// Types by what messages call them.
fn types(types: &Types, reached: &Reached) -> Json {
    let mut out = Map::new();
    for &id in &reached.complex {
        let complex = types.complex(id);
        let base = complex.base.map(|base| types.type_label(base));
        let derivation = match complex.derivation {
            Derivation::None => Json::Null,
            Derivation::Extension => "extension".into(),
            Derivation::Restriction => "restriction".into(),
        };
        let json = json!({
            "kind": "complex", "named": complex.name.is_some(), "doc": complex.doc, "base": base,
            "derivation": derivation, "abstract": complex.is_abstract, "fields": fields(types, id),
        });
        out.insert(complex.label.to_string(), json);
    }
    for &id in &reached.simple {
        out.insert(types.type_label(TypeId::Simple(id)), simple(types, id));
    }
    out.into()
}

fn simple(types: &Types, id: SimpleId) -> Json {
    let simple = types.simple(id);
    let label = |id: &SimpleId| types.type_label(TypeId::Simple(*id));
    let (variety, of) = match &simple.variety {
        Variety::Atomic(builtin) => ("atomic", json!(format!("xsd:{}", builtin.name()))),
        Variety::List(item) => ("list", json!(label(item))),
        Variety::Union(members) => ("union", members.iter().map(label).collect()),
    };
    json!({
        "kind": "simple", "variety": variety, "of": of, "doc": simple.doc,
        "base": simple.base.as_ref().map(label), "facets": facets(types, id),
    })
}

/// The facets that are set, those of the bases included.
fn facets(types: &Types, id: SimpleId) -> Json {
    let mut out = Map::new();
    let Facets {
        length,
        min_length,
        max_length,
        total_digits,
        fraction_digits,
        ..
    } = &types.simple(id).facets;
    for (name, number) in [
        ("length", length),
        ("min_length", min_length),
        ("max_length", max_length),
    ] {
        out.extend(number.map(|n| (name.to_owned(), n.into())));
    }
    for (name, number) in [
        ("total_digits", total_digits),
        ("fraction_digits", fraction_digits),
    ] {
        out.extend(number.map(|n| (name.to_owned(), n.into())));
    }
    let facets = &types.simple(id).facets;
    for (name, bound) in [
        ("min_inclusive", &facets.min_inclusive),
        ("min_exclusive", &facets.min_exclusive),
        ("max_inclusive", &facets.max_inclusive),
        ("max_exclusive", &facets.max_exclusive),
    ] {
        out.extend(bound.as_ref().map(|b| (name.to_owned(), b.as_ref().into())));
    }
    let mut at = Some(id);
    let (mut patterns, mut enumeration) = (Vec::new(), None);
    while let Some(step) = at {
        let simple = types.simple(step);
        if !simple.facets.patterns.is_empty() {
            patterns.push(json!(simple.facets.patterns));
        }
        if enumeration.is_none() && !simple.facets.enumeration.is_empty() {
            enumeration = Some(json!(simple.facets.enumeration));
        }
        at = simple.base;
    }
    if !patterns.is_empty() {
        out.insert("patterns".into(), patterns.into());
    }
    out.extend(enumeration.map(|values| ("enumeration".to_owned(), values)));
    out.into()
}
