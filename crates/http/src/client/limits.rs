//! [`Limits`]: the time limits of one call. [`Alarm`]: the one timer of a connection that watches
//! them, seldom touched.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::time::Sleep;

use crate::error::{Error, Phase};
use crate::meter::Meter;

/// The limit on the whole call and the limit on silence.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    call: Option<(Instant, Duration)>,
    silence: Option<Duration>,
}

/// A timer that lives as long as its connection.
///
/// It is set for the earliest moment at which a limit can have passed. Bytes that move do not
/// touch it, nor does the next call unless its limit is nearer: when it fires too early it is
/// set again. So a call touches no timer at all, most of the time.
#[derive(Default)]
pub(crate) struct Alarm {
    sleep: Option<Pin<Box<Sleep>>>,
}

impl Limits {
    /// The limits of a call that starts now.
    pub(crate) fn new(call: Option<Duration>, silence: Option<Duration>) -> Limits {
        let call = call.and_then(|limit| Some((Instant::now().checked_add(limit)?, limit)));
        Limits { call, silence }
    }

    /// The end of the whole call, with the limit that sets it.
    pub(crate) fn call(&self) -> Option<(Instant, Duration)> {
        self.call
    }

    /// The first moment at which a limit can pass if bytes last moved at `progress`.
    pub(crate) fn first(&self, progress: Instant) -> Option<Instant> {
        let silence = self.silence.and_then(|limit| progress.checked_add(limit));
        match (silence, self.call) {
            (Some(silence), Some((end, _))) => Some(silence.min(end)),
            (silence, call) => silence.or(call.map(|(end, _)| end)),
        }
    }

    /// The limit that has passed at `now`.
    fn passed(&self, now: Instant, meter: &Meter, phase: Phase) -> Option<Error> {
        let phase = if meter.read() > 0 { Phase::Read } else { phase };
        if let Some((end, limit)) = self.call
            && end <= now
        {
            return Some(Error::timeout(phase, "timeout_call", limit));
        }
        let limit = self.silence?;
        let end = meter.progress_last().checked_add(limit)?;
        (end <= now).then(|| Error::timeout(phase, "timeout_read", limit))
    }
}

impl Alarm {
    /// An exchange starts.
    pub(crate) fn start(&mut self, limits: &Limits, now: Instant) {
        let Some(first) = limits.first(now) else {
            return;
        };
        match &mut self.sleep {
            None => self.sleep = Some(Box::pin(tokio::time::sleep_until(first.into()))),
            Some(sleep) if sleep.deadline() > first.into() => sleep.as_mut().reset(first.into()),
            Some(_) => {}
        }
    }

    /// Ready with the error when a limit has passed.
    pub(crate) fn poll(
        &mut self,
        context: &mut Context<'_>,
        limits: &Limits,
        meter: &Meter,
        phase: Phase,
    ) -> Poll<Error> {
        let Some(sleep) = &mut self.sleep else {
            return Poll::Pending;
        };
        while sleep.as_mut().poll(context).is_ready() {
            let now = Instant::now();
            if let Some(error) = limits.passed(now, meter, phase) {
                return Poll::Ready(error);
            }
            let Some(next) = limits.first(meter.progress_last()) else {
                return Poll::Pending;
            };
            sleep.as_mut().reset(next.into());
        }
        Poll::Pending
    }
}
