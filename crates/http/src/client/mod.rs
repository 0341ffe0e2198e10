//! The async [`Client`]: what a call is made of, and in which order.

mod auth;
mod connect;
mod connection;
mod cookies;
mod exchange;
mod failure;
mod limits;
mod options;
mod outgoing;
mod pool;
mod prepare;
mod proxy;
mod receiving;
mod redirect;
mod spin;
mod stream;

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use http::{HeaderValue, Method, StatusCode};
use rustls::ClientConfig;
use tokio::runtime::Handle;
use tracing::Instrument as _;

pub(crate) use self::failure::find;
pub use self::options::{Auth, ClientOptions, Compression, Encoding, Proxy, Redirects, Retry, Tls};

use self::auth::Authenticator;
use self::cookies::Jar;
pub use self::receiving::Receiving;

use self::exchange::{Opened, Reply};
use self::limits::Limits;
use self::pool::Pool;
use self::prepare::Hop;
use self::proxy::Proxies;
use crate::body::Body;
use crate::error::{Error, Guilty, Kind, Phase, mask};
use crate::message::{Request, Response};
use crate::tls;

/// An HTTP client with its kept connections, cookies and what it learned about authentication.
/// Clones share them. It works in any tokio runtime with I/O and time; a connection is used again
/// only in the runtime that made it.
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
    pool: Arc<Pool>,
    /// How long a connection of this client looks for a reply before it sleeps.
    spin: Duration,
}

/// What all clones, and all threads of a blocking client, have in common.
struct Shared {
    options: ClientOptions,
    user_agent: Option<HeaderValue>,
    accept_encodings: Option<HeaderValue>,
    authenticator: Authenticator,
    cookies: Jar,
    proxies: Proxies,
    /// Made at the first https address: reading the system's roots takes milliseconds.
    tls: OnceLock<Arc<ClientConfig>>,
}

impl Client {
    /// A client; reads certificate files and the environment's proxies, touches no network.
    ///
    /// # Errors
    /// [`Kind::Options`], naming the option.
    pub fn new(options: ClientOptions) -> Result<Client, Error> {
        let field = |name: &str, text: String| match text.as_str() {
            "" => Ok(None),
            text => HeaderValue::from_str(text)
                .map(Some)
                .map_err(|_| Error::options(format!("{name} has a control character"))),
        };
        let encodings: Vec<&str> = options.accept_encodings.iter().map(|e| e.name()).collect();
        let shared = Shared {
            user_agent: field("user_agent", options.user_agent.clone())?,
            accept_encodings: field("accept_encodings", encodings.join(", "))?,
            authenticator: Authenticator::new(options.auth.clone())?,
            cookies: Jar::default(),
            proxies: Proxies::new(&options.proxy, |name| std::env::var(name).ok())?,
            tls: OnceLock::new(),
            options,
        };
        shared.check()?;
        let pool = Pool::new(shared.options.pool_idle_max, shared.options.pool_idle_timeout);
        Ok(Client {
            shared: Arc::new(shared),
            pool: Arc::new(pool),
            spin: Duration::ZERO,
        })
    }

    /// The same client with connections of its own, for calls that have a thread for themselves.
    pub(crate) fn for_one_thread(&self) -> Client {
        let options = &self.shared.options;
        let pool = Pool::new(options.pool_idle_max, options.pool_idle_timeout);
        Client {
            shared: Arc::clone(&self.shared),
            pool: Arc::new(pool),
            spin: options.spin,
        }
    }

    /// Closes the connections that wait for a next request; one that comes opens another.
    pub fn close_idle(&self) {
        self.pool.clear();
    }

    /// Sends a request and reads the whole reply, whatever its status. Dropping the future closes
    /// the connection that it uses.
    ///
    /// # Errors
    /// Everything but a reply: see [`Kind`].
    pub async fn send(&self, request: Request) -> Result<Response, Error> {
        let (mut hop, body, limits) = self.begin(request)?;
        let span = tracing::debug_span!("http_call", method = %hop.method, url = mask(&hop.url));
        match self.call(&mut hop, body, &limits, false).instrument(span).await {
            Ok(Came::Whole(reply)) => Ok(answer(hop, reply)),
            Ok(Came::Open(opened)) => match self.read(*opened, &hop, &limits).await {
                Ok(reply) => Ok(answer(hop, reply)),
                Err(error) => Err(error.with_url(&hop.url)),
            },
            Err(error) => Err(error.with_url(&hop.url)),
        }
    }

    /// Sends a request and reads the head of the reply; its body is read while it comes. A reply that is
    /// no success is read whole.
    ///
    /// # Errors
    /// As for [`send`](Client::send).
    pub async fn open(&self, request: Request) -> Result<Receiving, Error> {
        let (mut hop, body, limits) = self.begin(request)?;
        let span = tracing::debug_span!("http_call", method = %hop.method, url = mask(&hop.url));
        let opened = match self.call(&mut hop, body, &limits, true).instrument(span).await {
            Ok(Came::Whole(reply)) => return Ok(Receiving::whole(hop.url, reply)),
            Ok(Came::Open(opened)) => opened,
            Err(error) => return Err(error.with_url(&hop.url)),
        };
        let url = hop.url.clone();
        Receiving::open(hop.url, *opened, limits, Arc::clone(&self.pool)).map_err(|e| e.with_url(&url))
    }

    fn begin(&self, request: Request) -> Result<(Hop, Body, Limits), Error> {
        let Request {
            method,
            url,
            headers,
            body,
            timeout_call,
            watch,
        } = request;
        if Handle::try_current().is_err() {
            return Err(outside().with_url(&url));
        }
        let options = &self.shared.options;
        let limits = Limits::new(timeout_call.or(options.timeout_call), options.timeout_read);
        let hop = Hop {
            method,
            url,
            headers,
            trusted: true,
            watch,
        };
        Ok((hop, body, limits))
    }

    /// The rounds of a call: as many as redirects and a digest challenge ask for. `open` leaves the body
    /// of a success to the caller.
    async fn call(&self, hop: &mut Hop, mut body: Body, limits: &Limits, open: bool) -> Result<Came, Error> {
        let options = &self.shared.options;
        let (mut redirects, mut challenged) = (0, false);
        loop {
            let again = body.try_clone();
            let opened = self.exchange(hop, body, limits).await?;
            if open && opened.head.status().is_success() {
                if options.cookies {
                    self.shared.cookies.keep(&hop.url, opened.head.headers());
                }
                return Ok(Came::Open(Box::new(opened)));
            }
            let reply = self.read(opened, hop, limits).await?;
            if options.cookies {
                self.shared.cookies.keep(&hop.url, &reply.headers);
            }
            let repeat = if !challenged && self.is_challenge(hop, &reply)? {
                challenged = true;
                true
            } else if reply.status.is_redirection() {
                redirects += 1;
                redirect::follow(options.redirects, redirects, hop, &reply)?
            } else {
                false
            };
            if !repeat {
                return Ok(Came::Whole(reply));
            }
            tracing::debug!(
                status = reply.status.as_u16(),
                to = mask(&hop.url),
                "sending again"
            );
            body = match hop.method {
                Method::GET => Body::empty(),
                _ => again.ok_or_else(once)?,
            };
        }
    }

    /// True when a 401 has taught how to authenticate.
    fn is_challenge(&self, hop: &Hop, reply: &Reply) -> Result<bool, Error> {
        if reply.status != StatusCode::UNAUTHORIZED || !hop.trusted {
            return Ok(false);
        }
        self.shared
            .authenticator
            .learn(&hop.url, &reply.headers, reply.authorized)
    }
}

/// A reply, or its head.
#[expect(clippy::large_enum_variant, reason = "one an exchange, moved once")]
enum Came {
    Whole(Reply),
    Open(Box<Opened>),
}

impl Shared {
    /// Errors of the options that would else come with the first https address.
    fn check(&self) -> Result<(), Error> {
        let tls = &self.options.tls;
        let own = !tls.ca_files.is_empty()
            || !tls.ca_pem.is_empty()
            || tls.client_cert_pem.is_some()
            || tls.client_key_pem.is_some();
        if self.options.header_bytes_max < 8192 {
            return Err(Error::options("header_bytes_max is at least 8192"));
        }
        if own { self.tls().map(drop) } else { Ok(()) }
    }

    fn tls(&self) -> Result<Arc<ClientConfig>, Error> {
        if let Some(config) = self.tls.get() {
            return Ok(Arc::clone(config));
        }
        let config = tls::client(&self.options.tls)?;
        Ok(Arc::clone(self.tls.get_or_init(|| config)))
    }
}

fn answer(hop: Hop, reply: Reply) -> Response {
    let Reply {
        status,
        headers,
        body,
        body_bytes_wire,
        timings,
        ..
    } = reply;
    Response {
        status,
        headers,
        body: body.body,
        body_is_alone: body.is_alone,
        timings,
        url: hop.url,
        body_bytes_wire,
    }
}

fn outside() -> Error {
    let text = "this client works inside a tokio runtime only; without one, use blocking::Client";
    Error::new(Kind::Request, Guilty::Caller, Phase::Prepare, text)
}

fn once() -> Error {
    let text = "the server wants the request a second time (authentication or redirect), but its body was \
                made while it was sent; send a small request first, or give the body as a whole";
    Error::new(Kind::Request, Guilty::Caller, Phase::Read, text)
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("options", &self.shared.options)
            .finish_non_exhaustive()
    }
}
