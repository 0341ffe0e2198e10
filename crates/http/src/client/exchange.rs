//! One exchange of a call: a connection, the request over it, the reply back, the connection kept.

use std::time::{Duration, Instant};

use http::header::HeaderName;
use http::{HeaderMap, Method, Response, StatusCode};
use http_body::Body as _;
use hyper::body::Incoming;
use url::Url;

use super::Client;
use super::connect::{Deadline, Route, dial};
use super::connection::Connection;
use super::limits::Limits;
use super::options::Retry;
use super::prepare::{Hop, prepare};
use super::spin::Spin;
use crate::body::Body;
use crate::coding::{self, CodingError};
use crate::error::{Error, Guilty, Kind, Phase};
use crate::gather::{Gather, Gathered};
use crate::message::Timings;

/// A reply that was read to its end.
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Gathered,
    pub(crate) body_bytes_wire: u64,
    pub(crate) timings: Timings,
    /// The request carried an `Authorization`.
    pub(crate) authorized: bool,
}

/// A reply whose head has come.
pub(crate) struct Opened {
    pub(crate) connection: Box<Connection>,
    pub(crate) head: Response<Incoming>,
    /// The request carried an `Authorization`.
    pub(crate) authorized: bool,
}

impl Client {
    /// Sends one request, a second time on a new connection when [`Retry`] allows it.
    pub(crate) async fn exchange(&self, hop: &Hop, mut body: Body, limits: &Limits) -> Result<Opened, Error> {
        let retry = self.shared.options.retry;
        let mut spare = if retry == Retry::Never {
            None
        } else {
            body.try_clone()
        };
        let mut started = Instant::now();
        let mut kept = self.pool.take(&hop.url, started);
        loop {
            let mut connection = match kept.take() {
                Some(connection) => connection,
                None => {
                    // Boxed: connecting is rare, and its state would make every call's future large.
                    let connection = Box::pin(self.connect(&hop.url, limits)).await?;
                    started = Instant::now();
                    connection
                }
            };
            let reused = connection.reused;
            let prepared = prepare(&self.shared, &connection.route, hop, body)?;
            match connection.exchange(prepared.request, limits, started).await {
                Ok(head) => {
                    let authorized = prepared.authorized;
                    return Ok(Opened {
                        connection,
                        head,
                        authorized,
                    });
                }
                Err(error) => match spare.take() {
                    Some(again) if reused && may_repeat(retry, &hop.method, &error) => {
                        tracing::debug!(%error, "a kept connection had died; sending again on a new one");
                        body = again;
                    }
                    _ => return Err(error),
                },
            }
        }
    }

    /// Reads a reply to its end and keeps the connection.
    pub(crate) async fn read(&self, opened: Opened, hop: &Hop, limits: &Limits) -> Result<Reply, Error> {
        let Opened {
            mut connection,
            head,
            authorized,
        } = opened;
        let limit = self.shared.options.body_bytes_max;
        let (head, mut incoming) = head.into_parts();
        let announced = incoming.size_hint().exact();
        if announced.is_some_and(|length| length > limit) {
            return Err(too_large(limit));
        }
        let is_plain = head.status.is_success() && matches!(coding::of(&head.headers), Ok(None));
        let watch = hop.watch.clone().filter(|_| is_plain);
        let mut gather = Gather::new(limit, announced).watched(watch);
        while let Some(chunk) = connection.chunk(&mut incoming, limits).await? {
            gather.push(chunk).map_err(|_| too_large(limit))?;
        }
        let timings = connection.timings();
        if connection.settle() {
            self.pool.put(connection, keep_alive(&head.headers));
        }
        let mut headers = head.headers;
        let coded = gather.finish();
        let body_bytes_wire = coded.body.len() as u64;
        let body = coding::undo(&mut headers, coded, limit).map_err(|e| uncoded(e, limit))?;
        let status = head.status;
        Ok(Reply {
            status,
            headers,
            body,
            body_bytes_wire,
            timings,
            authorized,
        })
    }

    async fn connect(&self, url: &Url, limits: &Limits) -> Result<Box<Connection>, Error> {
        let started = Instant::now();
        let options = &self.shared.options;
        let route = Route::to(url, &self.shared.proxies)?;
        let deadline = Deadline::new(options.timeout_connect, limits.call());
        let (stream, probe) = dial(&route, || self.shared.tls(), deadline).await?;
        tracing::debug!(host = %route.host, port = route.port, secure = route.secure, "connected");
        let mut connection = Connection::start(route, stream, probe, options.header_bytes_max).await?;
        connection.spin = Spin::new(self.spin);
        connection.connect = started.elapsed();
        Ok(connection)
    }
}

/// Whether a request whose kept connection died may be sent again; see [`Retry`].
fn may_repeat(retry: Retry, method: &Method, error: &Error) -> bool {
    let harmless = [Method::GET, Method::HEAD, Method::OPTIONS].contains(method);
    match retry {
        Retry::Never => false,
        Retry::Safe if !harmless => error.kind() == Kind::Closed && error.is_unsent(),
        Retry::Safe | Retry::ClosedBeforeReply => error.kind() == Kind::Closed,
    }
}

/// The `timeout` of a `Keep-Alive` field.
pub(crate) fn keep_alive(headers: &HeaderMap) -> Option<Duration> {
    let field = headers
        .get(HeaderName::from_static("keep-alive"))?
        .to_str()
        .ok()?;
    let mut parameters = field.split(',').map(str::trim);
    let seconds = parameters.find_map(|parameter| parameter.strip_prefix("timeout="))?;
    seconds.trim().parse().ok().map(Duration::from_secs)
}

fn too_large(limit: u64) -> Error {
    let text = format!("the body of the reply is larger than body_bytes_max ({limit} bytes)");
    Error::new(Kind::TooLarge, Guilty::Peer, Phase::Read, text)
}

pub(crate) fn uncoded(error: CodingError, limit: u64) -> Error {
    let broken = |text: String| Error::new(Kind::Coding, Guilty::Peer, Phase::Read, text);
    match error {
        CodingError::Full => too_large(limit),
        CodingError::Unknown(name) => broken(format!(
            "the reply has the content coding {name:?}, which nobody asked for"
        )),
        CodingError::Damaged(e) => {
            broken("the compressed body of the reply is damaged or cut off".to_owned()).with_source(e)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_post_is_repeated_only_when_unsent_or_asked() {
        let closed = |unsent| Error::new(Kind::Closed, Guilty::Peer, Phase::Wait, "").with_unsent(unsent);
        let post = &Method::POST;
        assert!(may_repeat(Retry::Safe, post, &closed(true)));
        assert!(!may_repeat(Retry::Safe, post, &closed(false)));
        assert!(may_repeat(Retry::Safe, &Method::GET, &closed(false)));
        assert!(may_repeat(Retry::ClosedBeforeReply, post, &closed(false)));
        assert!(!may_repeat(Retry::Never, post, &closed(true)));
        let truncated = Error::new(Kind::Truncated, Guilty::Peer, Phase::Read, "");
        assert!(!may_repeat(Retry::ClosedBeforeReply, post, &truncated));
    }
}
