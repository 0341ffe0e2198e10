//! Reading a request under limits; what cannot be read becomes a [`Refusal`].

use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, CONNECTION, EXPECT};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode};
use http_body::Body as _;
use hyper::body::Incoming;

use super::arriving::Arriving;
use super::exchange::{Peer, Shared};
use super::options::ServerOptions;
use super::progress::Progress;
use super::service::{Caller, ServerRequest, ServerResponse, Service};
use crate::coding::{self, CodingError};
use crate::error::Kind;
use crate::gather::{Gather, Gathered, LOOK_BYTES};
use crate::watch::Watch;

/// The most that is read of a request whose sender is not known.
const UNREAD_BYTES_MAX: u64 = 64 << 10;

/// What came of a request beside its head.
pub(crate) struct Arrived {
    body: Gathered,
    arriving: Option<Arriving>,
    watch: Option<Arc<dyn Watch>>,
    principal: Option<String>,
}

impl Arrived {
    /// The request as the service takes it.
    pub(crate) fn request(self, head: Parts, peer: &Peer) -> ServerRequest {
        ServerRequest {
            method: head.method,
            uri: head.uri,
            headers: head.headers,
            body: self.body.body,
            body_is_alone: self.body.is_alone,
            arriving: self.arriving,
            watch: self.watch,
            peer: peer.address,
            peer_certificate: peer.certificate.clone(),
            principal: self.principal,
            secure: peer.secure,
        }
    }
}

/// Reads a request: expectation, authentication, length, body, content coding. The body only where the
/// service does not take it while it comes.
pub(crate) async fn receive<S: Service>(
    shared: &Shared<S>,
    progress: &Arc<Progress>,
    peer: &Peer,
    head: &mut Parts,
    body: Incoming,
) -> Result<Arrived, ServerResponse> {
    let options = &shared.options;
    expectation(&head.headers).map_err(|refusal| refusal.unread(progress))?;
    let unread = UNREAD_BYTES_MAX.min(options.body_bytes_max);
    let principal = match shared.guard.as_ref().map(|guard| guard.check(head)).transpose() {
        Ok(principal) => principal,
        Err(challenge) => {
            // A small body is read, so that the connection can carry the answer to the challenge.
            return Err(match collect(body, unread, None, progress).await {
                Ok(_) => challenge.reply(),
                Err(_) => challenge.unread(progress),
            });
        }
    };
    let coding = coding::of(&head.headers).map_err(|e| uncoded(e, options).unread(progress))?;
    let mut watch = None;
    let (body, arriving) = if shared.service.takes_open(&head.method, &head.headers) {
        coding::forget(&mut head.headers, coding);
        let arriving = Arriving::new(body, coding, Arc::clone(progress), options);
        (Gathered::default(), Some(arriving))
    } else {
        let caller = Caller {
            peer: peer.address,
            certificate: peer.certificate.as_deref(),
            principal: principal.as_deref(),
        };
        let is_watched = coding.is_none()
            && body
                .size_hint()
                .exact()
                .is_none_or(|length| length > LOOK_BYTES as u64);
        watch = is_watched.then(|| shared.service.watch(&caller)).flatten();
        let coded = collect(body, options.body_bytes_max, watch.clone(), progress).await;
        let coded = coded.map_err(|refusal| refusal.unread(progress))?;
        let plain = coding::undo(&mut head.headers, coded, options.body_bytes_max);
        (plain.map_err(|e| uncoded(e, options).reply())?, None)
    };
    Ok(Arrived {
        body,
        arriving,
        watch,
        principal,
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
async fn collect(
    mut body: Incoming,
    limit: u64,
    watch: Option<Arc<dyn Watch>>,
    progress: &Progress,
) -> Result<Gathered, Refusal> {
    let announced = body.size_hint().exact();
    if announced.is_some_and(|length| length > limit) {
        return Err(too_large(limit));
    }
    let mut gather = Gather::new(limit, announced).watched(watch);
    while !body.is_end_stream() {
        let frame = std::future::poll_fn(|context| {
            if progress.is_expired() {
                return Poll::Ready(Err(too_slow()));
            }
            let frame = Pin::new(&mut body).poll_frame(context);
            frame.map(|frame| frame.transpose().map_err(|_| cut_off()))
        });
        match frame.await? {
            None => break,
            Some(frame) => {
                if let Ok(chunk) = frame.into_data() {
                    gather.push(chunk).map_err(|_| too_large(limit))?;
                }
            }
        }
    }
    Ok(gather.finish())
}

fn too_large(limit: u64) -> Refusal {
    let text = format!("The body of the request is larger than {limit} bytes.\n");
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, text)
}

fn too_slow() -> Refusal {
    let text = "The body of the request did not come in time.\n";
    Refusal::new(StatusCode::REQUEST_TIMEOUT, text)
}

fn cut_off() -> Refusal {
    let text = "The body of the request is cut off, or not framed as HTTP/1.1.\n";
    Refusal::new(StatusCode::BAD_REQUEST, text)
}

fn damaged() -> Refusal {
    let text = "The compressed body is damaged or cut off.\n";
    Refusal::new(StatusCode::BAD_REQUEST, text)
}

impl Arriving {
    /// The whole body after all, of which `came` was taken already.
    ///
    /// # Errors
    /// What a request is answered whose body cannot be read, or is larger than
    /// [`body_bytes_max`](ServerOptions::body_bytes_max).
    pub fn collect(mut self, came: Vec<Bytes>) -> Result<Bytes, ServerResponse> {
        let mut gather = Gather::new(self.whole_bytes_max, None);
        let mut came = came.into_iter();
        loop {
            let chunk = match came.next() {
                Some(chunk) => Ok(Some(chunk)),
                None => self.chunk(),
            };
            let refusal = match chunk.map_err(|error| error.kind()) {
                Ok(None) => return Ok(gather.finish().body),
                Ok(Some(chunk)) => match gather.push(chunk) {
                    Ok(()) => continue,
                    Err(_) => too_large(self.whole_bytes_max),
                },
                Err(Kind::Timeout) => too_slow(),
                Err(Kind::Coding) => damaged(),
                Err(_) => cut_off(),
            };
            return Err(refusal.unread(&self.progress));
        }
    }
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
        CodingError::Damaged(_) => damaged(),
    }
}

/// A reply made here, not by the service.
pub(crate) struct Refusal {
    pub(crate) reply: Box<ServerResponse>,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, text: impl Into<String>) -> Refusal {
        Refusal {
            reply: Box::new(ServerResponse::text(status, text)),
        }
    }

    /// For a request that was read to its end.
    fn reply(self) -> ServerResponse {
        *self.reply
    }

    /// For a request that was not: the connection closes after the reply.
    fn unread(mut self, progress: &Progress) -> ServerResponse {
        progress.leave_unread();
        self.reply
            .headers
            .insert(CONNECTION, HeaderValue::from_static("close"));
        *self.reply
    }
}
