//! [`Gather`]: the chunks of a body made into one piece, under a limit.

use bytes::Bytes;

/// Collects a body. A body of one chunk is never copied.
pub(crate) struct Gather {
    limit: u64,
    /// The length that the peer announced, at most `limit`: room is made once, and only as bytes
    /// come, so that an announcement costs nothing.
    announced: Option<usize>,
    first: Bytes,
    whole: Vec<u8>,
}

/// A body that came.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    pub(crate) body: Bytes,
    /// Whether what holds it holds hardly anything else. One chunk lies in the connection's buffer, beside the head.
    pub(crate) is_alone: bool,
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
            whole: Vec::new(),
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
            self.make_room(self.first.len() + chunk.len());
            self.whole.extend_from_slice(&self.first);
        }
        self.make_room(chunk.len());
        self.whole.extend_from_slice(&chunk);
        Ok(())
    }

    /// Makes room for so many bytes more, and for those that are announced in large steps: no more than they are.
    fn make_room(&mut self, more: usize) {
        let needed = self.whole.len() + more;
        if needed > self.whole.capacity() {
            let step = TRUSTED_BYTES_MAX.max(2 * self.whole.capacity());
            let room = match self.announced {
                Some(announced) => announced.min(step),
                None => 2 * self.whole.capacity(),
            };
            self.whole.reserve_exact(room.max(needed) - self.whole.len());
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.first.len().max(self.whole.len())
    }

    pub(crate) fn finish(self) -> Gathered {
        if self.whole.is_empty() {
            return Gathered {
                body: self.first,
                is_alone: false,
            };
        }
        Gathered::alone(self.whole)
    }
}

impl Gathered {
    /// A body that was made here.
    pub(crate) fn alone(body: Vec<u8>) -> Gathered {
        Gathered {
            is_alone: body.capacity() - body.len() <= body.len() / 8,
            body: body.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Gather, Gathered};
    use bytes::Bytes;

    fn gathered(announced: Option<u64>, chunks: usize, size: usize) -> Gathered {
        let mut gather = Gather::new(64 << 20, announced);
        let chunk = Bytes::from(vec![b'x'; size]);
        (0..chunks).for_each(|_| gather.push(chunk.clone()).expect("below the limit"));
        gather.finish()
    }

    #[test]
    fn a_body_is_alone_when_it_was_put_together_and_takes_no_more_than_it_is() {
        assert!(
            !gathered(Some(1000), 1, 1000).is_alone,
            "it is a part of something"
        );
        for (announced, chunks) in [(20, 20), (5, 5), (2, 2)] {
            assert!(
                gathered(Some(announced << 20), chunks, 1 << 20).is_alone,
                "{chunks}"
            );
        }
        assert!(gathered(None, 16, 1 << 20).is_alone);
        assert!(!gathered(None, 17, 1 << 20).is_alone, "half of the room is empty");
        let less = gathered(Some(3 << 20), 2, 1 << 20);
        assert!(!less.is_alone && less.body.len() == 2 << 20, "it is cut off");
    }
}
