//! Replies that are read while they come: [`ReplyStream`].

use std::time::Duration;

use castile_codec::{BodyStream, DecodeOptions, Envelope, Fault, HeaderBlock, Limits, Spine};
use castile_contract::Operation;
use castile_http::{Bytes, StatusCode};
use castile_plan::{ComplexId, Plan};
use castile_value::{Record, Source, Value, ValueSink};

use super::Client;
use super::call::{CallOptions, Exchange, Outgoing, during};
use super::carrier::Arriving;
use super::outcome::{Outcome, peer};
use super::related::{Incoming, content_type};
use super::reply::about;
use super::streamed::Way;
use crate::adapt::{Headers, results};
use crate::batched::{Batched, Chunks, Intake, StreamOptions, next_chunk};
use crate::error::{Error, Guilty, Kind};
use crate::media::Media;
use crate::portions::{Here, Host};

/// A reply of which one array is given batch by batch, in constant memory, while it comes.
///
/// What is held at once is limited by [`Limits::window_bytes_max`]; the reply itself may be of any length.
/// Dropping it before its end closes the connection.
pub struct ReplyStream {
    batched: Batched<Arriving>,
    operation: String,
    status: StatusCode,
    header: Record,
    blocks: Vec<HeaderBlock>,
}

/// What a stream comes to when all of its array is read.
#[derive(Debug)]
pub struct Rest {
    /// All values but those of the array, as a record: that of the one body element where it holds them.
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
        let receiving = match outgoing.body.is_empty() {
            true => self.open_writing(&mut outgoing, operation, header, args, host)?,
            false => self.open_written(&outgoing, operation, host)?,
        };
        let status = receiving.status();
        let opening = Opening {
            client: self,
            operation,
            plan,
            spine,
            options: stream,
            host,
        };
        let opened = if status.is_success() {
            opening.open(outgoing, receiving)
        } else {
            opening.fault(outgoing, receiving)
        };
        Ok(
            match opened.map_err(|e| about(e, &operation.name, status, &[]))? {
                Came::Open(stream) => Ok(*stream),
                Came::Fault(fault) => Err(*fault),
            },
        )
    }

    /// The reply, to be read, to a request that is written while it is sent.
    fn open_writing(
        &self,
        outgoing: &mut Outgoing,
        operation: &Operation,
        header: &dyn Source,
        args: &dyn Source,
        host: &dyn Host,
    ) -> Result<Arriving, Error> {
        let window_bytes_max = self.options.limits.window_bytes_max;
        let send = |request, way: &Way<'_>| {
            let stopped = || way.is_stopped();
            let mut arriving = self.transport.open(request, &stopped)?;
            arriving.hold(&|| way.is_whole(), &stopped, window_bytes_max)?;
            Ok(arriving)
        };
        let options = self.encode_options();
        let (sent, memories) = self.with_draft(operation, header, args, &options, |draft| {
            self.send_streamed(outgoing, operation, draft, host, send)
        })?;
        outgoing.memories = memories;
        Ok(sent?.0)
    }

    /// The reply, to be read, to a request that is written.
    fn open_written(
        &self,
        outgoing: &Outgoing,
        operation: &Operation,
        host: &dyn Host,
    ) -> Result<Arriving, Error> {
        let mut request = Some(self.request(operation, outgoing, outgoing.body.clone())?);
        let mut opened = None;
        host.unlocked(&mut || {
            let open = |request| self.transport.open(request, &|| host.interrupted());
            opened = request.take().map(open);
        });
        match opened {
            Some(opened) => opened.map_err(|e| during(e, outgoing)),
            None => Err(peer("nothing was sent")),
        }
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
        let incoming = Incoming::new(receiving.into_response(body.into()), None);
        let exchange = Exchange { outgoing, incoming };
        let types = self.client.types();
        let mut header = ValueSink::new(types.shape(self.plan.header).clone());
        let mut result = ValueSink::new(types.shape(results(types, self.plan).0).clone());
        match self.client.receive(&exchange, &mut header, &mut result).0? {
            Outcome::Fault(fault) => Ok(Came::Fault(fault)),
            Outcome::Reply(_) => Err(peer("it is an error, and holds no fault")),
        }
    }

    /// Reads until the envelope is open.
    fn open(self, outgoing: Outgoing, receiving: Arriving) -> Result<Came, Error> {
        let media = Media::parse(content_type(receiving.headers()));
        if !media.is_xml() {
            return Err(peer(&format!(
                "its content type is {:?}; only a plain envelope can be read while it comes",
                media.essence
            )));
        }
        let charset = media.charset.map(|charset| charset.into_owned());
        let status = receiving.status();
        let limits = self.client.options.limits;
        let mut intake = Intake::new(receiving, &limits, charset.as_deref());
        let head = intake.open(self.host, |window, limits| {
            self.envelope(&outgoing, limits, window)
        })?;
        let (body, header, blocks) = match head {
            Head::Fault(fault) => return Ok(Came::Fault(fault)),
            Head::Body(body, header, blocks) => (body, header, blocks),
        };
        Ok(Came::Open(Box::new(ReplyStream {
            batched: intake.body(self.client.types(), self.plan, body, self.options),
            operation: self.operation.name.clone(),
            status,
            header,
            blocks,
        })))
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
            ..DecodeOptions::default()
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
        self.batched.array()
    }

    /// The name of the array: `values`, or `a.b` for field `b` of field `a`.
    pub fn array_name(&self) -> &str {
        self.batched.name()
    }

    /// Items that were read so far.
    pub fn items(&self) -> u64 {
        self.batched.items()
    }

    /// Bytes that came so far, decompressed.
    pub fn bytes(&self) -> u64 {
        self.batched.bytes()
    }

    /// What turning bytes into values took so far.
    pub fn decode_time(&self) -> Duration {
        self.batched.decode_time()
    }

    /// All header blocks of the reply as they came.
    pub fn blocks(&self) -> &[HeaderBlock] {
        &self.blocks
    }

    /// The next batch of the array; `None` when the message is read to its end.
    ///
    /// # Errors
    /// The reply breaks off, or is not what the contract says, with the path and the place; a limit; and
    /// [`Kind::Interrupted`]. Nothing comes after an error.
    pub fn batch(&mut self, host: &dyn Host) -> Result<Option<Value>, Error> {
        let batch = self.batched.batch(host);
        batch.map_err(|e| about(e, &self.operation, self.status, &[]))
    }

    /// All values but those of the array, and the headers; those that come after the array only when it
    /// was read to its end.
    pub fn rest(self) -> Rest {
        Rest {
            values: Value::Record(self.batched.rest()),
            header: Value::Record(self.header),
        }
    }
}

impl Iterator for ReplyStream {
    type Item = Result<Value, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.batch(&Here).transpose()
    }
}

impl Chunks for Arriving {
    fn chunk(&mut self, interrupted: &dyn Fn() -> bool) -> Result<Option<Bytes>, Error> {
        Arriving::chunk(self, interrupted)
    }
}

impl std::fmt::Debug for ReplyStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReplyStream")
            .field("operation", &self.operation)
            .field("array", &self.array_name())
            .field("items", &self.items())
            .field("bytes", &self.bytes())
            .finish_non_exhaustive()
    }
}
