//! Reading documents that are like earlier ones: [`Delta`], after the differential parser of Takase,
//! Miyashita, Suzumura and Tatsubori ("An Adaptive, Fast, and Safe XML Parser Based on Byte Sequences
//! Memorization", WWW 2005).
//!
//! ```text
//!              ┌ the bytes of a tag known in this state ─▶ its token, names and namespaces as learned
//!   document ──┤
//!              └ anything else ─▶ the plain reader ─▶ the token; a tag is learned
//!                                                        └─▶ the state behind it is known again
//! ```
//!
//! A state is a place in a document: the tags of the elements open there. So it fixes every prefix's
//! namespace, and a tag's bytes mean the same whenever they come in the same state. States form a tree with
//! loops: an end tag leads back to where its element began. Therefore nothing has to be aligned again after
//! a difference: the tag behind it leads to a known state by itself, whether values changed or elements came,
//! went or moved.
//!
//! What is kept of a document is names and declarations only. Texts and values of attributes are holes
//! between what is compared: finding where one ends costs what comparing it with an old one would, and so
//! neither the automaton nor the time that it takes tells anybody of them.
//!
//! It gains nothing beside [`Reader`], which compares end tags and remembers prefixes as well: over the
//! documents of `benches/read.rs` it takes 1.02 times as many instructions, and quick-xml 2.4 times as many. So
//! nothing in Castile uses it unless asked.

mod edge;
mod states;

use std::ops::Deref;

use crate::error::Error;
use crate::fragment::Fragment;
use crate::limits::Limits;
use crate::namespaces::NsId;
use crate::reader::Reader;
use crate::token::Token;
pub(crate) use edge::Edge;
use states::{StateId, States};

/// What was learned of documents, for reading the next one.
///
/// The tokens, the errors and their places are those of a [`Reader`] whatever was learned. Memory is
/// bounded: what no recent document had is dropped, and beyond [`DeltaOptions::budget_bytes`] nothing is
/// learned.
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
/// assert_eq!(delta.stats().tags_known, 2);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Delta {
    options: DeltaOptions,
    states: States,
    stats: DeltaStats,
}

/// How documents are read, and what may be kept of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeltaOptions {
    /// Limits of each document.
    pub limits: Limits,
    /// Bytes that may be kept. Default 1 MiB.
    pub budget_bytes: usize,
    /// Different tags that are kept in one state, at most 65,535. Default 64.
    pub tags_max: u16,
}

impl Default for DeltaOptions {
    fn default() -> Self {
        DeltaOptions {
            limits: Limits::default(),
            budget_bytes: 1 << 20,
            tags_max: 64,
        }
    }
}

/// What a [`Delta`] did since it was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeltaStats {
    /// Documents begun.
    pub documents: u64,
    /// Start tags that were compared and not parsed.
    pub tags_known: u64,
    /// Start tags that were parsed.
    pub tags_parsed: u64,
    /// Bytes of the tags that were not parsed.
    pub bytes_compared: u64,
    /// Times that the budget was reached and what was not used lately was dropped.
    pub collections: u64,
    /// Bytes kept, roughly.
    pub memory: usize,
}

impl Delta {
    /// Nothing learned yet.
    pub fn new(options: DeltaOptions) -> Delta {
        Delta {
            options,
            ..Delta::default()
        }
    }

    /// A reader at the start of a document, which learns while it reads.
    pub fn read<'a>(&mut self, input: &'a str) -> DeltaReader<'a, '_> {
        self.stats.documents += 1;
        if self.states.memory() > self.options.budget_bytes / 2 {
            // To a quarter, so that the next documents have room to be learned from.
            self.states.collect(self.options.budget_bytes / 4);
            self.stats.collections += 1;
        }
        self.states.begin();
        DeltaReader {
            reader: Reader::with_limits(input, self.options.limits),
            delta: self,
            path: Vec::with_capacity(8),
            numbers: vec![NsId::NONE, NsId::XML],
        }
    }

    /// What was done so far.
    pub fn stats(&self) -> DeltaStats {
        DeltaStats {
            memory: self.states.memory(),
            ..self.stats
        }
    }
}

/// Reads one document; everything that asks and does not move is the [`Reader`]'s.
#[derive(Debug)]
pub struct DeltaReader<'a, 'd> {
    reader: Reader<'a>,
    delta: &'d mut Delta,
    /// For each open element, the state inside it and which of its tags came last.
    path: Vec<Level>,
    /// This document's numbers of the automaton's namespaces; those not met yet are missing or none.
    numbers: Vec<NsId>,
}

/// A state on the way to where the reader is.
#[derive(Debug, Clone, Copy)]
struct Level {
    state: Option<StateId>,
    last: Option<u16>,
}

impl<'a> DeltaReader<'a, '_> {
    /// The next token, as [`Reader::next`] gives it.
    ///
    /// # Errors
    /// Those of [`Reader::next`].
    #[expect(clippy::should_implement_trait, reason = "it is fallible, and Eof is a token")]
    #[inline]
    pub fn next(&mut self) -> Result<Token<'a>, Error> {
        self.path.truncate(self.reader.depth() as usize);
        if self.reader.at_start_tag() {
            return self.start();
        }
        let token = self.reader.next()?;
        if let Token::Start { .. } = token {
            self.learn();
        }
        Ok(token)
    }

    /// As [`Reader::skip_element`].
    ///
    /// # Errors
    /// Those of [`Reader::skip_element`].
    pub fn skip_element(&mut self) -> Result<(), Error> {
        self.reader.skip_element()
    }

    /// As [`Reader::capture`].
    ///
    /// # Errors
    /// Those of [`Reader::capture`].
    pub fn capture(&mut self) -> Result<String, Error> {
        self.reader.capture()
    }

    /// As [`Reader::fragment`].
    ///
    /// # Errors
    /// Those of [`Reader::fragment`].
    pub fn fragment(&mut self) -> Result<Fragment, Error> {
        self.reader.fragment()
    }

    /// A start tag inside the root.
    #[inline]
    fn start(&mut self) -> Result<Token<'a>, Error> {
        if let Some(token) = self.known() {
            return Ok(token);
        }
        let token = self.reader.next()?;
        self.learn();
        Ok(token)
    }

    /// The start tag that comes, if it is known in this state.
    #[inline]
    fn known(&mut self) -> Option<Token<'a>> {
        let level = self.path.last_mut()?;
        let state = level.state?;
        let states = &mut self.delta.states;
        let rest = self.reader.rest();
        let expected = states.expected(state, level.last);
        let fits = |reader: &mut Reader<'a>, edge: &Edge, numbers: &mut Vec<NsId>| {
            reader.start_known(edge, states.uris(), numbers)
        };
        let found = expected.and_then(|at| {
            let edge = states.edge(state, at)?;
            Some((at, fits(&mut self.reader, edge, &mut self.numbers)?))
        });
        let (at, token) = match found {
            Some(found) => found,
            None => {
                let mut others = states.like(state, rest).filter(|(at, _)| Some(*at) != expected);
                others.find_map(|(at, edge)| Some((at, fits(&mut self.reader, edge, &mut self.numbers)?)))?
            }
        };
        let inside = states.follow(state, level.last, at);
        level.last = Some(at);
        self.path.push(Level {
            state: inside,
            last: None,
        });
        self.delta.stats.tags_known += 1;
        self.delta.stats.bytes_compared += (self.reader.position() - self.reader.token_start()) as u64;
        Some(token)
    }

    /// Finds the state behind the start tag that was just parsed, a new one if need be.
    fn learn(&mut self) {
        self.delta.stats.tags_parsed += 1;
        let DeltaOptions {
            budget_bytes,
            tags_max,
            ..
        } = self.delta.options;
        let outside = match self.path.last() {
            Some(level) => *level,
            None => Level {
                state: Some(StateId::OUTSIDE),
                last: None,
            },
        };
        let states = &mut self.delta.states;
        let at = outside.state.and_then(|state| {
            let (start, end) = (self.reader.token_start(), self.reader.position());
            let tag = self.reader.input().as_bytes().get(start..end)?;
            if let Some((at, _)) = states.like(state, tag).find(|(_, edge)| edge.is(tag)) {
                return Some((state, at));
            }
            let room = states.memory() < budget_bytes && states.count(state) < tags_max;
            let edge = room.then(|| Edge::learn(&self.reader, states))??;
            Some((state, states.push(state, edge)?))
        });
        let inside = at.and_then(|(state, at)| states.follow(state, outside.last, at));
        if let (Some(level), Some((_, at))) = (self.path.last_mut(), at) {
            level.last = Some(at);
        }
        self.path.push(Level {
            state: inside,
            last: None,
        });
    }
}

impl<'a> Deref for DeltaReader<'a, '_> {
    type Target = Reader<'a>;

    fn deref(&self) -> &Reader<'a> {
        &self.reader
    }
}
