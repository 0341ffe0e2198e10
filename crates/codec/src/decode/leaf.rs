//! Which leaf of a content model an element is.
//!
//! Leaves are walked forward: the next element is mostly the leaf at hand again or the one after
//! it. When it is not, the table's names say which leaf it can be.

use castile_plan::{ComplexId, Field, FieldKind, Leaf, NsIx, Occurs, Particle, QName, Types};

/// How far through a content model a reader has come.
pub(super) struct Cursor {
    /// The leaf last met.
    pub(super) leaf: Option<usize>,
    /// Where the counts of this record begin in the decoder's stack.
    pub(super) base: usize,
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
    fn is(self, field: &Field) -> bool {
        field.kind == FieldKind::Element && *field.wire.local == *self.local && Some(field.wire.ns) == self.ns
    }
}

/// The leaf for an element of this name, or `None`. `counts` are those of this record.
#[inline]
pub(super) fn find(
    types: &Types,
    id: ComplexId,
    cursor: &Cursor,
    counts: &[u32],
    name: Known<'_>,
    strict: bool,
) -> Option<usize> {
    let leaves = types.leaves(id);
    let fields = &types.complex(id).fields;
    let first = cursor.leaf.unwrap_or(0);
    // The one at hand, and the one after it.
    for number in first..leaves.len().min(first + 2) {
        let leaf = leaves[number];
        if counts[number] < leaf.occurs.max && name.is(&fields[leaf.field as usize]) {
            let early = number > first && counts[first] < leaves[first].occurs.min;
            if !early {
                return Some(number);
            }
        }
    }
    search(types, id, first, counts, name, strict)
}

#[cold]
#[inline(never)]
fn search(
    types: &Types,
    id: ComplexId,
    first: usize,
    counts: &[u32],
    name: Known<'_>,
    strict: bool,
) -> Option<usize> {
    let leaves = types.leaves(id);
    let content = &types.complex(id).content;
    let any_order = matches!(content.first(), Some(Particle::All { .. })) || !strict;
    let open = |number: usize| {
        let Occurs { max, .. } = leaves[number].occurs;
        counts[number] < max
    };
    let named = name.ns.map(|ns| QName::new(ns, name.local));
    let candidates = named.as_ref().map_or(&[][..], |n| types.leaves_named(id, n));
    let forward = || candidates.iter().map(|&n| n as usize).filter(|&n| n >= first && open(n));
    // Of several leaves of one name, the one that can come next without leaving out what must be there.
    if let Some(number) = forward().find(|&n| reachable(content, leaves, counts, first, n)) {
        return Some(number);
    }
    if let Some(number) = forward().next() {
        return Some(number);
    }
    if any_order && let Some(number) = candidates.iter().map(|&n| n as usize).find(|&n| open(n)) {
        return Some(number);
    }
    let wild = wild(types, id, first, name).find(|&n| open(n));
    if wild.is_some() || strict {
        return wild;
    }
    let fields = &types.complex(id).fields;
    leaves.iter().position(|leaf| *fields[leaf.field as usize].wire.local == *name.local)
}

fn wild<'t>(types: &'t Types, id: ComplexId, first: usize, name: Known<'_>) -> impl Iterator<Item = usize> + 't {
    let fields = &types.complex(id).fields;
    let leaves = types.leaves(id);
    let ns = name.ns;
    let admits = move |number: &usize| match &fields[leaves[*number].field as usize].kind {
        FieldKind::Any(wildcard) => wildcard.admits(ns),
        // A group with a wildcard of its own: it decides when it is entered.
        FieldKind::Group => true,
        _ => false,
    };
    types.wild_leaves(id).iter().map(|&n| n as usize).filter(move |&n| n >= first).filter(admits)
}

/// Whether leaf `to` may follow leaf `from`: nothing that must be there lies between them.
fn reachable(content: &[Particle], leaves: &[Leaf], counts: &[u32], from: usize, to: usize) -> bool {
    let target = leaves[to].particle as usize;
    let done = |number: usize| counts[number] >= leaves[number].occurs.min;
    let mut number = from;
    let mut at = leaves[from].particle as usize;
    if at == target {
        return true;
    }
    if !done(number) && counts[number] > 0 {
        return false;
    }
    if counts[number] > 0 {
        at += 1;
    }
    // Walk forward over whole particles that may be left out, and into groups that hold the target.
    while at < target {
        match content[at] {
            Particle::Leaf { occurs, .. } => {
                number = leaves.iter().position(|l| l.particle as usize == at).unwrap_or(number);
                if counts[number] < occurs.min && !beside(content, at, target) {
                    return false;
                }
                at += 1;
            }
            Particle::Sequence { end, .. } | Particle::Choice { end, .. } | Particle::All { end, .. } => {
                if end as usize > target {
                    at += 1;
                } else {
                    let met = leaves.iter().enumerate().any(|(n, l)| {
                        (at..end as usize).contains(&(l.particle as usize)) && counts[n] > 0
                    });
                    if !met && !crate::encode::emptiable(content, at) && !beside(content, at, target) {
                        return false;
                    }
                    at = end as usize;
                }
            }
        }
    }
    true
}

/// Whether the innermost group around both particles is a choice, so that they exclude each other.
fn beside(content: &[Particle], a: usize, b: usize) -> bool {
    let holds = |i: usize| match content[i] {
        Particle::Leaf { .. } => false,
        Particle::Sequence { end, .. } | Particle::Choice { end, .. } | Particle::All { end, .. } => {
            i < a && i < b && (end as usize) > a && (end as usize) > b
        }
    };
    let innermost = (0..content.len()).rev().find(|&i| holds(i));
    innermost.is_some_and(|i| matches!(content[i], Particle::Choice { .. }))
}
