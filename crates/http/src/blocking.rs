//! The client for code without async.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime};

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
    template: crate::client::Client,
    lanes: Mutex<Vec<Lane>>,
    lanes_kept_max: usize,
}

struct Lane {
    /// `None` only while it is dropped.
    runtime: Option<Runtime>,
    client: crate::client::Client,
}

impl Client {
    /// A client; reads certificate files and the environment's proxies, touches no network.
    ///
    /// # Errors
    /// [`Kind::Options`], naming the option.
    pub fn new(options: ClientOptions) -> Result<Client, Error> {
        let lanes_kept_max = options.pool_idle_max.max(1);
        let template = crate::client::Client::new(options)?;
        Ok(Client {
            template,
            lanes: Mutex::new(Vec::new()),
            lanes_kept_max,
        })
    }

    /// Sends a request and reads the whole reply, whatever its status.
    ///
    /// # Errors
    /// Everything but a reply: see [`Kind`]. [`Kind::Request`] when called from async code, which
    /// must use [`crate::Client`].
    pub fn send(&self, request: Request) -> Result<Response, Error> {
        self.run(|lane, runtime| runtime.block_on(lane.send(request)))
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
        self.run(|lane, runtime| {
            runtime.block_on(async {
                let mut call = std::pin::pin!(lane.send(request));
                loop {
                    let tick = tokio::time::sleep(Duration::from_millis(100));
                    tokio::select! {
                        biased;
                        reply = &mut call => return reply,
                        () = tick => if interrupted() {
                            let text = "the caller interrupted the call";
                            return Err(Error::new(
                                Kind::Interrupted, Guilty::Caller, Phase::Wait, text,
                            ).with_url(&url));
                        }
                    }
                }
            })
        })
    }

    fn run<T>(
        &self,
        work: impl FnOnce(&crate::client::Client, &Runtime) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if Handle::try_current().is_ok() {
            let text = "a blocking call from inside async code; use castile_http::Client there";
            return Err(Error::new(Kind::Request, Guilty::Caller, Phase::Prepare, text));
        }
        let lane = self.lock().pop();
        let lane = match lane {
            Some(lane) => lane,
            None => self.lane()?,
        };
        let result = match &lane.runtime {
            Some(runtime) => work(&lane.client, runtime),
            None => Err(Error::new(
                Kind::Internal,
                Guilty::Us,
                Phase::Prepare,
                "a lane at its end",
            )),
        };
        let mut lanes = self.lock();
        if lanes.len() < self.lanes_kept_max {
            lanes.push(lane);
        }
        result
    }

    fn lane(&self) -> Result<Lane, Error> {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(|e| {
            let text = "the system gives no event queue (too many open files?)";
            Error::new(Kind::Internal, Guilty::Us, Phase::Prepare, text).with_source(e)
        })?;
        Ok(Lane {
            runtime: Some(runtime),
            client: self.template.with_own_pool(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Lane>> {
        // A push or pop cannot be left half done.
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
            .field("client", &self.template)
            .finish_non_exhaustive()
    }
}
