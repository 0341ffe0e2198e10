//! The client for code without async.

use std::fmt;
use std::future::Future;
use std::ops::Deref;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::time::{Instant, Sleep};

use url::Url;

use crate::client::ClientOptions;
use crate::error::{Error, Guilty, Kind, Phase};
use crate::message::{Request, Response};

/// A client that blocks the calling thread. Any number of threads may call it at once; they share
/// cookies and authentication and do not wait for each other.
///
/// Each call borrows a lane: a runtime that runs on the calling thread alone, with the
/// connections that belong to it. So bytes never pass through another thread, and there are as
/// many lanes as calls were ever under way at once.
pub struct Client {
    lanes: Arc<Lanes>,
}

/// A reply whose body is read while it comes.
///
/// It has its lane to itself until it is dropped.
pub struct Receiving {
    reply: crate::client::Receiving,
    /// `None` only while it is dropped.
    lane: Option<Lane>,
    lanes: Arc<Lanes>,
}

struct Lanes {
    template: crate::client::Client,
    kept: Mutex<Vec<Lane>>,
    kept_max: usize,
    idle_max: Duration,
}

struct Lane {
    /// `None` only while it is dropped.
    runtime: Option<Runtime>,
    client: crate::client::Client,
    /// When to ask next whether to give up; kept so that a short call sets no timer.
    tick: Option<Pin<Box<Sleep>>>,
    used: Instant,
}

/// How often a waiting call asks whether to give up.
const TICK: Duration = Duration::from_millis(100);

impl Client {
    /// A client; reads certificate files and the environment's proxies, touches no network.
    ///
    /// # Errors
    /// [`Kind::Options`], naming the option.
    pub fn new(options: ClientOptions) -> Result<Client, Error> {
        let kept_max = options.pool_idle_max.max(1);
        let idle_max = options.pool_idle_timeout;
        let template = crate::client::Client::new(options)?;
        Ok(Client {
            lanes: Arc::new(Lanes {
                template,
                kept: Mutex::new(Vec::new()),
                kept_max,
                idle_max,
            }),
        })
    }

    /// Closes the connections that wait for a next request; one that comes opens another.
    pub fn close_idle(&self) {
        let kept = std::mem::take(&mut *self.lanes.lock());
        drop(kept);
    }

    /// Sends a request and reads the whole reply, whatever its status.
    ///
    /// # Errors
    /// Everything but a reply: see [`Kind`]. [`Kind::Request`] when called from async code, which
    /// must use [`crate::Client`].
    pub fn send(&self, request: Request) -> Result<Response, Error> {
        let lane = self.lanes.take()?;
        // Pinned here, so that the runtime passes a pointer around and not the call's whole state.
        let sent = lane.runtime()?.block_on(pin!(lane.client.send(request)));
        self.lanes.put_back(lane);
        sent
    }

    /// [`send`](Client::send), asking about ten times a second whether to give up.
    ///
    /// # Errors
    /// [`Kind::Interrupted`] when `interrupted` said so; the connection is closed then.
    pub fn send_with_interrupt(
        &self,
        request: Request,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Response, Error> {
        let url = request.url.clone();
        let mut lane = self.lanes.take()?;
        let client = lane.client.clone();
        let sent = lane.block_on(&url, interrupted, client.send(request));
        self.lanes.put_back(lane);
        sent
    }

    /// Sends a request and reads the head of the reply, asking about ten times a second whether to give
    /// up; the body is read while it comes. A reply that is no success is read whole.
    ///
    /// # Errors
    /// As for [`send_with_interrupt`](Client::send_with_interrupt).
    pub fn open(&self, request: Request, interrupted: &dyn Fn() -> bool) -> Result<Receiving, Error> {
        let url = request.url.clone();
        let mut lane = self.lanes.take()?;
        let client = lane.client.clone();
        let reply = lane.block_on(&url, interrupted, client.open(request));
        match reply {
            Ok(reply) => Ok(Receiving {
                reply,
                lane: Some(lane),
                lanes: Arc::clone(&self.lanes),
            }),
            Err(error) => {
                self.lanes.put_back(lane);
                Err(error)
            }
        }
    }
}

impl Receiving {
    /// The next bytes of the body, waiting for them; `None` at its end. Asks about ten times a second
    /// whether to give up.
    ///
    /// # Errors
    /// As for [`Receiving::chunk`](crate::Receiving::chunk), and [`Kind::Interrupted`].
    pub fn chunk(&mut self, interrupted: &dyn Fn() -> bool) -> Result<Option<Bytes>, Error> {
        outside_async()?;
        let Some(lane) = &mut self.lane else {
            return Ok(None);
        };
        let url = self.reply.url.clone();
        lane.block_on(&url, interrupted, self.reply.chunk())
    }
}

impl Deref for Receiving {
    type Target = crate::client::Receiving;

    fn deref(&self) -> &crate::client::Receiving {
        &self.reply
    }
}

impl Drop for Receiving {
    fn drop(&mut self) {
        if let Some(lane) = self.lane.take() {
            self.lanes.put_back(lane);
        }
    }
}

impl Lane {
    fn runtime(&self) -> Result<&Runtime, Error> {
        self.runtime.as_ref().ok_or_else(ended)
    }

    /// Runs a call, asking again and again whether to give up.
    fn block_on<T>(
        &mut self,
        url: &Url,
        interrupted: &dyn Fn() -> bool,
        call: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let Lane { runtime, tick, .. } = self;
        let runtime = runtime.as_ref().ok_or_else(ended)?;
        runtime.block_on(pin!(async {
            let mut call = pin!(call);
            let tick = tick.get_or_insert_with(|| Box::pin(tokio::time::sleep(TICK)));
            if tick.deadline() <= Instant::now() {
                tick.as_mut().reset(Instant::now() + TICK);
            }
            std::future::poll_fn(|context| {
                if let Poll::Ready(reply) = call.as_mut().poll(context) {
                    return Poll::Ready(reply);
                }
                while tick.as_mut().poll(context).is_ready() {
                    if interrupted() {
                        return Poll::Ready(Err(given_up().with_url(url)));
                    }
                    tick.as_mut().reset(Instant::now() + TICK);
                }
                Poll::Pending
            })
            .await
        }))
    }
}

impl Lanes {
    fn take(&self) -> Result<Lane, Error> {
        outside_async()?;
        let kept = self.lock().pop();
        match kept {
            Some(lane) => Ok(lane),
            None => self.lane(),
        }
    }

    /// Keeps a lane for the next call; the lane used last is used next, and one that nobody has
    /// used for long is closed with its connections.
    fn put_back(&self, mut lane: Lane) {
        lane.used = Instant::now();
        let mut lanes = self.lock();
        let stale = match lanes.first() {
            Some(oldest) if lane.used - oldest.used > self.idle_max => Some(lanes.remove(0)),
            _ => None,
        };
        let spare = if lanes.len() < self.kept_max {
            lanes.push(lane);
            None
        } else {
            Some(lane)
        };
        // Closing takes its time; others need not wait for it.
        drop(lanes);
        drop((stale, spare));
    }

    fn lane(&self) -> Result<Lane, Error> {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(|e| {
            let text = "the system gives no event queue (too many open files?)";
            Error::new(Kind::Internal, Guilty::Us, Phase::Prepare, text).with_source(e)
        })?;
        Ok(Lane {
            runtime: Some(runtime),
            client: self.template.for_one_thread(),
            tick: None,
            used: Instant::now(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Lane>> {
        // A push or pop cannot be left half done.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn outside_async() -> Result<(), Error> {
    if Handle::try_current().is_ok() {
        let text = "a blocking call from inside async code; use castile_http::Client there";
        return Err(Error::new(Kind::Request, Guilty::Caller, Phase::Prepare, text));
    }
    Ok(())
}

fn ended() -> Error {
    Error::new(Kind::Internal, Guilty::Us, Phase::Prepare, "a lane at its end")
}

fn given_up() -> Error {
    let text = "the caller interrupted the call";
    Error::new(Kind::Interrupted, Guilty::Caller, Phase::Wait, text)
}

impl Drop for Lane {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // A plain drop may block and is forbidden inside async code.
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("blocking::Client")
            .field("client", &self.lanes.template)
            .finish_non_exhaustive()
    }
}
