//! From a message to its operation, and from an answer or error to a message.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use castile_codec::{Code, EncodeOptions, Fault, Limits, Version};
use castile_contract::{BodyStyle, Contract, Operation};
use castile_diff::{Automata, Coming, Templates};
use castile_plan::Types;

use super::call::{Answer, Call, Content, Handler, Trouble};
use super::find::Index;
use super::handling::{Handling, failure};
use super::message::{InMessage, OutMessage, Whose};
use super::open::Streamed;
use super::replies::{ReplyKey, Sharing, Sizes, templates};
use crate::error::{Error, FAILED, Guilty, Kind};
use crate::layers::Layers;

/// Settings of a service.
#[derive(Clone)]
pub struct ServiceOptions {
    /// The service to answer for, when the WSDL has several; else the first.
    pub service: Option<String>,
    /// Check messages against the contract both ways. Default true.
    pub strict: bool,
    /// Significant digits of doubles and floats that are sent; `None` (the default): all that are
    /// needed to read back the same bits.
    pub digits: Option<u8>,
    /// By the rules of SOAP encoding, send a text that the message has already as a reference to it.
    /// Default false.
    pub share_texts: bool,
    /// Limits on the XML of requests.
    pub limits: Limits,
    /// What checks the headers of requests and adds headers to replies.
    pub layers: Layers,
    /// The actors (SOAP 1.2: roles) that the service plays, beside `next` and the ultimate receiver:
    /// header blocks for them that must be understood are refused when nobody knows them.
    pub roles: Vec<String>,
    /// The header blocks that the handlers look for themselves, beside those that the contract and the
    /// layers know: `{namespace}local`.
    pub understood: Vec<String>,
    /// How replies are made from the last ones.
    pub differential: castile_diff::Options,
    /// How requests are read by what was learned of the last ones.
    pub receiving: castile_diff::Receiving,
    /// Whose replies are made from whose, by name of the operation, where it is not
    /// [`Sharing::Principal`].
    pub sharing: HashMap<String, Sharing>,
    /// An array that several replies have is written once: by whatever operation, for callers that proved
    /// nothing or are told the same, with other services that have the same pool in `differential`, and for each
    /// principal apart. Default true.
    pub share_arrays: bool,
    /// What gives faults the form that a protocol above SOAP wants.
    pub faults: Option<FaultStyle>,
    /// Tell callers why the service failed, and instead of a fault that cannot be written as the handler gave it,
    /// why not: for tests and for whoever makes the service. It tells strangers what is none of their business.
    /// Default false: they learn that it failed, such a fault goes out without its details, and the log has the rest.
    pub debug: bool,
}

/// Changes a fault before it is written, knowing how it came about.
pub type FaultStyle = Arc<dyn Fn(Fault, Cause) -> Fault + Send + Sync>;

/// How a fault came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// No operation takes the message.
    NoSuchOperation,
    /// The message is not what SOAP, a layer or the contract says.
    Message,
    /// The handler answered with a fault.
    Handler,
    /// The handler failed, or what it gave cannot be written.
    Failure,
}

impl Default for ServiceOptions {
    fn default() -> Self {
        ServiceOptions {
            service: None,
            strict: true,
            digits: None,
            share_texts: false,
            limits: Limits::default(),
            layers: Layers::default(),
            roles: Vec::new(),
            understood: Vec::new(),
            differential: castile_diff::Options::default(),
            receiving: castile_diff::Receiving::default(),
            sharing: HashMap::new(),
            share_arrays: true,
            faults: None,
            debug: false,
        }
    }
}

/// A service of a contract: takes messages, finds operations, asks a [`Handler`], makes replies.
/// All SOAP ports of the service are answered, each in the version that the caller speaks.
pub struct Service {
    contract: Arc<Contract>,
    options: ServiceOptions,
    handler: Box<dyn Handler>,
    pub(super) index: Index,
    counters: Counters,
    /// The replies sent last.
    templates: Templates<ReplyKey>,
    pub(super) sizes: Sizes,
    /// What was learned of requests.
    automata: Arc<Automata>,
    pub(super) streamed: Streamed,
}

#[derive(Default)]
struct Counters {
    calls: AtomicU64,
    faults: AtomicU64,
    bytes_in: AtomicU64,
    bytes_out: AtomicU64,
    decode_nanos: AtomicU64,
    encode_nanos: AtomicU64,
}

/// What a service did since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Messages received.
    pub calls: u64,
    /// Of those, answered with a fault.
    pub faults: u64,
    /// Bytes of envelopes received.
    pub bytes_in: u64,
    /// Bytes of envelopes sent.
    pub bytes_out: u64,
    /// Turning bytes into values, all calls together.
    pub decode: Duration,
    /// Turning values into bytes, all answers together that are no faults.
    pub encode: Duration,
}

impl Service {
    /// A service of a contract.
    ///
    /// # Errors
    /// The contract has no such service, or none with a SOAP port, or no operation that the options
    /// speak of.
    pub fn new(
        contract: Arc<Contract>,
        options: ServiceOptions,
        handler: impl Handler,
    ) -> Result<Service, Error> {
        Ok(Service {
            index: Index::new(&contract, &options)?,
            streamed: Streamed::new(&contract, &handler)?,
            templates: templates(&options),
            sizes: Sizes::new(&contract),
            automata: Arc::new(Automata::new(options.receiving.clone())),
            options,
            handler: Box::new(handler),
            counters: Counters::default(),
            contract,
        })
    }

    /// What the WSDL says.
    pub fn contract(&self) -> &Arc<Contract> {
        &self.contract
    }

    /// The table of the contract's types.
    pub fn types(&self) -> &Arc<Types> {
        &self.contract.types
    }

    /// The settings.
    pub fn options(&self) -> &ServiceOptions {
        &self.options
    }

    /// What differential sending did so far.
    pub fn differential(&self) -> castile_diff::Stats {
        self.templates.stats()
    }

    /// What differential receiving did so far.
    pub fn receiving(&self) -> castile_diff::ReceivingStats {
        self.automata.stats()
    }

    pub(super) fn automata(&self) -> &Arc<Automata> {
        &self.automata
    }

    pub(super) fn sharing(&self, operation: &str) -> Sharing {
        self.options.sharing.get(operation).copied().unwrap_or_default()
    }

    pub(super) fn templates(&self) -> &Templates<ReplyKey> {
        &self.templates
    }

    /// What the service did so far.
    pub fn stats(&self) -> Stats {
        let Counters {
            calls,
            faults,
            bytes_in,
            bytes_out,
            decode_nanos,
            encode_nanos,
        } = &self.counters;
        let [calls, faults, bytes_in, bytes_out, decode_nanos, encode_nanos] =
            [calls, faults, bytes_in, bytes_out, decode_nanos, encode_nanos]
                .map(|c| c.load(Ordering::Relaxed));
        let (decode, encode) = (
            Duration::from_nanos(decode_nanos),
            Duration::from_nanos(encode_nanos),
        );
        Stats {
            calls,
            faults,
            bytes_in,
            bytes_out,
            decode,
            encode,
        }
    }

    /// Adds what reading a message took that began so to the figures.
    pub(super) fn note_decode(&self, began: Instant) {
        self.counters
            .decode_nanos
            .fetch_add(nanos(began), Ordering::Relaxed);
    }

    /// Adds what encoding took since `began` to the figures.
    pub(super) fn note_encode(&self, began: Instant) {
        self.counters
            .encode_nanos
            .fetch_add(nanos(began), Ordering::Relaxed);
    }

    pub(super) fn encode_options(&self) -> EncodeOptions {
        EncodeOptions {
            strict: self.options.strict,
            digits: self.options.digits,
            share_texts: self.options.share_texts,
            overlay_above: None,
            depth_max: self.options.limits.depth_max,
        }
    }

    pub(super) fn fault_body(
        &self,
        version: Version,
        operation: Option<&Operation>,
        fault: &Fault,
    ) -> Vec<u8> {
        let detail = operation.map(|o| o.detail);
        let options = self.encode_options();
        let mut body = Vec::new();
        let mut encode = |fault: &Fault| {
            castile_codec::encode_fault(self.types(), detail, version, fault, &options, &mut body)
        };
        let Err(error) = encode(fault) else {
            return body;
        };
        tracing::error!(%error, "a fault goes out without what cannot be written of it");
        let with_headers = |bare: Fault| Fault {
            headers: fault.headers.clone(),
            ..bare
        };
        let bare = Fault::new(Code::Receiver, FAILED);
        let instead = match self.options.debug {
            true => with_headers(Fault::new(
                Code::Receiver,
                format!("the service's fault cannot be written: {error}"),
            )),
            false => Fault {
                detail: Vec::new(),
                header_values: Vec::new(),
                ..fault.clone()
            },
        };
        // A handler may have given headers that are no XML.
        let written = encode(&instead)
            .or_else(|_| encode(&with_headers(bare.clone())))
            .or_else(|_| encode(&bare));
        debug_assert!(written.is_ok(), "a fault without detail can be written");
        body
    }

    /// Answers a message. Never fails: what goes wrong becomes a fault.
    pub fn answer(&self, message: InMessage<'_>) -> OutMessage {
        self.answer_after(message, None)
    }

    /// The same for a message of which something was compared while it came.
    pub(super) fn answer_after(&self, message: InMessage<'_>, coming: Option<Box<Coming>>) -> OutMessage {
        let began = Instant::now();
        let whose = message.whose();
        let whose = whose.as_ref().map(Whose::bytes);
        let opened = self.automata.open(message.text, &self.options.limits, whose);
        let answer = match opened {
            Ok(mut opened) => {
                opened.lies_in(message.lies_in.and_then(|bytes| self.automata.owner_of(bytes)));
                opened.came_as(coming);
                self.dispatch(opened, message, began)
            }
            Err(error) => self.refuse(message.version, &error.into()),
        };
        self.count(message.text.len() as u64, &answer);
        answer
    }

    /// Adds a message of so many bytes and its answer to the figures.
    pub(super) fn count(&self, bytes_in: u64, answer: &OutMessage) {
        let count = |counter: &AtomicU64, n: u64| {
            if n > 0 {
                counter.fetch_add(n, Ordering::Relaxed);
            }
        };
        count(&self.counters.calls, 1);
        count(&self.counters.bytes_in, bytes_in);
        count(&self.counters.faults, u64::from(answer.fault.is_some()));
        count(&self.counters.bytes_out, answer.body.len() as u64);
    }

    fn dispatch(
        &self,
        mut opened: castile_diff::Message<'_>,
        message: InMessage<'_>,
        began: Instant,
    ) -> OutMessage {
        opened.envelope_mut().in_roles(&self.options.roles);
        let envelope = opened.envelope();
        let found = self.index.find(&self.contract, envelope, message.action);
        let operation = found.as_ref().ok().map(|(_, operation)| *operation);
        let mut handling = Handling::new(self, envelope.version(), operation);
        let checked = handling.check(envelope, message.action);
        let checked = checked.map_err(|fault| (fault, Cause::Message));
        let found = found.map_err(|fault| (fault, Cause::NoSuchOperation));
        let (binding, operation) = match checked.and(found) {
            Ok(found) => found,
            Err((fault, cause)) => {
                tracing::info!(%fault, "refused a message");
                return handling.fault(fault, cause);
            }
        };
        if let Some(principal) = handling.principal() {
            opened.belongs_to(&[b"u", principal.as_bytes()].concat());
        }
        let span = tracing::debug_span!("serve", operation = %operation.name, bytes = message.text.len());
        let _entered = span.enter();
        let call = handling.call(binding, operation, Content::Whole(opened, began), &message);
        match self.handle(call) {
            Ok(Answer(body)) => handling.reply(operation, body),
            Err((fault, cause)) => handling.fault(*fault, cause),
        }
    }

    /// Asks the handler; what goes wrong becomes a fault.
    pub(super) fn handle(&self, call: Call<'_>) -> Result<Answer, (Box<Fault>, Cause)> {
        let (version, rpc) = (call.version(), call.operation.style == BodyStyle::Rpc);
        let handled = catch_unwind(AssertUnwindSafe(|| self.handler.handle(call)));
        Err(match handled {
            Ok(Ok(answer)) => return Ok(answer),
            Ok(Err(Trouble::Fault(fault))) => (fault, Cause::Handler),
            Ok(Err(Trouble::Error(error))) => failure(self, &error, version, rpc),
            Err(_) => {
                tracing::error!("a handler panicked");
                let fault = Fault::new(Code::Receiver, FAILED);
                (Box::new(fault), Cause::Failure)
            }
        })
    }

    /// A message with its operation found, neither checked nor answered: to see what it says.
    ///
    /// # Errors
    /// The text is no envelope, or no operation takes it.
    pub fn open<'c>(&'c self, text: &'c str) -> Result<Call<'c>, Error> {
        let message = self.automata.open(text, &self.options.limits, None)?;
        let found = self.index.find(&self.contract, message.envelope(), None);
        let (binding, operation) =
            found.map_err(|fault| Error::new(Kind::Peer, Guilty::Peer, fault.reason()))?;
        Ok(Call {
            service: self,
            binding,
            operation,
            content: Content::Whole(message, Instant::now()),
            peer: None,
            principal: None,
            certificate: None,
            conversation: None,
            memories: &[],
            early: None,
        })
    }

    /// Answers a body that cannot be opened, or is not even text.
    pub(crate) fn refuse(&self, version: Version, error: &Error) -> OutMessage {
        tracing::info!(%error, "refused a message");
        // SOAP 1.2, 2.8: an envelope of another version is answered in the oldest.
        let mut fault = error.to_fault_of(version, false);
        let version = if fault.code == Code::VersionMismatch {
            fault.headers.push(castile_codec::upgrade_block());
            Version::Soap11
        } else {
            version
        };
        Handling::new(self, version, None).fault(fault, Cause::Message)
    }
}

fn nanos(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX)
}
