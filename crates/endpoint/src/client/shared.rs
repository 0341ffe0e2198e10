//! Objects of earlier replies: a reply that is the same as the last one gives the same object again, and what a
//! caller gives back is filled anew.

use std::any::Any;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Instant;

use castile_codec::{Edition, Fault, Owner};
use castile_diff::{Received, Shared, Ticket};
use castile_value::{Sink, Source, Value};

use super::Client;
use super::call::Exchange;
use super::outcome::{Outcome, Read, single};
use super::record::Record;
use crate::error::Error;

/// A reply whose value others may hold as well.
#[derive(Clone, Debug)]
pub struct SharedReply {
    /// The same as that of the last reply, when the same bytes came.
    pub value: Arc<Value>,
    /// What the call did.
    pub record: Record,
}

/// A reply's value that the next reply may change where it differs, for [`Client::call_in_place`]. It can be read; who
/// wants to write to it takes it out.
#[derive(Debug, Default)]
pub struct InPlace {
    value: Value,
    /// Which message it is of.
    edition: Option<Edition>,
}

impl InPlace {
    /// The value, as a value like any other.
    pub fn into_value(self) -> Value {
        self.value
    }
}

impl Deref for InPlace {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.value
    }
}

impl Client {
    /// Calls an operation whose replies are mostly the same, such as a poll for what is new: while they are,
    /// nothing of them is read, and each gives the same value. Objects that stand in several places, which only
    /// SOAP encoding has, are not in it.
    ///
    /// # Errors
    /// Those of a call; a fault is the inner one.
    pub fn call_shared(
        &self,
        operation: &str,
        header: &dyn Source,
        args: &dyn Source,
    ) -> Result<Result<SharedReply, Fault>, Error> {
        let exchange = self.exchange(self.prepare(operation, header, args)?)?;
        let (mut header, mut result) = self.sinks(operation)?;
        let (outcome, shared, record) = self.receive_shared(&exchange, &mut header, &mut result);
        if let Outcome::Fault(fault) = outcome? {
            return Ok(Err(*fault));
        }
        let made = || Arc::new(single(result.finish()));
        let value = match shared {
            Some(Shared::Same(value)) => value,
            Some(Shared::New(_, Some(ticket))) => {
                let value = made();
                self.share(ticket, value.clone());
                value
            }
            _ => made(),
        };
        Ok(Ok(SharedReply { value, record }))
    }

    /// Calls an operation, and fills the arrays of an earlier reply's value anew: `value` holds the new reply's value
    /// afterwards, in the same memory as far as it was an array of numbers or of flat records, and is absent when the
    /// call fails. A value of another operation does no harm and is of no use.
    ///
    /// # Errors
    /// Those of a call; a fault is the inner one.
    pub fn call_into(
        &self,
        operation: &str,
        header: &dyn Source,
        args: &dyn Source,
        value: &mut Value,
    ) -> Result<Result<Record, Fault>, Error> {
        let earlier = std::mem::take(value);
        let called = self.call_reusing(operation, (header, args), earlier, None)?;
        Ok(called.map(|(filled, record)| {
            *value = filled;
            record
        }))
    }

    /// Calls an operation, and changes an earlier reply's value where the new reply differs: `value` holds the new
    /// reply's value afterwards. Arrays of numbers and of flat records of which little changed cost what comparing the
    /// reply costs. When the call fails the value is absent.
    ///
    /// # Errors
    /// Those of a call; a fault is the inner one.
    pub fn call_in_place(
        &self,
        operation: &str,
        header: &dyn Source,
        args: &dyn Source,
        value: &mut InPlace,
    ) -> Result<Result<Record, Fault>, Error> {
        let InPlace {
            value: earlier,
            edition,
        } = std::mem::take(value);
        let called = self.call_reusing(operation, (header, args), earlier, edition)?;
        Ok(called.map(|(changed, record)| {
            *value = InPlace {
                value: changed,
                edition: record.received.edition,
            };
            record
        }))
    }

    /// Calls an operation and puts the reply where an earlier one was, which is still as the message `edition` told it.
    fn call_reusing(
        &self,
        operation: &str,
        (header, args): (&dyn Source, &dyn Source),
        earlier: Value,
        edition: Option<Edition>,
    ) -> Result<Result<(Value, Record), Fault>, Error> {
        let exchange = self.exchange(self.prepare(operation, header, args)?)?;
        let (mut header, result) = self.sinks(operation)?;
        let mut result = result.with_spare(earlier);
        let read: Read<'_, Received> =
            &|automata, message, number, intake| automata.decode_into(message, number, intake, edition);
        let (outcome, record) = self.receive_by(&exchange, &mut header, &mut result, read);
        Ok(match outcome? {
            Outcome::Fault(fault) => Err(*fault),
            Outcome::Reply(_) => Ok((single(result.finish()), record)),
        })
    }

    /// [`Client::receive`], but for a reply that is the same as the last one the result's sink is told nothing,
    /// and the object is given that was [made](Client::share) of that one, if it is a `T`.
    ///
    /// # Errors
    /// As [`Client::receive`].
    pub fn receive_shared<T: Any + Send + Sync>(
        &self,
        exchange: &Exchange,
        header: &mut dyn Sink,
        result: &mut dyn Sink,
    ) -> (Result<Outcome, Error>, Option<Shared<T>>, Record) {
        let started = Instant::now();
        let read = self.outcome(exchange, header, result, &|automata, message, number, intake| {
            automata.decode_shared(message, number, intake).map(Some)
        });
        let (outcome, shared) = match read {
            Ok((outcome, shared)) => (Ok(outcome), shared),
            Err(error) => (Err(error), None),
        };
        let received = shared.as_ref().map_or_else(Received::default, Shared::received);
        (outcome, shared, self.received(exchange, started, received))
    }

    /// [`Client::decode`], but a reply that is the same as the last of its operation tells the sinks nothing and gives
    /// what was [shared](Client::share) of that one, if it is a `T`. `None` for a fault, or where nothing is learned.
    ///
    /// # Errors
    /// As [`Client::decode`].
    pub fn decode_shared<T: Any + Send + Sync>(
        &self,
        operation: &str,
        body: &[u8],
        owner: Option<Owner>,
        header: &mut dyn Sink,
        result: &mut dyn Sink,
    ) -> Result<(Outcome, Option<Shared<T>>), Error> {
        let arrived = self.arrived(operation, body, owner)?;
        self.decode_reply(arrived, header, result, &|automata, message, number, intake| {
            automata.decode_shared(message, number, intake).map(Some)
        })
    }

    /// Keeps the object that was made of a reply, for the next one that is the same.
    pub fn share(&self, ticket: Ticket, object: Arc<dyn Any + Send + Sync>) {
        self.automata.share(ticket, object);
    }
}
