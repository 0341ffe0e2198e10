//! Bodies that are read while they come: [`BodyStream`].
//!
//! One array of the message is handed out while the rest of it is still on its way. What leads to that
//! array, its spine, is walked element by element, and the walk can be left between any two tokens;
//! everything beside the spine, and each item, is read by the code that reads whole messages, once it has
//! come whole.
//!
//! ```text
//!   Body ── result ── values ── item item item …      the spine ends in the array
//!                 └── count, name, …                  read whole, each
//! ```

use castile_message::Version;
use castile_plan::{ComplexId, Field, Plan, TypeId, Types};
use castile_value::{Sink, Slot};
use castile_xml::{Place, Reader, Token, Window};

use super::leaf::{Cursor, Outer};
use super::{DecodeOptions, Decoder, Envelope, Next, Spine, Start};
use crate::error::Error;

/// A body being read.
#[derive(Debug)]
pub struct BodyStream {
    spine: Spine,
    options: DecodeOptions,
    version: Version,
    frames: Vec<Frame>,
    counts: Vec<u32>,
    /// The body's end tag was read already.
    empty: bool,
    items: u64,
}

/// An open record of the spine.
#[derive(Debug)]
struct Frame {
    id: ComplexId,
    /// The leaf last met.
    leaf: Option<usize>,
    /// Where its counts begin.
    base: usize,
    name: Box<str>,
}

/// How far a body was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// As far as it has come.
    Waiting,
    /// To the end of the message.
    Done,
}

impl<'a> Envelope<'a> {
    /// Opens the envelope of which `window` has the beginning; `None` when its head has not come whole.
    /// [`Envelope::stream`] goes on.
    ///
    /// # Errors
    /// Those of [`Envelope::open`], and what keeps more from coming.
    pub fn open_window(window: &mut Window<'a>, limits: &castile_xml::Limits) -> Result<Option<Self>, Error> {
        let input = window.reader().input();
        match Envelope::open(input, limits) {
            Err(error) if error.is_cut() && !window.is_last() => {
                window.missing().map_err(|e| Error::xml(e, input))
            }
            opened => opened.map(Some),
        }
    }

    /// Goes on where the envelope was opened: reads the header blocks that the plan knows into `header`,
    /// and leaves the body to the [`BodyStream`].
    ///
    /// # Errors
    /// As [`Envelope::decode`].
    pub fn stream(
        mut self,
        types: &Types,
        plan: &Plan,
        spine: Spine,
        options: &DecodeOptions,
        header: &mut dyn Sink,
        window: &mut Window<'a>,
    ) -> Result<BodyStream, Error> {
        self.refuse_breach(options)?;
        let version = self.version();
        let elsewhere = self.elsewhere().to_vec();
        let mut place = self.read()?;
        place.decode_header(&elsewhere, types, plan, options, header)?;
        place.reader.unread_start();
        let empty = place.first.is_none();
        *window.reader() = place.reader;
        let mut stream = BodyStream {
            spine,
            options: *options,
            version,
            frames: Vec::new(),
            counts: Vec::new(),
            empty,
            items: 0,
        };
        stream.enter(types, plan.body, "Body");
        Ok(stream)
    }
}

impl BodyStream {
    /// Items of the array that were read.
    pub fn items(&self) -> u64 {
        self.items
    }

    /// As [`Spine::array`].
    pub fn array(&self) -> (ComplexId, u32) {
        self.spine.array()
    }

    /// The name of the array, as [`Spine::name`].
    pub fn name(&self) -> &str {
        self.spine.name()
    }

    /// Records that are open now in the sink for all other values.
    pub fn depth(&self) -> usize {
        self.frames.len().saturating_sub(1)
    }

    /// Opens in a fresh sink for all other values the records that are open in the one so far.
    pub fn reopen(&self, types: &Types, rest: &mut dyn Sink) {
        for (outer, inner) in self.frames.iter().zip(self.frames.iter().skip(1)) {
            if let Some(leaf) = outer.leaf {
                let number = types.leaves(outer.id)[leaf].field;
                let field = &types.complex(outer.id).fields[number as usize];
                rest.open(slot(number, field), types.shape(inner.id));
            }
        }
    }

    /// Reads as far as the window goes: items of the array into `items`, a sink for a record of the type
    /// of [`Spine::array`]; all other values into `rest`, a sink for a record of the body.
    ///
    /// # Errors
    /// As [`Envelope::decode`], with the place in the whole message; what keeps more from coming.
    pub fn step(
        &mut self,
        types: &Types,
        window: &mut Window<'_>,
        rest: &mut dyn Sink,
        items: &mut dyn Sink,
    ) -> Result<Step, Error> {
        let place = window.place();
        let mut decoder = Decoder::new(Reader::new(""), types, self.options);
        decoder.counts = std::mem::take(&mut self.counts);
        let walked = Walk {
            stream: self,
            decoder: &mut decoder,
            window,
        }
        .walk(rest, items);
        self.counts = std::mem::take(&mut decoder.counts);
        walked.map_err(|e| self.in_path(e).moved(place))
    }

    fn enter(&mut self, types: &Types, id: ComplexId, name: &str) {
        let base = self.counts.len();
        self.counts.resize(base + types.leaves(id).len(), 0);
        self.frames.push(Frame {
            id,
            leaf: None,
            base,
            name: name.into(),
        });
    }

    fn in_path(&self, error: Error) -> Error {
        let around = self.frames.iter().rev();
        around
            .fold(error, |e, frame| e.within(&*frame.name))
            .within("Envelope")
    }
}

/// One step through a window. The reader is the window's while tokens are read, the decoder's while
/// values are.
struct Walk<'s, 'w, 'a, 'p> {
    stream: &'s mut BodyStream,
    decoder: &'s mut Decoder<'a, 'p>,
    window: &'w mut Window<'a>,
}

impl<'a> Walk<'_, '_, 'a, '_> {
    fn walk(&mut self, rest: &mut dyn Sink, items: &mut dyn Sink) -> Result<Step, Error> {
        while let Some(frame) = self.stream.frames.last() {
            let cursor = Cursor {
                leaf: frame.leaf,
                base: frame.base,
            };
            let id = frame.id;
            let next = match std::mem::take(&mut self.stream.empty) {
                true => Some(Next::End),
                false => self.child()?,
            };
            match next {
                None => return Ok(Step::Waiting),
                Some(Next::End) => self.leave(id, &cursor, rest)?,
                Some(Next::Start(start)) => {
                    if !self.started(id, cursor, start, rest, items)? {
                        return Ok(Step::Waiting);
                    }
                }
            }
        }
        self.tail()
    }

    /// The next child of the innermost open record, or its end; `None` when that has not come.
    fn child(&mut self) -> Result<Option<Next<'a>>, Error> {
        loop {
            let token = self.window.next();
            let input = self.window.reader().input();
            let Some(token) = token.map_err(|e| Error::xml(e, input))? else {
                return Ok(None);
            };
            let at = self.window.reader().token_start();
            match token {
                Token::Start { name, .. } => return Ok(Some(Next::Start(Start { name, at }))),
                Token::End { .. } | Token::Eof => return Ok(Some(Next::End)),
                Token::Text(text) if !text.bytes().all(castile_lexical::is_xml_space) => {
                    return Err(super::stray_text(&text).at(input, at));
                }
                Token::Text(_) | Token::Comment(_) | Token::Instruction { .. } => {}
            }
        }
    }

    /// Reads an element, or goes down into it; `false` when it has not come whole.
    fn started(
        &mut self,
        id: ComplexId,
        cursor: Cursor,
        start: Start<'a>,
        rest: &mut dyn Sink,
        items: &mut dyn Sink,
    ) -> Result<bool, Error> {
        let leaf = self.values(|decoder| decoder.leaf_of(id, &cursor, start, None));
        let types = self.decoder.types;
        let depth = self.stream.frames.len();
        let next = self.stream.spine.fields().get(depth - 1).copied();
        let of_spine = |leaf: &usize| Some(types.leaves(id)[*leaf].field) == next;
        let last = depth == self.stream.spine.fields().len();
        if let Some(leaf) = leaf.filter(of_spine)
            && !last
            && self.go_down(id, leaf, rest)?
        {
            return Ok(true);
        }
        let input = self.window.reader().input();
        if !self.window.whole().map_err(|e| Error::xml(e, input))? {
            return Ok(false);
        }
        let Some(leaf) = leaf else {
            self.values(|decoder| decoder.unexpected(id, &cursor, start))?;
            return Ok(true);
        };
        let is_item = last && of_spine(&leaf);
        let sink: &mut dyn Sink = if is_item { items } else { rest };
        let cursor = Cursor {
            leaf: Some(leaf),
            ..cursor
        };
        let met = |decoder: &Decoder<'_, '_>| decoder.counts[cursor.base + leaf];
        let before = met(self.decoder);
        let outer = Outer {
            id,
            cursor: &cursor,
            outer: None,
        };
        self.values(|decoder| decoder.leaf(outer, leaf, start, sink))?;
        if is_item {
            self.stream.items += u64::from(met(self.decoder) - before).max(1);
        }
        self.at(leaf);
        Ok(true)
    }

    /// Opens a record of the spine; `false` when its element is none that can be read step by step.
    fn go_down(&mut self, id: ComplexId, leaf: usize, rest: &mut dyn Sink) -> Result<bool, Error> {
        let types = self.decoder.types;
        let field = &types.complex(id).fields[types.leaves(id)[leaf].field as usize];
        let TypeId::Complex(inner) = field.ty else {
            return Ok(false);
        };
        let in_path = |e: Error| e.within(&*field.name);
        let plain = self.values(|decoder| Ok(!decoder.is_nil()? && decoder.actual_type(inner)? == inner));
        if !plain.map_err(in_path)? {
            return Ok(false);
        }
        self.count(leaf);
        let number = types.leaves(id)[leaf].field;
        rest.open(slot(number, field), types.shape(inner));
        self.values(|decoder| decoder.attributes(inner, rest))
            .map_err(in_path)?;
        // The counts are the decoder's as long as it reads.
        std::mem::swap(&mut self.stream.counts, &mut self.decoder.counts);
        self.stream.enter(types, inner, &field.name);
        std::mem::swap(&mut self.stream.counts, &mut self.decoder.counts);
        Ok(true)
    }

    fn count(&mut self, leaf: usize) {
        if let Some(frame) = self.stream.frames.last() {
            let count = &mut self.decoder.counts[frame.base + leaf];
            *count = count.saturating_add(1);
        }
        self.at(leaf);
    }

    fn at(&mut self, leaf: usize) {
        if let Some(frame) = self.stream.frames.last_mut() {
            frame.leaf = Some(leaf);
        }
    }

    /// The end of the innermost record.
    fn leave(&mut self, id: ComplexId, cursor: &Cursor, rest: &mut dyn Sink) -> Result<(), Error> {
        self.values(|decoder| decoder.check_end(id, cursor))?;
        self.decoder.counts.truncate(cursor.base);
        self.stream.frames.pop();
        if !self.stream.frames.is_empty() {
            rest.close();
        }
        Ok(())
    }

    /// After the body, which is little: read when all of it is there.
    fn tail(&mut self) -> Result<Step, Error> {
        if !self.window.is_last() {
            let input = self.window.reader().input();
            let missing = self.window.missing::<Step>().map_err(|e| Error::xml(e, input))?;
            return Ok(missing.unwrap_or(Step::Waiting));
        }
        let version = self.stream.version;
        self.values(|decoder| decoder.rest(version))?;
        Ok(Step::Done)
    }

    /// Lends the reader to the decoder.
    fn values<T>(&mut self, read: impl FnOnce(&mut Decoder<'a, '_>) -> T) -> T {
        std::mem::swap(self.window.reader(), &mut self.decoder.reader);
        let result = read(self.decoder);
        std::mem::swap(self.window.reader(), &mut self.decoder.reader);
        result
    }
}

fn slot(number: u32, field: &Field) -> Slot {
    Slot {
        field: number,
        many: field.many,
    }
}

impl Error {
    /// The same error in a text that begins at `place` of the message.
    fn moved(self, place: Place) -> Error {
        self.map_place(|(offset, line, column)| {
            let (line, column) = place.line_column((line, column));
            (place.offset.saturating_add(offset), line, column)
        })
    }
}
