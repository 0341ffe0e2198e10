//! What moves a client's messages: HTTP, or a [`Carrier`] of another kind.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use castile_http::{Bytes, ClientOptions, HeaderMap, Request, Response, StatusCode, blocking};

use crate::error::{Error, Guilty, Kind};
use crate::portions::TICK;

/// Moves the messages of a client by other ways than a connection of its own: a server that calls inside
/// its HTTP replies has one.
pub trait Carrier: Send + Sync + 'static {
    /// Sends a request and waits for what answers it.
    fn carry(&self, request: Request) -> Carrying<'_>;
}

/// A message under way.
pub type Carrying<'c> = Pin<Box<dyn Future<Output = Result<Response, Error>> + Send + 'c>>;

/// How a client sends.
pub(super) enum Transport {
    Http {
        blocking: blocking::Client,
        tasks: castile_http::Client,
    },
    Carrier(Arc<dyn Carrier>),
}

impl Transport {
    pub(super) fn http(options: &ClientOptions) -> Result<Transport, Error> {
        Ok(Transport::Http {
            blocking: blocking::Client::new(options.clone())?,
            tasks: castile_http::Client::new(options.clone())?,
        })
    }

    /// Closes the connections that wait for a next call.
    pub(super) fn close_idle(&self) {
        if let Transport::Http { blocking, tasks } = self {
            blocking.close_idle();
            tasks.close_idle();
        }
    }

    pub(super) fn send(&self, request: Request) -> Result<Response, Error> {
        match self {
            Transport::Http { blocking, .. } => Ok(blocking.send(request)?),
            Transport::Carrier(carrier) => wait(carrier.carry(request), &|| false),
        }
    }

    pub(super) fn send_with_interrupt(
        &self,
        request: Request,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Response, Error> {
        match self {
            Transport::Http { blocking, .. } => Ok(blocking.send_with_interrupt(request, interrupted)?),
            Transport::Carrier(carrier) => wait(carrier.carry(request), interrupted),
        }
    }

    /// Sends a request and waits for the head of the reply; what a carrier brings has come whole.
    pub(super) fn open(&self, request: Request, interrupted: &dyn Fn() -> bool) -> Result<Arriving, Error> {
        match self {
            Transport::Http { blocking, .. } => {
                let receiving = blocking.open(request, interrupted)?;
                Ok(Arriving::Open(Box::new(receiving), VecDeque::new()))
            }
            Transport::Carrier(carrier) => Ok(Arriving::Whole(Box::new(wait(
                carrier.carry(request),
                interrupted,
            )?))),
        }
    }

    pub(super) async fn send_async(&self, request: Request) -> Result<Response, Error> {
        match self {
            Transport::Http { tasks, .. } => Ok(tasks.send(request).await?),
            Transport::Carrier(carrier) => carrier.carry(request).await,
        }
    }
}

/// A reply whose body is read while it comes.
pub(super) enum Arriving {
    /// With what came while the request was still being sent.
    Open(Box<blocking::Receiving>, VecDeque<Bytes>),
    /// What of it is not read yet is its body.
    Whole(Box<Response>),
}

impl Arriving {
    pub(super) fn status(&self) -> StatusCode {
        match self {
            Arriving::Open(receiving, _) => receiving.status,
            Arriving::Whole(response) => response.status,
        }
    }

    pub(super) fn headers(&self) -> &HeaderMap {
        match self {
            Arriving::Open(receiving, _) => &receiving.headers,
            Arriving::Whole(response) => &response.headers,
        }
    }

    /// The next bytes of the body, waiting for them; `None` at its end.
    pub(super) fn chunk(&mut self, interrupted: &dyn Fn() -> bool) -> Result<Option<Bytes>, Error> {
        match self {
            Arriving::Open(receiving, held) => match held.pop_front() {
                Some(chunk) => Ok(Some(chunk)),
                None => Ok(receiving.chunk(interrupted)?),
            },
            Arriving::Whole(response) if response.body.is_empty() => Ok(None),
            Arriving::Whole(response) => Ok(Some(std::mem::take(&mut response.body))),
        }
    }

    /// Keeps the connection going until the request is `written`, whose reply has begun already, and holds what
    /// comes meanwhile.
    ///
    /// # Errors
    /// More than `bytes_max` came: nobody reads yet, so the two ends would wait for each other.
    pub(super) fn hold(
        &mut self,
        written: &dyn Fn() -> bool,
        stopped: &dyn Fn() -> bool,
        bytes_max: u64,
    ) -> Result<(), Error> {
        let Arriving::Open(receiving, held) = self else {
            return Ok(());
        };
        let mut bytes = 0;
        while !written() {
            match receiving.chunk(&|| written() || stopped()) {
                Ok(None) => break,
                Ok(Some(chunk)) => {
                    bytes += chunk.len() as u64;
                    held.push_back(chunk);
                }
                Err(_) if written() => break,
                Err(error) => return Err(error.into()),
            }
            if bytes > bytes_max {
                let text = format!(
                    "the server answers while the request is sent, and nobody reads yet: window_bytes_max = \
                     {bytes_max} bytes of the reply came"
                );
                return Err(Error::new(Kind::Limit, Guilty::Peer, text));
            }
        }
        Ok(())
    }

    /// The reply as one, of which all chunks were read: `body`.
    pub(super) fn into_response(self, body: Bytes) -> Response {
        match self {
            Arriving::Open(receiving, _) => Response {
                status: receiving.status,
                headers: receiving.headers.clone(),
                body,
                body_is_alone: false,
                timings: receiving.timings,
                url: receiving.url.clone(),
                body_bytes_wire: 0,
            },
            Arriving::Whole(response) => Response {
                body,
                body_is_alone: false,
                ..*response
            },
        }
    }
}

/// Runs a future on this thread, which sleeps meanwhile.
fn wait(
    carrying: impl Future<Output = Result<Response, Error>>,
    interrupted: &dyn Fn() -> bool,
) -> Result<Response, Error> {
    let mut carrying = pin!(carrying);
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(response) = carrying.as_mut().poll(&mut context) {
            return response;
        }
        std::thread::park_timeout(TICK);
        if interrupted() {
            let text = "the caller interrupted the call";
            return Err(Error::new(Kind::Interrupted, Guilty::Caller, text));
        }
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
