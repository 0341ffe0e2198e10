//! [`Form`]: what the items of an array that is kept are like.

use castile_value::DType;

use crate::decode::repeat::{Kernel, Pattern};

/// What the items of an array are like.
pub(super) struct Form<'p> {
    pub(super) cells: Vec<Cell<'p>>,
    /// The bytes before the first value of an item.
    pub(super) first: &'p [u8],
    /// What stands between the last value of an item and the first of the next.
    pub(super) between: Vec<u8>,
    /// Bytes of an item's values when they are packed.
    pub(super) stride: usize,
    /// How many items there may be.
    pub(super) most: u32,
    /// The most bytes that an item takes whose values can be kept, with what stands before it and the next.
    pub(super) reach: usize,
}

/// One value of an item.
pub(super) struct Cell<'p> {
    pub(super) kernel: Kernel,
    pub(super) dtype: DType,
    /// Where it lies among the packed values of the item.
    pub(super) offset: usize,
    /// What follows it in the item.
    pub(super) follows: &'p [u8],
    /// How many bytes follow it before the next value, of the same item or the next.
    pub(super) gap: usize,
}

impl<'p> Form<'p> {
    /// The form of at most so many items like a pattern, whose values have these machine types.
    pub(super) fn new(pattern: &Pattern<'p>, dtypes: &[DType], most: u32) -> Option<Form<'p>> {
        let first = pattern.values.first()?.before;
        let between = [pattern.close, pattern.gap, first].concat();
        let follow = pattern.values.iter().skip(1).map(|cell| cell.before);
        let mut stride = 0;
        let cells = pattern
            .values
            .iter()
            .zip(dtypes)
            .zip(follow.chain([pattern.close]));
        let mut cells: Vec<Cell<'p>> = cells
            .map(|((cell, &dtype), follows)| {
                stride += dtype.size();
                Cell {
                    kernel: cell.kernel,
                    dtype,
                    offset: stride - dtype.size(),
                    follows,
                    gap: follows.len(),
                }
            })
            .collect();
        cells.last_mut()?.gap = between.len();
        let texts = cells.iter().map(|cell| usize::from(u8::MAX) + cell.gap);
        let reach = texts.sum::<usize>() + between.len();
        Some(Form {
            cells,
            first,
            between,
            stride,
            most,
            reach,
        })
    }

    /// Whether its values can be read of a message of which more has to come.
    pub(super) fn is_of_plain_numbers(&self) -> bool {
        self.cells.iter().all(|cell| cell.kernel.is_plain_number())
    }

    /// What stands between two items.
    pub(super) fn gap(&self) -> &[u8] {
        let close = self.cells.last().map_or(0, |cell| cell.follows.len());
        self.between
            .get(close..self.between.len() - self.first.len())
            .unwrap_or_default()
    }
}
