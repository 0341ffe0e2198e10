//! Element declarations, global and local (XSD part 1, 3.3).

use std::rc::Rc;

use castile_plan::{Element, ElementId, FieldKind, Occurs, TypeId};

use super::model::{Leaf, Model};
use super::{Compiler, Scope, Unusable};
use crate::names::Ns;
use crate::tree::{NodeRef, QNameRef};
use crate::xsd::{Decl, Space};

impl<'d> Compiler<'d> {
    /// The global element of a declaration.
    pub(crate) fn element(&mut self, decl: Decl) -> Option<ElementId> {
        if let Some(&id) = self.elements.get(&decl) {
            return Some(id);
        }
        let node = self.schemas.node(decl)?;
        let target = self.schemas.target(decl.schema);
        let local = node.token("name")?;
        let label = self.documents.names.clark(target, local);
        let ty = self.element_type(
            Scope {
                schema: decl.schema,
                label: &label,
            },
            node,
        );
        let substitutes = node.qname("substitutionGroup");
        let substitutes = substitutes
            .filter(|q| q.ns != Ns::UNBOUND)
            .map(|q| self.qname(q.ns, q.local));
        let name = self.qname(target, local);
        self.note_blocked(decl.schema, node, &name, ty);
        let element = Element {
            name,
            ty,
            nillable: truth(node, "nillable"),
            is_abstract: truth(node, "abstract"),
            substitutes,
            default: self.value(node, "default", ty),
            fixed: self.value(node, "fixed", ty),
            doc: node.documentation(),
        };
        let id = ElementId(self.types.elements.len() as u32);
        self.types.elements.push(element);
        self.elements.insert(decl, id);
        Some(id)
    }

    /// The global element of this name.
    pub(crate) fn element_named(
        &mut self,
        schema: u32,
        node: NodeRef<'d>,
        name: QNameRef<'d>,
    ) -> Result<ElementId, Unusable> {
        let decl = self.reference(Space::Element, schema, node, name)?;
        self.element(decl)
            .ok_or_else(|| self.refuse(schema, node, "an element without a name"))
    }

    /// An `element` in a content model: a declaration or a reference.
    pub(super) fn local_element(
        &mut self,
        scope: Scope<'_>,
        node: NodeRef<'d>,
        occurs: Occurs,
    ) -> Result<Rc<Model>, Unusable> {
        let (name, reference) = (node.token("name"), node.qname("ref"));
        let local = name.or(reference.map(|name| name.local));
        if let Some(local) = local.filter(|local| !castile_xml::is_ncname(local)) {
            let text = format!("{local:?} is no name of an element (XSD part 1, 3.3.2)");
            return Err(self.refuse(scope.schema, node, &text));
        }
        let leaf = match (name, reference) {
            (None, Some(name)) => self.referenced(scope, node, name),
            (Some(name), _) => self.declared(scope, node, name),
            (None, None) => {
                return Err(self.refuse(scope.schema, node, "an element has neither name nor ref"));
            }
        };
        Ok(Rc::new(Model::Leaf(leaf.into(), occurs)))
    }

    fn declared(&mut self, scope: Scope<'_>, node: NodeRef<'d>, name: &str) -> Leaf {
        let qualified = match node.token("form") {
            Some(form) => form == "qualified",
            None => self
                .documents
                .schemas
                .get(scope.schema as usize)
                .is_some_and(|s| s.elements_qualified),
        };
        let ns = if qualified {
            self.schemas.target(scope.schema)
        } else {
            Ns::NONE
        };
        let label = format!("{}/{name}", short(scope.label));
        let scope = Scope {
            schema: scope.schema,
            label: &label,
        };
        let ty = self.element_type(scope, node);
        let wire = self.qname(ns, name);
        self.note_blocked(scope.schema, node, &wire, ty);
        Leaf {
            wire,
            kind: FieldKind::Element,
            ty,
            nillable: truth(node, "nillable"),
            default: self.value(node, "default", ty),
            fixed: self.value(node, "fixed", ty),
            doc: node.documentation(),
        }
    }

    fn referenced(&mut self, scope: Scope<'_>, node: NodeRef<'d>, name: QNameRef<'d>) -> Leaf {
        let doc = node.documentation();
        // A whole schema in a message, as ADO.NET writes them.
        if name.ns == Ns::XSD {
            return self.plain(name, TypeId::Any, doc);
        }
        let decl = match self.reference(Space::Element, scope.schema, node, name) {
            Ok(decl) => decl,
            Err(unusable) => return self.plain(name, unusable.into(), doc),
        };
        let Some(target) = self.schemas.node(decl) else {
            return self.plain(name, TypeId::Any, doc);
        };
        if let Some(group) = self.substitution(decl) {
            let ns = self.schemas.target(decl.schema);
            let leaf = self.substitutable(ns, name.local, group);
            return Leaf {
                doc: doc.or_else(|| target.documentation()),
                ..leaf
            };
        }
        let Some(mut leaf) = self.global_leaf(decl, target) else {
            return self.plain(name, TypeId::Any, doc);
        };
        if truth(target, "abstract") {
            let text = format!(
                "element {} is abstract, and no element substitutes it",
                self.types.clark(&leaf.wire)
            );
            leaf.ty = self.refuse(scope.schema, node, &text).into();
        }
        leaf.doc = doc.or(leaf.doc);
        leaf
    }

    fn plain(&mut self, name: QNameRef<'d>, ty: TypeId, doc: Option<Box<str>>) -> Leaf {
        let wire = self.qname(name.ns, name.local);
        Leaf {
            wire,
            kind: FieldKind::Element,
            ty,
            nillable: false,
            default: None,
            fixed: None,
            doc,
        }
    }

    /// The type of a declaration: named, in it, that of the head it substitutes, or any.
    pub(super) fn element_type(&mut self, scope: Scope<'_>, node: NodeRef<'d>) -> TypeId {
        let (mut schema, mut node) = (scope.schema, node);
        for _ in 0..self.limits.depth_max {
            if let Some(name) = node.qname("type") {
                return self.type_named(schema, node, name);
            }
            let inner = node
                .children()
                .find(|c| c.is(Ns::XSD, "complexType") || c.is(Ns::XSD, "simpleType"));
            if let Some(inner) = inner {
                return self.declared_type(
                    Decl {
                        schema,
                        node: inner.id(),
                    },
                    scope.label.into(),
                );
            }
            let head = node
                .qname("substitutionGroup")
                .and_then(|name| self.schemas.find(Space::Element, schema, name));
            let Some((head, at)) = head.and_then(|decl| Some((decl, self.schemas.node(decl)?))) else {
                break;
            };
            (schema, node) = (head.schema, at);
        }
        TypeId::Any
    }
}

/// Labels of what stands deep inside anonymous types do not grow without end.
fn short(label: &str) -> &str {
    &label[..label.floor_char_boundary(LABEL_BYTES_MAX)]
}

const LABEL_BYTES_MAX: usize = 1024;

/// An xsd:boolean attribute, false unless set.
pub(super) fn truth(node: NodeRef<'_>, attribute: &str) -> bool {
    matches!(node.token(attribute), Some("true" | "1"))
}
