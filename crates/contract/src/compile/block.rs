//! What may not stand for what is declared: `block`, `blockDefault` (XSD part 1, 3.3.2 and 3.4.2).

use castile_plan::{Disallowed, QName, TypeId};

use super::Compiler;
use crate::names::Ns;
use crate::tree::NodeRef;
use crate::xsd::{Decl, Space};

/// Ways in which something is derived, or blocked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ways {
    pub(super) substitution: bool,
    extension: bool,
    restriction: bool,
}

impl Ways {
    fn or(self, other: Ways) -> Ways {
        Ways {
            substitution: self.substitution || other.substitution,
            extension: self.extension || other.extension,
            restriction: self.restriction || other.restriction,
        }
    }

    fn meets(self, other: Ways) -> bool {
        self.extension && other.extension || self.restriction && other.restriction
    }
}

impl<'d> Compiler<'d> {
    /// What a declaration of an element or a type blocks: its own word, or its schema's.
    pub(super) fn blocked(&self, schema: u32, node: NodeRef<'d>) -> Ways {
        let default = || {
            let schema = self.documents.schemas.get(schema as usize)?;
            self.documents
                .node(schema.document, schema.node)?
                .attribute("blockDefault")
        };
        let Some(words) = node.attribute("block").or_else(default) else {
            return Ways::default();
        };
        let has = |word: &str| words.split_ascii_whitespace().any(|w| w == word || w == "#all");
        Ways {
            substitution: has("substitution"),
            extension: has("extension"),
            restriction: has("restriction"),
        }
    }

    /// Notes which derived types may not stand in an element, if some may not.
    pub(super) fn note_blocked(&mut self, schema: u32, node: NodeRef<'d>, wire: &QName, ty: TypeId) {
        let mut ways = self.blocked(schema, node);
        if let TypeId::Complex(id) = ty
            && let Some(&decl) = self.declarations.get(&id)
            && let Some(node) = self.schemas.node(decl)
        {
            ways = ways.or(self.blocked(decl.schema, node));
        }
        // What has no type of its own must be able to say one: blocked, its values would be text.
        let names_a_type = matches!(ty, TypeId::Complex(_) | TypeId::Simple(_));
        if !names_a_type || !(ways.extension || ways.restriction) {
            return;
        }
        // Of local elements with one name and type, the first speaks for all.
        if self.noted.insert((wire.clone(), ty)) {
            self.types.disallowed.push(Disallowed {
                element: wire.clone(),
                ty,
                extension: ways.extension,
                restriction: ways.restriction,
            });
        }
    }

    /// Whether the type of `member` is derived from that of `head` in a way that `head` or a type on the way
    /// blocks (XSD part 1, 3.3.6, Substitution Group OK).
    pub(super) fn blocks_member(&self, head: Decl, member: Decl) -> bool {
        let Some(node) = self.schemas.node(head) else {
            return false;
        };
        let mut blocked = self.blocked(head.schema, node);
        let declared = self.type_of(head);
        if let Some(decl) = declared
            && let Some(node) = self.schemas.node(decl)
        {
            blocked = blocked.or(self.blocked(decl.schema, node));
        }
        let mut used = Ways::default();
        let mut at = self.type_of(member);
        for _ in 0..self.limits.depth_max {
            let Some(decl) = at.filter(|_| at != declared) else {
                break;
            };
            let Some((way, base)) = self.derivation(decl) else {
                break;
            };
            used = used.or(way);
            if let Some(base) = base.filter(|base| Some(*base) != declared)
                && let Some(node) = self.schemas.node(base)
            {
                blocked = blocked.or(self.blocked(base.schema, node));
            }
            at = base;
        }
        blocked.meets(used)
    }

    /// The declaration of an element's type: named, in it, or that of the head it substitutes.
    fn type_of(&self, element: Decl) -> Option<Decl> {
        let mut element = element;
        for _ in 0..self.limits.depth_max {
            let node = self.schemas.node(element)?;
            if let Some(name) = node.qname("type") {
                return self.schemas.find(Space::Type, element.schema, name);
            }
            let is_type = |c: &NodeRef<'d>| c.is(Ns::XSD, "complexType") || c.is(Ns::XSD, "simpleType");
            if let Some(inner) = node.children().find(is_type) {
                return Some(Decl {
                    schema: element.schema,
                    node: inner.id(),
                });
            }
            let head = node.qname("substitutionGroup")?;
            element = self.schemas.find(Space::Element, element.schema, head)?;
        }
        None
    }

    /// How a type is derived, and from which; a complex type that does not say so restricts `anyType`.
    fn derivation(&self, decl: Decl) -> Option<(Ways, Option<Decl>)> {
        let node = self.schemas.node(decl)?;
        let content = node.child(Ns::XSD, "complexContent");
        let content = content
            .or_else(|| node.child(Ns::XSD, "simpleContent"))
            .unwrap_or(node);
        let is_step = |c: &NodeRef<'d>| c.is(Ns::XSD, "extension") || c.is(Ns::XSD, "restriction");
        let step = content.children().find(is_step);
        let ways = Ways {
            substitution: false,
            extension: step.is_some_and(|s| s.local() == "extension"),
            restriction: step.is_none_or(|s| s.local() == "restriction"),
        };
        let base = step
            .and_then(|s| s.qname("base"))
            .and_then(|name| self.schemas.find(Space::Type, decl.schema, name));
        Some((ways, base))
    }
}
