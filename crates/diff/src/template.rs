//! [`Template`]: the message sent last.

use std::ops::{Deref, Range};
use std::sync::Arc;

use castile_codec::{EncodeOptions, Error, Flat, Keep, Version, encode_around};
use castile_plan::{Plan, Types};
use castile_value::Source;

use crate::array::Array;
use crate::options::Options;
use crate::report::{Match, Report};

/// The message of one operation that was sent last, from which the next one is made.
///
/// What lies around arrays is written anew each time: it is small, and so whatever changes there,
/// an optional part, a choice, a message id, costs nothing to find out. Arrays are kept as values
/// and as bytes, and only what changed of them is written.
#[derive(Debug, Default)]
pub struct Template {
    options: Options,
    arrays: Vec<Array>,
    /// What lay around the arrays, and where each lay in it.
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

/// A message in pieces, in the order in which they are sent.
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    /// The bytes; their chunks are shared with the template, which leaves them alone as long as
    /// somebody holds them.
    pub bytes: Vec<Piece>,
    /// What making them took.
    pub report: Report,
}

impl Pieces {
    /// The whole message in one piece.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut whole = Vec::with_capacity(self.len());
        self.bytes.iter().for_each(|piece| whole.extend_from_slice(piece));
        whole
    }

    /// Bytes of the message.
    pub fn len(&self) -> usize {
        self.bytes.iter().map(|piece| piece.len()).sum()
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
    #[allow(clippy::too_many_arguments)] // encode's, and the settings
    pub fn patch(
        &mut self,
        types: &Types,
        plan: &Plan,
        version: Version,
        header: &dyn Source,
        body: &dyn Source,
        encode: &EncodeOptions,
    ) -> Result<Pieces, Error> {
        let mut around = Vec::with_capacity(self.around.len().max(512));
        let mut keeper = Keeper {
            arrays: &mut self.arrays,
            places: Vec::new(),
            options: &self.options,
            report: Report::default(),
            fresh: 0,
        };
        encode_around(
            types,
            plan,
            version,
            header,
            body,
            encode,
            &mut around,
            &mut keeper,
        )?;
        let Keeper {
            places,
            mut report,
            fresh,
            ..
        } = keeper;
        self.arrays.truncate(places.len().max(SPARE));
        report.bytes_around = around.len() as u64;
        report.kind = self.kind(&around, &places, &report, fresh);
        let around = Arc::new(around);
        let bytes = self.pieces(&around, &places);
        report.bytes_total = bytes.iter().map(|piece| piece.len() as u64).sum();
        self.around = around;
        self.places = places;
        self.sent = true;
        Ok(Pieces { bytes, report })
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

    fn pieces(&self, around: &Arc<Vec<u8>>, places: &[usize]) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut from = 0;
        for (array, &at) in self.arrays.iter().zip(places) {
            pieces.push(Piece::part(around, from..at));
            array.pieces(&mut pieces);
            from = at;
        }
        pieces.push(Piece::part(around, from..around.len()));
        pieces
    }

    /// Bytes of memory that it keeps.
    pub fn memory(&self) -> usize {
        self.around.len() + self.arrays.iter().map(Array::memory).sum::<usize>()
    }
}

/// Arrays that are kept although the last message had not so many.
const SPARE: usize = 8;

/// Takes the arrays of a message over, one after the other.
struct Keeper<'t> {
    arrays: &'t mut Vec<Array>,
    places: Vec<usize>,
    options: &'t Options,
    report: Report,
    /// Arrays that nothing was known of.
    fresh: usize,
}

impl Keep for Keeper<'_> {
    fn array(&mut self, at: usize, flat: &Flat<'_>) -> bool {
        if flat.len() * flat.columns().len() < self.options.values_min {
            return false;
        }
        let next = self.places.len();
        let known = (next..self.arrays.len()).find(|&i| self.arrays[i].fits(flat));
        match known {
            Some(i) => {
                self.arrays.swap(next, i);
                self.arrays[next].update(flat, self.options, &mut self.report);
            }
            None => {
                let array = Array::new(flat, self.options, &mut self.report);
                self.arrays.insert(next, array);
                self.fresh += 1;
            }
        }
        self.places.push(at);
        true
    }
}
