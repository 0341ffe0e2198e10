//! Start tags that were parsed before: compared, and not parsed again.

use std::borrow::Cow;

use crate::cursor::RawName;
use crate::delta::Edge;
use crate::namespaces::{Namespaces, NsId};
use crate::reader::{Open, Reader, State, text};
use crate::token::{Attribute, Name, Token};

impl<'a> Reader<'a> {
    /// Whether a start tag comes, inside the root.
    #[inline]
    pub(crate) fn at_start_tag(&self) -> bool {
        matches!(self.state, State::Content | State::Started)
            && matches!(self.rest(), [b'<', second, ..] if !matches!(second, b'/' | b'!' | b'?'))
    }

    /// The name of the innermost open element, as written and taken apart.
    pub(crate) fn open_name(&self) -> Option<(&'a str, Name<'a>)> {
        self.open.last().map(|open| (open.whole, open.name))
    }

    /// Reads a start tag that has no declarations and is like one that was parsed in a place with the same
    /// bindings. `numbers` are this reader's numbers of `uris`, as far as they were met.
    ///
    /// `None` if it is another tag, or is beyond a limit: it has to be parsed.
    #[inline]
    pub(crate) fn start_known(
        &mut self,
        edge: &Edge,
        uris: &[Box<str>],
        numbers: &mut Vec<NsId>,
    ) -> Option<Token<'a>> {
        if edge.declares || self.open.len() >= self.limits.depth_max as usize {
            return None;
        }
        let mut cursor = self.cursor();
        self.tag.clear();
        for hole in &edge.attributes {
            let start = cursor.at + hole.name_at as usize;
            cursor.at = after(cursor.bytes(), cursor.at, &hole.before)?;
            let value = text::value(&mut cursor, hole.quote, &self.limits).ok()?;
            let (prefix, local) = parts(self.input, start, hole.prefix_bytes, hole.name_bytes)?;
            let ns = number(&mut self.namespaces, hole.ns, uris, numbers);
            let name = Name { prefix, local, ns };
            self.tag.attributes.push(Attribute { name, value });
            self.tag.attribute_starts.push(start);
        }
        cursor.at = after(cursor.bytes(), cursor.at, &edge.last)?;
        let start = self.at + 1;
        let (prefix, local) = parts(self.input, start, edge.prefix_bytes, edge.name_bytes)?;
        let whole = cursor.slice(start, start + edge.name_bytes as usize);
        let ns = number(&mut self.namespaces, edge.ns, uris, numbers);
        let name = Name { prefix, local, ns };
        self.tag.name = RawName {
            start,
            whole,
            prefix,
            local,
        };
        self.tag.empty = edge.empty;
        self.open.push(Open {
            name,
            whole,
            outside: self.namespaces.mark(),
        });
        self.state = match edge.empty {
            true => State::StartedEmpty,
            false => State::Started,
        };
        self.token_start = self.at;
        self.at = cursor.at;
        Some(Token::Start {
            name,
            empty: edge.empty,
        })
    }
}

/// Where bytes that stand at `at` end.
#[inline]
fn after(input: &[u8], at: usize, expected: &[u8]) -> Option<usize> {
    let end = at + expected.len();
    crate::namespaces::same(input.get(at..end)?, expected).then_some(end)
}

/// Prefix and local part of a name that begins at `at`.
#[inline]
fn parts(input: &str, at: usize, prefix_bytes: u32, name_bytes: u32) -> Option<(&str, &str)> {
    let end = at + name_bytes as usize;
    match prefix_bytes as usize {
        0 => Some(("", input.get(at..end)?)),
        prefix => Some((input.get(at..at + prefix)?, input.get(at + prefix + 1..end)?)),
    }
}

/// This reader's number of the automaton's namespace `ns`.
#[inline]
fn number(namespaces: &mut Namespaces<'_>, ns: u32, uris: &[Box<str>], numbers: &mut Vec<NsId>) -> NsId {
    let place = ns as usize;
    match numbers.get(place) {
        Some(&number) if number != NsId::NONE || ns == 0 => number,
        _ => new_number(namespaces, place, uris, numbers),
    }
}

#[cold]
fn new_number(
    namespaces: &mut Namespaces<'_>,
    place: usize,
    uris: &[Box<str>],
    numbers: &mut Vec<NsId>,
) -> NsId {
    let uri = uris.get(place).map_or("", |uri| uri);
    // It is bound here, so it has a number; this finds it.
    let number = namespaces.number(Cow::Owned(uri.to_owned()));
    if numbers.len() <= place {
        numbers.resize(place + 1, NsId::NONE);
    }
    if let Some(known) = numbers.get_mut(place) {
        *known = number;
    }
    number
}
