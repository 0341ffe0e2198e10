//! [`Pieces`]: a message as it is sent.

use std::ops::{Deref, Range};
use std::sync::Arc;

use super::report::{Match, Report};

/// Bytes of a message, shared with the template that may send them again.
#[derive(Clone, Debug)]
pub struct Piece {
    bytes: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl Piece {
    pub(crate) fn whole(bytes: Arc<Vec<u8>>) -> Piece {
        Piece {
            range: 0..bytes.len(),
            bytes,
        }
    }

    pub(crate) fn part(bytes: &Arc<Vec<u8>>, range: Range<usize>) -> Piece {
        Piece {
            bytes: Arc::clone(bytes),
            range,
        }
    }

    /// Leaves bytes at the end out.
    pub(crate) fn shorten(&mut self, by: usize) {
        self.range.end = self.range.end.saturating_sub(by).max(self.range.start);
    }
}

impl Deref for Piece {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes.get(self.range.clone()).unwrap_or_default()
    }
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

/// A message in pieces, in the order in which they are sent. Their bytes are shared with the
/// template, which leaves them alone as long as somebody holds them.
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    pub(crate) runs: Vec<Run>,
    /// What making them took.
    pub report: Report,
}

/// Pieces of one part of a message.
#[derive(Clone, Debug)]
pub(crate) enum Run {
    One(Piece),
    /// All of an array: one object, however many chunks it has.
    Many(Arc<Chunks>),
}

/// The chunks of an array, and the bytes of all.
#[derive(Debug)]
pub(crate) struct Chunks {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) len: usize,
}

impl Chunks {
    /// What stands before the first chunk, and the chunks, but for so many bytes at the end of the last.
    pub(crate) fn new(first: &[u8], chunks: impl Iterator<Item = Arc<Vec<u8>>>, opening: usize) -> Chunks {
        let mut pieces = Vec::with_capacity(chunks.size_hint().0 + 1);
        pieces.push(Piece::whole(Arc::new(first.to_vec())));
        pieces.extend(chunks.map(Piece::whole));
        if let Some(last) = pieces.last_mut() {
            last.shorten(opening);
        }
        let len = pieces.iter().map(|piece| piece.len()).sum();
        Chunks { pieces, len }
    }
}

impl Run {
    fn pieces(&self) -> &[Piece] {
        match self {
            Run::One(piece) => std::slice::from_ref(piece),
            Run::Many(chunks) => &chunks.pieces,
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Run::One(piece) => piece.len(),
            Run::Many(chunks) => chunks.len,
        }
    }
}

impl Pieces {
    /// A message that is in one piece, and of which nothing is known.
    pub(crate) fn whole(bytes: Vec<u8>) -> Pieces {
        let report = Report {
            kind: Match::FirstTime,
            bytes_total: bytes.len() as u64,
            bytes_around: bytes.len() as u64,
            ..Report::default()
        };
        Pieces {
            runs: vec![Run::One(Piece::whole(bytes.into()))],
            report,
        }
    }

    /// The pieces, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Piece> {
        self.runs.iter().flat_map(Run::pieces)
    }

    /// The whole message in one piece.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut whole = Vec::with_capacity(self.len());
        self.iter().for_each(|piece| whole.extend_from_slice(piece));
        whole
    }

    /// Bytes of the message.
    pub fn len(&self) -> usize {
        self.runs.iter().map(Run::len).sum()
    }

    /// Whether there are no bytes; no message is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
