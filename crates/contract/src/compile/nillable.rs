//! Nil elements that keep their attributes (XSD part 1, 2.6.2).

use std::collections::HashSet;

use castile_plan::{Builtin, ComplexId, Field, FieldKind, QName, TypeId, Types};

/// Adds the field for `xsi:nil` to every type that has attributes and that an element which may be nil
/// is of, or a base of the type.
pub(super) fn add_nil_fields(types: &mut Types) {
    let fields = types.complex.iter().flat_map(|complex| &complex.fields);
    let fields = fields.filter(|f| f.nillable).map(|f| f.ty);
    let elements = types.elements.iter().filter(|e| e.nillable).map(|e| e.ty);
    let nillable: HashSet<TypeId> = fields.chain(elements).collect();
    if nillable.is_empty() {
        return;
    }
    for id in (0..types.complex.len() as u32).map(ComplexId) {
        let has_attributes = types.complex(id).fields.iter().any(is_attribute);
        if has_attributes && bases(types, id).any(|base| nillable.contains(&base)) {
            let field = nil_field(types, id);
            if let Some(complex) = types.complex.get_mut(id.index()) {
                complex.fields.push(field);
            }
        }
    }
}

fn is_attribute(field: &Field) -> bool {
    matches!(field.kind, FieldKind::Attribute | FieldKind::AnyAttribute(_))
}

/// The type and what it is derived from.
fn bases(types: &Types, id: ComplexId) -> impl Iterator<Item = TypeId> {
    let next = |ty: &TypeId| match *ty {
        TypeId::Complex(id) => types.complex(id).base,
        _ => None,
    };
    // A broken schema could derive types from one another.
    std::iter::successors(Some(TypeId::Complex(id)), next).take(types.complex.len())
}

fn nil_field(types: &Types, id: ComplexId) -> Field {
    let fields = &types.complex(id).fields;
    let taken = |name: &str| fields.iter().any(|f| *f.name == *name);
    let mut name = "nil".to_owned();
    while taken(&name) {
        name.push('_');
    }
    Field {
        name: name.into(),
        wire: QName::new(Types::XSI, "nil"),
        kind: FieldKind::Attribute,
        ty: TypeId::Simple(Builtin::Boolean.into()),
        many: false,
        required: false,
        nillable: false,
        default: None,
        fixed: None,
        doc: None,
    }
}
