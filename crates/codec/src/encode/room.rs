//! Room at the end of the output, to write into: [`Room`].

/// The end of the output, with zeros ahead to be written over: one check a row whether there is room, no
/// length kept for each piece.
pub(super) struct Room<'o> {
    out: &'o mut Vec<u8>,
    /// Where the next row goes.
    at: usize,
}

/// Zeros made at once, unless a row needs more. So few stores are on their way while the rows before are still
/// formatted; more of them are waited for.
const AHEAD: usize = 1536;

impl<'o> Room<'o> {
    pub(super) fn new(out: &'o mut Vec<u8>) -> Self {
        let at = out.len();
        Room { out, at }
    }

    /// Has `put` write at most so many bytes, and say how many; `None`: none.
    #[inline(always)]
    pub(super) fn write(&mut self, bytes: usize, put: impl FnOnce(&mut [u8]) -> Option<usize>) -> bool {
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
    pub(super) fn append(&mut self, put: impl FnOnce(&mut Vec<u8>) -> bool) -> bool {
        self.out.truncate(self.at);
        let good = put(self.out);
        self.at = self.out.len();
        good
    }

    /// Takes back what is not written, and so many bytes before.
    pub(super) fn finish(self, opening: usize) {
        self.out.truncate(self.at - opening);
    }
}
