//! A track grows while it is followed: a part of a record, or an item, that it does not have is read by itself, and
//! following goes on behind it.
//!
//! ```text
//!   path       ─ a ─ b ─┬─ c ─┬─ d ─       message   ─ a ─ b ─ x ─ d ─
//!                       └─────┘                              └─ read at the entrance of the record, and a part from now on
//! ```
//!
//! What the decoder would not take there is no part: then the message is read plainly, from its start.

use std::rc::Rc;
use std::sync::Arc;

use super::entrance::{Entrance, Learned, Unknown};
use super::follow::Walk;
use super::joints::{Coming, name_of};
use super::parts::{Behind, Part, Parts, add_way};
use super::plain::plain;
use super::track::{Several, Step, Track, is_private};
use crate::decode::DecodeOptions;

/// What a walk may learn.
#[derive(Clone, Copy)]
pub(super) struct Growing {
    pub(super) options: DecodeOptions,
    /// Whether values of the message may be in it.
    pub(super) private: bool,
    /// How many bytes may be looked at.
    pub(super) bytes_left: usize,
}

impl Growing {
    /// For a message of so many bytes: one of which half is not known is read more quickly from its start.
    pub(super) fn new(options: DecodeOptions, private: bool, bytes: usize) -> Growing {
        Growing {
            options,
            private,
            bytes_left: bytes / 2,
        }
    }
}

/// What a message taught on the way.
pub(super) struct New {
    /// Which items or parts of the path it belongs to.
    of: u32,
    what: What,
    steps: Rc<[Step]>,
}

enum What {
    Shape(Vec<Step>),
    /// What it was met behind, and itself.
    Part(Stand, Part),
}

/// Where a walk through a record is; a part may be one that is new itself.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Stand {
    Known(Behind),
    New(usize),
}

impl New {
    pub(super) fn steps(&self) -> Rc<[Step]> {
        self.steps.clone()
    }

    /// Whether it is the end of a record.
    pub(super) fn is_end(&self) -> bool {
        self.coming().is_some_and(Coming::is_end)
    }

    /// The part that it is.
    pub(super) fn part(&self) -> Option<&Part> {
        match &self.what {
            What::Part(_, part) => Some(part),
            What::Shape(_) => None,
        }
    }

    fn coming(&self) -> Option<&Coming> {
        self.part().map(|part| &part.coming)
    }
}

/// How much one message may teach on the way: one that has more is like nothing that is known.
const NEW_MAX: usize = 64;

impl Walk<'_, '_, '_> {
    /// Where an item ends that is like none of the known shapes: like one that was met before in this message, or like
    /// none at all.
    pub(super) fn of_new_shape(&mut self, several: &Several, at: usize) -> Option<usize> {
        self.growing.as_ref()?;
        let marks = self.found.lengths();
        for i in 0..self.found.new.len() {
            let is_of = |new: &New| new.of == several.number.0 && matches!(new.what, What::Shape(_));
            if self.found.new.get(i).is_some_and(is_of) {
                if let Some(end) = self.new_steps(several.shapes.len() + i, i, at) {
                    return Some(end);
                }
                self.found.truncate(marks);
            }
        }
        if !self.begins_like(several, at) {
            return None;
        }
        let (entrance, slot) = (several.entrance.as_ref()?, several.slot);
        let path = self.learn(entrance, at, |entrance, unknown| {
            entrance.learn_item(slot, unknown)
        })?;
        let i = self.remember(several.number.0, What::Shape(path))?;
        self.new_steps(several.shapes.len() + i, i, at)
    }

    /// Where the part of a record that comes next ends, and which it is, when none of the known ones does.
    pub(super) fn new_part(
        &mut self,
        parts: &Parts,
        stand: Stand,
        passed: &[(u32, u32)],
        at: usize,
    ) -> Option<(usize, usize)> {
        self.growing.as_ref()?;
        let marks = self.found.lengths();
        for i in 0..self.found.new.len() {
            let is_of = |new: &New| {
                new.of == parts.number.0 && matches!(new.what, What::Part(behind, _) if behind == stand)
            };
            if self.found.new.get(i).is_some_and(is_of) {
                if let Some(end) = self.new_steps(parts.all.len() + i, i, at) {
                    return Some((i, end));
                }
                self.found.truncate(marks);
            }
        }
        let entrance = parts.entrance.as_ref()?;
        let part = self.learn(entrance, at, |entrance, unknown| {
            entrance.learn_part(passed, unknown)
        })?;
        let i = self.remember(parts.number.0, What::Part(stand, part))?;
        let end = self.new_steps(parts.all.len() + i, i, at)?;
        Some((i, end))
    }

    /// Follows something new.
    fn new_steps(&mut self, number: usize, i: usize, at: usize) -> Option<usize> {
        let steps = self.found.new.get(i)?.steps();
        self.found.counts.push(u32::try_from(number).ok()?);
        // What is in it is not in the path.
        let growing = self.growing.take();
        let end = self.steps(&steps, at);
        self.growing = growing;
        end
    }

    fn learn<T>(
        &mut self,
        entrance: &Arc<Entrance>,
        at: usize,
        learn: impl FnOnce(&Arc<Entrance>, Unknown<'_, '_>) -> Learned<T>,
    ) -> Option<T> {
        let ground = self.ground;
        let growing = self.growing.as_mut().filter(|growing| growing.bytes_left > 0)?;
        let unknown = Unknown {
            ground,
            options: growing.options,
            at,
        };
        let Learned { bytes, what } = learn(entrance, unknown);
        growing.bytes_left = growing.bytes_left.saturating_sub(bytes + 1);
        self.found.tally.bytes_new += bytes;
        what
    }

    /// Keeps something new, if it may be kept; gives its place.
    fn remember(&mut self, of: u32, what: What) -> Option<usize> {
        let steps = match &what {
            What::Shape(path) => plain(path),
            What::Part(_, part) => plain(part.ways.first()?),
        };
        let private = self.growing.as_ref()?.private;
        if self.found.new.len() >= NEW_MAX || is_private(&steps) && !private {
            return None;
        }
        self.found.new.push(New {
            of,
            what,
            steps: steps.into(),
        });
        Some(self.found.new.len() - 1)
    }

    /// Whether an element of the same name as an item begins at `at`.
    fn begins_like(&self, several: &Several, at: usize) -> bool {
        let rest = self.ground.input.as_bytes().get(at..).unwrap_or_default();
        let mut names = several.shapes.iter().filter_map(|shape| first_name(shape));
        names.any(|name| name == name_of(rest))
    }
}

/// The name in the tag that some steps begin with, with the bracket before it.
fn first_name(steps: &[Step]) -> Option<&[u8]> {
    steps.iter().find_map(|step| match step {
        Step::Constant(bytes) => Some(name_of(bytes)),
        _ => None,
    })
}

impl Track {
    /// This track with more parts and shapes; `None` when it would have too many.
    pub(super) fn grown(&self, new: &[New]) -> Option<Track> {
        let mut path = self.path.clone();
        grow(&mut path, new)?;
        Some(Track::along(path, self.values))
    }
}

fn grow(path: &mut [Step], new: &[New]) -> Option<()> {
    for step in path {
        match step {
            Step::Items(several) => {
                several.shapes.iter_mut().try_for_each(|shape| grow(shape, new))?;
                for new in new.iter().filter(|new| new.of == several.number.0) {
                    if let What::Shape(path) = &new.what {
                        add_way(&mut several.shapes, path)?;
                    }
                }
            }
            Step::Parts(parts) => {
                let mut ways = parts.all.iter_mut().flat_map(|part| &mut part.ways);
                ways.try_for_each(|way| grow(way, new))?;
                grow_parts(parts, new)?;
            }
            _ => {}
        }
    }
    Some(())
}

fn grow_parts(parts: &mut Parts, new: &[New]) -> Option<()> {
    let (mut numbers, of) = (vec![None; new.len()], parts.number.0);
    for (i, one) in new.iter().enumerate().filter(|(_, new)| new.of == of) {
        let What::Part(stand, part) = &one.what else {
            continue;
        };
        let behind = match *stand {
            Stand::Known(behind) => behind,
            Stand::New(before) => Behind::Part(numbers.get(before).copied().flatten()?),
        };
        *numbers.get_mut(i)? = Some(parts.add(behind, part)?);
    }
    Some(())
}
