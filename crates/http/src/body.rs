//! What is sent: a [`Body`] known as a whole, in chunks, or made while it is being sent.

use std::collections::VecDeque;
use std::error::Error as StdError;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use http_body::{Frame, SizeHint};
use tokio::sync::mpsc;

use crate::park;
use crate::portion::Portion;

/// Why a body that is made while it is sent could not be made.
pub type BodyError = Box<dyn StdError + Send + Sync>;

/// The bytes of a request or of a reply.
///
/// A body whose length is known is sent with `Content-Length`; an [`iterator`](Body::iterator) or
/// a [`channel`](Body::channel) is sent chunked (RFC 9112 §7.1), in constant memory, each chunk
/// taken when the socket can have it.
#[derive(Default)]
pub struct Body {
    source: Source,
    /// Hide the length, so that even a known body is sent chunked.
    chunked: bool,
}

#[derive(Default)]
enum Source {
    #[default]
    Empty,
    Whole(Bytes),
    Chunks(VecDeque<Bytes>),
    Iterator(Box<dyn Iterator<Item = Result<Bytes, BodyError>> + Send>),
    Channel {
        chunks: mpsc::Receiver<Bytes>,
        finished: Arc<AtomicBool>,
    },
    Again(Arc<dyn Fn() -> Body + Send + Sync>),
}

/// The writing end of [`Body::channel`]. Dropping it without [`finish`](BodySender::finish)
/// breaks the body off, so that the peer sees a truncated message rather than a short one.
pub struct BodySender {
    chunks: mpsc::Sender<Bytes>,
    finished: Arc<AtomicBool>,
}

impl Body {
    /// No bytes.
    #[must_use]
    pub fn empty() -> Body {
        Body::default()
    }

    /// Chunks made one by one while they are sent. An error breaks the message off.
    pub fn iterator<I>(chunks: I) -> Body
    where
        I: Iterator<Item = Result<Bytes, BodyError>> + Send + 'static,
    {
        Body {
            source: Source::Iterator(Box::new(chunks)),
            chunked: true,
        }
    }

    /// Chunks made elsewhere: at most `ahead` of them (at least 1) wait to be sent.
    #[must_use]
    pub fn channel(ahead: usize) -> (BodySender, Body) {
        let (sender, receiver) = mpsc::channel(ahead.max(1));
        let finished = Arc::new(AtomicBool::new(false));
        let source = Source::Channel {
            chunks: receiver,
            finished: Arc::clone(&finished),
        };
        (
            BodySender {
                chunks: sender,
                finished,
            },
            Body {
                source,
                chunked: true,
            },
        )
    }

    /// A body that `make` makes when, and each time that, it is sent: a second time after a redirect or
    /// a challenge to authenticate. It is sent chunked.
    #[must_use]
    pub fn again(make: impl Fn() -> Body + Send + Sync + 'static) -> Body {
        Body {
            source: Source::Again(Arc::new(make)),
            chunked: true,
        }
    }

    /// A body that breaks off before its first byte.
    #[must_use]
    pub fn failed(error: impl Into<BodyError>) -> Body {
        Body::iterator(std::iter::once(Err(error.into())))
    }

    /// The length in bytes, when it is known.
    #[must_use]
    pub fn length(&self) -> Option<u64> {
        match &self.source {
            Source::Empty => Some(0),
            Source::Whole(bytes) => Some(bytes.len() as u64),
            Source::Chunks(chunks) => Some(chunks.iter().map(|c| c.len() as u64).sum()),
            Source::Iterator(_) | Source::Channel { .. } | Source::Again(_) => None,
        }
    }

    /// A second body with the same bytes, without copying them; `None` for one made while sent, unless it can
    /// be made [again](Body::again).
    #[must_use]
    pub fn try_clone(&self) -> Option<Body> {
        let source = match &self.source {
            Source::Empty => Source::Empty,
            Source::Whole(bytes) => Source::Whole(bytes.clone()),
            Source::Chunks(chunks) => Source::Chunks(chunks.clone()),
            Source::Again(make) => Source::Again(Arc::clone(make)),
            Source::Iterator(_) | Source::Channel { .. } => return None,
        };
        Some(Body {
            source,
            chunked: self.chunked,
        })
    }

    /// The bytes in one piece (a copy only when there are several chunks); gives the body back
    /// when it is made while sent.
    pub fn into_bytes(self) -> Result<Bytes, Body> {
        match self.source {
            Source::Empty => Ok(Bytes::new()),
            Source::Whole(bytes) => Ok(bytes),
            Source::Chunks(chunks) => {
                let mut whole = BytesMut::with_capacity(chunks.iter().map(Bytes::len).sum());
                for chunk in chunks {
                    whole.extend_from_slice(&chunk);
                }
                Ok(whole.freeze())
            }
            Source::Iterator(_) | Source::Channel { .. } | Source::Again(_) => Err(self),
        }
    }

    /// The pieces of a body that is sent with its length; gives any other back.
    pub(crate) fn into_pieces(self) -> Result<VecDeque<Bytes>, Body> {
        match self.source {
            _ if self.chunked => Err(self),
            Source::Empty => Ok(VecDeque::new()),
            Source::Whole(bytes) => Ok(VecDeque::from([bytes])),
            Source::Chunks(chunks) => Ok(chunks),
            Source::Iterator(_) | Source::Channel { .. } | Source::Again(_) => Err(self),
        }
    }

    /// The same bytes, sent chunked even when the length is known.
    #[must_use]
    pub fn into_chunked(mut self) -> Body {
        self.chunked = true;
        self
    }
}

impl BodySender {
    /// Hands over one chunk, waiting until there is room.
    ///
    /// # Errors
    /// When the body was dropped: the call ended or the peer went away. Stop making chunks.
    pub async fn send(&self, chunk: Bytes) -> Result<(), Disconnected> {
        self.chunks.send(chunk).await.map_err(|_| Disconnected)
    }

    /// [`send`](BodySender::send) from a thread that runs no async code.
    ///
    /// # Errors
    /// As for `send`.
    pub fn send_blocking(&self, chunk: Bytes) -> Result<(), Disconnected> {
        self.chunks.blocking_send(chunk).map_err(|_| Disconnected)
    }

    /// [`send_blocking`](BodySender::send_blocking), but not for longer than `limit`: gives the chunk back
    /// when there was no room by then.
    ///
    /// # Errors
    /// As for `send`.
    pub fn send_within(&self, chunk: Bytes, limit: Duration) -> Result<Option<Bytes>, Disconnected> {
        let end = Instant::now().checked_add(limit);
        match park::wait(self.chunks.reserve(), end) {
            Some(Ok(permit)) => {
                permit.send(chunk);
                Ok(None)
            }
            Some(Err(_)) => Err(Disconnected),
            None => Ok(Some(chunk)),
        }
    }

    /// Ends the body well.
    pub fn finish(self) {
        self.finished.store(true, Ordering::Release);
    }
}

/// The receiver of a body went away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disconnected;

impl fmt::Display for Disconnected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the connection that this body was for is gone")
    }
}

impl StdError for Disconnected {}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.length() {
            Some(length) => write!(f, "Body({length} bytes)"),
            None => f.write_str("Body(made while sent)"),
        }
    }
}

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Body {
        let source = if bytes.is_empty() {
            Source::Empty
        } else {
            Source::Whole(bytes)
        };
        Body {
            source,
            chunked: false,
        }
    }
}

impl From<Vec<u8>> for Body {
    fn from(bytes: Vec<u8>) -> Body {
        Bytes::from(bytes).into()
    }
}

impl From<String> for Body {
    fn from(text: String) -> Body {
        Bytes::from(text).into()
    }
}

impl From<&'static str> for Body {
    fn from(text: &'static str) -> Body {
        Bytes::from_static(text.as_bytes()).into()
    }
}

impl From<&'static [u8]> for Body {
    fn from(bytes: &'static [u8]) -> Body {
        Bytes::from_static(bytes).into()
    }
}

/// Chunks are written as they are (vectored), never copied together.
impl From<Vec<Bytes>> for Body {
    fn from(chunks: Vec<Bytes>) -> Body {
        let mut chunks: VecDeque<Bytes> = chunks.into_iter().filter(|c| !c.is_empty()).collect();
        match chunks.len() {
            0 => Body::empty(),
            1 => chunks.pop_front().unwrap_or_default().into(),
            _ => Body {
                source: Source::Chunks(chunks),
                chunked: false,
            },
        }
    }
}

impl http_body::Body for Body {
    type Data = Portion;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Portion>, BodyError>>> {
        if let Source::Again(make) = &self.source {
            self.source = make().source;
        }
        let next = match &mut self.source {
            // What a body is made of is none that is made again.
            Source::Empty | Source::Again(_) => None,
            Source::Whole(bytes) => Some(Ok(std::mem::take(bytes))),
            Source::Chunks(chunks) => {
                let all = std::mem::take(chunks).into();
                self.source = Source::Empty;
                return Poll::Ready(Some(Ok(Frame::data(all))));
            }
            Source::Iterator(chunks) => chunks.next(),
            Source::Channel { chunks, finished } => match chunks.poll_recv(context) {
                Poll::Ready(Some(chunk)) => Some(Ok(chunk)),
                Poll::Ready(None) if finished.load(Ordering::Acquire) => None,
                Poll::Ready(None) => Some(Err(BodyError::from("its sender was dropped before its end"))),
                Poll::Pending => return Poll::Pending,
            },
        };
        if matches!(next, None | Some(Err(_))) || matches!(self.source, Source::Whole(_)) {
            self.source = Source::Empty;
        }
        Poll::Ready(next.map(|chunk| chunk.map(|chunk| Frame::data(chunk.into()))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.source, Source::Empty)
    }

    fn size_hint(&self) -> SizeHint {
        match self.length() {
            Some(length) if !self.chunked => SizeHint::with_exact(length),
            _ => SizeHint::default(),
        }
    }
}
