//! One call that a service received, and its answer.

use std::borrow::Cow;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use castile_codec::{DecodeOptions, Draft, EncodeOptions, Fault, HeaderBlock, Memory, Sending, Version};
use castile_contract::{Binding, Operation};
use castile_diff::Message;
use castile_plan::{ComplexId, Types};
use castile_value::{Sink, Source};

use super::arguments::ArgumentStream;
use super::dispatch::Service;
use super::message::Early;
use super::replies::{ReplyKey, encode};
use crate::adapt::{Body, arguments, decode_values, results};
use crate::batched::StreamOptions;
use crate::error::{Error, Guilty, Kind};
use crate::layers::WithBlocks;
use crate::payload::Payload;
use crate::portions::{AHEAD, Here, Host, Portions};
use crate::session::Conversation;

/// Answers calls. Runs on a thread that may block.
pub trait Handler: Send + Sync + 'static {
    /// Answers one call.
    ///
    /// # Errors
    /// A fault goes to the caller as it is. An [`Error`] becomes one: of the sender when the peer
    /// is guilty, else of the receiver, without details, which are logged.
    fn handle(&self, call: Call<'_>) -> Result<Answer, Trouble>;

    /// Which argument of an operation is read while it comes, by [`Call::stream`]; asked once. It must be
    /// the last of the operation, so that all others are there before it. Default: none.
    fn streams(&self, operation: &Operation) -> Option<StreamOptions> {
        let _ = operation;
        None
    }
}

/// What a handler fails with.
#[derive(Debug)]
pub enum Trouble {
    /// To be sent as it is.
    Fault(Box<Fault>),
    /// To be mapped to a fault.
    Error(Error),
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Self {
        Trouble::Fault(Box::new(fault))
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Trouble::Error(error)
    }
}

/// A call: an operation was found for it, its values are not decoded yet.
pub struct Call<'c> {
    pub(super) service: &'c Service,
    pub(super) binding: &'c Binding,
    pub(super) operation: &'c Operation,
    pub(super) content: Content<'c>,
    pub(super) peer: Option<SocketAddr>,
    pub(super) principal: Option<&'c str>,
    pub(super) certificate: Option<&'c [u8]>,
    pub(super) conversation: Option<&'c Arc<Conversation>>,
    pub(super) memories: &'c [Memory],
    pub(super) early: Option<Early<'c>>,
}

/// The message of a call.
pub(super) enum Content<'c> {
    /// With the time at which reading it began.
    Whole(Message<'c>, Instant),
    /// It is still coming.
    Open(Box<Open>),
}

/// What there is of a message whose argument is read while it comes.
pub(super) struct Open {
    pub(super) version: Version,
    pub(super) blocks: Vec<HeaderBlock>,
    pub(super) arguments: ArgumentStream,
}

/// An answer's envelope.
#[derive(Debug, Default)]
pub struct Answer(pub(super) Payload);

impl Answer {
    /// An envelope that is ready, sent as it is: what a mock server has on disk.
    pub fn ready(envelope: Vec<u8>) -> Answer {
        Answer(envelope.into())
    }
}

/// Writes the answer to a call whose values were taken.
pub struct Replier<'c> {
    service: &'c Service,
    operation: &'c Operation,
    version: Version,
    memories: &'c [Memory],
    principal: Option<Cow<'c, str>>,
    certificate: Option<&'c [u8]>,
    early: Option<Early<'c>>,
}

impl<'c> Call<'c> {
    /// The operation called.
    pub fn operation(&self) -> &'c Operation {
        self.operation
    }

    /// The binding through which it was found; its port type is that of the operation.
    pub fn binding(&self) -> &'c Binding {
        self.binding
    }

    /// The service.
    pub fn service(&self) -> &'c Service {
        self.service
    }

    /// The version of SOAP of the call, and so of its answer.
    pub fn version(&self) -> Version {
        match &self.content {
            Content::Whole(message, _) => message.envelope().version(),
            Content::Open(open) => open.version,
        }
    }

    /// The header blocks as they came.
    pub fn headers(&self) -> &[HeaderBlock] {
        match &self.content {
            Content::Whole(message, _) => message.envelope().headers(),
            Content::Open(open) => &open.blocks,
        }
    }

    /// Whether its argument is read while it comes, by [`Call::stream`].
    pub fn is_stream(&self) -> bool {
        matches!(self.content, Content::Open(_))
    }

    /// Who calls; `None` when the call did not come over a socket.
    pub fn peer(&self) -> Option<SocketAddr> {
        self.peer
    }

    /// The user who proved to send it, to a layer or to the transport.
    pub fn principal(&self) -> Option<&'c str> {
        self.principal
    }

    /// The session that it belongs to, when it came in one.
    pub fn conversation(&self) -> Option<&'c Arc<Conversation>> {
        self.conversation
    }

    /// The complex types whose fields are the header blocks and the arguments.
    pub fn arguments(&self) -> Option<(ComplexId, ComplexId)> {
        let plan = self.operation.input.as_ref()?;
        Some((plan.header, arguments(self.service.types(), plan).0))
    }

    /// Reads the values into sinks for the types of [`Call::arguments`].
    ///
    /// # Errors
    /// The message is not what the contract says; it [is a stream](Call::is_stream).
    pub fn decode(self, header: &mut dyn Sink, args: &mut dyn Sink) -> Result<Replier<'c>, Error> {
        let (service, operation) = (self.service, self.operation);
        let (content, replier) = self.split();
        let Content::Whole(message, began) = content else {
            let text = "the arguments are a stream, which is not decoded whole";
            return Err(Error::new(Kind::Value, Guilty::Us, text));
        };
        let types = service.types();
        let options = DecodeOptions {
            strict: service.options().strict,
            ..DecodeOptions::default()
        };
        if let Some(plan) = &operation.input {
            let number = std::ptr::from_ref(operation) as usize;
            let (values, sinks) = (arguments(types, plan), (header, args));
            decode_values(types, plan, &options, values, sinks, |intake| {
                service.automata().decode(message, number, intake)
            })?;
        }
        service.note_decode(began);
        Ok(replier)
    }

    /// Reads the values before the argument that is a stream, which is read while it comes: for the
    /// operations of [`Handler::streams`].
    ///
    /// # Errors
    /// The message is not what the contract says; it is [no stream](Call::is_stream).
    pub fn stream(self) -> Result<(ArgumentStream, Replier<'c>), Error> {
        self.stream_by(&Here)
    }

    /// [`Call::stream`] on a thread of another language.
    ///
    /// # Errors
    /// As [`Call::stream`].
    pub fn stream_by(self, host: &dyn Host) -> Result<(ArgumentStream, Replier<'c>), Error> {
        let (content, replier) = self.split();
        let Content::Open(mut open) = content else {
            let text = "the arguments came whole and are no stream";
            return Err(Error::new(Kind::Value, Guilty::Us, text));
        };
        open.arguments.begin(host)?;
        Ok((open.arguments, replier))
    }

    fn split(self) -> (Content<'c>, Replier<'c>) {
        let replier = Replier {
            version: self.version(),
            service: self.service,
            operation: self.operation,
            memories: self.memories,
            principal: self.principal.map(Cow::Borrowed),
            certificate: self.certificate,
            early: self.early,
        };
        (self.content, replier)
    }
}

impl Replier<'_> {
    /// The table of the contract's types.
    pub fn types(&self) -> &Arc<Types> {
        self.service.types()
    }

    /// The complex types whose fields are the header blocks and the results; `None` for one-way
    /// operations.
    pub fn result(&self) -> Option<(ComplexId, ComplexId)> {
        let plan = self.operation.output.as_ref()?;
        let types = self.service.types();
        Some((plan.header, results(types, plan).0))
    }

    /// Whether the reply is written by the rules of SOAP encoding, so that objects may be shared.
    pub fn is_encoded(&self) -> bool {
        self.operation.output.as_ref().is_some_and(|plan| plan.encoded)
    }

    /// Says who the caller is, when the handler found it out by ways of its own (a header, an
    /// argument): the reply is made from earlier replies to the same one only.
    pub fn for_principal(&mut self, principal: impl Into<String>) {
        self.principal = Some(Cow::Owned(principal.into()));
    }

    /// Whether the reply can be sent while it is written, so that results may be
    /// [streams](castile_value::Item::Stream) that are not read to their end before.
    pub fn streams(&self) -> bool {
        self.early.is_some() && !self.is_encoded()
    }

    /// Writes the reply. One with a stream, or an array above
    /// [`overlay_above`](castile_diff::Options::overlay_above), is sent while it is written.
    ///
    /// # Errors
    /// A value that the contract does not allow; that of a stream. When a part of the reply is sent
    /// already, it is broken off, so that the client cannot take it for a whole one.
    pub fn reply(&self, header: &dyn Source, result: &dyn Source) -> Result<Answer, Error> {
        self.reply_by(header, result, &Here)
    }

    /// [`Replier::reply`] on a thread of another language.
    ///
    /// # Errors
    /// As [`Replier::reply`].
    pub fn reply_by(
        &self,
        header: &dyn Source,
        result: &dyn Source,
        host: &dyn Host,
    ) -> Result<Answer, Error> {
        let Some(plan) = &self.operation.output else {
            return Ok(Answer::default());
        };
        let types = self.service.types();
        let nested = results(types, plan).1;
        let body = Body(result);
        let body: &dyn Source = if nested { &body } else { result };
        let layers = &self.service.options().layers;
        let sending = Sending {
            version: self.version,
            operation: &self.operation.name,
            action: &self.operation.output_action,
            to: "",
            one_way: false,
            fault: None,
            world: layers.world(),
        };
        let blocks = layers.reply(self.memories, &sending)?;
        let header = &WithBlocks::new(types, plan.header, header, &blocks);
        let above = self.service.options().differential.overlay_above;
        let options = EncodeOptions {
            overlay_above: self.early.map(|_| above),
            ..self.service.encode_options()
        };
        let draft = Draft {
            types,
            plan,
            version: self.version,
            header,
            body,
            options: &options,
        };
        let began = Instant::now();
        let made = match self.key() {
            Some(key) => encode(self.service.templates(), key, &draft).map(Payload::from),
            None => {
                let mut whole = Vec::with_capacity(1024);
                draft.encode(&mut whole).map(|()| whole.into())
            }
        };
        let made = match (made, self.early) {
            (Err(error), Some(early)) if error.kind() == castile_codec::Kind::Overlay => {
                early_reply(&draft, early, host)?
            }
            (made, _) => made?,
        };
        self.service.sizes.note(self.operation, made.len());
        self.service.note_encode(began);
        Ok(Answer(made))
    }

    /// The earlier replies from which this one is made; none: it is written anew.
    fn key(&self) -> Option<ReplyKey> {
        if self.service.sizes.is_small(self.operation) {
            return None;
        }
        let sharing = self.service.sharing(&self.operation.name);
        let principal = self.principal.as_deref();
        ReplyKey::new(self.operation, sharing, principal, self.certificate)
    }
}

/// Sends a reply while it is written.
fn early_reply(draft: &Draft<'_>, early: Early<'_>, host: &dyn Host) -> Result<Payload, Error> {
    let (sender, body) = castile_http::Body::channel(AHEAD);
    (early.0)(draft.version, body);
    let mut portions = Portions::new(sender, host);
    match draft.encode_drained(&mut portions) {
        Ok(()) => Ok(Payload::streamed(portions.finish().0)),
        Err(error) if error.kind() == castile_codec::Kind::Stopped => {
            tracing::info!("the client left before its reply was whole");
            Ok(Payload::default())
        }
        Err(error) => Err(error.into()),
    }
}
