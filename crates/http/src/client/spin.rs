//! [`Spin`]: looking for a reply for a moment before going to sleep.
//!
//! A thread that sleeps needs 20 to 50 µs to wake up on another core, several times what a small
//! call on the same machine takes in all. So a blocking call looks at its socket for a while
//! first, giving way to every other thread that wants the core, but only on a connection whose
//! last reply came soon: a call over a real network never does.

use std::mem::MaybeUninit;
use std::task::Poll;
use std::time::{Duration, Instant};

use super::limits::Limits;
use crate::meter::Meter;

/// Whether and how long a connection looks before it sleeps. The default never does.
#[derive(Debug, Default)]
pub(crate) struct Spin {
    most: Duration,
    /// The last reply came within `most`.
    pays: bool,
    /// This exchange has looked long enough.
    done: bool,
}

impl Spin {
    /// Looks for at most so long.
    pub(crate) fn new(most: Duration) -> Spin {
        Spin {
            most,
            pays: false,
            done: false,
        }
    }

    /// Waits for the first bytes of a reply to a request that was written. Ready when it has
    /// waited, with or without success, so that the reactor should be asked again.
    pub(crate) fn poll(&mut self, limits: &Limits, meter: &Meter, socket: &socket2::Socket) -> Poll<()> {
        if !self.pays || self.done || meter.written() == 0 || meter.read() > 0 {
            return Poll::Pending;
        }
        self.done = true;
        let written = meter.write_last();
        let limit = limits.first(written);
        let end = written.checked_add(self.most).into_iter().chain(limit).min();
        while !has_news(socket) {
            if end.is_some_and(|end| Instant::now() >= end) {
                return Poll::Ready(());
            }
            std::thread::yield_now();
        }
        Poll::Ready(())
    }

    /// An exchange got its reply, or not.
    pub(crate) fn learn(&mut self, meter: &Meter) {
        self.done = false;
        let wait = meter.read_first().saturating_duration_since(meter.write_last());
        self.pays = meter.read() > 0 && wait < self.most;
    }
}

/// True when a read of the socket would not wait: bytes, the end, or an error.
pub(crate) fn has_news(socket: &socket2::Socket) -> bool {
    let mut byte = [MaybeUninit::uninit()];
    let peeked = socket.peek(&mut byte);
    !matches!(peeked, Err(e) if e.kind() == std::io::ErrorKind::WouldBlock)
}
