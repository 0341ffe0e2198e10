//! Declared faults (WSDL 1.1, 2.4.2, 3.6).

use castile_plan::{ComplexId, ElementId, QName};

use super::binding::warn;
use super::message::Messages;
use super::part::{block, element_leaf};
use super::{At, addressing};
use crate::compile::{Compiler, Leaf, OUTSIDE};
use crate::contract::FaultDecl;
use crate::names::Ns;

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
                    warn(compiler, at, fault, &format!("fault {name} is left out: {why}"));
                    continue;
                }
            };
            let part = message
                .node
                .named(Ns::WSDL, "part")
                .find_map(|p| Some((p, p.qname("element")?)));
            let Some((part, element)) = part else {
                let text = format!(
                    "fault {name} is left out: its message has no part with an element (WSDL 1.1, 3.6)"
                );
                warn(compiler, at, fault, &text);
                continue;
            };
            let leaf = element_leaf(compiler, message, part, element);
            let action = addressing::fault(compiler, self.port_type, self.operation, fault);
            faults.push((
                name,
                action,
                leaf.wire.clone(),
                compiler
                    .element_named(message.document | OUTSIDE, part, element)
                    .ok(),
            ));
            if !leaves.iter().any(|l| l.wire == leaf.wire) {
                leaves.push(leaf);
            }
        }
        let detail = block(compiler, &format!("{} fault detail", self.operation), leaves);
        let declared = faults.into_iter().map(|(name, action, wire, id)| FaultDecl {
            action,
            ..declaration(compiler, detail, name, &wire, id)
        });
        (declared.collect(), detail)
    }
}

fn declaration(
    compiler: &Compiler<'_>,
    detail: ComplexId,
    name: &str,
    wire: &QName,
    id: Option<ElementId>,
) -> FaultDecl {
    let field = compiler
        .types
        .complex(detail)
        .fields
        .iter()
        .position(|f| f.wire == *wire);
    FaultDecl {
        name: name.into(),
        element: compiler.types.clark(wire),
        id,
        field: field.map(|i| i as u32),
        action: String::new(),
    }
}
