//! Replies that are read while they come: [`ReplyStream`].

use std::sync::Arc;
use std::time::{Duration, Instant};

use castile_codec::{BodyStream, DecodeOptions, Envelope, Fault, HeaderBlock, Limits, Spine, Step};
use castile_contract::{Contract, Operation};
use castile_http::Bytes;
use castile_plan::{ComplexId, Plan};
use castile_value::{Record, Sink, Source, Value, ValueSink};
use castile_xml::Feed;

use super::Client;
use super::call::{CallOptions, Exchange, Outcome, Outgoing, during, peer};
use super::carrier::Arriving;
use super::related::{Incoming, content_type};
use crate::adapt::Headers;
use crate::error::{Error, Guilty, Kind};
use crate::media::Media;
use crate::portions::{Here, Host};

/// What of a reply is streamed, and how.
#[derive(Clone, Debug)]
pub struct StreamOptions {
    /// The array: `values`, or `a.b` for field `b` of field `a`. `None`: the only one there is.
    pub array: Option<String>,
    /// A batch has at least so many items, but the last; what came together stays together. 1 hands over
    /// each item as soon as it is there. Default 10,000.
    pub batch_items_min: u64,
}

impl Default for StreamOptions {
    fn default() -> Self {
        StreamOptions {
            array: None,
            batch_items_min: 10_000,
        }
    }
}

/// A reply of which one array is given batch by batch, in constant memory, while it comes.
///
/// What is held at once is limited by [`Limits::window_bytes_max`]; the reply itself may be of any length.
/// Dropping it before its end closes the connection.
pub struct ReplyStream {
    contract: Arc<Contract>,
    operation: String,
    status: u16,
    receiving: Arriving,
    feed: Feed,
    body: BodyStream,
    array: (ComplexId, u32),
    batch_items_min: u64,
    rest: ValueSink,
    header: Record,
    blocks: Vec<HeaderBlock>,
    decode: Duration,
    bytes: u64,
    /// Nothing more comes: the end was reached, or an error told.
    ended: bool,
}

/// What a stream comes to when all of its array is read.
#[derive(Debug)]
pub struct Rest {
    /// All values but those of the array, as a record.
    pub values: Value,
    /// The header blocks that the contract knows, as a record.
    pub header: Value,
}

/// A reply whose head has come, or all of it.
enum Came {
    Open(Box<ReplyStream>),
    Fault(Box<Fault>),
}

impl Client {
    /// Calls an operation whose reply has a long array, which is given batch by batch while it comes.
    ///
    /// ```no_run
    /// use castile_endpoint::{CallOptions, Client, ClientOptions, StreamOptions};
    /// use castile_value::Value;
    ///
    /// let client = Client::new("measure.wsdl", ClientOptions::default())?;
    /// let options = (CallOptions::default(), StreamOptions::default());
    /// let stream = client.call_stream("fetch", &(), &options.0, &options.1)?;
    /// let mut sum = 0.0;
    /// for batch in stream.expect("no fault") {
    ///     sum += batch?.as_f64s().unwrap_or_default().iter().sum::<f64>();
    /// }
    /// # Ok::<(), castile_endpoint::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Client::call`]; the reply has no such array, or several and none is named. A fault is
    /// `Ok(Err(_))`.
    pub fn call_stream(
        &self,
        operation: &str,
        args: &dyn Source,
        options: &CallOptions,
        stream: &StreamOptions,
    ) -> Result<Result<ReplyStream, Fault>, Error> {
        let header = Headers::of(options)?;
        let outgoing = match self.prepare_small(operation, &header, args)? {
            Some(outgoing) => outgoing,
            None => Outgoing::ready(operation, crate::Payload::default()),
        };
        self.open_stream(options.apply(outgoing), &header, args, stream, &Here)
    }

    /// [`Client::call_stream`] in the steps of a front. An `outgoing` without an envelope is written
    /// while it is sent.
    ///
    /// # Errors
    /// As [`Client::call_stream`].
    pub fn open_stream(
        &self,
        mut outgoing: Outgoing,
        header: &dyn Source,
        args: &dyn Source,
        stream: &StreamOptions,
        host: &dyn Host,
    ) -> Result<Result<ReplyStream, Fault>, Error> {
        let operation = self.operation(&outgoing.operation)?;
        let Some(plan) = &operation.output else {
            return Err(Error::new(
                Kind::Value,
                Guilty::Caller,
                "a one-way operation has no reply to stream",
            ));
        };
        let spine = Spine::find(self.types(), plan, stream.array.as_deref())?;
        let receiving = if outgoing.body.is_empty() {
            let options = self.encode_options();
            let send = |request, stop: &dyn Fn() -> bool| self.transport.open(request, stop);
            let (sent, memories) = self.with_draft(operation, header, args, &options, |draft| {
                self.send_streamed(&outgoing, operation, draft, host, send)
            })?;
            outgoing.memories = memories;
            sent?.0
        } else {
            let request = self.request(operation, &outgoing, outgoing.body.clone())?;
            let mut request = Some(request);
            let mut opened = None;
            host.unlocked(&mut || {
                let open = |request| self.transport.open(request, &|| host.interrupted());
                opened = request.take().map(open);
            });
            match opened {
                Some(opened) => opened.map_err(|e| during(e, &outgoing))?,
                None => return Err(peer("nothing was sent")),
            }
        };
        let status = receiving.status().as_u16();
        let opening = Opening {
            client: self,
            operation,
            plan,
            spine,
            options: stream,
            host,
        };
        let opened = if receiving.status().is_success() {
            opening.open(outgoing, receiving)
        } else {
            opening.fault(outgoing, receiving)
        };
        let opened =
            opened.map_err(|e| e.during(format_args!("the reply to {} ({status})", operation.name)))?;
        Ok(match opened {
            Came::Open(stream) => Ok(*stream),
            Came::Fault(fault) => Err(*fault),
        })
    }
}

/// A reply of which nothing is read yet.
struct Opening<'o> {
    client: &'o Client,
    operation: &'o Operation,
    plan: &'o Plan,
    spine: Spine,
    options: &'o StreamOptions,
    host: &'o dyn Host,
}

impl Opening<'_> {
    /// A reply that is no success: mostly a fault, always short.
    fn fault(self, outgoing: Outgoing, mut receiving: Arriving) -> Result<Came, Error> {
        let mut body = Vec::new();
        while let Some(chunk) = next_chunk(&mut receiving, self.host)? {
            body.extend_from_slice(&chunk);
        }
        let incoming = Incoming::new(receiving.into_response(body.into()));
        let exchange = Exchange { outgoing, incoming };
        let types = self.client.types();
        let mut header = ValueSink::new(types.shape(self.plan.header).clone());
        let mut result = ValueSink::new(types.shape(self.client.result_type(self.plan)).clone());
        match self.client.receive(&exchange, &mut header, &mut result).0? {
            Outcome::Fault(fault) => Ok(Came::Fault(fault)),
            Outcome::Reply(_) => Err(peer("it is an error, and holds no fault")),
        }
    }

    /// Reads until the envelope is open.
    fn open(self, outgoing: Outgoing, mut receiving: Arriving) -> Result<Came, Error> {
        let media = Media::parse(content_type(receiving.headers()));
        if !media.is_xml() {
            return Err(peer(&format!(
                "its content type is {:?}; only a plain envelope can be read while it comes",
                media.essence
            )));
        }
        // A stream has no end that would have to be foreseen; what is held at once is limited.
        let limits = Limits {
            bytes_max: u64::MAX,
            ..self.client.options.limits
        };
        let mut feed = Feed::with_charset(limits, media.charset.as_deref());
        drop(media);
        let mut bytes = 0;
        let mut tried = 0;
        loop {
            bytes += fetch(&mut receiving, &mut feed, self.host)?;
            // The head is looked at from its start each time, so not for every few bytes more.
            let few = tried > HEAD_BYTES && feed.waiting() < tried + tried / 4;
            if few && !feed.is_finished() {
                continue;
            }
            tried = feed.waiting();
            if feed.is_finished() && tried == 0 {
                return Err(peer("it is empty"));
            }
            let opened = feed.read(|window| self.envelope(&outgoing, &limits, window))?;
            match opened {
                None => {}
                Some(Head::Fault(fault)) => return Ok(Came::Fault(fault)),
                Some(Head::Body(body, header, blocks)) => {
                    let types = self.client.types();
                    return Ok(Came::Open(Box::new(ReplyStream {
                        array: self.spine.array(),
                        rest: ValueSink::new(types.shape(self.client.result_type(self.plan)).clone()),
                        contract: self.client.contract().clone(),
                        operation: self.operation.name.clone(),
                        status: receiving.status().as_u16(),
                        receiving,
                        feed,
                        body,
                        batch_items_min: self.options.batch_items_min,
                        header,
                        blocks,
                        decode: Duration::ZERO,
                        bytes,
                        ended: false,
                    })));
                }
            }
        }
    }

    /// What the head of the envelope says, once it has come; a fault when all of it has.
    fn envelope(
        &self,
        outgoing: &Outgoing,
        limits: &Limits,
        window: &mut castile_xml::Window<'_>,
    ) -> Result<Option<Head>, Error> {
        let Some(envelope) = Envelope::open_window(window, limits)? else {
            return Ok(None);
        };
        let types = self.client.types();
        let options = DecodeOptions {
            strict: self.client.options.strict,
        };
        if envelope.is_fault() && !window.is_last() {
            return Ok(None);
        }
        self.client.check(self.operation, &outgoing.memories, &envelope)?;
        if envelope.is_fault() {
            let fault = envelope.decode_fault(types, Some(self.operation.detail), &options)?;
            return Ok(Some(Head::Fault(Box::new(fault))));
        }
        let blocks = envelope.headers().to_vec();
        let mut header = ValueSink::new(types.shape(self.plan.header).clone());
        let body = envelope.stream(
            types,
            self.plan,
            self.spine.clone(),
            &options,
            &mut header,
            window,
        )?;
        Ok(Some(Head::Body(body, header.finish(), blocks)))
    }
}

/// What the head of an envelope leads to.
enum Head {
    Body(BodyStream, Record, Vec<HeaderBlock>),
    Fault(Box<Fault>),
}

impl ReplyStream {
    /// The complex type that has the array, and the number of its field there.
    pub fn array(&self) -> (ComplexId, u32) {
        self.array
    }

    /// Items that were read so far.
    pub fn items(&self) -> u64 {
        self.body.items()
    }

    /// Bytes that came so far, decompressed.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What turning bytes into values took so far.
    pub fn decode_time(&self) -> Duration {
        self.decode
    }

    /// All header blocks of the reply as they came.
    pub fn blocks(&self) -> &[HeaderBlock] {
        &self.blocks
    }

    /// Reads the next batch into `items`, a sink for a record of the type of [`ReplyStream::array`] of
    /// which no other field is set; `false` when the message is read to its end and there were none.
    ///
    /// # Errors
    /// The reply breaks off, or is not what the contract says, with the path and the place; a limit; and
    /// [`Kind::Interrupted`]. Nothing comes after an error.
    pub fn read(&mut self, items: &mut dyn Sink, host: &dyn Host) -> Result<bool, Error> {
        let read = self.read_on(items, host);
        self.ended |= read.is_err();
        read.map_err(|e| e.during(format_args!("the reply to {} ({})", self.operation, self.status)))
    }

    fn read_on(&mut self, items: &mut dyn Sink, host: &dyn Host) -> Result<bool, Error> {
        let before = self.body.items();
        while !self.ended {
            let began = Instant::now();
            let (types, body, rest) = (&self.contract.types, &mut self.body, &mut self.rest);
            let step = self.feed.read(|window| body.step(types, window, rest, items));
            self.decode += began.elapsed();
            if step? == Step::Done {
                self.ended = true;
            } else if self.body.items() - before >= self.batch_items_min.max(1) {
                break;
            } else {
                self.bytes += fetch(&mut self.receiving, &mut self.feed, host)?;
            }
        }
        Ok(self.body.items() > before)
    }

    /// All values but those of the array, and the headers; those that come after the array only when it
    /// was read to its end.
    pub fn rest(self) -> Rest {
        Rest {
            values: Value::Record(self.rest.finish()),
            header: Value::Record(self.header),
        }
    }
}

impl Iterator for ReplyStream {
    type Item = Result<Value, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let (holder, field) = self.array;
        let mut items = ValueSink::new(self.contract.types.shape(holder).clone());
        match self.read(&mut items, &Here) {
            Ok(true) => {
                let mut values = items.finish().into_values();
                let place = field as usize;
                Some(Ok(if place < values.len() {
                    values.swap_remove(place)
                } else {
                    Value::Absent
                }))
            }
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

/// A head of up to so many bytes is looked at with every chunk.
const HEAD_BYTES: usize = 16 << 10;

/// Moves the next bytes of the reply to the feed; gives how many.
fn fetch(receiving: &mut Arriving, feed: &mut Feed, host: &dyn Host) -> Result<u64, Error> {
    Ok(match next_chunk(receiving, host)? {
        Some(chunk) => {
            feed.push(&chunk);
            chunk.len() as u64
        }
        None => {
            feed.finish();
            0
        }
    })
}

fn next_chunk(receiving: &mut Arriving, host: &dyn Host) -> Result<Option<Bytes>, Error> {
    let mut chunk = Ok(None);
    host.unlocked(&mut || chunk = receiving.chunk(&|| host.interrupted()));
    chunk
}

impl std::fmt::Debug for ReplyStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReplyStream")
            .field("operation", &self.operation)
            .field("items", &self.items())
            .field("bytes", &self.bytes)
            .field("ended", &self.ended)
            .finish_non_exhaustive()
    }
}
