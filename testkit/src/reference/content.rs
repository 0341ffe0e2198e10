//! Matching children against a content model by trying every way.

use std::collections::BTreeSet;

use castile_plan::{ComplexId, FieldKind, Occurs, Particle, TypeId, Types};

use super::tree::Node;

/// Children `from..to` belong to a field: one element, or one pass through a group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Part {
    pub(super) field: u32,
    pub(super) from: usize,
    pub(super) to: usize,
}

/// How all children fit the type's content; `None` when they do not. Of several ways, one that
/// gives leaves as much as they can take.
pub(super) fn all(types: &Types, id: ComplexId, nodes: &[&Node]) -> Option<Vec<Part>> {
    let matcher = Matcher { types, id, nodes };
    if types.complex(id).content.is_empty() {
        return nodes.is_empty().then(Vec::new);
    }
    let way = matcher
        .particle(0, 0, &BTreeSet::new())
        .into_iter()
        .find(|way| way.end == nodes.len())?;
    Some(way.parts)
}

/// One way in which a particle matches: how far it goes and who takes what.
#[derive(Clone, Debug)]
struct Way {
    end: usize,
    parts: Vec<Part>,
}

struct Matcher<'m> {
    types: &'m Types,
    id: ComplexId,
    nodes: &'m [&'m Node],
}

impl Matcher<'_> {
    /// All ways from node `at`, the greediest first. `done`: children of an All met already.
    fn particle(&self, i: usize, at: usize, done: &BTreeSet<usize>) -> Vec<Way> {
        let content = &self.types.complex(self.id).content;
        let mut ways = match content[i] {
            Particle::Leaf { field, occurs } => return self.leaf(field, occurs, at),
            Particle::Sequence { end, .. } => self.sequence(i + 1, end as usize, at),
            Particle::Choice { end, .. } => self
                .children(i + 1, end as usize)
                .into_iter()
                .flat_map(|c| self.particle(c, at, done))
                .collect(),
            Particle::All { end, .. } => self.every(&self.children(i + 1, end as usize), at, done),
        };
        if let Particle::Sequence { optional: true, .. }
        | Particle::Choice { optional: true, .. }
        | Particle::All { optional: true, .. } = content[i]
        {
            ways.push(Way {
                end: at,
                parts: Vec::new(),
            });
        }
        // The same end by another way is no news.
        let mut seen = BTreeSet::new();
        ways.sort_by_key(|way| std::cmp::Reverse(way.end));
        ways.retain(|way| seen.insert(way.end));
        ways
    }

    fn sequence(&self, i: usize, end: usize, at: usize) -> Vec<Way> {
        if i >= end {
            return vec![Way {
                end: at,
                parts: Vec::new(),
            }];
        }
        let mut ways = Vec::new();
        for first in self.particle(i, at, &BTreeSet::new()) {
            for rest in self.sequence(self.after(i), end, first.end) {
                ways.push(Way {
                    end: rest.end,
                    parts: [first.parts.clone(), rest.parts].concat(),
                });
            }
        }
        ways
    }

    /// The children in any order, each at most once; those that may be empty may be left out.
    fn every(&self, children: &[usize], at: usize, done: &BTreeSet<usize>) -> Vec<Way> {
        let mut ways = Vec::new();
        for &child in children.iter().filter(|c| !done.contains(c)) {
            for first in self
                .particle(child, at, &BTreeSet::new())
                .into_iter()
                .filter(|way| way.end > at)
            {
                let mut done = done.clone();
                done.insert(child);
                for rest in self.every(children, first.end, &done) {
                    ways.push(Way {
                        end: rest.end,
                        parts: [first.parts.clone(), rest.parts].concat(),
                    });
                }
            }
        }
        let empty = |c: &&usize| {
            self.particle(**c, at, &BTreeSet::new())
                .iter()
                .any(|way| way.end == at)
        };
        if children.iter().filter(|c| !done.contains(c)).all(|c| empty(&c)) {
            ways.push(Way {
                end: at,
                parts: Vec::new(),
            });
        }
        ways
    }

    fn leaf(&self, field: u32, occurs: Occurs, at: usize) -> Vec<Way> {
        let mut ways = vec![Way {
            end: at,
            parts: Vec::new(),
        }];
        let mut found = Vec::new();
        let most = (occurs.max as usize).min(self.nodes.len() + occurs.min as usize);
        for times in 0..=most {
            if times >= occurs.min as usize {
                found.extend(ways.iter().cloned());
            }
            ways = ways
                .into_iter()
                .flat_map(|way| self.once(field, way, times < occurs.min as usize))
                .collect();
            if ways.is_empty() {
                break;
            }
        }
        found.reverse();
        let mut seen = BTreeSet::new();
        found.retain(|way| seen.insert(way.end));
        found.sort_by_key(|way| std::cmp::Reverse(way.end));
        found
    }

    /// One more element or pass; a pass that takes nothing counts only towards what must be there.
    fn once(&self, number: u32, way: Way, needed: bool) -> Vec<Way> {
        let field = &self.types.complex(self.id).fields[number as usize];
        let from = way.end;
        let ends: Vec<usize> = match (&field.kind, field.ty) {
            (FieldKind::Group, TypeId::Complex(group)) => {
                let inner = Matcher {
                    types: self.types,
                    id: group,
                    nodes: self.nodes,
                };
                let empty = self.types.complex(group).content.is_empty();
                let ways = if empty {
                    Vec::new()
                } else {
                    inner.particle(0, from, &BTreeSet::new())
                };
                ways.into_iter()
                    .map(|w| w.end)
                    .filter(|&end| end > from || needed)
                    .collect()
            }
            (FieldKind::Any(wildcard), _) => {
                let admits = |node: &&&Node| wildcard.admits(self.types.namespace(&node.uri));
                self.nodes
                    .get(from)
                    .filter(admits)
                    .map(|_| from + 1)
                    .into_iter()
                    .collect()
            }
            _ => {
                let is = |node: &&&Node| {
                    *field.wire.local == *node.local && self.types.uri(field.wire.ns) == node.uri
                };
                self.nodes
                    .get(from)
                    .filter(is)
                    .map(|_| from + 1)
                    .into_iter()
                    .collect()
            }
        };
        let with = |to: usize| {
            let mut parts = way.parts.clone();
            if to > from {
                parts.push(Part {
                    field: number,
                    from,
                    to,
                });
            }
            Way { end: to, parts }
        };
        ends.into_iter().map(with).collect()
    }

    fn children(&self, from: usize, end: usize) -> Vec<usize> {
        let mut children = Vec::new();
        let mut at = from;
        while at < end {
            children.push(at);
            at = self.after(at);
        }
        children
    }

    fn after(&self, i: usize) -> usize {
        match self.types.complex(self.id).content[i] {
            Particle::Leaf { .. } => i + 1,
            Particle::Sequence { end, .. } | Particle::Choice { end, .. } | Particle::All { end, .. } => {
                end as usize
            }
        }
    }
}
