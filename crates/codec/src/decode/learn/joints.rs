//! Notes of how records are made up, so that what is learned of several messages can be put together.

use std::sync::Arc;

use castile_plan::{ComplexId, Occurs, Particle};

use super::super::leaf::Cursor;
use super::super::{Decoder, Next};
use super::entrance::Entrance;
use super::notes::{Event, Number};

/// A place in a record, before a child or at the end.
#[derive(Clone, Debug)]
pub(super) struct Joint {
    /// How many records are open.
    pub(super) level: u32,
    /// The record's type.
    pub(super) id: ComplexId,
    /// What comes next.
    pub(super) next: Coming,
    /// How many children of the leaf before that there were, as far as it makes a difference.
    pub(super) behind: u32,
    /// Whether the record begins here, and where other parts of it are read then.
    pub(super) first: bool,
    pub(super) entrance: Option<Arc<Entrance>>,
}

/// What of a record comes next, and all that decides how it is read on: where two messages come to equal states, either
/// may go on as the other does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Coming {
    pub(super) what: Comes,
    pub(super) state: Box<[u32]>,
    /// The tag that ends a pass through a group, up to the end of its name if it declares nothing: only that says that the
    /// pass has ended.
    pub(super) tag: Box<[u8]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Comes {
    /// A child that belongs to this leaf.
    Leaf(usize),
    /// One that belongs to none, and is passed over.
    Stranger,
    /// The end of the element.
    EndTag,
    /// What ends a pass through a group, and is not its own.
    Other,
}

impl Coming {
    pub(super) fn is_end(&self) -> bool {
        matches!(self.what, Comes::EndTag | Comes::Other)
    }

    pub(super) fn leaf(&self) -> Option<u32> {
        match self.what {
            Comes::Leaf(leaf) => u32::try_from(leaf).ok(),
            _ => None,
        }
    }
}

impl Decoder<'_, '_> {
    /// A record, or a pass through a group, begins; nothing in it was read yet if it is `unread`.
    pub(in super::super) fn enters(&self, id: ComplexId, unread: bool, is_pass: bool) {
        if let Some(notes) = &self.lesson {
            let mut notes = notes.borrow_mut();
            // Where a pass ends depends on all that is around it then.
            notes.is_hopeless |= is_pass && !self.options.strict;
            notes.level += 1;
            notes.is_first = true;
            let entrance = match unread {
                true => self.entrance(id, &mut notes),
                false => None,
            };
            notes.open.push(entrance);
        }
    }

    /// It ends.
    pub(in super::super) fn leaves(&self) {
        if let Some(notes) = &self.lesson {
            let mut notes = notes.borrow_mut();
            notes.level -= 1;
            notes.open.pop();
        }
    }

    /// Notes how far the record is, of which this comes next.
    #[inline]
    pub(in super::super) fn joins(&self, id: ComplexId, cursor: &Cursor, next: &Next<'_>, what: Comes) {
        if self.lesson.is_some() {
            let coming = self.coming(id, cursor, what);
            self.note_joint(id, cursor, next, coming);
        }
    }

    fn note_joint(&self, id: ComplexId, cursor: &Cursor, next: &Next<'_>, coming: Coming) {
        let Some(notes) = &self.lesson else { return };
        let mut notes = notes.borrow_mut();
        let first = std::mem::take(&mut notes.is_first);
        let (at, is_end) = match next {
            Next::Start(start) => (start.at, false),
            Next::End => (self.reader.token_start(), true),
        };
        // The end of an empty element has no bytes of its own.
        let tag = self.reader.input().as_bytes().get(at..self.reader.position());
        let is_tag = tag.is_some_and(|tag| tag.starts_with(b"<") && tag.starts_with(b"</") == is_end);
        if !is_tag || self.encoding.is_some() {
            return;
        }
        let mut coming = coming;
        if coming.what == Comes::Other {
            let tag = tag.unwrap_or_default();
            // What is declared in a tag may mean something else in another.
            coming.tag = match self.reader.declarations() {
                [] => name_of(tag).into(),
                _ => tag.into(),
            };
        }
        let joint = Joint {
            level: notes.level,
            id,
            next: coming,
            behind: self.count_of(id, cursor),
            first,
            entrance: notes.open.last().filter(|_| first).cloned().flatten(),
        };
        notes.push(Event::Joint(joint, at));
    }

    /// How many children there were of the leaf that was met last, as far as it makes a difference.
    pub(super) fn count_of(&self, id: ComplexId, cursor: &Cursor) -> u32 {
        let count = |leaf: usize| {
            let count = *self.counts.get(cursor.base + leaf)?;
            Some(counted(count, self.types.leaves(id).get(leaf)?.occurs))
        };
        cursor.leaf.and_then(count).unwrap_or(0)
    }

    /// What comes next in a record, and all that decides how it is read on.
    pub(super) fn coming(&self, id: ComplexId, cursor: &Cursor, what: Comes) -> Coming {
        let leaves = self.types.leaves(id);
        let counts = self
            .counts
            .get(cursor.base..cursor.base + leaves.len())
            .unwrap_or_default();
        let mut counted = counts
            .iter()
            .zip(leaves)
            .map(|(&count, leaf)| self::counted(count, leaf.occurs));
        let all = |particle: &Particle| matches!(particle, Particle::All { .. });
        let in_order = self.options.strict && !self.types.complex(id).content.iter().any(all);
        let leaf = match what {
            Comes::Leaf(leaf) => Some(leaf),
            _ => None,
        };
        let mut state = Vec::new();
        match in_order {
            // What lies before the leaf that comes was left for good, and what lies behind it was not met.
            true => state.extend(leaf.and_then(|leaf| counted.nth(leaf))),
            false => {
                state.push(cursor.leaf.map_or(0, |leaf| leaf as u32 + 1));
                state.extend(counted);
            }
        }
        Coming {
            what,
            state: state.into(),
            tag: Box::default(),
        }
    }
}

/// A tag up to the end of its name.
pub(super) fn name_of(tag: &[u8]) -> &[u8] {
    let ends_name = |&byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'/' | b'>');
    let tag = tag.get(..tag.len().min(NAME_MAX)).unwrap_or_default();
    let end = tag.iter().position(ends_name).unwrap_or(tag.len());
    tag.get(..end).unwrap_or_default()
}

/// Bytes of a name that are looked at.
const NAME_MAX: usize = 1 << 12;

/// A number of children, as far as it makes a difference for what may follow.
fn counted(count: u32, occurs: Occurs) -> u32 {
    match number_of(occurs) {
        // One more makes none, once there is one.
        Number::Any => count.min(1),
        Number::Same => count,
    }
}

/// How many items of so many there may be in another message.
pub(in super::super) fn number_of(occurs: Occurs) -> Number {
    match occurs.min <= 1 && occurs.max == Occurs::UNBOUNDED {
        true => Number::Any,
        false => Number::Same,
    }
}
