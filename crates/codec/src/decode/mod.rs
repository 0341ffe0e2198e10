//! Bytes to values.

mod any;
mod content;
mod element;
mod encoded;
mod envelope;
mod fault;
mod leaf;
mod learn;
mod mixed;
mod opening;
mod refuse;
mod repeat;
mod spine;
mod stream;

use std::borrow::Cow;

use castile_plan::{NsIx, Plan, Types};
use castile_value::Sink;
use castile_xml::{Name, NsId, Reader, Token};

pub use envelope::{Envelope, HeaderBlock};
pub use learn::{
    Ahead, Earlier, Edition, KeepOf, Learn, Lesson, Owner, Prologue, Reading, Sample, Shadow, Track, Variable,
};
pub use spine::Spine;
pub use stream::{BodyStream, Step};

use crate::error::{Error, Guilty, Kind};

/// How messages are read.
#[derive(Clone, Copy, Debug)]
pub struct DecodeOptions {
    /// Refuse what the contract does not have: unknown elements and attributes, another order,
    /// missing elements, values that a facet forbids. Off, unknown elements are passed over,
    /// any order is taken, a right name in a wrong namespace counts as right, and an array that has
    /// fewer items than it says, and does not say which, is as long as what came.
    pub strict: bool,
    /// What is left out to find out what it is worth: nothing, unless somebody measures.
    pub techniques: Techniques,
}

impl Default for DecodeOptions {
    fn default() -> Self {
        DecodeOptions {
            strict: true,
            techniques: Techniques::default(),
        }
    }
}

/// The techniques of paper 004 that a reader has. Values are the same with and without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Techniques {
    /// How it is found out which field an element is.
    pub names: Names,
    /// Repeated elements are read by the example of the first (the paper's array parser); without, each is read
    /// token by token.
    pub arrays: bool,
}

/// How it is found out which field of a record an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// The field at hand and the next are compared first; what is none of them is looked up in a table.
    Predicted,
    /// By the bytes of its name, one by one.
    Trie,
    /// In a balanced tree, by comparing names.
    Map,
}

impl Default for Techniques {
    fn default() -> Self {
        Techniques {
            names: Names::Predicted,
            arrays: true,
        }
    }
}

/// A message to be read: by what, and where its values go. The mirror of [`Draft`](crate::Draft).
pub struct Intake<'m> {
    /// The table of the contract's types.
    pub types: &'m Types,
    /// What the message is made of.
    pub plan: &'m Plan,
    /// How it is read.
    pub options: &'m DecodeOptions,
    /// Gets the header blocks that the plan knows.
    pub header: &'m mut dyn Sink,
    /// Gets the body elements.
    pub body: &'m mut dyn Sink,
}

/// The state of one decoding.
pub(crate) struct Decoder<'a, 'p> {
    reader: Reader<'a>,
    types: &'p Types,
    options: DecodeOptions,
    /// The table's number of each namespace that the reader met in a name.
    namespaces: Vec<Met>,
    /// How often each leaf of the open records was met.
    counts: Vec<u32>,
    /// Where the values of the item being read lie, while a repetition is learned.
    trace: Option<repeat::Trace>,
    /// What is known of shared objects, when values are read by the rules of SOAP encoding.
    encoding: Option<Box<encoded::Encoding<'a>>>,
    /// What mixed content was looked through.
    looked: mixed::Looked,
    /// Arrays that are open as items of one another, with no record between.
    arrays: u32,
    /// Notes for decoding the next message like this one.
    lesson: Option<learn::Notes>,
}

/// What is known of a namespace of the reader.
#[derive(Clone, Copy, Debug)]
enum Met {
    NotYet,
    /// The table's number; `None` when the table lacks it.
    As(Option<NsIx>),
}

/// Text between elements.
#[cold]
fn stray_text(text: &str) -> Error {
    let shown: String = text.trim().chars().take(40).collect();
    let why = format!("text {shown:?} where only elements may stand");
    Error::new(Kind::Unexpected, Guilty::Peer, why)
}

/// A start tag that was read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start<'a> {
    name: Name<'a>,
    /// Offset of its `<`.
    at: usize,
}

/// What comes next among the children of an element.
#[derive(Debug)]
pub(crate) enum Next<'a> {
    Start(Start<'a>),
    End,
}

impl<'a, 'p> Decoder<'a, 'p> {
    fn new(reader: Reader<'a>, types: &'p Types, options: DecodeOptions) -> Self {
        Decoder {
            reader,
            types,
            options,
            namespaces: Vec::new(),
            counts: Vec::new(),
            trace: None,
            encoding: None,
            looked: mixed::Looked::default(),
            arrays: 0,
            lesson: None,
        }
    }

    fn token(&mut self) -> Result<Token<'a>, Error> {
        self.reader.next().map_err(|e| Error::xml(e, self.reader.input()))
    }

    /// The next child element, or the end of the open one.
    fn child(&mut self) -> Result<Next<'a>, Error> {
        loop {
            match self.token()? {
                Token::Start { name, .. } => {
                    return Ok(Next::Start(Start {
                        name,
                        at: self.reader.token_start(),
                    }));
                }
                Token::End { .. } | Token::Eof => return Ok(Next::End),
                Token::Text(text) if !text.bytes().all(castile_lexical::is_xml_space) => {
                    return Err(stray_text(&text).at(self.reader.input(), self.reader.token_start()));
                }
                Token::Text(_) | Token::Comment(_) | Token::Instruction { .. } => {}
            }
        }
    }

    /// The text of the open element, through its end tag, and the bytes it lay in.
    fn text(&mut self) -> Result<(Cow<'a, str>, std::ops::Range<usize>), Error> {
        let start = self.reader.position();
        let mut text: Cow<'a, str> = Cow::Borrowed("");
        loop {
            match self.token()? {
                Token::Text(more) if text.is_empty() => text = more,
                Token::Text(more) => text.to_mut().push_str(&more),
                Token::End { .. } | Token::Eof => return Ok((text, start..self.reader.token_start())),
                Token::Start { name, .. } => {
                    let what = format!("element {} where only text may stand", self.shown(name));
                    return Err(self.bad(Kind::Unexpected, what));
                }
                Token::Comment(_) | Token::Instruction { .. } => {}
            }
        }
    }

    /// The table's number of a namespace; `None` when the table lacks it.
    #[inline]
    fn ns(&mut self, id: NsId) -> Option<NsIx> {
        match self.namespaces.get(id.0 as usize) {
            Some(Met::As(ns)) => *ns,
            _ => self.learn_ns(id),
        }
    }

    #[cold]
    fn learn_ns(&mut self, id: NsId) -> Option<NsIx> {
        let place = id.0 as usize;
        if self.namespaces.len() <= place {
            self.namespaces.resize(place + 1, Met::NotYet);
        }
        let ns = self.types.namespace(self.reader.uri(id));
        self.namespaces[place] = Met::As(ns);
        ns
    }

    fn shown(&self, name: Name<'_>) -> String {
        match self.reader.uri(name.ns) {
            "" => name.local.to_owned(),
            uri => format!("{{{uri}}}{}", name.local),
        }
    }

    /// An error of the peer's at the last token.
    #[cold]
    fn bad(&self, kind: Kind, message: impl Into<String>) -> Error {
        self.bad_at(kind, self.reader.token_start(), message)
    }

    #[cold]
    fn bad_at(&self, kind: Kind, at: usize, message: impl Into<String>) -> Error {
        Error::new(kind, Guilty::Peer, message).at(self.reader.input(), at)
    }
}
