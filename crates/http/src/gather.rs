//! [`Gather`]: the chunks of a body made into one piece, under a limit.

use bytes::{Bytes, BytesMut};

/// Collects a body. A body of one chunk is never copied.
pub(crate) struct Gather {
    limit: u64,
    /// The length that the peer announced, at most `limit`: room is made once, and only as bytes
    /// come, so that an announcement costs nothing.
    announced: Option<usize>,
    first: Bytes,
    whole: BytesMut,
}

/// The limit was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Full;

/// The most room that is made on the word of a peer.
const TRUSTED_BYTES_MAX: usize = 4 << 20;

impl Gather {
    pub(crate) fn new(limit: u64, announced: Option<u64>) -> Gather {
        let announced = announced.and_then(|length| usize::try_from(length.min(limit)).ok());
        Gather {
            limit,
            announced,
            first: Bytes::new(),
            whole: BytesMut::new(),
        }
    }

    pub(crate) fn push(&mut self, chunk: Bytes) -> Result<(), Full> {
        if (self.len() + chunk.len()) as u64 > self.limit {
            return Err(Full);
        }
        if self.len() == 0 {
            self.first = chunk;
            return Ok(());
        }
        if self.whole.is_empty() {
            let room = self.announced.unwrap_or(0).min(TRUSTED_BYTES_MAX);
            self.whole.reserve(room.max(self.first.len() + chunk.len()));
            self.whole.extend_from_slice(&self.first);
        }
        self.whole.extend_from_slice(&chunk);
        Ok(())
    }

    pub(crate) fn len(&self) -> usize {
        self.first.len().max(self.whole.len())
    }

    pub(crate) fn finish(self) -> Bytes {
        if self.whole.is_empty() {
            self.first
        } else {
            self.whole.freeze()
        }
    }
}
