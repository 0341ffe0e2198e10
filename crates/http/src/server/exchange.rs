//! One exchange on a server: read the request under limits, ask the service, hand its reply over.

use std::future::Future;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::{CONNECTION, SERVER};
use http::{HeaderValue, Request, Response, StatusCode};
use http_body::{Body as _, Frame, SizeHint};
use hyper::body::Incoming;

use super::options::ServerOptions;
use super::progress::{Progress, Step};
use super::service::{ServerRequest, ServerResponse, Service};
use crate::body::{Body, BodyError};
use crate::gather::Gather;

/// What the exchanges of all connections share.
pub(crate) struct Shared<S> {
    pub(crate) service: S,
    pub(crate) options: ServerOptions,
    pub(crate) server_name: Option<HeaderValue>,
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
    let reply = match receive(&shared.options, &progress, peer, request).await {
        Ok(request) => {
            progress.enter(Step::Handler);
            handle(&shared.service, &progress, request).await
        }
        Err(refusal) => {
            progress.leave_unread();
            refusal
        }
    };
    progress.enter(Step::Reply);
    let mut response = Response::new(Reply {
        body: reply.body,
        progress,
    });
    *response.status_mut() = reply.status;
    *response.headers_mut() = reply.headers;
    if let Some(name) = &shared.server_name {
        response
            .headers_mut()
            .entry(SERVER)
            .or_insert_with(|| name.clone());
    }
    response
}

/// Reads the body of a request.
async fn receive(
    options: &ServerOptions,
    progress: &Progress,
    peer: Peer,
    request: Request<Incoming>,
) -> Result<ServerRequest, ServerResponse> {
    let (head, mut body) = request.into_parts();
    let announced = body.size_hint().exact();
    if announced.is_some_and(|length| length > options.body_bytes_max) {
        return Err(too_large(options));
    }
    let mut gather = Gather::new(options.body_bytes_max, announced);
    while !body.is_end_stream() {
        let frame = std::future::poll_fn(|context| {
            if progress.is_expired() {
                return Poll::Ready(Err(StatusCode::REQUEST_TIMEOUT));
            }
            let frame = Pin::new(&mut body).poll_frame(context);
            frame.map(|frame| frame.transpose().map_err(|_| StatusCode::BAD_REQUEST))
        });
        match frame.await {
            Ok(None) => break,
            Ok(Some(frame)) => {
                if let Ok(chunk) = frame.into_data() {
                    gather.push(chunk).map_err(|_| too_large(options))?;
                }
            }
            Err(StatusCode::REQUEST_TIMEOUT) => {
                let text = "The body of the request did not come in time.\n";
                return Err(refuse(StatusCode::REQUEST_TIMEOUT, text));
            }
            Err(status) => {
                let text = "The body of the request is not framed as HTTP/1.1.\n";
                return Err(refuse(status, text));
            }
        }
    }
    Ok(ServerRequest {
        method: head.method,
        uri: head.uri,
        headers: head.headers,
        body: gather.finish(),
        peer: peer.address,
        peer_certificate: peer.certificate,
        secure: peer.secure,
    })
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
            return Poll::Ready(refuse(StatusCode::SERVICE_UNAVAILABLE, text));
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

fn too_large(options: &ServerOptions) -> ServerResponse {
    let text = format!("The body is larger than {} bytes.\n", options.body_bytes_max);
    refuse(StatusCode::PAYLOAD_TOO_LARGE, text)
}

/// A reply after which the connection closes, as the request was not read to its end.
fn refuse(status: StatusCode, text: impl Into<String>) -> ServerResponse {
    let mut reply = ServerResponse::text(status, text);
    reply
        .headers
        .insert(CONNECTION, HeaderValue::from_static("close"));
    reply
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
