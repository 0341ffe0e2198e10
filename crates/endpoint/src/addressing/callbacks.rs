//! Replies that come over a connection of their own.

use std::collections::HashMap;
use std::fmt;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use castile_codec::{Envelope, Limits};
use castile_http::{Response, ServerRequest, ServerResponse, StatusCode, Timings, Url};

use super::read::{self, Properties};
use crate::error::{Error, Guilty, Kind};
use crate::media::{self, Media};
use crate::portions::TICK;

/// Settings of [`Callbacks`].
#[derive(Clone, Debug, Default)]
pub struct CallbacksOptions {
    /// The address that peers are told, when it is not the one that is listened on (behind a proxy, or
    /// when all interfaces are listened on).
    pub public_url: Option<String>,
    /// The transport: limits, TLS.
    pub http: castile_http::ServerOptions,
    /// Limits on the XML of what comes.
    pub limits: Limits,
}

/// Listens for replies and hands each to the call that waits for it. Clients may share one. What comes
/// for nobody, or in place of a reply that never came, is dropped.
pub struct Callbacks {
    url: String,
    address: SocketAddr,
    mailbox: Arc<Mailbox>,
    running: Mutex<Option<castile_http::Running>>,
}

#[derive(Default)]
struct Mailbox {
    /// By message id; `None` until the reply is there.
    letters: Mutex<HashMap<String, Option<Response>>>,
    came: Condvar,
    tell: tokio::sync::Notify,
}

/// A place for one reply; dropping it ends the waiting.
pub(crate) struct Ticket {
    id: String,
    mailbox: Arc<Mailbox>,
}

impl Callbacks {
    /// Listens on an address, such as `"0.0.0.0:9000"`.
    ///
    /// # Errors
    /// The address cannot be bound, or no threads can be had.
    pub fn bind(address: impl ToSocketAddrs, options: CallbacksOptions) -> Result<Arc<Callbacks>, Error> {
        let CallbacksOptions {
            public_url,
            http,
            limits,
        } = options;
        let scheme = if http.tls.is_some() { "https" } else { "http" };
        let server = castile_http::Server::bind(address, http)?;
        let address = server.local_addr();
        let mailbox = Arc::new(Mailbox::default());
        let inbox = mailbox.clone();
        let running = server.serve_in_background(move |request: ServerRequest| {
            let answer = inbox.take_in(request, &limits);
            async move { answer }
        })?;
        Ok(Arc::new(Callbacks {
            url: public_url.unwrap_or_else(|| format!("{scheme}://{address}/")),
            address,
            mailbox,
            running: Mutex::new(Some(running)),
        }))
    }

    /// The address that peers are told.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Where it listens.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Stops listening; calls that still wait run into their time limit.
    pub fn stop(&self) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(running) = running {
            running.stop();
        }
    }

    /// A place for the reply to a message.
    pub(super) fn expect(&self, id: &str) -> Arc<Ticket> {
        self.mailbox.lock().insert(id.to_owned(), None);
        Arc::new(Ticket {
            id: id.to_owned(),
            mailbox: self.mailbox.clone(),
        })
    }
}

impl fmt::Debug for Callbacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Callbacks")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ticket").field(&self.id).finish()
    }
}

impl Ticket {
    /// Waits for the reply, asking about ten times a second whether to give up.
    ///
    /// # Errors
    /// [`Kind::Timeout`], [`Kind::Interrupted`].
    pub(crate) fn wait(
        &self,
        timeout: Option<Duration>,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Response, Error> {
        let end = timeout.and_then(|t| Instant::now().checked_add(t));
        let mut letters = self.mailbox.lock();
        loop {
            if let Some(reply) = self.reply(&mut letters) {
                return Ok(reply);
            }
            let left = end.map_or(TICK, |end| end.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return Err(too_late());
            }
            let waited = self.mailbox.came.wait_timeout(letters, left.min(TICK));
            letters = waited.unwrap_or_else(PoisonError::into_inner).0;
            if interrupted() {
                let text = "interrupted while waiting for the reply";
                return Err(Error::new(Kind::Interrupted, Guilty::Caller, text));
            }
        }
    }

    /// [`Ticket::wait`] for async code.
    ///
    /// # Errors
    /// [`Kind::Timeout`].
    pub(crate) async fn wait_async(&self, timeout: Option<Duration>) -> Result<Response, Error> {
        let reply = async {
            loop {
                let mut told = std::pin::pin!(self.mailbox.tell.notified());
                told.as_mut().enable();
                if let Some(reply) = self.reply(&mut self.mailbox.lock()) {
                    return reply;
                }
                told.await;
            }
        };
        match timeout {
            Some(timeout) => tokio::time::timeout(timeout, reply).await.map_err(|_| too_late()),
            None => Ok(reply.await),
        }
    }

    fn reply(&self, letters: &mut HashMap<String, Option<Response>>) -> Option<Response> {
        letters.get_mut(&self.id)?.take()
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.mailbox.lock().remove(&self.id);
    }
}

impl Mailbox {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Option<Response>>> {
        self.letters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a message in, for the call that waits for it.
    fn take_in(&self, request: ServerRequest, limits: &Limits) -> ServerResponse {
        let ids = match relates_to(&request, limits) {
            Ok(ids) => ids,
            Err(error) => {
                tracing::info!(%error, "a callback was refused");
                return ServerResponse::text(StatusCode::BAD_REQUEST, format!("{error}\n"));
            }
        };
        let mut letters = self.lock();
        let Some(place) = ids.iter().find(|id| matches!(letters.get(*id), Some(None))) else {
            tracing::info!(?ids, "a callback that nobody waits for");
            return ServerResponse::empty(StatusCode::ACCEPTED);
        };
        let Ok(url) = Url::parse(&format!("http://{}/", request.peer)) else {
            return ServerResponse::empty(StatusCode::BAD_REQUEST);
        };
        let response = Response {
            status: StatusCode::OK,
            headers: request.headers,
            body_bytes_wire: request.body.len() as u64,
            body: request.body,
            body_is_alone: request.body_is_alone,
            timings: Timings::default(),
            url,
        };
        letters.insert(place.clone(), Some(response));
        drop(letters);
        self.came.notify_all();
        self.tell.notify_waiters();
        ServerResponse::empty(StatusCode::ACCEPTED)
    }
}

/// The ids of the messages that one is a reply to.
fn relates_to(request: &ServerRequest, limits: &Limits) -> Result<Vec<String>, Error> {
    let content_type = request.headers.get("content-type").and_then(|v| v.to_str().ok());
    let text = media::text(&request.body, &Media::parse(content_type.unwrap_or_default()))?;
    let envelope = Envelope::open(&text, limits)?;
    let mut found = Properties::default();
    read::properties(envelope.headers(), &mut found)
        .map_err(|refusal| Error::new(Kind::Peer, Guilty::Peer, refusal.to_string()))?;
    let ids: Vec<String> = found.relates_to.into_iter().map(|(id, _)| id).collect();
    if ids.is_empty() {
        let text = "it does not say which request it belongs to";
        return Err(Error::new(Kind::Peer, Guilty::Peer, text));
    }
    Ok(ids)
}

fn too_late() -> Error {
    Error::new(Kind::Timeout, Guilty::Peer, "the reply has not come in time")
}
