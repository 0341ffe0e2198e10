//! Which leaf of a content model may stand after which.
//!
//! Groups stand at most once and what repeats is a leaf, so a reader walks the leaves forward and
//! needs no automaton: whether leaf `q` may follow leaf `p` is read off the tree, at the innermost
//! group around both. [`Order`] keeps of each particle what that takes.

use crate::{Complex, FieldKind, Leaf, Particle, TypeId, Types};

/// Derived of one content model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order {
    /// The group around each particle; the root is its own.
    parents: Vec<u32>,
    /// Whether each particle may be satisfied by no element at all.
    nullable: Vec<bool>,
    /// How many leaves stand before each particle, and before the end.
    before: Vec<u32>,
}

/// Why a leaf cannot come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// This particle (index into [`Complex::content`]) must be there before.
    Missing(u32),
    /// The two stand in different alternatives of a choice.
    Exclusive,
    /// It stands earlier in the model, or was met already.
    Past,
}

/// A content model and how often each of its leaves was met.
pub(crate) struct Walk<'w> {
    pub(crate) content: &'w [Particle],
    pub(crate) order: &'w Order,
    pub(crate) leaves: &'w [Leaf],
    /// By number of leaf; leaves that are not in it were not met.
    pub(crate) counts: &'w [u32],
}

impl Walk<'_> {
    /// Whether leaf `next` may come after leaf `after`, or first.
    pub(crate) fn may_follow(&self, after: Option<u32>, next: u32) -> Result<(), Block> {
        let to = self.leaves[next as usize].particle;
        let Some(after) = after else {
            return self.enter(0, to);
        };
        if !self.satisfied(after) {
            return Err(Block::Missing(self.leaves[after as usize].particle));
        }
        let from = self.leaves[after as usize].particle;
        if from == to {
            return Ok(());
        }
        let (group, left, right) = self.meeting(from, to);
        match self.content[group as usize] {
            Particle::Sequence { .. } if left < right => {
                self.leave(from, left)?;
                self.pass(self.after(left), right)?;
            }
            Particle::All { .. } if !self.met(right) => self.leave(from, left)?,
            Particle::Choice { .. } => return Err(Block::Exclusive),
            _ => return Err(Block::Past),
        }
        self.enter(right, to)
    }

    /// Whether nothing more need come after leaf `after`, or at all; the particle that must.
    pub(crate) fn may_end(&self, after: Option<u32>) -> Result<(), u32> {
        let ended = match after {
            None if self.content.is_empty() => Ok(()),
            None => self.pass(0, 1),
            Some(after) if !self.satisfied(after) => {
                Err(Block::Missing(self.leaves[after as usize].particle))
            }
            Some(after) => self.leave(self.leaves[after as usize].particle, 0),
        };
        ended.map_err(|block| match block {
            Block::Missing(particle) => particle,
            _ => 0,
        })
    }

    fn satisfied(&self, leaf: u32) -> bool {
        let Leaf { occurs, particle, .. } = self.leaves[leaf as usize];
        self.count(leaf) >= occurs.min || self.order.nullable[particle as usize]
    }

    fn count(&self, leaf: u32) -> u32 {
        self.counts.get(leaf as usize).copied().unwrap_or(0)
    }

    /// Whether any leaf of the particle was met.
    fn met(&self, particle: u32) -> bool {
        let before = &self.order.before;
        (before[particle as usize]..before[self.after(particle) as usize]).any(|leaf| self.count(leaf) > 0)
    }

    /// The innermost group around both particles, and its children towards each.
    fn meeting(&self, from: u32, to: u32) -> (u32, u32, u32) {
        let parents = &self.order.parents;
        let mut right = to;
        loop {
            let group = parents[right as usize];
            if group <= from && from < self.after(group) {
                let mut left = from;
                while parents[left as usize] != group {
                    left = parents[left as usize];
                }
                return (group, left, right);
            }
            right = group;
        }
    }

    /// Whether nothing need stand before particle `to` in particle `outer`, which holds it.
    fn enter(&self, outer: u32, to: u32) -> Result<(), Block> {
        let mut child = to;
        while child != outer {
            let group = self.order.parents[child as usize];
            if let Particle::Sequence { .. } = self.content[group as usize] {
                self.pass(group + 1, child)?;
            }
            child = group;
        }
        Ok(())
    }

    /// Whether nothing need stand after particle `from` in particle `outer`, which holds it.
    fn leave(&self, from: u32, outer: u32) -> Result<(), Block> {
        let mut child = from;
        while child != outer {
            let group = self.order.parents[child as usize];
            match self.content[group as usize] {
                Particle::Sequence { end, .. } => self.pass(self.after(child), end)?,
                Particle::All { end, .. } => self.rest_of_all(group, end)?,
                _ => {}
            }
            child = group;
        }
        Ok(())
    }

    /// Whether the siblings from particle `at` up to `end` may all be left out.
    fn pass(&self, at: u32, end: u32) -> Result<(), Block> {
        let mut child = at;
        while child < end {
            if !self.order.nullable[child as usize] {
                return Err(Block::Missing(self.innermost(child)));
            }
            child = self.after(child);
        }
        Ok(())
    }

    fn rest_of_all(&self, group: u32, end: u32) -> Result<(), Block> {
        let mut child = group + 1;
        while child < end {
            if !self.order.nullable[child as usize] && !self.met(child) {
                return Err(Block::Missing(self.innermost(child)));
            }
            child = self.after(child);
        }
        Ok(())
    }

    /// What exactly is missing when `particle` is: its first leaf or choice that must be there.
    fn innermost(&self, particle: u32) -> u32 {
        let mut at = particle;
        while let Particle::Sequence { end, .. } | Particle::All { end, .. } = self.content[at as usize] {
            let mut child = at + 1;
            while child < end && self.order.nullable[child as usize] {
                child = self.after(child);
            }
            if child >= end {
                break;
            }
            at = child;
        }
        at
    }

    fn after(&self, particle: u32) -> u32 {
        end(self.content, particle)
    }
}

/// The index after the last descendant of a particle.
pub(crate) fn end(content: &[Particle], particle: u32) -> u32 {
    match content[particle as usize] {
        Particle::Leaf { .. } => particle + 1,
        Particle::Sequence { end, .. } | Particle::Choice { end, .. } | Particle::All { end, .. } => end,
    }
}

impl Order {
    /// Of a model whose groups nest. `nullable` says whether a repeated group's own content may be
    /// empty.
    pub(crate) fn new(complex: &Complex, nullable: &dyn Fn(TypeId) -> bool) -> Order {
        let content = &complex.content;
        let mut order = Order {
            parents: parents(content),
            nullable: vec![false; content.len()],
            before: Vec::new(),
        };
        let mut leaves = 0;
        for particle in content {
            order.before.push(leaves);
            leaves += u32::from(matches!(particle, Particle::Leaf { .. }));
        }
        order.before.push(leaves);
        // Children come after their groups, so backwards they are known first.
        for i in (0..content.len()).rev() {
            order.nullable[i] = match content[i] {
                Particle::Leaf { field, occurs } => {
                    let field = &complex.fields[field as usize];
                    occurs.min == 0 || field.kind == FieldKind::Group && nullable(field.ty)
                }
                Particle::Sequence { optional, end } | Particle::All { optional, end } => {
                    optional || children(content, i as u32, end).all(|c| order.nullable[c as usize])
                }
                Particle::Choice { optional, end } => {
                    optional || children(content, i as u32, end).any(|c| order.nullable[c as usize])
                }
            };
        }
        order
    }

    /// Whether the whole content may be empty.
    pub(crate) fn all_nullable(&self) -> bool {
        self.nullable.first().copied().unwrap_or(true)
    }

    pub(crate) fn nullable(&self, particle: u32) -> bool {
        self.nullable[particle as usize]
    }
}

fn children(content: &[Particle], group: u32, stop: u32) -> impl Iterator<Item = u32> + '_ {
    let first = Some(group + 1).filter(|&c| c < stop);
    std::iter::successors(first, move |&c| Some(end(content, c)).filter(|&n| n < stop))
}

fn parents(content: &[Particle]) -> Vec<u32> {
    let mut parents = Vec::with_capacity(content.len());
    let mut open: Vec<u32> = Vec::new();
    for i in 0..content.len() as u32 {
        while open.last().is_some_and(|&group| end(content, group) <= i) {
            open.pop();
        }
        parents.push(open.last().copied().unwrap_or(i));
        if !matches!(content[i as usize], Particle::Leaf { .. }) {
            open.push(i);
        }
    }
    parents
}

/// How deep repeated groups may nest in one another.
const GROUPS_MAX: u32 = 64;

/// Whether the repeated groups of every type nest, and not without end.
pub(crate) fn check_groups(types: &Types) -> Result<(), crate::Error> {
    // The depth of the groups in each type, once known.
    let mut depths = vec![None; types.complex.len()];
    (0..types.complex.len()).try_for_each(|i| depth(types, i, &mut depths, 0).map(|_| ()))
}

fn depth(types: &Types, i: usize, depths: &mut [Option<u32>], above: u32) -> Result<u32, crate::Error> {
    if let Some(known) = depths[i] {
        return Ok(known);
    }
    if above > GROUPS_MAX {
        let label = &types.complex[i].label;
        return Err(crate::Error(format!(
            "repeated groups nest deeper than {GROUPS_MAX} at {label}"
        )));
    }
    let mut deepest = 0;
    for field in types.complex[i]
        .fields
        .iter()
        .filter(|f| f.kind == FieldKind::Group)
    {
        if let TypeId::Complex(id) = field.ty {
            deepest = deepest.max(1 + depth(types, id.index(), depths, above + 1)?);
        }
    }
    depths[i] = Some(deepest);
    Ok(deepest)
}
