//! A reader taken from one text to the next: [`Suspended`].

use std::ops::Range;

use crate::limits::{Doctype, Limits};
use crate::namespaces::{Kept, Mark, Namespaces, NsId};
use crate::reader::tag::Tag;
use crate::reader::{FEW, Open, Reader, State};
use crate::token::Name;

/// What a [`Reader`] knows between two tokens, without the text that it read: which elements are open, which prefixes
/// are bound, and its limits.
///
/// ```
/// use castile_xml::{Reader, Token};
/// # fn main() -> Result<(), castile_xml::Error> {
/// let mut reader = Reader::new("<m:list xmlns:m='urn:list'><m:item>1</m:item></m:list>");
/// reader.next()?;
/// let between = reader.suspend();
/// let mut other = between.resume("<m:item>2</m:item>");
/// let Token::Start { name, .. } = other.next()? else { unreachable!() };
/// assert_eq!((other.uri(name.ns), name.local, other.depth()), ("urn:list", "item", 2));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Suspended {
    state: State,
    limits: Limits,
    doctype: Doctype,
    captured: u64,
    names: String,
    open: Vec<Element>,
    namespaces: Kept,
}

/// An open element, its name a part of `names`.
#[derive(Debug, Clone)]
struct Element {
    whole: Range<usize>,
    prefix_bytes: usize,
    ns: NsId,
    outside: Mark,
}

impl Suspended {
    /// A reader that has read nothing.
    pub(crate) fn new(limits: Limits, doctype: Doctype) -> Suspended {
        Reader::with_limits("", limits).doctype(doctype).suspend()
    }

    /// A reader that goes on at the start of `input`. Offsets count from there.
    pub fn resume<'a>(&'a self, input: &'a str) -> Reader<'a> {
        let mut open = Vec::with_capacity(FEW.max(self.open.len()));
        open.extend(self.open.iter().map(|element| element.resume(&self.names)));
        Reader {
            input,
            at: 0,
            token_start: 0,
            state: self.state,
            limits: self.limits,
            doctype: self.doctype,
            open,
            tag: Tag::with_capacity(FEW),
            namespaces: Namespaces::resume(&self.namespaces),
            captured: self.captured,
        }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Bytes of memory, roughly.
    pub fn memory(&self) -> usize {
        let open = self.open.len() * size_of::<Element>();
        self.names.len() + open + self.namespaces.memory() + size_of::<Self>()
    }

    /// Whether nothing was read yet.
    pub(crate) fn is_new(&self) -> bool {
        self.state == State::Beginning
    }
}

impl Element {
    fn resume<'a>(&self, names: &'a str) -> Open<'a> {
        let whole = names.get(self.whole.clone()).unwrap_or_default();
        let (prefix, local) = match self.prefix_bytes {
            0 => ("", whole),
            bytes => (
                whole.get(..bytes).unwrap_or_default(),
                whole.get(bytes + 1..).unwrap_or_default(),
            ),
        };
        Open {
            name: Name {
                prefix,
                local,
                ns: self.ns,
            },
            whole,
            outside: self.outside,
        }
    }
}

impl Reader<'_> {
    /// What is needed to go on behind [`position`](Reader::position) with another text. Attributes and
    /// declarations of the last `Start` are not kept.
    pub fn suspend(&self) -> Suspended {
        let mut names = String::new();
        let open = self.open.iter().map(|open| {
            let start = names.len();
            names.push_str(open.whole);
            Element {
                whole: start..names.len(),
                prefix_bytes: open.name.prefix.len(),
                ns: open.name.ns,
                outside: open.outside,
            }
        });
        let open = open.collect();
        Suspended {
            state: match self.state {
                State::Started => State::Content,
                state => state,
            },
            limits: self.limits,
            doctype: self.doctype,
            captured: self.captured,
            names,
            open,
            namespaces: self.namespaces.keep(),
        }
    }

    /// Takes the last token back, which must be a `Text`: it is read again with what follows it.
    pub(crate) fn unread_text(&mut self) {
        self.at = self.token_start;
    }

    /// Takes the last token back, if it was a `Start`: it is the next one again.
    pub fn unread_start(&mut self) {
        if matches!(self.state, State::Started | State::StartedEmpty)
            && let Some(open) = self.open.pop()
        {
            self.namespaces.leave(open.outside);
            self.at = self.token_start;
            self.state = State::Content;
            if self.open.is_empty() {
                self.state = State::PrologAfterDoctype;
            }
        }
    }

    /// Whether the element that the last token started ends within the text. Looks only at where tags,
    /// comments, sections and instructions end, and says nothing of whether they are right.
    pub(crate) fn is_whole(&self) -> bool {
        self.state == State::StartedEmpty || ends(self.rest())
    }
}

/// Whether the element whose content begins here ends.
fn ends(mut rest: &[u8]) -> bool {
    let mut depth = 1u32;
    while let Some(at) = memchr::memchr(b'<', rest) {
        rest = rest.get(at..).unwrap_or_default();
        let (after, change) = match rest {
            [b'<', b'!', b'-', ..] => (past(rest, b"-->"), 0),
            [b'<', b'!', ..] => (past(rest, b"]]>"), 0),
            [b'<', b'?', ..] => (past(rest, b"?>"), 0),
            [b'<', b'/', ..] => (past(rest, b">"), -1),
            _ => start_tag(rest),
        };
        depth = depth.saturating_add_signed(change);
        match after {
            None => return false,
            Some(_) if depth == 0 => return true,
            Some(after) => rest = after,
        }
    }
    false
}

fn past<'r>(rest: &'r [u8], end: &[u8]) -> Option<&'r [u8]> {
    let at = memchr::memmem::find(rest, end)?;
    rest.get(at + end.len()..)
}

/// What follows a start tag, and whether it opens an element that has content.
fn start_tag(rest: &[u8]) -> (Option<&[u8]>, i32) {
    let mut at = 0;
    while let Some(found) = memchr::memchr3(b'>', b'"', b'\'', rest.get(at..).unwrap_or_default()) {
        at += found;
        match rest.get(at) {
            Some(b'>') => {
                let empty = at > 0 && rest.get(at - 1) == Some(&b'/');
                return (rest.get(at + 1..), i32::from(!empty));
            }
            Some(&quote) => {
                let inside = rest.get(at + 1..).unwrap_or_default();
                match memchr::memchr(quote, inside) {
                    Some(length) => at += length + 2,
                    None => return (None, 0),
                }
            }
            None => return (None, 0),
        }
    }
    (None, 0)
}
