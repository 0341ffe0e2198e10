//! Schema components: which element of which document declares a name ([`Schemas`]).
//!
//! A component stays where it stands in its tree; a [`Decl`] points to it together with the schema
//! through which it was found, because an included schema can stand for several namespaces.

use std::collections::HashMap;

use crate::error::Warning;
use crate::load::{Documents, Schema};
use crate::names::Ns;
use crate::tree::{NodeRef, QNameRef};

/// A declaration: an element of a tree, seen through a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Decl {
    /// Index into [`Documents::schemas`].
    pub(crate) schema: u32,
    /// The element's number in its tree.
    pub(crate) node: u32,
}

/// The symbol spaces of XSD (part 1, 2.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Type,
    Element,
    Attribute,
    Group,
    AttributeGroup,
}

impl Space {
    const COUNT: usize = 5;

    /// What messages call its components.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Space::Type => "type",
            Space::Element => "element",
            Space::Attribute => "attribute",
            Space::Group => "group",
            Space::AttributeGroup => "attribute group",
        }
    }
}

type Names<'d> = HashMap<&'d str, Decl>;

/// Every global component of every schema.
pub(crate) struct Schemas<'d> {
    documents: &'d Documents,
    spaces: [HashMap<Ns, Names<'d>>; Space::COUNT],
    /// What a redefinition redefines.
    redefined: HashMap<Decl, Decl>,
    /// Global elements and types in the order in which they stand.
    pub(crate) elements: Vec<Decl>,
    pub(crate) types: Vec<Decl>,
    pub(crate) warnings: Vec<Warning>,
}

impl<'d> Schemas<'d> {
    pub(crate) fn new(documents: &'d Documents) -> Self {
        let mut schemas = Schemas {
            documents,
            spaces: Default::default(),
            redefined: HashMap::new(),
            elements: Vec::new(),
            types: Vec::new(),
            warnings: Vec::new(),
        };
        for (i, schema) in documents.schemas.iter().enumerate() {
            schemas.collect(i as u32, schema);
        }
        schemas
    }

    /// The schema of a declaration.
    pub(crate) fn schema(&self, decl: Decl) -> Option<&'d Schema> {
        self.documents.schemas.get(decl.schema as usize)
    }

    /// The element of a declaration.
    pub(crate) fn node(&self, decl: Decl) -> Option<NodeRef<'d>> {
        self.documents.node(self.schema(decl)?.document, decl.node)
    }

    /// The namespace of what a schema declares.
    pub(crate) fn target(&self, schema: u32) -> Ns {
        self.documents
            .schemas
            .get(schema as usize)
            .map_or(Ns::NONE, |s| s.target)
    }

    /// What a QName in schema `schema` refers to: a name without a namespace means the target
    /// namespace in a chameleon include, and where the schema has nothing else of that name.
    pub(crate) fn find(&self, space: Space, schema: u32, name: QNameRef<'_>) -> Option<Decl> {
        let chameleon = self
            .documents
            .schemas
            .get(schema as usize)
            .is_some_and(|s| s.chameleon);
        if name.ns == Ns::NONE && chameleon {
            return self.exact(space, self.target(schema), name.local);
        }
        self.exact(space, name.ns, name.local)
    }

    pub(crate) fn exact(&self, space: Space, ns: Ns, local: &str) -> Option<Decl> {
        self.spaces[space as usize].get(&ns)?.get(local).copied()
    }

    /// The only component of this local name in any namespace.
    pub(crate) fn only(&self, space: Space, local: &str) -> Option<(Ns, Decl)> {
        let found = self.spaces[space as usize]
            .iter()
            .filter_map(|(&ns, names)| Some((ns, *names.get(local)?)));
        let mut found = found.take(2);
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// What `decl` redefines, if `decl` stands in a redefinition and refers to its own name.
    pub(crate) fn redefined(&self, decl: Decl) -> Option<Decl> {
        self.redefined.get(&decl).copied()
    }

    fn collect(&mut self, index: u32, schema: &'d Schema) {
        let Some(root) = self.documents.node(schema.document, schema.node) else {
            return;
        };
        for child in root.children().filter(|c| c.ns() == Ns::XSD) {
            let space = match child.local() {
                "element" => Space::Element,
                "complexType" | "simpleType" => Space::Type,
                "attribute" => Space::Attribute,
                "group" => Space::Group,
                "attributeGroup" => Space::AttributeGroup,
                _ => continue,
            };
            let Some(name) = child.token("name") else { continue };
            self.declare(
                space,
                Decl {
                    schema: index,
                    node: child.id(),
                },
                name,
                schema,
            );
        }
    }

    fn declare(&mut self, space: Space, decl: Decl, name: &'d str, schema: &Schema) {
        let names = self.spaces[space as usize].entry(schema.target).or_default();
        let before = names.get(name).copied();
        match before {
            Some(before) if schema.redefines => {
                names.insert(name, decl);
                self.redefined.insert(decl, before);
            }
            Some(before) => return self.twice(space, before, decl, name),
            None => {
                names.insert(name, decl);
            }
        }
        match space {
            Space::Element => self.elements.push(decl),
            Space::Type => self.types.push(decl),
            _ => {}
        }
    }

    /// The first declaration counts.
    fn twice(&mut self, space: Space, before: Decl, decl: Decl, name: &str) {
        let (Some(schema), Some(node)) = (self.schema(decl), self.node(decl)) else {
            return;
        };
        let first = match (self.schema(before), self.node(before)) {
            (Some(schema), Some(node)) => self.documents.place(schema.document, node).to_string(),
            _ => String::new(),
        };
        let place = self.documents.place(schema.document, node);
        let noun = space.noun();
        let text = format!("{noun} {name} is declared a second time; the declaration at {first} counts");
        self.warnings.push(Warning {
            place,
            text: text.into(),
        });
    }
}
