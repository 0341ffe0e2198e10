//! [`Gather`]: the chunks of a body made into one piece, under a limit.

use std::sync::Arc;

use bytes::Bytes;

use crate::watch::Watch;

/// Collects a body. A body of one chunk is never copied.
pub(crate) struct Gather {
    limit: u64,
    /// The length that the peer announced, at most `limit`: room is made once, and only as bytes
    /// come, so that an announcement costs nothing.
    announced: Option<usize>,
    first: Bytes,
    whole: Vec<u8>,
    watch: Option<Arc<dyn Watch>>,
    /// How long the body has to be for the watch to look again.
    next_look: usize,
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

/// Bytes that come between two looks of a watch, and before the first.
pub(crate) const LOOK_BYTES: usize = 32 << 10;

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
            watch: None,
            next_look: LOOK_BYTES,
        }
    }

    /// The same, and somebody looks at what came.
    pub(crate) fn watched(self, watch: Option<Arc<dyn Watch>>) -> Gather {
        Gather { watch, ..self }
    }

    pub(crate) fn push(&mut self, chunk: Bytes) -> Result<(), Full> {
        if (self.len() + chunk.len()) as u64 > self.limit {
            return Err(Full);
        }
        if self.len() == 0 {
            self.first = chunk;
        } else {
            if self.whole.is_empty() {
                self.make_room(self.first.len() + chunk.len());
                self.whole.extend_from_slice(&self.first);
            }
            self.make_room(chunk.len());
            self.whole.extend_from_slice(&chunk);
        }
        self.look();
        Ok(())
    }

    /// Lets the watch look, unless the body is small or has come whole.
    fn look(&mut self) {
        let Some(watch) = &self.watch else { return };
        let came = if self.whole.is_empty() {
            &self.first[..]
        } else {
            &self.whole
        };
        if came.len() >= self.next_look && self.announced != Some(came.len()) {
            self.next_look = came.len() + LOOK_BYTES;
            watch.came(came);
        }
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
    use std::sync::{Arc, Mutex};

    use bytes::Bytes;

    use super::{Gather, Gathered, LOOK_BYTES};
    use crate::watch::Watch;

    #[derive(Debug, Default)]
    struct Lengths(Mutex<Vec<usize>>);

    impl Watch for Lengths {
        fn came(&self, body: &[u8]) {
            assert!(body.iter().all(|&b| b == b'x'));
            self.0.lock().expect("no panic").push(body.len());
        }
    }

    #[test]
    fn a_watch_sees_a_large_body_while_it_comes_and_not_when_it_has() {
        for (announced, size, looks) in [
            (Some(3 * LOOK_BYTES), LOOK_BYTES, vec![LOOK_BYTES, 2 * LOOK_BYTES]),
            (Some(LOOK_BYTES), LOOK_BYTES, vec![]),
            (Some(LOOK_BYTES), 1024, vec![]),
            (None, LOOK_BYTES + 1, vec![LOOK_BYTES + 1, 2 * (LOOK_BYTES + 1)]),
            (None, LOOK_BYTES - 1, vec![2 * (LOOK_BYTES - 1)]),
        ] {
            let watch = Arc::new(Lengths::default());
            let mut gather =
                Gather::new(1 << 20, announced.map(|length| length as u64)).watched(Some(watch.clone()));
            let chunks = announced.map_or(2, |length| length / size);
            (0..chunks).for_each(|_| {
                gather
                    .push(Bytes::from(vec![b'x'; size]))
                    .expect("below the limit")
            });
            assert_eq!(*watch.0.lock().expect("no panic"), looks, "{announced:?} {size}");
        }
    }

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
