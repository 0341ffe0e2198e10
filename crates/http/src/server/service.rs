//! [`Service`]: what answers requests.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{ALLOW, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};

use super::arriving::Arriving;
use super::exchange::Peer;
use crate::body::Body;
use crate::watch::Watch;

/// Answers requests. Every closure from [`ServerRequest`] to a future of [`ServerResponse`] is
/// one.
///
/// The future runs on the thread of its connection, beside other connections: what blocks or
/// computes for long should say so with `tokio::task::spawn_blocking`. A panic is caught,
/// logged and answered 500.
pub trait Service: Send + Sync + 'static {
    /// Answers one request.
    fn call(&self, request: ServerRequest) -> impl Future<Output = ServerResponse> + Send;

    /// Whether a request of this head is answered while its body comes, as
    /// [`ServerRequest::arriving`]; else it is read first, under a limit.
    fn takes_open(&self, method: &Method, headers: &HeaderMap) -> bool {
        let _ = (method, headers);
        false
    }

    /// Who looks at the body of a request while it comes, where it is large and read first; then it is the request's
    /// [`watch`](ServerRequest::watch). None by default.
    fn watch(&self, caller: &Caller<'_>) -> Option<Arc<dyn Watch>> {
        let _ = caller;
        None
    }

    /// What answers small calls on the threads of their connections; none (the default): nothing does.
    fn direct(&self) -> Option<&dyn Direct> {
        None
    }
}

/// Who sends a request, as far as that is known before its body comes.
#[derive(Clone, Copy, Debug)]
pub struct Caller<'c> {
    /// As [`ServerRequest::peer`].
    pub peer: SocketAddr,
    /// As [`ServerRequest::peer_certificate`].
    pub certificate: Option<&'c [u8]>,
    /// As [`ServerRequest::principal`].
    pub principal: Option<&'c str>,
}

/// Answers requests on the threads of their connections, which may block.
pub trait Direct {
    /// Answers one request. `begin` takes a response that is sent while this goes on; of what is given back
    /// then, nothing is sent. A panic is caught, logged and answered 500.
    fn answer(&self, request: &ServerRequest, begin: &dyn Fn(ServerResponse)) -> ServerResponse;
}

impl<F, R> Service for F
where
    F: Fn(ServerRequest) -> R + Send + Sync + 'static,
    R: Future<Output = ServerResponse> + Send,
{
    fn call(&self, request: ServerRequest) -> impl Future<Output = ServerResponse> + Send {
        self(request)
    }
}

/// A request within the limits.
#[derive(Debug)]
pub struct ServerRequest {
    /// POST for a call, GET for a document.
    pub method: Method,
    /// Path and query (an absolute address when the peer sent one).
    pub uri: Uri,
    /// Header fields; without `Content-Encoding` and `Content-Length` when the body came
    /// compressed.
    pub headers: HeaderMap,
    /// The whole body, decompressed; empty where it is `arriving`.
    pub body: Bytes,
    /// Whether what holds the body holds hardly anything else: who keeps it keeps nothing of the head, and no more
    /// memory than it is long.
    pub body_is_alone: bool,
    /// The body that is still to come, when the service [takes it so](Service::takes_open).
    pub arriving: Option<Arriving>,
    /// Who looked at the body while it came.
    pub watch: Option<Arc<dyn Watch>>,
    /// The other end of the connection (a proxy's, if there is one).
    pub peer: SocketAddr,
    /// The other end's certificate, DER, when it had to show one.
    pub peer_certificate: Option<Bytes>,
    /// The user that [`ServerOptions::auth`](crate::ServerOptions::auth) has found to be genuine
    /// (for a bearer token: whom its check named).
    pub principal: Option<String>,
    /// True over TLS.
    pub secure: bool,
}

/// The answer to a request.
#[derive(Debug)]
pub struct ServerResponse {
    /// Status.
    pub status: StatusCode,
    /// Header fields of the service; framing, `Date` and `Server` are added.
    pub headers: HeaderMap,
    /// The bytes to send.
    pub body: Body,
}

impl ServerRequest {
    /// One without a body yet, from a peer who has proved nothing.
    pub(crate) fn direct(head: Parts, peer: &Peer) -> ServerRequest {
        ServerRequest {
            method: head.method,
            uri: head.uri,
            headers: head.headers,
            body: Bytes::new(),
            body_is_alone: true,
            arriving: None,
            watch: None,
            peer: peer.address,
            peer_certificate: peer.certificate.clone(),
            principal: None,
            secure: peer.secure,
        }
    }

    /// The path of the address, `/` when it is empty.
    #[must_use]
    pub fn path(&self) -> &str {
        self.uri.path()
    }

    /// What follows the `?`.
    #[must_use]
    pub fn query(&self) -> Option<&str> {
        self.uri.query()
    }
}

impl ServerResponse {
    /// A reply with a body of a content type. A content type that cannot be sent is left out.
    #[must_use]
    pub fn new(status: StatusCode, content_type: &str, body: impl Into<Body>) -> ServerResponse {
        let mut headers = HeaderMap::with_capacity(4);
        if let Ok(value) = HeaderValue::from_str(content_type) {
            headers.insert(CONTENT_TYPE, value);
        }
        ServerResponse {
            status,
            headers,
            body: body.into(),
        }
    }

    /// A reply without a body.
    #[must_use]
    pub fn empty(status: StatusCode) -> ServerResponse {
        ServerResponse {
            status,
            headers: HeaderMap::new(),
            body: Body::empty(),
        }
    }

    /// A reply with a line of plain text.
    #[must_use]
    pub fn text(status: StatusCode, text: impl Into<String>) -> ServerResponse {
        ServerResponse::new(status, "text/plain; charset=utf-8", text.into())
    }

    /// 405 with the methods that are allowed, such as `"GET, POST"`.
    #[must_use]
    pub fn method_not_allowed(allowed: &'static str) -> ServerResponse {
        let mut reply = ServerResponse::empty(StatusCode::METHOD_NOT_ALLOWED);
        reply.headers.insert(ALLOW, HeaderValue::from_static(allowed));
        reply
    }
}
