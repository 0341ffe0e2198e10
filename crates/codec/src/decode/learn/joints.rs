//! Notes of where the decoder is in a record, so that what is learned of several messages can be merged.

use castile_plan::{ComplexId, Occurs, Particle};

use super::super::leaf::Cursor;
use super::super::{Decoder, Next};
use super::merge::Joint;
use super::notes::{Event, Number};

impl Decoder<'_, '_> {
    /// A record, or a pass through a group, begins.
    pub(in super::super) fn enters(&self) {
        if let Some(notes) = &self.lesson {
            let mut notes = notes.borrow_mut();
            notes.level += 1;
            notes.is_first = true;
        }
    }

    /// It ends.
    pub(in super::super) fn leaves(&self) {
        if let Some(notes) = &self.lesson {
            notes.borrow_mut().level -= 1;
        }
    }

    /// Notes how far the record is, of which this comes next.
    #[inline]
    pub(in super::super) fn joins(&self, id: ComplexId, cursor: &Cursor, next: &Next<'_>) {
        if self.lesson.is_some() {
            self.note_joint(id, cursor, next);
        }
    }

    fn note_joint(&self, id: ComplexId, cursor: &Cursor, next: &Next<'_>) {
        let Some(notes) = &self.lesson else { return };
        let (at, is_end) = match next {
            Next::Start(start) => (start.at, false),
            Next::End => (self.reader.token_start(), true),
        };
        // The end of an empty element has no bytes of its own.
        let tag = self.reader.input().as_bytes().get(at..self.reader.position());
        let is_tag = tag.is_some_and(|tag| tag.starts_with(b"<") && tag.starts_with(b"</") == is_end);
        let state = match is_tag && self.encoding.is_none() {
            true => self.state_of(id, cursor),
            false => Box::default(),
        };
        let mut notes = notes.borrow_mut();
        let joint = Joint {
            level: notes.level,
            first: std::mem::take(&mut notes.is_first),
            state,
        };
        // Without a state it is no place.
        let at = if joint.state.is_empty() { 0 } else { at };
        notes.push(Event::Joint(joint, at));
    }

    /// All that decides how the record is read on.
    fn state_of(&self, id: ComplexId, cursor: &Cursor) -> Box<[u32]> {
        let leaves = self.types.leaves(id);
        let counts = self
            .counts
            .get(cursor.base..cursor.base + leaves.len())
            .unwrap_or_default();
        let counted = counts
            .iter()
            .zip(leaves)
            .map(|(&count, leaf)| match number_of(leaf.occurs) {
                // One more makes no difference, once there is one.
                Number::Any => count.min(1),
                Number::Same => count,
            });
        let mut state = vec![id.index() as u32, cursor.leaf.map_or(0, |leaf| leaf as u32 + 1)];
        // In order, what lies before the leaf at hand was left for good, and what lies behind it was not met.
        let all = |particle: &Particle| matches!(particle, Particle::All { .. });
        let in_order = self.options.strict && !self.types.complex(id).content.iter().any(all);
        match (in_order, cursor.leaf) {
            (true, Some(leaf)) => state.extend(counted.skip(leaf).take(1)),
            (true, None) => {}
            (false, _) => state.extend(counted),
        }
        state.into()
    }
}

/// How many items of so many there may be in another message.
pub(in super::super) fn number_of(occurs: Occurs) -> Number {
    match occurs.min <= 1 && occurs.max == Occurs::UNBOUNDED {
        true => Number::Any,
        false => Number::Same,
    }
}
