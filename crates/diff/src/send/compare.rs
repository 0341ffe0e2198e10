//! Comparing values with those sent last, and taking them over.

use std::ops::Range;

use castile_value::Column;

pub(crate) use super::differ::BLOCK;
use super::differ::differ;
use super::layout::Shape;

/// Compares values `rows` of a column with their shadow, `stride` bytes apart from `shadow`'s start. Sets bit `i % 64` of
/// mask `i / 64` for each row `i` of `rows` that differs, and gives their number. `ahead`: values ahead are asked for,
/// because others are in between.
pub(crate) fn compare(
    column: &Column<'_>,
    rows: Range<usize>,
    shadow: &[u8],
    stride: usize,
    masks: &mut [u64],
    ahead: bool,
) -> usize {
    match column.dtype().size() {
        8 => compare_sized::<8>(column, rows, shadow, stride, masks, ahead),
        4 => compare_sized::<4>(column, rows, shadow, stride, masks, ahead),
        2 => compare_sized::<2>(column, rows, shadow, stride, masks, ahead),
        _ => compare_sized::<1>(column, rows, shadow, stride, masks, ahead),
    }
}

/// The same for all columns of rows that lie in memory as their shadow does: `packed` are the bytes of `rows`. Rows
/// that are equal are compared without looking at their values.
pub(crate) fn compare_rows(
    columns: &[Column<'_>],
    rows: Range<usize>,
    packed: &[u8],
    shadow: &[u8],
    shape: &Shape,
    masks: &mut [Vec<u64>],
) -> usize {
    let mut count = 0;
    let bytes = BLOCK * shape.stride;
    let blocks = packed.chunks(bytes).zip(shadow[..packed.len()].chunks(bytes));
    for (block, (new, old)) in blocks.enumerate() {
        if *new == *old {
            continue;
        }
        let start = rows.start + block * BLOCK;
        let rows = start..rows.end.min(start + BLOCK);
        for ((column, &offset), masks) in columns.iter().zip(&shape.offsets).zip(&mut *masks) {
            let (old, masks) = (&old[offset..], &mut masks[block..]);
            count += compare(column, rows.clone(), old, shape.stride, masks, false);
        }
    }
    count
}

/// Copies values over into their shadow, which begins with that of row `first`: those of some rows from there on.
///
/// What is equal is not written: its line need not go back to memory.
pub(crate) fn take_over(column: &Column<'_>, first: usize, rows: &[u32], shadow: &mut [u8], stride: usize) {
    match column.dtype().size() {
        8 => take_sized::<8>(column, first, rows, shadow, stride),
        4 => take_sized::<4>(column, first, rows, shadow, stride),
        2 => take_sized::<2>(column, first, rows, shadow, stride),
        _ => take_sized::<1>(column, first, rows, shadow, stride),
    }
}

/// The same of all `rows`, with whose first the shadow begins.
pub(crate) fn take_all(column: &Column<'_>, rows: Range<usize>, shadow: &mut [u8], stride: usize) {
    let size = column.dtype().size();
    if column.stride() == size && stride == size {
        return shadow[..rows.len() * size]
            .copy_from_slice(&column.data()[rows.start * size..rows.end * size]);
    }
    for (row, old) in rows.zip(shadow.chunks_mut(stride)) {
        let at = row * column.stride();
        old[..size].copy_from_slice(&column.data()[at..at + size]);
    }
}

fn take_sized<const N: usize>(
    column: &Column<'_>,
    first: usize,
    rows: &[u32],
    shadow: &mut [u8],
    stride: usize,
) {
    if column.stride() == N && stride == N {
        let new = column.data()[first * N..].as_chunks::<N>().0;
        let old = shadow.as_chunks_mut::<N>().0;
        return rows.iter().for_each(|&row| old[row as usize] = new[row as usize]);
    }
    for &row in rows {
        let new: [u8; N] = column.bytes(first + row as usize);
        let at = row as usize * stride;
        shadow[at..at + N].copy_from_slice(&new);
    }
}

#[inline]
fn compare_sized<const N: usize>(
    column: &Column<'_>,
    rows: Range<usize>,
    shadow: &[u8],
    stride: usize,
    masks: &mut [u64],
    ahead: bool,
) -> usize {
    let masks = &mut masks[..rows.len().div_ceil(BLOCK)];
    if column.stride() == N && stride == N {
        let new = &column.data()[rows.start * N..];
        differ::<N>([new, shadow], rows.len(), masks, ahead);
        return masks.iter().map(|mask| mask.count_ones() as usize).sum();
    }
    let mut count = 0;
    for (i, row) in rows.enumerate() {
        let differs = shadow[i * stride..i * stride + N] != column.bytes::<N>(row);
        masks[i / BLOCK] |= u64::from(differs) << (i % BLOCK);
        count += usize::from(differs);
    }
    count
}

#[cfg(test)]
mod tests {
    use castile_value::{ColumnBuf, DType};

    use super::*;

    fn told(masks: &[u64]) -> Vec<usize> {
        (0..masks.len() * BLOCK)
            .filter(|i| masks[i / BLOCK] >> (i % BLOCK) & 1 == 1)
            .collect()
    }

    #[test]
    fn every_changed_value_is_told_and_taken_over() {
        for length in [1usize, 63, 64, 65, 200] {
            for step in [1, 2, 7, 64] {
                let old: Vec<f64> = (0..length).map(|i| i as f64).collect();
                let mut new = old.clone();
                new.iter_mut().step_by(step).for_each(|v| *v = -*v);
                let mut shadow: Vec<u8> = old.iter().flat_map(|v| v.to_ne_bytes()).collect();
                let column = ColumnBuf::from(new.clone());
                let mut masks = vec![0; length.div_ceil(BLOCK)];
                let count = compare(&column.view(), 0..length, &shadow, 8, &mut masks, false);
                // 0.0 and -0.0 are different bits.
                let expected: Vec<usize> = (0..length).step_by(step).collect();
                assert_eq!((count, told(&masks)), (expected.len(), expected.clone()));
                let rows: Vec<u32> = expected.iter().map(|&row| row as u32).collect();
                take_over(&column.view(), 0, &rows, &mut shadow, 8);
                let expected: Vec<u8> = new.iter().flat_map(|v| v.to_ne_bytes()).collect();
                assert_eq!(shadow, expected);
            }
        }
    }

    #[test]
    fn strided_values_are_compared_where_they_lie() {
        let rows: Vec<u8> = (0..10u8).flat_map(|i| [i, 0xAA, i, 0xAA]).collect();
        let column = Column::new(&rows, 4, DType::I8, 10).unwrap();
        let mut shadow = vec![0u8; 30];
        shadow[6] = 4;
        let mut masks = [0];
        assert_eq!(compare(&column, 2..8, &shadow, 3, &mut masks, false), 5);
        assert_eq!(told(&masks), [0, 1, 3, 4, 5]);
        take_over(&column, 2, &[0, 3], &mut shadow, 3);
        assert_eq!(shadow[..12], [2, 0, 0, 0, 0, 0, 4, 0, 0, 5, 0, 0]);
        take_all(&column, 2..8, &mut shadow, 3);
        assert_eq!(shadow[..12], [2, 0, 0, 3, 0, 0, 4, 0, 0, 5, 0, 0]);
    }
}
