//! What differential sending asks of the encoder: [`Keep`] is offered what is large.

use castile_plan::SimpleId;
use castile_value::{Column, Scalar};

use super::flat::Flat;
use super::list::List;
use crate::error::Error;

/// Keeps large values from message to message, so that they need not be written anew.
pub trait Keep {
    /// What in the items of a list is kept by itself.
    fn apart(&self) -> Apart;

    /// So many records of so many numbers each are about to be gathered and offered as an [`array`](Keep::array).
    /// False: it would not be taken, and they are written as they lie, without being offered. `glance` tells
    /// some rows from others, a number for each, and gives none when they cannot be gathered.
    fn wants(&mut self, rows: usize, fields: usize, glance: &dyn Fn(&[usize]) -> Vec<u64>) -> bool;

    /// An array would be written at byte `at` of the output. True: it was taken and is not written;
    /// what follows is written as if it stood there.
    ///
    /// # Errors
    /// What the array's owner says of its changes is not so.
    fn array(&mut self, at: usize, flat: &Flat<'_>) -> Result<bool, Untold>;

    /// The same for a list. It may be one that cannot be written; then it is not taken. What is in the items of one that
    /// is taken is not offered.
    fn list(&mut self, at: usize, list: &List<'_>) -> bool;

    /// The same for a text or bytes; `write` appends what would be written.
    ///
    /// # Errors
    /// Those of `write`.
    fn long(
        &mut self,
        at: usize,
        long: &Long<'_>,
        write: &dyn Fn(&mut Vec<u8>) -> Result<(), Error>,
    ) -> Result<bool, Error>;
}

/// Sizes from which on a value in an item of a list is kept by itself. Lists with such are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Apart {
    /// Values of arrays and lists.
    pub values: usize,
    /// Bytes of texts and of binary values.
    pub bytes: usize,
}

/// What tells some rows from others, a number for each: enough to see whether an array is like another. Callers keep
/// the rows within the columns.
pub fn glance(columns: &[Column<'_>], rows: &[usize]) -> Vec<u64> {
    let value = |column: &Column<'_>, row: usize| match column.dtype().size() {
        8 => u64::from_ne_bytes(column.bytes(row)),
        4 => u32::from_ne_bytes(column.bytes(row)).into(),
        2 => u16::from_ne_bytes(column.bytes(row)).into(),
        _ => u8::from_ne_bytes(column.bytes(row)).into(),
    };
    let bits = |&row: &usize| {
        columns
            .iter()
            .fold(0, |bits, column| stir(bits, value(column, row)))
    };
    rows.iter().map(bits).collect()
}

/// Both in one number, which is mostly another when one of them is.
pub(super) fn stir(bits: u64, more: u64) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    (bits ^ more).wrapping_mul(ODD).rotate_left(29)
}

/// A value that changed although its owner says that it did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Untold {
    /// Its row in the array, from zero.
    pub row: usize,
}

/// A text or bytes about to be written. Two that are equal are written alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Long<'a> {
    /// The number of its simple type.
    pub simple: u32,
    /// Whether it was checked against its type.
    pub strict: bool,
    /// Bytes, not text.
    pub binary: bool,
    /// The value itself.
    pub raw: &'a [u8],
}

impl<'a> Long<'a> {
    pub(super) fn new(id: SimpleId, strict: bool, scalar: &'a Scalar<'_>) -> Option<Long<'a>> {
        let (binary, raw) = match scalar {
            Scalar::Text(text) => (false, text.as_bytes()),
            Scalar::Bytes(bytes) => (true, &**bytes),
            _ => return None,
        };
        Some(Long {
            simple: id.0,
            strict,
            binary,
            raw,
        })
    }
}
