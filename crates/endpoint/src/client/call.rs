//! One call, in steps: encode, exchange, decode.

use std::time::{Duration, Instant};

use castile_codec::{Draft, EncodeOptions, Fault, Sending, Version};
use castile_contract::Operation;
use castile_http::{Request, Response};
use castile_value::{Graph, Source, Value};
use url::Url;

use super::outcome::{MY_SERVER, Reply};
use super::related::Incoming;
use super::reply::elsewhere;
use super::{Client, input};
use crate::adapt::{Body, Headers, Nothing, arguments};
use crate::arrival::Arrival;
use crate::error::{Error, Guilty, Kind};
use crate::layers::{Memories, WithBlocks};
use crate::media;
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
        let watch = request.watch.clone();
        let response = self.transport.send(request).map_err(|e| during(e, &outgoing))?;
        self.complete(outgoing, response, watch, &|| false)
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
        let watch = request.watch.clone();
        let response = self.transport.send_with_interrupt(request, interrupted);
        let response = response.map_err(|e| during(e, &outgoing))?;
        self.complete(outgoing, response, watch, interrupted)
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
        let watch = request.watch.clone();
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
            incoming: Incoming::new(response, watch),
        })
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
            to: self.endpoint().map_or("", Url::as_str),
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
        let mut request = Request::post(self.address()?, body)
            .header("content-type", &media::content_type(self.version, action))?;
        if self.version == Version::Soap11 {
            request = request.header("soapaction", &format!("\"{}\"", operation.soap_action))?;
        }
        for (name, value) in &outgoing.http_headers {
            request = request.header(name, value)?;
        }
        request.timeout_call = outgoing.timeout;
        request.watch = Arrival::of(&self.automata, self.types(), MY_SERVER);
        self.with_http_headers(request)
    }
}

/// Arguments are a map or a record.
pub(crate) fn source_of(args: &Value) -> Result<&dyn Source, Error> {
    match args.held() {
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
