//! Schema components: which element of which document declares a name ([`Schemas`]).
//!
//! A component stays where it stands in its tree; a [`Decl`] points to it together with the schema
//! through which it was found, because an included schema can stand for several namespaces.

use std::collections::{BTreeMap, HashMap};

use crate::load::{Documents, Schema};
use crate::names::Ns;
use crate::tree::{NodeRef, QNameRef};
use crate::warning::{Warning, WarningKind};

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
    /// The components by local name; `None` if several namespaces have one.
    by_local: [HashMap<&'d str, Option<(Ns, Decl)>>; Space::COUNT],
    /// What a redefinition redefines.
    redefined: HashMap<Decl, Decl>,
    /// Global elements and types in the order in which they stand.
    pub(crate) elements: Vec<Decl>,
    pub(crate) types: Vec<Decl>,
    /// The elements that name each element as the head of their substitution group.
    members: HashMap<Decl, Vec<Decl>>,
    /// What is declared twice: the schemas of the first and of the second declaration, and how many.
    twice: BTreeMap<(u32, u32), (Decl, Decl, u32)>,
}

impl<'d> Schemas<'d> {
    pub(crate) fn new(documents: &'d Documents) -> Self {
        let mut schemas = Schemas {
            documents,
            spaces: Default::default(),
            by_local: Default::default(),
            redefined: HashMap::new(),
            elements: Vec::new(),
            types: Vec::new(),
            members: HashMap::new(),
            twice: BTreeMap::new(),
        };
        // A redefinition replaces what other documents declare, wherever they come; and it is met before
        // those that it redefines in turn.
        let all = || documents.schemas.iter().enumerate();
        let originals = all().filter(|(_, schema)| !schema.redefines);
        let redefinitions = all().rev().filter(|(_, schema)| schema.redefines);
        for (i, schema) in originals.chain(redefinitions) {
            schemas.collect(i as u32, schema);
        }
        schemas.find_members();
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
        self.by_local[space as usize].get(local).copied().flatten()
    }

    /// What `decl` redefines, if `decl` stands in a redefinition and refers to its own name.
    pub(crate) fn redefined(&self, decl: Decl) -> Option<Decl> {
        self.redefined.get(&decl).copied()
    }

    /// The elements that may stand for `head` in one step (XSD part 1, 3.3.6).
    pub(crate) fn members(&self, head: Decl) -> &[Decl] {
        self.members.get(&head).map_or(&[], Vec::as_slice)
    }

    /// A warning for each pair of schemas that declare the same names: the first declaration counts.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = Warning> {
        self.twice.values().filter_map(|&(before, decl, count)| {
            let node = self.node(decl)?;
            let first = self
                .documents
                .place(self.schema(before)?.document, self.node(before)?);
            let place = self.documents.place(self.schema(decl)?.document, node);
            let more = if count > 1 {
                format!(" and {} more are", count - 1)
            } else {
                " is".into()
            };
            let (noun, name) = (node.local(), node.token("name").unwrap_or_default());
            let text =
                format!("{noun} {name}{more} declared a second time; the declaration at {first} counts");
            Some(Warning {
                kind: WarningKind::Twice,
                place,
                text: text.into(),
            })
        })
    }

    fn find_members(&mut self) {
        for &member in &self.elements {
            let name = self.node(member).and_then(|node| node.qname("substitutionGroup"));
            let head = name.and_then(|name| self.find(Space::Element, member.schema, name));
            if let Some(head) = head.filter(|&head| head != member) {
                self.members.entry(head).or_default().push(member);
            }
        }
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
            // What could never stand in a message is not declared: whoever refers to it is told so.
            if matches!(space, Space::Element | Space::Attribute) && !castile_xml::is_ncname(name) {
                continue;
            }
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
            Some(before) => {
                let pair = (before.schema, decl.schema);
                self.twice.entry(pair).or_insert((before, decl, 0)).2 += 1;
                return;
            }
            None => {
                names.insert(name, decl);
                let only = Some((schema.target, decl));
                self.by_local[space as usize]
                    .entry(name)
                    .and_modify(|only| *only = None)
                    .or_insert(only);
            }
        }
        match space {
            Space::Element => self.elements.push(decl),
            Space::Type => self.types.push(decl),
            _ => {}
        }
    }
}
