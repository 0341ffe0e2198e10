//! [`Template`]: the messages sent last.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use castile_codec::{Draft, Error};

use super::keeper::{Keeper, Parts};
use super::options::Options;
use super::pieces::{Piece, Pieces, Run};
use super::report::{Match, Report};
use super::worth::{Worth, words};

/// The messages of one operation that were sent last, from which the next one is made.
///
/// Arrays and long texts are kept as values and as bytes, and only what changed of them is written.
/// What lies around them is written anew each time: it is small, and so whatever changes there, an
/// optional part, a choice, a message id, costs nothing to find out.
///
/// A sender may send messages of several structures in turn: an array or text of a length that comes back
/// has a part of its own, so that each structure finds what it had.
#[derive(Debug, Default)]
pub struct Template {
    options: Options,
    parts: Parts,
    structures: Vec<Structure>,
    /// Counts messages.
    clock: u64,
    /// What lay around the parts of the last message.
    around_bytes: usize,
    /// Whether it pays to keep that where it is most of the message.
    around: Worth,
    /// Whether nothing of the last message is kept.
    is_paused: bool,
    /// Its bytes then, whose memory the next is written into when they were sent.
    spare: Option<Arc<Vec<u8>>>,
}

/// What messages of one structure have in common, and the last of them.
#[derive(Debug)]
struct Structure {
    number: u32,
    /// What lay around the parts, unless it is large and another structure was sent since.
    around: Arc<Vec<u8>>,
    around_bytes: usize,
    /// Where each part lay in it, and how long each was.
    places: Vec<usize>,
    lengths: Vec<usize>,
    /// What each part had.
    states: Vec<u64>,
    /// The number of the message.
    message: u64,
    used: u64,
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
        self.clock += 1;
        let mut around = self.buffer();
        let mut keeper = Keeper::new(&mut self.parts, &self.options, self.clock);
        draft.encode_around(&mut around, &mut keeper)?;
        let (places, moved, mut report) = keeper.finish();
        report.bytes_around = around.len() as u64;
        self.around_bytes = around.len();
        let around = Arc::new(around);
        let runs = self.runs(&around, &places);
        report.bytes_total = runs.iter().map(|run| run.len() as u64).sum();
        let is_most =
            self.options.pauses && around.len() > AROUND_KEPT && 2 * report.bytes_around > report.bytes_total;
        if is_most && report.paused == 0 && self.around.goes_on(around.len(), || words(&around)) {
            report.paused = 1;
        }
        self.is_paused = report.paused > 0 && places.is_empty();
        if report.paused > 0 {
            self.forget(&places, &mut report);
            self.spare = (around.capacity() <= self.options.spare_bytes).then(|| Arc::clone(&around));
        } else {
            self.remember(&around, &places, moved, &mut report);
            if is_most && report.kind != Match::FirstTime {
                self.around.note(report.kind == Match::Content);
            }
        }
        self.parts.drop_paused();
        Ok(Pieces { runs, report })
    }

    /// What the next message is written into.
    fn buffer(&mut self) -> Vec<u8> {
        match self.spare.take().and_then(Arc::into_inner) {
            Some(mut buffer) => {
                buffer.clear();
                buffer
            }
            None => Vec::with_capacity(self.around_bytes + self.around_bytes / 8 + 512),
        }
    }

    /// Whether the last message was written as if there were no template.
    pub(crate) fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// Reports a message of which not all is kept, and forgets those that it could have been like.
    fn forget(&mut self, places: &[usize], report: &mut Report) {
        self.structures.clear();
        report.kind = match places {
            [] => Match::FirstTime,
            _ => Match::PartialStructural,
        };
    }

    /// Finds the structure of a message among those that were sent, by its shape, and reports how like the last
    /// of it the message is. `moved`: a part is new, or of another length than it was.
    fn remember(&mut self, around: &Arc<Vec<u8>>, places: &[usize], moved: bool, report: &mut Report) {
        let lengths = || self.parts.lengths(places.len());
        let alike = |one: &Structure| {
            one.places == places
                && one.around_bytes == around.len()
                && lengths().eq(one.lengths.iter().copied())
        };
        let found = self.structures.iter().position(alike);
        for (i, other) in self.structures.iter_mut().enumerate() {
            if Some(i) != found && other.around_bytes > AROUND_KEPT {
                other.around = Arc::default();
            }
        }
        let Some(at) = found else {
            report.kind = match self.structures.is_empty() {
                true => Match::FirstTime,
                false => Match::PartialStructural,
            };
            let at = self.add(around, places);
            return self.note(at, report);
        };
        let last = &self.structures[at];
        let same = self.parts.states(places.len()).eq(last.states.iter().copied());
        report.kind = if moved || report.bytes_shifted + report.values_written + report.values_shared > 0 {
            Match::PartialStructural
        } else if same && last.around == *around {
            Match::Content
        } else {
            Match::PerfectStructural
        };
        self.structures[at].around = Arc::clone(around);
        self.note(at, report);
    }

    /// Notes what the message has as the last of its structure, and reports which it is.
    fn note(&mut self, at: usize, report: &mut Report) {
        let structure = &mut self.structures[at];
        structure.used = self.clock;
        if report.kind != Match::Content {
            structure.states.clear();
            structure.states.extend(self.parts.states(structure.places.len()));
            structure.message = MESSAGES.fetch_add(1, Ordering::Relaxed);
        }
        (report.structure, report.message) = (structure.number, structure.message);
    }

    /// Adds a structure, in the place of the one that was not used for longest when they are many; gives its
    /// index.
    fn add(&mut self, around: &Arc<Vec<u8>>, places: &[usize]) -> usize {
        let most = self.options.structures_max.max(1);
        let mut number = self.structures.len() as u32;
        if self.structures.len() >= most
            && let Some(oldest) = (0..self.structures.len()).min_by_key(|&i| self.structures[i].used)
        {
            number = self.structures.swap_remove(oldest).number;
        }
        self.structures.push(Structure {
            number,
            around: Arc::clone(around),
            around_bytes: around.len(),
            places: places.to_vec(),
            lengths: self.parts.lengths(places.len()).collect(),
            states: Vec::new(),
            message: 0,
            used: self.clock,
        });
        self.structures.len() - 1
    }

    fn runs(&mut self, around: &Arc<Vec<u8>>, places: &[usize]) -> Vec<Run> {
        let mut runs = Vec::with_capacity(2 * places.len() + 1);
        let mut from = 0;
        for (&at, part) in places.iter().zip(self.parts.runs()) {
            runs.push(Run::One(Piece::part(around, from..at)));
            runs.push(part);
            from = at;
        }
        runs.push(Run::One(Piece::part(around, from..around.len())));
        runs
    }

    /// Bytes of memory that it keeps.
    pub fn memory(&self) -> usize {
        let around: usize = self.structures.iter().map(|one| one.around.len()).sum();
        let spare = self.spare.as_ref().map_or(0, |bytes| bytes.capacity());
        around + spare + self.parts.memory()
    }
}

/// Numbers of messages, of all templates.
static MESSAGES: AtomicU64 = AtomicU64::new(1);

/// Bytes around parts that are kept of a structure that is not the last.
const AROUND_KEPT: usize = 16 << 10;
