//! Calls whose request is sent while it is written (paper 000: chunk overlaying and pipelined sends).
//!
//! ```text
//!   calling thread   source ─encode─▶ portion ─┐            ┌─ portion comes back
//!   its own thread                             └─ channel ─▶ connection ─▶ ··· ─▶ reply
//! ```
//!
//! The calling thread writes, because values may belong to it; the connection has a thread for the time of
//! the call. When the server wants the request once more, it is written once more.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use castile_codec::{Draft, Kind as Codec};
use castile_contract::Operation;
use castile_http::{Body, BodySender, Request};
use castile_value::Source;

use super::Client;
use super::call::{Exchange, Outgoing, during};
use crate::error::{Error, Guilty, Kind};
use crate::payload::Payload;
use crate::portions::{AHEAD, Host, Portions, TICK};

/// What writing a message came to.
#[derive(Default)]
pub(super) struct Written {
    bytes: u64,
    encode: Duration,
}

impl Client {
    /// [`Client::prepare`] and [`Client::exchange`] in one, in constant memory: arrays are sent while they
    /// are written, and fields may be [streams](castile_value::Item::Stream). The record of the call has
    /// no request envelope.
    ///
    /// # Errors
    /// As of both; and that of a stream, whose reason is a [source](std::error::Error::source) of the
    /// error. The message is broken off then, so that the server cannot take it for a whole one.
    pub fn exchange_streamed(
        &self,
        mut outgoing: Outgoing,
        header: &dyn Source,
        args: &dyn Source,
        host: &dyn Host,
    ) -> Result<Exchange, Error> {
        let operation = self.operation(&outgoing.operation)?;
        let options = self.encode_options();
        let (exchanged, memories) = self.with_draft(operation, header, args, &options, |draft| {
            let send = |request: Request, way: &Way<'_>| {
                let stopped = || way.is_stopped();
                let watch = request.watch.clone();
                let response = self.transport.send_with_interrupt(request, &stopped)?;
                Ok((response, watch))
            };
            self.send_streamed(&outgoing, operation, draft, host, send)
        })?;
        let ((response, watch), written) = exchanged?;
        outgoing.memories = memories;
        outgoing.encode = written.encode;
        outgoing.body = Payload::streamed(written.bytes);
        self.complete(outgoing, response, watch, &|| host.interrupted())
    }

    /// Writes a request while `send` sends it.
    pub(super) fn send_streamed<R: Send>(
        &self,
        outgoing: &Outgoing,
        operation: &Operation,
        draft: &Draft<'_>,
        host: &dyn Host,
        send: impl FnOnce(Request, &Way<'_>) -> Result<R, Error> + Send,
    ) -> Result<(R, Written), Error> {
        let (begin, wanted) = mpsc::channel();
        let answered = begin.clone();
        let body = Body::again(move || {
            let (sender, body) = Body::channel(AHEAD);
            match begin.send(Wanted::Message(sender)) {
                Ok(()) => body,
                Err(_) => Body::failed("the message is not written any more"),
            }
        });
        let request = self.request(operation, outgoing, body)?;
        let (stop, whole) = (AtomicBool::new(false), AtomicBool::new(false));
        let way = Way {
            stop: &stop,
            whole: &whole,
        };
        std::thread::scope(|scope| {
            let network = scope.spawn(|| {
                let answer = send(request, &way);
                // Nobody waits for it where writing failed.
                let _ = answered.send(Wanted::Nothing);
                answer
            });
            let written = write(draft, wanted, host, &way);
            let mut joined = None;
            let mut network = Some(network);
            host.unlocked(&mut || joined = network.take().map(std::thread::ScopedJoinHandle::join));
            let response = match joined {
                Some(Ok(response)) => response.map_err(|e| during(e, outgoing)),
                _ => Err(Error::new(
                    Kind::Transport,
                    Guilty::Us,
                    "the thread of the connection ended abnormally",
                )),
            };
            // What kept the message from being written is the cause of whatever the connection says.
            let written =
                written.map_err(|e| Error::from(e).during(format_args!("calling {}", operation.name)))?;
            Ok((response?, written))
        })
    }
}

/// What the connection wants of the thread that writes.
enum Wanted {
    /// The message, once more.
    Message(BodySender),
    /// No more: the exchange has ended, or its reply is read by others.
    Nothing,
}

/// What the two threads of a call tell each other.
pub(super) struct Way<'w> {
    stop: &'w AtomicBool,
    whole: &'w AtomicBool,
}

impl Way<'_> {
    /// Whether the caller gives up.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether all of the request is written.
    pub(super) fn is_whole(&self) -> bool {
        self.whole.load(Ordering::Acquire)
    }
}

/// Writes the message as often as the connection asks for it.
fn write(
    draft: &Draft<'_>,
    mut wanted: mpsc::Receiver<Wanted>,
    host: &dyn Host,
    way: &Way<'_>,
) -> Result<Written, castile_codec::Error> {
    let mut written = Written::default();
    loop {
        let mut next = Err(RecvTimeoutError::Timeout);
        let (found, waiting) = (&mut next, &mut wanted);
        host.unlocked(&mut move || *found = waiting.recv_timeout(TICK));
        match next {
            Ok(Wanted::Message(sender)) => match write_once(draft, sender, host) {
                Ok(done) => {
                    written = done;
                    way.whole.store(true, Ordering::Release);
                }
                // The reply may have come before the message was whole.
                Err(error) if error.kind() == Codec::Stopped => {}
                Err(error) => return Err(error),
            },
            Err(RecvTimeoutError::Timeout) if host.interrupted() => way.stop.store(true, Ordering::Relaxed),
            Err(RecvTimeoutError::Timeout) => {}
            Ok(Wanted::Nothing) | Err(RecvTimeoutError::Disconnected) => return Ok(written),
        }
    }
}

fn write_once(
    draft: &Draft<'_>,
    sender: BodySender,
    host: &dyn Host,
) -> Result<Written, castile_codec::Error> {
    let began = Instant::now();
    let mut portions = Portions::new(sender, host);
    draft.encode_drained(&mut portions)?;
    let (bytes, waited) = portions.finish();
    Ok(Written {
        bytes,
        encode: began.elapsed().saturating_sub(waited),
    })
}
