//! [`Connection`]: one HTTP/1.1 connection and the exchanges on it.
//!
//! hyper splits a connection into a handle and a driver that is meant to run as a task of its
//! own. Here both live in the caller's future: no task to wake for each step (that is the
//! latency), and dropping the future closes the socket (that is cancellation).

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body as _;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use socket2::SockRef;
use tokio::net::TcpStream;

use super::failure::explain;
use super::limits::Watch;
use super::stream::Stream;
use crate::body::Body;
use crate::error::{Error, Guilty, Kind, Phase};
use crate::meter::{Meter, Metered};

type Io = TokioIo<Metered<Stream>>;

/// A connection that is idle, or lent to one exchange.
pub(crate) struct Connection {
    handle: http1::SendRequest<Body>,
    driver: http1::Connection<Io, Body>,
    /// The driver ended; hyper forbids polling it again.
    ended: bool,
    meter: Arc<Meter>,
    /// The same socket, to look for a close that the reactor has not told us of.
    probe: socket2::Socket,
    /// Time spent on making the connection, until the first exchange has reported it.
    pub(crate) connect: Duration,
    pub(crate) reused: bool,
}

/// Why an exchange failed, with the request when it can be sent again.
pub(crate) struct Failed {
    pub(crate) error: Error,
    pub(crate) request: Option<Request<Body>>,
}

impl Connection {
    /// Speaks HTTP over `stream`; `tcp` is the socket under it.
    pub(crate) async fn start(
        stream: Stream,
        probe: socket2::Socket,
        header_bytes_max: usize,
    ) -> Result<Connection, Error> {
        let meter = Arc::new(Meter::new());
        let io = TokioIo::new(Metered::new(stream, Arc::clone(&meter)));
        let (handle, driver) = http1::Builder::new()
            .max_header_size(header_bytes_max)
            .handshake(io)
            .await
            .map_err(|e| {
                Error::new(Kind::Internal, Guilty::Us, Phase::Prepare, "no HTTP engine").with_source(e)
            })?;
        let connect = Duration::ZERO;
        Ok(Connection {
            handle,
            driver,
            ended: false,
            meter,
            probe,
            connect,
            reused: false,
        })
    }

    /// A second handle to the socket of `tcp`.
    pub(crate) fn probe(tcp: &TcpStream) -> std::io::Result<socket2::Socket> {
        SockRef::from(tcp).try_clone()
    }

    /// False when the peer closed the idle connection, or sent something nobody asked for.
    pub(crate) fn is_alive(&self) -> bool {
        if self.ended || self.handle.is_closed() {
            return false;
        }
        let mut byte = [std::mem::MaybeUninit::uninit()];
        let peeked = self.probe.peek(&mut byte);
        matches!(peeked, Err(e) if e.kind() == std::io::ErrorKind::WouldBlock)
    }

    /// True when another request may follow the one that is done.
    pub(crate) fn is_reusable(&mut self, context: &mut Context<'_>) -> bool {
        self.drive(context);
        !self.ended && self.handle.is_ready()
    }

    pub(crate) fn meter(&self) -> &Meter {
        &self.meter
    }

    /// Sends a request and waits for the head of its reply.
    pub(crate) async fn exchange(
        &mut self,
        request: Request<Body>,
        watch: &mut Watch,
    ) -> Result<Response<Incoming>, Failed> {
        let started = self.meter.reset();
        watch.start(started);
        let mut reply = pin!(self.handle.try_send_request(request));
        let outcome = std::future::poll_fn(|context| {
            // The driver first: it writes the request and reads the reply in one go.
            if !self.ended {
                self.ended = Pin::new(&mut self.driver).poll(context).is_ready();
            }
            if let Poll::Ready(reply) = reply.as_mut().poll(context) {
                return Poll::Ready(Ok(reply));
            }
            watch.poll(context, &self.meter, Phase::Wait).map(Err)
        })
        .await;
        match outcome {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(mut failed)) => {
                let request = failed.take_message();
                let error = explain(failed.into_error(), &self.meter);
                Err(Failed { error, request })
            }
            Err(error) => Err(Failed { error, request: None }),
        }
    }

    /// The next bytes of a reply's body; `None` at its end.
    pub(crate) async fn chunk(
        &mut self,
        body: &mut Incoming,
        watch: &mut Watch,
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
                    return watch.poll(context, &self.meter, Phase::Read).map(Err);
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
