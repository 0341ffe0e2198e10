//! Attribute uses of a complex type (XSD part 1, 3.2, 3.5, 3.6).

use std::collections::HashSet;
use std::rc::Rc;

use castile_plan::{Builtin, Field, FieldKind, NsIx, QName, TypeId, Wildcard};

use super::{Compiler, Scope, Unusable, wildcard};
use crate::names::Ns;
use crate::tree::{NodeRef, QNameRef};
use crate::warning::WarningKind;
use crate::xsd::{Decl, Space};

/// The attributes of a complex type, inherited ones included.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attributes {
    pub(crate) uses: Vec<Rc<Field>>,
    pub(crate) any: Option<Wildcard>,
}

/// What a declaration says of an attribute.
struct Said {
    field: Field,
    prohibited: bool,
}

impl<'d> Compiler<'d> {
    /// Puts the attributes that stand in `node` over those of the base; a `restriction` may take
    /// some away, and the wildcard.
    pub(super) fn attributes(
        &mut self,
        scope: Scope<'_>,
        node: NodeRef<'d>,
        attributes: &mut Attributes,
    ) -> Result<(), Unusable> {
        let inherited = attributes.any.take();
        self.attributes_in(scope, node, attributes, &mut HashSet::new())?;
        if node.local() == "extension" {
            attributes.any = match (attributes.any.take(), inherited) {
                (Some(own), Some(base)) => Some(wildcard::union(own, &base)),
                (own, base) => own.or(base),
            };
        }
        Ok(())
    }

    /// `seen` are the groups that were taken in already: a second time they add nothing.
    fn attributes_in(
        &mut self,
        scope: Scope<'_>,
        node: NodeRef<'d>,
        attributes: &mut Attributes,
        seen: &mut HashSet<Decl>,
    ) -> Result<(), Unusable> {
        for child in node.children().filter(|c| c.ns() == Ns::XSD) {
            match child.local() {
                "attribute" => {
                    // In a group or an extension a prohibited use is none at all (XSD part 1, 3.2.2).
                    let counts = |said: &Said| !said.prohibited || node.local() == "restriction";
                    if let Some(said) = self.attribute(scope, child).filter(counts) {
                        put(attributes, said);
                    }
                }
                "attributeGroup" => self.attribute_group(scope, child, attributes, seen)?,
                "anyAttribute" => {
                    let own = self.wildcard(scope, child);
                    attributes.any = Some(match attributes.any.take() {
                        Some(before) => wildcard::intersection(own, &before),
                        None => own,
                    });
                }
                _ => {}
            }
            let size = attributes.uses.len() as u64;
            self.check_size(scope, node, size)?;
        }
        Ok(())
    }

    fn attribute_group(
        &mut self,
        scope: Scope<'_>,
        node: NodeRef<'d>,
        attributes: &mut Attributes,
        seen: &mut HashSet<Decl>,
    ) -> Result<(), Unusable> {
        let Some(name) = node.qname("ref") else {
            return Ok(());
        };
        if (name.ns, name.local) == (Ns::XML, "specialAttrs") {
            for local in ["base", "lang", "space"] {
                put(
                    attributes,
                    Said {
                        field: self.xml_attribute(local),
                        prohibited: false,
                    },
                );
            }
            return Ok(());
        }
        let mut decl = match self.reference(Space::AttributeGroup, scope.schema, node, name) {
            Ok(decl) => decl,
            Err(Unusable(i)) => {
                // Nothing is known of its attributes; the elements of the type work without them.
                let text = self
                    .types
                    .unsupported
                    .get(i as usize)
                    .cloned()
                    .unwrap_or_default();
                let text = format!("{text}; its attributes are left out");
                self.warn(WarningKind::LeftOut, scope.schema, node, text);
                return Ok(());
            }
        };
        while seen.contains(&decl)
            && let Some(before) = self.schemas.redefined(decl)
        {
            decl = before;
        }
        let Some(target) = self.schemas.node(decl).filter(|_| seen.insert(decl)) else {
            return Ok(());
        };
        let scope = Scope {
            schema: decl.schema,
            label: scope.label,
        };
        self.deeper(decl.schema, target, |this| {
            this.attributes_in(scope, target, attributes, seen)
        })
    }

    fn attribute(&mut self, scope: Scope<'_>, node: NodeRef<'d>) -> Option<Said> {
        let (name, reference) = (node.token("name"), node.qname("ref"));
        let local = name.or(reference.map(|name| name.local));
        if let Some(local) = local.filter(|local| !castile_xml::is_ncname(local)) {
            let text = format!("{local:?} is no name of an attribute, which is left out (XSD part 1, 3.2.2)");
            self.warn(WarningKind::LeftOut, scope.schema, node, text);
            return None;
        }
        let mut field = match (name, reference) {
            (None, Some(name)) => self.referenced_attribute(scope, node, name),
            (Some(name), _) => self.declared_attribute(scope, node, name),
            (None, None) => {
                self.warn(
                    WarningKind::LeftOut,
                    scope.schema,
                    node,
                    "an attribute has neither name nor ref and is left out".into(),
                );
                return None;
            }
        };
        field.required = node.token("use") == Some("required");
        field.default = self.value(node, "default", field.ty).or(field.default);
        field.fixed = self.value(node, "fixed", field.ty).or(field.fixed);
        field.doc = node.documentation().or(field.doc);
        Some(Said {
            field,
            prohibited: node.token("use") == Some("prohibited"),
        })
    }

    fn declared_attribute(&mut self, scope: Scope<'_>, node: NodeRef<'d>, name: &str) -> Field {
        let qualified = match node.token("form") {
            Some(form) => form == "qualified",
            None => self
                .documents
                .schemas
                .get(scope.schema as usize)
                .is_some_and(|s| s.attributes_qualified),
        };
        let ns = if qualified {
            self.schemas.target(scope.schema)
        } else {
            Ns::NONE
        };
        let ty = self.attribute_type(scope.schema, node);
        field(self.qname(ns, name), ty)
    }

    fn referenced_attribute(&mut self, scope: Scope<'_>, node: NodeRef<'d>, name: QNameRef<'d>) -> Field {
        if name.ns == Ns::XML {
            return self.xml_attribute(name.local);
        }
        if matches!(name.ns, Ns::ENVELOPE11 | Ns::ENVELOPE12) {
            return self.envelope_attribute(name);
        }
        let found = self.reference(Space::Attribute, scope.schema, node, name);
        let target = found.map(|decl| (decl, self.schemas.node(decl)));
        match target {
            Ok((decl, Some(target))) => {
                let ns = self.schemas.target(decl.schema);
                let ty = self.attribute_type(decl.schema, target);
                let mut field = field(self.qname(ns, name.local), ty);
                field.default = self.value(target, "default", ty);
                field.fixed = self.value(target, "fixed", ty);
                field.doc = target.documentation();
                field
            }
            Ok((_, None)) => field(self.qname(name.ns, name.local), of(Builtin::String)),
            Err(Unusable(i)) => field(self.qname(name.ns, name.local), TypeId::Unsupported(i)),
        }
    }

    fn attribute_type(&mut self, schema: u32, node: NodeRef<'d>) -> TypeId {
        let ty = match (node.qname("type"), node.child(Ns::XSD, "simpleType")) {
            (Some(name), _) => self.type_named(schema, node, name),
            (None, Some(inner)) => self.declared_type(
                Decl {
                    schema,
                    node: inner.id(),
                },
                "an anonymous simple type".into(),
            ),
            (None, None) => of(Builtin::AnySimpleType),
        };
        self.as_simple(schema, node, ty)
            .map_or_else(TypeId::from, TypeId::Simple)
    }

    /// The attributes that SOAP declares for header blocks and other elements (SOAP 1.1, 4.1.1 and 4.2;
    /// SOAP 1.2 part 1, 5.1.1 and 5.2): schemas refer to them, mostly without the envelope's schema at hand.
    fn envelope_attribute(&mut self, name: QNameRef<'_>) -> Field {
        let builtin = match name.local {
            "mustUnderstand" | "relay" => Builtin::Boolean,
            _ => Builtin::AnyUri,
        };
        field(self.qname(name.ns, name.local), of(builtin))
    }

    /// The attributes that XML itself declares.
    fn xml_attribute(&mut self, local: &str) -> Field {
        let builtin = match local {
            "lang" => Builtin::Language,
            "base" => Builtin::AnyUri,
            "space" => Builtin::NCName,
            "id" => Builtin::Id,
            _ => Builtin::AnySimpleType,
        };
        field(self.qname(Ns::XML, local), of(builtin))
    }
}

fn put(attributes: &mut Attributes, said: Said) {
    let uses = &mut attributes.uses;
    let at = uses.iter().position(|before| before.wire == said.field.wire);
    match (at, said.prohibited) {
        (Some(at), true) => {
            uses.remove(at);
        }
        (Some(at), false) => uses[at] = Rc::new(said.field),
        (None, true) => {}
        (None, false) => uses.push(Rc::new(said.field)),
    }
}

fn of(builtin: Builtin) -> TypeId {
    TypeId::Simple(builtin.into())
}

fn field(wire: QName, ty: TypeId) -> Field {
    Field {
        name: wire.local.clone(),
        wire,
        kind: FieldKind::Attribute,
        ty,
        many: false,
        required: false,
        nillable: false,
        default: None,
        fixed: None,
        doc: None,
    }
}

/// The field of an attribute wildcard.
pub(super) fn any_attribute(wildcard: Wildcard) -> Field {
    let mut field = field(QName::new(NsIx::NONE, ""), TypeId::Any);
    field.kind = FieldKind::AnyAttribute(wildcard);
    field
}
