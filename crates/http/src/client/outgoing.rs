//! [`Outgoing`]: the body of a request on its way, which may have to wait for "100 Continue".

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use http_body::{Frame, SizeHint};
use tokio::time::Sleep;

use crate::body::{Body, BodyError};
use crate::meter::Meter;
use crate::portion::Portion;

/// How long a server may take to say "100 Continue" before the body is sent all the same
/// (RFC 9110 §10.1.1 asks for that).
const CONTINUE_WAIT: Duration = Duration::from_secs(1);

/// A body as hyper takes it.
pub(crate) struct Outgoing {
    body: Body,
    wait: Option<(Gate, Pin<Box<Sleep>>)>,
    /// Told whether the connection waits for us.
    meter: Option<Arc<Meter>>,
}

/// Opened by "100 Continue".
#[derive(Clone, Default)]
pub(crate) struct Gate {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    open: bool,
    waker: Option<Waker>,
}

impl Outgoing {
    pub(crate) fn new(body: Body) -> Outgoing {
        Outgoing {
            body,
            wait: None,
            meter: None,
        }
    }

    /// A body that waits for `gate`, but not for long.
    pub(crate) fn behind(gate: Gate, body: Body) -> Outgoing {
        Outgoing {
            body,
            wait: Some((gate, Box::pin(tokio::time::sleep(CONTINUE_WAIT)))),
            meter: None,
        }
    }

    /// Says to `meter` when the connection could send and there is nothing yet: that is no silence of
    /// the peer's.
    pub(crate) fn tell(&mut self, meter: &Arc<Meter>) {
        self.meter = Some(Arc::clone(meter));
    }
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        if let Some(meter) = &self.meter {
            meter.starve(false);
        }
    }
}

impl Gate {
    pub(crate) fn open(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.open = true;
        if let Some(waker) = state.waker.take() {
            waker.wake();
        }
    }

    fn poll(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.open {
            return Poll::Ready(());
        }
        state.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

impl http_body::Body for Outgoing {
    type Data = Portion;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Portion>, BodyError>>> {
        if let Some((gate, sleep)) = &mut self.wait {
            if gate.poll(context).is_pending() && sleep.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            self.wait = None;
        }
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if let Some(meter) = &self.meter {
            meter.starve(frame.is_pending());
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
