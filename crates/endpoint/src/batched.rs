//! Messages that are read while they come, in either role: [`Intake`] until the envelope is open, then
//! [`Batched`], one array of the message batch by batch.

use std::sync::Arc;
use std::time::{Duration, Instant};

use castile_codec::{BodyStream, Limits, Step};
use castile_http::Bytes;
use castile_plan::{ComplexId, Plan, Types};
use castile_value::{Record, Shape, Sink as _, Value, ValueSink};
use castile_xml::{Feed, Window};

use crate::error::{Error, Guilty, Kind};
use crate::portions::Host;

/// Which array of a message is streamed, and how.
#[derive(Clone, Debug)]
pub struct StreamOptions {
    /// The array: `values`, or `a.b` for field `b` of field `a`. `None`: the only one there is.
    pub array: Option<String>,
    /// A batch has at least so many items, but the last; what came together stays together. 1 hands over
    /// each item as soon as it is there. Default 10,000.
    pub batch_items_min: u64,
    /// Limit on the message, in bytes after decompression. Default none: what is held at once is limited
    /// by [`Limits::window_bytes_max`].
    pub bytes_max: Option<u64>,
}

impl Default for StreamOptions {
    fn default() -> Self {
        StreamOptions {
            array: None,
            batch_items_min: 10_000,
            bytes_max: None,
        }
    }
}

/// What brings the bytes of a message.
pub(crate) trait Chunks: Send {
    /// The next bytes, waiting for them; `None` at the end.
    fn chunk(&mut self, interrupted: &dyn Fn() -> bool) -> Result<Option<Bytes>, Error>;
}

/// A message of which the head has not come yet.
pub(crate) struct Intake<C> {
    pub(crate) chunks: C,
    limits: Limits,
    feed: Feed,
    /// The bytes that came, as they came.
    pub(crate) came: Vec<Bytes>,
    bytes: u64,
}

/// A head of up to so many bytes is looked at with every chunk.
const HEAD_BYTES: usize = 16 << 10;

impl<C: Chunks> Intake<C> {
    /// A message without an end that would have to be foreseen: what is held at once is limited.
    pub(crate) fn new(chunks: C, limits: &Limits, charset: Option<&str>) -> Self {
        let limits = Limits {
            bytes_max: u64::MAX,
            ..*limits
        };
        Intake {
            chunks,
            limits,
            feed: Feed::with_charset(limits, charset),
            came: Vec::new(),
            bytes: 0,
        }
    }

    /// Bytes that came so far, decompressed.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Reads until `look` finds what it looks for in what has come. It opens the envelope under the limits
    /// that it is given.
    pub(crate) fn open<T>(
        &mut self,
        host: &dyn Host,
        mut look: impl FnMut(&mut Window<'_>, &Limits) -> Result<Option<T>, Error>,
    ) -> Result<T, Error> {
        let mut tried = 0;
        loop {
            let chunk = fetch(&mut self.chunks, &mut self.feed, host)?;
            self.bytes += chunk.as_ref().map_or(0, |chunk| chunk.len() as u64);
            self.came.extend(chunk);
            // The head is looked at from its start each time, so not for every few bytes more.
            let few = tried > HEAD_BYTES && self.feed.waiting() < tried + tried / 4;
            if few && !self.feed.is_finished() {
                continue;
            }
            tried = self.feed.waiting();
            if self.feed.is_finished() && tried == 0 {
                return Err(Error::new(Kind::Peer, Guilty::Peer, "it is empty"));
            }
            if let Some(found) = self.feed.read(|window| look(window, &self.limits))? {
                return Ok(found);
            }
        }
    }

    /// Goes on with the body of the message.
    pub(crate) fn body(
        self,
        types: &Arc<Types>,
        plan: &Plan,
        body: BodyStream,
        options: &StreamOptions,
    ) -> Batched<C> {
        Batched {
            rest: ValueSink::new(types.shape(plan.body).clone()),
            types: types.clone(),
            whole: plan.body,
            values: plan.values(types),
            chunks: self.chunks,
            feed: self.feed,
            body,
            batch_items_min: options.batch_items_min.max(1),
            bytes_max: options.bytes_max.unwrap_or(u64::MAX),
            held: None,
            led: false,
            decode: Duration::ZERO,
            bytes: self.bytes,
            ended: false,
        }
    }
}

/// One array of a message, batch by batch, while the message comes.
pub(crate) struct Batched<C> {
    types: Arc<Types>,
    /// The type of the body, for the values that are not streamed.
    whole: ComplexId,
    /// As [`Plan::values`].
    values: (ComplexId, bool),
    chunks: C,
    feed: Feed,
    body: BodyStream,
    batch_items_min: u64,
    bytes_max: u64,
    /// What of the next batch was read already.
    held: Option<ValueSink>,
    rest: ValueSink,
    /// The values before the array were taken, and none may follow it.
    led: bool,
    decode: Duration,
    bytes: u64,
    /// Nothing more comes: the end was reached, or an error told.
    ended: bool,
}

impl<C: Chunks> Batched<C> {
    /// Items that were read so far.
    pub(crate) fn items(&self) -> u64 {
        self.body.items()
    }

    /// The complex type that has the array, and the number of its field there.
    pub(crate) fn array(&self) -> (ComplexId, u32) {
        self.body.array()
    }

    /// Bytes that came so far, decompressed.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What turning bytes into values took so far.
    pub(crate) fn decode_time(&self) -> Duration {
        self.decode
    }

    /// The values that stand before the array; reads until its first item or the end has come.
    pub(crate) fn leading(&mut self, host: &dyn Host) -> Result<Record, Error> {
        let mut items = self.sink();
        self.fill(&mut items, 1, host)?;
        self.held = Some(items);
        let mut fresh = self.rest_sink();
        self.body.reopen(&self.types, &mut fresh);
        let leading = std::mem::replace(&mut self.rest, fresh);
        self.led = true;
        let leading = self.values(leading);
        let declared = self.types.shape(self.values.0);
        Ok(match Arc::ptr_eq(leading.shape(), declared) {
            true => leading,
            false => as_declared(leading, declared),
        })
    }

    /// The next batch; `None` when the message is read to its end. Nothing comes after an error.
    pub(crate) fn batch(&mut self, host: &dyn Host) -> Result<Option<Value>, Error> {
        let held = self.held.take();
        let before = held.is_some();
        let mut items = held.unwrap_or_else(|| self.sink());
        let read = self.fill(&mut items, self.batch_items_min, host)?;
        let (_, field) = self.body.array();
        let mut values = items.finish().into_values();
        let batch = match field as usize {
            at if at < values.len() => values.swap_remove(at),
            _ => Value::Absent,
        };
        Ok(Some(batch).filter(|batch| read || (before && *batch != Value::Absent)))
    }

    /// All values but those of the array; those that come after it only when it was read to its end. Their
    /// type is the one that came.
    pub(crate) fn rest(mut self) -> Record {
        let fresh = self.rest_sink();
        let rest = std::mem::replace(&mut self.rest, fresh);
        self.values(rest)
    }

    /// The name of the array: `a.b` for field `b` of field `a`.
    pub(crate) fn name(&self) -> &str {
        self.body.name()
    }

    fn sink(&self) -> ValueSink {
        let (holder, _) = self.body.array();
        ValueSink::new(self.types.shape(holder).clone())
    }

    fn rest_sink(&self) -> ValueSink {
        ValueSink::new(self.types.shape(self.whole).clone())
    }

    /// The message's values of those that were read beside the array.
    fn values(&self, mut rest: ValueSink) -> Record {
        // The records around the array may still be open.
        (0..self.body.depth()).for_each(|_| rest.close());
        let body = rest.finish();
        let (values, wrapped) = self.values;
        if !wrapped {
            return body;
        }
        match body.into_values().into_iter().next() {
            Some(Value::Record(values)) => values,
            _ => Record::new(self.types.shape(values).clone()),
        }
    }

    /// Reads so many items, or to the end; whether there were any.
    fn fill(&mut self, items: &mut ValueSink, count: u64, host: &dyn Host) -> Result<bool, Error> {
        let read = self.fill_on(items, count, host);
        self.ended |= read.is_err();
        read
    }

    fn fill_on(&mut self, items: &mut ValueSink, count: u64, host: &dyn Host) -> Result<bool, Error> {
        let before = self.body.items();
        while !self.ended {
            if self.bytes > self.bytes_max {
                let text = format!(
                    "the message is longer than its limit, bytes_max = {}",
                    self.bytes_max
                );
                return Err(Error::new(Kind::Limit, Guilty::Peer, text));
            }
            let began = Instant::now();
            let (types, body, rest) = (&self.types, &mut self.body, &mut self.rest);
            let step = self.feed.read(|window| body.step(types, window, rest, items));
            self.decode += began.elapsed();
            if step? == Step::Done {
                self.ended = true;
                self.refuse_late()?;
            } else if self.body.items() - before >= count {
                break;
            } else {
                let chunk = fetch(&mut self.chunks, &mut self.feed, host)?;
                self.bytes += chunk.map_or(0, |chunk| chunk.len() as u64);
            }
        }
        Ok(self.body.items() > before)
    }

    /// Where only the values before the array were looked at, others must not follow it.
    fn refuse_late(&mut self) -> Result<(), Error> {
        if !self.led {
            return Ok(());
        }
        let fresh = self.rest_sink();
        let late = std::mem::replace(&mut self.rest, fresh);
        if is_void(&late.finish()) {
            return Ok(());
        }
        let text = "a value stands behind the array, which is read while it comes: it must be the last";
        Err(Error::new(Kind::Peer, Guilty::Peer, text))
    }
}

/// Whether nothing of a record was in the message but the records around the array.
fn is_void(record: &Record) -> bool {
    record.values().iter().all(|value| match value {
        Value::Absent => true,
        Value::Record(inner) => is_void(inner),
        _ => false,
    })
}

/// The fields of a derived type that the declared one has too.
fn as_declared(record: Record, declared: &Arc<Shape>) -> Record {
    let mut made = Record::new(declared.clone());
    let shape = record.shape().clone();
    for (name, value) in shape.fields().zip(record.into_values()) {
        // What only the derived type has has no place here.
        let _ = made.set(name, value);
    }
    made
}

/// Moves the next bytes of a message to the feed.
fn fetch(chunks: &mut impl Chunks, feed: &mut Feed, host: &dyn Host) -> Result<Option<Bytes>, Error> {
    let chunk = next_chunk(chunks, host)?;
    match &chunk {
        Some(chunk) => feed.push(chunk),
        None => feed.finish(),
    }
    Ok(chunk)
}

/// The next bytes of a message; the host's locks are let go while they are waited for.
pub(crate) fn next_chunk(chunks: &mut impl Chunks, host: &dyn Host) -> Result<Option<Bytes>, Error> {
    let mut chunk = Ok(None);
    host.unlocked(&mut || chunk = chunks.chunk(&|| host.interrupted()));
    chunk
}
