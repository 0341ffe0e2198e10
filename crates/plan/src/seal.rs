//! Sealing a table: every index is checked once, and what only memory needs is derived.

use std::collections::HashMap;
use std::sync::Arc;

use castile_value::{DType, RowLayout, Shape};

use crate::{
    Builtin, Complex, ComplexId, ElementId, Error, Field, FieldKind, NsIx, Occurs, Particle, QName, SimpleId,
    TypeId, Types, Variety,
};

/// What [`Types::seal`] derives; not stored.
#[derive(Clone, Debug, Default)]
pub struct Derived {
    namespaces: HashMap<Box<str>, NsIx>,
    elements: HashMap<QName, ElementId>,
    types: HashMap<QName, TypeId>,
    complex: Vec<DerivedComplex>,
}

impl Derived {
    pub(crate) fn namespace(&self, uri: &str) -> Option<NsIx> {
        self.namespaces.get(uri).copied()
    }
}

/// What is derived of one complex type.
#[derive(Clone, Debug)]
pub(crate) struct DerivedComplex {
    shape: Arc<Shape>,
    rows: Option<Arc<RowLayout>>,
    tags: Vec<Tags>,
    leaves: Vec<Leaf>,
    /// Leaf numbers by name, for what was not predicted; a name's leaves in document order.
    by_name: HashMap<QName, Vec<u32>>,
    wild: Vec<u32>,
}

/// The bytes around an element's content, under the table's prefixes.
#[derive(Clone, Debug, Default)]
pub struct Tags {
    /// `<ns1:item` without the closing bracket; for an attribute ` ns1:name="`.
    pub open: Box<[u8]>,
    /// `</ns1:item>`; for an attribute the closing quote.
    pub close: Box<[u8]>,
}

/// A leaf of a content model, in document order.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    /// Index into [`Complex::fields`].
    pub field: u32,
    /// How often it may stand there.
    pub occurs: Occurs,
    /// Index into [`Complex::content`].
    pub particle: u32,
}

/// Views of a sealed table. They panic on a table that is not sealed: a bug of ours, since
/// contracts and the store hand out sealed tables only.
impl Types {
    /// Checks every index and derives what walking needs. Must be called after any change.
    pub fn seal(&mut self) -> Result<(), Error> {
        check_simple(self)?;
        for (i, complex) in self.complex.iter().enumerate() {
            check_complex(self, complex).map_err(|e| Error(format!("complex type {i} ({}): {}", complex.label, e.0)))?;
        }
        for element in &self.elements {
            check_name(self, &element.name)?;
            check_type(self, element.ty)?;
        }
        self.derived = Derived {
            namespaces: self.namespaces.iter().enumerate().map(|(i, n)| (n.uri.clone(), NsIx(i as u32))).collect(),
            elements: self.elements.iter().enumerate().map(|(i, e)| (e.name.clone(), ElementId(i as u32))).collect(),
            types: named_types(self),
            complex: Vec::new(),
        };
        self.derived.complex = self.complex.iter().map(|c| derive(self, c)).collect();
        Ok(())
    }

    /// The names of a complex type's fields, shared by all its records.
    pub fn shape(&self, id: ComplexId) -> &Arc<Shape> {
        &self.derived.complex[id.index()].shape
    }

    /// The layout of packed rows, when the type is flat: only required elements (or attributes)
    /// of number types, each once, in a plain sequence.
    pub fn row_layout(&self, id: ComplexId) -> Option<&Arc<RowLayout>> {
        self.derived.complex[id.index()].rows.as_ref()
    }

    /// The tags of a complex type's fields, in the order of the fields.
    pub fn tags(&self, id: ComplexId) -> &[Tags] {
        &self.derived.complex[id.index()].tags
    }

    /// The leaves of a complex type's content model, in document order.
    pub fn leaves(&self, id: ComplexId) -> &[Leaf] {
        &self.derived.complex[id.index()].leaves
    }

    /// The numbers of the leaves that an element of this name can be, in document order.
    pub fn leaves_named(&self, id: ComplexId, name: &QName) -> &[u32] {
        self.derived.complex[id.index()].by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// The numbers of the wildcard leaves, in document order.
    pub fn wild_leaves(&self, id: ComplexId) -> &[u32] {
        &self.derived.complex[id.index()].wild
    }

    /// The global element of this name.
    pub fn element_named(&self, name: &QName) -> Option<ElementId> {
        self.derived.elements.get(name).copied()
    }

    /// The named type of this name.
    pub fn type_named(&self, name: &QName) -> Option<TypeId> {
        self.derived.types.get(name).copied()
    }

    /// The named type of this `{namespace}local` name.
    pub fn type_by_clark(&self, clark: &str) -> Option<TypeId> {
        self.type_named(&self.parse_clark(clark)?)
    }

    /// A `{namespace}local` name as one of this table; `None` when the table lacks the namespace.
    pub fn parse_clark(&self, clark: &str) -> Option<QName> {
        match clark.strip_prefix('{').and_then(|rest| rest.rsplit_once('}')) {
            Some((uri, local)) => Some(QName::new(self.namespace(uri)?, local)),
            None => Some(QName::new(NsIx::NONE, clark)),
        }
    }
}

fn named_types(types: &Types) -> HashMap<QName, TypeId> {
    let simple = types.simple.iter().enumerate();
    let simple = simple.filter_map(|(i, s)| Some((s.name.clone()?, TypeId::Simple(SimpleId(i as u32)))));
    let complex = types.complex.iter().enumerate();
    let complex = complex.filter_map(|(i, c)| Some((c.name.clone()?, TypeId::Complex(ComplexId(i as u32)))));
    let any = (QName::new(Types::XSD, "anyType"), TypeId::Any);
    simple.chain(complex).chain([any]).collect()
}

fn derive(types: &Types, complex: &Complex) -> DerivedComplex {
    let names = complex.fields.iter().map(|f| f.name.clone()).collect();
    let shape = Arc::new(Shape::new(complex.label.clone(), names));
    let leaves: Vec<Leaf> = leaves(&complex.content).collect();
    let mut by_name: HashMap<QName, Vec<u32>> = HashMap::new();
    let mut wild = Vec::new();
    for (number, leaf) in leaves.iter().enumerate() {
        let field = &complex.fields[leaf.field as usize];
        match field.kind {
            FieldKind::Any(_) => wild.push(number as u32),
            FieldKind::Group => group_names(types, field.ty, &mut |name| {
                by_name.entry(name.clone()).or_default().push(number as u32);
            }, &mut || wild.push(number as u32), 0),
            _ => by_name.entry(field.wire.clone()).or_default().push(number as u32),
        }
    }
    let rows = flat_dtypes(types, complex).and_then(|d| RowLayout::packed(shape.clone(), &d)).map(Arc::new);
    let tags = complex.fields.iter().map(|f| tags(types, f)).collect();
    DerivedComplex { shape, rows, tags, leaves, by_name, wild }
}

fn leaves(content: &[Particle]) -> impl Iterator<Item = Leaf> {
    content.iter().enumerate().filter_map(|(i, particle)| match *particle {
        Particle::Leaf { field, occurs } => Some(Leaf { field, occurs, particle: i as u32 }),
        _ => None,
    })
}

/// Every name that can stand in a repeated group, groups within it included.
fn group_names(types: &Types, ty: TypeId, name: &mut dyn FnMut(&QName), wild: &mut dyn FnMut(), depth: u32) {
    let TypeId::Complex(id) = ty else { return };
    if depth > 32 {
        return;
    }
    let mut seen_wild = false;
    for field in &types.complex(id).fields {
        match field.kind {
            FieldKind::Element => name(&field.wire),
            FieldKind::Any(_) if !seen_wild => {
                seen_wild = true;
                wild();
            }
            FieldKind::Group => group_names(types, field.ty, name, wild, depth + 1),
            _ => {}
        }
    }
}

fn tags(types: &Types, field: &Field) -> Tags {
    let prefix = &*types.namespaces[field.wire.ns.0 as usize].prefix;
    let colon = if prefix.is_empty() { "" } else { ":" };
    let local = &*field.wire.local;
    match field.kind {
        FieldKind::Element => Tags {
            open: format!("<{prefix}{colon}{local}").into_bytes().into(),
            close: format!("</{prefix}{colon}{local}>").into_bytes().into(),
        },
        FieldKind::Attribute => Tags {
            open: format!(" {prefix}{colon}{local}=\"").into_bytes().into(),
            close: b"\"".as_slice().into(),
        },
        _ => Tags::default(),
    }
}

/// The machine types of a flat type's fields; `None` when the type is not flat.
fn flat_dtypes(types: &Types, complex: &Complex) -> Option<Vec<DType>> {
    if complex.is_abstract || !matches!(complex.content.first(), Some(Particle::Sequence { optional: false, .. })) {
        return None;
    }
    let plain = |p: &Particle| matches!(p, Particle::Leaf { occurs: Occurs::ONE, .. });
    if !complex.content[1..].iter().all(plain) || complex.content.len() != complex.fields.len() + 1 {
        return None;
    }
    complex.fields.iter().map(|field| flat_dtype(types, field)).collect()
}

fn flat_dtype(types: &Types, field: &Field) -> Option<DType> {
    let TypeId::Simple(id) = field.ty else { return None };
    if field.kind != FieldKind::Element || field.nillable || field.many {
        return None;
    }
    types.dtype(id)
}

impl Types {
    /// The machine type of a simple type's values, when they are numbers or booleans.
    pub fn dtype(&self, id: SimpleId) -> Option<DType> {
        match self.simple(id).variety {
            Variety::Atomic(builtin) => builtin.dtype(),
            _ => None,
        }
    }
}

fn check_simple(types: &Types) -> Result<(), Error> {
    let fresh = Types::new();
    if types.simple.get(..Builtin::ALL.len()) != Some(&fresh.simple[..]) || types.namespaces.get(..4) != Some(&fresh.namespaces[..]) {
        return Err(Error("the built-in types are not at their places".into()));
    }
    for (i, simple) in types.simple.iter().enumerate() {
        let part = |id: &SimpleId| {
            // Parts come before the whole, which also rules out cycles.
            let builtin_item = i < Builtin::ALL.len() && id.index() < Builtin::ALL.len();
            if id.index() < i || builtin_item { Ok(()) } else { Err(Error(format!("simple type {i} refers to {}", id.0))) }
        };
        if let Some(name) = &simple.name {
            check_name(types, name)?;
        }
        simple.base.as_ref().map_or(Ok(()), part)?;
        match &simple.variety {
            Variety::Atomic(_) => {}
            Variety::List(item) => part(item)?,
            Variety::Union(members) => members.iter().try_for_each(part)?,
        }
    }
    Ok(())
}

fn check_name(types: &Types, name: &QName) -> Result<(), Error> {
    match types.namespaces.get(name.ns.0 as usize) {
        Some(_) => Ok(()),
        None => Err(Error(format!("{} is in namespace {}, which is not in the table", name.local, name.ns.0))),
    }
}

fn check_type(types: &Types, ty: TypeId) -> Result<(), Error> {
    let fits = match ty {
        TypeId::Any => true,
        TypeId::Simple(id) => id.index() < types.simple.len(),
        TypeId::Complex(id) => id.index() < types.complex.len(),
        TypeId::Unsupported(i) => (i as usize) < types.unsupported.len(),
    };
    if fits { Ok(()) } else { Err(Error(format!("type {ty:?} is not in the table"))) }
}

fn check_complex(types: &Types, complex: &Complex) -> Result<(), Error> {
    if let Some(name) = &complex.name {
        check_name(types, name)?;
    }
    complex.base.map_or(Ok(()), |base| check_type(types, base))?;
    let mut names: Vec<&str> = complex.fields.iter().map(|f| &*f.name).collect();
    names.sort_unstable();
    if let Some(twice) = names.windows(2).find(|w| w[0] == w[1]) {
        return Err(Error(format!("two fields are called {}", twice[0])));
    }
    for field in &complex.fields {
        check_field(types, field)?;
    }
    check_content(complex)
}

fn check_field(types: &Types, field: &Field) -> Result<(), Error> {
    check_name(types, &field.wire)?;
    check_type(types, field.ty)?;
    let fits = match field.kind {
        FieldKind::Attribute | FieldKind::Text => matches!(field.ty, TypeId::Simple(_) | TypeId::Unsupported(_)),
        FieldKind::Group => matches!(field.ty, TypeId::Complex(_)),
        _ => true,
    };
    if fits { Ok(()) } else { Err(Error(format!("field {} cannot have type {:?}", field.name, field.ty))) }
}

/// Groups must nest, cover the whole table, and leaves must refer to fields that are content.
fn check_content(complex: &Complex) -> Result<(), Error> {
    let content = &complex.content;
    let mut open: Vec<u32> = Vec::new();
    for (i, particle) in content.iter().enumerate() {
        while open.last().is_some_and(|&end| end as usize <= i) {
            open.pop();
        }
        let limit = open.last().copied().unwrap_or(content.len() as u32);
        match *particle {
            Particle::Leaf { field, occurs } => {
                let kind = complex.fields.get(field as usize).map(|f| &f.kind);
                let content = matches!(kind, Some(FieldKind::Element | FieldKind::Any(_) | FieldKind::Group));
                if !content || occurs.min > occurs.max || occurs.max == 0 {
                    return Err(Error(format!("particle {i} is no usable leaf")));
                }
            }
            Particle::Sequence { end, .. } | Particle::Choice { end, .. } | Particle::All { end, .. } => {
                if end as usize <= i || end > limit || (i == 0 && end as usize != content.len()) {
                    return Err(Error(format!("particle {i} ends at {end}")));
                }
                open.push(end);
            }
        }
    }
    if content.len() > 1 && matches!(content[0], Particle::Leaf { .. }) {
        return Err(Error("the content has more than one root".into()));
    }
    Ok(())
}
