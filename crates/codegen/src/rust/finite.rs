//! Which types can hold a value at all, which hold themselves, and which are large: where a field
//! needs a box, and where it cannot be required.

use std::collections::{HashMap, HashSet};

use castile_plan::{ComplexId, Field, FieldKind, TypeId, Types};

use super::choices::{Layout, Member};

/// Words (of 8 bytes) that a struct may have and still stand inside another.
const WORDS_MAX: u64 = 128;

#[derive(Debug, Default)]
pub(super) struct Finite {
    /// The round in which a default value was found for a type; none: there is no end to it.
    rounds: HashMap<ComplexId, u32>,
    /// Types that can be reached by value from one another have the same number.
    knots: HashMap<ComplexId, u32>,
    large: HashSet<ComplexId>,
    hierarchies: HashSet<ComplexId>,
}

/// Whether a field always holds one value, as far as the contract says.
pub(super) fn is_plain(field: &Field) -> bool {
    field.required
        && !field.nillable
        && !field.many
        && field.fixed.is_none()
        && (field.default.is_none() || field.kind == FieldKind::Text)
}

impl Finite {
    pub(super) fn new(
        types: &Types,
        order: &[ComplexId],
        layouts: &HashMap<ComplexId, Layout>,
        variants: &HashMap<ComplexId, Vec<ComplexId>>,
    ) -> Finite {
        let mut finite = Finite {
            hierarchies: variants.keys().copied().collect(),
            ..Finite::default()
        };
        finite.find_rounds(types, order, layouts, variants);
        finite.find_knots(types, order);
        finite.find_large(types, order);
        finite
    }

    /// These types with the one whose default value is found first at the front.
    pub(super) fn first(&self, variants: &[ComplexId]) -> Vec<ComplexId> {
        let round = |id: &ComplexId| self.rounds.get(id).copied().unwrap_or(u32::MAX);
        let mut variants = variants.to_vec();
        // The type itself stays the default when it can be.
        if let Some(best) = (0..variants.len()).min_by_key(|&i| variants.get(i).map(&round))
            && variants.first().map(round) == Some(u32::MAX)
        {
            variants[..=best].rotate_right(1);
        }
        variants
    }

    /// Whether a required field of `owner` would make a value that never ends.
    pub(super) fn cut(&self, owner: ComplexId, ty: TypeId) -> bool {
        matches!(ty, TypeId::Complex(_)) && !self.rounds.contains_key(&owner)
    }

    /// Whether a field of this type in `owner` needs a box.
    pub(super) fn boxes(&self, owner: ComplexId, id: ComplexId) -> bool {
        if self.hierarchies.contains(&id) {
            return false; // its variants are boxed
        }
        self.large.contains(&id)
            || self
                .knots
                .get(&owner)
                .is_some_and(|knot| self.knots.get(&id) == Some(knot))
    }

    fn find_rounds(
        &mut self,
        types: &Types,
        order: &[ComplexId],
        layouts: &HashMap<ComplexId, Layout>,
        variants: &HashMap<ComplexId, Vec<ComplexId>>,
    ) {
        for round in 0.. {
            let ends = |field: &Field| match field.ty {
                TypeId::Complex(id) => match variants.get(&id) {
                    Some(variants) => variants.iter().any(|v| self.rounds.contains_key(v)),
                    None => self.rounds.contains_key(&id),
                },
                _ => true,
            };
            let ready = |id: &ComplexId| {
                let fields = &types.complex(*id).fields;
                let field = |i: &u32| fields.get(*i as usize);
                // The default of a choice is its first alternative.
                let one = |f: Option<&Field>| f.is_none_or(|f| f.many || f.nillable || ends(f));
                let member = |member: &Member| match member {
                    Member::Field(i) => field(i).is_none_or(|f| !is_plain(f) || ends(f)),
                    Member::Choice { optional: true, .. } => true,
                    Member::Choice { fields, .. } => one(fields.first().and_then(field)),
                };
                match layouts.get(id) {
                    Some(Layout::Struct(members)) => members.iter().all(member),
                    _ => one(fields.first()),
                }
            };
            let found: Vec<ComplexId> = order
                .iter()
                .filter(|id| !self.rounds.contains_key(id) && ready(id))
                .copied()
                .collect();
            if found.is_empty() {
                break;
            }
            self.rounds.extend(found.into_iter().map(|id| (id, round)));
        }
    }

    /// The strongly connected components of what holds what by value, by Kosaraju's two passes.
    fn find_knots(&mut self, types: &Types, order: &[ComplexId]) {
        let edges = |id: ComplexId| by_value(types, id, &self.hierarchies);
        let mut back: HashMap<ComplexId, Vec<ComplexId>> = HashMap::new();
        for &id in order {
            for child in edges(id) {
                back.entry(child).or_default().push(id);
            }
        }
        let mut left = Vec::with_capacity(order.len());
        let mut seen = HashSet::new();
        for &root in order {
            let mut stack = vec![(root, false)];
            while let Some((id, done)) = stack.pop() {
                if done {
                    left.push(id);
                } else if seen.insert(id) {
                    stack.push((id, true));
                    stack.extend(edges(id).map(|child| (child, false)));
                }
            }
        }
        let mut knots: HashMap<ComplexId, u32> = HashMap::new();
        let mut sizes: HashMap<u32, u32> = HashMap::new();
        for &root in left.iter().rev() {
            let mut stack = vec![root];
            while let Some(id) = stack.pop() {
                if let std::collections::hash_map::Entry::Vacant(free) = knots.entry(id) {
                    free.insert(root.0);
                    *sizes.entry(root.0).or_default() += 1;
                    stack.extend(back.get(&id).into_iter().flatten());
                }
            }
        }
        knots.retain(|&id, knot| sizes.get(knot) > Some(&1) || edges(id).any(|child| child == id));
        self.knots = knots;
    }

    fn find_large(&mut self, types: &Types, order: &[ComplexId]) {
        // What a type holds is mostly reached after it.
        let mut words: HashMap<ComplexId, u64> = HashMap::new();
        loop {
            let mut changed = false;
            for &id in order.iter().rev() {
                let size = types.complex(id).fields.iter().map(|f| match f.ty {
                    TypeId::Complex(child) if !f.many && !self.boxes(id, child) => {
                        let inner = words.get(&child).copied().unwrap_or(3);
                        if inner > WORDS_MAX { 1 } else { inner + 1 }
                    }
                    _ => 4,
                });
                let size = size.sum::<u64>().min(u64::from(u32::MAX));
                let known = words.insert(id, size).unwrap_or_default();
                changed |= size > WORDS_MAX && known <= WORDS_MAX;
            }
            if !changed {
                break;
            }
        }
        self.large = words
            .into_iter()
            .filter(|(_, w)| *w > WORDS_MAX)
            .map(|(id, _)| id)
            .collect();
    }
}

/// The records that a record holds without a list or a box between.
fn by_value<'t>(
    types: &'t Types,
    id: ComplexId,
    hierarchies: &'t HashSet<ComplexId>,
) -> impl Iterator<Item = ComplexId> + use<'t> {
    types.complex(id).fields.iter().filter_map(move |f| match f.ty {
        TypeId::Complex(child) if !f.many && !hierarchies.contains(&child) => Some(child),
        _ => None,
    })
}
