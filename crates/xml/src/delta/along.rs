//! [`DeltaReader`]: a document read along the tape of an earlier one.

use std::ops::Deref;

use super::align::Search;
use super::{Delta, Document, Edits};
use crate::compare::common_prefix;
use crate::error::Error;
use crate::fragment::Fragment;
use crate::reader::{Entry, EntryKind, Reader, Stand};
use crate::token::Token;

/// Bytes that are compared at once, so that what is read next was looked at just before.
const WINDOW: usize = 16 << 10;
/// Fewer are seldom.
const BYTES_A_TOKEN: usize = 12;
/// Text ends where a tag, a comment or an instruction begins, and no CDATA section: with so many bytes.
const TEXT_END: usize = 3;

/// Reads one document; everything that asks and does not move is the [`Reader`]'s.
#[derive(Debug)]
pub struct DeltaReader<'a, 'd> {
    pub(super) reader: Reader<'a>,
    delta: &'d mut Delta,
    /// Neither compares nor keeps.
    plain: bool,
    /// The document to compare with, taken out of `delta`.
    pub(super) old: Document,
    /// The entry of its tape that comes next.
    pub(super) next: usize,
    /// Where in its text that begins; up to date while `place` is not [`Place::Along`], and in what is called
    /// from [`DeltaReader::go_on`].
    pub(super) old_at: usize,
    pub(super) place: Place,
    /// What added to a place of the old document gives that of the new one, while going along.
    shift: usize,
    /// Up to where the new document is known to equal the old one, and up to where they were compared.
    same_to: usize,
    compared_to: usize,
    pub(super) edits: Edits,
    /// Entries that there is room for.
    room: usize,
    /// Whether anything differs.
    differs: bool,
    ended: bool,
    pub(super) search: Search,
    /// Entries of the tape that hold, though their tokens were read.
    entries_read: usize,
    tokens_read: u64,
    bytes_read: u64,
}

/// Where the tape is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// What it has next was read with the same elements open as are open now.
    Along,
    /// The same holds once so many elements are open again.
    Aside(u32),
}

/// Beside all of the tape.
const NOWHERE: Place = Place::Aside(u32::MAX);

impl<'a, 'd> DeltaReader<'a, 'd> {
    pub(super) fn new(input: &'a str, delta: &'d mut Delta) -> DeltaReader<'a, 'd> {
        let budget = delta.options.budget_bytes.min(u32::MAX as usize);
        let pauses = delta.options.pauses && !delta.worth.is_tried();
        let plain = pauses || input.len() > budget;
        let old = match plain {
            true => Document::default(),
            false => delta.take_like(input.as_bytes()),
        };
        let old_is_empty = old.is_empty();
        let room = budget.saturating_sub(input.len()) / size_of::<Entry>();
        let mut edits = std::mem::take(&mut delta.edits);
        if old_is_empty && !plain {
            edits.fresh.reserve(room.min(input.len() / BYTES_A_TOKEN));
        }
        DeltaReader {
            reader: Reader::with_limits(input, delta.options.limits),
            plain,
            place: if old_is_empty { NOWHERE } else { Place::Along },
            old,
            next: 0,
            old_at: 0,
            shift: 0,
            same_to: 0,
            compared_to: 0,
            edits,
            room,
            differs: old_is_empty,
            ended: false,
            search: Search::default(),
            entries_read: 0,
            tokens_read: 0,
            bytes_read: 0,
            delta,
        }
    }

    /// The next token, as [`Reader::next`] gives it.
    ///
    /// # Errors
    /// Those of [`Reader::next`].
    #[expect(clippy::should_implement_trait, reason = "it is fallible, and Eof is a token")]
    #[inline]
    pub fn next(&mut self) -> Result<Token<'a>, Error> {
        if self.plain {
            return self.reader.next();
        }
        match self.again() {
            Some(token) => Ok(token),
            None => self.go_on(),
        }
    }

    /// As [`Reader::skip_element`].
    ///
    /// # Errors
    /// Those of [`Reader::skip_element`].
    pub fn skip_element(&mut self) -> Result<(), Error> {
        let outside = self.reader.outside_started()?;
        while self.reader.depth() > outside {
            self.next()?;
        }
        Ok(())
    }

    /// As [`Reader::capture`].
    ///
    /// # Errors
    /// Those of [`Reader::capture`].
    pub fn capture(&mut self) -> Result<String, Error> {
        let cut = self.reader.begin_cut()?;
        self.skip_element()?;
        self.reader.end_cut(cut)
    }

    /// As [`Reader::fragment`].
    ///
    /// # Errors
    /// Those of [`Reader::fragment`].
    pub fn fragment(&mut self) -> Result<Fragment, Error> {
        let heading = self.reader.heading()?;
        Ok(heading.over(self.capture()?))
    }

    /// The token that the tape has next, if all of it lies in what is equal.
    #[inline]
    pub(super) fn again(&mut self) -> Option<Token<'a>> {
        let (entry, rest) = self.old.tape.get(self.next..)?.split_first()?;
        let end = self.reader.position() + entry.bytes as usize;
        match entry.kind {
            EntryKind::Start if end <= self.same_to => {
                let values = rest.get(..entry.width() - 1)?;
                let token = self.reader.start_again(entry, values)?;
                self.next += 1 + values.len();
                Some(token)
            }
            EntryKind::Text if end + TEXT_END <= self.same_to => {
                let token = self.reader.text_again(end)?;
                self.next += 1;
                Some(token)
            }
            EntryKind::End if end <= self.same_to => {
                let token = self.reader.end_again(end)?;
                self.next += 1;
                Some(token)
            }
            _ => None,
        }
    }

    /// The next token where the tape does not give it at once.
    #[inline(never)]
    fn go_on(&mut self) -> Result<Token<'a>, Error> {
        match self.place {
            Place::Along => {
                self.old_at = self.reader.position().wrapping_sub(self.shift);
                if self.compare_token()
                    && let Some(token) = self.again()
                {
                    return Ok(token);
                }
            }
            Place::Aside(depth) if self.reader.depth() == depth => {}
            Place::Aside(_) => return self.read(),
        }
        if self.align()
            && let Some(token) = self.again()
        {
            return Ok(token);
        }
        self.differ()
    }

    /// Compares as far as the token goes that the tape has next. Whether more is equal than was known.
    fn compare_token(&mut self) -> bool {
        let bytes = self.old.tape.get(self.next).map_or(0, |entry| entry.bytes);
        let needed = self.reader.position() + bytes as usize + TEXT_END;
        let before = self.same_to;
        while self.same_to < needed && self.compare() {}
        self.same_to > before
    }

    /// Compares a window more, unless a difference was found before. Whether anything is equal.
    fn compare(&mut self) -> bool {
        if self.same_to < self.compared_to {
            return false;
        }
        let until = self.search.stop().min(self.same_to + WINDOW);
        let new = self.reader.input().as_bytes();
        let new = new.get(self.same_to..until.min(new.len())).unwrap_or_default();
        let old = self.old.text.get(self.same_to.wrapping_sub(self.shift)..);
        let same = common_prefix(new, old.unwrap_or_default());
        self.compared_to = self.same_to + new.len();
        self.same_to += same;
        same > 0
    }

    /// Reads a token in the place of what the tape has there.
    fn differ(&mut self) -> Result<Token<'a>, Error> {
        let depth = self.reader.depth();
        let mark = self.edits.fresh.len();
        let token = self.read()?;
        match self.counterpart(&token) {
            Some(entries) => self.replace(entries, mark),
            None => {
                self.edits.part(self.next, mark, self.next);
                self.place = Place::Aside(depth);
                self.same_to = 0;
                self.differs = true;
            }
        }
        Ok(token)
    }

    /// Reads a token plainly, and notes it.
    fn read(&mut self) -> Result<Token<'a>, Error> {
        let before = self.reader.stand();
        match self.reader.next() {
            Ok(token) => {
                self.note(&token, before);
                Ok(token)
            }
            Err(error) => {
                // From here on all is the plain reader's.
                self.place = NOWHERE;
                self.same_to = 0;
                Err(error)
            }
        }
    }

    fn note(&mut self, token: &Token<'a>, before: Stand) {
        self.tokens_read += 1;
        self.bytes_read += self.reader.since(before) as u64;
        self.search.earn();
        if matches!(token, Token::Eof) {
            self.ended = true;
            self.plain = true;
        }
        if self.edits.fresh.len() < self.room {
            self.reader.record(token, before, &mut self.edits.fresh);
        }
    }

    /// How many entries of the tape the token that was just read takes the place of, if it leaves the reader as
    /// they did.
    fn counterpart(&self, token: &Token<'a>) -> Option<usize> {
        let entry = self.old.tape.get(self.next);
        let one_if = |is: fn(&Entry) -> bool| usize::from(entry.is_some_and(is));
        match token {
            Token::Start { empty, .. } => entry
                .filter(|entry| self.is_same_start(entry, *empty))
                .map(Entry::width),
            Token::End { .. } => Some(self.rest_of_element()),
            Token::Text(_) => Some(one_if(Entry::is_text)),
            Token::Comment(_) | Token::Instruction { .. } => {
                Some(one_if(|entry| entry.kind == EntryKind::Aside))
            }
            Token::Eof => Some(self.old.tape.len() - self.next.min(self.old.tape.len())),
        }
    }

    /// Whether the start tag that was just read opens the same element as that on the tape.
    fn is_same_start(&self, entry: &Entry, empty: bool) -> bool {
        let old = self.old.text.get(self.old_at..).unwrap_or_default();
        entry.opens()
            && entry.is_empty() == empty
            && entry.name(old) == Some(self.reader.open_name().as_bytes())
            && self.declares_the_same(entry, old)
    }

    fn declares_the_same(&self, entry: &Entry, old: &[u8]) -> bool {
        let new = self.reader.declarations();
        if entry.is_simple() {
            return new.is_empty();
        }
        let values = self.old.tape.get(self.next + 1..self.next + entry.width());
        let mut before = values
            .unwrap_or_default()
            .iter()
            .filter_map(|value| value.declaration(entry, old));
        !entry.is_odd()
            && new.iter().all(|&(prefix, ns)| {
                before.next() == Some((prefix.as_bytes(), self.reader.uri(ns).as_bytes()))
            })
            && before.next().is_none()
    }

    /// The entries up to and including the end of the element in which the tape is.
    fn rest_of_element(&self) -> usize {
        let (mut at, mut depth) = (self.next, 0u32);
        while let Some(entry) = self.old.tape.get(at) {
            at += entry.width();
            if entry.opens() {
                depth += 1;
            } else if entry.closes() {
                if depth == 0 {
                    break;
                }
                depth -= 1;
            }
        }
        at - self.next
    }

    /// What was read since `mark` stands for so many entries of the tape; goes along behind it.
    fn replace(&mut self, entries: usize, mark: usize) {
        let then = self.next + entries;
        let old = self.old.tape.get(self.next..then).unwrap_or_default();
        self.old_at += old.iter().map(Entry::token_bytes).sum::<usize>();
        if self.edits.fresh.get(mark..) == Some(old) {
            self.edits.fresh.truncate(mark);
            self.entries_read += entries;
        } else {
            self.edits.part(self.next, mark, then);
        }
        self.next = then;
        let at = self.reader.position();
        let is_equal =
            self.place == Place::Along && at <= self.same_to && self.shift == at.wrapping_sub(self.old_at);
        if !is_equal {
            self.go_along();
        }
    }

    /// Goes along the tape from `next` on, which begins at `old_at` of the old document.
    pub(super) fn jump(&mut self, next: usize, old_at: usize) {
        if next != self.next {
            self.edits.part(self.next, self.edits.fresh.len(), next);
        }
        self.next = next;
        self.old_at = old_at;
        self.go_along();
    }

    /// Compares from here on.
    fn go_along(&mut self) {
        let at = self.reader.position();
        self.differs = true;
        self.place = Place::Along;
        self.shift = at.wrapping_sub(self.old_at);
        self.same_to = at;
        self.compared_to = at;
        self.compare();
    }

    /// What to keep of the two documents when the new one was read to its end.
    fn next_document(&mut self) -> Document {
        self.edits.part(self.next, self.edits.fresh.len(), self.next);
        let (held, all) = (self.edits.held(), self.old.tape.len());
        let saved = held.saturating_sub(self.entries_read) as u64;
        self.delta.worth.note(saved > GAIN * self.tokens_read);
        let mut document = std::mem::take(&mut self.old);
        if self.edits.fresh.len() >= self.room {
            return document;
        }
        if held < all / 2 {
            // The old one is of another kind, and may have its like to come.
            let copy = Document {
                text: Vec::new(),
                tape: document.tape.clone(),
            };
            self.delta.keep(std::mem::replace(&mut document, copy));
        }
        if self.differs {
            self.edits.apply(&mut document.tape);
            document.set_text(self.reader.input().as_bytes());
        }
        document
    }
}

/// So many entries that are handed out again save what it costs to compare, read and note one token that differs.
const GAIN: u64 = 3;

impl Drop for DeltaReader<'_, '_> {
    fn drop(&mut self) {
        if self.plain && !self.ended {
            self.delta.stats.documents_plain += 1;
        } else {
            let stats = &mut self.delta.stats;
            stats.tokens_read += self.tokens_read;
            stats.bytes_read += self.bytes_read;
            stats.bytes_same += self.reader.position() as u64 - self.bytes_read;
        }
        let document = match self.ended {
            true => self.next_document(),
            false => std::mem::take(&mut self.old),
        };
        self.edits.clear();
        self.delta.edits = std::mem::take(&mut self.edits);
        self.delta.keep(document);
    }
}

impl<'a> Deref for DeltaReader<'a, '_> {
    type Target = Reader<'a>;

    fn deref(&self) -> &Reader<'a> {
        &self.reader
    }
}
