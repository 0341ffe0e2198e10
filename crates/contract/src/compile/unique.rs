//! Unique particle attribution (XSD part 1, 3.8.6), as far as decoding needs it: where two particles of a
//! content model can take the same element, a reader that does not look ahead lets the first take it.

use std::collections::{HashMap, HashSet};

use castile_plan::{Complex, ComplexId, Field, FieldKind, Occurs, Particle, QName, TypeId, Types};

use super::Compiler;
use crate::error::Place;
use crate::warning::{Warning, WarningKind};

/// Wildcards and groups in groups are looked into so deep.
const DEPTH_MAX: u32 = 8;

impl Compiler<'_> {
    /// Warns of every type in which an element can be taken by two particles at the same point.
    pub(super) fn check_attribution(&mut self) {
        for i in 0..self.types.complex.len() {
            let id = ComplexId(i as u32);
            let Some(found) = ambiguous(&self.types, id) else {
                continue;
            };
            let at = self.declarations.get(&id).copied();
            let place = at.and_then(|decl| Some(self.place(decl.schema, self.schemas.node(decl)?)));
            self.warnings.push(Warning {
                kind: WarningKind::Ambiguous,
                place: place.unwrap_or_else(|| Place::document(self.documents.location(0))),
                text: format!(
                    "type {}: {found} can be taken by two particles at one point, and the first takes it (XSD part 1, \
                     3.8.6, Unique Particle Attribution)",
                    self.types.complex[i].label
                )
                .into(),
            });
        }
    }
}

/// What two particles of a type can take at one point.
fn ambiguous(types: &Types, id: ComplexId) -> Option<String> {
    let model = Model::of(&types.complex[id.index()])?;
    let mut by_name: HashMap<QName, Vec<usize>> = HashMap::new();
    let mut wild: Vec<usize> = Vec::new();
    let mut named: Vec<(usize, Vec<QName>)> = Vec::new();
    for (n, leaf) in model.leaves.iter().enumerate() {
        let mut first = First::default();
        first.leaf(types, &model.complex.fields[leaf.field], 0);
        if first.wild {
            wild.push(n);
        }
        for name in &first.names {
            by_name.entry(name.clone()).or_default().push(n);
        }
        named.push((n, first.names.into_iter().collect()));
    }
    let repeated = by_name.iter().filter(|(_, places)| places.len() > 1);
    let mut clashes: Vec<String> = repeated
        .filter(|(_, places)| any_pair(places, |p, q| model.meet(p, q)))
        .map(|(name, _)| format!("element {}", types.clark(name)))
        .collect();
    for &w in &wild {
        let field = &model.complex.fields[model.leaves[w].field];
        let FieldKind::Any(wildcard) = &field.kind else {
            continue;
        };
        let clash = named.iter().find_map(|(n, names)| {
            let (p, q) = (w.min(*n), w.max(*n));
            let name = names.iter().find(|name| wildcard.admits(Some(name.ns)))?;
            (p != q && model.meet(p, q)).then(|| format!("element {} or a wildcard", types.clark(name)))
        });
        clashes.extend(clash);
    }
    clashes.into_iter().min()
}

fn any_pair(places: &[usize], mut test: impl FnMut(usize, usize) -> bool) -> bool {
    let pairs = places.iter().enumerate();
    pairs
        .into_iter()
        .any(|(i, &p)| places[i + 1..].iter().any(|&q| test(p, q)))
}

/// What a particle can begin with.
#[derive(Default)]
struct First {
    names: HashSet<QName>,
    wild: bool,
}

impl First {
    fn leaf(&mut self, types: &Types, field: &Field, depth: u32) {
        match (&field.kind, field.ty) {
            (FieldKind::Element, _) => _ = self.names.insert(field.wire.clone()),
            (FieldKind::Any(_), _) => self.wild = true,
            (FieldKind::Group, TypeId::Complex(id)) if depth < DEPTH_MAX => {
                let Some(model) = Model::of(&types.complex[id.index()]) else {
                    return;
                };
                for leaf in model.leaves.iter().filter(|leaf| model.begins(0, leaf.particle)) {
                    self.leaf(types, &model.complex.fields[leaf.field], depth + 1);
                }
            }
            _ => {}
        }
    }
}

/// A content model with the group around each particle.
struct Model<'t> {
    complex: &'t Complex,
    parents: Vec<usize>,
    nullable: Vec<bool>,
    leaves: Vec<Leaf>,
}

struct Leaf {
    particle: usize,
    field: usize,
    occurs: Occurs,
}

impl<'t> Model<'t> {
    fn of(complex: &'t Complex) -> Option<Self> {
        let content = &complex.content;
        if content.is_empty() {
            return None;
        }
        let mut model = Model {
            complex,
            parents: vec![0; content.len()],
            nullable: vec![false; content.len()],
            leaves: Vec::new(),
        };
        for (i, particle) in content.iter().enumerate() {
            match *particle {
                Particle::Leaf { field, occurs } => model.leaves.push(Leaf {
                    particle: i,
                    field: field as usize,
                    occurs,
                }),
                _ => {
                    let children: Vec<usize> = model.children(i).collect();
                    children.into_iter().for_each(|child| model.parents[child] = i);
                }
            }
        }
        for i in (0..content.len()).rev() {
            let all = |model: &Self| model.children(i).all(|child| model.nullable[child]);
            model.nullable[i] = match content[i] {
                Particle::Leaf { occurs, .. } => occurs.min == 0,
                Particle::Choice { optional, .. } => {
                    optional || model.children(i).any(|child| model.nullable[child])
                }
                Particle::Sequence { optional, .. } | Particle::All { optional, .. } => {
                    optional || all(&model)
                }
            };
        }
        Some(model)
    }

    fn end(&self, i: usize) -> usize {
        match self.complex.content[i] {
            Particle::Leaf { .. } => i + 1,
            Particle::Sequence { end, .. } | Particle::Choice { end, .. } | Particle::All { end, .. } => {
                end as usize
            }
        }
    }

    fn children(&self, i: usize) -> impl Iterator<Item = usize> {
        let last = self.end(i).min(self.complex.content.len());
        std::iter::successors(Some(i + 1).filter(|at| *at < last), move |at| {
            Some(self.end(*at)).filter(|at| *at < last)
        })
    }

    /// Whether everything before `leaf` within `group` may be left out.
    fn begins(&self, group: usize, leaf: usize) -> bool {
        let mut at = leaf;
        while at != group {
            let parent = self.parents[at];
            let sequence = matches!(self.complex.content[parent], Particle::Sequence { .. });
            if sequence
                && !self
                    .children(parent)
                    .take_while(|c| *c < at)
                    .all(|c| self.nullable[c])
            {
                return false;
            }
            at = parent;
        }
        true
    }

    /// Whether everything behind `leaf` within `group` may be left out.
    fn ends(&self, group: usize, leaf: usize) -> bool {
        let mut at = leaf;
        while at != group {
            let parent = self.parents[at];
            let sequence = matches!(self.complex.content[parent], Particle::Sequence { .. });
            if sequence
                && !self
                    .children(parent)
                    .filter(|c| *c > at)
                    .all(|c| self.nullable[c])
            {
                return false;
            }
            at = parent;
        }
        true
    }

    /// Whether leaf `p` and a later leaf `q` can both be what comes next.
    fn meet(&self, p: usize, q: usize) -> bool {
        let (from, to) = (&self.leaves[p], &self.leaves[q]);
        let mut around = HashMap::new();
        let mut at = from.particle;
        while at != 0 {
            around.insert(self.parents[at], at);
            at = self.parents[at];
        }
        let mut right = to.particle;
        while right != 0 && !around.contains_key(&self.parents[right]) {
            right = self.parents[right];
        }
        let group = self.parents[right];
        let Some(&left) = around.get(&group) else {
            return false;
        };
        if !self.begins(right, to.particle) {
            return false;
        }
        match self.complex.content[group] {
            Particle::Sequence { .. } => {
                let between = self.children(group).filter(|c| *c > left && *c < right);
                let may_go_on = from.occurs.min < from.occurs.max && from.occurs.max > 1;
                let after = may_go_on && self.ends(left, from.particle);
                let before = self.nullable[left] && self.begins(left, from.particle);
                (after || before) && between.into_iter().all(|c| self.nullable[c])
            }
            _ => self.begins(left, from.particle),
        }
    }
}
