//! Sealing a table: every index is checked once, and what only memory needs is derived.

use std::collections::HashMap;
use std::sync::Arc;

use castile_value::{DType, RowLayout, Shape};

use crate::model::{Block, Order, Walk, check_groups};
use crate::{
    Builtin, Complex, ComplexId, ElementId, Error, Field, FieldKind, Namespace, NsIx, Occurs, Particle,
    QName, SimpleId, TypeId, Types, Variety,
};

/// What [`Types::seal`] derives; not stored.
#[derive(Clone, Debug, Default)]
pub struct Derived {
    namespaces: HashMap<Box<str>, NsIx>,
    elements: HashMap<QName, ElementId>,
    types: HashMap<QName, TypeId>,
    complex: Vec<DerivedComplex>,
    /// Of each simple type, whether it or a type it restricts has an enumeration.
    enumerated: Vec<bool>,
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
    order: Order,
    /// Leaf numbers by local name, for what was not predicted; a name's leaves in document order.
    by_local: HashMap<Box<str>, Vec<u32>>,
    wild: Vec<u32>,
    text: Option<(u32, SimpleId)>,
    /// Whether some field has more than one leaf.
    shared: bool,
    plain: bool,
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
    /// Whether the next leaf in document order may follow once this one was met often enough: the
    /// answer that [`Types::may_follow`] mostly has to find.
    pub leads_on: bool,
}

/// Views of a sealed table. They panic on a table that is not sealed: a bug of ours, since
/// contracts and the store hand out sealed tables only.
impl Types {
    /// Checks every index and derives what walking needs. Must be called after any change.
    pub fn seal(&mut self) -> Result<(), Error> {
        check_simple(self)?;
        for (i, complex) in self.complex.iter().enumerate() {
            check_complex(self, complex)
                .map_err(|e| Error(format!("complex type {i} ({}): {}", complex.label, e.0)))?;
        }
        for element in &self.elements {
            check_name(self, &element.name)?;
            check_type(self, element.ty)?;
        }
        check_prefixes(self)?;
        check_groups(self)?;
        self.derived = Derived {
            namespaces: self
                .namespaces
                .iter()
                .enumerate()
                .map(|(i, n)| (n.uri.clone(), NsIx(i as u32)))
                .collect(),
            elements: self
                .elements
                .iter()
                .enumerate()
                .map(|(i, e)| (e.name.clone(), ElementId(i as u32)))
                .collect(),
            types: named_types(self),
            complex: Vec::new(),
            enumerated: Vec::with_capacity(self.simple.len()),
        };
        // Bases come before what restricts them.
        for simple in &self.simple {
            let base = simple
                .base
                .is_some_and(|base| self.derived.enumerated[base.index()]);
            self.derived
                .enumerated
                .push(base || !simple.facets.enumeration.is_empty());
        }
        let mut nullable = vec![None; self.complex.len()];
        self.derived.complex = self
            .complex
            .iter()
            .map(|c| derive(self, c, &mut nullable))
            .collect();
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

    /// The numbers of the leaves that an element of this local name can belong to, whatever its
    /// namespace, in document order; for a repeated group, that can stand anywhere in it.
    pub fn leaves_called(&self, id: ComplexId, local: &str) -> &[u32] {
        self.derived.complex[id.index()]
            .by_local
            .get(local)
            .map_or(&[], Vec::as_slice)
    }

    /// The numbers of the wildcard leaves, in document order.
    pub fn wild_leaves(&self, id: ComplexId) -> &[u32] {
        &self.derived.complex[id.index()].wild
    }

    /// Whether leaf `next` may come after leaf `after`, or first when there is none. `counts` says
    /// how often each leaf was met so far; leaves beyond its end were not. Whether `next` was met
    /// too often already is not looked at.
    ///
    /// # Errors
    /// What stands in the way.
    pub fn may_follow(
        &self,
        id: ComplexId,
        counts: &[u32],
        after: Option<u32>,
        next: u32,
    ) -> Result<(), Block> {
        self.walk(id, counts).may_follow(after, next)
    }

    /// Whether the content may end after leaf `after`, or be empty when there is none.
    ///
    /// # Errors
    /// The particle that must be there still: a leaf or a choice, as an index into
    /// [`Complex::content`].
    pub fn may_end(&self, id: ComplexId, counts: &[u32], after: Option<u32>) -> Result<(), u32> {
        self.walk(id, counts).may_end(after)
    }

    /// Whether no element need stand for this particle of the type's content.
    pub fn nullable(&self, id: ComplexId, particle: u32) -> bool {
        self.derived.complex[id.index()].order.nullable(particle)
    }

    /// Whether a simple type, or one that it restricts, has an enumeration.
    pub fn is_enumerated(&self, id: SimpleId) -> bool {
        self.derived.enumerated[id.index()]
    }

    /// Whether some field of the type has more than one leaf.
    pub fn shares_fields(&self, id: ComplexId) -> bool {
        self.derived.complex[id.index()].shared
    }

    /// Whether values of the type are just single child elements of simple types, one after another:
    /// no attributes, no alternatives, nothing repeated.
    pub fn is_plain(&self, id: ComplexId) -> bool {
        self.derived.complex[id.index()].plain
    }

    /// The field and simple type of the text, for simple content.
    pub fn text_field(&self, id: ComplexId) -> Option<(u32, SimpleId)> {
        self.derived.complex[id.index()].text
    }

    fn walk<'w>(&'w self, id: ComplexId, counts: &'w [u32]) -> Walk<'w> {
        let derived = &self.derived.complex[id.index()];
        Walk {
            content: &self.complex(id).content,
            order: &derived.order,
            leaves: &derived.leaves,
            counts,
        }
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

fn derive(types: &Types, complex: &Complex, known: &mut [Option<bool>]) -> DerivedComplex {
    let names = complex.fields.iter().map(|f| f.name.clone()).collect();
    let shape = Arc::new(Shape::new(complex.label.clone(), names));
    let order = order(types, complex, known);
    let leaves = leaves(complex, &order);
    let mut by_local: HashMap<Box<str>, Vec<u32>> = HashMap::new();
    let mut wild = Vec::new();
    for (number, leaf) in leaves.iter().enumerate() {
        let mut called = |local: &str| {
            let numbers = by_local.entry(local.into()).or_default();
            if numbers.last() != Some(&(number as u32)) {
                numbers.push(number as u32);
            }
        };
        if can_start(types, &complex.fields[leaf.field as usize], &mut called) {
            wild.push(number as u32);
        }
    }
    let rows = flat_dtypes(types, complex)
        .and_then(|d| RowLayout::packed(shape.clone(), &d))
        .map(Arc::new);
    let tags = complex.fields.iter().map(|f| tags(types, f)).collect();
    let mut fields: Vec<u32> = leaves.iter().map(|leaf| leaf.field).collect();
    fields.sort_unstable();
    let shared = fields.windows(2).any(|w| w[0] == w[1]);
    let plain = is_plain(complex) && !shared;
    DerivedComplex {
        shape,
        rows,
        tags,
        leaves,
        order,
        by_local,
        wild,
        text: complex.text(),
        shared,
        plain,
    }
}

/// `known`: of each complex type, whether its content may be empty, once that was asked.
fn order(types: &Types, complex: &Complex, known: &mut [Option<bool>]) -> Order {
    // Groups nest only so deep: `check_groups` saw to it.
    for field in complex.fields.iter().filter(|f| f.kind == FieldKind::Group) {
        if let TypeId::Complex(id) = field.ty
            && known[id.index()].is_none()
        {
            let inner = order(types, types.complex(id), known);
            known[id.index()] = Some(inner.all_nullable());
        }
    }
    Order::new(
        complex,
        &|ty| matches!(ty, TypeId::Complex(id) if known[id.index()] == Some(true)),
    )
}

fn leaves(complex: &Complex, order: &Order) -> Vec<Leaf> {
    let particles = complex.content.iter().enumerate();
    let mut leaves: Vec<Leaf> = particles
        .filter_map(|(i, particle)| match *particle {
            Particle::Leaf { field, occurs } => Some(Leaf {
                field,
                occurs,
                particle: i as u32,
                leads_on: false,
            }),
            _ => None,
        })
        .collect();
    if all_of_groups(&complex.content) {
        return leaves;
    }
    let mut counts = vec![0; leaves.len()];
    for i in 1..leaves.len() {
        // Of the leaves before, only this one was met; an All has others that must be, and is asked.
        counts[i - 1] = leaves[i - 1].occurs.min.max(1);
        let walk = Walk {
            content: &complex.content,
            order,
            leaves: &leaves,
            counts: &counts,
        };
        let leads_on = walk.may_follow(Some(i as u32 - 1), i as u32).is_ok();
        leaves[i - 1].leads_on = leads_on;
        counts[i - 1] = 0;
    }
    leaves
}

/// Whether an All holds a group: whether that was met takes more than the count of one leaf.
fn all_of_groups(content: &[Particle]) -> bool {
    let all = |(i, particle): (usize, &Particle)| match *particle {
        Particle::All { end, .. } => content[i + 1..end as usize]
            .iter()
            .any(|p| !matches!(p, Particle::Leaf { .. })),
        _ => false,
    };
    content.iter().enumerate().any(all)
}

/// Tells the local name of every element that can belong to a field, groups within groups
/// included; whether a wildcard can.
fn can_start(types: &Types, field: &Field, called: &mut dyn FnMut(&str)) -> bool {
    match (&field.kind, field.ty) {
        (FieldKind::Any(_), _) => true,
        (FieldKind::Element, _) => {
            called(&field.wire.local);
            false
        }
        (FieldKind::Group, TypeId::Complex(id)) => types
            .complex(id)
            .fields
            .iter()
            .fold(false, |wild, f| can_start(types, f, called) | wild),
        _ => false,
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

fn is_plain(complex: &Complex) -> bool {
    let single = |p: &Particle| {
        matches!(
            p,
            Particle::Leaf {
                occurs: Occurs { max: 1, .. },
                ..
            }
        )
    };
    let simple = |f: &Field| f.kind == FieldKind::Element && matches!(f.ty, TypeId::Simple(_));
    matches!(complex.content.split_first(), Some((Particle::Sequence { optional: false, .. }, rest)) if rest.iter().all(single))
        && complex.fields.iter().all(simple)
        && !complex.is_abstract
}

/// The machine types of a flat type's fields; `None` when the type is not flat.
fn flat_dtypes(types: &Types, complex: &Complex) -> Option<Vec<DType>> {
    if complex.is_abstract
        || !matches!(
            complex.content.first(),
            Some(Particle::Sequence { optional: false, .. })
        )
    {
        return None;
    }
    let plain = |p: &Particle| {
        matches!(
            p,
            Particle::Leaf {
                occurs: Occurs::ONE,
                ..
            }
        )
    };
    if !complex.content[1..].iter().all(plain) || complex.content.len() != complex.fields.len() + 1 {
        return None;
    }
    let in_order =
        |(i, p): (usize, &Particle)| matches!(p, Particle::Leaf { field, .. } if *field as usize == i);
    if !complex.content[1..].iter().enumerate().all(in_order) {
        return None;
    }
    complex
        .fields
        .iter()
        .map(|field| flat_dtype(types, field))
        .collect()
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
    if types.simple.get(..Builtin::ALL.len()) != Some(&fresh.simple[..])
        || types.namespaces.get(..4) != Some(&fresh.namespaces[..])
    {
        return Err(Error("the built-in types are not at their places".into()));
    }
    for (i, simple) in types.simple.iter().enumerate() {
        let part = |id: &SimpleId| {
            // Parts come before the whole, which also rules out cycles.
            let builtin_item = i < Builtin::ALL.len() && id.index() < Builtin::ALL.len();
            if id.index() < i || builtin_item {
                Ok(())
            } else {
                Err(Error(format!("simple type {i} refers to {}", id.0)))
            }
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

/// Prefixes are unique, names, and none of those that an encoder makes up itself: `S` for the
/// envelope, and `f`, `a` and `q` with or without a number for names that no table knows.
fn check_prefixes(types: &Types) -> Result<(), Error> {
    let mut seen = std::collections::HashSet::new();
    for (i, Namespace { uri, prefix }) in types.namespaces.iter().enumerate() {
        let made_up = &**prefix == "S"
            || prefix
                .strip_prefix(['f', 'a', 'q'])
                .is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()));
        let named = prefix.bytes().next().is_some_and(|b| b.is_ascii_alphabetic())
            && prefix
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'));
        if i > 0 && (!named || made_up || uri.is_empty()) || !seen.insert(prefix) {
            return Err(Error(format!(
                "namespace {uri:?} cannot have the prefix {prefix:?}"
            )));
        }
    }
    Ok(())
}

fn check_name(types: &Types, name: &QName) -> Result<(), Error> {
    match types.namespaces.get(name.ns.0 as usize) {
        Some(_) => Ok(()),
        None => Err(Error(format!(
            "{} is in namespace {}, which is not in the table",
            name.local, name.ns.0
        ))),
    }
}

fn check_type(types: &Types, ty: TypeId) -> Result<(), Error> {
    let fits = match ty {
        TypeId::Any => true,
        TypeId::Simple(id) => id.index() < types.simple.len(),
        TypeId::Complex(id) => id.index() < types.complex.len(),
        TypeId::Unsupported(i) => (i as usize) < types.unsupported.len(),
    };
    if fits {
        Ok(())
    } else {
        Err(Error(format!("type {ty:?} is not in the table")))
    }
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
        FieldKind::Attribute | FieldKind::Text => {
            matches!(field.ty, TypeId::Simple(_) | TypeId::Unsupported(_))
        }
        FieldKind::Group => match field.ty {
            TypeId::Complex(id) => types.complex(id).fields.iter().all(is_content),
            _ => false,
        },
        _ => true,
    };
    if fits {
        Ok(())
    } else {
        Err(Error(format!(
            "field {} cannot have type {:?}",
            field.name, field.ty
        )))
    }
}

fn is_content(field: &Field) -> bool {
    matches!(
        field.kind,
        FieldKind::Element | FieldKind::Any(_) | FieldKind::Group
    )
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
                let content = matches!(
                    kind,
                    Some(FieldKind::Element | FieldKind::Any(_) | FieldKind::Group)
                );
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
