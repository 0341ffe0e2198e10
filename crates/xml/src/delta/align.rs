//! Where two documents go on alike after a difference: among the next siblings, or where bytes are found again.

use super::along::{DeltaReader, Place};
use crate::compare::{Shift, realign};
use crate::reader::Entry;

/// Siblings on the tape that are looked at for one like an element of the document.
const SIBLINGS: u32 = 16;
/// So many texts that differ, one soon after the other, let items be missed or added.
const PATIENCE: u32 = 8;
const PATIENCE_MOST: u32 = 4096;
const SOON: usize = 12;
/// Bytes that have to be found again, and how far is searched for them.
const SAMPLE: usize = 48;
const SPAN: usize = 8 << 10;
/// Entries that may be walked over, at first, at most, and for each token that is read. The search for bytes
/// costs as much as so many.
const FUEL: u32 = 2048;
const FUEL_MOST: u32 = 1 << 16;
const FUEL_TOKEN: u32 = 4;
const FUEL_SEARCH: u32 = 512;

/// What was searched for, and how much more may be.
#[derive(Debug)]
pub(super) struct Search {
    fuel: u32,
    /// Texts that differed lately, the last of them, and how many are waited for.
    misses: u32,
    missed: usize,
    patience: u32,
    target: Option<Target>,
}

/// A place of the new document that goes on as a place of the old one.
#[derive(Debug, Clone, Copy)]
struct Target {
    at: usize,
    next: usize,
    old_at: usize,
}

impl Default for Search {
    fn default() -> Search {
        Search {
            fuel: FUEL,
            misses: 0,
            missed: 0,
            patience: PATIENCE,
            target: None,
        }
    }
}

impl Search {
    /// Where comparing has to stop.
    #[inline]
    pub(super) fn stop(&self) -> usize {
        self.target.map_or(usize::MAX, |target| target.at)
    }

    /// A token was read.
    #[inline]
    pub(super) fn earn(&mut self) {
        self.fuel = (self.fuel + FUEL_TOKEN).min(FUEL_MOST);
    }

    /// Whether to search for bytes, where a text differs in the place of that entry.
    fn is_due(&mut self, entry: usize) -> bool {
        let soon = entry
            .checked_sub(self.missed)
            .is_some_and(|entries| entries <= SOON);
        self.misses = if soon { self.misses + 1 } else { 1 };
        self.missed = entry;
        if self.misses < self.patience || self.fuel < FUEL_SEARCH || self.target.is_some() {
            return false;
        }
        self.fuel -= FUEL_SEARCH;
        self.misses = 0;
        // Until something is found.
        self.patience = (4 * self.patience).min(PATIENCE_MOST);
        true
    }

    /// Burns what so many entries cost, if there is enough.
    fn burn(&mut self, entries: usize) -> bool {
        let left = u32::try_from(entries)
            .ok()
            .and_then(|entries| self.fuel.checked_sub(entries));
        self.fuel = left.unwrap_or(self.fuel);
        left.is_some()
    }
}

impl<'a> DeltaReader<'a, '_> {
    /// Looks for where the tape has what the document has next, and goes along from there. `false` if that is
    /// where the tape is, or nowhere.
    pub(super) fn align(&mut self) -> bool {
        self.reaches_target()
            || match self.reader.rest() {
                [b'<', b'/' | b'!' | b'?', ..] | [] => false,
                [b'<', ..] => self.find_sibling(),
                _ => self.find_shift(),
            }
    }

    /// Goes along from where the old document was found to go on, when the new one has come there.
    fn reaches_target(&mut self) -> bool {
        let at = self.reader.position();
        let Some(target) = self.search.target.filter(|target| target.at <= at) else {
            return false;
        };
        self.search.target = None;
        let found = target.at == at && self.is_same_place(target.next, target.old_at, self.next);
        if found {
            self.search.patience = PATIENCE;
            self.jump(target.next, target.old_at);
        }
        found
    }

    /// Looks for an element of the name that comes among the next siblings on the tape: others were there that
    /// are gone.
    fn find_sibling(&mut self) -> bool {
        let rest = self.reader.rest().get(1..).unwrap_or_default();
        let (mut next, mut old_at) = (self.next, self.old_at);
        let (mut depth, mut siblings, mut walked) = (0u32, 0, 0);
        let found = loop {
            let Some(entry) = self.old.tape.get(next) else {
                break false;
            };
            if entry.opens() {
                if depth == 0 {
                    if is_named(entry, self.old.text.get(old_at..).unwrap_or_default(), rest) {
                        break true;
                    }
                    siblings += 1;
                }
                depth += 1;
            } else if entry.closes() {
                if depth == 0 {
                    break false;
                }
                depth -= 1;
            }
            walked += 1;
            if siblings > SIBLINGS || walked > self.search.fuel {
                break false;
            }
            old_at += entry.token_bytes();
            next += entry.width();
        };
        self.search.fuel = self.search.fuel.saturating_sub(walked);
        let moves = found && (next != self.next || self.place != Place::Along);
        if moves {
            self.jump(next, old_at);
        }
        moves
    }

    /// Where one text after the other differs, looks for the next bytes in the old document, and for the old
    /// one's in this: items may have come or gone that look alike.
    fn find_shift(&mut self) -> bool {
        let is_text = self.old.tape.get(self.next).is_some_and(Entry::is_text);
        if !is_text || !self.search.is_due(self.next) {
            return false;
        }
        let old = self.old.text.get(self.old_at..).unwrap_or_default();
        match realign(old, self.reader.rest(), SAMPLE, SPAN) {
            Some(Shift::Removed(bytes)) => {
                let old_at = self.old_at + bytes;
                let Some(next) = self.entry_at(old_at) else {
                    return false;
                };
                let found = self.is_same_place(self.next, self.old_at, next);
                if found {
                    self.search.patience = PATIENCE;
                    self.jump(next, old_at);
                }
                found
            }
            Some(Shift::Inserted(bytes)) => {
                self.search.target = Some(Target {
                    at: self.reader.position() + bytes,
                    next: self.next,
                    old_at: self.old_at,
                });
                false
            }
            None => false,
        }
    }

    /// The entry of the token that begins at a place of the old document which is not far.
    fn entry_at(&mut self, old_at: usize) -> Option<usize> {
        let (mut next, mut at) = (self.next, self.old_at);
        loop {
            let entry = self.old.tape.get(next)?;
            // An end that is implied takes no bytes.
            if at >= old_at && entry.bytes > 0 {
                break;
            }
            at += entry.token_bytes();
            next += entry.width();
        }
        (self.search.burn(next - self.next) && at == old_at).then_some(next)
    }

    /// Whether elements of the same names are open at two places of the tape, `from` before `to`, and those that
    /// are not the same have no declarations. `old_at` is where `from` begins.
    fn is_same_place(&mut self, from: usize, old_at: usize, to: usize) -> bool {
        if !to
            .checked_sub(from)
            .is_some_and(|entries| self.search.burn(entries))
        {
            return false;
        }
        let is_implied = |at: usize| self.old.tape.get(at).is_none_or(|entry| entry.bytes == 0);
        let (mut opened, mut closed) = (Vec::new(), Vec::new());
        let (mut next, mut old_at) = (from, old_at);
        while next < to {
            let Some(entry) = self.old.tape.get(next) else {
                return false;
            };
            if entry.opens() {
                opened.push((entry, old_at));
            } else if entry.closes() && opened.pop().is_none() {
                closed.push((entry, old_at));
            }
            old_at += entry.token_bytes();
            next += entry.width();
        }
        let name = |(entry, at): &(&Entry, usize)| entry.name(self.old.text.get(*at..)?);
        next == to
            && !is_implied(from)
            && !is_implied(to)
            && opened.len() == closed.len()
            && opened.iter().zip(closed.iter().rev()).all(|(open, close)| {
                let simple = open.0.is_simple() && close.0.is_simple();
                simple && name(open).is_some() && name(open) == name(close)
            })
    }
}

/// Whether a start tag, which begins where `old` does, has the name that `rest` begins with.
fn is_named(entry: &Entry, old: &[u8], rest: &[u8]) -> bool {
    let behind = entry.name(old).and_then(|name| rest.strip_prefix(name));
    matches!(behind, Some([b' ' | b'>' | b'/' | b'\t' | b'\r' | b'\n', ..]))
}
