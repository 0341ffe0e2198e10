//! Substitution groups (XSD part 1, 3.3.6): what may stand where their head is referred to.
//!
//! A reference to a head that has members is a field named for the head, whose type is a choice of the
//! head, unless that is abstract, and every member, also of members. So a value names the element
//! that it stands in, and one table serves every reference.

use std::collections::HashSet;
use std::rc::Rc;

use castile_plan::{ComplexId, FieldKind, Occurs, TypeId};

use super::element::truth;
use super::model::{Compositor, Leaf, Model};
use super::{Compiler, Scope};
use crate::names::Ns;
use crate::tree::NodeRef;
use crate::xsd::Decl;

impl<'d> Compiler<'d> {
    /// The type of one element of the substitution group that `head` is the head of; `None` if nothing
    /// but the head itself may stand there.
    pub(super) fn substitution(&mut self, head: Decl) -> Option<ComplexId> {
        if let Some(&known) = self.substitutions.get(&head) {
            return known;
        }
        let found = self.make_substitution(head);
        self.substitutions.insert(head, found);
        found
    }

    fn make_substitution(&mut self, head: Decl) -> Option<ComplexId> {
        let members = self.all_members(head);
        if members.len() < 2 {
            return None;
        }
        let concrete = members.into_iter().filter_map(|decl| {
            let node = self.schemas.node(decl)?;
            (!truth(node, "abstract")).then_some((decl, node))
        });
        let concrete: Vec<_> = concrete.collect();
        let leaves = concrete.into_iter().filter_map(|(decl, node)| {
            let leaf = self.global_leaf(decl, node)?;
            Some(Rc::new(Model::Leaf(leaf.into(), Occurs::ONE)))
        });
        let leaves: Vec<_> = leaves.collect();
        if leaves.is_empty() {
            return None;
        }
        let local = self.schemas.node(head)?.token("name")?;
        let label = self
            .documents
            .names
            .clark(self.schemas.target(head.schema), local);
        let model = Model::group(Compositor::Choice, Occurs::ONE, leaves, None);
        let complex = self.flatten_model(model.as_deref(), &format!("{label}/substitutes"), |_| {});
        Some(self.synthetic(complex))
    }

    /// The head and everything that may stand for it, in any number of steps, in document order.
    fn all_members(&self, head: Decl) -> Vec<Decl> {
        let mut found = vec![head];
        if self.blocks_substitution(head) {
            return found;
        }
        let mut seen = HashSet::from([head]);
        let mut at = 0;
        while let Some(&decl) = found.get(at) {
            at += 1;
            let members = self.schemas.members(decl).iter();
            found.extend(members.filter(|&&member| seen.insert(member)));
        }
        found.retain(|&member| member == head || !self.blocks_member(head, member));
        found
    }

    fn blocks_substitution(&self, head: Decl) -> bool {
        let node = self.schemas.node(head);
        node.is_some_and(|node| self.blocked(head.schema, node).substitution)
    }

    /// A global element as a leaf of a content model.
    pub(super) fn global_leaf(&mut self, decl: Decl, node: NodeRef<'d>) -> Option<Leaf> {
        let ns = self.schemas.target(decl.schema);
        let local = node.token("name")?;
        let label = self.documents.names.clark(ns, local);
        let scope = Scope {
            schema: decl.schema,
            label: &label,
        };
        let ty = self.element_type(scope, node);
        let wire = self.qname(ns, local);
        self.note_blocked(decl.schema, node, &wire, ty);
        Some(Leaf {
            wire,
            kind: FieldKind::Element,
            ty,
            nillable: truth(node, "nillable"),
            default: self.value(node, "default", ty),
            fixed: self.value(node, "fixed", ty),
            doc: node.documentation(),
        })
    }

    /// A reference to an element for which others may stand.
    pub(super) fn substitutable(&mut self, ns: Ns, local: &str, id: ComplexId) -> Leaf {
        Leaf {
            wire: self.qname(ns, local),
            kind: FieldKind::Group,
            ty: TypeId::Complex(id),
            nillable: false,
            default: None,
            fixed: None,
            doc: None,
        }
    }
}
