//! Tokens that were read, as entries of a tape.

use std::ops::Range;

use super::{DECLARES, EMPTY, Entry, Kind, ODD, before_prefix};
use crate::reader::Reader;
use crate::token::{Name, Token};

/// Where a reader stood before a token.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stand {
    at: usize,
    scope: u64,
}

impl<'a> Reader<'a> {
    /// Where the reader stands, to [`record`](Reader::record) the token that comes next.
    #[inline]
    pub(crate) fn stand(&self) -> Stand {
        Stand {
            at: self.at,
            scope: self.namespaces.scope(),
        }
    }

    /// Bytes read since then.
    #[inline]
    pub(crate) fn since(&self, before: Stand) -> usize {
        self.at - before.at
    }

    /// Adds the last token to a tape. The document is shorter than 4 GiB.
    pub(crate) fn record(&self, token: &Token<'a>, before: Stand, tape: &mut Vec<Entry>) {
        let passed = self.token_start - before.at;
        let kind = |plain: bool, as_is: Kind, other: Kind| if plain && passed == 0 { as_is } else { other };
        let mut entry = Entry::new(Kind::Aside, self.since(before));
        match token {
            Token::Start { name, empty } => {
                entry.flag(EMPTY, *empty);
                return self.record_start(entry, name, passed, tape);
            }
            Token::End { name } => {
                entry.kind = kind(true, Kind::End, Kind::OtherEnd);
                let named = set_name(&mut entry, name, passed);
                entry.flag(ODD, named.is_none());
                entry.flag(DECLARES, before.scope != self.namespaces.scope());
            }
            Token::Text(text) => {
                let plain = self.place_of(text) == Some(before.at..self.at);
                entry.kind = kind(plain, Kind::Text, Kind::OtherText);
            }
            Token::Comment(_) | Token::Instruction { .. } => {}
            Token::Eof => entry.kind = Kind::Eof,
        }
        tape.push(entry);
    }

    fn record_start(&self, mut entry: Entry, name: &Name<'a>, passed: usize, tape: &mut Vec<Entry>) {
        let place = tape.len();
        tape.push(entry);
        let known = set_name(&mut entry, name, passed).and_then(|()| {
            entry.binding = self.namespaces.place(name.prefix)?;
            let plain = self.record_values(tape)?;
            entry.values = u16::try_from(tape.len() - place - 1).ok()?;
            Some(plain)
        });
        entry.flag(DECLARES, !self.tag.declared.is_empty());
        // The root is where a document's length and its beginning are looked at.
        let inside = passed == 0 && self.open.len() > 1;
        entry.kind = match known {
            Some(true) if inside => Kind::Start,
            _ => Kind::OtherStart,
        };
        if known.is_none() {
            entry.flag(ODD, true);
            entry.values = 0;
            tape.truncate(place + 1);
        }
        if let Some(kept) = tape.get_mut(place) {
            *kept = entry;
        }
    }

    /// Adds declarations and attributes of the last start tag. Whether their values stand there as they are;
    /// `None` for what an entry cannot say.
    fn record_values(&self, tape: &mut Vec<Entry>) -> Option<bool> {
        for (&(prefix, ns), &start) in self.tag.declared.iter().zip(&self.tag.declared_starts) {
            let name_end = start + before_prefix(prefix.len()) + prefix.len();
            let value = self.quoted(name_end)?;
            if self.input.get(value.clone())? != self.uri(ns) {
                return None;
            }
            let mut entry = Entry::new(Kind::Declaration, value.len());
            entry.local_bytes = u16::try_from(prefix.len()).ok()?;
            entry.at = u16::try_from(start - self.token_start).ok()?;
            entry.gap = u8::try_from(value.start - name_end).ok()?;
            tape.push(entry);
        }
        let mut plain = true;
        for (attribute, &start) in self.tag.attributes.iter().zip(&self.tag.attribute_starts) {
            let mut entry = Entry::new(Kind::Attribute, 0);
            set_name(&mut entry, &attribute.name, start - self.token_start)?;
            entry.binding = self.namespaces.attribute_place(attribute.name.prefix)?;
            match self.place_of(&attribute.value) {
                Some(value) => {
                    entry.bytes = value.len() as u32;
                    let gap = value.start.checked_sub(start + entry.name_bytes())?;
                    entry.gap = u8::try_from(gap).ok()?;
                }
                None => plain = false,
            }
            tape.push(entry);
        }
        Some(plain)
    }

    /// Where in the input a text lies that was borrowed from it.
    fn place_of(&self, text: &str) -> Option<Range<usize>> {
        let start = text.as_ptr().addr().checked_sub(self.input.as_ptr().addr())?;
        let end = start.checked_add(text.len())?;
        (end <= self.input.len()).then_some(start..end)
    }

    /// The value between the first quotes from `at` on.
    fn quoted(&self, at: usize) -> Option<Range<usize>> {
        let bytes = self.input.as_bytes();
        let start = at + memchr::memchr2(b'"', b'\'', bytes.get(at..)?)? + 1;
        let length = memchr::memchr(*bytes.get(start - 1)?, bytes.get(start..)?)?;
        Some(start..start + length)
    }
}

/// Notes how long a name is and how far in it begins.
fn set_name(entry: &mut Entry, name: &Name<'_>, at: usize) -> Option<()> {
    entry.prefix_bytes = u8::try_from(name.prefix.len()).ok()?;
    entry.local_bytes = u16::try_from(name.local.len()).ok()?;
    entry.at = u16::try_from(at).ok()?;
    Some(())
}
