//! The numbers of some rows as texts: [`Texts`].

use std::ops::Range;

use castile_lexical as lexical;
use castile_value::Column;
use castile_xml::NUMBER;

use super::kernel::Kernel;

/// Rows whose numbers become texts at once.
pub(super) const ROWS: usize = 32;

/// The texts of the numbers of up to [`ROWS`] rows. They are made column by column, each in a loop of its own: in a
/// row, where each kind is jumped to, the processor guesses wrong more often.
pub(super) struct Texts(Vec<Cells>);

/// The texts of one column.
struct Cells {
    texts: [[u8; NUMBER]; ROWS],
    lengths: [u8; ROWS],
}

impl Texts {
    /// Room for rows of so many numbers.
    pub(super) fn new(columns: usize) -> Texts {
        let cells = || Cells {
            texts: [[0; NUMBER]; ROWS],
            lengths: [0; ROWS],
        };
        Texts(std::iter::repeat_with(cells).take(columns).collect())
    }

    /// Writes the numbers of column `k` in `rows`, the first of which becomes row 0.
    pub(super) fn fill(&mut self, k: usize, kernel: Kernel, column: &Column<'_>, rows: Range<usize>) {
        let Some(cells) = self.0.get_mut(k) else { return };
        match kernel {
            // Loops of their own for what records mostly hold.
            Kernel::F64 => {
                cells.fill(column.each(rows), |v, out| {
                    lexical::write_f64(f64::from_ne_bytes(v), out)
                });
            }
            Kernel::I32 => {
                cells.fill(column.each(rows), |v, out| {
                    lexical::write_i32(i32::from_ne_bytes(v), out)
                });
            }
            kernel => cells.fill(rows, |i, out| kernel.put(column, i, out)),
        }
    }

    /// The number of column `k` in a row and its length; `None` past the end.
    #[inline(always)]
    pub(super) fn get(&self, k: usize, row: usize) -> Option<(&[u8; NUMBER], usize)> {
        let cells = self.0.get(k)?;
        Some((cells.texts.get(row)?, usize::from(*cells.lengths.get(row)?)))
    }
}

impl Cells {
    #[inline(always)]
    fn fill<V>(&mut self, values: impl Iterator<Item = V>, put: impl Fn(V, &mut [u8; NUMBER]) -> usize) {
        for (row, value) in values.enumerate() {
            let (Some(text), Some(length)) = (self.texts.get_mut(row), self.lengths.get_mut(row)) else {
                return;
            };
            *length = put(value, text) as u8;
        }
    }
}
