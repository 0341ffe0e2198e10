//! [`Connection`]: one HTTP/1.1 connection and the exchanges on it.
//!
//! hyper splits a connection into a handle and a driver that is meant to run as a task of its
//! own. Here both live in the caller's future: no task to wake for each step (that is the
//! latency), and dropping the future closes the socket (that is cancellation).

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body as _;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::runtime::{Handle, Id};

use super::connect::Route;
use super::failure::explain;
use super::limits::{Alarm, Limits};
use super::outgoing::Outgoing;
use super::spin::{Spin, has_news};
use super::stream::Stream;
use crate::error::{Error, Guilty, Kind, Phase};
use crate::message::Timings;
use crate::meter::{Meter, Metered};

/// What hyper buffers in each direction, unless a head may be larger.
const BUFFER_BYTES: usize = 400 << 10;

type Io = TokioIo<Metered<Stream>>;

/// A connection that is idle, or lent to one exchange. It is large (hyper's buffers and states), so
/// it lives in a box and is never moved.
pub(crate) struct Connection {
    handle: http1::SendRequest<Outgoing>,
    driver: http1::Connection<Io, Outgoing>,
    /// The driver ended; hyper forbids polling it again.
    ended: bool,
    meter: Arc<Meter>,
    alarm: Alarm,
    pub(crate) spin: Spin,
    /// The same socket, to look for a close that the reactor has not told us of.
    probe: socket2::Socket,
    /// Where it leads.
    pub(crate) route: Route,
    /// Whose reactor wakes it.
    pub(crate) runtime: Id,
    /// Time spent on making the connection, until the first exchange has reported it.
    pub(crate) connect: Duration,
    pub(crate) reused: bool,
}

impl Connection {
    /// Speaks HTTP over `stream`; `probe` is the socket under it.
    pub(crate) async fn start(
        route: Route,
        stream: Stream,
        probe: socket2::Socket,
        header_bytes_max: usize,
    ) -> Result<Box<Connection>, Error> {
        let meter = Arc::new(Meter::new());
        let io = TokioIo::new(Metered::new(stream, Arc::clone(&meter)));
        let (handle, driver) = http1::Builder::new()
            .max_header_size(header_bytes_max)
            .max_buf_size(header_bytes_max.max(BUFFER_BYTES))
            .handshake(io)
            .await
            .map_err(|e| {
                Error::new(Kind::Internal, Guilty::Us, Phase::Prepare, "no HTTP engine").with_source(e)
            })?;
        let connect = Duration::ZERO;
        Ok(Box::new(Connection {
            handle,
            driver,
            ended: false,
            meter,
            alarm: Alarm::default(),
            spin: Spin::default(),
            probe,
            route,
            runtime: Handle::current().id(),
            connect,
            reused: false,
        }))
    }

    /// False when the peer closed the idle connection, or sent something nobody asked for.
    pub(crate) fn is_alive(&self) -> bool {
        if self.ended || self.handle.is_closed() {
            return false;
        }
        !has_news(&self.probe)
    }

    /// After a reply: true when another request may follow.
    ///
    /// The driver waits for its next request from here on. It must not wait with this task's
    /// waker: sending that request would then wake the task that sends it, for nothing, and cost
    /// a round of the event loop.
    pub(crate) fn settle(&mut self) -> bool {
        self.drive(&mut Context::from_waker(Waker::noop()));
        !self.ended && self.handle.is_ready()
    }

    /// How long the exchange took that is done now.
    pub(crate) fn timings(&mut self) -> Timings {
        let meter = &self.meter;
        Timings {
            connect: std::mem::take(&mut self.connect),
            send: meter.write_last().saturating_duration_since(meter.started()),
            wait: meter.read_first().saturating_duration_since(meter.write_last()),
            receive: meter
                .progress_last()
                .saturating_duration_since(meter.read_first()),
            reused: std::mem::replace(&mut self.reused, true),
        }
    }

    /// When a byte last moved.
    pub(crate) fn progress_last(&self) -> Instant {
        self.meter.progress_last()
    }

    /// Sends a request and waits for the head of its reply. Time counts from `started`.
    pub(crate) async fn exchange(
        &mut self,
        mut request: Request<Outgoing>,
        limits: &Limits,
        started: Instant,
    ) -> Result<Response<Incoming>, Error> {
        self.meter.reset(started);
        request.body_mut().tell(&self.meter);
        self.alarm.start(limits, started);
        let mut reply = pin!(self.handle.try_send_request(request));
        let outcome = std::future::poll_fn(|context| {
            // The driver first: it writes the request and reads the reply in one go.
            if !self.ended {
                self.ended = Pin::new(&mut self.driver).poll(context).is_ready();
            }
            if let Poll::Ready(reply) = reply.as_mut().poll(context) {
                return Poll::Ready(Ok(reply));
            }
            if self.spin.poll(limits, &self.meter, &self.probe).is_ready() {
                context.waker().wake_by_ref();
            }
            self.alarm
                .poll(context, limits, &self.meter, Phase::Wait)
                .map(Err)
        })
        .await;
        self.spin.learn(&self.meter);
        match outcome {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(failed)) => Err(explain(failed.into_error(), &self.meter)),
            Err(error) => Err(error),
        }
    }

    /// The next bytes of a reply's body; `None` at its end.
    pub(crate) async fn chunk(
        &mut self,
        body: &mut Incoming,
        limits: &Limits,
    ) -> Result<Option<Bytes>, Error> {
        std::future::poll_fn(|context| {
            // The body first says that it wants bytes, the driver reads, the body has them.
            let mut driven = false;
            loop {
                match Pin::new(&mut *body).poll_frame(context) {
                    Poll::Ready(None) => return Poll::Ready(Ok(None)),
                    Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                        Ok(data) => return Poll::Ready(Ok(Some(data))),
                        Err(_trailers) => continue,
                    },
                    Poll::Ready(Some(Err(e))) => return Poll::Ready(Err(explain(e, &self.meter))),
                    Poll::Pending => {}
                }
                if std::mem::replace(&mut driven, true) {
                    return self
                        .alarm
                        .poll(context, limits, &self.meter, Phase::Read)
                        .map(Err);
                }
                self.drive(context);
            }
        })
        .await
    }

    fn drive(&mut self, context: &mut Context<'_>) {
        if !self.ended {
            self.ended = Pin::new(&mut self.driver).poll(context).is_ready();
        }
    }
}
