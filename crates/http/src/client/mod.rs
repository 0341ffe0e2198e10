//! The async [`Client`].

mod connect;
mod connection;
mod failure;
mod limits;
mod options;
mod pool;
mod stream;

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use bytes::{Bytes, BytesMut};
use http::header::{HOST, USER_AGENT};
use http::{HeaderValue, Uri};
use url::Url;

pub use self::options::{Auth, ClientOptions, Compression, Encoding, Proxy, Redirects, Retry, Tls};

use self::connect::{Route, connect, within};
use self::connection::Connection;
use self::limits::Watch;
use self::pool::Pool;
use self::stream::Stream;
use crate::body::Body;
use crate::error::{Error, Guilty, Kind, Phase};
use crate::message::{Request, Response, Timings};

/// An HTTP client with its kept connections, cookies and what it learned about authentication.
/// Clones share them.
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
    pool: Arc<Pool>,
}

/// What all clones, and all threads of a blocking client, have in common.
struct Shared {
    options: ClientOptions,
    user_agent: Option<HeaderValue>,
}

impl Client {
    /// A client; reads certificate files and the environment's proxies, touches no network.
    ///
    /// # Errors
    /// [`Kind::Options`], naming the option.
    pub fn new(options: ClientOptions) -> Result<Client, Error> {
        let user_agent = match options.user_agent.as_str() {
            "" => None,
            text => Some(
                HeaderValue::from_str(text)
                    .map_err(|_| Error::options("user_agent has a control character"))?,
            ),
        };
        let pool = Pool::new(options.pool_idle_max, options.pool_idle_timeout);
        Ok(Client {
            shared: Arc::new(Shared { options, user_agent }),
            pool: Arc::new(pool),
        })
    }

    /// The same client with connections of its own.
    pub(crate) fn with_own_pool(&self) -> Client {
        let options = &self.shared.options;
        let pool = Pool::new(options.pool_idle_max, options.pool_idle_timeout);
        Client {
            shared: Arc::clone(&self.shared),
            pool: Arc::new(pool),
        }
    }

    /// Sends a request and reads the whole reply, whatever its status.
    ///
    /// Dropping the future closes the connection that it uses.
    ///
    /// # Errors
    /// Everything but a reply: see [`Kind`].
    pub async fn send(&self, request: Request) -> Result<Response, Error> {
        let url = request.url.clone();
        self.send_once(request)
            .await
            .map_err(|error| error.with_url(&url))
    }

    async fn send_once(&self, request: Request) -> Result<Response, Error> {
        let options = &self.shared.options;
        let call = request.timeout_call.or(options.timeout_call);
        let mut watch = Watch::new(call, options.timeout_read);
        let route = Arc::new(Route::to(&request.url)?);
        let url = request.url.clone();
        let outgoing = self.outgoing(request)?;
        let mut connection = match self.pool.take(&route) {
            Some(connection) => connection,
            None => self.open(&route).await?,
        };
        let head = match connection.exchange(outgoing, &mut watch).await {
            Ok(head) => head,
            Err(failed) => return Err(failed.error),
        };
        let (parts, mut incoming) = head.into_parts();
        let mut body = BytesMut::new();
        let mut whole = Bytes::new();
        while let Some(chunk) = connection.chunk(&mut incoming, &mut watch).await? {
            if (body.len() + whole.len() + chunk.len()) as u64 > options.body_bytes_max {
                return Err(Error::new(
                    Kind::TooLarge,
                    Guilty::Peer,
                    Phase::Read,
                    "body_bytes_max",
                ));
            }
            if whole.is_empty() && body.is_empty() {
                whole = chunk;
            } else {
                if body.is_empty() {
                    body.extend_from_slice(&whole);
                    whole = Bytes::new();
                }
                body.extend_from_slice(&chunk);
            }
        }
        let whole = if body.is_empty() { whole } else { body.freeze() };
        let timings = timings(&mut connection);
        if std::future::poll_fn(|cx| std::task::Poll::Ready(connection.is_reusable(cx))).await {
            self.pool.put(&route, connection, None);
        }
        Ok(Response {
            status: parts.status,
            headers: parts.headers,
            body_bytes_wire: whole.len() as u64,
            body: whole,
            timings,
            url,
        })
    }

    async fn open(&self, route: &Route) -> Result<Connection, Error> {
        let started = Instant::now();
        let options = &self.shared.options;
        let tcp = within(
            options.timeout_connect,
            "timeout_connect",
            Phase::Connect,
            connect(&route.host, route.port),
        )
        .await?;
        let probe = Connection::probe(&tcp).map_err(|e| {
            Error::new(
                Kind::Internal,
                Guilty::Us,
                Phase::Connect,
                "no second handle to a socket",
            )
            .with_source(e)
        })?;
        let mut connection = Connection::start(Stream::Plain(tcp), probe, options.header_bytes_max).await?;
        connection.connect = started.elapsed();
        Ok(connection)
    }

    fn outgoing(&self, request: Request) -> Result<http::Request<Body>, Error> {
        let mut headers = request.headers;
        headers.insert(HOST, host_of(&request.url)?);
        if let Some(agent) = &self.shared.user_agent {
            headers.entry(USER_AGENT).or_insert_with(|| agent.clone());
        }
        let body = if self.shared.options.chunked {
            request.body.into_chunked()
        } else {
            request.body
        };
        let mut outgoing = http::Request::new(body);
        *outgoing.method_mut() = request.method;
        *outgoing.uri_mut() = target_of(&request.url)?;
        *outgoing.headers_mut() = headers;
        Ok(outgoing)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("options", &self.shared.options)
            .finish_non_exhaustive()
    }
}

/// Path and query of a URL (RFC 9112 §3.2.1).
fn target_of(url: &Url) -> Result<Uri, Error> {
    let target = &url[url::Position::BeforePath..url::Position::AfterQuery];
    Uri::try_from(target).map_err(|e| {
        Error::new(Kind::Url, Guilty::Caller, Phase::Prepare, "the path is unusable").with_source(e)
    })
}

/// Host and, unless it is the default one, port of a URL (RFC 9110 §7.2).
fn host_of(url: &Url) -> Result<HeaderValue, Error> {
    let host = &url[url::Position::BeforeHost..url::Position::AfterPort];
    HeaderValue::from_str(host)
        .map_err(|_| Error::new(Kind::Url, Guilty::Caller, Phase::Prepare, "the host is unusable"))
}

fn timings(connection: &mut Connection) -> Timings {
    let meter = connection.meter();
    let timings = Timings {
        connect: connection.connect,
        send: meter.write_last().saturating_duration_since(meter.started()),
        wait: meter.read_first().saturating_duration_since(meter.write_last()),
        receive: meter
            .progress_last()
            .saturating_duration_since(meter.read_first()),
        reused: connection.reused,
    };
    connection.connect = std::time::Duration::ZERO;
    connection.reused = true;
    timings
}
