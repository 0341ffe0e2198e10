//! Comparing values with those sent last, and taking them over.

use std::ops::Range;

use castile_value::Column;

/// Values that share one mask.
pub(crate) const BLOCK: usize = 64;

/// Compares values `rows` of a column with their shadow, `stride` bytes apart from `shadow`'s start,
/// and copies those that differ over. Sets bit `i % 64` of mask `i / 64` for each row `i` of `rows`
/// that differed, and gives their number.
pub(crate) fn refresh(
    column: &Column<'_>,
    rows: Range<usize>,
    shadow: &mut [u8],
    stride: usize,
    masks: &mut [u64],
) -> usize {
    match column.dtype().size() {
        8 => refresh_sized(column, rows, shadow, stride, masks, u64::from_ne_bytes),
        4 => refresh_sized(column, rows, shadow, stride, masks, |v| {
            u32::from_ne_bytes(v).into()
        }),
        2 => refresh_sized(column, rows, shadow, stride, masks, |v| {
            u16::from_ne_bytes(v).into()
        }),
        _ => refresh_sized(column, rows, shadow, stride, masks, |v| {
            u8::from_ne_bytes(v).into()
        }),
    }
}

#[inline]
fn refresh_sized<const N: usize>(
    column: &Column<'_>,
    rows: Range<usize>,
    shadow: &mut [u8],
    stride: usize,
    masks: &mut [u64],
    number: impl Fn([u8; N]) -> u64,
) -> usize {
    if column.stride() == N && stride == N {
        let new = &column.data()[rows.start * N..rows.end * N];
        return refresh_dense(new, shadow, masks, number);
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

fn refresh_dense<const N: usize>(
    new: &[u8],
    shadow: &mut [u8],
    masks: &mut [u64],
    number: impl Fn([u8; N]) -> u64,
) -> usize {
    let mut count = 0;
    let blocks = new.chunks(BLOCK * N).zip(shadow.chunks_mut(BLOCK * N));
    for ((new, old), mask) in blocks.zip(masks) {
        if *new == *old {
            continue;
        }
        let differing = differences(new, old, &number);
        old.copy_from_slice(new);
        count += differing.count_ones() as usize;
        *mask |= differing;
    }
    count
}

/// A bit for each of at most 64 values that differ.
#[inline]
fn differences<const N: usize>(new: &[u8], old: &[u8], number: impl Fn([u8; N]) -> u64) -> u64 {
    let (new, old) = (new.as_chunks::<N>().0, old.as_chunks::<N>().0);
    let mut flags = [0; BLOCK];
    if let (Some(new), Some(old)) = (new.as_array::<BLOCK>(), old.as_array::<BLOCK>()) {
        // This loop is compiled into wide instructions.
        for i in 0..BLOCK {
            let differing = number(new[i]) ^ number(old[i]);
            flags[i] = ((differing | differing.wrapping_neg()) >> 63) as u8;
        }
    } else {
        for (i, (new, old)) in new.iter().zip(old).enumerate() {
            flags[i] = u8::from(new != old);
        }
    }
    let words = flags.as_chunks::<8>().0.iter().enumerate();
    words.fold(0, |mask, (i, word)| {
        // Gathers the lowest bits of eight bytes in the highest byte.
        let bits = u64::from_le_bytes(*word).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        mask | bits << (8 * i)
    })
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
                let count = refresh(&column.view(), 0..length, &mut shadow, 8, &mut masks);
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
        assert_eq!(refresh(&column, 2..8, &mut shadow, 3, &mut masks), 5);
        assert_eq!(told(&masks), [0, 1, 3, 4, 5]);
        assert_eq!(shadow[3], 3);
    }
}
