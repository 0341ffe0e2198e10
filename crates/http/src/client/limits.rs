//! [`Watch`]: the time limits of one call, in one timer that is seldom touched.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::time::Sleep;

use crate::error::{Error, Phase};
use crate::meter::Meter;

/// The limit on the whole call and the limit on silence.
///
/// The timer is set once for the earliest moment at which a limit can have passed. Bytes that
/// move do not touch it; when it fires it is set again if they have moved the limit.
pub(crate) struct Watch {
    call: Option<(Instant, Duration)>,
    silence: Option<Duration>,
    sleep: Option<Pin<Box<Sleep>>>,
}

impl Watch {
    pub(crate) fn new(call: Option<Duration>, silence: Option<Duration>) -> Watch {
        let call = call.and_then(|limit| Some((Instant::now().checked_add(limit)?, limit)));
        Watch {
            call,
            silence,
            sleep: None,
        }
    }

    /// The end of the whole call, with the limit that sets it.
    pub(crate) fn call(&self) -> Option<(Instant, Duration)> {
        self.call
    }

    /// An exchange starts.
    pub(crate) fn start(&mut self, now: Instant) {
        let silence = self.silence.and_then(|limit| now.checked_add(limit));
        let call = self.call.map(|(end, _)| end);
        let first = match (silence, call) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        self.sleep = first.map(|at| Box::pin(tokio::time::sleep_until(at.into())));
    }

    /// Ready with the error when a limit has passed.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>, meter: &Meter, phase: Phase) -> Poll<Error> {
        let Some(sleep) = &mut self.sleep else {
            return Poll::Pending;
        };
        while sleep.as_mut().poll(context).is_ready() {
            let now = Instant::now();
            let phase = if meter.read() > 0 { Phase::Read } else { phase };
            if let Some((end, limit)) = self.call
                && end <= now
            {
                return Poll::Ready(Error::timeout(phase, "timeout_call", limit).with_unsent(false));
            }
            let mut next = self.call.map(|(end, _)| end);
            if let Some(limit) = self.silence {
                let end = meter.progress_last() + limit;
                if end <= now {
                    return Poll::Ready(Error::timeout(phase, "timeout_read", limit));
                }
                next = Some(next.map_or(end, |call| call.min(end)));
            }
            let Some(next) = next else {
                return Poll::Pending;
            };
            sleep.as_mut().reset(next.into());
        }
        Poll::Pending
    }
}
