//! `sequence`, `choice`, `all`, `group`, `element` and `any` elements to a [`Model`]
//! (XSD part 1, 3.7 to 3.10).

use std::rc::Rc;

use castile_plan::{FieldKind, NsIx, Occurs, Process, QName, TypeId, Wildcard};

use super::model::{Compositor, Leaf, Model};
use super::{Compiler, Scope, Unusable};
use crate::names::Ns;
use crate::tree::NodeRef;
use crate::warning::WarningKind;
use crate::xsd::{Decl, Space};

type Particle = Result<Option<Rc<Model>>, Unusable>;

impl<'d> Compiler<'d> {
    /// The content model that stands in a `complexType`, `extension`, `restriction` or `group`.
    pub(super) fn content(&mut self, scope: Scope<'_>, node: NodeRef<'d>) -> Particle {
        let mut found = Vec::new();
        for child in node.children().filter(|c| c.ns() == Ns::XSD) {
            if matches!(child.local(), "sequence" | "choice" | "all" | "group") {
                found.extend(self.particle(scope, child)?);
            }
        }
        Ok(Model::group(Compositor::Sequence, Occurs::ONE, found, None))
    }

    fn particle(&mut self, scope: Scope<'_>, node: NodeRef<'d>) -> Particle {
        let occurs = self.occurs(scope, node);
        if occurs.max == 0 {
            return Ok(None);
        }
        let compositor = match node.local() {
            "element" => return self.local_element(scope, node, occurs).map(Some),
            "any" => return Ok(Some(self.wildcard_element(scope, node, occurs))),
            "group" => return self.group_reference(scope, node, occurs),
            "sequence" => Compositor::Sequence,
            "choice" => Compositor::Choice,
            "all" => Compositor::All,
            _ => return Ok(None),
        };
        self.deeper(scope.schema, node, |this| {
            this.group(scope, node, compositor, occurs)
        })
    }

    fn group(
        &mut self,
        scope: Scope<'_>,
        node: NodeRef<'d>,
        compositor: Compositor,
        mut occurs: Occurs,
    ) -> Particle {
        let mut items = Vec::new();
        for child in node
            .children()
            .filter(|c| c.ns() == Ns::XSD && c.local() != "annotation")
        {
            match self.particle(scope, child)? {
                Some(item) => items.push(item),
                // An alternative that is empty: nothing need stand there.
                None if compositor == Compositor::Choice && child.token("maxOccurs") != Some("0") => {
                    occurs.min = 0;
                }
                None => {}
            }
            self.check_size(scope, node, items.iter().map(|item| item.size()).sum())?;
        }
        let model = Model::group(compositor, occurs, items, None);
        if model.as_ref().is_some_and(|m| m.depth() > self.limits.depth_max) {
            let text = format!("limit depth_max = {} is exceeded", self.limits.depth_max);
            return Err(self.refuse(scope.schema, node, &text));
        }
        Ok(model)
    }

    /// Groups that refer to groups can multiply without end.
    pub(super) fn check_size(
        &mut self,
        scope: Scope<'_>,
        node: NodeRef<'d>,
        size: u64,
    ) -> Result<(), Unusable> {
        if size <= u64::from(self.limits.particles_max) {
            return Ok(());
        }
        let text = format!(
            "{} has more particles than the limit particles_max = {}",
            scope.label, self.limits.particles_max
        );
        Err(self.refuse(scope.schema, node, &text))
    }

    fn group_reference(&mut self, scope: Scope<'_>, node: NodeRef<'d>, occurs: Occurs) -> Particle {
        let Some(name) = node.qname("ref") else {
            // A definition in the place of a reference; what it holds is meant.
            return Ok(self
                .content(scope, node)?
                .map(|m| m.times(occurs, node.token("name"))));
        };
        let mut decl = self.reference(Space::Group, scope.schema, node, name)?;
        while let (Some(None), Some(before)) = (self.groups.get(&decl), self.schemas.redefined(decl)) {
            decl = before;
        }
        let model = match self.groups.get(&decl) {
            Some(Some(known)) => known.clone()?,
            Some(None) => {
                let text = format!("group {} refers to itself", name.local);
                return Err(self.refuse(scope.schema, node, &text));
            }
            None => self.named_group(decl)?,
        };
        Ok(model.map(|model| model.times(occurs, Some(name.local))))
    }

    fn named_group(&mut self, decl: Decl) -> Particle {
        let Some(node) = self.schemas.node(decl) else {
            return Ok(None);
        };
        let target = self.schemas.target(decl.schema);
        let label = self
            .documents
            .names
            .clark(target, node.token("name").unwrap_or("?"));
        self.groups.insert(decl, None);
        let scope = Scope {
            schema: decl.schema,
            label: &label,
        };
        let model = self.deeper(decl.schema, node, |this| this.content(scope, node));
        self.groups.insert(decl, Some(model.clone()));
        model
    }

    /// `minOccurs` and `maxOccurs`. More at least than at most is taken as that many.
    pub(super) fn occurs(&mut self, scope: Scope<'_>, node: NodeRef<'d>) -> Occurs {
        let number = |text: &str| {
            text.parse::<u64>()
                .ok()
                .map(|n| n.min(u64::from(Occurs::UNBOUNDED - 1)) as u32)
        };
        let min = node.token("minOccurs").map_or(Some(1), number);
        let max = match node.token("maxOccurs") {
            Some("unbounded" | "*") => Some(Occurs::UNBOUNDED),
            Some(text) => number(text),
            None => Some(1),
        };
        match (min, max) {
            (_, Some(0)) => Occurs { min: 0, max: 0 },
            (Some(min), Some(max)) if min <= max => Occurs { min, max },
            (Some(min), Some(_)) if node.token("maxOccurs").is_none() => Occurs { min, max: min },
            _ => {
                self.warn(
                    WarningKind::Tolerated,
                    scope.schema,
                    node,
                    "minOccurs or maxOccurs make no sense; 0 to unbounded is taken (XSD part 1, 3.9)".into(),
                );
                Occurs {
                    min: 0,
                    max: Occurs::UNBOUNDED,
                }
            }
        }
    }

    fn wildcard_element(&mut self, scope: Scope<'_>, node: NodeRef<'d>, occurs: Occurs) -> Rc<Model> {
        let wildcard = self.wildcard(scope, node);
        Rc::new(Model::Leaf(
            any_element(wildcard, node.documentation()).into(),
            occurs,
        ))
    }

    /// What an `any` or `anyAttribute` element admits.
    pub(super) fn wildcard(&mut self, scope: Scope<'_>, node: NodeRef<'d>) -> Wildcard {
        let process = match node.token("processContents") {
            Some("lax") => Process::Lax,
            Some("skip") => Process::Skip,
            _ => Process::Strict,
        };
        let target = self.schemas.target(scope.schema);
        match node.attribute("namespace").map(str::trim) {
            None | Some("##any") => Wildcard {
                namespaces: None,
                other_than: None,
                process,
            },
            Some("##other") => Wildcard {
                namespaces: None,
                other_than: Some(self.ns(target)),
                process,
            },
            Some(list) => {
                let each = list.split_ascii_whitespace().map(|item| match item {
                    "##targetNamespace" => self.ns(target),
                    "##local" => NsIx::NONE,
                    uri => self.ns_of(uri),
                });
                Wildcard {
                    namespaces: Some(each.collect()),
                    other_than: None,
                    process,
                }
            }
        }
    }
}

/// The leaf of an element wildcard.
pub(super) fn any_element(wildcard: Wildcard, doc: Option<Box<str>>) -> Leaf {
    Leaf {
        wire: QName::new(NsIx::NONE, ""),
        kind: FieldKind::Any(wildcard),
        ty: TypeId::Any,
        nillable: false,
        default: None,
        fixed: None,
        doc,
    }
}
