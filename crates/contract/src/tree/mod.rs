//! A small read-only element tree: [`Tree`], its [`Node`]s seen through [`NodeRef`].
//!
//! It keeps what contracts need: elements, attributes, positions, and the text of documentation.
//! QNames in the attributes of WSDL and XSD that have them are resolved as the tree is built, so
//! nobody needs scopes afterwards.

mod build;

use crate::names::Ns;

/// The elements of one document.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// Names, values and texts, one after another.
    heap: String,
    nodes: Vec<Node>,
    attributes: Vec<Attribute>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Span {
    start: u32,
    end: u32,
}

#[derive(Debug)]
struct Node {
    ns: Ns,
    local: Span,
    /// The text of a documentation element, white space collapsed; else empty.
    text: Span,
    attributes: Span,
    /// 0 if there is none: the root is nobody's child.
    first_child: u32,
    next: u32,
    line: u32,
    column: u32,
}

#[derive(Debug)]
struct Attribute {
    ns: Ns,
    local: Span,
    value: Span,
    /// The namespace of the value, if it is a QName.
    value_ns: Ns,
}

/// An element of a tree.
#[derive(Clone, Copy)]
pub(crate) struct NodeRef<'t> {
    tree: &'t Tree,
    node: &'t Node,
    id: u32,
}

/// A QName in an attribute. Its namespace is [`Ns::UNBOUND`] when the prefix is not declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct QNameRef<'t> {
    pub(crate) ns: Ns,
    pub(crate) local: &'t str,
}

impl Tree {
    /// The root element.
    pub(crate) fn root(&self) -> Option<NodeRef<'_>> {
        self.node(0)
    }

    /// The element of this number.
    pub(crate) fn node(&self, id: u32) -> Option<NodeRef<'_>> {
        self.nodes
            .get(id as usize)
            .map(|node| NodeRef { tree: self, node, id })
    }

    fn span(&self, span: Span) -> &str {
        self.heap
            .get(span.start as usize..span.end as usize)
            .unwrap_or_default()
    }
}

impl<'t> NodeRef<'t> {
    /// Its number in the tree.
    pub(crate) fn id(self) -> u32 {
        self.id
    }

    pub(crate) fn ns(self) -> Ns {
        self.node.ns
    }

    pub(crate) fn local(self) -> &'t str {
        self.tree.span(self.node.local)
    }

    pub(crate) fn is(self, ns: Ns, local: &str) -> bool {
        self.node.ns == ns && self.local() == local
    }

    /// Line and column of its start tag, both from 1.
    pub(crate) fn position(self) -> (u32, u32) {
        (self.node.line, self.node.column)
    }

    /// The elements in it, in order.
    pub(crate) fn children(self) -> impl Iterator<Item = NodeRef<'t>> + use<'t> {
        let tree = self.tree;
        let at = move |id: u32| if id == 0 { None } else { tree.node(id) };
        std::iter::successors(at(self.node.first_child), move |node| at(node.node.next))
    }

    /// The elements of this name in it, in order.
    pub(crate) fn named(self, ns: Ns, local: &'static str) -> impl Iterator<Item = NodeRef<'t>> + use<'t> {
        self.children().filter(move |child| child.is(ns, local))
    }

    /// The first element of this name in it.
    pub(crate) fn child(self, ns: Ns, local: &'static str) -> Option<NodeRef<'t>> {
        self.named(ns, local).next()
    }

    fn attributes(self) -> &'t [Attribute] {
        let Span { start, end } = self.node.attributes;
        self.tree
            .attributes
            .get(start as usize..end as usize)
            .unwrap_or_default()
    }

    fn find(self, ns: Ns, local: &str) -> Option<&'t Attribute> {
        self.attributes()
            .iter()
            .find(|a| a.ns == ns && self.tree.span(a.local) == local)
    }

    /// The value of an attribute without a namespace, as it stands.
    pub(crate) fn attribute(self, local: &str) -> Option<&'t str> {
        self.find(Ns::NONE, local).map(|a| self.tree.span(a.value))
    }

    /// The same without white space around it; `None` if nothing is left.
    pub(crate) fn token(self, local: &str) -> Option<&'t str> {
        self.attribute(local)
            .map(str::trim)
            .filter(|value| !value.is_empty())
    }

    /// The value of the first attribute called `local`, whatever its namespace, that `fits` likes.
    pub(crate) fn foreign(self, local: &str, fits: impl Fn(Ns) -> bool) -> Option<&'t str> {
        let found = self
            .attributes()
            .iter()
            .find(|a| fits(a.ns) && self.tree.span(a.local) == local);
        found.map(|a| self.tree.span(a.value))
    }

    /// The QName that an attribute without a namespace holds.
    pub(crate) fn qname(self, local: &str) -> Option<QNameRef<'t>> {
        self.qnames(local).next()
    }

    /// The item type of an array that `wsdl:arrayType` gives, and its dimensions as they stand, such
    /// as `[,][]`.
    pub(crate) fn array_type(self) -> Option<(QNameRef<'t>, &'t str)> {
        let found = self.find(Ns::WSDL, "arrayType")?;
        let value = self.tree.span(found.value);
        let local = value.rsplit_once(':').map_or(value, |(_, local)| local);
        let (local, dimensions) = local.split_at(local.find('[').unwrap_or(local.len()));
        let ns = found.value_ns;
        Some((QNameRef { ns, local }, dimensions))
    }

    /// The QNames that an attribute without a namespace holds.
    pub(crate) fn qnames(self, local: &str) -> impl Iterator<Item = QNameRef<'t>> {
        let these = self
            .attributes()
            .iter()
            .filter(move |a| a.ns == Ns::NONE && self.tree.span(a.local) == local);
        these.filter_map(move |a| {
            let value = self.tree.span(a.value);
            let local = value.rsplit_once(':').map_or(value, |(_, local)| local);
            (!local.is_empty()).then_some(QNameRef {
                ns: a.value_ns,
                local,
            })
        })
    }

    /// The text of its `documentation` elements, if there is any, in the namespace of the element.
    pub(crate) fn documentation(self) -> Option<Box<str>> {
        let within = self.child(self.ns(), "annotation").unwrap_or(self);
        let texts = within
            .named(within.ns(), "documentation")
            .map(|d| within.tree.span(d.node.text));
        let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
        match texts[..] {
            [] => None,
            [text] => Some(text.into()),
            _ => Some(shortened(&texts.join(" ")).into()),
        }
    }
}

/// The most bytes of documentation kept at one place.
const DOCUMENTATION_BYTES_MAX: usize = 2048;

fn shortened(text: &str) -> &str {
    &text[..text.floor_char_boundary(DOCUMENTATION_BYTES_MAX)]
}
