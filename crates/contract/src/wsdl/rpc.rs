//! The body of rpc/literal messages: the parts in an element named for the operation
//! (WSDL 1.1, 3.5; WS-I Basic Profile R2729, R2735).

use std::rc::Rc;

use castile_plan::{ComplexId, Occurs, QName, TypeId};

use super::At;
use super::binding::warn;
use super::message::{Body, Messages, Side};
use super::part::{UNQUALIFIED, element_leaf, plain, type_leaf};
use crate::compile::{Compiler, Compositor, Model};
use crate::warning::WarningKind;

impl<'d> Messages<'_, 'd> {
    /// The complex type of the body, whose one field is the wrapper.
    pub(super) fn rpc(
        &self,
        compiler: &mut Compiler<'d>,
        body: &Body<'d>,
        side: Side,
        label: &str,
    ) -> Result<ComplexId, String> {
        let mut items = Vec::new();
        for (message, part) in body
            .message
            .iter()
            .flat_map(|m| body.parts.iter().map(move |p| (*m, *p)))
        {
            let name = part.token("name").unwrap_or_default();
            let encoded = body.element.token("use") == Some("encoded");
            let leaf = match part.qname("element") {
                // An element of a schema says nothing of encoded values.
                Some(_) if encoded => {
                    let place = compiler.documents.place(message.document, part);
                    return Err(format!(
                        "rpc/encoded part {name} has an element where it must have a type (WS-I BP R2203), at {place}"
                    ));
                }
                Some(element) => {
                    let text = format!(
                        "rpc style part {name} has an element where it must have a type; that element is sent in its \
                         place (WS-I BP R2203)"
                    );
                    warn(compiler, WarningKind::Tolerated, message, part, &text);
                    element_leaf(compiler, message, part, element)
                }
                None => type_leaf(compiler, message, part, QName::new(UNQUALIFIED, name)),
            };
            items.push(Rc::new(Model::Leaf(leaf.into(), Occurs::ONE)));
        }
        if !castile_xml::is_ncname(self.operation) {
            let place = compiler.documents.place(self.document, body.element);
            let name = self.operation;
            return Err(format!(
                "{name:?} is no name of an element, which it must be in rpc style (WSDL 1.1, 3.5), at {place}"
            ));
        }
        let wrapper = self.wrapper(compiler, body, side);
        let label_of_wrapper = compiler.types.clark(&wrapper);
        let model = Model::group(Compositor::Sequence, Occurs::ONE, items, None);
        let complex = compiler.flatten_model(model.as_deref(), &label_of_wrapper, |_| {});
        let ty = TypeId::Complex(compiler.synthetic(complex));
        let leaf = Model::Leaf(plain(wrapper, ty).into(), Occurs::ONE);
        let complex = compiler.flatten_model(Some(&leaf), label, |_| {});
        Ok(compiler.synthetic(complex))
    }

    fn wrapper(&self, compiler: &mut Compiler<'d>, body: &Body<'d>, side: Side) -> QName {
        let local = match side {
            Side::Input => self.operation.to_owned(),
            Side::Output => format!("{}Response", self.operation),
        };
        let ns = match body.element.token("namespace") {
            Some(uri) => compiler.ns_of(uri),
            None => {
                let text = "soap:body has no namespace; that of the port type is taken (WS-I BP R2717)";
                let at = At {
                    document: self.document,
                    node: body.element,
                    target: self.target,
                };
                warn(compiler, WarningKind::Unqualified, at, body.element, text);
                compiler.ns(self.target)
            }
        };
        QName::new(ns, local)
    }
}
