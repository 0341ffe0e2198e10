//! [`Portion`]: the pieces of a body that are sent together.

use std::collections::VecDeque;
use std::io::IoSlice;

use bytes::{Buf, Bytes};

/// Pieces of a body, which a connection takes as one.
///
/// What queues bodies for a socket counts what it is given, however large, and writes after a few: so many
/// pieces by themselves would be many calls of the system, and as one portion they are few.
#[derive(Debug, Default)]
pub struct Portion {
    first: Bytes,
    rest: VecDeque<Bytes>,
    /// Bytes of all.
    left: usize,
}

impl From<Bytes> for Portion {
    fn from(only: Bytes) -> Portion {
        Portion {
            left: only.len(),
            first: only,
            rest: VecDeque::new(),
        }
    }
}

impl From<VecDeque<Bytes>> for Portion {
    fn from(mut pieces: VecDeque<Bytes>) -> Portion {
        let left = pieces.iter().map(Bytes::len).sum();
        Portion {
            first: pieces.pop_front().unwrap_or_default(),
            rest: pieces,
            left,
        }
    }
}

impl Portion {
    /// Goes on to the next piece that has bytes.
    fn settle(&mut self) {
        while self.first.is_empty()
            && let Some(next) = self.rest.pop_front()
        {
            self.first = next;
        }
    }
}

impl Buf for Portion {
    fn remaining(&self) -> usize {
        self.left
    }

    fn chunk(&self) -> &[u8] {
        let mut pieces = std::iter::once(&self.first).chain(&self.rest);
        pieces.find(|piece| !piece.is_empty()).map_or(&[], |piece| piece)
    }

    fn chunks_vectored<'a>(&'a self, to: &mut [IoSlice<'a>]) -> usize {
        let pieces = std::iter::once(&self.first).chain(&self.rest);
        let pieces = pieces.filter(|piece| !piece.is_empty());
        let slots = to.iter_mut().zip(pieces);
        slots.map(|(slot, piece)| *slot = IoSlice::new(piece)).count()
    }

    /// As [`Buf::advance`] says, `count` is at most what remains; what is beyond it is passed over.
    fn advance(&mut self, count: usize) {
        let mut count = count.min(self.left);
        self.left -= count;
        while count > 0 {
            self.settle();
            let step = count.min(self.first.len());
            self.first.advance(step);
            count -= step;
        }
        self.settle();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn portion() -> Portion {
        let pieces = ["", "ab", "", "cde", "f", ""];
        let pieces: VecDeque<Bytes> = pieces.map(|piece| Bytes::from_static(piece.as_bytes())).into();
        pieces.into()
    }

    #[test]
    fn pieces_are_passed_on_in_order_however_they_are_taken() {
        for step in 1..=7 {
            let (mut portion, mut seen) = (portion(), Vec::new());
            while portion.has_remaining() {
                let mut slices = [IoSlice::new(&[]); 2];
                let count = portion.chunks_vectored(&mut slices);
                assert_eq!(&*slices[0], portion.chunk());
                let shown: Vec<u8> = slices[..count].iter().flat_map(|slice| slice.to_vec()).collect();
                assert!(!shown.is_empty() && shown.len() <= portion.remaining());
                let taken = step.min(shown.len());
                seen.extend_from_slice(&shown[..taken]);
                portion.advance(taken);
            }
            assert_eq!(seen, b"abcdef");
            assert_eq!((portion.chunk(), portion.remaining()), (&b""[..], 0));
        }
        let mut portion = portion();
        assert_eq!(portion.copy_to_bytes(5), Bytes::from_static(b"abcde"));
        portion.advance(100);
        assert!(!portion.has_remaining());
    }

    #[test]
    fn all_pieces_go_into_one_write() {
        let portion = portion();
        let mut slices = [IoSlice::new(&[]); 8];
        assert_eq!(portion.chunks_vectored(&mut slices), 3);
        assert_eq!(&*slices[2], b"f");
    }
}
