//! A receiver that learns, beside the plain decoder.

use std::sync::Arc;

use castile_codec::{
    Ahead, DecodeOptions, Earlier, Edition, Envelope, Error, Intake, KeepOf, Learn, Limits, Owner, Prologue,
    Shadow, Track,
};
use castile_plan::Plan;
use castile_testkit::{Lent, Rng, Table, difference, plainly};
use castile_value::{Record, Value, ValueSink};

/// What a receiver has learned.
#[derive(Default)]
pub(crate) struct Learned {
    pub(crate) limits: Limits,
    pub(crate) prologues: Vec<Arc<Prologue>>,
    pub(crate) tracks: Vec<(Arc<Prologue>, Arc<Track>)>,
    pub(crate) shadow: Option<Shadow>,
    pub(crate) followed: usize,
    /// Lessons that became part of a track.
    pub(crate) merged: usize,
    pub(crate) values_kept: usize,
    pub(crate) values_parsed: usize,
    pub(crate) last: Option<(Edition, Record)>,
    /// Bytes that were followed before their message had come.
    pub(crate) bytes_ahead: usize,
    /// One of five messages is not kept.
    pub(crate) forgets: bool,
    /// So many bytes of each message come at a time, where that is not left to chance.
    pub(crate) portion: Option<usize>,
    pub(crate) rng: Option<Rng>,
}

impl Learned {
    pub(crate) fn decode(
        &mut self,
        table: &Table,
        plan: &Plan,
        text: &str,
        strict: bool,
    ) -> Result<Record, Error> {
        let types = &table.types;
        let lent = Lent(text.into());
        // One of three messages is kept as it lies there.
        let owner = text.len().is_multiple_of(3).then(|| Owner::new(lent.clone()));
        let text = if owner.is_some() { &*lent.0 } else { text };
        let envelope = Envelope::open_like(text, &self.limits, &self.prologues)?;
        let known = envelope.prologue().cloned();
        let same = |p: &Arc<Prologue>| known.as_ref().is_some_and(|known| Arc::ptr_eq(known, p));
        let tracks: Vec<_> = self
            .tracks
            .iter()
            .filter(|(p, _)| same(p))
            .map(|(_, t)| t.clone())
            .collect();
        let mut header = ValueSink::new(types.shape(plan.header).clone());
        let mut body = ValueSink::new(types.shape(plan.body).clone());
        // Every other message changes the last one's arrays.
        let given = self.last.take().filter(|_| self.values_kept.is_multiple_of(2));
        let edition = given.as_ref().map(|(edition, _)| *edition);
        if let Some((_, record)) = given {
            body = body.with_spare(Value::Record(record));
        }
        let options = DecodeOptions {
            strict,
            ..DecodeOptions::default()
        };
        let intake = Intake {
            types,
            plan,
            options: &options,
            header: &mut header,
            body: &mut body,
        };
        let keep = match self.forgets && text.len().is_multiple_of(5) {
            true => KeepOf::Nothing,
            false => KeepOf::Text,
        };
        let earlier = Earlier {
            tracks: &tracks,
            ahead: self.ahead(table, &tracks, known.as_ref(), text.as_bytes()),
            shadow: self.shadow.take(),
            keep,
            given: edition,
            owner,
            learn: Learn::Parts,
        };
        let reading = envelope.decode_like(intake, earlier)?;
        self.followed += usize::from(reading.followed.is_some());
        self.values_kept += reading.values_kept;
        self.values_parsed += reading.values_parsed;
        self.shadow = reading.shadow;
        if let Some(lesson) = reading.lesson {
            if !self.prologues.iter().any(|p| Arc::ptr_eq(p, &lesson.prologue)) {
                self.prologues.push(lesson.prologue.clone());
            }
            let merged = self.tracks.iter_mut().find_map(|(prologue, track)| {
                if let Some(old) = &lesson.instead_of {
                    let grows = Arc::ptr_eq(old, track);
                    return grows.then(|| *track = lesson.track.clone());
                }
                let both = track
                    .merged(&lesson.track)
                    .filter(|_| *prologue == lesson.prologue)?;
                *track = Arc::new(both);
                Some(())
            });
            match merged {
                Some(()) => self.merged += 1,
                None => self.tracks.push((lesson.prologue, lesson.track)),
            }
        }
        let body = body.finish();
        self.last = reading.edition.map(|edition| (edition, body.clone()));
        Ok(body)
    }

    /// How far a message is followed before it has come: of four messages three that begin like the last one, or like one before,
    /// some bytes at a time.
    fn ahead(
        &mut self,
        table: &Table,
        tracks: &[Arc<Track>],
        known: Option<&Arc<Prologue>>,
        message: &[u8],
    ) -> Option<Ahead> {
        let rng = self.rng.get_or_insert_with(|| Rng::new(7));
        if self.portion.is_none() && rng.below(4) == 0 {
            return None;
        }
        let most = self.portion.unwrap_or([64, 2048, 1 << 16][rng.below(3)]);
        let read = || tracks.iter().find_map(|track| Ahead::new(known?, track, message));
        let like = self
            .shadow
            .as_ref()
            .and_then(|shadow| Ahead::like(shadow, message));
        let mut ahead = like.or_else(read)?;
        let mut came = known?.memory().min(message.len());
        while came < message.len() {
            came = message.len().min(came + 1 + rng.below(most));
            ahead.came(&table.types, self.shadow.as_mut(), &message[..came]);
        }
        self.bytes_ahead += ahead.followed();
        Some(ahead)
    }

    /// Decodes both ways; whether a track was followed.
    pub(crate) fn check(
        &mut self,
        table: &Table,
        plan: &Plan,
        text: &str,
        strict: bool,
        context: &str,
    ) -> bool {
        let before = self.followed;
        let learned = self.decode(table, plan, text, strict);
        let plain = plainly::read(&table.types, plan, text, strict).map(|(_, body)| body);
        match (learned, plain) {
            (Ok(a), Ok(b)) => {
                let differs = difference(&Value::Record(a), &Value::Record(b));
                assert_eq!(differs, None, "{context}\n{text}");
            }
            (Err(a), Err(b)) => {
                let said = |e: &Error| (e.kind(), e.path().to_owned(), e.to_string());
                assert_eq!(said(&a), said(&b), "{context}\n{text}");
            }
            (learned, plain) => panic!("{context}: learned {learned:?}\nplain {plain:?}\n{text}"),
        }
        self.followed > before
    }
}
