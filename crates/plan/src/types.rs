//! The table of types.

use serde::{Deserialize, Serialize};

use crate::{
    Builtin, Complex, Derived, Disallowed, Facets, Field, FieldKind, Namespace, NsIx, QName, Simple, Variety,
    WhiteSpace,
};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id! {
    /// Index into [`Types::simple`]. The first are the built-in types in the order of [`Builtin::ALL`].
    SimpleId
}
id! {
    /// Index into [`Types::complex`].
    ComplexId
}
id! {
    /// Index into [`Types::elements`].
    ElementId
}

impl From<Builtin> for SimpleId {
    fn from(builtin: Builtin) -> Self {
        SimpleId(builtin as u32)
    }
}

/// The type of an element, attribute or text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TypeId {
    /// `anyType`: text, a value of the type that `xsi:type` names, or the whole element kept as XML.
    Any,
    /// A simple type.
    Simple(SimpleId),
    /// A complex type.
    Complex(ComplexId),
    /// Something this version cannot do; index into [`Types::unsupported`]. Using it is an error
    /// with that text.
    Unsupported(u32),
}

/// A global element.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Element {
    /// Its name.
    pub name: QName,
    /// Its type.
    pub ty: TypeId,
    /// Whether it may say `xsi:nil`.
    pub nillable: bool,
    /// Whether only members of its substitution group may stand in a message.
    pub is_abstract: bool,
    /// The head of the substitution group it is a member of.
    pub substitutes: Option<QName>,
    /// The schema's default text.
    pub default: Option<Box<str>>,
    /// The schema's fixed text.
    pub fixed: Option<Box<str>>,
    /// The schema's documentation, white space collapsed.
    pub doc: Option<Box<str>>,
}

impl Element {
    /// The element as a field that stands for itself, once.
    pub fn to_field(&self) -> Field {
        Field {
            name: self.name.local.clone(),
            wire: self.name.clone(),
            kind: FieldKind::Element,
            ty: self.ty,
            many: false,
            required: false,
            nillable: self.nillable,
            default: self.default.clone(),
            fixed: self.fixed.clone(),
            doc: None,
        }
    }
}

/// Every type and global element of a contract, in one flat table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Types {
    /// Namespaces and their prefixes. Index 0 is "no namespace", 1 XML Schema (`xsd`),
    /// 2 XML Schema instance (`xsi`), 3 the XML namespace (`xml`).
    pub namespaces: Vec<Namespace>,
    /// Simple types.
    pub simple: Vec<Simple>,
    /// Complex types.
    pub complex: Vec<Complex>,
    /// Global elements.
    pub elements: Vec<Element>,
    /// What this version cannot do: the construct and where it stands, one text a place.
    pub unsupported: Vec<Box<str>>,
    /// Where derived types may not stand.
    pub disallowed: Vec<Disallowed>,
    #[serde(skip)]
    pub(crate) derived: Derived,
}

impl Default for Types {
    fn default() -> Self {
        Types::new()
    }
}

impl Types {
    /// The XML Schema namespace.
    pub const XSD: NsIx = NsIx(1);
    /// The XML Schema instance namespace.
    pub const XSI: NsIx = NsIx(2);
    /// The XML namespace.
    pub const XML: NsIx = NsIx(3);

    /// A table with the built-in types and well-known namespaces only.
    pub fn new() -> Self {
        let namespaces = [
            ("", ""),
            ("http://www.w3.org/2001/XMLSchema", "xsd"),
            ("http://www.w3.org/2001/XMLSchema-instance", "xsi"),
            ("http://www.w3.org/XML/1998/namespace", "xml"),
        ];
        let namespace = |(uri, prefix): (&str, &str)| Namespace {
            uri: uri.into(),
            prefix: prefix.into(),
        };
        Types {
            namespaces: namespaces.map(namespace).into(),
            simple: Builtin::ALL.iter().copied().map(builtin).collect(),
            complex: Vec::new(),
            elements: Vec::new(),
            unsupported: Vec::new(),
            disallowed: Vec::new(),
            derived: Derived::default(),
        }
    }

    /// The index of a namespace, added with the prefix `nsN` when the table lacks it.
    pub fn intern(&mut self, uri: &str) -> NsIx {
        self.namespace(uri).unwrap_or_else(|| {
            let ix = NsIx(self.namespaces.len() as u32);
            let prefix = format!("ns{}", ix.0 - Types::XML.0);
            self.namespaces.push(Namespace {
                uri: uri.into(),
                prefix: prefix.into(),
            });
            ix
        })
    }

    /// The index of a namespace, if the table has it.
    pub fn namespace(&self, uri: &str) -> Option<NsIx> {
        if let Some(ix) = self.derived.namespace(&self.namespaces, uri) {
            return Some(ix);
        }
        self.namespaces
            .iter()
            .position(|n| &*n.uri == uri)
            .map(|i| NsIx(i as u32))
    }

    /// The URI of a namespace.
    pub fn uri(&self, ns: NsIx) -> &str {
        &self.namespaces[ns.0 as usize].uri
    }

    /// A name as `{namespace}local`, or `local` in no namespace.
    pub fn clark(&self, name: &QName) -> String {
        match self.uri(name.ns) {
            "" => name.local.to_string(),
            uri => format!("{{{uri}}}{}", name.local),
        }
    }

    /// A simple type.
    pub fn simple(&self, id: SimpleId) -> &Simple {
        &self.simple[id.index()]
    }

    /// A complex type.
    pub fn complex(&self, id: ComplexId) -> &Complex {
        &self.complex[id.index()]
    }

    /// What messages call a type.
    pub fn type_label(&self, ty: TypeId) -> String {
        match ty {
            TypeId::Any => "xsd:anyType".into(),
            TypeId::Complex(id) => self.complex(id).label.to_string(),
            TypeId::Unsupported(_) => "an unsupported type".into(),
            TypeId::Simple(id) => self.simple_label(id),
        }
    }

    fn simple_label(&self, id: SimpleId) -> String {
        let simple = self.simple(id);
        match (&simple.name, &simple.variety) {
            (Some(name), _) if name.ns == Types::XSD => format!("xsd:{}", name.local),
            (Some(name), _) => self.clark(name),
            (None, Variety::Atomic(builtin)) => format!("a restriction of xsd:{}", builtin.name()),
            (None, Variety::List(item)) => format!("a list of {}", self.simple_label(*item)),
            (None, Variety::Union(_)) => "a union".into(),
        }
    }

    /// Whether `ty` is `base` or derived from it, in any number of steps.
    pub fn is_derived(&self, ty: TypeId, base: TypeId) -> bool {
        let mut at = Some(ty);
        // A chain cannot be longer than the table; a cycle would be a broken schema.
        for _ in 0..=self.complex.len() + self.simple.len() {
            match at {
                Some(id) if id == base => return true,
                Some(TypeId::Complex(id)) => at = self.complex(id).base,
                Some(TypeId::Simple(id)) => at = self.simple(id).base.map(TypeId::Simple),
                _ => break,
            }
        }
        base == TypeId::Any
    }
}

fn builtin(builtin: Builtin) -> Simple {
    let variety = match builtin.item() {
        Some(item) => Variety::List(item.into()),
        None => Variety::Atomic(builtin),
    };
    let white_space = match builtin {
        Builtin::String | Builtin::AnySimpleType => WhiteSpace::Preserve,
        Builtin::NormalizedString => WhiteSpace::Replace,
        _ => WhiteSpace::Collapse,
    };
    Simple {
        name: Some(QName::new(Types::XSD, builtin.name())),
        base: builtin.base().map(SimpleId::from),
        variety,
        facets: Facets {
            white_space: Some(white_space),
            ..Facets::default()
        },
        doc: None,
    }
}
