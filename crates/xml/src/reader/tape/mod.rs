//! The tape of a document: what a [`Reader`](crate::Reader) found in it, token by token, in lengths only. So an
//! entry is as good for the same bytes at another place, and in another document, when the same elements are
//! open there.
//!
//! ```text
//!   Reader::next ─▶ token ─ record ─▶ entries ─ start_again, text_again, end_again ─▶ token
//! ```

mod record;
mod replay;

pub(crate) use record::Stand;

/// A token, or a declaration or attribute of the start tag before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Bytes of the token, with what was passed over before it; for a declaration or attribute of its value.
    pub(crate) bytes: u32,
    /// Bytes of the local name; for a declaration of the prefix that it binds.
    local_bytes: u16,
    /// Which binding in scope gives the name its namespace.
    binding: u16,
    /// For a start tag, how many declarations and attributes follow.
    values: u16,
    /// Bytes before the `<`; for a declaration or attribute from the tag's `<` to the name.
    at: u16,
    prefix_bytes: u8,
    /// For a declaration or attribute, bytes between the name and the value.
    gap: u8,
    pub(crate) kind: Kind,
    flags: u8,
}

/// What an entry is of. Bytes that are equal make [`Start`](Kind::Start), [`Text`](Kind::Text) and
/// [`End`](Kind::End) known; the other tokens are read each time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A start tag all of whose values stand in it as they are.
    Start,
    /// Another start tag.
    OtherStart,
    /// Text that stands there as it is.
    Text,
    /// Text with references, sections or line ends to be replaced.
    OtherText,
    /// An end tag, or the end that an empty-element tag implies.
    End,
    /// An end tag with something passed over before it.
    OtherEnd,
    /// A comment or instruction.
    Aside,
    /// The end of the document.
    Eof,
    /// A namespace declaration. Those of a tag stand before its attributes.
    Declaration,
    /// An attribute.
    Attribute,
}

/// The tag of an empty element.
const EMPTY: u8 = 1;
/// The element has declarations.
const DECLARES: u8 = 2;
/// The tag is too unusual to tell whether another one is like it.
const ODD: u8 = 4;

impl Entry {
    fn new(kind: Kind, bytes: usize) -> Entry {
        Entry {
            bytes: bytes as u32,
            local_bytes: 0,
            binding: 0,
            values: 0,
            at: 0,
            prefix_bytes: 0,
            gap: 0,
            kind,
            flags: 0,
        }
    }

    /// How many entries the token takes.
    #[inline]
    pub(crate) fn width(&self) -> usize {
        1 + usize::from(self.values)
    }

    pub(crate) fn opens(&self) -> bool {
        matches!(self.kind, Kind::Start | Kind::OtherStart)
    }

    pub(crate) fn closes(&self) -> bool {
        matches!(self.kind, Kind::End | Kind::OtherEnd)
    }

    pub(crate) fn is_text(&self) -> bool {
        matches!(self.kind, Kind::Text | Kind::OtherText)
    }

    /// Bytes of a token; a declaration or attribute is none.
    pub(crate) fn token_bytes(&self) -> usize {
        match self.kind {
            Kind::Declaration | Kind::Attribute => 0,
            _ => self.bytes as usize,
        }
    }

    /// Whether a tag says nothing but its name of what its content may depend on.
    pub(crate) fn is_simple(&self) -> bool {
        self.flags & (DECLARES | ODD) == 0
    }

    /// Whether it is the tag of an empty element.
    pub(crate) fn is_empty(&self) -> bool {
        self.flags & EMPTY != 0
    }

    /// Whether nothing can be said of a tag.
    pub(crate) fn is_odd(&self) -> bool {
        self.flags & ODD != 0
    }

    /// The name in a start or end tag that begins, with what was passed over, where `text` does; `None` in an end
    /// that is implied.
    pub(crate) fn name<'t>(&self, text: &'t [u8]) -> Option<&'t [u8]> {
        let mark = if self.closes() { "</" } else { "<" };
        let from = usize::from(self.at) + mark.len();
        (self.bytes > 0).then(|| text.get(from..from + self.name_bytes()))?
    }

    /// Prefix and namespace of a declaration in a tag that begins, with what was passed over, where `text` does.
    pub(crate) fn declaration<'t>(&self, tag: &Entry, text: &'t [u8]) -> Option<(&'t [u8], &'t [u8])> {
        if self.kind != Kind::Declaration {
            return None;
        }
        let prefix_bytes = usize::from(self.local_bytes);
        let from = usize::from(tag.at) + usize::from(self.at) + before_prefix(prefix_bytes);
        let value = from + prefix_bytes + usize::from(self.gap);
        Some((
            text.get(from..from + prefix_bytes)?,
            text.get(value..value + self.bytes as usize)?,
        ))
    }

    fn name_bytes(&self) -> usize {
        let prefix = usize::from(self.prefix_bytes);
        prefix + usize::from(prefix > 0) + usize::from(self.local_bytes)
    }

    fn flag(&mut self, flag: u8, is: bool) {
        self.flags |= if is { flag } else { 0 };
    }
}

/// What stands in a declaration before a prefix of so many bytes; all of its name if that is empty.
fn before_prefix(prefix_bytes: usize) -> usize {
    match prefix_bytes {
        0 => "xmlns".len(),
        _ => "xmlns:".len(),
    }
}

#[cfg(test)]
impl Entry {
    /// Something that is no tag and no text.
    pub(crate) fn comment(bytes: usize) -> Entry {
        Entry::new(Kind::Aside, bytes)
    }
}
