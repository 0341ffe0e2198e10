//! [`Splice`]: a list that is gone through once and changed on the way.

/// Bytes that stay, are overwritten, come between, or go. As long as none comes or goes, they stay where they are.
#[derive(Debug, Default)]
pub(super) struct Splice {
    done: Vec<u8>,
    /// What of `done` was passed; what follows lies ahead.
    at: usize,
    /// What lies ahead, once it is no more in `done`, and how much of it was passed.
    rest: Option<(Vec<u8>, usize)>,
}

impl Splice {
    pub(super) fn new(bytes: Vec<u8>) -> Splice {
        Splice {
            done: bytes,
            at: 0,
            rest: None,
        }
    }

    /// A list that was gone through.
    pub(super) fn passed(bytes: Vec<u8>) -> Splice {
        Splice {
            at: bytes.len(),
            done: bytes,
            rest: None,
        }
    }

    /// What was not passed yet.
    pub(super) fn ahead(&self) -> &[u8] {
        match &self.rest {
            Some((rest, passed)) => rest.get(*passed..).unwrap_or_default(),
            None => self.done.get(self.at..).unwrap_or_default(),
        }
    }

    /// The same, to be overwritten.
    pub(super) fn ahead_mut(&mut self) -> &mut [u8] {
        match &mut self.rest {
            Some((rest, passed)) => rest.get_mut(*passed..).unwrap_or_default(),
            None => self.done.get_mut(self.at..).unwrap_or_default(),
        }
    }

    /// What was passed, as it is now.
    pub(super) fn behind(&self) -> &[u8] {
        match &self.rest {
            Some(_) => &self.done,
            None => self.done.get(..self.at).unwrap_or_default(),
        }
    }

    /// Passes bytes that stay.
    pub(super) fn keep(&mut self, bytes: usize) {
        match &mut self.rest {
            None => self.at = (self.at + bytes).min(self.done.len()),
            Some((rest, passed)) => {
                let end = (*passed + bytes).min(rest.len());
                self.done
                    .extend_from_slice(rest.get(*passed..end).unwrap_or_default());
                *passed = end;
            }
        }
    }

    /// Overwrites what is next; at the end, appends.
    #[inline]
    pub(super) fn put<const N: usize>(&mut self, bytes: [u8; N]) {
        match (&self.rest, self.done.get_mut(self.at..self.at + N)) {
            (None, Some(place)) => {
                place.copy_from_slice(&bytes);
                self.at += N;
            }
            _ => self.put_all(&bytes),
        }
    }

    /// The same.
    pub(super) fn put_all(&mut self, bytes: &[u8]) {
        match &mut self.rest {
            None => {
                match self.done.get_mut(self.at..self.at + bytes.len()) {
                    Some(place) => place.copy_from_slice(bytes),
                    None => {
                        self.done.truncate(self.at);
                        self.done.extend_from_slice(bytes);
                    }
                }
                self.at += bytes.len();
            }
            Some((rest, passed)) => {
                self.done.extend_from_slice(bytes);
                *passed = (*passed + bytes.len()).min(rest.len());
            }
        }
    }

    /// Puts bytes before what is next.
    pub(super) fn insert(&mut self, bytes: &[u8]) {
        self.split();
        self.done.extend_from_slice(bytes);
    }

    /// Leaves out what is next.
    pub(super) fn skip(&mut self, bytes: usize) {
        let (rest, passed) = self.split();
        *passed = (*passed + bytes).min(rest.len());
    }

    /// All that was passed, at most so many bytes of it.
    pub(super) fn finish(mut self, bytes: usize) -> Vec<u8> {
        let passed = self.behind().len();
        self.done.truncate(bytes.min(passed));
        self.done
    }

    fn split(&mut self) -> &mut (Vec<u8>, usize) {
        let Splice { done, at, rest } = self;
        rest.get_or_insert_with(|| (done.split_off((*at).min(done.len())), 0))
    }
}

#[cfg(test)]
mod tests {
    use super::Splice;

    #[test]
    fn bytes_stay_change_come_and_go() {
        let mut splice = Splice::new(b"abcdefgh".to_vec());
        splice.keep(2);
        splice.put(*b"C");
        assert_eq!((splice.behind(), splice.ahead()), (&b"abC"[..], &b"defgh"[..]));
        splice.insert(b"xy");
        splice.skip(2);
        splice.put(*b"F");
        splice.keep(1);
        assert_eq!((splice.behind(), splice.ahead()), (&b"abCxyFg"[..], &b"h"[..]));
        assert_eq!(splice.finish(usize::MAX), b"abCxyFg");
    }

    #[test]
    fn what_is_put_after_the_end_is_appended() {
        let mut splice = Splice::new(b"ab".to_vec());
        splice.keep(2);
        splice.put(*b"cd");
        assert_eq!(splice.ahead(), b"");
        assert_eq!(splice.finish(3), b"abc");
        let mut splice = Splice::new(Vec::new());
        splice.put(*b"a");
        splice.insert(b"b");
        splice.put_all(b"c");
        assert_eq!(splice.finish(usize::MAX), b"abc");
    }
}
