//! [`Arriving`]: the body of a request that is taken while it comes.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body::Body as _;
use hyper::body::Incoming;

use super::options::ServerOptions;
use super::progress::{Progress, earned};
use crate::client::Encoding;
use crate::error::{Error, Guilty, Kind, Phase};
use crate::park;
use crate::unpack::Unpack;

/// The body of a request, taken chunk by chunk, decompressed. It may be of any length: the limit on bodies
/// is for those that are held as a whole. Dropping it before its end closes the connection after the reply.
pub struct Arriving {
    incoming: Incoming,
    unpack: Unpack,
    pub(super) progress: Arc<Progress>,
    /// The limit where it is read whole after all.
    pub(super) whole_bytes_max: u64,
    /// Bytes that came, as they came.
    came: u64,
    /// Time spent on waiting for them.
    waited: Duration,
    timeout: Option<Duration>,
    ended: bool,
}

impl Arriving {
    pub(crate) fn new(
        incoming: Incoming,
        coding: Option<Encoding>,
        progress: Arc<Progress>,
        options: &ServerOptions,
    ) -> Arriving {
        Arriving {
            ended: incoming.is_end_stream(),
            incoming,
            unpack: Unpack::new(coding),
            progress,
            whole_bytes_max: options.body_bytes_max,
            came: 0,
            waited: Duration::ZERO,
            timeout: options.timeout_body,
        }
    }

    /// The next bytes of the body, waiting for them; `None` at its end. Blocks: for a thread that may. A
    /// connection that ends without a word may look like the end of its body: what the bytes hold must say
    /// where they end, as XML does.
    ///
    /// # Errors
    /// The body is cut off, or its compressed bytes are damaged; the peer was waited for longer than
    /// [`timeout_body`](ServerOptions::timeout_body) and the bytes that came allow.
    pub fn chunk(&mut self) -> Result<Option<Bytes>, Error> {
        loop {
            if let Some(plain) = self.unpack.plain().map_err(damaged)? {
                return Ok(Some(plain));
            }
            match self.wire()? {
                Some(chunk) => self.unpack.push(chunk),
                None => return self.unpack.finish().map_err(damaged),
            }
        }
    }

    /// The next bytes as they came.
    fn wire(&mut self) -> Result<Option<Bytes>, Error> {
        while !self.ended {
            let began = Instant::now();
            let limit = self.timeout.map(|limit| limit.saturating_add(earned(self.came)));
            let end = limit.and_then(|limit| began.checked_add(limit.saturating_sub(self.waited)));
            let incoming = &mut self.incoming;
            let frame = std::future::poll_fn(|context| Pin::new(&mut *incoming).poll_frame(context));
            let frame = park::wait(frame, end);
            self.waited += began.elapsed();
            match frame {
                None => {
                    let limit = self.timeout.unwrap_or_default();
                    return Err(Error::timeout(Phase::Read, "timeout_body", limit));
                }
                Some(Some(Err(error))) => {
                    let text = "the body of the request is cut off, or not framed as HTTP/1.1";
                    return Err(
                        Error::new(Kind::Truncated, Guilty::Peer, Phase::Read, text).with_source(error)
                    );
                }
                Some(None) => self.ended = true,
                Some(Some(Ok(frame))) => {
                    if let Ok(chunk) = frame.into_data() {
                        self.came += chunk.len() as u64;
                        return Ok(Some(chunk));
                    }
                }
            }
        }
        Ok(None)
    }
}

/// What the peer still sends is none of the next request.
impl Drop for Arriving {
    fn drop(&mut self) {
        if !self.ended && !self.incoming.is_end_stream() {
            self.progress.leave_unread();
        }
    }
}

fn damaged(error: std::io::Error) -> Error {
    let text = "the compressed body of the request is damaged or cut off";
    Error::new(Kind::Coding, Guilty::Peer, Phase::Read, text).with_source(error)
}

impl fmt::Debug for Arriving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arriving")
            .field("came", &self.came)
            .field("ended", &self.ended)
            .finish_non_exhaustive()
    }
}
