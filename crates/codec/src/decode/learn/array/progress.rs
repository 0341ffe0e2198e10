//! [`Progress`]: how far an array was compared, and [`Source`]: the message it is compared with, as far as that came.

use castile_value::Scalar;

use super::super::changes::Changes;
use super::super::form::Cell;
use super::super::splice::Splice;
use crate::decode::repeat::{Ground, Kernel, plain_number, push_number};
use crate::scalar::push_bytes;

/// A message, or what came of it.
#[derive(Clone, Copy)]
pub(in super::super) struct Source<'p, 'a> {
    pub(in super::super) bytes: &'a [u8],
    /// All of it, once it has come.
    ground: Option<Ground<'p, 'a>>,
}

impl<'p, 'a> Source<'p, 'a> {
    /// A message that has come.
    pub(in super::super) fn whole(ground: Ground<'p, 'a>) -> Self {
        Source {
            bytes: ground.input.as_bytes(),
            ground: Some(ground),
        }
    }

    /// One that begins so and goes on. Only plain numbers are read from it.
    pub(in super::super) fn coming(bytes: &'a [u8]) -> Self {
        Source { bytes, ground: None }
    }

    pub(super) fn is_whole(self) -> bool {
        self.ground.is_some()
    }

    /// The value at `at`, and where it ends; `None` when it has to be looked at more closely.
    #[inline(always)]
    pub(super) fn value(self, kernel: Kernel, at: usize) -> Option<(Scalar<'a>, usize)> {
        match kernel.is_plain_number() {
            true => plain_number(kernel, self.bytes, at),
            false => self.ground?.value(kernel, at),
        }
    }

    /// Appends the value at `at` to packed ones; where it ends.
    #[inline(always)]
    pub(super) fn push(self, cell: &Cell<'_>, at: usize, out: &mut Vec<u8>) -> Option<usize> {
        if cell.kernel.is_plain_number() {
            return push_number(self.bytes, at, cell.kernel, cell.dtype, out);
        }
        let (scalar, end) = self.ground?.value(cell.kernel, at)?;
        push_bytes(out, cell.dtype, &scalar).then_some(end)
    }
}

/// What a walk through an array goes on from.
#[derive(Debug)]
pub(in super::super) struct Progress {
    /// Where its first item begins.
    pub(in super::super) from: usize,
    pub(super) stage: Stage,
    pub(super) widths: Splice,
    pub(super) values: Splice,
    /// How many bytes the values had.
    pub(super) array_bytes: usize,
    /// Where the value at hand begins in the old text,
    pub(super) before: usize,
    /// and in the new one.
    pub(super) at: usize,
    /// Which value of its item it is.
    pub(super) cell: usize,
    /// Items of the new text before it.
    pub(super) items: u32,
    pub(super) parsed: usize,
    /// Items of several values of which one or more were read, and which was the last of them.
    pub(super) items_parsed: usize,
    pub(super) last_parsed: Option<u32>,
    pub(super) in_place: bool,
    pub(super) kept: bool,
    /// Values that differ in a row, and how many may before something may have come between or gone.
    pub(super) differing: usize,
    pub(super) patience: usize,
    /// Bytes that may be looked at to align the texts.
    pub(super) fuel: usize,
    pub(super) changes: Changes,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Stage {
    /// So many bytes are equal, and nothing was passed yet.
    Equal(usize),
    /// Both texts are gone through side by side.
    Compare,
    /// Items that the old text does not have are read, after one that ends here.
    Append(usize),
    /// The last item ends here.
    Ended(usize),
}

/// Values that differ in a row before something may have come between or gone; then eight times as many.
pub(super) const PATIENCE: usize = 8;

/// How many bytes may be looked at to align the texts, for each byte of the old one.
const FUEL_A_BYTE: usize = 4;

impl Progress {
    /// Before an array whose first item begins at `from`, and whose text had so many bytes, of which the first are `equal`.
    pub(in super::super) fn new(from: usize, old_length: usize, equal: usize) -> Progress {
        Progress {
            from,
            stage: Stage::Equal(equal),
            widths: Splice::default(),
            values: Splice::default(),
            array_bytes: 0,
            before: 0,
            at: from,
            cell: 0,
            items: 0,
            parsed: 0,
            items_parsed: 0,
            last_parsed: None,
            in_place: true,
            kept: true,
            differing: 0,
            patience: PATIENCE,
            fuel: FUEL_A_BYTE * old_length,
            changes: Changes::default(),
        }
    }

    /// Whether the array was taken apart.
    pub(in super::super) fn is_begun(&self) -> bool {
        !matches!(self.stage, Stage::Equal(_))
    }

    /// How much of the message was compared.
    pub(in super::super) fn compared(&self) -> usize {
        match self.stage {
            Stage::Equal(equal) => self.from + equal,
            Stage::Compare => self.at,
            Stage::Append(end) | Stage::Ended(end) => end,
        }
    }
}
