//! Declared faults (WSDL 1.1, 2.4.2, 3.6).

use castile_plan::{ComplexId, ElementId, QName, TypeId};

use super::binding::warn;
use super::message::Messages;
use super::operation::is_soap;
use super::part::{block, element_leaf, type_leaf};
use super::{At, addressing};
use crate::compile::{Compiler, Leaf, OUTSIDE};
use crate::contract::{BodyStyle, FaultDecl};
use crate::names::Ns;
use crate::warning::WarningKind;

impl<'d> Messages<'_, 'd> {
    /// The declared faults and the type of the detail.
    pub(super) fn faults(&self, compiler: &mut Compiler<'d>) -> (Vec<FaultDecl>, ComplexId) {
        let mut faults = Vec::new();
        let mut leaves: Vec<Leaf> = Vec::new();
        for fault in self.defined.named(Ns::WSDL, "fault") {
            let name = fault.token("name").unwrap_or_default();
            let Some(reference) = fault.qname("message") else {
                continue;
            };
            let at = At {
                node: fault,
                ..self.port_type
            };
            let message = match self.message(compiler, reference, at.document, fault) {
                Ok(message) => message,
                Err(why) => {
                    let text = format!("fault {name} is left out: {why}");
                    warn(compiler, WarningKind::LeftOut, at, fault, &text);
                    continue;
                }
            };
            let parts = || message.node.named(Ns::WSDL, "part");
            let element = parts().find_map(|p| Some((p, p.qname("element")?)));
            let action = addressing::fault(compiler, self.port_type, self.operation, fault);
            let (leaf, id) = match (element, parts().find(|p| p.qname("type").is_some())) {
                (Some((part, element)), _) => {
                    let leaf = element_leaf(compiler, message, part, element);
                    let id = compiler.element_named(message.document | OUTSIDE, part, element);
                    (leaf, id.ok())
                }
                // In rpc style the part has a type, and the detail an element called like the part.
                (None, Some(part)) if self.style == BodyStyle::Rpc => {
                    let ns = self.fault_namespace(name).unwrap_or_default();
                    let wire = QName::new(compiler.ns_of(ns), part.token("name").unwrap_or(name));
                    let leaf = Leaf {
                        nillable: true,
                        ..type_leaf(compiler, message, part, wire)
                    };
                    (leaf, None)
                }
                _ => {
                    let text = format!(
                        "fault {name} is left out: its message has no part with an element (WSDL 1.1, 3.6)"
                    );
                    warn(compiler, WarningKind::LeftOut, at, fault, &text);
                    continue;
                }
            };
            faults.push((name, action, (leaf.wire.clone(), leaf.ty), id));
            // Several faults of rpc style may have parts of one name, and of different types.
            if !leaves.iter().any(|l| (&l.wire, l.ty) == (&leaf.wire, leaf.ty)) {
                leaves.push(leaf);
            }
        }
        let detail = block(compiler, &format!("{} fault detail", self.operation), leaves);
        let declared = faults.into_iter().map(|(name, action, leaf, id)| FaultDecl {
            action,
            ..declaration(compiler, detail, name, &leaf, id)
        });
        (declared.collect(), detail)
    }

    /// The namespace that the binding gives to a fault.
    fn fault_namespace(&self, name: &str) -> Option<&'d str> {
        let mut faults = self.bound.named(Ns::WSDL, "fault");
        let bound = faults.find(|f| f.token("name") == Some(name))?;
        let soap = bound.children().find(|c| is_soap(c.ns()) && c.local() == "fault");
        soap?.token("namespace")
    }
}

fn declaration(
    compiler: &Compiler<'_>,
    detail: ComplexId,
    name: &str,
    (wire, ty): &(QName, TypeId),
    id: Option<ElementId>,
) -> FaultDecl {
    let field = compiler
        .types
        .complex(detail)
        .fields
        .iter()
        .position(|f| f.wire == *wire && f.ty == *ty);
    FaultDecl {
        name: name.into(),
        element: compiler.types.clark(wire),
        id,
        field: field.map(|i| i as u32),
        action: String::new(),
    }
}
