//! [`Payload`]: the envelope of a message, in pieces.

use std::sync::OnceLock;

use bytes::{Bytes, BytesMut};
use castile_diff::{Pieces, Report};
use castile_http::Body;

/// The envelope of a message. It is sent as it lies, in pieces that the next message like it may
/// share; joining them is a copy.
///
/// Whoever keeps a payload keeps its bytes as they are: the next message copies the pieces that it
/// changes.
#[derive(Clone, Debug, Default)]
pub struct Payload {
    made: Pieces,
    /// The same for who asks: a message of which nothing changed is made in less time than its pieces are counted.
    pieces: OnceLock<Vec<Bytes>>,
    report: Report,
}

impl Payload {
    /// Bytes of all pieces.
    pub fn len(&self) -> usize {
        match self.pieces.get() {
            Some(pieces) => pieces.iter().map(Bytes::len).sum(),
            None => self.made.len(),
        }
    }

    /// Whether there is nothing to send.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The pieces, in order.
    pub fn pieces(&self) -> &[Bytes] {
        self.pieces.get_or_init(|| {
            let pieces = self.made.iter().filter(|piece| !piece.is_empty()).cloned();
            pieces.map(Bytes::from_owner).collect()
        })
    }

    /// What of it was made from the last message like it.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// All of it in one piece; copies only when there are several.
    pub fn to_bytes(&self) -> Bytes {
        if let [only] = self.pieces() {
            return only.clone();
        }
        let mut whole = BytesMut::with_capacity(self.len());
        self.pieces()
            .iter()
            .for_each(|piece| whole.extend_from_slice(piece));
        whole.freeze()
    }
}

impl Payload {
    /// A message of which nothing was kept.
    pub(crate) fn streamed(bytes: u64) -> Payload {
        Payload {
            report: Report {
                bytes_total: bytes,
                bytes_around: bytes,
                ..Report::default()
            },
            ..Payload::default()
        }
    }
}

impl From<Pieces> for Payload {
    fn from(made: Pieces) -> Payload {
        Payload {
            report: made.report,
            made,
            ..Payload::default()
        }
    }
}

impl From<Bytes> for Payload {
    fn from(bytes: Bytes) -> Payload {
        Payload {
            pieces: vec![bytes].into(),
            ..Payload::default()
        }
    }
}

impl From<Vec<u8>> for Payload {
    fn from(bytes: Vec<u8>) -> Payload {
        Bytes::from(bytes).into()
    }
}

impl From<Payload> for Body {
    fn from(payload: Payload) -> Body {
        payload.pieces();
        let pieces = payload.pieces.into_inner().unwrap_or_default();
        match <[Bytes; 1]>::try_from(pieces) {
            Ok([only]) => only.into(),
            Err(pieces) => pieces.into(),
        }
    }
}

/// Two payloads are equal when their bytes are, however they are cut.
impl PartialEq for Payload {
    fn eq(&self, other: &Payload) -> bool {
        self.len() == other.len() && self.to_bytes() == other.to_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_joined_in_order() {
        let payload = Payload {
            pieces: vec![Bytes::from_static(b"ab"), Bytes::from_static(b"c")].into(),
            ..Payload::default()
        };
        assert_eq!((payload.len(), &payload.to_bytes()[..]), (3, &b"abc"[..]));
        assert_eq!(payload, b"abc".to_vec().into());
        assert_ne!(payload, b"abd".to_vec().into());
        assert!(Payload::default().is_empty());
    }
}
