//! Parts of messages as leaves of a content model, and blocks of such leaves.

use std::rc::Rc;

use castile_plan::{
    Complex, ComplexId, Field, FieldKind, NsIx, Occurs, Particle, Process, QName, TypeId, Wildcard,
};

use super::At;
use crate::compile::{Compiler, Compositor, Leaf, Model, OUTSIDE, Unusable};
use crate::contract::HEADER_ANY;
use crate::tree::{NodeRef, QNameRef};

/// A complex type of optional elements in any order.
pub(crate) fn block(compiler: &mut Compiler<'_>, label: &str, leaves: Vec<Leaf>) -> ComplexId {
    if leaves.is_empty() {
        return compiler.nothing();
    }
    let optional = Occurs { min: 0, max: 1 };
    let items = leaves
        .into_iter()
        .map(|leaf| Rc::new(Model::Leaf(leaf.into(), optional)))
        .collect();
    let model = Model::group(Compositor::All, Occurs::ONE, items, None);
    let complex = compiler.flatten_model(model.as_deref(), label, |_| {});
    compiler.synthetic(complex)
}

/// A complex type of optional elements and, under the name [`HEADER_ANY`], any others: a header may
/// carry blocks that no contract names (SOAP 1.1, 4.2).
pub(crate) fn open_block(compiler: &mut Compiler<'_>, label: &str, leaves: Vec<Leaf>) -> ComplexId {
    if leaves.is_empty()
        && let Some(id) = compiler.undeclared
    {
        return id;
    }
    let shared = leaves.is_empty();
    let label = if shared { "header" } else { label };
    let optional = Occurs { min: 0, max: 1 };
    let items = leaves
        .into_iter()
        .map(|leaf| Rc::new(Model::Leaf(leaf.into(), optional)))
        .collect();
    let model = Model::group(Compositor::All, Occurs::ONE, items, None);
    let mut complex = compiler.flatten_model(model.as_deref(), label, |_| {});
    let field = complex.fields.len() as u32;
    let wildcard = Wildcard {
        namespaces: None,
        other_than: None,
        process: Process::Skip,
    };
    complex.fields.push(Field {
        name: HEADER_ANY.into(),
        wire: QName::new(NsIx::NONE, ""),
        kind: FieldKind::Any(wildcard),
        ty: TypeId::Any,
        many: true,
        required: false,
        nillable: false,
        default: None,
        fixed: None,
        doc: None,
    });
    complex
        .content
        .retain(|particle| matches!(particle, Particle::Leaf { .. }));
    complex.content.push(Particle::Leaf {
        field,
        occurs: Occurs {
            min: 0,
            max: Occurs::UNBOUNDED,
        },
    });
    let end = complex.content.len() as u32 + 1;
    complex.content.insert(0, Particle::All { optional: false, end });
    let id = compiler.synthetic(complex);
    if shared {
        compiler.undeclared = Some(id);
    }
    id
}

/// The leaf of a part with an element.
pub(super) fn element_leaf<'d>(
    compiler: &mut Compiler<'d>,
    message: At<'d>,
    part: NodeRef<'d>,
    name: QNameRef<'d>,
) -> Leaf {
    match compiler.element_named(message.document | OUTSIDE, part, name) {
        Ok(id) => {
            let element = &compiler.types.elements[id.index()];
            let mut leaf = Leaf {
                wire: element.name.clone(),
                kind: FieldKind::Element,
                ty: element.ty,
                nillable: element.nillable,
                default: element.default.clone(),
                fixed: element.fixed.clone(),
                doc: element.doc.clone(),
            };
            if element.is_abstract {
                let text = format!(
                    "element {} is abstract, and substitution groups are not supported",
                    name.local
                );
                leaf.ty = compiler.refuse(message.document | OUTSIDE, part, &text).into();
            }
            leaf
        }
        Err(Unusable(i)) => {
            let wire = compiler.qname(name.ns, name.local);
            plain(wire, TypeId::Unsupported(i))
        }
    }
}

/// The leaf of a part with a type, under a name given to it.
pub(super) fn type_leaf<'d>(
    compiler: &mut Compiler<'d>,
    message: At<'d>,
    part: NodeRef<'d>,
    wire: QName,
) -> Leaf {
    let ty = match part.qname("type") {
        _ if !castile_xml::is_ncname(&wire.local) => {
            let text = format!("{:?} is no name of an element (WSDL 1.1, 2.3.1)", &*wire.local);
            compiler.refuse(message.document | OUTSIDE, part, &text).into()
        }
        Some(name) => compiler.type_named(message.document | OUTSIDE, part, name),
        None => compiler
            .refuse(
                message.document | OUTSIDE,
                part,
                "a part has neither element nor type",
            )
            .into(),
    };
    let ty = compiler.mended(ty);
    plain(wire, ty)
}

pub(super) fn plain(wire: QName, ty: TypeId) -> Leaf {
    Leaf {
        wire,
        kind: FieldKind::Element,
        ty,
        nillable: false,
        default: None,
        fixed: None,
        doc: None,
    }
}

pub(super) fn has_attributes(complex: &Complex) -> bool {
    complex
        .fields
        .iter()
        .any(|f| matches!(f.kind, FieldKind::Attribute | FieldKind::AnyAttribute(_)))
}

/// No namespace at all, for elements that rpc style leaves unqualified.
pub(super) const UNQUALIFIED: NsIx = NsIx::NONE;
