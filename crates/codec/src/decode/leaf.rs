//! Which leaf of a content model an element is.
//!
//! The next element is mostly the leaf at hand again or the one after it. When it is not, the
//! table says which leaves are called so, and which of them may follow.

use castile_plan::{ComplexId, Field, FieldKind, NsIx, TypeId, Types};

use super::Names;

/// How far through a content model a reader has come.
pub(super) struct Cursor {
    /// The leaf last met.
    pub(super) leaf: Option<usize>,
    /// Where the counts of this record begin in the decoder's stack.
    pub(super) base: usize,
}

/// The record or pass around a pass through a repeated group.
#[derive(Clone, Copy)]
pub(super) struct Outer<'o> {
    pub(super) id: ComplexId,
    pub(super) cursor: &'o Cursor,
    /// What is around that, when it is a pass itself.
    pub(super) outer: Option<&'o Outer<'o>>,
}

impl Outer<'_> {
    /// Whether it, or what is around it, has a place for the element.
    fn takes(&self, types: &Types, counts: &[u32], name: Known<'_>) -> bool {
        let Outer { id, cursor, outer } = *self;
        let place = Place {
            id,
            leaf: cursor.leaf,
            counts: &counts[cursor.base..],
        };
        find(types, place, name).is_some() || outer.is_some_and(|outer| outer.takes(types, counts, name))
    }
}

/// A name as the table has it.
#[derive(Clone, Copy)]
pub(super) struct Known<'n> {
    /// `None`: the table does not know the namespace.
    pub(super) ns: Option<NsIx>,
    pub(super) local: &'n str,
}

impl Known<'_> {
    #[inline]
    pub(super) fn is(self, field: &Field) -> bool {
        matches!(field.kind, FieldKind::Element)
            && *field.wire.local == *self.local
            && Some(field.wire.ns) == self.ns
    }
}

/// A place in a content model.
#[derive(Clone, Copy)]
pub(super) struct Place<'c> {
    pub(super) id: ComplexId,
    /// The leaf last met.
    pub(super) leaf: Option<usize>,
    /// How often each leaf was met; leaves beyond the end were not.
    pub(super) counts: &'c [u32],
}

/// The leaf for an element of this name, or `None`.
#[inline]
pub(super) fn find(types: &Types, place: Place<'_>, name: Known<'_>) -> Option<usize> {
    let leaves = types.leaves(place.id);
    let fields = &types.complex(place.id).fields;
    let (at_hand, led_to) = match place.leaf {
        Some(leaf) => (
            leaf,
            place.counts[leaf] >= leaves[leaf].occurs.min && leaves[leaf].leads_on,
        ),
        None => (0, false),
    };
    let near = leaves
        .iter()
        .enumerate()
        .skip(at_hand)
        .take(1 + usize::from(led_to));
    for (number, leaf) in near {
        if place.counts[number] < leaf.occurs.max && name.is(&fields[leaf.field as usize]) {
            return Some(number);
        }
    }
    search(types, place, name)
}

/// The same, by looking each name up: what the prediction is measured against.
#[cold]
pub(super) fn find_by(names: Names, types: &Types, place: Place<'_>, name: Known<'_>) -> Option<usize> {
    let called = match names {
        Names::Predicted => return find(types, place, name),
        Names::Trie => types.leaves_by_trie(place.id, name.local),
        Names::Map => types.leaves_by_map(place.id, name.local),
    };
    let fields = &types.complex(place.id).fields;
    let is = |n: &usize| name.is(&fields[types.leaves(place.id)[*n].field as usize]);
    let mut called = called.iter().map(|&n| n as usize);
    let found = called.find(|n| is(n) && place.admits(types, *n));
    found.or_else(|| search(types, place, name))
}

#[cold]
#[inline(never)]
fn search(types: &Types, place: Place<'_>, name: Known<'_>) -> Option<usize> {
    let fields = &types.complex(place.id).fields;
    let leaves = types.leaves(place.id);
    let field = |number: usize| &fields[leaves[number].field as usize];
    // An element goes before a wildcard, as XSD 1.1 rules where a schema leaves both open.
    let called = types
        .leaves_called(place.id, name.local)
        .iter()
        .map(|&n| n as usize);
    let mut called = called.filter(|&n| place.admits(types, n));
    let element = called.find(|&n| name.is(field(n)) || starts(types, field(n), name));
    element.or_else(|| {
        let mut wild = types
            .wild_leaves(place.id)
            .iter()
            .map(|&n| n as usize)
            .filter(|&n| place.admits(types, n));
        wild.find(|&n| match &field(n).kind {
            FieldKind::Any(wildcard) => wildcard.admits(name.ns),
            _ => starts(types, field(n), name),
        })
    })
}

impl Place<'_> {
    fn open(self, types: &Types, number: usize) -> bool {
        self.counts.get(number).copied().unwrap_or(0) < types.leaves(self.id)[number].occurs.max
    }

    /// Whether the leaf may come next.
    fn admits(self, types: &Types, number: usize) -> bool {
        let follows = || {
            types
                .may_follow(self.id, self.counts, self.leaf.map(|l| l as u32), number as u32)
                .is_ok()
        };
        self.open(types, number) && (self.leaf == Some(number) || follows())
    }
}

/// Whether a pass through a repeated group can begin with an element of this name.
fn starts(types: &Types, field: &Field, name: Known<'_>) -> bool {
    match (&field.kind, field.ty) {
        (FieldKind::Group, TypeId::Complex(id)) => search(
            types,
            Place {
                id,
                leaf: None,
                counts: &[],
            },
            name,
        )
        .is_some(),
        _ => false,
    }
}

/// The same when any order is taken, elements may stand too often, and a right name in a wrong
/// namespace is right. In a pass through a group, which `outer` is around, nothing stands too
/// often, and what is in order outside ends the pass.
#[cold]
#[inline(never)]
pub(super) fn find_lax(
    types: &Types,
    place: Place<'_>,
    name: Known<'_>,
    outer: Option<&Outer<'_>>,
    all_counts: &[u32],
) -> Option<usize> {
    if let Some(number) = find(types, place, name) {
        return Some(number);
    }
    let group = outer.is_some();
    if outer.is_some_and(|outer| outer.takes(types, all_counts, name)) {
        return None;
    }
    let leaves = types.leaves(place.id);
    let fields = &types.complex(place.id).fields;
    let field = |number: usize| &fields[leaves[number].field as usize];
    let called = || {
        types
            .leaves_called(place.id, name.local)
            .iter()
            .map(|&n| n as usize)
    };
    let here = place.leaf.unwrap_or(0);
    let open = || called().filter(|&n| place.open(types, n));
    let exact = |n: &usize| holds(types, field(*n), name);
    let often = |n: &usize| !group && field(*n).many;
    open()
        .find(|n| *n >= here && exact(n))
        .or_else(|| open().find(exact))
        .or_else(|| called().find(|n| often(n) && exact(n)))
        .or_else(|| {
            let mut wild = types.wild_leaves(place.id).iter().map(|&n| n as usize);
            wild.find(|&n| {
                place.open(types, n) && matches!(&field(n).kind, FieldKind::Any(w) if w.admits(name.ns))
            })
        })
        .or_else(|| open().find(|&n| n >= here))
        .or_else(|| open().next())
        .or_else(|| called().find(often))
}

/// Whether the element can stand anywhere in the field.
pub(super) fn holds(types: &Types, field: &Field, name: Known<'_>) -> bool {
    match (&field.kind, field.ty) {
        (FieldKind::Group, TypeId::Complex(id)) => {
            types.complex(id).fields.iter().any(|f| holds(types, f, name))
        }
        _ => name.is(field),
    }
}
