//! What came back from a call: its values, and what the call did.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use castile_codec::{DecodeOptions, Envelope, Fault, HeaderBlock, Intake, Name, Owner};
use castile_contract::Operation;
use castile_diff::{Automata, Message, Received};
use castile_http::{Response, StatusCode, Watch};
use castile_plan::{Plan, QName};
use castile_value::{Graph, Sink, Value, ValueSink};
use url::Url;

use super::call::Exchange;
use super::related::{Incoming, content_type};
use super::reply::{about, foreign, no_message, refusal};
use super::{Client, Record};
use crate::adapt::{decode_values, results};
use crate::arrival::Arrival;
use crate::error::{Error, Guilty, Kind};
use crate::layers::Memories;
use crate::media::{self, Media};

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

/// A reply's envelope, not yet read.
pub(super) struct Arrived<'a> {
    /// What it answers.
    pub(super) operation: &'a Operation,
    /// What the layers remember of the request, whose answer it then has to be.
    pub(super) memories: Option<&'a Memories>,
    pub(super) status: StatusCode,
    pub(super) content_type: &'a str,
    pub(super) body: &'a [u8],
    /// What the body is the end of, when that may be kept until the next reply comes.
    pub(super) owner: Option<Owner>,
    /// Who looked at the body while it came.
    pub(super) watch: Option<&'a dyn Watch>,
}

impl Client {
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
        self.receive_by(exchange, header, result, &Automata::decode)
    }

    /// The same, read in a way of the caller's.
    pub(super) fn receive_by(
        &self,
        exchange: &Exchange,
        header: &mut dyn Sink,
        result: &mut dyn Sink,
        read: Read<'_, Received>,
    ) -> (Result<Outcome, Error>, Record) {
        let started = Instant::now();
        let (outcome, received) = match self.outcome(exchange, header, result, read) {
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

    pub(super) fn outcome<T: Default>(
        &self,
        exchange: &Exchange,
        header: &mut dyn Sink,
        result: &mut dyn Sink,
        read: Read<'_, T>,
    ) -> Result<(Outcome, T), Error> {
        let operation = self.operation(&exchange.outgoing.operation)?;
        let Response { status, body, .. } = &exchange.incoming.response;
        self.answer(operation, exchange, (header, result), read)
            .map_err(|e| about(e, &operation.name, *status, body))
    }

    fn answer<T: Default>(
        &self,
        operation: &Operation,
        exchange: &Exchange,
        (header, result): (&mut dyn Sink, &mut dyn Sink),
        read: Read<'_, T>,
    ) -> Result<(Outcome, T), Error> {
        let Response {
            status,
            headers,
            body,
            body_is_alone,
            ..
        } = &exchange.incoming.response;
        let content_type = content_type(headers);
        if body.is_empty() {
            return match status.is_success() {
                true if operation.output.is_some() => Err(peer("it is empty")),
                true => Ok((Outcome::Reply(Vec::new()), T::default())),
                false => Err(refusal(*status, "it is an error without a word")),
            };
        }
        // A part would keep all other parts as well.
        let (content_type, body, owner) = match &exchange.incoming.related {
            Some(Ok(related)) => (&*related.root.content_type, &related.root.content, None),
            Some(Err(why)) => return Err(refusal(*status, &format!("no multipart message: {why}"))),
            None => (content_type, body, body_is_alone.then_some(body)),
        };
        if !Media::parse(content_type).is_xml() {
            return Err(foreign(*status, content_type, body));
        }
        let memories = Some(&exchange.outgoing.memories);
        let arrived = Arrived {
            operation,
            memories,
            status: *status,
            content_type,
            body,
            owner: owner.and_then(|body| self.automata.owner_of(body)),
            watch: exchange.incoming.watch.as_deref(),
        };
        self.decode_reply(arrived, header, result, read)
    }

    /// The values of a reply, into sinks.
    pub(super) fn decode_reply<T: Default>(
        &self,
        arrived: Arrived<'_>,
        header: &mut dyn Sink,
        result: &mut dyn Sink,
        read: Read<'_, T>,
    ) -> Result<(Outcome, T), Error> {
        let Arrived {
            operation,
            memories,
            status,
            content_type,
            body,
            owner,
            watch,
        } = arrived;
        let types = self.types();
        let text = media::text(body, &Media::parse(content_type)).map_err(|e| no_message(status, e))?;
        let opened = self.automata.open(&text, &self.options.limits, Some(MY_SERVER));
        let mut message = opened.map_err(|e| no_message(status, e.into()))?;
        message.lies_in(owner);
        // What was compared are the bytes as they came.
        if matches!(text, Cow::Borrowed(_)) {
            message.came_as(watch.and_then(Arrival::take));
        }
        let envelope = message.envelope();
        if let Some(memories) = memories {
            self.check(operation, memories, envelope)?;
        }
        let options = DecodeOptions {
            strict: self.options.strict,
            ..DecodeOptions::default()
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
        let (values, sinks) = (results(types, plan), (header, result));
        let received = decode_values(types, plan, &options, values, sinks, |intake| {
            read(&self.automata, message, number, intake)
        })?;
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

    fn record(&self, exchange: &Exchange, decode: Duration, received: Received) -> Record {
        let Exchange {
            outgoing,
            incoming: Incoming {
                response, related, ..
            },
        } = exchange;
        let text = |v: &castile_http::HeaderValue| String::from_utf8_lossy(v.as_bytes()).into_owned();
        Record {
            operation: outgoing.operation.clone(),
            endpoint: self.endpoint().map_or_else(String::new, Url::to_string),
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
pub(super) const MY_SERVER: &[u8] = b"";

/// The value itself when the record has one field, else the record.
pub(super) fn single(record: castile_value::Record) -> Value {
    match record.values().len() {
        0 => Value::Absent,
        1 => record.into_values().pop().unwrap_or_default(),
        _ => Value::Record(record),
    }
}

pub(super) fn peer(text: &str) -> Error {
    Error::new(Kind::Peer, Guilty::Peer, text)
}
