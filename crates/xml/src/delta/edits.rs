//! What makes the tape of the last document that of the one being read: [`Edits`].

use std::ops::Range;

use crate::reader::Entry;

/// Entries that are new, and the stretches of the old tape between them that hold again.
#[derive(Debug, Clone, Default)]
pub(super) struct Edits {
    pub(super) fresh: Vec<Entry>,
    stretches: Vec<Stretch>,
    /// Where the stretch begins that is not over yet.
    from: usize,
}

/// Entries of the old tape, and how many new ones stand before them.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    fresh: u32,
    from: u32,
    to: u32,
}

impl Edits {
    /// Bytes of memory.
    pub(super) fn memory(&self) -> usize {
        self.fresh.capacity() * size_of::<Entry>() + self.stretches.capacity() * size_of::<Stretch>()
    }

    /// Forgets all, but for the memory.
    pub(super) fn clear(&mut self) {
        self.fresh.clear();
        self.stretches.clear();
        self.from = 0;
    }

    /// The old tape holds up to `to`, and from `then` on again. The entries from `mark` on come between.
    pub(super) fn part(&mut self, to: usize, mark: usize, then: usize) {
        if to > self.from {
            self.stretches.push(Stretch {
                fresh: mark as u32,
                from: self.from as u32,
                to: to as u32,
            });
        }
        self.from = then;
    }

    /// How many entries of the old tape hold.
    pub(super) fn held(&self) -> usize {
        self.stretches.iter().map(|stretch| stretch.len()).sum()
    }

    /// Makes of the old tape the new one. Where each new entry took the place of an old one, nothing moves.
    pub(super) fn apply(&mut self, tape: &mut Vec<Entry>) {
        if self.stretches.is_empty() {
            *tape = std::mem::take(&mut self.fresh);
            tape.shrink_to_fit();
        } else if self.keeps_places(tape.len()) {
            let mut at = 0;
            for (fresh, held) in self.parts(tape.len()) {
                if let Some(places) = tape.get_mut(at..at + fresh.len()) {
                    places.copy_from_slice(fresh);
                }
                at = held.end;
            }
        } else {
            let mut new = Vec::with_capacity(self.held() + self.fresh.len());
            for (fresh, held) in self.parts(tape.len()) {
                new.extend_from_slice(fresh);
                new.extend_from_slice(tape.get(held).unwrap_or_default());
            }
            *tape = new;
        }
    }

    fn keeps_places(&self, tape: usize) -> bool {
        let mut at = 0;
        for (fresh, held) in self.parts(tape) {
            if at + fresh.len() != held.start {
                return false;
            }
            at = held.end;
        }
        at == tape
    }

    /// New entries and the places of those after them in the old tape of this length, by turns.
    fn parts(&self, tape: usize) -> impl Iterator<Item = (&[Entry], Range<usize>)> {
        let mut used = 0;
        let held = self
            .stretches
            .iter()
            .map(|s| (s.fresh as usize, s.from as usize..s.to as usize));
        held.chain([(self.fresh.len(), tape..tape)])
            .map(move |(until, held)| {
                let fresh = self.fresh.get(used..until).unwrap_or_default();
                used = until;
                (fresh, held)
            })
    }
}

impl Stretch {
    fn len(&self) -> usize {
        self.to.saturating_sub(self.from) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Comments of these lengths: anything that differs.
    fn entries(bytes: &[usize]) -> Vec<Entry> {
        bytes.iter().map(|&bytes| Entry::comment(bytes)).collect()
    }

    /// Where a stretch ends, the new entries behind it, and where the next one begins.
    type Part<'a> = (usize, &'a [usize], usize);

    #[test]
    fn old_and_new_entries_take_turns() {
        let cases: [(&[Part<'_>], &[usize]); 7] = [
            (&[], &[0, 1, 2, 3, 4]),
            (&[(1, &[70], 2)], &[0, 70, 2, 3, 4]),
            (&[(0, &[70], 1), (4, &[71], 5)], &[70, 1, 2, 3, 71]),
            (&[(1, &[70, 71], 2)], &[0, 70, 71, 2, 3, 4]),
            (&[(1, &[], 4)], &[0, 4]),
            (&[(1, &[70], 4), (5, &[71], 5)], &[0, 70, 4, 71]),
            (&[(2, &[70], 1), (3, &[], 4)], &[0, 1, 70, 1, 2, 4]),
        ];
        for (parts, expected) in cases {
            let mut edits = Edits::default();
            for (to, fresh, then) in parts {
                let mark = edits.fresh.len();
                edits.fresh.extend(entries(fresh));
                edits.part(*to, mark, *then);
            }
            edits.part(5, edits.fresh.len(), 5);
            let mut tape = entries(&[0, 1, 2, 3, 4]);
            edits.apply(&mut tape);
            assert_eq!(tape, entries(expected), "{parts:?}");
        }
    }
}
