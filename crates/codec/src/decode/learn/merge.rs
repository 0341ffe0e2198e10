//! Alternatives merge: two tracks become one automaton where their paths meet again.
//!
//! While a message is decoded it is noted at each child element, and at each end, how far the decoder is in the
//! record around it: a [`Joint`]. Two messages that were the same up to a record, and come to the same joint of
//! that record later, may go on with either's rest: the decoder would not know the difference. What lies between
//! is a choice.
//!
//! ```text
//!   a ── b ── x ── c ── d           a ── b ─┬─ x ──┬─ c ── d
//!   a ── b ── y z ─ c ── d    ──▶           ├─ y z ┤
//!   a ── b ── c ── d                        └──────┘
//! ```

use std::cmp::Reverse;

use super::track::{SHAPES_MAX, Several, Step};

/// A place in a record where the decoder is between two children.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Joint {
    /// How many records are open.
    pub(super) level: u32,
    /// Whether the record begins here: another one of its level than before.
    pub(super) first: bool,
    /// What the decoder knows of the record: equal states mean that it reads on alike. Empty: it cannot be told.
    pub(super) state: Box<[u32]>,
}

impl Joint {
    /// The same, where nothing can meet.
    pub(super) fn closed(self) -> Joint {
        Joint {
            state: Box::default(),
            ..self
        }
    }
}

/// How far the paths of two messages may lie apart.
const APART_MAX: usize = 512;
/// How many steps and choices a track may have that others are merged into. A choice is a level of recursion.
const STEPS_MAX: usize = 1 << 14;
const CHOICES_MAX: usize = 64;

/// Both paths as one, if they meet.
pub(super) fn merged(a: &[Step], b: &[Step]) -> Option<Vec<Step>> {
    if a.len().max(b.len()) > STEPS_MAX {
        return None;
    }
    let both = Merge::new(a, b, None).run()?;
    (choices(&both) <= CHOICES_MAX).then_some(both)
}

fn choices(steps: &[Step]) -> usize {
    let inside = |step: &Step| match step {
        Step::Choice(ways) => 1 + ways.iter().map(|way| choices(way)).sum::<usize>(),
        _ => 0,
    };
    steps.iter().map(inside).sum()
}

/// The same for paths that begin behind a joint of this level.
fn merged_from(a: &[Step], b: &[Step], level: u32) -> Option<Vec<Step>> {
    let begin = Met {
        level,
        i: 0,
        j: 0,
        out: 0,
    };
    Merge::new(a, b, Some(begin)).run()
}

/// Both paths, and how far they have been merged.
struct Merge<'s> {
    a: &'s [Step],
    b: &'s [Step],
    i: usize,
    j: usize,
    out: Vec<Step>,
    /// Where both were at a joint last: the steps of each behind it, and those of the outcome.
    last: Option<Met>,
}

#[derive(Clone, Copy)]
struct Met {
    level: u32,
    i: usize,
    j: usize,
    out: usize,
}

impl<'s> Merge<'s> {
    fn new(a: &'s [Step], b: &'s [Step], last: Option<Met>) -> Merge<'s> {
        Merge {
            a,
            b,
            i: 0,
            j: 0,
            out: Vec::with_capacity(a.len()),
            last,
        }
    }

    fn run(mut self) -> Option<Vec<Step>> {
        while self.i < self.a.len() || self.j < self.b.len() {
            self.step()?;
        }
        Some(self.out)
    }

    fn step(&mut self) -> Option<()> {
        match (self.a.get(self.i), self.b.get(self.j)) {
            (Some(Step::Choice(ways)), Some(_)) => self.choice(ways),
            (Some(a), Some(b)) if a == b => {
                self.pass(a.clone());
                Some(())
            }
            (Some(Step::Items(a)), Some(Step::Items(b)))
                if self.last.is_some() && a.gap == b.gap && a.occurs == b.occurs =>
            {
                self.pass(Step::Items(all_shapes(a, b)?));
                Some(())
            }
            _ => self.part(),
        }
    }

    /// Both go on by a step.
    fn pass(&mut self, step: Step) {
        let level = match &step {
            Step::Joint(joint) if !joint.state.is_empty() => Some(joint.level),
            _ => None,
        };
        self.out.push(step);
        (self.i, self.j) = (self.i + 1, self.j + 1);
        if let Some(level) = level {
            self.last = Some(Met {
                level,
                i: self.i,
                j: self.j,
                out: self.out.len(),
            });
        }
    }

    /// Takes one way more into a choice, unless it is there, or goes on behind both.
    fn choice(&mut self, ways: &[Vec<Step>]) -> Option<()> {
        let (Some(Step::Joint(end)), Some(last)) = (self.a.get(self.i + 1), self.last) else {
            return None;
        };
        let rest = self.b.get(self.j..)?;
        let found =
            joints(rest, last.level).find(|(_, joint)| joint.state == end.state && joint.level == end.level);
        let Some((length, _)) = found else {
            return self.part();
        };
        let way = rest.get(..length)?;
        let mut ways = ways.to_vec();
        add(&mut ways, way, last.level)?;
        self.out.push(Step::Choice(ways));
        (self.i, self.j) = (self.i + 1, self.j + length);
        Some(())
    }

    /// What differs from the last joint on until the paths meet again becomes a choice.
    fn part(&mut self) -> Option<()> {
        let Met { level, i, j, out } = self.last?;
        let (a, b) = (self.a.get(i..)?, self.b.get(j..)?);
        let meets = |(length, joint): (usize, &Joint)| {
            let same =
                joints(b, level).find(|(_, other)| other.state == joint.state && other.level == joint.level);
            same.map(|(other, _)| (length, other))
        };
        // Where the longer of the ways is shortest.
        let (in_a, in_b) = joints(a, level)
            .filter_map(meets)
            .min_by_key(|(a, b)| *a.max(b))?;
        let mut ways = Vec::new();
        add(&mut ways, a.get(..in_a)?, level)?;
        add(&mut ways, b.get(..in_b)?, level)?;
        self.out.truncate(out);
        self.out.push(Step::Choice(ways));
        (self.i, self.j, self.last) = (i + in_a, j + in_b, None);
        Some(())
    }
}

/// The joints of the record that is open at `level` where the steps begin, and of those around it.
fn joints(steps: &[Step], level: u32) -> impl Iterator<Item = (usize, &Joint)> {
    let mut open = level;
    let joints = steps
        .iter()
        .take(APART_MAX)
        .enumerate()
        .filter_map(|(i, step)| match step {
            Step::Joint(joint) => Some((i, joint)),
            _ => None,
        });
    joints.filter(move |(_, joint)| {
        if joint.level > open {
            return false;
        }
        // The first of a record says that the one before it has ended.
        open = if joint.first {
            joint.level.saturating_sub(1)
        } else {
            joint.level
        };
        !joint.first && !joint.state.is_empty()
    })
}

/// Adds a way to those of a choice behind a joint of this level, or merges it with one of them. One without bytes is
/// tried last: it fits everywhere.
fn add(ways: &mut Vec<Vec<Step>>, way: &[Step], level: u32) -> Option<()> {
    let one = |known: &mut Vec<Step>| merged_from(known, way, level).map(|both| *known = both);
    if ways.iter_mut().find_map(one).is_none() {
        ways.push(way.to_vec());
    }
    ways.sort_by_key(|way| Reverse(way.iter().map(Step::bytes).sum::<usize>()));
    (ways.len() <= SHAPES_MAX).then_some(())
}

/// Items of the shapes of both.
fn all_shapes(a: &Several, b: &Several) -> Option<Several> {
    let mut all = a.clone();
    for shape in &b.shapes {
        if !all.shapes.contains(shape) {
            all.shapes.push(shape.clone());
        }
    }
    (all.shapes.len() <= SHAPES_MAX).then_some(all)
}

/// The same path without joints, constants that follow each other as one.
pub(super) fn without_joints(steps: &[Step]) -> Vec<Step> {
    let mut out: Vec<Step> = Vec::with_capacity(steps.len());
    for step in steps {
        match step {
            Step::Joint(_) => {}
            Step::Choice(ways) => {
                out.push(Step::Choice(ways.iter().map(|way| without_joints(way)).collect()))
            }
            Step::Constant(bytes) => {
                // What is told between two constants is told all the same.
                let last = out.iter().rposition(|step| !matches!(step, Step::Tell(_)));
                let before = match last.and_then(|at| out.get(at)) {
                    Some(Step::Constant(_)) => last.map(|at| out.remove(at)),
                    _ => None,
                };
                let joined = match before {
                    Some(Step::Constant(before)) => [&*before, &**bytes].concat().into(),
                    _ => bytes.clone(),
                };
                out.push(Step::Constant(joined));
            }
            other => out.push(other.clone()),
        }
    }
    out
}
