//! Types as trees: [`Model`], made into the fields and particles of a table.

use castile_plan::{
    Complex, ComplexId, Field, FieldKind, NsIx, Occurs, Particle, QName, TypeId, Types, Wildcard,
};

/// A type by its name or by what it is.
#[derive(Clone, Debug, PartialEq)]
pub enum Ty {
    /// A built-in type or a type of the table.
    Named(String),
    /// `anyType`.
    Any,
    /// A list type.
    List(Box<Ty>),
    /// A union type.
    Union(Vec<Ty>),
    /// An enumeration of strings.
    Enumeration(Vec<String>),
    /// A type that is there already.
    Known(TypeId),
}

/// What stands in a content model.
#[derive(Clone, Debug)]
pub enum LeafKind {
    /// An element.
    Element,
    /// A wildcard.
    Any(Wildcard),
}

/// An element or wildcard.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// Local name; users call the field so.
    pub name: String,
    /// Namespace.
    pub ns: NsIx,
    /// Element or wildcard.
    pub kind: LeafKind,
    /// Its type.
    pub ty: TypeId,
    /// How often.
    pub occurs: Occurs,
    /// Whether it may say `xsi:nil`.
    pub nillable: bool,
    /// Its default.
    pub default: Option<String>,
}

/// How the items of a group stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // XSD's own words
pub enum Group {
    Sequence,
    Choice,
    All,
}

/// A content model as a tree.
#[derive(Clone, Debug)]
pub enum Model {
    /// An element or wildcard.
    Leaf(Leaf),
    /// A group, which may repeat.
    Group(Group, Occurs, Vec<Model>),
}

impl Model {
    /// Adds the particles of the model, which is a root, to `complex`, and the types of repeated
    /// groups to `types`.
    pub fn flatten(&self, types: &mut Types, complex: &mut Complex) {
        match self {
            Model::Group(_, occurs, _) if occurs.max <= 1 => self.emit(types, complex),
            root => {
                let around = Model::Group(Group::Sequence, Occurs::ONE, vec![root.clone()]);
                around.emit(types, complex);
            }
        }
        for i in 0..complex.fields.len() {
            if matches!(
                complex.fields[i].kind,
                FieldKind::Element | FieldKind::Any(_) | FieldKind::Group
            ) {
                let (min, max) = total(&complex.content, 0, i as u32);
                complex.fields[i].many = max > 1;
                complex.fields[i].required = min > 0;
            }
        }
    }

    fn emit(&self, types: &mut Types, complex: &mut Complex) {
        match self {
            Model::Leaf(leaf) => {
                let field = leaf_field(leaf, complex);
                complex.content.push(Particle::Leaf {
                    field,
                    occurs: leaf.occurs,
                });
            }
            Model::Group(group, occurs, items) if occurs.max > 1 => {
                let field = group_field(*group, items, types, complex);
                complex.content.push(Particle::Leaf {
                    field,
                    occurs: *occurs,
                });
            }
            Model::Group(group, occurs, items) => {
                let at = complex.content.len();
                complex.content.push(Particle::Sequence {
                    optional: false,
                    end: 0,
                });
                items.iter().for_each(|item| item.emit(types, complex));
                let (optional, end) = (occurs.min == 0, complex.content.len() as u32);
                complex.content[at] = match group {
                    Group::Sequence => Particle::Sequence { optional, end },
                    Group::Choice => Particle::Choice { optional, end },
                    Group::All => Particle::All { optional, end },
                };
            }
        }
    }
}

/// The field of an element; the same element of the same type twice is one field.
fn leaf_field(leaf: &Leaf, complex: &mut Complex) -> u32 {
    let kind = match &leaf.kind {
        LeafKind::Element => FieldKind::Element,
        LeafKind::Any(wildcard) => FieldKind::Any(wildcard.clone()),
    };
    let local = if kind == FieldKind::Element {
        &*leaf.name
    } else {
        ""
    };
    let field = Field {
        name: leaf.name.as_str().into(),
        wire: QName::new(leaf.ns, local),
        kind,
        ty: leaf.ty,
        many: false,
        required: false,
        nillable: leaf.nillable,
        default: leaf.default.as_deref().map(Into::into),
        fixed: None,
        doc: None,
    };
    let same = |f: &Field| f.kind == FieldKind::Element && f.wire == field.wire && f.ty == field.ty;
    match complex.fields.iter().position(same) {
        Some(at) => at as u32,
        None => push(field, complex),
    }
}

fn group_field(group: Group, items: &[Model], types: &mut Types, complex: &mut Complex) -> u32 {
    let mut inner = empty(&format!("{}/group", complex.label));
    Model::Group(group, Occurs::ONE, items.to_vec()).flatten(types, &mut inner);
    let id = ComplexId(types.complex.len() as u32);
    types.complex.push(inner);
    let field = Field {
        name: "group".into(),
        wire: QName::new(NsIx::NONE, ""),
        kind: FieldKind::Group,
        ty: TypeId::Complex(id),
        many: true,
        required: false,
        nillable: false,
        default: None,
        fixed: None,
        doc: None,
    };
    push(field, complex)
}

/// Adds a field under a name that no other has.
pub(crate) fn push(mut field: Field, complex: &mut Complex) -> u32 {
    let name = field.name.clone();
    for n in 2.. {
        if complex.field(&field.name).is_none() {
            break;
        }
        field.name = format!("{name}_{n}").into();
    }
    complex.fields.push(field);
    complex.fields.len() as u32 - 1
}

pub(crate) fn empty(label: &str) -> Complex {
    Complex {
        name: None,
        label: label.into(),
        base: None,
        derivation: castile_plan::Derivation::None,
        is_abstract: false,
        fields: Vec::new(),
        content: Vec::new(),
        array: None,
        doc: None,
    }
}

/// How often a field can stand in the particle at `i`.
fn total(content: &[Particle], i: usize, field: u32) -> (u32, u32) {
    let Some(particle) = content.get(i) else {
        return (0, 0);
    };
    let parts = |end: u32| {
        let mut parts = Vec::new();
        let mut child = i + 1;
        while child < end as usize {
            parts.push(total(content, child, field));
            child = match content[child] {
                Particle::Leaf { .. } => child + 1,
                Particle::Sequence { end, .. } | Particle::Choice { end, .. } | Particle::All { end, .. } => {
                    end as usize
                }
            };
        }
        parts
    };
    match *particle {
        Particle::Leaf { field: own, occurs } if own == field => (occurs.min, occurs.max),
        Particle::Leaf { .. } => (0, 0),
        Particle::Choice { optional, end } => {
            let parts = parts(end);
            let min = parts.iter().map(|p| p.0).min().unwrap_or(0);
            (
                if optional { 0 } else { min },
                parts.iter().map(|p| p.1).max().unwrap_or(0),
            )
        }
        Particle::Sequence { optional, end } | Particle::All { optional, end } => {
            let sum = parts(end).iter().fold((0u32, 0u32), |a, p| {
                (a.0.saturating_add(p.0), a.1.saturating_add(p.1))
            });
            (if optional { 0 } else { sum.0 }, sum.1)
        }
    }
}
