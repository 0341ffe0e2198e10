//! Writing many short pieces one behind the other: [`Room`] to write into, and the [`Constant`] bytes that
//! stand between values.

/// Room for the text of any number.
pub const NUMBER: usize = 32;

/// The end of the output, with zeros ahead to be written over: one check a row whether there is room, no
/// length kept for each piece.
pub struct Room<'o> {
    out: &'o mut Vec<u8>,
    /// Where the next row goes.
    at: usize,
}

/// Zeros made at once, unless a row needs more. So few stores are on their way while the rows before are still
/// formatted; more of them are waited for.
const AHEAD: usize = 1536;

impl<'o> Room<'o> {
    /// Room behind what is written already.
    pub fn new(out: &'o mut Vec<u8>) -> Self {
        let at = out.len();
        Room { out, at }
    }

    /// Has `put` write at most so many bytes, and say how many; `None`: none.
    #[inline(always)]
    pub fn write(&mut self, bytes: usize, put: impl FnOnce(&mut [u8]) -> Option<usize>) -> bool {
        if self.out.len() - self.at < bytes {
            self.grow(bytes);
        }
        let written = put(&mut self.out[self.at..]);
        self.at += written.unwrap_or(0);
        written.is_some()
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, bytes: usize) {
        self.out.resize(self.at + bytes.max(AHEAD), 0);
    }

    /// Has `put` append what it likes.
    #[cold]
    #[inline(never)]
    pub fn append(&mut self, put: impl FnOnce(&mut Vec<u8>) -> bool) -> bool {
        self.out.truncate(self.at);
        let good = put(self.out);
        self.at = self.out.len();
        good
    }

    /// Where the next row goes.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Takes back what is not written, and so many bytes before.
    pub fn finish(self, opening: usize) {
        self.out.truncate(self.at - opening);
    }
}

/// Bytes that are copied with a few wide stores of a fixed size, whatever their length: a call for a copy
/// of just so many costs more than a number.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    /// What one or two stores copy, which is mostly all.
    first: [[u8; WIDE]; 2],
    /// The bytes, with zeros after them up to whole stores.
    padded: Box<[u8]>,
    len: usize,
}

/// Bytes of one store.
const WIDE: usize = 32;
/// Bytes of `Constant::first`.
const SHORT: usize = 2 * WIDE;

impl Constant {
    /// These bytes.
    pub fn new(bytes: &[u8]) -> Constant {
        let mut padded = bytes.to_vec();
        padded.resize(bytes.len().next_multiple_of(WIDE).max(SHORT), 0);
        let mut first = [[0; WIDE]; 2];
        for (to, from) in first.iter_mut().zip(padded.chunks_exact(WIDE)) {
            to.copy_from_slice(from);
        }
        Constant {
            first,
            padded: padded.into(),
            len: bytes.len(),
        }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.padded[..self.len]
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many bytes.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Bytes that `put` may touch, and `put_after` beyond a number's.
    pub fn room(&self) -> usize {
        self.padded.len()
    }

    /// Writes the bytes at `at` and gives the place after them; what follows may be overwritten.
    #[inline(always)]
    pub fn put(&self, out: &mut [u8], at: usize) -> usize {
        if self.len <= SHORT {
            self.put_short(piece::<SHORT>(out, at), 0);
        } else {
            self.put_long(out, at);
        }
        at + self.len
    }

    /// Has `number` write at `at` and say how long it is, and writes the bytes after that; gives the place after
    /// them.
    #[inline(always)]
    pub fn put_after(
        &self,
        out: &mut [u8],
        at: usize,
        number: impl FnOnce(&mut [u8; NUMBER]) -> usize,
    ) -> usize {
        // One look whether there is room for both.
        let both: &mut [u8; NUMBER + SHORT] = piece(out, at);
        let length = number(piece(both, 0));
        if self.len <= SHORT {
            self.put_short(both, length);
        } else {
            self.put_long(out, at + length);
        }
        at + length + self.len
    }

    #[inline(always)]
    fn put_short(&self, out: &mut [u8], at: usize) {
        let [one, two] = &self.first;
        *piece(out, at) = *one;
        if self.len > WIDE {
            *piece(out, at + WIDE) = *two;
        }
    }

    #[cold]
    fn put_long(&self, out: &mut [u8], at: usize) {
        out[at..at + self.room()].copy_from_slice(&self.padded);
    }
}

/// So many bytes of the output: to be assigned, which unlike a copy of slices is never a call.
#[inline(always)]
fn piece<const N: usize>(out: &mut [u8], at: usize) -> &mut [u8; N] {
    out[at..at + N]
        .first_chunk_mut()
        .expect("the slice has this length")
}
