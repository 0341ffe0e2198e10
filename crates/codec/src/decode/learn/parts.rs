//! [`Parts`]: what a record may be made up of.
//!
//! While a message is decoded it is noted at each child of a record, and at its end, how far the decoder is: which leaf of the
//! content comes next, and how often it was met. Two messages that come to the same place of a record may go on with
//! either's rest: the decoder would not know the difference. So what is known of a record is a graph of its parts, and of
//! which was seen behind which.
//!
//! ```text
//!   a ── b ── x ── c ── d           a ── b ─┬─ x ─────┬─ c ── d
//!   a ── b ── y ── z ── c ── d ──▶          ├─ y ── z ┤
//!   a ── b ── c ── d                        └─────────┘
//! ```
//!
//! Each part is learned by itself, and then all that can be made of them is known.

use std::cmp::Reverse;
use std::sync::Arc;

use castile_plan::ComplexId;

use super::entrance::Entrance;
use super::joints::Coming;
use super::track::{Items, SHAPES_MAX, Several, Step};

/// The parts of a record, and which may follow which.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Parts {
    pub(super) id: ComplexId,
    pub(super) all: Vec<Part>,
    /// Those that it may begin with.
    pub(super) first: Vec<u32>,
    /// Where other parts are read.
    pub(super) entrance: Option<Arc<Entrance>>,
    /// Which of a track's it is.
    pub(super) number: Numbered,
    /// What stands behind it, as far as that is known.
    pub(super) behind: Box<[u8]>,
}

/// A part of a record: a child with what stands before it, all children of one leaf that follow each other, or the end.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    pub(super) coming: Coming,
    /// How many children of its leaf there are then, as far as it makes a difference.
    pub(super) count: u32,
    /// How it may go, by itself.
    pub(super) ways: Vec<Vec<Step>>,
    /// What may follow; nothing behind the end.
    pub(super) next: Vec<u32>,
}

/// A number that makes no difference between steps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Numbered(pub(super) u32);

impl PartialEq for Numbered {
    fn eq(&self, _: &Numbered) -> bool {
        true
    }
}

/// Where a walk through a record is: before its first part, or behind one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Behind {
    Nothing,
    Part(u32),
}

/// How many parts a record may have.
const PARTS_MAX: usize = 512;

impl Parts {
    /// A record in which each of some parts follows the one before.
    pub(super) fn in_order(
        id: ComplexId,
        entrance: Option<Arc<Entrance>>,
        parts: Vec<Part>,
    ) -> Option<Parts> {
        let mut all = Parts {
            id,
            all: Vec::with_capacity(parts.len()),
            first: Vec::new(),
            entrance,
            number: Numbered::default(),
            behind: Box::default(),
        };
        let mut behind = Behind::Nothing;
        for part in &parts {
            behind = Behind::Part(all.add(behind, part)?);
        }
        Some(all)
    }

    pub(super) fn next(&self, behind: Behind) -> &[u32] {
        match behind {
            Behind::Nothing => &self.first,
            Behind::Part(part) => self.get(part).map_or(&[], |part| &part.next),
        }
    }

    pub(super) fn get(&self, part: u32) -> Option<&Part> {
        self.all.get(part as usize)
    }

    /// The same part, as far as what may follow it goes.
    pub(super) fn find(&self, part: &Part) -> Option<u32> {
        let same = |known: &Part| known.coming == part.coming && known.count == part.count;
        u32::try_from(self.all.iter().position(same)?).ok()
    }

    /// Whether the part at a place of those that may follow is the only one of its leaf: those of one leaf are together.
    pub(super) fn is_certain(&self, next: &[u32], place: usize) -> bool {
        let leaf = |place: usize| Some(self.get(*next.get(place)?)?.coming.leaf());
        let own = leaf(place);
        leaf(place + 1) != own && place.checked_sub(1).and_then(leaf) != own
    }

    /// Adds a part behind another; gives its number.
    pub(super) fn add(&mut self, behind: Behind, part: &Part) -> Option<u32> {
        let number = self.learn(part)?;
        self.connect(behind, number)?;
        Some(number)
    }

    /// Says that a part may follow. They are tried in the order of their leaves, those with most children first, and the
    /// end last: it often has no bytes of its own.
    fn connect(&mut self, behind: Behind, number: u32) -> Option<()> {
        let order = |number: u32| {
            let part = self.get(number)?;
            Some((part.coming.is_end(), part.coming.leaf(), Reverse(part.count)))
        };
        let next = self.next(behind);
        if next.contains(&number) {
            return Some(());
        }
        let place = next.partition_point(|&other| order(other) <= order(number));
        let next = match behind {
            Behind::Nothing => &mut self.first,
            Behind::Part(behind) => &mut self.all.get_mut(behind as usize)?.next,
        };
        next.insert(place, number);
        Some(())
    }

    fn learn(&mut self, part: &Part) -> Option<u32> {
        if let Some(number) = self.find(part) {
            let known = self.all.get_mut(number as usize)?;
            for way in &part.ways {
                add_way(&mut known.ways, way)?;
            }
            return Some(number);
        }
        if self.all.len() >= PARTS_MAX {
            return None;
        }
        self.all.push(Part {
            next: Vec::new(),
            ..part.clone()
        });
        u32::try_from(self.all.len() - 1).ok()
    }

    /// What either is made up of.
    fn merged(&self, other: &Parts) -> Option<Parts> {
        if self.id != other.id {
            return None;
        }
        let mut both = self.clone();
        let numbers: Option<Vec<u32>> = other.all.iter().map(|part| both.learn(part)).collect();
        let numbers = numbers?;
        let nexts = other.all.iter().map(|part| &part.next);
        let behind = numbers.iter().map(|&number| Behind::Part(number)).zip(nexts);
        for (behind, next) in [(Behind::Nothing, &other.first)].into_iter().chain(behind) {
            for part in next {
                both.connect(behind, *numbers.get(*part as usize)?)?;
            }
        }
        both.entrance = both.entrance.or_else(|| other.entrance.clone());
        Some(both)
    }
}

impl Parts {
    /// Bytes of memory, roughly.
    pub(super) fn bytes(&self) -> usize {
        let part = |part: &Part| {
            let ways = part.ways.iter().flatten().map(Step::bytes);
            ways.sum::<usize>() + 4 * (part.next.len() + part.coming.state.len()) + size_of::<Part>()
        };
        let entrance = self.entrance.as_ref().map_or(0, |entrance| entrance.memory());
        self.all.iter().map(part).sum::<usize>() + self.behind.len() + entrance
    }
}

/// Steps that are both, if they differ in nothing but parts and items.
pub(super) fn merged(a: &[Step], b: &[Step]) -> Option<Vec<Step>> {
    let alike = |(a, b): (&Step, &Step)| match (a, b) {
        (Step::Parts(a), Step::Parts(b)) => a.id == b.id,
        (Step::Items(_) | Step::Alike(_), Step::Items(_) | Step::Alike(_)) => true,
        _ => a == b,
    };
    // Nothing is copied in vain.
    if a.len() != b.len() || !a.iter().zip(b).all(alike) {
        return None;
    }
    a.iter().zip(b).map(|(a, b)| merged_step(a, b)).collect()
}

fn merged_step(a: &Step, b: &Step) -> Option<Step> {
    if a == b {
        return Some(a.clone());
    }
    match (a, b) {
        (Step::Parts(a), Step::Parts(b)) => a.merged(b).map(Step::Parts),
        (Step::Alike(a), Step::Alike(b)) if a.is_like(b) => a.merged(b).map(Step::Alike),
        _ => Some(Step::Items(merged_items(several(a)?, several(b)?)?)),
    }
}

impl Items {
    /// Whether they are like the same pattern, but for the white space between two where there were no two.
    fn is_like(&self, other: &Items) -> bool {
        let gap = self.gap == other.gap || !self.were_two || !other.were_two;
        let same = (&self.slot, &self.kind, &self.occurs) == (&other.slot, &other.kind, &other.occurs);
        gap && same && self.cells == other.cells && self.close == other.close && self.dtypes == other.dtypes
    }

    fn merged(&self, other: &Items) -> Option<Items> {
        let (known, less) = match self.were_two {
            true => (self, other),
            false => (other, self),
        };
        let several = match (&known.several, &less.several) {
            (Some(a), Some(b)) => Some(Box::new(merged_items(a, b)?)),
            _ => None,
        };
        Some(Items {
            several,
            ..known.clone()
        })
    }
}

fn several(step: &Step) -> Option<&Several> {
    match step {
        Step::Items(several) => Some(several),
        Step::Alike(items) => items.several.as_deref(),
        _ => None,
    }
}

/// Items of the shapes of both.
fn merged_items(a: &Several, b: &Several) -> Option<Several> {
    let gap = match (&a.gap, &b.gap) {
        (Some(a), Some(b)) if a != b => return None,
        (a, b) => a.clone().or_else(|| b.clone()),
    };
    if a.slot != b.slot || a.occurs != b.occurs {
        return None;
    }
    let mut both = Several { gap, ..a.clone() };
    for shape in &b.shapes {
        add_way(&mut both.shapes, shape)?;
    }
    both.entrance = both.entrance.or_else(|| b.entrance.clone());
    both.example = both.example.or_else(|| b.example.clone());
    Some(both)
}

/// Adds a way to others, or merges it with one of them. One without bytes is tried last: it fits everywhere.
pub(super) fn add_way(ways: &mut Vec<Vec<Step>>, way: &[Step]) -> Option<()> {
    if ways.iter().any(|known| known == way) {
        return Some(());
    }
    let one = |known: &mut Vec<Step>| merged(known, way).map(|both| *known = both);
    if ways.iter_mut().find_map(one).is_none() {
        ways.push(way.to_vec());
        ways.sort_by_key(|way| Reverse(way.iter().map(Step::bytes).sum::<usize>()));
    }
    (ways.len() <= SHAPES_MAX).then_some(())
}
