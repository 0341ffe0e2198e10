//! Reading documents that are like earlier ones: [`Delta`], after the differential parser of Takase,
//! Miyashita, Suzumura and Tatsubori ("An Adaptive, Fast, and Safe XML Parser Based on Byte Sequences
//! Memorization", WWW 2005).
//!
//! ```text
//!              ┌ bytes equal to those of the last document ─▶ its tape: the token, not read again
//!   document ──┤
//!              └ anything else ─▶ the plain reader ─▶ the token
//!                                      └─▶ where both documents go on alike, they are compared again
//! ```
//!
//! The last documents are kept whole, each with a tape: for each token its kind and lengths, for a tag also
//! those of its names and values, and which binding in scope gives each name its namespace. The new document's
//! bytes are compared with the old one's in wide steps, and tokens that lie in what is equal are handed out
//! from the tape as slices of the new document.
//!
//! That is right as long as the same elements are open, with the same declarations: then equal bytes mean the
//! same. A text in place of a text, or a tag that has other attributes and the same name and declarations,
//! leaves that so; behind it the comparison goes on, the two documents shifted against each other. An element
//! that has no counterpart is read plainly to its end; before and behind it a counterpart is looked for among
//! the next siblings on the tape. Where one text after the other differs, as in a list that lost or got an
//! item, the bytes to come are looked for in the old document, and the other way round.
//!
//! The comparison and the search are those that `castile_codec` stands on when it decodes what differs.
//!
//! What it takes, in instructions of [`Reader`](crate::Reader) (`benches/read.rs`; quick-xml 1.9 to 2.3): alarms of a
//! vSphere server as recorded (68 KB) 0.34 unchanged, 0.39 with 1 % of the texts changed, 0.85 with 25 %, 1.15 with
//! all; a message of 5 KB 0.39, 0.42, 0.59, 1.21; a pretty-printed one of 22 KB 0.30, 0.35, 0.46, 0.92; a WSDL
//! unchanged 0.30; a list of 100,000 numbers 0.36, 0.38, 0.67, 1.53, of records 0.38, 0.39, 0.58, 1.06. A document of
//! a new kind costs 1.4 to 1.7. Long texts with references gain nothing (1.23): they are read each time. Where it does
//! not pay, comparing pauses, and two documents in 128 are tried.

mod align;
mod along;
mod document;
mod edits;
mod options;
mod worth;

pub use along::DeltaReader;
use document::Document;
use edits::Edits;
pub use options::{DeltaOptions, DeltaStats};
use worth::Worth;

/// Documents that were read, for reading the next one.
///
/// The tokens, the errors and their places are those of a [`Reader`](crate::Reader) whatever was read before.
///
/// It keeps what it reads, values included, and the time that a document takes tells how much of it an earlier
/// one had. So a `Delta` belongs to one sender: what one authenticated principal sent (or one connection, if
/// there is none) is not to be compared with what another sends. What is kept stays within
/// [`DeltaOptions::budget_bytes`].
///
/// ```
/// use castile_xml::{Delta, Token};
/// # fn main() -> Result<(), castile_xml::Error> {
/// let mut delta = Delta::default();
/// for n in [1, 22, 333] {
///     let text = format!("<m:add xmlns:m='urn:calc'><m:n>{n}</m:n></m:add>");
///     let mut reader = delta.read(&text);
///     reader.next()?;
///     let Token::Start { name, .. } = reader.next()? else { unreachable!() };
///     assert_eq!((reader.uri(name.ns), name.local), ("urn:calc", "n"));
///     assert_eq!(reader.next()?, Token::Text(n.to_string().into()));
///     while reader.next()? != Token::Eof {}
/// }
/// // All of the first; then the root and the number, and that nothing comes behind.
/// assert_eq!(delta.stats().tokens_read, 6 + 3 + 3);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Delta {
    options: DeltaOptions,
    /// The one that was read last is the last.
    documents: Vec<Document>,
    /// Empty but while a document is read: its memory is used again.
    edits: Edits,
    worth: Worth,
    stats: DeltaStats,
}

impl Delta {
    /// Nothing read yet.
    pub fn new(options: DeltaOptions) -> Delta {
        Delta {
            options,
            ..Delta::default()
        }
    }

    /// A reader at the start of a document. The document is kept when it has been read to its end.
    pub fn read<'a>(&mut self, input: &'a str) -> DeltaReader<'a, '_> {
        self.stats.documents += 1;
        DeltaReader::new(input, self)
    }

    /// What was done so far.
    pub fn stats(&self) -> DeltaStats {
        DeltaStats {
            documents_kept: self.documents.len() as u64,
            memory: self.memory(),
            ..self.stats
        }
    }

    /// Takes out the document that is most like this one; an empty one if there is none.
    fn take_like(&mut self, text: &[u8]) -> Document {
        if self.documents.len() <= 1 {
            return self.documents.pop().unwrap_or_default();
        }
        let mut likeness = self
            .documents
            .iter()
            .enumerate()
            .rev()
            .map(|(i, d)| (d.likeness(text), i));
        let first = likeness.next();
        let best = likeness.fold(first, |best, other| {
            // As like, but read later.
            if best.is_some_and(|best| best.0 >= other.0) {
                best
            } else {
                Some(other)
            }
        });
        best.map_or_else(Document::default, |(_, place)| self.documents.remove(place))
    }

    /// Puts a document behind those that were read before, and drops the oldest beyond the budget.
    fn keep(&mut self, document: Document) {
        let fits = document.memory() <= self.options.budget_bytes;
        if !document.is_empty() && fits && self.options.documents_max > 0 {
            self.documents.push(document);
        }
        if self.memory() > self.options.budget_bytes {
            self.edits = Edits::default();
        }
        while self.documents.len() > usize::from(self.options.documents_max)
            || self.memory() > self.options.budget_bytes && !self.documents.is_empty()
        {
            self.documents.remove(0);
        }
    }

    fn memory(&self) -> usize {
        self.edits.memory() + self.documents.iter().map(Document::memory).sum::<usize>()
    }
}
