//! The constant bytes between values.

use castile_plan::Tags;

use super::kernel::NUMBER;

/// The constant bytes around the values of a repeated element.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Glue {
    /// Before the very first value.
    pub(super) first: Vec<u8>,
    /// After value k of a row; after the last value, through the start of the next row.
    pub(super) between: Vec<Constant>,
    /// Bytes of the next row's start in the last `between`, to take back at the end.
    pub(super) opening: usize,
}

impl Glue {
    /// `around`: the repeated element's tags; then, for a record, those of its fields, which say
    /// their types if `typed`.
    pub(super) fn new(around: &[&Tags], typed: bool) -> Glue {
        let outer = around[0];
        let fields = &around[1..];
        let open = |tags: &Tags| {
            let start = if typed && !std::ptr::eq(tags, outer) {
                &tags.typed
            } else {
                &tags.open
            };
            [start, b">".as_slice()].concat()
        };
        let Some((last, before)) = fields.split_last() else {
            let first = open(outer);
            let between = [&outer.close, &first[..]].concat();
            return Glue {
                opening: first.len(),
                first,
                between: vec![Constant::new(&between)],
            };
        };
        let first = [open(outer), open(fields[0])].concat();
        let mut between: Vec<Constant> = before
            .iter()
            .zip(&fields[1..])
            .map(|(a, b)| Constant::new(&[&a.close, &open(b)[..]].concat()))
            .collect();
        between.push(Constant::new(&[&last.close, &outer.close, &first[..]].concat()));
        Glue {
            opening: first.len(),
            first,
            between,
        }
    }
}

impl Glue {
    /// The lengths of what comes between values.
    pub(super) fn gaps(&self) -> Vec<u32> {
        self.between
            .iter()
            .map(|constant| u32::try_from(constant.len).unwrap_or(u32::MAX))
            .collect()
    }
}

/// Bytes that are copied with a few wide stores of a fixed size, whatever their length: a call for a copy
/// of just so many costs more than a number.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Constant {
    /// What one or two stores copy, which is mostly all.
    first: [[u8; WIDE]; 2],
    /// The bytes, with zeros after them up to whole stores.
    padded: Box<[u8]>,
    pub(super) len: usize,
}

/// Bytes of one store.
const WIDE: usize = 32;
/// Bytes of `Constant::first`.
const SHORT: usize = 2 * WIDE;

impl Constant {
    fn new(bytes: &[u8]) -> Constant {
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
    pub(super) fn bytes(&self) -> &[u8] {
        &self.padded[..self.len]
    }

    /// Bytes that `put` may touch, and `put_after` beyond a number's.
    pub(super) fn room(&self) -> usize {
        self.padded.len()
    }

    /// Writes the bytes at `at` and gives the place after them; what follows may be overwritten.
    #[inline(always)]
    pub(super) fn put(&self, out: &mut [u8], at: usize) -> usize {
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
    pub(super) fn put_after(
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
pub(super) fn piece<const N: usize>(out: &mut [u8], at: usize) -> &mut [u8; N] {
    out[at..at + N]
        .first_chunk_mut()
        .expect("the slice has this length")
}
