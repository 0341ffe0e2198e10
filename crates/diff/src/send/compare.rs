//! Comparing values with those sent last, and taking them over.

use std::ops::Range;

use castile_value::Column;

pub(crate) use super::differ::BLOCK;
use super::differ::differ;
use super::layout::Shape;

/// Compares values `rows` of a column with their shadow, `stride` bytes apart from `shadow`'s start,
/// and copies those that differ over. Sets bit `i % 64` of mask `i / 64` for each row `i` of `rows`
/// that differed, and gives their number. `ahead`: values ahead are asked for, because others are in between.
pub(crate) fn refresh(
    column: &Column<'_>,
    rows: Range<usize>,
    shadow: &mut [u8],
    stride: usize,
    masks: &mut [u64],
    ahead: bool,
) -> usize {
    match column.dtype().size() {
        8 => refresh_sized::<8>(column, rows, shadow, stride, masks, ahead),
        4 => refresh_sized::<4>(column, rows, shadow, stride, masks, ahead),
        2 => refresh_sized::<2>(column, rows, shadow, stride, masks, ahead),
        _ => refresh_sized::<1>(column, rows, shadow, stride, masks, ahead),
    }
}

/// The same for all columns of rows that lie in memory as their shadow does: `packed` are the bytes of `rows`. Rows
/// that are equal are compared without looking at their values.
pub(crate) fn refresh_rows(
    columns: &[Column<'_>],
    rows: Range<usize>,
    packed: &[u8],
    shadow: &mut [u8],
    shape: &Shape,
    masks: &mut [Vec<u64>],
) -> usize {
    let mut count = 0;
    let bytes = BLOCK * shape.stride;
    let blocks = packed.chunks(bytes).zip(shadow.chunks_mut(bytes));
    for (block, (new, old)) in blocks.enumerate() {
        if *new == *old {
            continue;
        }
        let start = rows.start + block * BLOCK;
        let rows = start..rows.end.min(start + BLOCK);
        for ((column, &offset), masks) in columns.iter().zip(&shape.offsets).zip(&mut *masks) {
            let (old, masks) = (&mut old[offset..], &mut masks[block..]);
            count += refresh(column, rows.clone(), old, shape.stride, masks, false);
        }
    }
    count
}

#[inline]
fn refresh_sized<const N: usize>(
    column: &Column<'_>,
    rows: Range<usize>,
    shadow: &mut [u8],
    stride: usize,
    masks: &mut [u64],
    ahead: bool,
) -> usize {
    if column.stride() == N && stride == N {
        let new = &column.data()[rows.start * N..rows.end * N];
        return refresh_dense::<N>(new, shadow, masks, ahead);
    }
    let mut count = 0;
    for (i, row) in rows.enumerate() {
        let new: [u8; N] = column.bytes(row);
        let old = &mut shadow[i * stride..i * stride + N];
        let differs = *old != new;
        old.copy_from_slice(&new);
        masks[i / BLOCK] |= u64::from(differs) << (i % BLOCK);
        count += usize::from(differs);
    }
    count
}

fn refresh_dense<const N: usize>(new: &[u8], shadow: &mut [u8], masks: &mut [u64], ahead: bool) -> usize {
    differ::<N>(new, shadow, masks, ahead);
    let mut count = 0;
    let blocks = new.chunks(BLOCK * N).zip(shadow.chunks_mut(BLOCK * N));
    for ((new, old), &mask) in blocks.zip(&*masks) {
        if mask != 0 {
            take_over::<N>(new, old, mask);
            count += mask.count_ones() as usize;
        }
    }
    count
}

/// Copies the values over whose bits are set.
#[inline]
fn take_over<const N: usize>(new: &[u8], old: &mut [u8], mask: u64) {
    if mask.count_ones() > MANY {
        return old.copy_from_slice(new);
    }
    // What is equal is not written: its line need not go back to memory.
    let (new, old) = (new.as_chunks::<N>().0, old.as_chunks_mut::<N>().0);
    let mut left = mask;
    while left != 0 {
        let i = left.trailing_zeros() as usize;
        old[i] = new[i];
        left &= left - 1;
    }
}

/// Values of a block from which on all are copied.
const MANY: u32 = 8;

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
                let count = refresh(&column.view(), 0..length, &mut shadow, 8, &mut masks, false);
                // 0.0 and -0.0 are different bits.
                let expected: Vec<usize> = (0..length).step_by(step).collect();
                assert_eq!((count, told(&masks)), (expected.len(), expected));
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
        assert_eq!(refresh(&column, 2..8, &mut shadow, 3, &mut masks, false), 5);
        assert_eq!(told(&masks), [0, 1, 3, 4, 5]);
        assert_eq!(shadow[3], 3);
    }
}
