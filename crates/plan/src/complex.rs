//! Complex types: their fields and the order in which these stand in a message.

use serde::{Deserialize, Serialize};

use crate::{NsIx, QName, SimpleId, TypeId, Types};

/// A complex type, with everything it inherits already in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Complex {
    /// Its name; `None` for an anonymous type.
    pub name: Option<QName>,
    /// What messages call it: `{namespace}local`, or for an anonymous type the path to it.
    pub label: Box<str>,
    /// The type it is derived from, and how; `None` for `anyType`.
    pub base: Option<TypeId>,
    /// How it is derived.
    pub derivation: Derivation,
    /// Whether only derived types may stand in a message.
    pub is_abstract: bool,
    /// Attributes first, then the content in document order; at the end the attribute `xsi:nil`, where
    /// an element of the type may be nil and have other attributes. Names are unique within the type.
    pub fields: Vec<Field>,
    /// The content model, flattened in preorder; empty for empty or simple content. One particle
    /// is the root; the leaves refer to `fields`.
    pub content: Vec<Particle>,
    /// For an array of SOAP encoding, how many dimensions it has; its one field is the repeated item.
    pub array: Option<u32>,
    /// The schema's documentation, white space collapsed.
    pub doc: Option<Box<str>>,
}

/// How a type is derived from its base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)] // XSD's own words
pub enum Derivation {
    None,
    Extension,
    Restriction,
}

/// One field of a complex type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// The name that users write, unique in the type. Mostly the local name on the wire.
    pub name: Box<str>,
    /// The name on the wire; its namespace is `NsIx::NONE` for unqualified names.
    pub wire: QName,
    /// What it is on the wire.
    pub kind: FieldKind,
    /// Its type: of the element, the attribute, or the text.
    pub ty: TypeId,
    /// Whether it is a list to users: it may stand there more than once.
    pub many: bool,
    /// Whether it must be there whenever the content model says so (attributes: `use="required"`;
    /// elements: every leaf of it has `min > 0` and no choice stands above it).
    pub required: bool,
    /// Whether the element may say `xsi:nil`.
    pub nillable: bool,
    /// The schema's default text.
    pub default: Option<Box<str>>,
    /// The schema's fixed text.
    pub fixed: Option<Box<str>>,
    /// The schema's documentation, white space collapsed.
    pub doc: Option<Box<str>>,
}

/// What a field is on the wire.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FieldKind {
    /// A child element.
    Element,
    /// An attribute.
    Attribute,
    /// The text of simple content, or of mixed content the text before the first child; `ty` is
    /// simple. An element of mixed content with text elsewhere is kept as XML.
    Text,
    /// Elements that a wildcard admits, kept as XML; `wire` is empty.
    Any(Wildcard),
    /// Attributes that a wildcard admits, kept as a map; `wire` is empty.
    AnyAttribute(Wildcard),
    /// One pass through a repeated group: `ty` is a complex type that has the group's elements as
    /// fields and no tag of its own; `wire` is empty. Or one element of a substitution group: `ty` is
    /// a choice of its elements, and `wire` is the head.
    Group,
}

/// What a wildcard admits (XSD 1.0 part 1, 3.10).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wildcard {
    /// The namespaces admitted; `None` for `##any`. `##local` is [`NsIx::NONE`].
    pub namespaces: Option<Vec<NsIx>>,
    /// `##other`: any namespace but this one and none.
    pub other_than: Option<NsIx>,
    /// What is asked of the content.
    pub process: Process,
}

impl Wildcard {
    /// Whether a name in namespace `ns` is admitted; `None` is a namespace the table lacks.
    pub fn admits(&self, ns: Option<NsIx>) -> bool {
        if let Some(other) = self.other_than {
            return ns != Some(other) && ns != Some(NsIx::NONE);
        }
        match &self.namespaces {
            None => true,
            Some(list) => ns.is_some_and(|ns| list.contains(&ns)),
        }
    }
}

/// `processContents`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)] // XSD's own words
pub enum Process {
    Strict,
    Lax,
    Skip,
}

/// How often a particle may stand there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occurs {
    /// At least.
    pub min: u32,
    /// At most; `u32::MAX` is unbounded.
    pub max: u32,
}

impl Occurs {
    /// Exactly once.
    pub const ONE: Occurs = Occurs { min: 1, max: 1 };
    /// `maxOccurs="unbounded"`.
    pub const UNBOUNDED: u32 = u32::MAX;
}

/// A particle of a flattened content model. Children of a group follow it in the table, up to
/// (not including) index `end`. Groups stand at most once: a group that repeats is a leaf whose
/// field has kind [`FieldKind::Group`] (a repeated group of one element is a repeated element).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Particle {
    /// An element, wildcard or repeated group: `fields[field]`. A field may have several leaves.
    Leaf {
        /// Index into [`Complex::fields`].
        field: u32,
        /// How often.
        occurs: Occurs,
    },
    /// One after another.
    Sequence {
        /// Whether the group may be left out.
        optional: bool,
        /// The index after its last descendant.
        end: u32,
    },
    /// One of them.
    Choice {
        /// Whether the group may be left out.
        optional: bool,
        /// The index after its last descendant.
        end: u32,
    },
    /// Each at most once, in any order.
    All {
        /// Whether the group may be left out.
        optional: bool,
        /// The index after its last descendant.
        end: u32,
    },
}

impl Field {
    /// The items of an array of SOAP encoding that no element declares; what they are called in a
    /// message means nothing.
    pub fn item(ty: TypeId) -> Field {
        Field {
            name: "item".into(),
            wire: QName::new(NsIx::NONE, "item"),
            kind: FieldKind::Element,
            ty,
            many: true,
            required: false,
            nillable: true,
            default: None,
            fixed: None,
            doc: None,
        }
    }

    /// Whether it says that the element itself is nil: the attribute `xsi:nil`.
    pub fn is_nil(&self) -> bool {
        self.kind == FieldKind::Attribute && self.wire.ns == Types::XSI && &*self.wire.local == "nil"
    }

    /// Whether it is an element of a substitution group, which its value names.
    pub fn is_substitution(&self) -> bool {
        self.kind == FieldKind::Group && !self.wire.local.is_empty()
    }
}

impl Complex {
    /// The simple type of the text, for simple content.
    pub fn text(&self) -> Option<(u32, SimpleId)> {
        self.any_text().filter(|_| self.content.is_empty())
    }

    /// The field of the text, for mixed content: text that stands before the first child element.
    pub fn mixed(&self) -> Option<(u32, SimpleId)> {
        self.any_text().filter(|_| !self.content.is_empty())
    }

    fn any_text(&self) -> Option<(u32, SimpleId)> {
        let at = self.fields.iter().position(|f| f.kind == FieldKind::Text)?;
        match self.fields[at].ty {
            TypeId::Simple(id) => Some((at as u32, id)),
            _ => None,
        }
    }

    /// The order in which users give fields by position: content first, attributes after it.
    pub fn positional(&self) -> Vec<usize> {
        let attribute = |&i: &usize| {
            matches!(
                self.fields[i].kind,
                FieldKind::Attribute | FieldKind::AnyAttribute(_)
            )
        };
        let (attributes, mut content): (Vec<usize>, Vec<usize>) = (0..self.fields.len()).partition(attribute);
        content.extend(attributes);
        content
    }

    /// The field that users call `name`.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|f| &*f.name == name)
    }
}
