//! Complex types (XSD part 1, 3.4): what a declaration says and inherits ([`Raw`]).

use std::rc::Rc;

use castile_plan::{Builtin, Complex, Derivation, Occurs, Process, SimpleId, TypeId, Wildcard};

use super::attribute::Attributes;
use super::element::truth;
use super::model::{Compositor, Model};
use super::particle::any_element;
use super::{Compiler, Scope, Unusable, empty};
use crate::names::Ns;
use crate::tree::{NodeRef, QNameRef};
use crate::warning::WarningKind;
use crate::xsd::{Decl, Space};

/// A complex type before its content is flattened, with everything it inherits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Raw {
    pub(crate) attributes: Attributes,
    pub(crate) model: Option<Rc<Model>>,
    /// The type of its text, for simple content.
    pub(crate) text: Option<SimpleId>,
    /// Whether text may stand between its elements.
    pub(crate) mixed: bool,
    pub(crate) base: Option<TypeId>,
    pub(crate) derivation: Option<Derivation>,
}

/// What a derivation starts from.
enum Base {
    Any,
    Simple(SimpleId),
    Complex(Rc<Raw>, TypeId),
}

impl<'d> Compiler<'d> {
    /// Compiles a `complexType` element.
    pub(super) fn complex(&mut self, decl: Decl, label: &str) -> Result<Complex, Unusable> {
        if let Some(array) = self.array(decl, label)? {
            return Ok(array);
        }
        let raw = self.raw(decl, label)?;
        let Some(node) = self.schemas.node(decl) else {
            return Ok(empty(label));
        };
        let scope = Scope {
            schema: decl.schema,
            label,
        };
        let size = raw.model.as_ref().map_or(0, |model| model.size()) + raw.attributes.uses.len() as u64;
        self.check_size(scope, node, size)?;
        let mut complex = self.flatten(&raw, label);
        complex.name = self.global_name(decl, node);
        complex.is_abstract = truth(node, "abstract");
        complex.doc = node.documentation();
        Ok(complex)
    }

    /// What a declaration says and inherits.
    fn raw(&mut self, decl: Decl, label: &str) -> Result<Rc<Raw>, Unusable> {
        match self.raws.get(&decl) {
            Some(Some(known)) => return known.clone(),
            Some(None) => return Err(self.unusable(format!("complex type {label} is derived from itself"))),
            None => {}
        }
        self.raws.insert(decl, None);
        let raw = match self.schemas.node(decl) {
            Some(node) => self.deeper(decl.schema, node, |this| {
                this.read(decl, node, label).map(Rc::new)
            }),
            None => Ok(Rc::default()),
        };
        self.raws.insert(decl, Some(raw.clone()));
        raw
    }

    fn read(&mut self, decl: Decl, node: NodeRef<'d>, label: &str) -> Result<Raw, Unusable> {
        let scope = Scope {
            schema: decl.schema,
            label,
        };
        let simple = node.child(Ns::XSD, "simpleContent");
        let Some(content) = simple.or_else(|| node.child(Ns::XSD, "complexContent")) else {
            let mut raw = Raw {
                model: self.content(scope, node)?,
                mixed: truth(node, "mixed"),
                ..Raw::default()
            };
            self.attributes(scope, node, &mut raw.attributes)?;
            return Ok(raw);
        };
        let derived = content
            .children()
            .find(|c| c.is(Ns::XSD, "extension") || c.is(Ns::XSD, "restriction"));
        let Some(derived) = derived else {
            self.warn(
                WarningKind::Tolerated,
                decl.schema,
                content,
                "neither extension nor restriction: the content is taken as empty".into(),
            );
            return Ok(Raw::default());
        };
        let extends = derived.local() == "extension";
        let base = match derived.qname("base") {
            Some(name) => self.base(decl, derived, name)?,
            None => Base::Any,
        };
        let mut raw = match (simple.is_some(), base) {
            (_, Base::Simple(id)) => {
                self.simple_content(decl, derived, id, Raw::default(), Some(TypeId::Simple(id)))?
            }
            (true, Base::Complex(base, ty)) => match base.text.or(content_of_mixed(&base, extends)) {
                Some(text) => self.simple_content(decl, derived, text, (*base).clone(), Some(ty))?,
                None => {
                    return Err(self.refuse(
                        decl.schema,
                        derived,
                        &format!("{label} has simple content, its base has not"),
                    ));
                }
            },
            (true, Base::Any) => {
                self.simple_content(decl, derived, Builtin::AnySimpleType.into(), Raw::default(), None)?
            }
            (false, Base::Any) => self.complex_content(scope, derived, &anything(), TypeId::Any)?,
            (false, Base::Complex(base, ty)) => self.complex_content(scope, derived, &base, ty)?,
        };
        raw.mixed |= simple.is_none() && (truth(content, "mixed") || truth(node, "mixed"));
        raw.derivation = Some(if extends {
            Derivation::Extension
        } else {
            Derivation::Restriction
        });
        self.attributes(scope, derived, &mut raw.attributes)?;
        Ok(raw)
    }

    fn base(&mut self, decl: Decl, node: NodeRef<'d>, name: QNameRef<'d>) -> Result<Base, Unusable> {
        if super::encoded::is_struct(name) {
            return Ok(Base::Any);
        }
        let before = self.before(Space::Type, decl, name);
        let ty = match before {
            Some(before) => self.named_type(before),
            None => self.type_named(decl.schema, node, name),
        };
        match ty {
            TypeId::Simple(id) => return Ok(Base::Simple(id)),
            TypeId::Unsupported(i) => return Err(Unusable(i)),
            TypeId::Any if name.ns == Ns::XSD => return Ok(Base::Any),
            _ => {}
        }
        let found = match before {
            Some(before) => before,
            None => self.reference(Space::Type, decl.schema, node, name)?,
        };
        let label = self
            .documents
            .names
            .clark(self.schemas.target(found.schema), name.local);
        Ok(Base::Complex(self.raw(found, &label)?, ty))
    }

    /// Simple content: text of type `text`, narrowed by what stands in a restriction.
    fn simple_content(
        &mut self,
        decl: Decl,
        node: NodeRef<'d>,
        text: SimpleId,
        inherited: Raw,
        base: Option<TypeId>,
    ) -> Result<Raw, Unusable> {
        let mut text = text;
        if node.local() == "restriction" {
            if let Some(inner) = node.child(Ns::XSD, "simpleType") {
                let inner = Decl {
                    schema: decl.schema,
                    node: inner.id(),
                };
                let ty = self.declared_type(inner, "an anonymous simple type".into());
                text = self.as_simple(decl.schema, node, ty)?;
            }
            let narrowed = self.restricted(text, node);
            if narrowed.facets != self.types.simple(text).facets {
                text = self.add_simple(narrowed);
            }
        }
        Ok(Raw {
            attributes: inherited.attributes,
            model: None,
            text: Some(text),
            mixed: false,
            base,
            derivation: None,
        })
    }

    /// An extension goes on where its base ends; a restriction says all its elements again.
    fn complex_content(
        &mut self,
        scope: Scope<'_>,
        node: NodeRef<'d>,
        base: &Raw,
        ty: TypeId,
    ) -> Result<Raw, Unusable> {
        let own = self.content(scope, node)?;
        let (mut model, mut text, mut mixed) = (own.clone(), None, false);
        if node.local() == "extension" {
            mixed = base.mixed;
            let both = base.model.iter().cloned().chain(own).collect();
            model = Model::group(Compositor::Sequence, Occurs::ONE, both, None);
            text = base.text;
        }
        let attributes = base.attributes.clone();
        self.cost += attributes.uses.len() as u64;
        let size = model.as_ref().map_or(0, |model| model.size());
        self.check_size(scope, node, size)?;
        Ok(Raw {
            attributes,
            model,
            text,
            mixed,
            base: Some(ty),
            derivation: None,
        })
    }
}

/// What `anyType` says: text, any elements, any attributes (XSD part 1, 3.4.7).
fn anything() -> Raw {
    let wildcard = Wildcard {
        namespaces: None,
        other_than: None,
        process: Process::Lax,
    };
    let leaf = any_element(wildcard.clone(), None);
    let any = Occurs {
        min: 0,
        max: Occurs::UNBOUNDED,
    };
    Raw {
        attributes: Attributes {
            any: Some(wildcard),
            ..Attributes::default()
        },
        model: Some(Rc::new(Model::Leaf(leaf.into(), any))),
        mixed: true,
        ..Raw::default()
    }
}

/// Mixed content may be restricted to text (XSD part 1, 3.4.2), of a type that the restriction gives.
fn content_of_mixed(base: &Raw, extends: bool) -> Option<SimpleId> {
    (base.mixed && !extends).then(|| Builtin::String.into())
}
