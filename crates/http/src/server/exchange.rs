//! One exchange on a server: receive the request, ask the service, hand its reply over.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, SERVER, TRANSFER_ENCODING, VARY};
use http::{HeaderValue, Request, Response, StatusCode};
use http_body::{Frame, SizeHint};
use hyper::body::Incoming;
use tracing::Instrument as _;

use super::auth::Guard;
use super::options::ServerOptions;
use super::progress::{Progress, Step};
use super::receive::receive;
use super::service::{ServerRequest, ServerResponse, Service};
use crate::body::{Body, BodyError};
use crate::client::Encoding;
use crate::coding;
use crate::portion::Portion;

/// What the exchanges of all connections share.
pub(crate) struct Shared<S> {
    pub(crate) service: S,
    pub(crate) options: ServerOptions,
    pub(crate) server_name: Option<HeaderValue>,
    pub(crate) guard: Option<Guard>,
    pub(crate) tls: Option<Arc<rustls::ServerConfig>>,
}

/// What the exchanges of one connection share.
pub(crate) struct Connected<S> {
    pub(crate) shared: Arc<Shared<S>>,
    pub(crate) progress: Arc<Progress>,
    pub(crate) peer: Peer,
    /// The answer to the first request, where it is known.
    pub(crate) reply: Mutex<Option<Box<ServerResponse>>>,
}

/// The other end of a connection.
#[derive(Debug, Clone)]
pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    pub(crate) certificate: Option<Bytes>,
    pub(crate) secure: bool,
}

impl Peer {
    /// One that nothing is known of but its address.
    pub(crate) fn plain(address: SocketAddr) -> Peer {
        Peer {
            address,
            certificate: None,
            secure: false,
        }
    }
}

/// Answers one request; every failure becomes a reply.
///
/// The future is what is moved most often on the way of a small call, and so it holds the request once: what
/// waits in it borrows.
pub(crate) fn answer<S: Service>(
    connected: Arc<Connected<S>>,
    request: Request<Incoming>,
) -> impl Future<Output = Result<Response<Reply>, Infallible>> {
    let (mut head, body) = request.into_parts();
    async move {
        let Connected {
            shared,
            progress,
            peer,
            reply: known,
        } = &*connected;
        progress.enter(Step::Body);
        let above = shared.options.compress_reply_above;
        let accepted = above.and_then(|_| coding::accepted(&head.headers));
        let mut reply = match receive(shared, progress, peer, &mut head, body).await {
            Ok(received) => {
                progress.enter(Step::Handler);
                let known = known.lock().unwrap_or_else(PoisonError::into_inner).take();
                if let Some(reply) = known {
                    progress.enter(Step::Reply);
                    return Ok(respond(*reply, &connected));
                }
                let request = received.request(head, peer);
                let span =
                    tracing::debug_span!("http_serve", method = %request.method, path = request.path());
                handle(&shared.service, progress, request).instrument(span).await
            }
            Err(refusal) => refusal,
        };
        if let (Some(above), Some(coding)) = (above, accepted) {
            compress(&mut reply, coding, above);
        }
        tracing::debug!(status = reply.status.as_u16(), "answered");
        progress.enter(Step::Reply);
        Ok(respond(reply, &connected))
    }
}

/// The reply as hyper takes it.
fn respond<S>(reply: ServerResponse, connected: &Connected<S>) -> Response<Reply> {
    let mut response = Response::new(Reply {
        body: reply.body,
        progress: Arc::clone(&connected.progress),
    });
    *response.status_mut() = reply.status;
    let headers = response.headers_mut();
    *headers = reply.headers;
    // hyper counts the bytes itself; a service that miscounts must not break the framing.
    headers.remove(CONTENT_LENGTH);
    headers.remove(TRANSFER_ENCODING);
    if let Some(name) = &connected.shared.server_name {
        headers.entry(SERVER).or_insert_with(|| name.clone());
    }
    response
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

pub(crate) fn panicked() -> ServerResponse {
    tracing::error!("a handler panicked; answered 500");
    ServerResponse::text(StatusCode::INTERNAL_SERVER_ERROR, "The service failed.\n")
}

/// The body of a reply, which tells its connection's [`Progress`] when it is done.
pub(crate) struct Reply {
    body: Body,
    progress: Arc<Progress>,
}

impl http_body::Body for Reply {
    type Data = Portion;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Portion>, BodyError>>> {
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
