//! Requests that are answered while they come.
//!
//! ```text
//!   bytes ─ Intake ─▶ operation ─┬─ it streams ──▶ Handler ─ ArgumentStream ─▶ batches
//!                                └─ all others ──▶ the rest is read, then answered as a whole
//! ```

use std::collections::HashMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};

use castile_codec::{BodyStream, DecodeOptions, Envelope, Fault, HeaderBlock, Limits, Spine};
use castile_contract::{Binding, BodyStyle, Contract, Operation};
use castile_http::{Arriving, Bytes};
use castile_plan::Plan;
use castile_value::{Record, ValueSink};
use castile_xml::Window;

use super::arguments::{ArgumentStream, Note};
use super::call::{Answer, Content, Handler, Open};
use super::dispatch::{Cause, Service};
use super::handling::{Handling, failure};
use super::message::{InMessage, OutMessage};
use crate::batched::{Intake, StreamOptions};
use crate::error::{Error, Guilty, Kind};
use crate::portions::Here;

/// The operations whose argument is read while it comes, by the address of each.
#[derive(Default)]
pub(super) struct Streamed(HashMap<usize, (Spine, StreamOptions)>);

/// What a request that comes turns out to be.
pub(super) enum Arrived {
    /// One that is answered already.
    Answered(Box<OutMessage>),
    /// One that must be read whole; these bytes came, the others are still to come.
    Whole(Box<Arriving>, Vec<Bytes>),
}

/// What the head of a request says.
enum Head<'s> {
    /// Its operation takes no stream.
    Whole,
    Refused(Box<(Handling<'s>, Box<Fault>, Cause)>),
    Stream(Box<Found<'s>>),
}

/// An operation that takes a stream.
struct Found<'s> {
    handling: Handling<'s>,
    binding: &'s Binding,
    operation: &'s Operation,
    plan: &'s Plan,
    options: &'s StreamOptions,
    note: Arc<Note>,
    body: BodyStream,
    header: Record,
    blocks: Vec<HeaderBlock>,
}

impl Streamed {
    /// Asks the handler for each operation.
    ///
    /// # Errors
    /// The operation has no such array, or it is not the last argument.
    pub(super) fn new(contract: &Contract, handler: &dyn Handler) -> Result<Streamed, Error> {
        let mut streamed = Streamed::default();
        for operation in contract.bindings.iter().flat_map(|binding| &binding.operations) {
            let Some(options) = handler.streams(operation) else {
                continue;
            };
            let refused = |text: String| {
                let text = format!("the arguments of {} cannot be streamed: {text}", operation.name);
                Error::new(Kind::Value, Guilty::Caller, text)
            };
            let plan = operation.input.as_ref();
            let plan = plan.ok_or_else(|| refused("there are none".to_owned()))?;
            let spine = Spine::find(&contract.types, plan, options.array.as_deref());
            let spine = spine.map_err(|e| refused(e.to_string()))?;
            if !spine.is_last(&contract.types, plan) {
                let text = "the array is not the last of them, so the others would come too late";
                return Err(refused(text.to_owned()));
            }
            streamed.0.insert(address(operation), (spine, options));
        }
        Ok(streamed)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn address(operation: &Operation) -> usize {
    std::ptr::from_ref(operation) as usize
}

impl Service {
    /// Answers a request while it comes, if its operation takes a stream. `message` says all of it but
    /// its text.
    pub(super) fn answer_arriving(
        &self,
        arriving: Arriving,
        charset: Option<&str>,
        message: &InMessage<'_>,
    ) -> Arrived {
        let limits = self.options().limits;
        let mut intake = Intake::new(arriving, &limits, charset);
        let head = match intake.open(&Here, |window, limits| self.head(window, limits, message)) {
            Ok(head) => head,
            Err(error) => {
                let refused = self.refuse(message.version, &error);
                self.count(intake.bytes(), &refused);
                return Arrived::Answered(Box::new(refused));
            }
        };
        let (bytes, answer) = match head {
            Head::Whole => return Arrived::Whole(Box::new(intake.chunks), intake.came),
            Head::Refused(refused) => {
                let (handling, fault, cause) = *refused;
                (intake.bytes(), handling.fault(*fault, cause))
            }
            Head::Stream(found) => self.answer_stream(*found, intake, message),
        };
        self.count(bytes, &answer);
        Arrived::Answered(Box::new(answer))
    }

    /// What the head of a request says, once it has come.
    fn head(
        &self,
        window: &mut Window<'_>,
        limits: &Limits,
        message: &InMessage<'_>,
    ) -> Result<Option<Head<'_>>, Error> {
        let options = self.options();
        let Some(mut envelope) = Envelope::open_window(window, limits)? else {
            return Ok(None);
        };
        envelope.in_roles(&options.roles);
        let Ok((binding, operation)) = self.index.find(self.contract(), &envelope, message.action) else {
            return Ok(Some(Head::Whole));
        };
        let (Some((spine, stream)), Some(plan)) =
            (self.streamed.0.get(&address(operation)), &operation.input)
        else {
            return Ok(Some(Head::Whole));
        };
        let (version, rpc) = (envelope.version(), operation.style == BodyStyle::Rpc);
        let mut handling = Handling::new(self, version, Some(operation));
        if let Err(fault) = handling.check(&envelope, message.action) {
            tracing::info!(%fault, "refused a message");
            return Ok(Some(Head::Refused(Box::new((
                handling,
                Box::new(fault),
                Cause::Message,
            )))));
        }
        let blocks = envelope.headers().to_vec();
        let types = self.types();
        let mut header = ValueSink::new(types.shape(plan.header).clone());
        let strict = DecodeOptions {
            strict: options.strict,
            ..DecodeOptions::default()
        };
        let body = match envelope.stream(types, plan, spine.clone(), &strict, &mut header, window) {
            Ok(body) => body,
            Err(error) => {
                let (fault, cause) = failure(self, &error.into(), version, rpc);
                return Ok(Some(Head::Refused(Box::new((handling, fault, cause)))));
            }
        };
        let note = Note {
            version,
            rpc,
            bytes: AtomicU64::new(0),
            broken: Mutex::new(None),
        };
        Ok(Some(Head::Stream(Box::new(Found {
            handling,
            binding,
            operation,
            plan,
            options: stream,
            note: Arc::new(note),
            body,
            header: header.finish(),
            blocks,
        }))))
    }

    /// Lets the handler read the stream; gives how many bytes came.
    fn answer_stream(
        &self,
        found: Found<'_>,
        intake: Intake<Arriving>,
        message: &InMessage<'_>,
    ) -> (u64, OutMessage) {
        let (values, _) = found.plan.values(self.types());
        let batched = intake.body(self.types(), found.plan, found.body, found.options);
        let shape = self.types().shape(values).clone();
        let note = found.note;
        let open = Open {
            version: note.version,
            blocks: found.blocks,
            arguments: ArgumentStream {
                batched,
                header: found.header,
                values: Record::new(shape),
                note: note.clone(),
            },
        };
        let Found {
            handling,
            binding,
            operation,
            ..
        } = found;
        let span = tracing::debug_span!("serve", operation = %operation.name);
        let _entered = span.enter();
        let content = Content::Open(Box::new(open));
        let handled = self.handle(handling.call(binding, operation, content, message));
        let bytes = note.bytes.load(std::sync::atomic::Ordering::Relaxed);
        // A message that was not what it should be is refused, whatever the handler made of it.
        let broken = note.broken.lock().unwrap_or_else(PoisonError::into_inner).take();
        let answer = match (broken, handled) {
            (Some(fault), _) => handling.fault(fault, Cause::Message),
            (None, Ok(Answer(body))) => handling.reply(operation, body),
            (None, Err((fault, cause))) => handling.fault(*fault, cause),
        };
        (bytes, answer)
    }
}
