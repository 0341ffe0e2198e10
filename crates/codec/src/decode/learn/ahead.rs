//! [`Ahead`]: a message is followed while it comes.
//!
//! Only arrays of numbers are, and nothing is told: the rest of the message is passed over, since where an array begins is all
//! that is wanted of it. Once the message has come, it is followed as any other, and its arrays go on from here.

use std::ops::Range;
use std::sync::Arc;

use castile_plan::Types;
use castile_xml::common_prefix;

use super::array::{Progress, Source};
use super::form::Form;
use super::prologue::Prologue;
use super::read_on::ReadOn;
use super::shadow::{Shadow, State};
use super::track::{Items, Step, Track};
use crate::decode::repeat::{Ground, Kernel, after_space};

/// How far a message of which more has to come was followed.
#[derive(Debug)]
pub struct Ahead {
    track: Arc<Track>,
    /// Where the message goes on behind the prologue, and how many bytes from there on are those of the last message.
    from: usize,
    equal: usize,
    /// Which step of the track is next, and where it begins; `None`: what is behind has to be found by other means.
    next: Option<(usize, usize)>,
    /// Arrays that were begun, by their places.
    arrays: Vec<Option<Begun>>,
}

/// An array of which some came.
#[derive(Debug)]
enum Begun {
    /// It is compared with the one that is kept.
    Compared(Box<Progress>),
    Read(ReadOn),
}

/// How a step stands to what came of a message.
enum Met {
    /// It ends here.
    End(usize),
    Waits,
    Lost,
}

/// Bytes of a text before an array, and of white space before a tag, for which more of the message is waited for.
const TEXT_MAX: usize = 4096;

impl Ahead {
    /// Before a message of which these bytes came first; `None` when it begins otherwise than messages that were like the track,
    /// or these have no arrays of numbers.
    pub fn new(prologue: &Arc<Prologue>, track: &Arc<Track>, came: &[u8]) -> Option<Ahead> {
        let bytes = prologue.bytes.as_bytes();
        let is_like = track.has_arrays && prologue.head.is_none() && came.starts_with(bytes);
        is_like.then(|| Ahead {
            track: track.clone(),
            from: bytes.len(),
            equal: 0,
            next: Some((0, bytes.len())),
            arrays: Vec::new(),
        })
    }

    /// The same, like the last message of its sender.
    pub fn like(shadow: &Shadow, came: &[u8]) -> Option<Ahead> {
        Ahead::new(&shadow.prologue, shadow.track.as_ref()?, came)
    }

    /// Follows what came: all bytes of the message from its first one on. A shadow is compared with it, and is then of use
    /// for this message only.
    pub fn came(&mut self, types: &Types, shadow: Option<&mut Shadow>, message: &[u8]) {
        let track = self.track.clone();
        let mut shadow = shadow.filter(|shadow| shadow.is_of(&track));
        if let Some(shadow) = &shadow
            && self.is_equal(shadow, message)
        {
            return;
        }
        while let Some((step, at)) = self.next
            && let Some(expected) = track.steps.get(step)
        {
            let met = match expected {
                Step::Constant(bytes) => constant(message, at, bytes),
                Step::Value(_, kernel) => value(message, at, *kernel),
                Step::Tell(_) => Met::End(at),
                Step::Alike(items) => match shadow.as_deref_mut() {
                    Some(shadow) => self.compare(items, shadow, message, at),
                    None => self.read(items, types, message, at),
                },
                Step::Wild(..) | Step::Items(_) | Step::Parts(_) => Met::Lost,
            };
            self.next = match met {
                Met::End(end) => Some((step + 1, end)),
                Met::Waits => return,
                Met::Lost => None,
            };
        }
    }

    /// Bytes of the message that were followed.
    pub fn followed(&self) -> usize {
        let ends = self.arrays.iter().flatten().map(|begun| match begun {
            Begun::Compared(progress) => progress.compared(),
            Begun::Read(read) => read.end,
        });
        ends.chain([self.from + self.equal]).max().unwrap_or(0)
    }

    /// Whether all that came is as in the last message: then nothing of that need be touched, and both may be the same.
    fn is_equal(&mut self, shadow: &Shadow, message: &[u8]) -> bool {
        let old = shadow.text.bytes().get(self.equal..).unwrap_or_default();
        let new = message.get(self.from + self.equal..).unwrap_or_default();
        if shadow.state == State::Untouched {
            self.equal += common_prefix(old, new);
        }
        self.from + self.equal == message.len()
    }

    /// The progress in an array that lay in the last message's text there, and begins at `at`.
    pub(super) fn progress(&mut self, place: usize, span: &Range<usize>, at: usize) -> Progress {
        let begun = self.take_compared(place);
        begun.unwrap_or_else(|| self.begin(span, at))
    }

    fn begin(&self, span: &Range<usize>, at: usize) -> Progress {
        let equal = match at == self.from + span.start {
            true => self.equal.saturating_sub(span.start).min(span.len()),
            false => 0,
        };
        Progress::new(at, span.len(), equal)
    }

    pub(super) fn is_of(&self, track: &Arc<Track>) -> bool {
        Arc::ptr_eq(&self.track, track)
    }

    /// How far an array was compared, once.
    fn take_compared(&mut self, place: usize) -> Option<Progress> {
        match self
            .arrays
            .get_mut(place)?
            .take_if(|begun| matches!(begun, Begun::Compared(_)))
        {
            Some(Begun::Compared(progress)) => Some(*progress),
            _ => None,
        }
    }

    /// What was read of an array that begins at `at`, once.
    pub(super) fn take_read(&mut self, place: usize, at: usize) -> Option<ReadOn> {
        let is_it = |begun: &mut Begun| matches!(begun, Begun::Read(read) if read.from == at);
        match self.arrays.get_mut(place)?.take_if(is_it) {
            Some(Begun::Read(read)) => Some(read),
            _ => None,
        }
    }

    fn begun(&mut self, place: usize, new: impl FnOnce() -> Begun) -> Option<&mut Begun> {
        if self.arrays.len() <= place {
            self.arrays.resize_with(place + 1, || None);
        }
        Some(self.arrays.get_mut(place)?.get_or_insert_with(new))
    }

    fn compare(&mut self, items: &Items, shadow: &mut Shadow, message: &[u8], at: usize) -> Met {
        let pattern = items.pattern(&items.gap);
        let form = Form::new(&pattern, &items.dtypes, items.occurs.most).filter(Form::is_of_plain_numbers);
        let (Some(form), Some(place)) = (form, items.kept) else {
            return Met::Lost;
        };
        let Some((array, old)) = shadow.array(place) else {
            return Met::Lost;
        };
        let span = array.span.clone();
        let new = self.begin(&span, at);
        let begun = self.begun(place, || Begun::Compared(Box::new(new)));
        let Some(Begun::Compared(progress)) = begun else {
            return Met::Lost;
        };
        let end = array.advance(&form, old, Source::coming(message), progress);
        if progress.is_begun() {
            // Whether it is right shows when the message has come.
            shadow.state = shadow.state.max(State::InPlace);
        }
        end.map_or(Met::Waits, Met::End)
    }

    fn read(&mut self, items: &Items, types: &Types, message: &[u8], at: usize) -> Met {
        let is_plain = items.cells.iter().all(|(_, _, kernel)| kernel.is_plain_number());
        let new = ReadOn::before(items, at).filter(|_| is_plain);
        let (Some(place), Some(new)) = (items.kept, new) else {
            return Met::Lost;
        };
        let Some(Begun::Read(read)) = self.begun(place, || Begun::Read(new)) else {
            return Met::Lost;
        };
        // Plain numbers are read alike, strict or not.
        let came = message.get(read.end..).unwrap_or_default();
        let ground = Ground {
            types,
            strict: true,
            input: castile_xml::utf8_prefix(came),
        };
        read.go_on(items, ground, read.end);
        match message.len() < read.end + items.reach() {
            true => Met::Waits,
            false => Met::End(read.end),
        }
    }
}

fn constant(message: &[u8], at: usize, bytes: &[u8]) -> Met {
    match after_space(message, at, bytes) {
        Some(end) => Met::End(end),
        None if message.len() < at + bytes.len() + TEXT_MAX => Met::Waits,
        None => Met::Lost,
    }
}

/// Passes over a value.
fn value(message: &[u8], at: usize, kernel: Kernel) -> Met {
    let end = match kernel {
        Kernel::Attribute(_, quote) => quote,
        _ => b'<',
    };
    let rest = message.get(at..).unwrap_or_default();
    match memchr::memchr(end, rest.get(..TEXT_MAX).unwrap_or(rest)) {
        Some(length) => Met::End(at + length),
        None if rest.len() < TEXT_MAX => Met::Waits,
        None => Met::Lost,
    }
}
