//! [`Progress`]: how far a connection is, and which time limit applies to that.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::options::ServerOptions;
use crate::meter::Meter;

/// Bytes of a body that must come each second, in the long run.
const RATE_MIN: u64 = 16_000;

/// The step of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Waiting for a request, or reading its head.
    Head,
    /// Reading a request's body.
    Body,
    /// The service works.
    Handler,
    /// Writing the reply.
    Reply,
}

/// Shared by the socket, the exchange and the watchdog of one connection, which are one task.
pub(crate) struct Progress {
    meter: Arc<Meter>,
    step: AtomicU8,
    since: AtomicU64,
    expired: AtomicBool,
    unread: AtomicBool,
}

/// The time limits of a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    header: Option<Duration>,
    body: Option<Duration>,
    idle: Option<Duration>,
    handler: Option<Duration>,
}

impl Limits {
    pub(crate) fn of(options: &ServerOptions) -> Limits {
        Limits {
            header: options.timeout_header,
            body: options.timeout_body,
            idle: options.timeout_idle,
            handler: options.timeout_handler,
        }
    }

    /// No step that starts from now on can expire earlier than after this.
    pub(crate) fn shortest(&self) -> Option<Duration> {
        let all = [self.header, self.body, self.idle, self.handler];
        all.into_iter()
            .flatten()
            .min()
            .map(|limit| limit.max(Duration::from_millis(1)))
    }
}

impl Progress {
    pub(crate) fn new(meter: Arc<Meter>) -> Progress {
        meter.reset(Instant::now());
        Progress {
            meter,
            step: AtomicU8::new(Step::Head as u8),
            since: AtomicU64::new(0),
            expired: AtomicBool::new(false),
            unread: AtomicBool::new(false),
        }
    }

    pub(crate) fn step(&self) -> Step {
        match self.step.load(Relaxed) {
            0 => Step::Head,
            1 => Step::Body,
            2 => Step::Handler,
            _ => Step::Reply,
        }
    }

    /// The next step starts. Its beginning is when the last byte came that led to it: a step
    /// looks at no clock.
    pub(crate) fn enter(&self, step: Step) {
        self.step.store(step as u8, Relaxed);
        match step {
            Step::Head => self.meter.rewind(),
            Step::Body | Step::Handler => {
                self.expired.store(false, Relaxed);
                self.since.store(self.meter.read_last(), Relaxed);
            }
            // Counted from the last byte that moved.
            Step::Reply => {}
        }
    }

    /// True while no byte of a request has come.
    pub(crate) fn is_idle(&self) -> bool {
        self.step() == Step::Head && self.meter.read() == 0
    }

    /// When the present step is too late; `None` for never.
    pub(crate) fn deadline(&self, limits: &Limits) -> Option<Instant> {
        let since = self.meter.at(self.since.load(Relaxed));
        let (start, limit) = match self.step() {
            Step::Head if self.meter.read() == 0 => (self.meter.progress_last(), limits.idle?),
            Step::Head => (self.meter.read_first(), limits.header?),
            Step::Body => (since, limits.body?.saturating_add(earned(self.meter.read()))),
            Step::Handler => (since, limits.handler?),
            Step::Reply => (self.meter.progress_last(), limits.body?),
        };
        start.checked_add(limit)
    }

    /// The watchdog found the present step too late; the exchange sees it when it is polled.
    pub(crate) fn expire(&self) {
        self.expired.store(true, Relaxed);
    }

    pub(crate) fn is_expired(&self) -> bool {
        self.expired.load(Relaxed)
    }

    /// A request was answered before it was read to its end.
    pub(crate) fn leave_unread(&self) {
        self.unread.store(true, Relaxed);
    }

    pub(crate) fn is_unread(&self) -> bool {
        self.unread.load(Relaxed)
    }
}

/// The time that the bytes of a body have earned their sender: a large body over a slow line is
/// no attack, a byte now and then is.
pub(crate) fn earned(bytes: u64) -> Duration {
    Duration::from_millis(bytes / (RATE_MIN / 1000))
}
