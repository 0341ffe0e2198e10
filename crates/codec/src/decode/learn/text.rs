//! [`Text`]: the bytes of the last message, as they are kept.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::array::copy;

/// Bytes that a message lies in, which can be kept as they are: a copy less of a large message.
#[derive(Clone)]
pub struct Owner(Arc<dyn AsRef<[u8]> + Send + Sync>);

impl Owner {
    /// What holds a whole message and gives the same bytes each time it is asked.
    pub fn new(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Owner {
        Owner(Arc::new(bytes))
    }

    fn bytes(&self) -> &[u8] {
        (*self.0).as_ref()
    }

    /// Where the end of a message begins, if it is the end of these very bytes.
    fn place(&self, rest: &[u8]) -> Option<usize> {
        let from = self.bytes().len().checked_sub(rest.len())?;
        std::ptr::eq(self.bytes().get(from..)?, rest).then_some(from)
    }
}

impl fmt::Debug for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Owner({} bytes)", self.bytes().len())
    }
}

/// The end of a message: a copy, which can be patched, or what somebody else holds as well.
#[derive(Debug)]
pub(super) enum Text {
    Own(Vec<u8>),
    Lent(Owner, usize),
}

impl Text {
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Text::Own(bytes) => bytes,
            Text::Lent(owner, from) => owner.bytes().get(*from..).unwrap_or_default(),
        }
    }

    /// A part of it, to be compared and perhaps patched.
    pub(super) fn part(&mut self, range: Range<usize>) -> Part<'_> {
        match self {
            Text::Own(bytes) => Part::Own(bytes.get_mut(range).unwrap_or_default()),
            Text::Lent(..) => Part::Lent(self.bytes().get(range).unwrap_or_default()),
        }
    }

    /// Makes it the end of another message, of which all that differs within `ranges` only. Nothing: any of it may.
    pub(super) fn renew(&mut self, rest: &[u8], owner: Option<&Owner>, ranges: Option<&[Range<usize>]>) {
        if let Some((owner, from)) = owner.and_then(|owner| Some((owner, owner.place(rest)?))) {
            *self = Text::Lent(owner.clone(), from);
            return;
        }
        match self {
            Text::Own(bytes) => {
                if ranges.is_none_or(|ranges| patch(bytes, rest, ranges).is_none()) {
                    bytes.clear();
                    bytes.extend_from_slice(rest);
                }
            }
            Text::Lent(..) => *self = Text::Own(rest.to_vec()),
        }
    }

    /// Bytes of memory, roughly.
    pub(super) fn memory(&self) -> usize {
        match self {
            Text::Own(bytes) => bytes.capacity(),
            Text::Lent(owner, _) => owner.bytes().len(),
        }
    }
}

/// Copies these ranges; `None` when that does not make both equal.
fn patch(bytes: &mut [u8], rest: &[u8], ranges: &[Range<usize>]) -> Option<()> {
    if bytes.len() != rest.len() {
        return None;
    }
    for range in ranges {
        let place = bytes.get_mut(range.clone())?;
        place.copy_from_slice(rest.get(range.clone())?);
    }
    Some(())
}

/// A part of the last message.
#[derive(Debug)]
pub(super) enum Part<'t> {
    Own(&'t mut [u8]),
    Lent(&'t [u8]),
}

impl Part<'_> {
    #[inline(always)]
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Part::Own(bytes) => bytes,
            Part::Lent(bytes) => bytes,
        }
    }

    /// The same for a while.
    pub(super) fn again(&mut self) -> Part<'_> {
        match self {
            Part::Own(bytes) => Part::Own(bytes),
            Part::Lent(bytes) => Part::Lent(bytes),
        }
    }

    /// Overwrites as many bytes from `at` on as the range has, if they are our own.
    #[inline(always)]
    pub(super) fn put(&mut self, at: usize, length: usize, from: &[u8]) {
        if let Part::Own(bytes) = self
            && let Some(place) = bytes.get_mut(at..at + length)
        {
            copy(place, from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Owner, Text};

    #[test]
    fn only_the_very_bytes_are_lent() {
        let message = b"<a>12</a>".to_vec();
        let bytes = std::sync::Arc::<[u8]>::from(&message[..]);
        let owner = Owner::new(bytes.clone());
        let mut text = Text::Own(Vec::new());
        text.renew(&bytes[3..], Some(&owner), None);
        assert!(matches!(text, Text::Lent(_, 3)));
        assert_eq!((text.bytes(), text.memory()), (&message[3..], 9));
        text.renew(&message[3..], Some(&owner), None);
        assert!(
            matches!(&text, Text::Own(own) if *own == message[3..]),
            "others are copied"
        );
        text.renew(&bytes[3..5], Some(&owner), None);
        assert!(matches!(&text, Text::Own(own) if own == b"12"), "it is no end");
    }
}
