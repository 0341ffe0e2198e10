//! References by name: to types, built-in ones included, and what is said of a name that is
//! nowhere.

use std::rc::Rc;

use castile_plan::{Builtin, QName, TypeId};

use super::{Compiler, Unusable};
use crate::names::Ns;
use crate::tree::{NodeRef, QNameRef};
use crate::warning::WarningKind;
use crate::xsd::{Decl, Space};

impl<'d> Compiler<'d> {
    /// The type of this name; `node` is where it is referred to, through schema `schema`.
    pub(crate) fn type_named(&mut self, schema: u32, node: NodeRef<'d>, name: QNameRef<'d>) -> TypeId {
        if name.ns == Ns::XSD
            && let Some(ty) = built_in(name.local)
        {
            return ty;
        }
        if matches!(name.ns, Ns::ENCODING11 | Ns::ENCODING12)
            && let Some(ty) = self.encoded_type(name)
        {
            return ty;
        }
        if name.ns == Ns::APACHE
            && self.schemas.find(Space::Type, schema, name).is_none()
            && let Some(ty) = self.apache_type(name.local)
        {
            return ty;
        }
        match self.reference(Space::Type, schema, node, name) {
            Ok(decl) => self.named_type(decl),
            Err(unusable) => match self.meant(schema, node, name) {
                Some(ty) => ty,
                None => unusable.into(),
            },
        }
    }

    /// What a name that no type has can only mean, with a warning: the built-in type, where it is in no
    /// namespace or its prefix is not declared, or the type that is written out in the element of this name.
    fn meant(&mut self, schema: u32, node: NodeRef<'d>, name: QNameRef<'d>) -> Option<TypeId> {
        let clark = self.documents.names.clark(name.ns, name.local);
        if matches!(name.ns, Ns::NONE | Ns::UNBOUND | Ns::WSDL) {
            let ty = built_in(name.local)?;
            let local = name.local;
            let text = format!("there is no type {clark}; xsd:{local} is taken (XSD part 1, 3.15.3)");
            self.warn(WarningKind::Meant, schema, node, text);
            return Some(ty);
        }
        let decl = self.schemas.find(Space::Element, schema, name)?;
        let element = self.schemas.node(decl)?;
        let inner = element.child(Ns::XSD, "complexType")?;
        let text =
            format!("there is no type {clark}; that of the element {clark} is taken (XSD part 1, 3.15.3)");
        self.warn(WarningKind::Meant, schema, node, text);
        let decl = Decl {
            schema: decl.schema,
            node: inner.id(),
        };
        Some(self.declared_type(decl, clark.into()))
    }

    /// The type of a global declaration.
    pub(crate) fn named_type(&mut self, decl: Decl) -> TypeId {
        let Some(node) = self.schemas.node(decl) else {
            return TypeId::Any;
        };
        let label = self.documents.names.clark(
            self.schemas.target(decl.schema),
            node.token("name").unwrap_or("?"),
        );
        self.declared_type(decl, label.into())
    }

    /// The type of a declaration, which messages call `label`.
    pub(super) fn declared_type(&mut self, decl: Decl, label: Rc<str>) -> TypeId {
        match self.known.get(&decl) {
            Some(&Some(ty)) => return ty,
            Some(None) => {
                let what = format!("simple type {label} is derived from itself");
                return self.unusable(what).into();
            }
            None => {}
        }
        let Some(node) = self.schemas.node(decl) else {
            return TypeId::Any;
        };
        let ty = if node.local() == "simpleType" {
            self.known.insert(decl, None);
            self.simple(decl, node).map_or_else(TypeId::from, TypeId::Simple)
        } else {
            TypeId::Complex(self.reserve(decl, label))
        };
        self.known.insert(decl, Some(ty));
        ty
    }

    /// The name under which a type is found; anonymous and redefined ones have none.
    pub(super) fn global_name(&mut self, decl: Decl, node: NodeRef<'d>) -> Option<QName> {
        let name = node.token("name")?;
        let target = self.schemas.target(decl.schema);
        let global = self.schemas.exact(Space::Type, target, name) == Some(decl);
        global.then(|| self.qname(target, name))
    }

    /// The declaration that a name refers to. Where the name is in no namespace, or in one that has
    /// no such component, the only component of that local name is taken, with a warning.
    pub(super) fn reference(
        &mut self,
        space: Space,
        schema: u32,
        node: NodeRef<'d>,
        name: QNameRef<'d>,
    ) -> Result<Decl, Unusable> {
        if let Some(decl) = self.schemas.find(space, schema, name) {
            return Ok(decl);
        }
        let noun = space.noun();
        let clark = self.documents.names.clark(name.ns, name.local);
        let known = self.documents.missing.contains_key(&name.ns);
        let lenient = matches!(name.ns, Ns::NONE | Ns::UNBOUND) || !known && !self.is_defined(name.ns);
        if lenient
            && let Some((ns, decl)) = self
                .schemas
                .only(space, name.local)
                .filter(|_| name.ns != Ns::XSD)
        {
            let there = self.documents.names.clark(ns, name.local);
            self.warn(
                WarningKind::Meant,
                schema,
                node,
                format!("there is no {noun} {clark}; {there} is taken (XSD part 1, 3.15.3)"),
            );
            return Ok(decl);
        }
        let text = match name.ns {
            Ns::UNBOUND => format!("{noun} {clark} is referred to with a prefix that is not declared"),
            ns => format!("{noun} {clark} is not declared{}", self.absence(ns)),
        };
        Err(self.refuse(schema, node, &text))
    }

    /// What `name` means in a redefinition of itself: what was there before.
    pub(super) fn before(&self, space: Space, decl: Decl, name: QNameRef<'_>) -> Option<Decl> {
        let before = self.schemas.redefined(decl)?;
        let mut meant = self.schemas.find(space, decl.schema, name);
        while meant.is_some_and(|meant| meant != decl) {
            meant = meant.and_then(|meant| self.schemas.redefined(meant));
        }
        meant.map(|_| before)
    }

    fn is_defined(&self, ns: Ns) -> bool {
        self.documents.targets.contains(&ns)
    }

    /// Why a namespace may lack something.
    fn absence(&self, ns: Ns) -> String {
        let missing = self
            .documents
            .missing
            .get(&ns)
            .map(Vec::as_slice)
            .unwrap_or_default();
        match missing {
            [] if self.is_defined(ns) => String::new(),
            [] => " (no schema of its namespace was given)".into(),
            [first] => format!(" ({first})"),
            [first, ..] => format!(" ({first}; and others)"),
        }
    }
}

/// A built-in type by its local name.
pub(super) fn built_in(local: &str) -> Option<TypeId> {
    match local {
        "anyType" => Some(TypeId::Any),
        // XSD 1.1 names that real contracts use.
        "anyAtomicType" => Some(TypeId::Simple(Builtin::AnySimpleType.into())),
        // Names of the drafts.
        "timeInstant" => Some(TypeId::Simple(Builtin::DateTime.into())),
        "timeDuration" => Some(TypeId::Simple(Builtin::Duration.into())),
        "uriReference" | "uri" => Some(TypeId::Simple(Builtin::AnyUri.into())),
        "ur-type" => Some(TypeId::Any),
        "dateTimeStamp" => Some(TypeId::Simple(Builtin::DateTime.into())),
        "dayTimeDuration" | "yearMonthDuration" => Some(TypeId::Simple(Builtin::Duration.into())),
        _ => Builtin::from_name(local).map(|builtin| TypeId::Simple(builtin.into())),
    }
}
