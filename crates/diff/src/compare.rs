//! Comparing values with those sent last, and taking them over.

use castile_value::Column;

/// Compares values `rows` of a column with their shadow, `stride` bytes apart from `shadow`'s start,
/// copies those that differ over and tells their rows, counted from the start of `rows`.
pub(crate) fn refresh(
    column: &Column<'_>,
    rows: std::ops::Range<usize>,
    shadow: &mut [u8],
    stride: usize,
    changed: impl FnMut(usize),
) {
    match column.dtype().size() {
        8 => refresh_sized::<8>(column, rows, shadow, stride, changed),
        4 => refresh_sized::<4>(column, rows, shadow, stride, changed),
        2 => refresh_sized::<2>(column, rows, shadow, stride, changed),
        _ => refresh_sized::<1>(column, rows, shadow, stride, changed),
    }
}

/// Values compared at once.
const BLOCK: usize = 64;

#[inline]
fn refresh_sized<const N: usize>(
    column: &Column<'_>,
    rows: std::ops::Range<usize>,
    shadow: &mut [u8],
    stride: usize,
    mut changed: impl FnMut(usize),
) {
    let dense = column.stride() == N && stride == N;
    if !dense {
        for (i, row) in rows.enumerate() {
            let new: [u8; N] = column.bytes(row);
            let old = &mut shadow[i * stride..i * stride + N];
            if *old != new {
                old.copy_from_slice(&new);
                changed(i);
            }
        }
        return;
    }
    let new = &column.data()[rows.start * N..rows.end * N];
    for (block, (new, old)) in new
        .chunks(BLOCK * N)
        .zip(shadow.chunks_mut(BLOCK * N))
        .enumerate()
    {
        if *new == *old {
            continue;
        }
        let mut mask = differences::<N>(new, old);
        old.copy_from_slice(new);
        while mask != 0 {
            changed(block * BLOCK + mask.trailing_zeros() as usize);
            mask &= mask - 1;
        }
    }
}

/// A bit for each of at most 64 values of `N` bytes that differ.
#[inline]
fn differences<const N: usize>(new: &[u8], old: &[u8]) -> u64 {
    let pairs = new.as_chunks::<N>().0.iter().zip(old.as_chunks::<N>().0);
    let mut mask = 0;
    for (i, (new, old)) in pairs.enumerate() {
        mask |= u64::from(new != old) << i;
    }
    mask
}

#[cfg(test)]
mod tests {
    use castile_value::{ColumnBuf, DType};

    use super::*;

    #[test]
    fn every_changed_value_is_told_once_and_taken_over() {
        for length in [1usize, 63, 64, 65, 200] {
            for step in [1, 2, 7, 64] {
                let old: Vec<f64> = (0..length).map(|i| i as f64).collect();
                let mut new = old.clone();
                new.iter_mut().step_by(step).for_each(|v| *v = -*v);
                let mut shadow: Vec<u8> = old.iter().flat_map(|v| v.to_ne_bytes()).collect();
                let column = ColumnBuf::from(new.clone());
                let mut told = Vec::new();
                refresh(&column.view(), 0..length, &mut shadow, 8, |i| told.push(i));
                // 0.0 and -0.0 are different bits.
                assert_eq!(told, (0..length).step_by(step).collect::<Vec<_>>());
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
        let mut told = Vec::new();
        refresh(&column, 2..8, &mut shadow, 3, |i| told.push(i));
        assert_eq!(told, [0, 1, 2, 3, 4, 5]);
        assert_eq!(shadow[3], 3);
    }
}
