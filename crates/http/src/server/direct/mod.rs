//! [`Direct`]: a connection with a thread to itself, as long as it brings small calls one after the other.
//!
//! ```text
//!   acceptor ─▶ own thread: wait, read, call, write ─┐ idle for long, large, slow, or anything unusual
//!       └─────▶ worker: hyper ◀──────────────────────┘ with what was read, and a reply that is there
//! ```
//!
//! The thread waits in the kernel, so a call costs two calls of the system and no queue of events, and its handler
//! runs right here, so nothing is passed to another thread and back. What is taken here is the plainest form of a
//! request only ([`head`]) and of a reply ([`reply`]); hyper takes all else, and sees the same bytes.

mod head;
mod reply;

use std::cell::Cell;
use std::collections::VecDeque;
use std::io::{self, ErrorKind, IoSlice, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::sync::watch;

use self::head::{Heads, Look};
use self::reply::ReplyHead;
use super::connection::State;
use super::exchange::{Peer, Shared, panicked};
use super::pool::{Begun, Connection, Pool};
use super::service::{ServerResponse, Service};

/// How long the thread waits in the kernel before it looks up: a stop waits as long at most.
const TICK: Duration = Duration::from_millis(50);
/// How long a connection may be idle and keep its thread.
const IDLE: Duration = Duration::from_secs(1);
/// A reply of at most so many bytes is joined to its head.
const JOINED_BYTES: usize = 8 << 10;
/// Pieces of a reply given to the system at once.
const SLICES: usize = 64;

/// Whether the calls of a server can be answered on the threads of their connections.
pub(super) fn suits<S: Service>(shared: &Shared<S>) -> bool {
    let options = &shared.options;
    shared.service.direct().is_some()
        && shared.tls.is_none()
        && shared.guard.is_none()
        && options.timeout_handler.is_none()
        && options.compress_reply_above.is_none()
}

/// One connection.
pub(super) struct Direct<'s, S> {
    shared: &'s Shared<S>,
    pool: &'s Pool,
    state: &'s watch::Receiver<State>,
    /// What was read and is not served yet: the first `filled` bytes.
    buffer: Vec<u8>,
    filled: usize,
    /// When a request was first found to be half there.
    part_since: Option<Instant>,
    heads: Heads,
    reply: ReplyHead,
}

/// What became of waiting for bytes.
enum Came {
    Bytes,
    Nothing,
    End,
}

impl<'s, S: Service> Direct<'s, S> {
    pub(super) fn new(
        shared: &'s Shared<S>,
        pool: &'s Pool,
        address: SocketAddr,
        state: &'s watch::Receiver<State>,
    ) -> Direct<'s, S> {
        Direct {
            shared,
            pool,
            state,
            buffer: vec![0; head::BYTES_FIRST],
            filled: 0,
            part_since: None,
            heads: Heads::new(Peer::plain(address)),
            reply: ReplyHead::new(shared.server_name.as_ref()),
        }
    }

    /// Serves the connection until it ends or goes to a worker.
    pub(super) fn converse(mut self, connection: Connection) {
        let stream = &connection.stream;
        let prepared = stream
            .set_nonblocking(false)
            .and_then(|()| stream.set_read_timeout(Some(TICK)))
            .and_then(|()| stream.set_write_timeout(Some(TICK)));
        if prepared.is_err() {
            return self.leave(connection, None);
        }
        let mut connection = Some(connection);
        while let Some(now) = connection.take() {
            connection = match self.heads.look(&self.buffer[..self.filled], &self.shared.options) {
                Look::Small(body) => self.exchange(body, now),
                Look::More(bytes) => self.wait(now, bytes),
                Look::Other => {
                    self.leave(now, None);
                    None
                }
            };
        }
    }

    /// Waits for more of a request, of which at least `bytes` are still to come.
    fn wait(&mut self, mut connection: Connection, bytes: usize) -> Option<Connection> {
        let room = (self.filled + bytes).max(head::BYTES_FIRST);
        self.buffer.resize(room.max(self.buffer.len()), 0);
        let is_part = self.filled > 0;
        let part_since = is_part.then(|| *self.part_since.get_or_insert_with(Instant::now));
        let mut idle = TICK;
        loop {
            match self.read(&mut connection.stream) {
                Ok(Came::Bytes) if part_since.is_some_and(|since| since.elapsed() > TICK) => {}
                Ok(Came::Bytes) => return Some(connection),
                Ok(Came::End) if !is_part => return None,
                // hyper says what is wrong with half a request, and how long one may take.
                Ok(Came::End) => {}
                Ok(Came::Nothing) if !self.is_running() && !is_part => return None,
                Ok(Came::Nothing) if !is_part && idle < self.idle_max() => {
                    idle += TICK;
                    continue;
                }
                Ok(Came::Nothing) => {}
                Err(error) => {
                    tracing::debug!(peer = %connection.address, %error, "connection broke");
                    return None;
                }
            }
            self.leave(connection, None);
            return None;
        }
    }

    fn read(&mut self, stream: &mut TcpStream) -> io::Result<Came> {
        let room = self.buffer.get_mut(self.filled..).unwrap_or_default();
        match stream.read(room) {
            Ok(0) => Ok(Came::End),
            Ok(count) => {
                self.filled += count;
                Ok(Came::Bytes)
            }
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted => Ok(Came::Nothing),
                _ => Err(error),
            },
        }
    }

    fn idle_max(&self) -> Duration {
        // Half of what is allowed: the worker counts anew.
        let allowed = self.shared.options.timeout_idle;
        allowed.map_or(IDLE, |allowed| IDLE.min(allowed / 2))
    }

    fn is_running(&self) -> bool {
        // Its only way is to the end, and mostly nothing has happened.
        !self.state.has_changed().unwrap_or(true)
    }

    /// Answers one request; gives the connection back if there may be another.
    fn exchange(&mut self, body: Range<usize>, connection: Connection) -> Option<Connection> {
        let end = body.end;
        let connection = Cell::new(Some(connection));
        let reply = self.answer(body, &connection);
        let mut connection = connection.take()?;
        let goes_on = self.is_running();
        let pieces = match self.reply.make(reply, goes_on) {
            Ok(pieces) => pieces,
            Err(reply) => {
                self.leave(connection, Some(*reply));
                return None;
            }
        };
        if let Err(error) = self.send(&mut connection.stream, pieces) {
            tracing::debug!(peer = %connection.address, %error, "a reply was not taken");
            return None;
        }
        self.buffer.copy_within(end..self.filled, 0);
        self.filled -= end;
        self.part_since = None;
        goes_on.then_some(connection)
    }

    /// Asks the service. Where the reply begins before the call ends, the connection goes with it.
    fn answer(&mut self, body: Range<usize>, connection: &Cell<Option<Connection>>) -> ServerResponse {
        let read = &self.buffer[..self.filled];
        let begin = |reply| {
            if let Some(connection) = connection.take() {
                leave(self.pool, connection, read, Some(reply));
            }
        };
        let body = Bytes::copy_from_slice(&read[body]);
        let (Some(service), Some(request)) = (self.shared.service.direct(), self.heads.request(body)) else {
            return panicked();
        };
        let span = tracing::debug_span!("http_serve", method = %request.method, path = request.path());
        let _entered = span.enter();
        let answer = || service.answer(request, &begin);
        let reply = catch_unwind(AssertUnwindSafe(answer)).unwrap_or_else(|_| panicked());
        tracing::debug!(status = reply.status.as_u16(), "answered");
        reply
    }

    /// Writes the head that is made and the body.
    fn send(&mut self, stream: &mut TcpStream, pieces: VecDeque<Bytes>) -> io::Result<()> {
        let length: usize = pieces.iter().map(Bytes::len).sum();
        if length <= JOINED_BYTES {
            let head = &mut self.reply.bytes;
            pieces.iter().for_each(|piece| head.extend_from_slice(piece));
            return self.write(stream, &mut [IoSlice::new(&self.reply.bytes)]);
        }
        let mut slices = vec![IoSlice::new(&self.reply.bytes)];
        slices.extend(pieces.iter().map(|piece| IoSlice::new(piece)));
        self.write(stream, &mut slices)
    }

    /// Writes everything, as long as the peer takes some of it now and then.
    fn write(&self, stream: &mut TcpStream, mut slices: &mut [IoSlice<'_>]) -> io::Result<()> {
        let mut stuck: Option<Instant> = None;
        while !slices.is_empty() {
            let written = match &*slices {
                [only] => stream.write(only),
                some => stream.write_vectored(&some[..some.len().min(SLICES)]),
            };
            match written {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(count) => {
                    IoSlice::advance_slices(&mut slices, count);
                    stuck = None;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    let since = *stuck.get_or_insert_with(Instant::now);
                    let limit = self.shared.options.timeout_body;
                    let late = limit.is_some_and(|limit| since.elapsed() >= limit);
                    if late || *self.state.borrow() == State::Aborting {
                        return Err(ErrorKind::TimedOut.into());
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn leave(&self, connection: Connection, reply: Option<ServerResponse>) {
        leave(self.pool, connection, &self.buffer[..self.filled], reply);
    }
}

/// Gives a connection to a worker, with what was `read` of it and the answer to the first of that, if it is known.
fn leave(pool: &Pool, connection: Connection, read: &[u8], reply: Option<ServerResponse>) {
    let begun = Begun {
        read: Bytes::copy_from_slice(read),
        reply: reply.map(Box::new),
    };
    pool.hand_over(connection, begun);
}
