//! One call, in steps: encode, exchange, decode.

use std::time::{Duration, Instant};

use castile_codec::{
    DecodeOptions, Draft, EncodeOptions, Envelope, Fault, HeaderBlock, Intake, Name, Sending, Version,
};
use castile_contract::Operation;
use castile_diff::{Automata, Message, Received};
use castile_http::{Request, Response};
use castile_plan::{ComplexId, Plan, QName, Style};
use castile_value::{Graph, Sink, Source, Value, ValueSink};

use super::related::{Incoming, content_type};
use super::reply::{elsewhere, foreign, refusal};
use super::{Client, Record, input};
use crate::adapt::{Body, Headers, Inside, Nothing, arguments};
use crate::error::{Error, Guilty, Kind};
use crate::layers::{Memories, WithBlocks};
use crate::media::{self, Media};
use crate::payload::Payload;
use crate::portions::Here;

/// What one call has beside its arguments.
#[derive(Clone, Debug, Default)]
pub struct CallOptions {
    /// Values of the header blocks that the contract names, as a map or record.
    pub header: Value,
    /// Further header blocks, each one namespace-complete XML element.
    pub blocks: Vec<String>,
    /// Header fields of HTTP for this call only.
    pub http_headers: Vec<(String, String)>,
    /// Limit on the whole call; replaces that of the options.
    pub timeout: Option<Duration>,
}

impl CallOptions {
    pub(super) fn apply(&self, mut outgoing: Outgoing) -> Outgoing {
        outgoing.http_headers.clone_from(&self.http_headers);
        outgoing.timeout = self.timeout;
        outgoing
    }
}

impl<'o> Headers<'o> {
    pub(super) fn of(options: &'o CallOptions) -> Result<Headers<'o>, Error> {
        Ok(Headers {
            typed: source_of(&options.header)?,
            raw: &options.blocks,
        })
    }
}

/// A request ready to be sent.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// The operation's name.
    pub operation: String,
    /// The envelope.
    pub body: Payload,
    /// What encoding cost.
    pub encode: Duration,
    /// Header fields of HTTP for this call only.
    pub http_headers: Vec<(String, String)>,
    /// Limit on the whole call; replaces that of the options.
    pub timeout: Option<Duration>,
    pub(crate) memories: Memories,
}

impl Outgoing {
    /// An envelope that is ready, sent as it is.
    pub fn ready(operation: impl Into<String>, envelope: impl Into<Payload>) -> Outgoing {
        Outgoing {
            operation: operation.into(),
            body: envelope.into(),
            encode: Duration::ZERO,
            http_headers: Vec::new(),
            timeout: None,
            memories: Memories::default(),
        }
    }
}

/// A request and what came back.
#[derive(Debug)]
pub struct Exchange {
    /// What was sent.
    pub outgoing: Outgoing,
    /// What came.
    pub incoming: Incoming,
}

impl Exchange {
    /// The reply as HTTP has it, its body decompressed.
    pub fn response(&self) -> &Response {
        &self.incoming.response
    }
}

/// A decoded answer.
#[derive(Debug)]
pub enum Outcome {
    /// The values are in the sinks; here are all header blocks as they came.
    Reply(Vec<HeaderBlock>),
    /// The peer answered with a fault.
    Fault(Box<Fault>),
}

/// A reply with dynamic values.
#[derive(Debug)]
pub struct Reply {
    /// The result: the value itself when the operation gives one, else a record of all.
    pub value: Value,
    /// What [`Value::Ref`] stands for in the result, by number: only SOAP encoding has that.
    pub objects: Vec<Value>,
    /// The header blocks that the contract knows, as a record.
    pub header: Value,
    /// All header blocks as they came.
    pub blocks: Vec<HeaderBlock>,
    /// What the call did and cost.
    pub record: Record,
}

impl castile_value::Objects for Reply {
    fn object(&self, number: u32) -> Option<&Value> {
        self.objects.get(number as usize)
    }
}

/// What reads a reply: a method of [`Automata`].
pub(super) type Read<'r, T> =
    &'r dyn Fn(&Automata, Message<'_>, usize, Intake<'_>) -> Result<T, castile_codec::Error>;

impl Client {
    /// Calls an operation with dynamic values: `args` is a map or record of the arguments. Arguments
    /// in which objects are shared are a [`Graph`], for [`Client::call_graph`].
    ///
    /// # Errors
    /// As [`Client::operation`]; a value that the contract does not allow; everything that can go
    /// wrong on the network; a reply that is not what the contract says. A fault is `Ok(Err(_))`.
    pub fn call(&self, operation: &str, args: &Value) -> Result<Result<Reply, Fault>, Error> {
        self.call_with(operation, args, &CallOptions::default())
    }

    /// [`Client::call`] for an operation of SOAP encoding, with objects that may stand in several places
    /// of the arguments, and in themselves.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub fn call_graph(&self, operation: &str, args: &Graph) -> Result<Result<Reply, Fault>, Error> {
        let outgoing = self.prepare(operation, &Nothing, args)?;
        self.finish(self.exchange(outgoing)?)
    }

    /// [`Client::call`] with headers, or a time limit, for this call.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub fn call_with(
        &self,
        operation: &str,
        args: &Value,
        options: &CallOptions,
    ) -> Result<Result<Reply, Fault>, Error> {
        let (header, args) = (Headers::of(options)?, source_of(args)?);
        match self.prepare_small(operation, &header, args)? {
            Some(outgoing) => self.finish(self.exchange(options.apply(outgoing))?),
            None => self.call_streamed(operation, args, options),
        }
    }

    /// [`Client::call_with`] for async code, on any tokio runtime. Dropping the future cancels
    /// the call.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub async fn call_async(
        &self,
        operation: &str,
        args: &Value,
        options: &CallOptions,
    ) -> Result<Result<Reply, Fault>, Error> {
        let outgoing = self.prepare_with(operation, args, options)?;
        self.finish(self.exchange_async(outgoing).await?)
    }

    /// [`Client::call_with`] with arguments from any source, which may have
    /// [streams](castile_value::Streamed) of values, in constant memory: the request is sent while it is
    /// written.
    ///
    /// ```no_run
    /// use castile_endpoint::{CallOptions, Client, ClientOptions};
    /// use castile_value::{Stream, Streamed};
    ///
    /// let client = Client::new("measure.wsdl", ClientOptions::default())?;
    /// let blocks = Stream::of((0..1000).map(|block| vec![f64::from(block); 4096]));
    /// let args = Streamed::new(&(), "values", &blocks);
    /// let reply = client.call_streamed("store", &args, &CallOptions::default())?;
    /// # Ok::<(), castile_endpoint::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Client::call`], and that of a stream: its reason is a source of the error.
    pub fn call_streamed(
        &self,
        operation: &str,
        args: &dyn Source,
        options: &CallOptions,
    ) -> Result<Result<Reply, Fault>, Error> {
        let header = Headers::of(options)?;
        let outgoing = options.apply(Outgoing::ready(operation, Payload::default()));
        self.finish(self.exchange_streamed(outgoing, &header, args, &Here)?)
    }

    fn prepare_with(&self, operation: &str, args: &Value, options: &CallOptions) -> Result<Outgoing, Error> {
        let header = Headers::of(options)?;
        Ok(options.apply(self.prepare(operation, &header, source_of(args)?)?))
    }

    /// First step: values to bytes.
    ///
    /// # Errors
    /// As [`Client::operation`], and a value that the contract does not allow.
    pub fn prepare(
        &self,
        operation: &str,
        header: &dyn Source,
        args: &dyn Source,
    ) -> Result<Outgoing, Error> {
        self.prepare_up_to(operation, header, args, None)
    }

    /// First step: values to bytes, unless the message has a stream or an array above
    /// [`overlay_above`](castile_diff::Options::overlay_above), which are for
    /// [`Client::exchange_streamed`]: `None` then.
    ///
    /// # Errors
    /// As [`Client::prepare`].
    pub fn prepare_small(
        &self,
        operation: &str,
        header: &dyn Source,
        args: &dyn Source,
    ) -> Result<Option<Outgoing>, Error> {
        let above = self.options.differential.overlay_above;
        match self.prepare_up_to(operation, header, args, Some(above)) {
            Ok(outgoing) => Ok(Some(outgoing)),
            Err(error)
                if error
                    .codec()
                    .is_some_and(|e| e.kind() == castile_codec::Kind::Overlay) =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn prepare_up_to(
        &self,
        operation: &str,
        header: &dyn Source,
        args: &dyn Source,
        overlay_above: Option<usize>,
    ) -> Result<Outgoing, Error> {
        let started = Instant::now();
        let declared = self.operation(operation)?;
        let (body, memories) = self.encode_request(declared, header, args, overlay_above)?;
        Ok(Outgoing {
            encode: started.elapsed(),
            memories,
            ..Outgoing::ready(operation, body)
        })
    }

    /// Second step: bytes out, bytes in. Blocks the calling thread.
    ///
    /// # Errors
    /// Everything that can go wrong on the network.
    pub fn exchange(&self, outgoing: Outgoing) -> Result<Exchange, Error> {
        let request = self.request(
            self.operation(&outgoing.operation)?,
            &outgoing,
            outgoing.body.clone(),
        )?;
        let response = self.transport.send(request).map_err(|e| during(e, &outgoing))?;
        self.complete(outgoing, response, &|| false)
    }

    /// [`Client::exchange`], asking about ten times a second whether to give up.
    ///
    /// # Errors
    /// As [`Client::exchange`], and [`Kind::Interrupted`].
    pub fn exchange_with_interrupt(
        &self,
        outgoing: Outgoing,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Exchange, Error> {
        let request = self.request(
            self.operation(&outgoing.operation)?,
            &outgoing,
            outgoing.body.clone(),
        )?;
        let response = self.transport.send_with_interrupt(request, interrupted);
        let response = response.map_err(|e| during(e, &outgoing))?;
        self.complete(outgoing, response, interrupted)
    }

    /// [`Client::exchange`] for async code. Dropping the future cancels the call.
    ///
    /// # Errors
    /// As [`Client::exchange`].
    pub async fn exchange_async(&self, outgoing: Outgoing) -> Result<Exchange, Error> {
        let request = self.request(
            self.operation(&outgoing.operation)?,
            &outgoing,
            outgoing.body.clone(),
        )?;
        let mut response = self
            .transport
            .send_async(request)
            .await
            .map_err(|e| during(e, &outgoing))?;
        if let Some(ticket) = elsewhere(&outgoing, &response) {
            let waited = ticket.wait_async(self.time_limit(&outgoing)).await;
            response = waited.map_err(|e| e.during(format_args!("calling {}", outgoing.operation)))?;
        }
        Ok(Exchange {
            outgoing,
            incoming: Incoming::new(response),
        })
    }

    /// Third step: bytes to values, into sinks for the types of [`Client::result`]; and what the
    /// call did.
    ///
    /// # Errors
    /// The reply is not what the contract says.
    pub fn receive(
        &self,
        exchange: &Exchange,
        header: &mut dyn Sink,
        result: &mut dyn Sink,
    ) -> (Result<Outcome, Error>, Record) {
        let started = Instant::now();
        let (outcome, received) = match self.outcome(exchange, header, result, &Automata::decode) {
            Ok((outcome, received)) => (Ok(outcome), received),
            Err(error) => (Err(error), Received::default()),
        };
        (outcome, self.received(exchange, started, received))
    }

    /// What a call did whose reply was read, which is logged.
    pub(super) fn received(&self, exchange: &Exchange, started: Instant, received: Received) -> Record {
        let record = self.record(exchange, started.elapsed(), received);
        tracing::debug!(
            operation = %record.operation,
            status = record.status,
            bytes_out = record.request.len(),
            bytes_in = record.reply.len(),
            encode_us = record.encode.as_micros() as u64,
            network_us = record.network.total().as_micros() as u64,
            decode_us = record.decode.as_micros() as u64,
            "call"
        );
        record
    }

    /// Sinks for the headers and the results of an operation.
    pub(super) fn sinks(&self, operation: &str) -> Result<(ValueSink, ValueSink), Error> {
        let types = self.types();
        let nothing = || ValueSink::new(std::sync::Arc::new(castile_value::Shape::new("", Vec::new())));
        Ok(match self.result(operation)? {
            Some((header, result)) => (
                ValueSink::new(types.shape(header).clone()),
                ValueSink::new(types.shape(result).clone()),
            ),
            None => (nothing(), nothing()),
        })
    }

    pub(super) fn finish(&self, exchange: Exchange) -> Result<Result<Reply, Fault>, Error> {
        let (mut header, mut result) = self.sinks(&exchange.outgoing.operation)?;
        let (outcome, record) = self.receive(&exchange, &mut header, &mut result);
        match outcome? {
            Outcome::Fault(fault) => Ok(Err(*fault)),
            Outcome::Reply(blocks) => {
                let Graph { root, objects } = result.finish_graph();
                Ok(Ok(Reply {
                    value: single(root),
                    objects,
                    header: Value::Record(header.finish()),
                    blocks,
                    record,
                }))
            }
        }
    }

    pub(super) fn encode_request(
        &self,
        operation: &Operation,
        header: &dyn Source,
        args: &dyn Source,
        overlay_above: Option<usize>,
    ) -> Result<(Payload, Memories), Error> {
        let key = std::ptr::from_ref(operation) as usize;
        let options = EncodeOptions {
            overlay_above,
            ..self.encode_options()
        };
        let (made, memories) = self.with_draft(operation, header, args, &options, |draft| {
            self.templates.encode(key, draft)
        })?;
        Ok((made?.into(), memories))
    }

    /// What `write` makes of a request, its layers' headers added.
    pub(super) fn with_draft<T>(
        &self,
        operation: &Operation,
        header: &dyn Source,
        args: &dyn Source,
        options: &EncodeOptions,
        write: impl FnOnce(&Draft<'_>) -> T,
    ) -> Result<(T, Memories), Error> {
        let plan = input(operation)?;
        let mut blocks = Vec::new();
        let sending = Sending {
            version: self.version,
            operation: &operation.name,
            action: &operation.input_action,
            to: self.endpoint.as_str(),
            one_way: operation.one_way,
            fault: None,
            world: self.options.layers.world(),
        };
        let memories = self.options.layers.request(&sending, &mut blocks)?;
        let header = &WithBlocks::new(self.types(), plan.header, header, &blocks);
        let nested = arguments(self.types(), plan).1;
        let body = Body(args);
        let body: &dyn Source = if nested { &body } else { args };
        let draft = Draft {
            types: self.types(),
            plan,
            version: self.version,
            header,
            body,
            options,
        };
        Ok((write(&draft), memories))
    }

    pub(super) fn request(
        &self,
        operation: &Operation,
        outgoing: &Outgoing,
        body: impl Into<castile_http::Body>,
    ) -> Result<Request, Error> {
        let action = Some(&*operation.soap_action);
        let mut request = Request::post(self.endpoint.clone(), body)
            .header("content-type", &media::content_type(self.version, action))?;
        if self.version == Version::Soap11 {
            request = request.header("soapaction", &format!("\"{}\"", operation.soap_action))?;
        }
        for (name, value) in &outgoing.http_headers {
            request = request.header(name, value)?;
        }
        request.timeout_call = outgoing.timeout;
        self.with_http_headers(request)
    }

    pub(super) fn outcome<T: Default>(
        &self,
        exchange: &Exchange,
        header: &mut dyn Sink,
        result: &mut dyn Sink,
        read: Read<'_, T>,
    ) -> Result<(Outcome, T), Error> {
        let Response {
            status,
            headers,
            body,
            ..
        } = &exchange.incoming.response;
        let operation = self.operation(&exchange.outgoing.operation)?;
        let content_type = content_type(headers);
        let during = |e: Error| {
            e.during(format_args!(
                "the reply to {} ({})",
                operation.name,
                status.as_u16()
            ))
        };
        let expected = operation.output.is_some();
        if body.is_empty() {
            return match status.is_success() {
                true if expected => Err(during(peer("it is empty"))),
                true => Ok((Outcome::Reply(Vec::new()), T::default())),
                false => Err(during(refusal(*status, "it is an error without a word"))),
            };
        }
        let (content_type, body) = match &exchange.incoming.related {
            Some(Ok(related)) => (&*related.root.content_type, &related.root.content),
            Some(Err(why)) => return Err(during(peer(&format!("no multipart message: {why}")))),
            None => (content_type, body),
        };
        if !Media::parse(content_type).is_xml() {
            return Err(during(foreign(*status, content_type, body)));
        }
        let memories = Some(&exchange.outgoing.memories);
        self.decode_reply(operation, memories, content_type, body, header, result, read)
            .map_err(during)
    }

    #[allow(clippy::too_many_arguments)] // what a reply is read by, and where its values go
    pub(super) fn decode_reply<T: Default>(
        &self,
        operation: &Operation,
        memories: Option<&Memories>,
        content_type: &str,
        body: &[u8],
        header: &mut dyn Sink,
        result: &mut dyn Sink,
        read: Read<'_, T>,
    ) -> Result<(Outcome, T), Error> {
        let types = self.types();
        let text = media::text(body, &Media::parse(content_type))?;
        let message = self.automata.open(&text, &self.options.limits, Some(MY_SERVER))?;
        let envelope = message.envelope();
        if let Some(memories) = memories {
            self.check(operation, memories, envelope)?;
        }
        let options = DecodeOptions {
            strict: self.options.strict,
        };
        if envelope.is_fault() {
            let envelope = message.into_envelope();
            let fault = envelope.decode_fault(types, Some(operation.detail), &options)?;
            return Ok((Outcome::Fault(Box::new(fault)), T::default()));
        }
        let blocks = envelope.headers().to_vec();
        let Some(plan) = &operation.output else {
            return Ok((Outcome::Reply(blocks), T::default()));
        };
        if let Some(other) = self.another(plan, envelope) {
            return Err(peer(&format!(
                "its body holds {other}, which is of another message"
            )));
        }
        let number = std::ptr::from_ref(operation) as usize;
        let decode = |result: &mut dyn Sink| {
            let intake = Intake {
                types,
                plan,
                options: &options,
                header,
                body: result,
            };
            read(&self.automata, message, number, intake)
        };
        let received = match plan.style {
            Style::Wrapped if arguments(types, plan).1 => {
                let shape = types.shape(self.result_type(plan)).clone();
                decode(&mut Inside::new(result, shape))?
            }
            _ => decode(result)?,
        };
        Ok((Outcome::Reply(blocks), received))
    }

    /// The body's element, where it is that of another message of the contract: what is tolerated without
    /// strict is a wrong name, not a wrong message.
    fn another(&self, plan: &Plan, envelope: &Envelope<'_>) -> Option<Name> {
        let types = self.types();
        let [expected] = &types.complex(plan.body).fields[..] else {
            return None;
        };
        let (namespace, local) = envelope.first_name()?;
        if *expected.wire.local == *local {
            return None;
        }
        let name = QName::new(types.namespace(namespace)?, local);
        types.element_named(&name)?;
        envelope.first()
    }

    /// The type whose fields are the results: a wrapper's fields, or the body's elements.
    pub(super) fn result_type(&self, plan: &Plan) -> ComplexId {
        match plan.style {
            Style::Wrapped => arguments(self.types(), plan).0,
            Style::Bare => plan.body,
        }
    }

    fn record(&self, exchange: &Exchange, decode: Duration, received: Received) -> Record {
        let Exchange {
            outgoing,
            incoming: Incoming { response, related },
        } = exchange;
        let text = |v: &castile_http::HeaderValue| String::from_utf8_lossy(v.as_bytes()).into_owned();
        Record {
            operation: outgoing.operation.clone(),
            endpoint: self.endpoint.to_string(),
            encode: outgoing.encode,
            network: response.timings,
            decode,
            request: outgoing.body.clone(),
            reply: response.body.clone(),
            received,
            status: response.status.as_u16(),
            http_headers: response
                .headers
                .iter()
                .map(|(n, v)| (n.to_string(), text(v)))
                .collect(),
            attachments: related
                .as_ref()
                .and_then(|r| r.as_ref().ok())
                .map(|r| r.rest.clone())
                .unwrap_or_default(),
        }
    }
}

/// All replies to a client come from one server.
const MY_SERVER: &[u8] = b"";

/// The value itself when the record has one field, else the record.
pub(super) fn single(record: castile_value::Record) -> Value {
    match record.values().len() {
        0 => Value::Absent,
        1 => record.into_values().pop().unwrap_or_default(),
        _ => Value::Record(record),
    }
}

/// Arguments are a map or a record.
pub(crate) fn source_of(args: &Value) -> Result<&dyn Source, Error> {
    match args {
        Value::Map(map) => Ok(map),
        Value::Record(record) => Ok(record),
        Value::Absent => Ok(&Nothing),
        _ => Err(Error::new(
            Kind::Value,
            Guilty::Caller,
            "the arguments must be a map or a record",
        )),
    }
}

pub(super) fn during(error: Error, outgoing: &Outgoing) -> Error {
    error.during(format_args!("calling {}", outgoing.operation))
}

pub(super) fn peer(text: &str) -> Error {
    Error::new(Kind::Peer, Guilty::Peer, text)
}
