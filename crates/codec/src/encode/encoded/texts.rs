//! Texts that are written once: [`SharedTexts`].

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use castile_lexical::format_u32;
use castile_message::Version;

use super::super::keep::stir;

/// The texts written so far that may be referred to. Most are like no other, so what counts is what a new one costs: a
/// hash of its words and a copy behind the others. Two texts of one hash are rare, and the second is not shared.
#[derive(Default)]
pub(super) struct SharedTexts {
    all: String,
    /// By their hashes, which are hashed once more: who makes texts of which many have like ones gains nothing.
    known: HashMap<u64, Known>,
    /// The hashes, in the order of the ids.
    hashes: Vec<u64>,
}

struct Known {
    start: usize,
    bytes: usize,
    id: u32,
}

/// What is known of a text that is about to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Shared {
    /// It stands already where this id is.
    Before(u32),
    /// It may be referred to by this id from now on.
    New(u32),
    /// It will not be referred to.
    Never,
}

impl Shared {
    /// Appends the attribute that says so.
    pub(in super::super) fn put(self, version: Version, out: &mut Vec<u8>) {
        let (name, id) = match (self, version) {
            (Shared::Never, _) => return,
            (Shared::Before(id), Version::Soap11) => (" href=\"#id", id),
            (Shared::Before(id), Version::Soap12) => (" E:ref=\"id", id),
            (Shared::New(id), Version::Soap11) => (" id=\"id", id),
            (Shared::New(id), Version::Soap12) => (" E:id=\"id", id),
        };
        out.extend_from_slice(name.as_bytes());
        format_u32(id, out);
        out.push(b'"');
    }
}

impl SharedTexts {
    /// Looks a text up. One that is new gets the next id.
    pub(super) fn look_up(&mut self, text: &str, next_id: &mut u32) -> Shared {
        let hash = hash(text);
        match self.known.entry(hash) {
            Entry::Occupied(known) => {
                let &Known { start, bytes, id } = known.get();
                match self.all.get(start..start + bytes) == Some(text) {
                    true => Shared::Before(id),
                    false => Shared::Never,
                }
            }
            Entry::Vacant(place) => {
                *next_id += 1;
                place.insert(Known {
                    start: self.all.len(),
                    bytes: text.len(),
                    id: *next_id,
                });
                self.all.push_str(text);
                self.hashes.push(hash);
                Shared::New(*next_id)
            }
        }
    }

    /// How many texts there are.
    pub(super) fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Forgets all but the first so many.
    pub(super) fn truncate(&mut self, len: usize) {
        while self.len() > len
            && let Some(known) = self.hashes.pop().and_then(|hash| self.known.remove(&hash))
        {
            self.all.truncate(known.start);
        }
    }
}

fn hash(text: &str) -> u64 {
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    let last = text.as_bytes().last_chunk().filter(|_| !rest.is_empty());
    let words = words.iter().chain(last).map(|word| u64::from_ne_bytes(*word));
    words.fold(text.len() as u64, stir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_known_until_they_are_forgotten() {
        let (mut texts, mut next) = (SharedTexts::default(), 6);
        let text = |n: usize| format!("{}{n:016}", "a text ".repeat(n % 5));
        for n in 0..300 {
            assert_eq!(texts.look_up(&text(n), &mut next), Shared::New(7 + n as u32));
            assert_eq!(
                texts.look_up(&text(n / 2), &mut next),
                Shared::Before(7 + n as u32 / 2)
            );
        }
        texts.truncate(100);
        next = 106;
        assert_eq!((texts.len(), texts.all.ends_with(&text(99))), (100, true));
        assert_eq!(texts.look_up(&text(99), &mut next), Shared::Before(106));
        assert_eq!(texts.look_up(&text(100), &mut next), Shared::New(107));
    }
}
