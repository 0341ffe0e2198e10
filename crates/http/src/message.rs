//! What a client sends and gets: [`Request`], [`Response`] and its [`Timings`].

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use url::Url;

use crate::body::Body;
use crate::error::{Error, Guilty, Kind, Phase};
use crate::watch::Watch;

/// One request. The caller sets the content type and SOAPAction as headers; `Host`,
/// `Content-Length`, `Transfer-Encoding`, `Connection`, `Accept-Encoding`, `Content-Encoding`,
/// cookies and the authentication of the options are set by the client (a header of the request
/// wins over cookies and authentication of the options).
#[derive(Debug)]
pub struct Request {
    /// POST for a call, GET for a document.
    pub method: Method,
    /// Absolute `http` or `https` address. A user and password in it are used as basic
    /// authentication when the options have none.
    pub url: Url,
    /// Header fields of the caller.
    pub headers: HeaderMap,
    /// The bytes to send.
    pub body: Body,
    /// Replaces [`timeout_call`](crate::ClientOptions::timeout_call) for this call.
    pub timeout_call: Option<Duration>,
    /// Looks at the body of a reply that is a success while it comes, if the client reads it whole.
    pub watch: Option<Arc<dyn Watch>>,
}

/// One reply, whatever its status: SOAP faults come with 400 and 500.
#[derive(Debug)]
pub struct Response {
    /// Status of the reply.
    pub status: StatusCode,
    /// Header fields as sent by the peer, except that `Content-Encoding` and `Content-Length` are
    /// gone when the body was decompressed.
    pub headers: HeaderMap,
    /// The whole body, decompressed.
    pub body: Bytes,
    /// Whether what holds the body holds hardly anything else: who keeps it keeps nothing of the head, and no more
    /// memory than it is long.
    pub body_is_alone: bool,
    /// How long each step took.
    pub timings: Timings,
    /// The address that answered: another than that of the request after redirects.
    pub url: Url,
    /// Bytes of the body as they came, before decompression.
    pub body_bytes_wire: u64,
}

/// How long each step of an exchange took. The steps follow each other; steps that did not
/// happen are zero.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Timings {
    /// Resolving, connecting and TLS; zero on a kept connection.
    pub connect: Duration,
    /// From the start of the exchange until the last byte of the request was written.
    pub send: Duration,
    /// From there until the first byte of the reply came.
    pub wait: Duration,
    /// From there until the last byte of the reply was read.
    pub receive: Duration,
    /// True when the connection had been used before.
    pub reused: bool,
}

impl Request {
    /// A POST of `body` to `url`.
    #[must_use]
    pub fn post(url: Url, body: impl Into<Body>) -> Request {
        let headers = HeaderMap::with_capacity(4);
        Request {
            method: Method::POST,
            url,
            headers,
            body: body.into(),
            timeout_call: None,
            watch: None,
        }
    }

    /// A GET of `url`.
    #[must_use]
    pub fn get(url: Url) -> Request {
        Request {
            method: Method::GET,
            ..Request::post(url, Body::empty())
        }
    }

    /// Adds one header field.
    ///
    /// # Errors
    /// [`Kind::Request`] when the name is no token or the value has a line break or control byte
    /// (RFC 9110 §5.5).
    pub fn header(mut self, name: &str, value: &str) -> Result<Request, Error> {
        let invalid = |what: &str| {
            let text = format!("{what} of the HTTP header {name:?} cannot be sent");
            Error::new(Kind::Request, Guilty::Caller, Phase::Prepare, text)
        };
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| invalid("the name"))?;
        let value = HeaderValue::from_str(value).map_err(|_| invalid("the value"))?;
        self.headers.append(key, value);
        Ok(self)
    }
}

impl Timings {
    /// The sum of all steps.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.connect + self.send + self.wait + self.receive
    }
}
