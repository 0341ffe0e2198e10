//! One exchange on a server: read the request under limits, ask the service, hand its reply over.

use std::future::Future;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::{
    ACCEPT_ENCODING, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, EXPECT, SERVER, TRANSFER_ENCODING, VARY,
};
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode};
use http_body::{Body as _, Frame, SizeHint};
use hyper::body::Incoming;

use super::auth::Guard;
use super::options::ServerOptions;
use super::progress::{Progress, Step};
use super::service::{ServerRequest, ServerResponse, Service};
use crate::body::{Body, BodyError};
use crate::client::Encoding;
use crate::coding::{self, CodingError};
use crate::gather::Gather;

/// The most that is read of a request whose sender is not known.
const UNREAD_BYTES_MAX: u64 = 64 << 10;

/// What the exchanges of all connections share.
pub(crate) struct Shared<S> {
    pub(crate) service: S,
    pub(crate) options: ServerOptions,
    pub(crate) server_name: Option<HeaderValue>,
    pub(crate) guard: Option<Guard>,
    pub(crate) tls: Option<Arc<rustls::ServerConfig>>,
}

/// The other end of a connection.
#[derive(Debug, Clone)]
pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    pub(crate) certificate: Option<Bytes>,
    pub(crate) secure: bool,
}

/// Answers one request; every failure becomes a reply.
pub(crate) async fn answer<S: Service>(
    shared: Arc<Shared<S>>,
    progress: Arc<Progress>,
    peer: Peer,
    request: Request<Incoming>,
) -> Response<Reply> {
    progress.enter(Step::Body);
    let accepted = shared
        .options
        .compress_reply_above
        .and_then(|_| coding::accepted(request.headers()));
    let mut reply = match receive(&shared, &progress, peer, request).await {
        Ok(request) => {
            progress.enter(Step::Handler);
            handle(&shared.service, &progress, request).await
        }
        Err(refusal) => refusal,
    };
    if let (Some(above), Some(coding)) = (shared.options.compress_reply_above, accepted) {
        compress(&mut reply, coding, above);
    }
    progress.enter(Step::Reply);
    let mut response = Response::new(Reply {
        body: reply.body,
        progress,
    });
    *response.status_mut() = reply.status;
    *response.headers_mut() = reply.headers;
    // hyper counts the bytes itself; a service that miscounts must not break the framing.
    response.headers_mut().remove(CONTENT_LENGTH);
    response.headers_mut().remove(TRANSFER_ENCODING);
    if let Some(name) = &shared.server_name {
        response
            .headers_mut()
            .entry(SERVER)
            .or_insert_with(|| name.clone());
    }
    response
}

/// Reads a request to its end: expectation, authentication, length, body, content coding.
async fn receive<S>(
    shared: &Shared<S>,
    progress: &Progress,
    peer: Peer,
    request: Request<Incoming>,
) -> Result<ServerRequest, ServerResponse> {
    let options = &shared.options;
    let (mut head, body) = request.into_parts();
    expectation(&head.headers).map_err(|refusal| refusal.unread(progress))?;
    let unread = UNREAD_BYTES_MAX.min(options.body_bytes_max);
    let principal = match shared.guard.as_ref().map(|guard| guard.check(&head)).transpose() {
        Ok(principal) => principal,
        Err(challenge) => {
            // A small body is read, so that the connection can carry the answer to the challenge.
            return Err(match collect(body, unread, progress).await {
                Ok(_) => challenge.reply(),
                Err(_) => challenge.unread(progress),
            });
        }
    };
    let coding = coding::of(&head.headers).map_err(|e| uncoded(e, options).unread(progress))?;
    let coded = collect(body, options.body_bytes_max, progress).await;
    let coded = coded.map_err(|refusal| refusal.unread(progress))?;
    let body = match coding {
        None => coded,
        Some(_) => coding::undo(&mut head.headers, coded, options.body_bytes_max)
            .map_err(|e| uncoded(e, options).reply())?,
    };
    Ok(ServerRequest {
        method: head.method,
        uri: head.uri,
        headers: head.headers,
        body,
        peer: peer.address,
        peer_certificate: peer.certificate,
        principal,
        secure: peer.secure,
    })
}

/// `Expect` knows one word (RFC 9110 §10.1.1); hyper says "100 Continue" when the body is read.
fn expectation(headers: &HeaderMap) -> Result<(), Refusal> {
    match headers.get(EXPECT) {
        Some(value) if !value.as_bytes().eq_ignore_ascii_case(b"100-continue") => {
            let text = "The only expectation known here is 100-continue.\n";
            Err(Refusal::new(StatusCode::EXPECTATION_FAILED, text))
        }
        _ => Ok(()),
    }
}

/// Reads a body under a limit and the watchdog's eyes.
async fn collect(mut body: Incoming, limit: u64, progress: &Progress) -> Result<Bytes, Refusal> {
    let too_large = || {
        let text = format!("The body of the request is larger than {limit} bytes.\n");
        Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, text)
    };
    let announced = body.size_hint().exact();
    if announced.is_some_and(|length| length > limit) {
        return Err(too_large());
    }
    let mut gather = Gather::new(limit, announced);
    while !body.is_end_stream() {
        let frame = std::future::poll_fn(|context| {
            if progress.is_expired() {
                let text = "The body of the request did not come in time.\n";
                return Poll::Ready(Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, text)));
            }
            let frame = Pin::new(&mut body).poll_frame(context);
            frame.map(|frame| {
                frame.transpose().map_err(|_| {
                    let text = "The body of the request is cut off, or not framed as HTTP/1.1.\n";
                    Refusal::new(StatusCode::BAD_REQUEST, text)
                })
            })
        });
        match frame.await? {
            None => break,
            Some(frame) => {
                if let Ok(chunk) = frame.into_data() {
                    gather.push(chunk).map_err(|_| too_large())?;
                }
            }
        }
    }
    Ok(gather.finish())
}

fn uncoded(error: CodingError, options: &ServerOptions) -> Refusal {
    match error {
        CodingError::Unknown(name) => {
            let text =
                format!("The content coding {name:?} is not known here; gzip, zstd and deflate are.\n");
            let mut refusal = Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, text);
            let known = HeaderValue::from_static("gzip, zstd, deflate");
            refusal.reply.headers.insert(ACCEPT_ENCODING, known);
            refusal
        }
        CodingError::Full => {
            let text = format!(
                "The decompressed body is larger than {} bytes.\n",
                options.body_bytes_max
            );
            Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, text)
        }
        CodingError::Damaged(_) => {
            let text = "The compressed body is damaged or cut off.\n";
            Refusal::new(StatusCode::BAD_REQUEST, text)
        }
    }
}

/// Compresses a reply that is known, large enough and not compressed.
fn compress(reply: &mut ServerResponse, coding: Encoding, above: u64) {
    let small = reply.body.length().is_none_or(|length| length <= above);
    if small || reply.headers.contains_key(CONTENT_ENCODING) {
        return;
    }
    match std::mem::take(&mut reply.body).into_bytes() {
        Err(streamed) => reply.body = streamed,
        Ok(plain) => match coding::encode(coding, &plain) {
            Ok(coded) => {
                reply.body = coded.into();
                reply
                    .headers
                    .insert(CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
                reply
                    .headers
                    .append(VARY, HeaderValue::from_static("Accept-Encoding"));
            }
            Err(error) => {
                tracing::warn!(%error, "a reply could not be compressed; sent as it is");
                reply.body = plain.into();
            }
        },
    }
}

/// Runs the service under its time limit; a panic is a reply as well.
async fn handle<S: Service>(service: &S, progress: &Progress, request: ServerRequest) -> ServerResponse {
    let Ok(call) = catch_unwind(AssertUnwindSafe(|| service.call(request))) else {
        return panicked();
    };
    let mut call = pin!(call);
    std::future::poll_fn(|context| {
        if progress.is_expired() {
            let text = "The service did not answer in time.\n";
            return Poll::Ready(ServerResponse::text(StatusCode::SERVICE_UNAVAILABLE, text));
        }
        // A future that panicked is not polled again: `Ready` ends it.
        match catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(context))) {
            Ok(poll) => poll,
            Err(_) => Poll::Ready(panicked()),
        }
    })
    .await
}

fn panicked() -> ServerResponse {
    tracing::error!("a handler panicked; answered 500");
    ServerResponse::text(StatusCode::INTERNAL_SERVER_ERROR, "The service failed.\n")
}

/// A reply made here, not by the service.
pub(crate) struct Refusal {
    pub(crate) reply: ServerResponse,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, text: impl Into<String>) -> Refusal {
        Refusal {
            reply: ServerResponse::text(status, text),
        }
    }

    /// For a request that was read to its end.
    pub(crate) fn reply(self) -> ServerResponse {
        self.reply
    }

    /// For a request that was not: the connection closes after the reply.
    fn unread(mut self, progress: &Progress) -> ServerResponse {
        progress.leave_unread();
        self.reply
            .headers
            .insert(CONNECTION, HeaderValue::from_static("close"));
        self.reply
    }
}

/// The body of a reply, which tells its connection's [`Progress`] when it is done.
pub(crate) struct Reply {
    body: Body,
    progress: Arc<Progress>,
}

impl http_body::Body for Reply {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        self.progress.enter(Step::Head);
    }
}
