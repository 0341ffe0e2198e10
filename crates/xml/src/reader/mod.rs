//! The pull [`Reader`]: one [`Token`] a call.

mod capture;
mod doctype;
mod misc;
mod outside;
mod suspend;
mod tag;
mod tape;
mod text;

use std::borrow::Cow;

use crate::cursor::Cursor;
use crate::error::{self, Error, Kind, shortened};
use crate::limits::{Doctype, Limits};
use crate::namespaces::{Mark, Namespaces, NsId, same};
use crate::token::{Attribute, Name, Token};
pub use suspend::Suspended;
use tag::Tag;
pub(crate) use tape::{Entry, Kind as EntryKind, Stand};
pub use text::character_data;

/// Reads a whole document, held as text, token by token.
///
/// A token is taken whole or not at all: a call that fails changes nothing, and fails again alike.
///
/// ```
/// use castile_xml::{Reader, Token};
/// # fn main() -> Result<(), castile_xml::Error> {
/// let mut reader = Reader::new("<m:add xmlns:m='urn:calc'>1 &lt; 2</m:add>");
/// let Token::Start { name, .. } = reader.next()? else { unreachable!() };
/// assert_eq!((reader.uri(name.ns), name.local), ("urn:calc", "add"));
/// assert_eq!(reader.next()?, Token::Text("1 < 2".into()));
/// assert_eq!(reader.next()?, Token::End { name });
/// assert_eq!(reader.next()?, Token::Eof);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    input: &'a str,
    at: usize,
    token_start: usize,
    state: State,
    limits: Limits,
    doctype: Doctype,
    open: Vec<Open<'a>>,
    tag: Tag<'a>,
    namespaces: Namespaces<'a>,
    /// Bytes of declarations that captures have added so far.
    captured: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing is read yet; an XML declaration may come.
    Beginning,
    /// Before the root; a DTD may come.
    Prolog,
    /// Before the root and after a DTD.
    PrologAfterDoctype,
    /// Inside the root, no token just started an element.
    Content,
    /// The last token was a `Start` with content to come.
    Started,
    /// The last token was the `Start` of an empty-element tag; its `End` is due.
    StartedEmpty,
    /// After the root.
    Epilog,
    /// `skip_to` was given a position that it cannot go to.
    Misled,
}

/// An element that is not closed yet.
#[derive(Debug, Clone, Copy)]
struct Open<'a> {
    name: Name<'a>,
    /// The name as written, which the end tag has to repeat.
    whole: &'a str,
    /// What to go back to at its end.
    outside: Mark,
}

/// Room to begin with, for open elements and for what one tag has: most messages need no more.
const FEW: usize = 8;

impl<'a> Reader<'a> {
    /// A reader at the start of `input`, with the default [`Limits`].
    pub fn new(input: &'a str) -> Self {
        Reader::with_limits(input, Limits::default())
    }

    /// A reader at the start of `input`. A byte order mark at its start is passed over.
    pub fn with_limits(input: &'a str, limits: Limits) -> Self {
        Reader {
            input,
            at: 0,
            token_start: 0,
            state: State::Beginning,
            limits,
            doctype: Doctype::default(),
            open: Vec::with_capacity(FEW),
            tag: Tag::with_capacity(FEW),
            namespaces: Namespaces::new(),
            captured: 0,
        }
    }

    /// Sets what to do with a document type declaration; [`Doctype::Refuse`] unless set.
    #[must_use]
    pub fn doctype(mut self, doctype: Doctype) -> Self {
        self.doctype = doctype;
        self
    }

    /// The next token.
    ///
    /// # Errors
    /// Whatever makes the text no well-formed XML 1.0 with namespaces, or exceeds a limit, at the
    /// byte where it does.
    #[expect(clippy::should_implement_trait, reason = "it is fallible, and Eof is a token")]
    #[inline]
    pub fn next(&mut self) -> Result<Token<'a>, Error> {
        match self.state {
            State::Content | State::Started => self.content(),
            State::StartedEmpty => self.close(self.at),
            _ => self.outside(),
        }
    }

    /// The attributes of the last `Start`, in order; namespace declarations are not among them.
    #[inline]
    pub fn attributes(&self) -> &[Attribute<'a>] {
        &self.tag.attributes
    }

    /// The byte at which the name of attribute `index` of the last `Start` begins.
    #[inline]
    pub fn attribute_start(&self, index: usize) -> Option<usize> {
        self.tag.attribute_starts.get(index).copied()
    }

    /// The namespace declarations of the last `Start`, in order: prefix (empty for the default) and
    /// namespace.
    #[inline]
    pub fn declarations(&self) -> &[(&'a str, NsId)] {
        &self.tag.declared
    }

    /// The name of a namespace; empty for [`NsId::NONE`] and for a number this reader never gave.
    pub fn uri(&self, ns: NsId) -> &str {
        self.namespaces.uri(ns)
    }

    /// The number that this reader gives, or will give, to a namespace name, so that a caller who
    /// knows the names beforehand compares numbers only.
    pub fn number(&mut self, uri: &str) -> NsId {
        self.namespaces.number(Cow::Owned(uri.to_owned()))
    }

    /// The namespace that a prefix is bound to here, for QNames in content. The empty prefix gives
    /// the default namespace, [`NsId::NONE`] if there is none.
    pub fn lookup(&self, prefix: &str) -> Option<NsId> {
        self.namespaces.lookup(prefix)
    }

    /// Every prefix bound here and its namespace name, innermost first; neither the prefix `xml`
    /// nor an undeclared default is among them.
    pub fn in_scope(&self) -> impl Iterator<Item = (&'a str, &str)> {
        self.namespaces
            .in_scope()
            .map(|(prefix, ns)| (prefix, self.uri(ns)))
    }

    /// An id of the bindings in scope. Within one reader equal ids mean equal bindings; the id
    /// returns to its earlier value when declarations go out of scope.
    #[inline]
    pub fn scope(&self) -> u64 {
        self.namespaces.scope()
    }

    /// The limits that the reader keeps to.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// How many elements are open; 1 after the root's `Start`.
    #[inline]
    pub fn depth(&self) -> u32 {
        u32::try_from(self.open.len()).unwrap_or(u32::MAX)
    }

    /// The name of the innermost open element, as written.
    pub(crate) fn open_name(&self) -> &'a str {
        self.open.last().map_or("", |open| open.whole)
    }

    /// The byte offset of the next unread byte.
    #[inline]
    pub fn position(&self) -> usize {
        self.at
    }

    /// The byte offset at which the last token begins: for `Start` its `<`. An implied `End` has no
    /// bytes and begins at [`position`](Reader::position).
    #[inline]
    pub fn token_start(&self) -> usize {
        self.token_start
    }

    /// The whole text.
    #[inline]
    pub fn input(&self) -> &'a str {
        self.input
    }

    /// The bytes not read yet.
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        self.input.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// Goes on at `position`: the caller has itself consumed balanced content up to there, which is
    /// whole elements or text without markup. Nothing in between is checked.
    ///
    /// A position that is not on a character boundary, lies before [`position`](Reader::position),
    /// or leaves the element just started empty by its tag, makes every later call of `next` fail
    /// with [`Kind::Misuse`].
    #[inline]
    pub fn skip_to(&mut self, position: usize) {
        if position == self.at {
            return;
        }
        let inside = matches!(self.state, State::Content | State::Started);
        if inside && position > self.at && self.input.is_char_boundary(position) {
            self.at = position;
            self.state = State::Content;
        } else {
            self.state = State::Misled;
        }
    }

    /// Line and column, both from 1, of a byte offset in `input`, for messages. Columns count
    /// characters.
    pub fn line_column(input: &str, offset: usize) -> (u32, u32) {
        error::line_column(input, offset)
    }

    #[inline]
    fn cursor(&self) -> Cursor<'a> {
        Cursor {
            input: self.input,
            at: self.at,
        }
    }

    /// Takes over a token that the cursor has passed, other than a tag.
    #[inline]
    fn take(&mut self, cursor: &Cursor<'a>, token: Token<'a>) -> Token<'a> {
        self.token_start = self.at;
        self.at = cursor.at;
        if self.state == State::Started {
            self.state = State::Content;
        }
        token
    }

    /// The next token inside the root.
    #[inline]
    fn content(&mut self) -> Result<Token<'a>, Error> {
        match self.rest() {
            [b'<', b'/', ..] => self.end_tag(),
            [b'<', b'?', ..] => self.instruction(),
            [b'<', b'!', ..] => self.comment_or_section(),
            [b'<', ..] => self.start_tag(),
            [_, ..] => self.text(),
            [] => Err(Error::end(self.at, "an element")),
        }
    }

    /// A start tag or empty-element tag.
    #[inline]
    fn start_tag(&mut self) -> Result<Token<'a>, Error> {
        let mut cursor = self.cursor();
        self.tag.scan(&mut cursor, &self.limits, &mut self.namespaces)?;
        if self.open.len() >= self.limits.depth_max as usize {
            return Err(Error::limit(self.at, "depth_max", self.limits.depth_max.into()));
        }
        let (name, outside) = self.tag.resolve(&mut self.namespaces, &self.limits)?;
        let empty = self.tag.empty;
        self.open.push(Open {
            name,
            whole: self.tag.name.whole,
            outside,
        });
        self.state = if empty {
            State::StartedEmpty
        } else {
            State::Started
        };
        self.token_start = self.at;
        self.at = cursor.at;
        Ok(Token::Start { name, empty })
    }

    /// An end tag (XML 1.0, 3.1): mostly the bytes that the open element lets expect.
    #[inline]
    fn end_tag(&mut self) -> Result<Token<'a>, Error> {
        let open = self.open.last().map_or("", |open| open.whole);
        let end = self.at + "</".len() + open.len();
        let bytes = self.input.as_bytes();
        let found = bytes.get(self.at + "</".len()..end).unwrap_or_default();
        if bytes.get(end) == Some(&b'>') && same(found, open.as_bytes()) {
            return self.close(end + 1);
        }
        self.unusual_end_tag(open)
    }

    /// An end tag with white space, or a wrong one.
    #[cold]
    fn unusual_end_tag(&mut self, open: &str) -> Result<Token<'a>, Error> {
        let mut cursor = self.cursor();
        cursor.at += "</".len();
        let found = cursor.name(&self.limits, "an end tag")?;
        if found != open {
            let kind = Kind::EndTag {
                open: shortened(open),
                found: shortened(found),
            };
            return Err(Error::new(kind, self.at));
        }
        cursor.eat_space();
        match cursor.peek() {
            Some(b'>') => self.close(cursor.at + 1),
            Some(_) => Err(Error::not_well_formed(
                cursor.at,
                "expected > in an end tag",
                "3.1",
            )),
            None => Err(Error::end(cursor.at, "an end tag")),
        }
    }

    /// Closes the innermost element, whose end tag ends at `end`.
    #[inline]
    fn close(&mut self, end: usize) -> Result<Token<'a>, Error> {
        let Some(open) = self.open.pop() else {
            return Err(Error::not_well_formed(
                self.at,
                "an end tag where no element is open",
                "3",
            ));
        };
        Ok(self.leave(open, end))
    }

    /// Leaves an element that was taken from those open.
    #[inline]
    fn leave(&mut self, open: Open<'a>, end: usize) -> Token<'a> {
        self.namespaces.leave(open.outside);
        self.state = if self.open.is_empty() {
            State::Epilog
        } else {
            State::Content
        };
        self.token_start = self.at;
        self.at = end;
        Token::End { name: open.name }
    }

    #[inline]
    fn text(&mut self) -> Result<Token<'a>, Error> {
        let mut cursor = self.cursor();
        let text = text::text(&mut cursor, &self.limits)?;
        Ok(self.take(&cursor, Token::Text(text)))
    }

    fn instruction(&mut self) -> Result<Token<'a>, Error> {
        let mut cursor = self.cursor();
        let (target, data) = misc::instruction(&mut cursor, &self.limits)?;
        Ok(self.take(&cursor, Token::Instruction { target, data }))
    }

    fn comment(&mut self) -> Result<Token<'a>, Error> {
        let mut cursor = self.cursor();
        let text = misc::comment(&mut cursor)?;
        Ok(self.take(&cursor, Token::Comment(text)))
    }

    /// What starts with `<!` inside the root.
    fn comment_or_section(&mut self) -> Result<Token<'a>, Error> {
        let mut cursor = self.cursor();
        if cursor.starts_with("<!--") {
            return self.comment();
        }
        if !cursor.starts_with("<![CDATA[") {
            return Err(not_markup(&cursor, &["<!--", "<![CDATA["], "an element"));
        }
        let text = text::text(&mut cursor, &self.limits)?;
        if text.is_empty() {
            // Only empty sections, and no text around them: what follows is no text either.
            self.at = cursor.at;
            return self.content();
        }
        Ok(self.take(&cursor, Token::Text(text)))
    }
}

/// The error for a `<!` that starts none of what may come: the end if it is cut off.
#[cold]
fn not_markup(cursor: &Cursor<'_>, possible: &[&str], inside: &'static str) -> Error {
    let rest = cursor.rest();
    match possible.iter().any(|markup| markup.starts_with(rest)) {
        true => Error::end(cursor.input.len(), inside),
        false => Error::not_well_formed(cursor.at, "<! starts no markup that may stand here", "3.1"),
    }
}
