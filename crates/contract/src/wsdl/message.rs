//! Messages of an operation: header, body, faults (WSDL 1.1, 3.5 to 3.7).

use std::rc::Rc;

use castile_plan::{ComplexId, Occurs, Plan, QName, Style, TypeId};

use super::operation::is_soap;
use super::part::{element_leaf, has_attributes, open_block, type_leaf};
use super::{At, Definitions, binding::warn, wrong_namespace};
use crate::compile::{Compiler, Compositor, Leaf, Model, OUTSIDE};
use crate::contract::BodyStyle;
use crate::names::Ns;
use crate::tree::{NodeRef, QNameRef};
use crate::warning::WarningKind;

/// Which message of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Input,
    Output,
}

impl Side {
    fn element(self) -> &'static str {
        match self {
            Side::Input => "input",
            Side::Output => "output",
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Side::Input => "request",
            Side::Output => "response",
        }
    }
}

/// The messages of one operation.
pub(super) struct Messages<'a, 'd> {
    pub(super) definitions: &'a Definitions<'d>,
    /// The document of the binding.
    pub(super) document: u32,
    /// The namespace of the port type.
    pub(super) target: Ns,
    pub(super) operation: &'d str,
    pub(super) style: BodyStyle,
    pub(super) bound: NodeRef<'d>,
    pub(super) defined: NodeRef<'d>,
    pub(super) port_type: At<'d>,
}

/// A message's parts that make the body, and how.
pub(super) struct Body<'d> {
    pub(super) message: Option<At<'d>>,
    pub(super) parts: Vec<NodeRef<'d>>,
    /// `soap:body`, or what stands in its place in messages about it.
    pub(super) element: NodeRef<'d>,
}

impl<'d> Messages<'_, 'd> {
    /// The plan of a message; for an output, `input` is the plan of its request.
    pub(super) fn plan(
        &self,
        compiler: &mut Compiler<'d>,
        side: Side,
        input: Option<&Plan>,
    ) -> Result<Plan, String> {
        let bound = self.bound.child(Ns::WSDL, side.element()).unwrap_or(self.bound);
        let body = self.body(compiler, bound, side)?;
        let label = format!("{} {}", self.operation, side.noun());
        let header = self.header(compiler, bound, &label)?;
        let encoded = body.element.token("use") == Some("encoded");
        if encoded && self.style == BodyStyle::Document {
            return Err(self.refuse(compiler, body.element, "document/encoded is not supported"));
        }
        if encoded {
            // Whatever the contract names, a peer may send an array of any items.
            compiler.any_array();
        }
        let (complex, style) = match self.style {
            BodyStyle::Rpc => (self.rpc(compiler, &body, side, &label)?, Style::Wrapped),
            BodyStyle::Document => self.document(compiler, &body, side, input, &label)?,
        };
        let plan = Plan::new(&compiler.types, label, style, header, complex);
        Ok(if encoded { plan.into_encoded() } else { plan })
    }

    /// The text of a refusal, with the place of `node` in the binding's document.
    pub(super) fn refuse(&self, compiler: &Compiler<'d>, node: NodeRef<'d>, text: &str) -> String {
        format!("{text}, at {}", compiler.documents.place(self.document, node))
    }

    /// The message of a side and those of its parts that make the body.
    fn body(&self, compiler: &mut Compiler<'d>, bound: NodeRef<'d>, side: Side) -> Result<Body<'d>, String> {
        if let Some(related) = bound.child(Ns::MIME, "multipartRelated") {
            let mut content = related.named(Ns::MIME, "part").flat_map(NodeRef::children);
            if let Some(attachment) = content.find(|c| c.ns() == Ns::MIME) {
                return Err(self.refuse(compiler, attachment, "MIME attachments are not supported"));
            }
        }
        let element = bindings(bound).find(|c| c.local() == "body").unwrap_or(bound);
        let message = match self
            .defined
            .child(Ns::WSDL, side.element())
            .and_then(|m| m.qname("message"))
        {
            Some(name) => Some(self.message(compiler, name, self.port_type.document, self.defined)?),
            None => None,
        };
        let all: Vec<NodeRef<'d>> = message
            .iter()
            .flat_map(|m| m.node.named(Ns::WSDL, "part"))
            .collect();
        let parts = match element.attribute("parts") {
            Some(names) => {
                let named = |name: &str| all.iter().copied().find(|p| p.token("name") == Some(name));
                names.split_ascii_whitespace().filter_map(named).collect()
            }
            None => {
                let headers: Vec<&str> = self.own_headers(bound, message).collect();
                let other = |p: &NodeRef<'d>| p.token("name").is_none_or(|name| !headers.contains(&name));
                // WSDL 1.1, 3.5: without `parts` all are in the body; toolkits leave out those that are headers,
                // unless nothing would be left.
                let others: Vec<_> = all.iter().copied().filter(other).collect();
                if others.is_empty() { all } else { others }
            }
        };
        Ok(Body {
            message,
            parts,
            element,
        })
    }

    /// A message by name, as a place in `document` says it.
    pub(super) fn message(
        &self,
        compiler: &mut Compiler<'d>,
        name: QNameRef<'d>,
        document: u32,
        node: NodeRef<'d>,
    ) -> Result<At<'d>, String> {
        let names = &compiler.documents.names;
        match self.definitions.messages.find(name) {
            Some(found) if found.lenient => {
                let text = wrong_namespace(names, "message", name, found.at);
                warn(
                    compiler,
                    WarningKind::Meant,
                    At {
                        document,
                        node,
                        target: self.target,
                    },
                    node,
                    &text,
                );
                Ok(found.at)
            }
            Some(found) => Ok(found.at),
            None => {
                let place = compiler.documents.place(document, node);
                Err(format!(
                    "message {} is not defined, at {place}",
                    names.clark(name.ns, name.local)
                ))
            }
        }
    }

    /// The names of the parts of `message` that its own binding sends as headers.
    fn own_headers(&self, bound: NodeRef<'d>, message: Option<At<'d>>) -> impl Iterator<Item = &'d str> {
        let name = message.and_then(|m| m.node.token("name"));
        let headers = bindings(bound).filter(|c| c.local() == "header");
        headers
            .filter(move |h| h.qname("message").map(|q| q.local) == name)
            .filter_map(|h| h.token("part"))
    }

    /// The complex type of the header blocks, all optional, in any order.
    fn header(
        &self,
        compiler: &mut Compiler<'d>,
        bound: NodeRef<'d>,
        label: &str,
    ) -> Result<ComplexId, String> {
        let mut leaves = Vec::new();
        for header in bindings(bound).filter(|c| c.local() == "header") {
            let (Some(name), Some(part)) = (header.qname("message"), header.token("part")) else {
                continue;
            };
            let found = match self.message(compiler, name, self.document, header) {
                Ok(message) => {
                    let mut parts = message.node.named(Ns::WSDL, "part");
                    parts
                        .find(|p| p.token("name") == Some(part))
                        .map(|part| (message, part))
                }
                Err(_) => None,
            };
            let Some((message, found)) = found else {
                let text = format!(
                    "there is no part {part} of a message {}; the header is left out",
                    name.local
                );
                let at = At {
                    document: self.document,
                    node: header,
                    target: self.target,
                };
                warn(compiler, WarningKind::LeftOut, at, header, &text);
                continue;
            };
            let leaf = self.header_leaf(compiler, message, header, found);
            if !leaves.iter().any(|l: &Leaf| l.wire == leaf.wire) {
                leaves.push(leaf);
            }
        }
        Ok(open_block(compiler, &format!("{label} header"), leaves))
    }

    fn header_leaf(
        &self,
        compiler: &mut Compiler<'d>,
        message: At<'d>,
        header: NodeRef<'d>,
        part: NodeRef<'d>,
    ) -> Leaf {
        if let Some(name) = part.qname("element") {
            return element_leaf(compiler, message, part, name);
        }
        // WSDL 1.1, 3.7 leaves such a header without a name; its part's is what toolkits take.
        let ns = compiler.ns_of(header.token("namespace").unwrap_or_default());
        type_leaf(
            compiler,
            message,
            part,
            QName::new(ns, part.token("name").unwrap_or_default()),
        )
    }

    /// The body of a document style message.
    fn document(
        &self,
        compiler: &mut Compiler<'d>,
        body: &Body<'d>,
        side: Side,
        input: Option<&Plan>,
        label: &str,
    ) -> Result<(ComplexId, Style), String> {
        if let (Some(message), [part]) = (body.message, &body.parts[..])
            && part.qname("element").is_none()
        {
            return self
                .typed_body(compiler, message, *part)
                .map(|id| (id, Style::Bare));
        }
        let mut leaves = Vec::new();
        for (message, part) in body
            .message
            .iter()
            .flat_map(|m| body.parts.iter().map(move |p| (*m, *p)))
        {
            match part.qname("element") {
                Some(name) => leaves.push(element_leaf(compiler, message, part, name)),
                None => {
                    let text =
                        "a part with a type beside other parts in a document style body is not supported";
                    return Err(format!(
                        "{text}, at {}",
                        compiler.documents.place(message.document, part)
                    ));
                }
            }
        }
        let style = match (&leaves[..], &body.parts[..]) {
            ([leaf], [part]) if self.is_wrapped(compiler, leaf, *part, side, input) => Style::Wrapped,
            _ => Style::Bare,
        };
        let items = leaves
            .into_iter()
            .map(|leaf| Rc::new(Model::Leaf(leaf.into(), Occurs::ONE)))
            .collect();
        let model = Model::group(Compositor::Sequence, Occurs::ONE, items, None);
        let complex = compiler.flatten_model(model.as_deref(), label, |_| {});
        Ok((compiler.synthetic(complex), style))
    }

    /// A single part with a type: the body itself has that type (WSDL 1.1, 3.5).
    fn typed_body(
        &self,
        compiler: &mut Compiler<'d>,
        message: At<'d>,
        part: NodeRef<'d>,
    ) -> Result<ComplexId, String> {
        let place = compiler.documents.place(message.document, part);
        let Some(name) = part.qname("type") else {
            return Err(format!("a part has neither element nor type, at {place}"));
        };
        let ty = compiler.type_named(message.document | OUTSIDE, part, name);
        match compiler.mended(ty) {
            TypeId::Complex(id) => Ok(id),
            TypeId::Unsupported(i) => Err(compiler.types.unsupported[i as usize].to_string()),
            _ => Err(format!(
                "a document style body of simple type {} is not supported (Basic Profile 1.1, R2204), at {place}",
                name.local
            )),
        }
    }

    /// Whether the arguments are the fields of the body's element: it is named for the operation
    /// (a reply's may have any name when the request is wrapped) and has no attributes, or its part
    /// is called `parameters` (JAX-WS 2.2, 2.3.1.2; WCF and gSOAP go by the part's name).
    fn is_wrapped(
        &self,
        compiler: &Compiler<'d>,
        leaf: &Leaf,
        part: NodeRef<'d>,
        side: Side,
        input: Option<&Plan>,
    ) -> bool {
        let TypeId::Complex(id) = leaf.ty else {
            return false;
        };
        let complex = compiler.types.complex(id);
        if complex.is_abstract || complex.text().is_some() {
            return false;
        }
        if part.token("name") == Some("parameters") {
            return true;
        }
        let named = match side {
            Side::Input => *leaf.wire.local == *self.operation,
            Side::Output => input.is_some_and(|input| input.style == Style::Wrapped),
        };
        named && !leaf.nillable && !has_attributes(complex)
    }
}

/// SOAP's elements in an input or output, those in the root part of a multipart message too.
fn bindings<'d>(bound: NodeRef<'d>) -> impl Iterator<Item = NodeRef<'d>> {
    let root = bound.child(Ns::MIME, "multipartRelated").into_iter();
    let inside = root
        .flat_map(|m| m.named(Ns::MIME, "part"))
        .flat_map(NodeRef::children);
    bound.children().chain(inside).filter(|c| is_soap(c.ns()))
}
