//! What only memory needs of a complex type: shape, tags, leaves, look-ups.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use castile_value::{DType, RowLayout, Shape};

use crate::model::{Order, Walk};
use crate::seal::{DerivedComplex, Leaf, Tags};
use crate::{Builtin, Complex, Field, FieldKind, Occurs, Particle, TypeId, Types, Variety};

/// Derives what walking a complex type needs. `known`: of each complex type, whether its content may
/// be empty, once that was asked.
pub(crate) fn complex(types: &Types, complex: &Complex, known: &mut [Option<bool>]) -> DerivedComplex {
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
    let packed = flat_cells(types, complex)
        .and_then(|cells| RowLayout::with_texts(shape.clone(), &cells))
        .map(Arc::new);
    let tags = complex.fields.iter().map(|f| tags(types, f)).collect();
    let mut fields: Vec<u32> = leaves.iter().map(|leaf| leaf.field).collect();
    fields.sort_unstable();
    let shared = fields.windows(2).any(|w| w[0] == w[1]);
    let plain = is_plain(complex) && !shared;
    DerivedComplex {
        shape,
        packed,
        tags,
        leaves,
        order,
        by_local,
        by_trie: OnceLock::new(),
        by_map: OnceLock::new(),
        wild,
        text: complex.text(),
        mixed: complex.mixed(),
        nil: complex.fields.iter().position(Field::is_nil).map(|at| at as u32),
        shared,
        plain,
    }
}

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
    if all_of_more(&complex.content) {
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

/// Whether an All holds more than single elements, which XSD 1.0 forbids: whether a group was met takes
/// more than the count of one leaf, and an element may not come back later.
fn all_of_more(content: &[Particle]) -> bool {
    let all = |(i, particle): (usize, &Particle)| match *particle {
        Particle::All { end, .. } => content[i + 1..end as usize]
            .iter()
            .any(|p| !matches!(p, Particle::Leaf { occurs, .. } if occurs.max == 1)),
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
    match field.kind {
        FieldKind::Element => element_tags(types, field),
        FieldKind::Attribute => Tags {
            open: format!(" {}=\"", types.prefixed(&field.wire)).into_bytes().into(),
            typed: Box::default(),
            close: b"\"".as_slice().into(),
        },
        _ => Tags::default(),
    }
}

fn element_tags(types: &Types, field: &Field) -> Tags {
    let mut tags = types.element_tags(&field.wire);
    if let Some(name) = types.announced(field.ty).filter(|_| types.derived.encoded) {
        let attribute = format!(" xsi:type=\"{}\"", types.prefixed(name));
        tags.typed = [&tags.open, attribute.as_bytes()].concat().into();
    }
    tags
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

/// The machine types of a flat type's fields, none for texts; `None` when the type is not flat.
fn flat_cells(types: &Types, complex: &Complex) -> Option<Vec<Option<DType>>> {
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
        .map(|field| flat_cell(types, field))
        .collect()
}

fn flat_cell(types: &Types, field: &Field) -> Option<Option<DType>> {
    let TypeId::Simple(id) = field.ty else { return None };
    if field.kind != FieldKind::Element || field.nillable || field.many {
        return None;
    }
    let is_text = matches!(types.simple(id).variety, Variety::Atomic(Builtin::String));
    types.dtype(id).map(Some).or(is_text.then_some(None))
}
