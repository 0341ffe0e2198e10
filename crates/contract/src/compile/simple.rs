//! Simple types (XSD part 1, 3.14).

use castile_plan::{Builtin, Facets, Simple, SimpleId, TypeId, Variety, WhiteSpace, pattern_problem};

use super::{Compiler, Unusable, facets};
use crate::names::Ns;
use crate::tree::NodeRef;
use crate::warning::WarningKind;
use crate::xsd::{Decl, Space};

impl<'d> Compiler<'d> {
    /// Compiles a `simpleType` element. Its parts get their ids before it.
    pub(super) fn simple(&mut self, decl: Decl, node: NodeRef<'d>) -> Result<SimpleId, Unusable> {
        let mut simple = self.deeper(decl.schema, node, |this| this.variety(decl, node))?;
        simple.name = self.global_name(decl, node);
        simple.doc = node.documentation();
        Ok(self.add_simple(simple))
    }

    pub(super) fn add_simple(&mut self, simple: Simple) -> SimpleId {
        self.cost += 1;
        let id = SimpleId(self.types.simple.len() as u32);
        self.types.simple.push(simple);
        id
    }

    fn variety(&mut self, decl: Decl, node: NodeRef<'d>) -> Result<Simple, Unusable> {
        if let Some(restriction) = node.child(Ns::XSD, "restriction") {
            let base = self.part(decl, restriction, "base")?;
            self.check_patterns(decl, restriction);
            return Ok(self.restricted(base, restriction));
        }
        if let Some(list) = node.child(Ns::XSD, "list") {
            let item = self.part(decl, list, "itemType")?;
            return Ok(constructed(Variety::List(item)));
        }
        if let Some(union) = node.child(Ns::XSD, "union") {
            let members = self.members(decl, union)?;
            return Ok(constructed(Variety::Union(members)));
        }
        self.warn(
            WarningKind::Tolerated,
            decl.schema,
            node,
            "a simple type says nothing of itself; it is taken as xsd:string".into(),
        );
        Ok(self.restricted(Builtin::String.into(), node))
    }

    /// Warns of patterns that are none: they, and those beside them, are not checked.
    fn check_patterns(&mut self, decl: Decl, node: NodeRef<'d>) {
        for facet in node.named(Ns::XSD, "pattern") {
            let Some(value) = facet.attribute("value") else {
                continue;
            };
            if let Some(problem) = pattern_problem(value) {
                let text = format!("the pattern {value:?} is not checked: {problem} (XSD part 2, F)");
                self.warn(WarningKind::Unchecked, decl.schema, facet, text);
            }
        }
    }

    /// A restriction of `base` by the facets in `node`.
    pub(super) fn restricted(&mut self, base: SimpleId, node: NodeRef<'d>) -> Simple {
        let mut facets = self.types.simple(base).facets.clone();
        let variety = self.types.simple(base).variety.clone();
        facets::narrow(&mut facets, node, |facet, value| match is_name(&variety) {
            true => self.clark_value(facet, "value"),
            false => Some(value.into()),
        });
        Simple {
            name: None,
            base: Some(base),
            variety,
            facets,
            doc: None,
        }
    }

    /// A default or fixed value of type `ty`; a qualified name is kept as `{namespace}local`.
    pub(super) fn value(&self, node: NodeRef<'d>, attribute: &str, ty: TypeId) -> Option<Box<str>> {
        let value = node.attribute(attribute)?;
        let name = match ty {
            TypeId::Simple(id) if is_name(&self.types.simple(id).variety) => {
                self.clark_value(node, attribute)
            }
            _ => None,
        };
        Some(name.unwrap_or_else(|| value.into()))
    }

    fn clark_value(&self, node: NodeRef<'d>, attribute: &str) -> Option<Box<str>> {
        let name = node.qname(attribute).filter(|name| name.ns != Ns::UNBOUND)?;
        Some(self.documents.names.clark(name.ns, name.local.trim()).into())
    }

    /// The simple type that an attribute of `node` names, or that stands in it.
    fn part(&mut self, decl: Decl, node: NodeRef<'d>, attribute: &str) -> Result<SimpleId, Unusable> {
        let ty = match (node.qname(attribute), node.child(Ns::XSD, "simpleType")) {
            (Some(name), _) => match self.before(Space::Type, decl, name) {
                Some(before) => self.named_type(before),
                None => self.type_named(decl.schema, node, name),
            },
            (None, Some(inner)) => self.anonymous_simple(decl, inner),
            (None, None) => {
                let text = format!("a {} without {attribute}", node.local());
                return Err(self.refuse(decl.schema, node, &text));
            }
        };
        self.as_simple(decl.schema, node, ty)
    }

    fn members(&mut self, decl: Decl, union: NodeRef<'d>) -> Result<Vec<SimpleId>, Unusable> {
        let mut members = Vec::new();
        for name in union.qnames("memberTypes") {
            let ty = self.type_named(decl.schema, union, name);
            members.push(self.as_simple(decl.schema, union, ty)?);
        }
        for inner in union.named(Ns::XSD, "simpleType") {
            let ty = self.anonymous_simple(decl, inner);
            members.push(self.as_simple(decl.schema, inner, ty)?);
        }
        if members.is_empty() {
            members.push(Builtin::AnySimpleType.into());
        }
        Ok(members)
    }

    fn anonymous_simple(&mut self, decl: Decl, node: NodeRef<'d>) -> TypeId {
        self.declared_type(
            Decl {
                schema: decl.schema,
                node: node.id(),
            },
            "an anonymous simple type".into(),
        )
    }

    /// A type where only simple ones may stand.
    pub(super) fn as_simple(
        &mut self,
        schema: u32,
        node: NodeRef<'d>,
        ty: TypeId,
    ) -> Result<SimpleId, Unusable> {
        match ty {
            TypeId::Simple(id) => Ok(id),
            TypeId::Unsupported(i) => Err(Unusable(i)),
            TypeId::Any => Ok(Builtin::AnySimpleType.into()),
            TypeId::Complex(id) => {
                let label = self.types.complex(id).label.clone();
                Err(self.refuse(
                    schema,
                    node,
                    &format!("complex type {label} stands where a simple type must"),
                ))
            }
        }
    }
}

fn is_name(variety: &Variety) -> bool {
    matches!(variety, Variety::Atomic(Builtin::QName | Builtin::Notation))
}

fn constructed(variety: Variety) -> Simple {
    let list = matches!(variety, Variety::List(_));
    let white_space = list.then_some(WhiteSpace::Collapse);
    Simple {
        name: None,
        base: None,
        variety,
        facets: Facets {
            white_space,
            ..Facets::default()
        },
        doc: None,
    }
}
