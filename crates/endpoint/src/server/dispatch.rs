//! From a message to its operation, and from an answer or error to a message.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use castile_codec::{
    Code, EncodeOptions, Envelope, Fault, Found, Limits, Memory, Name, Received, Route, Sending, Version,
};
use castile_contract::{BodyStyle, Contract, Operation};
use castile_diff::{Automata, Templates};
use castile_plan::Types;

use super::call::{Answer, Call, Handler, Trouble};
use super::find::Index;
use super::message::{InMessage, OutMessage};
use super::replies::{ReplyKey, Sharing};
use crate::costs::with_costs;
use crate::error::{Error, Guilty, Kind};
use crate::layers::{Layers, not_understood};
use crate::payload::Payload;

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
    /// What gives faults the form that a protocol above SOAP wants.
    pub faults: Option<FaultStyle>,
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
            faults: None,
        }
    }
}

/// A service of a contract: takes messages, finds operations, asks a [`Handler`], makes replies.
/// All SOAP ports of the service are answered, each in the version that the caller speaks.
pub struct Service {
    contract: Arc<Contract>,
    options: ServiceOptions,
    handler: Box<dyn Handler>,
    index: Index,
    counters: Counters,
    /// The replies sent last.
    templates: Templates<ReplyKey>,
    /// What was learned of requests.
    automata: Automata,
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
            templates: Templates::new(with_costs(&options.differential)),
            automata: Automata::new(options.receiving.clone()),
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

    pub(super) fn automata(&self) -> &Automata {
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

    /// Adds what decoding took since `began` to the figures.
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
        }
    }

    fn fault_body(&self, version: Version, operation: Option<&Operation>, fault: &Fault) -> Vec<u8> {
        let detail = operation.map(|o| o.detail);
        let options = self.encode_options();
        let mut body = Vec::new();
        let mut encode =
            |fault| castile_codec::encode_fault(self.types(), detail, version, fault, &options, &mut body);
        if let Err(error) = encode(fault) {
            tracing::error!(%error, "a fault could not be written");
            let bare = Fault::new(Code::Receiver, "the service failed to answer");
            let plain = Fault {
                headers: fault.headers.clone(),
                ..bare.clone()
            };
            // A handler may have given headers that are no XML.
            let written = encode(&plain).or_else(|_| encode(&bare));
            debug_assert!(written.is_ok(), "a fault without detail can be written");
        }
        body
    }

    /// Answers a message. Never fails: what goes wrong becomes a fault.
    pub fn answer(&self, message: InMessage<'_>) -> OutMessage {
        let count = |counter: &AtomicU64, n: usize| counter.fetch_add(n as u64, Ordering::Relaxed);
        count(&self.counters.calls, 1);
        count(&self.counters.bytes_in, message.text.len());
        let began = Instant::now();
        let opened = self
            .automata
            .open(message.text, &self.options.limits, message.whose().as_deref());
        self.note_decode(began);
        let answer = match opened {
            Ok(opened) => self.dispatch(opened, message),
            Err(error) => self.refuse(message.version, &error.into()),
        };
        count(&self.counters.faults, usize::from(answer.fault.is_some()));
        count(&self.counters.bytes_out, answer.body.len());
        answer
    }

    fn dispatch(&self, mut opened: castile_diff::Message<'_>, message: InMessage<'_>) -> OutMessage {
        opened.envelope_mut().in_roles(&self.options.roles);
        let envelope = opened.envelope();
        let found = self.index.find(&self.contract, envelope, message.action);
        let mut handling = Handling {
            service: self,
            version: envelope.version(),
            operation: found.as_ref().ok().map(|(_, operation)| *operation),
            memories: Vec::new(),
            found: Found::default(),
        };
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
        let span = tracing::debug_span!("serve", operation = %operation.name, bytes = message.text.len());
        let _entered = span.enter();
        let call = Call {
            service: self,
            binding,
            operation,
            message: opened,
            peer: message.peer,
            principal: handling.found.principal.as_deref().or(message.principal),
            certificate: message.certificate,
            conversation: message.conversation,
            memories: &handling.memories,
            early: message.early.filter(|_| handling.found.reply == Route::Back),
        };
        let handled = catch_unwind(AssertUnwindSafe(|| self.handler.handle(call)));
        let (fault, cause) = match handled {
            Ok(Ok(Answer(body))) => return handling.reply(operation, body),
            Ok(Err(Trouble::Fault(fault))) => (*fault, Cause::Handler),
            Ok(Err(Trouble::Error(error))) if error.guilty() == Guilty::Peer => {
                tracing::info!(%error, "refused a message");
                let fault = error.to_fault_of(handling.version, operation.style == BodyStyle::Rpc);
                (fault, Cause::Message)
            }
            Ok(Err(Trouble::Error(error))) => {
                tracing::error!(%error, "failed to answer");
                let fault = error.to_fault_of(handling.version, operation.style == BodyStyle::Rpc);
                (fault, Cause::Failure)
            }
            Err(_) => {
                tracing::error!("a handler panicked");
                let fault = Fault::new(Code::Receiver, "the service failed to answer");
                (fault, Cause::Failure)
            }
        };
        handling.fault(fault, cause)
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
            message,
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
        let handling = Handling {
            service: self,
            version,
            operation: None,
            memories: Vec::new(),
            found: Found::default(),
        };
        handling.fault(fault, Cause::Message)
    }
}

/// One message while it is answered.
struct Handling<'s> {
    service: &'s Service,
    version: Version,
    operation: Option<&'s Operation>,
    /// What the layers remember of it.
    memories: Vec<Memory>,
    /// What they found out.
    found: Found,
}

impl Handling<'_> {
    /// What must be true of the headers before anything else is done.
    fn check(&mut self, envelope: &Envelope<'_>, action: Option<&str>) -> Result<(), Fault> {
        let Service { options, index, .. } = self.service;
        let layers = &options.layers;
        let blocks = envelope.headers();
        let name = self.operation.map_or("", |o| &*o.name);
        let known = self.operation.map(|o| [&*o.input_action, &*o.soap_action]);
        let expected = known
            .as_ref()
            .filter(|_| options.strict)
            .map_or(&[][..], |known| &known[..]);
        let received = Received {
            version: self.version,
            operation: name,
            // What the contract declares is right, whatever the headers say.
            action: action.filter(|a| self.operation.is_none_or(|o| o.soap_action != *a)),
            expected,
            blocks,
            one_way: self.operation.is_none_or(|o| o.one_way),
            is_fault: envelope.is_fault(),
            world: layers.world(),
        };
        let checked = layers.check_request(&received, &mut self.found, &mut self.memories);
        let refused = not_understood(blocks, &options.roles, layers, |name| {
            index.understands(name) || options.understood.iter().any(|own| *own == name.to_string())
        });
        if !refused.is_empty() {
            let names: Vec<Name> = refused.into_iter().cloned().collect();
            return Err(Fault::not_understood(self.version, &names));
        }
        checked.map_err(|refusal| *refusal.fault)
    }

    fn reply(self, operation: &Operation, body: Payload) -> OutMessage {
        // Most answers go back, where the action is of no use.
        OutMessage {
            version: self.version,
            body,
            fault: None,
            action: match self.found.reply {
                Route::To(_) => operation.output_action.clone(),
                _ => String::new(),
            },
            route: self.found.reply,
        }
    }

    fn fault(self, fault: Fault, cause: Cause) -> OutMessage {
        let mut fault = match &self.service.options.faults {
            Some(style) => style(fault, cause),
            None => fault,
        };
        let action = self.operation.map_or("", |o| fault_action(o, &fault)).to_owned();
        let options = &self.service.options;
        let sending = Sending {
            version: self.version,
            operation: self.operation.map_or("", |o| &o.name),
            action: &action,
            to: "",
            one_way: false,
            fault: Some(&fault),
            world: options.layers.world(),
        };
        let blocks = options.layers.reply(&self.memories, &sending);
        let blocks =
            blocks.inspect_err(|error| tracing::error!(%error, "a fault goes out without its headers"));
        fault.headers.extend(blocks.unwrap_or_default());
        OutMessage {
            version: self.version,
            body: self
                .service
                .fault_body(self.version, self.operation, &fault)
                .into(),
            fault: Some(fault.code),
            action,
            route: self.found.fault,
        }
    }
}

/// The action of a declared fault; empty for others.
fn fault_action<'o>(operation: &'o Operation, fault: &Fault) -> &'o str {
    let Some(detail) = fault.detail.first() else {
        return "";
    };
    let name = detail.name.to_string();
    let declared = operation.faults.iter().find(|declared| declared.element == name);
    declared.map_or("", |declared| &declared.action)
}

fn nanos(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX)
}
