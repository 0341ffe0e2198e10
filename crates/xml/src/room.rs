//! Writing many short pieces one behind the other: [`Room`] to write into, and the [`Constant`] bytes that
//! stand between values.

use crate::copy_plain;
use crate::escape::copy_short;

/// Room for the text of any number.
pub const NUMBER: usize = 32;

/// The end of the output, with zeros ahead to be written over: one check a row whether there is room, no
/// length kept for each piece.
pub struct Room<'o> {
    out: &'o mut Vec<u8>,
    /// Where the next row goes.
    at: usize,
}

impl<'o> Room<'o> {
    /// Zeros made at once. Where memory is busy their stores take longer than all else, and what is written into them
    /// waits for them; so few are on their way that rows before are still formatted meanwhile.
    const AHEAD: usize = 512;

    /// Room behind what is written already.
    pub fn new(out: &'o mut Vec<u8>) -> Self {
        let at = out.len();
        Room { out, at }
    }

    /// Room over what there is, which is written over.
    pub fn over(out: &'o mut Vec<u8>) -> Self {
        Room { out, at: 0 }
    }

    /// Has `put` write at most so many bytes, and say how many; `None`: none.
    #[inline(always)]
    pub fn write(&mut self, bytes: usize, put: impl FnOnce(&mut [u8]) -> Option<usize>) -> bool {
        self.reserve(bytes);
        let written = put(&mut self.out[self.at..]);
        self.at += written.unwrap_or(0);
        written.is_some()
    }

    /// Writes items one behind the other: `put` writes one at the start of some room, and says how many bytes it took.
    /// There are at least so many, and once it gave `None`, `bytes` for that item; then `append` has to append it.
    /// `false` as soon as that refuses one.
    ///
    /// Where the next item goes and how much room there is stays in registers from one to the next.
    #[inline(always)]
    pub fn write_each<T: Copy>(
        &mut self,
        least: usize,
        items: impl IntoIterator<Item = T>,
        bytes: impl Fn(T) -> usize,
        put: impl Fn(T, &mut [u8]) -> Option<usize>,
        append: impl Fn(T, &mut Vec<u8>) -> bool,
    ) -> bool {
        let mut items = items.into_iter();
        let (mut next, mut needed) = (items.next(), least);
        while let Some(mut item) = next {
            self.reserve(needed);
            let mut room = &mut self.out[self.at..];
            let refused = loop {
                let Some(written) = put(item, room) else {
                    needed = bytes(item);
                    break needed <= room.len();
                };
                room = &mut room[written..];
                (next, needed) = (items.next(), least);
                match next {
                    Some(one) if least <= room.len() => item = one,
                    _ => break false,
                }
            };
            let left = room.len();
            self.at = self.out.len() - left;
            if refused {
                if !self.append(|out| append(item, out)) {
                    return false;
                }
                (next, needed) = (items.next(), least);
            }
        }
        true
    }

    #[inline(always)]
    fn reserve(&mut self, bytes: usize) {
        if self.out.len() - self.at < bytes {
            self.grow(bytes);
        }
    }

    #[inline(never)]
    fn grow(&mut self, bytes: usize) {
        let end = self.at + bytes;
        while self.out.len() < end {
            self.out.extend_from_slice(&[0; Self::AHEAD]);
        }
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
        self.put_first(&mut out[at..]).expect("room for the bytes");
        at + self.len
    }

    /// Has `number` write at `at` and say how long it is, less than its room, and writes the bytes after that; gives the
    /// place after them.
    #[inline(always)]
    pub fn put_after(
        &self,
        out: &mut [u8],
        at: usize,
        number: impl FnOnce(&mut [u8; NUMBER]) -> usize,
    ) -> usize {
        // One look whether there is room for both.
        let both: &mut [u8; NUMBER + SHORT] = piece(out, at);
        let length = number(piece(both, 0)) % NUMBER;
        if self.len <= SHORT {
            self.put_short(piece(both, length));
        } else {
            self.put(out, at + length);
        }
        at + length + self.len
    }

    /// Copies a text to `at`, as [`copy_plain`] does, and writes the bytes after it; gives the place after them. `None`
    /// when the text cannot stand there as it is, or there is no room for both.
    #[inline(always)]
    pub fn put_after_text(&self, text: &str, out: &mut [u8], at: usize) -> Option<usize> {
        let out = out.get_mut(at..)?;
        let length = text.len();
        // One look whether there is room for both.
        match out.first_chunk_mut::<{ WIDE + SHORT }>() {
            Some(both) if length <= WIDE && self.len <= SHORT => {
                if !copy_short(text.as_bytes(), &mut both[..length]) {
                    return None;
                }
                self.put_short(piece(both, length));
            }
            _ => self.put_after_long(text, out)?,
        }
        Some(at + length + self.len)
    }

    /// The same at the start of `out`, for texts and bytes of any length.
    #[inline(never)]
    fn put_after_long(&self, text: &str, out: &mut [u8]) -> Option<()> {
        let (to, after) = out.split_at_mut_checked(text.len())?;
        if !copy_plain(text, to) {
            return None;
        }
        self.put_first(after)
    }

    /// Writes the bytes at the start of `out`; `None` when that is too short.
    #[inline(always)]
    fn put_first(&self, out: &mut [u8]) -> Option<()> {
        if self.len <= SHORT {
            self.put_short(out.first_chunk_mut()?);
            Some(())
        } else {
            self.put_long(out)
        }
    }

    #[inline(always)]
    fn put_short(&self, out: &mut [u8; SHORT]) {
        let [one, two] = &self.first;
        *piece(out, 0) = *one;
        if self.len > WIDE {
            *piece(out, WIDE) = *two;
        }
    }

    #[cold]
    fn put_long(&self, out: &mut [u8]) -> Option<()> {
        out.get_mut(..self.room())?.copy_from_slice(&self.padded);
        Some(())
    }
}

/// So many bytes of the output: to be assigned, which unlike a copy of slices is never a call.
#[inline(always)]
fn piece<const N: usize>(out: &mut [u8], at: usize) -> &mut [u8; N] {
    out[at..at + N]
        .first_chunk_mut()
        .expect("the slice has this length")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::escape_text;

    const REFUSED: &str = "refused";

    /// Texts of all lengths, some of which have to be escaped.
    fn texts() -> Vec<String> {
        let text = |n: usize| match n % 7 {
            3 => "a&b".repeat(n % 11),
            _ => "x".repeat(n * n % 97 * (1 + n / 150 * 40)),
        };
        (0..200).map(text).collect()
    }

    fn append(text: &str, gap: &Constant, out: &mut Vec<u8>) -> bool {
        escape_text(text, out);
        out.extend_from_slice(gap.bytes());
        text != REFUSED
    }

    #[test]
    fn what_is_written_in_a_row_is_what_is_appended_one_by_one() {
        let mut texts = texts();
        for length in [0, 1, 31, 32, 33, 63, 64, 65, 96, 200] {
            let gap = Constant::new(&vec![b'-'; length]);
            for refused in [usize::MAX, 0, 1, 100, 199] {
                if let Some(text) = texts.get_mut(refused) {
                    *text = REFUSED.into();
                }
                let (mut out, mut expected) = (b"before".to_vec(), b"before".to_vec());
                let all = texts.iter().all(|text| append(text, &gap, &mut expected));
                let mut room = Room::new(&mut out);
                let written = room.write_each(
                    gap.room(),
                    &texts,
                    |text| text.len() + gap.room(),
                    |text, out| gap.put_after_text(text, out, 0).filter(|_| text != REFUSED),
                    |text, out| append(text, &gap, out),
                );
                assert_eq!((written, room.at()), (all, expected.len()));
                room.finish(0);
                assert_eq!(out, expected, "{length} {refused}");
            }
            texts = self::texts();
        }
    }

    #[test]
    fn nothing_is_left_of_what_is_written_over() {
        for before in [0, 1, 60, 700, 5000] {
            let (mut out, gap) = (vec![b'?'; before], Constant::new(b"</a><a>"));
            let mut room = Room::over(&mut out);
            let mut expected = Vec::new();
            for text in texts().iter().take(before % 13) {
                let bytes = text.len() + gap.room();
                if !room.write(bytes, |out| gap.put_after_text(text, out, 0)) {
                    assert!(room.append(|out| append(text, &gap, out)));
                }
                append(text, &gap, &mut expected);
                assert_eq!(room.at(), expected.len());
            }
            room.finish(0);
            assert_eq!(out, expected, "{before}");
        }
    }

    #[test]
    fn a_text_is_put_where_it_has_room_only() {
        for length in [5, 32, 64, 65, 130] {
            let gap = Constant::new(&vec![b'-'; length]);
            for text in ["", "short", "a text of more than one block, and more than two"] {
                let enough = text.len() + gap.room();
                let mut out = vec![0; 3 + enough];
                assert_eq!(
                    gap.put_after_text(text, &mut out, 3),
                    Some(3 + text.len() + length)
                );
                let (before, after) = out[3..].split_at(text.len());
                assert_eq!((before, &after[..length]), (text.as_bytes(), gap.bytes()));
                assert_eq!(gap.put_after_text(text, &mut out, 4), None);
                assert_eq!(gap.put_after_text(text, &mut out, enough + 4), None);
                assert_eq!(
                    gap.put_after_text(&format!("{text}<"), &mut vec![0; 300], 0),
                    None
                );
            }
        }
    }
}
