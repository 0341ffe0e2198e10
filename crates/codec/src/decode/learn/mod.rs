//! Learning from a message, so that the next one like it is compared and not parsed (paper 001).
//!
//! ```text
//!            ┌ Prologue: the bytes through the first body element's start tag
//!  a message ┤
//!            └ Track: constant bytes ── value ── constant bytes ── items ... ── the last bytes
//! ```
//!
//! The plain decoder takes notes of what it tells its sink and of where each value lay ([`lesson`]).
//! Whatever stands between the values is constant: bytes that are equal, in the same place, mean the
//! same. A value that cannot be read by itself (a prefix in it, a default, markup) is constant as well.
//!
//! Following a track has two halves. First the whole message is compared and its values are read;
//! only when all of it fits, the sink is told. So a message that is not like the track costs the time
//! of finding that out, and is then decoded plainly, errors included.

mod follow;
mod notes;
mod prologue;
mod track;

use std::sync::Arc;

use castile_plan::{Plan, Types};
use castile_value::Sink;
use castile_xml::Limits;

use super::envelope::Place;
use super::repeat::Ground;
use super::{DecodeOptions, Envelope};
use crate::error::Error;
use notes::Recorder;
pub(super) use notes::{Kind, Layout, Mark, Notes, Number, Run};
pub use prologue::Prologue;
pub use track::Track;

/// What decoding one message taught.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// How the message begins. What was known already is the same, not its equal.
    pub prologue: Arc<Prologue>,
    /// How it goes on.
    pub track: Arc<Track>,
}

/// How a message was read.
#[derive(Debug)]
pub enum Reading {
    /// By comparing it with this one of the tracks.
    Followed(usize),
    /// By the plain decoder; with what was learned, when that was asked for and there was something.
    Plain(Option<Lesson>),
}

/// How many bytes are compared to find out which track a message is like, all tracks together, for each of
/// its bytes and at least.
const FUEL_A_BYTE: usize = 4;
const FUEL_AT_LEAST: usize = 4096;

impl<'a> Envelope<'a> {
    /// As [`Envelope::open`], for a message that may begin like earlier ones: it is compared with them
    /// first.
    ///
    /// # Errors
    /// As [`Envelope::open`].
    pub fn open_like<'k>(
        input: &'a str,
        limits: &Limits,
        known: impl IntoIterator<Item = &'k Arc<Prologue>>,
    ) -> Result<Self, Error> {
        let like = known
            .into_iter()
            .find(|prologue| input.starts_with(&*prologue.bytes));
        match like.filter(|_| input.len() as u64 <= limits.bytes_max) {
            Some(prologue) => Ok(Envelope::known(input, limits, prologue.clone())),
            None => Envelope::open(input, limits),
        }
    }

    /// Which of the messages it was compared with it begins like.
    pub fn prologue(&self) -> Option<&Arc<Prologue>> {
        match &self.place {
            Place::Known(prologue) => Some(prologue),
            Place::Read(_) => None,
        }
    }

    /// As [`Envelope::decode`], for a message that may be like earlier ones: `tracks` are those that were
    /// learned with the same plan and options, and with [`Envelope::prologue`]. The values are the same
    /// whether or not it is like one of them.
    ///
    /// # Errors
    /// As [`Envelope::decode`].
    #[allow(clippy::too_many_arguments)] // decode's, what is known, and whether to learn
    pub fn decode_like<'k>(
        self,
        types: &Types,
        plan: &Plan,
        options: &DecodeOptions,
        header: &mut dyn Sink,
        body: &mut dyn Sink,
        tracks: impl IntoIterator<Item = &'k Arc<Track>>,
        learn: bool,
    ) -> Result<Reading, Error> {
        let ground = Ground {
            types,
            strict: options.strict,
            input: self.input,
        };
        if let Place::Known(prologue) = &self.place {
            let at = prologue.bytes.len();
            let followed = tracks.into_iter().enumerate();
            let mut fuel = FUEL_AT_LEAST + FUEL_A_BYTE * self.input.len();
            let mut followed =
                followed.filter_map(|(i, track)| Some((i, track, track.follow(ground, at, &mut fuel)?)));
            if let Some((i, track, found)) = followed.next() {
                track.tell(found, body);
                return Ok(Reading::Followed(i));
            }
        }
        let Some(prologue) = learn.then(|| self.learn_prologue()).flatten() else {
            self.decode(types, plan, options, header, body)?;
            return Ok(Reading::Plain(None));
        };
        let notes = Notes::default();
        let mut recorder = Recorder {
            sink: body,
            notes: notes.clone(),
        };
        let from = prologue.bytes.len();
        self.decode_noting(types, plan, options, header, &mut recorder, Some(notes.clone()))?;
        let track = Track::new(&notes.borrow(), ground.input, from);
        Ok(Reading::Plain(track.map(|track| Lesson {
            prologue,
            track: Arc::new(track),
        })))
    }

    /// How this message begins, when that can be learned: it has no header blocks, and breaks no rule.
    fn learn_prologue(&self) -> Option<Arc<Prologue>> {
        let body = match &self.place {
            Place::Known(prologue) => return Some(prologue.clone()),
            Place::Read(body) => body,
        };
        let plain = self.headers().is_empty() && self.breach.is_none();
        let bytes = self.input.get(..body.reader.position()).filter(|_| plain)?;
        Some(Arc::new(Prologue {
            bytes: bytes.into(),
            version: self.version(),
            first: self.first()?,
        }))
    }
}
