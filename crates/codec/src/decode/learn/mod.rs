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

mod ahead;
mod array;
mod build;
mod changes;
mod entrance;
mod follow;
mod form;
mod grow;
mod items;
mod joints;
mod markup;
mod notes;
mod parts;
mod plain;
mod prologue;
mod read_on;
mod sample;
mod shadow;
mod splice;
mod tell;
mod text;
mod through;
mod track;
mod variables;
mod wild;

use std::sync::Arc;

use castile_plan::Plan;
use castile_value::Sink;
use castile_xml::Limits;

use super::envelope::Place;
use super::repeat::Ground;
use super::{Envelope, Intake};
use crate::error::Error;
pub use ahead::Ahead;
use follow::{Course, Found, Tally};
use grow::Growing;
pub(super) use joints::{Comes, number_of};
use notes::Recorder;
pub(super) use notes::{Kind, Layout, Mark, Notes, Number, Run};
pub use prologue::Prologue;
pub use sample::Sample;
pub use shadow::{Edition, Shadow};
pub use text::Owner;
pub use track::Track;
pub use variables::Variable;

/// What decoding one message taught.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// How the message begins. What was known already is the same, not its equal.
    pub prologue: Arc<Prologue>,
    /// How it goes on.
    pub track: Arc<Track>,
    /// The track that this one is to be kept instead of: the message was like it but for some items.
    pub instead_of: Option<Arc<Track>>,
}

/// What is known when a message is decoded.
#[derive(Debug)]
pub struct Earlier<T> {
    /// The tracks that were learned with the same plan and options, and with [`Envelope::prologue`].
    pub tracks: T,
    /// What is kept of the last message from the same sender that had this plan and these options.
    pub shadow: Option<Shadow>,
    /// How far this very message was followed before it had come, with the same shadow.
    pub ahead: Option<Ahead>,
    /// What to keep of this message.
    pub keep: KeepOf,
    /// What its bytes lie in, if that may be kept instead of a copy. It is not where the message has header blocks.
    pub owner: Option<Owner>,
    /// Which message the sink's [given](Sink::given_column) arrays are of, if they are still as they were told.
    pub given: Option<Edition>,
    /// Whether and how to learn from it, when it is like no track.
    pub learn: Learn,
}

/// How a message that is like no track is learned from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learn {
    /// Not at all.
    Nothing,
    /// It is decoded plainly from its start, and notes are taken.
    Whole,
    /// Parts that no message had before are read by themselves, where most of it is known; else as [`Learn::Whole`].
    Parts,
}

/// What is kept of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeepOf {
    /// Nothing.
    Nothing,
    /// What saves reading numbers again, when it has arrays of them.
    Arrays,
    /// Also the text of any other, to find out whether the next is the same.
    Text,
}

/// How a message was read.
#[derive(Debug, Default)]
pub struct Reading {
    /// Which of the tracks it was like; `None`: it was decoded plainly.
    pub followed: Option<usize>,
    /// What it taught.
    pub lesson: Option<Lesson>,
    /// What is to be kept of the last message now.
    pub shadow: Option<Shadow>,
    /// Which message it is now, if its arrays are kept.
    pub edition: Option<Edition>,
    /// Numbers of its arrays that were equal to the last ones, and not read.
    pub values_kept: usize,
    /// Numbers of the same arrays that were read.
    pub values_parsed: usize,
    /// Numbers of the items of which one or more were read: where every record of an array has one number that
    /// changed, comparing the others with it saves nothing.
    pub values_of_parsed: usize,
    /// Of a message that was like a track but for some parts, the bytes of those: they were decoded plainly.
    pub bytes_new: usize,
    /// Of a message that was like a track, the bytes of items that were read by the example of the first: what the
    /// plain decoder does as well, so that being like a track saves nothing there.
    pub bytes_by_example: usize,
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
        let mut with_blocks = Vec::new();
        for prologue in known {
            match prologue.around_blocks() {
                Some((head, _)) if input.as_bytes().starts_with(head) => with_blocks.push(prologue),
                Some(_) => {}
                None if !input.starts_with(&*prologue.bytes) => {}
                None if input.len() as u64 > limits.bytes_max => {}
                None => return Ok(Envelope::known(input, limits, prologue.clone())),
            }
        }
        let mut envelope = Envelope::open(input, limits)?;
        let like = with_blocks
            .into_iter()
            .find(|prologue| envelope.begins_like(prologue));
        envelope.like = like.cloned();
        Ok(envelope)
    }

    /// Whether the message, its header blocks apart, begins so.
    fn begins_like(&self, prologue: &Prologue) -> bool {
        let (Place::Read(body), Some(around)) = (&self.place, prologue.around_blocks()) else {
            return false;
        };
        let input = self.input.as_bytes();
        let rest = input.get(body.blocks.end..body.reader.position());
        self.breach.is_none() && (input.get(..body.blocks.start), rest) == (Some(around.0), Some(around.1))
    }

    /// The message from the end of its first body element's start tag on.
    pub fn rest(&self) -> &'a str {
        let at = match &self.place {
            Place::Known(prologue) => prologue.bytes.len(),
            Place::Read(body) => body.reader.position(),
        };
        self.input.get(at..).unwrap_or_default()
    }

    /// Which of the messages it was compared with it begins like.
    pub fn prologue(&self) -> Option<&Arc<Prologue>> {
        match &self.place {
            Place::Known(prologue) => Some(prologue),
            Place::Read(_) => self.like.as_ref(),
        }
    }

    /// Whether it is the very message that is kept.
    pub fn is_same(&self, shadow: &Shadow) -> bool {
        let rest = self.known_rest();
        rest.is_some_and(|(prologue, at)| {
            shadow.is_same(prologue, self.input.as_bytes().get(at..).unwrap_or_default())
        })
    }

    /// Tells the header blocks that the plan knows, of a message whose body is known.
    ///
    /// # Errors
    /// As [`Envelope::decode`].
    pub fn decode_only_header(mut self, mut intake: Intake<'_>) -> Result<(), Error> {
        self.decode_header(&mut intake)
    }

    /// What it begins like, and where that ends.
    fn known_rest(&self) -> Option<(&Arc<Prologue>, usize)> {
        let prologue = self.prologue()?;
        let end = match &self.place {
            Place::Known(_) => prologue.bytes.len(),
            Place::Read(body) => body.reader.position(),
        };
        Some((prologue, end))
    }

    /// As [`Envelope::decode`], for a message that may be like earlier ones. The values are the same
    /// whether or not it is like one of them.
    ///
    /// # Errors
    /// As [`Envelope::decode`].
    pub fn decode_like<'k, T>(mut self, mut intake: Intake<'_>, earlier: Earlier<T>) -> Result<Reading, Error>
    where
        T: IntoIterator<Item = &'k Arc<Track>> + Clone,
    {
        let Earlier {
            tracks,
            mut shadow,
            ahead,
            keep,
            owner,
            given,
            learn,
        } = earlier;
        // Nothing of a header is kept.
        let owner = owner.filter(|_| self.headers().is_empty());
        if let Some(like) = self.find(&intake, tracks, (&mut shadow, ahead), keep, learn) {
            self.decode_header(&mut intake)?;
            let lesson = self.known_rest().and_then(|(prologue, _)| like.lesson(prologue));
            let told = like.tell(self.input, owner.as_ref(), given, intake.body);
            return Ok(Reading { lesson, ..told });
        }
        let (input, known) = (self.input, self.known_rest());
        let known = known.map(|(prologue, at)| (prologue.clone(), at));
        let learns = learn != Learn::Nothing;
        let learned = learns.then(|| self.learn_prologue(intake.plan)).flatten();
        let lesson = match &learned {
            Some((prologue, at)) => self.decode_learning(intake, prologue, *at)?,
            None => {
                self.decode_all(intake)?;
                None
            }
        };
        if let Some((prologue, at)) = learned.or(known).filter(|_| keep == KeepOf::Text) {
            shadow = Some(Shadow::whole(
                &prologue,
                input.as_bytes().get(at..).unwrap_or_default(),
                owner.as_ref(),
            ));
        }
        Ok(Reading {
            lesson,
            shadow,
            ..Reading::default()
        })
    }

    /// Decodes it plainly and takes notes.
    fn decode_learning(
        self,
        intake: Intake<'_>,
        prologue: &Arc<Prologue>,
        from: usize,
    ) -> Result<Option<Lesson>, Error> {
        let (input, notes) = (self.input, Notes::default());
        let mut recorder = Recorder {
            sink: intake.body,
            notes: notes.clone(),
        };
        let noted = Intake {
            types: intake.types,
            plan: intake.plan,
            options: intake.options,
            header: intake.header,
            body: &mut recorder,
        };
        self.decode_noting(noted, Some(notes.clone()))?;
        let track = Track::new(&notes.borrow(), input, from);
        Ok(track.map(|track| Lesson {
            prologue: prologue.clone(),
            track: Arc::new(track),
            instead_of: None,
        }))
    }

    /// The track that the message is like.
    fn find<'k, T>(
        &self,
        intake: &Intake<'_>,
        tracks: T,
        (shadow, mut ahead): (&mut Option<Shadow>, Option<Ahead>),
        keep: KeepOf,
        learn: Learn,
    ) -> Option<Like<'a, 'k>>
    where
        T: IntoIterator<Item = &'k Arc<Track>> + Clone,
    {
        let (prologue, at) = self.known_rest().filter(|_| self.is_apart(intake.plan))?;
        let ground = Ground {
            types: intake.types,
            strict: intake.options.strict,
            input: self.input,
        };
        let mut fuel = FUEL_AT_LEAST + FUEL_A_BYTE * self.input.len();
        // What was cut out of the header counts as well; where it is close the plain decoder finds out.
        let in_header: usize = self.headers().iter().map(|block| block.xml.len()).sum();
        let xml_max = self.limits.capture_bytes_max.saturating_sub(in_header as u64);
        let xml_max = usize::try_from(xml_max).unwrap_or(usize::MAX);
        let course = Course { ground, at, xml_max };
        for (which, track) in tracks.clone().into_iter().enumerate() {
            let mut kept = match keep {
                KeepOf::Arrays if !track.has_arrays => None,
                KeepOf::Nothing => None,
                _ => shadow
                    .take_if(|shadow| shadow.is_of(track))
                    .or_else(|| Some(Shadow::new(prologue, Some(track)))),
            };
            let ahead = ahead.as_mut().filter(|ahead| ahead.is_of(track));
            let found = track.follow(course, &mut fuel, kept.as_mut(), ahead);
            if let Some(found) = found {
                return Some(Like {
                    which,
                    track,
                    found,
                    shadow: kept,
                    from: at,
                });
            }
            // What was kept is right as long as nothing was taken over from this message.
            if shadow.is_none() {
                *shadow = kept.and_then(Shadow::untouched);
            }
        }
        *shadow = shadow.take().and_then(Shadow::untouched);
        if learn == Learn::Parts {
            return self.find_growing(tracks, course, &mut fuel, (intake, keep));
        }
        None
    }

    /// The track that the message is like, but for what that learns of it.
    fn find_growing<'k>(
        &self,
        tracks: impl IntoIterator<Item = &'k Arc<Track>>,
        course: Course<'_, 'a>,
        fuel: &mut usize,
        (intake, keep): (&Intake<'_>, KeepOf),
    ) -> Option<Like<'a, 'k>> {
        let (prologue, from) = self.known_rest()?;
        tracks.into_iter().enumerate().find_map(|(which, track)| {
            let growing = Growing::new(*intake.options, track.is_private(), self.input.len() - from);
            Some(Like {
                which,
                track,
                found: track.grow(course, fuel, growing)?,
                shadow: (keep == KeepOf::Text).then(|| Shadow::new(prologue, None)),
                from,
            })
        })
    }

    /// Whether the body means the same whatever the header blocks say: by the rules of SOAP encoding it may refer
    /// to them.
    fn is_apart(&self, plan: &Plan) -> bool {
        self.headers().is_empty() || !plan.encoded
    }

    /// How this message begins and where that ends, when it can be learned: it breaks no rule.
    fn learn_prologue(&self, plan: &Plan) -> Option<(Arc<Prologue>, usize)> {
        let known = self.known_rest().map(|(prologue, at)| (prologue.clone(), at));
        let body = match &self.place {
            Place::Read(body) if known.is_none() => body,
            _ => return known,
        };
        if self.breach.is_some() || !self.is_apart(plan) {
            return None;
        }
        let end = body.reader.position();
        let (bytes, head) = match self.headers().is_empty() {
            true => (self.input.get(..end)?.to_owned(), None),
            false => {
                let head = self.input.get(..body.blocks.start)?;
                let bytes = [head, self.input.get(body.blocks.end..end)?].concat();
                (bytes, Some(head.len()))
            }
        };
        let prologue = Prologue {
            bytes: bytes.into(),
            head,
            version: self.version(),
            first: self.first()?,
        };
        Some((Arc::new(prologue), end))
    }
}

/// A message that is like a track.
struct Like<'a, 'k> {
    which: usize,
    track: &'k Arc<Track>,
    found: Found<'a>,
    shadow: Option<Shadow>,
    /// Where the shadow's text begins.
    from: usize,
}

impl Like<'_, '_> {
    /// What it taught on the way.
    fn lesson(&self, prologue: &Arc<Prologue>) -> Option<Lesson> {
        let new = Some(&self.found.new).filter(|new| !new.is_empty())?;
        Some(Lesson {
            prologue: prologue.clone(),
            track: Arc::new(self.track.grown(new)?),
            instead_of: Some(self.track.clone()),
        })
    }

    fn tell(
        self,
        input: &str,
        owner: Option<&Owner>,
        given: Option<Edition>,
        body: &mut dyn Sink,
    ) -> Reading {
        let Like {
            which,
            track,
            found,
            mut shadow,
            from,
        } = self;
        let Tally {
            values,
            parsed,
            of_parsed,
            bytes_by_example,
            bytes_new,
        } = found.tally;
        let is_given = given.is_some() && given == shadow.as_ref().map(|shadow| shadow.edition);
        track.tell(found, shadow.as_ref(), is_given, body);
        let rest = input.as_bytes().get(from..).unwrap_or_default();
        shadow = shadow.and_then(|mut shadow| shadow.settle(rest, owner).then_some(shadow));
        Reading {
            followed: Some(which),
            lesson: None,
            edition: shadow.as_ref().map(|shadow| shadow.edition),
            shadow,
            values_kept: values.saturating_sub(parsed),
            values_parsed: parsed,
            values_of_parsed: of_parsed,
            bytes_by_example,
            bytes_new,
        }
    }
}
