//! What a contract holds, for those who look around in it: services, types, elements.

use castile_contract::{Contract, Protocol};
use castile_plan::{ComplexId, Field, FieldKind, TypeId, Types};
use pyo3::prelude::*;

/// A field of a complex type, or a global element.
#[pyclass(module = "castile._castile", frozen, get_all)]
#[derive(Clone)]
pub(crate) struct FieldFace {
    /// As users call it.
    name: String,
    /// As zeep calls it.
    key: String,
    /// `element`, `attribute`, `text`, `any`, `attributes` or `group`.
    role: &'static str,
    namespace: String,
    local: String,
    /// As messages call it, such as `xsd:double`.
    type_name: String,
    /// The complex type, for [`TypeFace`].
    complex: Option<u32>,
    many: bool,
    required: bool,
    nillable: bool,
}

/// A complex type.
#[pyclass(module = "castile._castile", frozen, get_all)]
pub(crate) struct TypeFace {
    /// `{namespace}local`; a path for a type without a name.
    name: String,
    /// Whether it has no name.
    is_anonymous: bool,
    is_abstract: bool,
    doc: Option<String>,
    fields: Vec<FieldFace>,
}

/// A port of a service.
#[pyclass(module = "castile._castile", frozen, get_all)]
pub(crate) struct PortFace {
    service: String,
    name: String,
    /// `{namespace}local`.
    binding: String,
    /// `soap11`, `soap12`, or empty for what is no SOAP.
    protocol: &'static str,
    address: Option<String>,
}

/// What a field is on the wire, in a word.
pub(crate) fn role(kind: &FieldKind) -> &'static str {
    match kind {
        FieldKind::Element => "element",
        FieldKind::Attribute => "attribute",
        FieldKind::Text => "text",
        FieldKind::Any(_) => "any",
        FieldKind::AnyAttribute(_) => "attributes",
        FieldKind::Group => "group",
    }
}

/// What zeep calls the fields of a type: those that have no name on the wire are numbered.
pub(crate) fn zeep_keys(fields: &[Field]) -> Vec<String> {
    let mut number = 0;
    let key = |field: &Field| match field.kind {
        FieldKind::Element | FieldKind::Attribute => field.name.to_string(),
        FieldKind::AnyAttribute(_) => "_attr_1".to_owned(),
        FieldKind::Text | FieldKind::Any(_) | FieldKind::Group => {
            number += 1;
            format!("_value_{number}")
        }
    };
    fields.iter().map(key).collect()
}

/// A complex type by its number.
pub(crate) fn type_face(types: &Types, id: ComplexId) -> TypeFace {
    let complex = types.complex(id);
    let fields = complex.fields.iter().zip(zeep_keys(&complex.fields));
    TypeFace {
        name: complex.label.to_string(),
        is_anonymous: complex.name.is_none(),
        is_abstract: complex.is_abstract,
        doc: complex.doc.as_deref().map(str::to_owned),
        fields: fields.map(|(field, key)| field_face(types, field, key)).collect(),
    }
}

fn field_face(types: &Types, field: &Field, key: String) -> FieldFace {
    FieldFace {
        name: field.name.to_string(),
        key,
        role: role(&field.kind),
        namespace: types.uri(field.wire.ns).to_owned(),
        local: field.wire.local.to_string(),
        type_name: types.type_label(field.ty),
        complex: match field.ty {
            TypeId::Complex(id) => Some(id.0),
            _ => None,
        },
        many: field.many,
        required: field.required,
        nillable: field.nillable,
    }
}

/// A global element, as a field that stands for itself.
pub(crate) fn element_face(types: &Types, name: &str) -> Option<FieldFace> {
    let element = types.elements.iter().find(|e| types.clark(&e.name) == name)?;
    let field = element.to_field();
    Some(field_face(types, &field, field.name.to_string()))
}

/// All ports, in document order.
pub(crate) fn ports(contract: &Contract) -> Vec<PortFace> {
    let mut faces = Vec::new();
    for service in &contract.services {
        for port in &service.ports {
            let Some(binding) = contract.bindings.get(port.binding) else {
                continue;
            };
            faces.push(PortFace {
                service: service.name.clone(),
                name: port.name.clone(),
                binding: format!("{{{}}}{}", binding.namespace, binding.name),
                protocol: match binding.protocol {
                    Protocol::Soap11 => "soap11",
                    Protocol::Soap12 => "soap12",
                    _ => "",
                },
                address: port.address.clone(),
            });
        }
    }
    faces
}
