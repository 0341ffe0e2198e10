//! [`Template`]: the message sent last.

use std::ops::{Deref, Range};
use std::sync::Arc;

use castile_codec::{Draft, Error, Flat, Keep, Long, Untold};

use super::array::Array;
use super::options::Options;
use super::report::{Match, Report};
use super::text::Text;

/// The message of one operation that was sent last, from which the next one is made.
///
/// Arrays and long texts are kept as values and as bytes, and only what changed of them is written.
/// What lies around them is written anew each time: it is small, and so whatever changes there, an
/// optional part, a choice, a message id, costs nothing to find out.
#[derive(Debug, Default)]
pub struct Template {
    options: Options,
    parts: Vec<Part>,
    /// What lay around them, and where each lay in it.
    around: Arc<Vec<u8>>,
    places: Vec<usize>,
    sent: bool,
}

/// Bytes of a message, shared with the template that may send them again.
#[derive(Clone, Debug)]
pub struct Piece {
    bytes: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl Piece {
    pub(crate) fn whole(bytes: Arc<Vec<u8>>) -> Piece {
        Piece {
            range: 0..bytes.len(),
            bytes,
        }
    }

    fn part(bytes: &Arc<Vec<u8>>, range: Range<usize>) -> Piece {
        Piece {
            bytes: Arc::clone(bytes),
            range,
        }
    }

    /// Leaves bytes at the end out.
    pub(crate) fn shorten(&mut self, by: usize) {
        self.range.end = self.range.end.saturating_sub(by).max(self.range.start);
    }
}

impl Deref for Piece {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes.get(self.range.clone()).unwrap_or_default()
    }
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

/// A message in pieces, in the order in which they are sent. Their bytes are shared with the
/// template, which leaves them alone as long as somebody holds them.
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    runs: Vec<Run>,
    /// What making them took.
    pub report: Report,
}

/// Pieces of one part of a message.
#[derive(Clone, Debug)]
pub(crate) enum Run {
    One(Piece),
    /// All of an array: one object, however many chunks it has.
    Many(Arc<Chunks>),
}

/// The chunks of an array, and the bytes of all.
#[derive(Debug)]
pub(crate) struct Chunks {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) len: usize,
}

impl Run {
    fn pieces(&self) -> &[Piece] {
        match self {
            Run::One(piece) => std::slice::from_ref(piece),
            Run::Many(chunks) => &chunks.pieces,
        }
    }

    fn len(&self) -> usize {
        match self {
            Run::One(piece) => piece.len(),
            Run::Many(chunks) => chunks.len,
        }
    }
}

impl Pieces {
    /// A message that is in one piece, and of which nothing is known.
    pub(crate) fn whole(bytes: Vec<u8>) -> Pieces {
        let report = Report {
            kind: Match::FirstTime,
            bytes_total: bytes.len() as u64,
            bytes_around: bytes.len() as u64,
            ..Report::default()
        };
        Pieces {
            runs: vec![Run::One(Piece::whole(bytes.into()))],
            report,
        }
    }

    /// The pieces, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Piece> {
        self.runs.iter().flat_map(Run::pieces)
    }

    /// The whole message in one piece.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut whole = Vec::with_capacity(self.len());
        self.iter().for_each(|piece| whole.extend_from_slice(piece));
        whole
    }

    /// Bytes of the message.
    pub fn len(&self) -> usize {
        self.runs.iter().map(Run::len).sum()
    }

    /// Whether there are no bytes; no message is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Template {
    /// A template that knows no message yet.
    pub fn new(options: Options) -> Template {
        Template {
            options,
            ..Template::default()
        }
    }

    /// Makes the next message. Plan, version and encoding may differ from call to call.
    ///
    /// # Errors
    /// Those of [`castile_codec::encode`]. The template is good for the next message then, too.
    pub fn patch(&mut self, draft: &Draft<'_>) -> Result<Pieces, Error> {
        let mut around = Vec::with_capacity(self.around.len().max(512));
        let mut keeper = Keeper {
            parts: &mut self.parts,
            places: Vec::new(),
            options: &self.options,
            report: Report::default(),
            fresh: 0,
        };
        draft.encode_around(&mut around, &mut keeper)?;
        let Keeper {
            places,
            mut report,
            fresh,
            ..
        } = keeper;
        self.parts.truncate(places.len().max(SPARE));
        report.bytes_around = around.len() as u64;
        report.kind = self.kind(&around, &places, &report, fresh);
        let around = Arc::new(around);
        let mut pieces = Pieces {
            runs: self.runs(&around, &places),
            report,
        };
        pieces.report.bytes_total = pieces.len() as u64;
        self.around = around;
        self.places = places;
        self.sent = true;
        Ok(pieces)
    }

    fn kind(&self, around: &[u8], places: &[usize], report: &Report, fresh: usize) -> Match {
        let moved = report.bytes_shifted > 0 || fresh > 0 || places != self.places;
        let written = report.values_written > 0 || around.len() != self.around.len();
        if !self.sent {
            Match::FirstTime
        } else if moved || written {
            Match::PartialStructural
        } else if report.values_rewritten > 0 || *around != **self.around {
            Match::PerfectStructural
        } else {
            Match::Content
        }
    }

    fn runs(&mut self, around: &Arc<Vec<u8>>, places: &[usize]) -> Vec<Run> {
        let mut runs = Vec::with_capacity(2 * places.len() + 1);
        let mut from = 0;
        for (part, &at) in self.parts.iter_mut().zip(places) {
            runs.push(Run::One(Piece::part(around, from..at)));
            runs.push(part.run());
            from = at;
        }
        runs.push(Run::One(Piece::part(around, from..around.len())));
        runs
    }

    /// Bytes of memory that it keeps.
    pub fn memory(&self) -> usize {
        self.around.len() + self.parts.iter().map(Part::memory).sum::<usize>()
    }
}

/// Parts that are kept although the last message had not so many.
const SPARE: usize = 8;

/// A large part of a message.
#[derive(Debug)]
enum Part {
    Array(Box<Array>),
    Text(Text),
}

impl Part {
    fn run(&mut self) -> Run {
        match self {
            Part::Array(array) => Run::Many(array.chunks()),
            Part::Text(text) => Run::One(text.piece()),
        }
    }

    fn memory(&self) -> usize {
        match self {
            Part::Array(array) => array.memory(),
            Part::Text(text) => text.memory(),
        }
    }
}

/// Takes the large parts of a message over, one after the other.
struct Keeper<'t> {
    parts: &'t mut Vec<Part>,
    places: Vec<usize>,
    options: &'t Options,
    report: Report,
    /// Parts that nothing was known of.
    fresh: usize,
}

impl Keeper<'_> {
    /// The next known part that `fits`, brought to its place.
    fn known(&mut self, fits: impl Fn(&Part) -> bool) -> Option<&mut Part> {
        let next = self.places.len();
        let found = (next..self.parts.len()).find(|&i| self.parts.get(i).is_some_and(&fits))?;
        self.parts.swap(next, found);
        self.parts.get_mut(next)
    }

    fn insert(&mut self, part: Part) {
        self.parts.insert(self.places.len(), part);
        self.fresh += 1;
    }
}

impl Keep for Keeper<'_> {
    fn array(&mut self, at: usize, flat: &Flat<'_>) -> Result<bool, Untold> {
        if flat.len() * flat.columns().len() < self.options.values_min {
            return Ok(false);
        }
        let mut report = self.report;
        let options = self.options;
        match self.known(|part| matches!(part, Part::Array(array) if array.fits(flat))) {
            Some(Part::Array(array)) => array.update(flat, options, &mut report)?,
            _ => self.insert(Part::Array(Box::new(Array::new(flat, options, &mut report)))),
        }
        self.report = report;
        self.places.push(at);
        Ok(true)
    }

    fn long(
        &mut self,
        at: usize,
        long: &Long<'_>,
        write: &dyn Fn(&mut Vec<u8>) -> Result<(), Error>,
    ) -> Result<bool, Error> {
        if long.raw.len() < self.options.text_bytes_min {
            return Ok(false);
        }
        let mut report = self.report;
        match self.known(|part| matches!(part, Part::Text(text) if text.fits(long))) {
            Some(Part::Text(text)) => text.update(long, write, &mut report)?,
            _ => {
                let text = Text::new(long, write, &mut report)?;
                self.insert(Part::Text(text));
            }
        }
        self.report = report;
        self.places.push(at);
        Ok(true)
    }
}
