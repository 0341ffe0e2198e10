//! Which values differ from those sent last: a bit for each, sixty-four in a word.
//!
//! Most x86-64 processors compare 32 bytes at once and give a bit for each value; whether this one does is asked at run
//! time. The plain way looks at a block as a whole before it looks at its values. Both are tested against each other.
//!
//! Values that stream by are brought near by the processor itself, unless others are asked for in between: then blocks ahead
//! are asked for here.

use super::prefetch::prefetch;

/// Values that share one mask.
pub(crate) const BLOCK: usize = 64;

/// Blocks from one to that which is asked for meanwhile.
const AHEAD: usize = 12;

/// Bytes that memory is fetched by.
const LINE: usize = 64;

/// Sets bit `i % 64` of mask `i / 64` for each of the first `count` values `i` of `N` bytes that differs; clears the
/// others. `ahead`: blocks ahead are asked for, those behind the last of these, too.
pub(super) fn differ<const N: usize>(all: [&[u8]; 2], count: usize, masks: &mut [u64], ahead: bool) {
    #[cfg(target_arch = "x86_64")]
    if (N == 8 || N == 4) && std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has what this is compiled for, as it was just asked.
        return unsafe { wide::differ::<N>(all, count, masks, ahead) };
    }
    plain::<N>(all, count, masks, ahead);
}

fn plain<const N: usize>(all: [&[u8]; 2], count: usize, masks: &mut [u64], ahead: bool) {
    let [new, old] = all.map(|bytes| bytes[..count * N].chunks(BLOCK * N));
    let blocks = new.zip(old);
    for (i, ((new, old), mask)) in blocks.zip(masks).enumerate() {
        if ahead {
            fetch(all, (i + AHEAD) * BLOCK * N, BLOCK * N);
        }
        *mask = match new == old {
            true => 0,
            false => one_by_one::<N>(new, old),
        };
    }
}

/// Asks for so many bytes from a place on.
#[inline(always)]
fn fetch(all: [&[u8]; 2], at: usize, count: usize) {
    for bytes in all {
        if let Some(some) = bytes.get(at..at + count) {
            some.chunks(LINE).for_each(prefetch);
        }
    }
}

fn one_by_one<const N: usize>(new: &[u8], old: &[u8]) -> u64 {
    let values = new.as_chunks::<N>().0.iter().zip(old.as_chunks::<N>().0);
    values
        .enumerate()
        .fold(0, |mask, (i, (new, old))| mask | u64::from(new != old) << i)
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::{
        __m256i, _mm256_castsi256_pd, _mm256_castsi256_ps, _mm256_cmpeq_epi32, _mm256_cmpeq_epi64,
        _mm256_loadu_si256, _mm256_movemask_pd, _mm256_movemask_ps,
    };

    use super::{AHEAD, BLOCK, fetch, plain};

    /// Bytes that are compared at once.
    const WIDE: usize = 32;

    /// For values of four or eight bytes.
    #[target_feature(enable = "avx2")]
    pub(super) fn differ<const N: usize>(all: [&[u8]; 2], count: usize, masks: &mut [u64], ahead: bool) {
        match N {
            8 => each_block::<8, { 8 * BLOCK }>(all, count, masks, ahead),
            _ => each_block::<4, { 4 * BLOCK }>(all, count, masks, ahead),
        }
    }

    /// `BYTES` are those of a block.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn each_block<const N: usize, const BYTES: usize>(
        all: [&[u8]; 2],
        count: usize,
        masks: &mut [u64],
        ahead: bool,
    ) {
        let [(new, _), (old, _)] = all.map(|bytes| bytes[..count * N].as_chunks::<BYTES>());
        for (i, ((new, old), mask)) in new.iter().zip(old).zip(&mut *masks).enumerate() {
            if ahead {
                fetch(all, (i + AHEAD) * BYTES, BYTES);
            }
            let parts = new.as_chunks::<WIDE>().0.iter().zip(old.as_chunks::<WIDE>().0);
            *mask = parts.enumerate().fold(0, |mask, (i, (new, old))| {
                mask | u64::from(of_one::<N>(new, old)) << (i * WIDE / N)
            });
        }
        let whole = new.len();
        plain::<N>(
            all.map(|bytes| &bytes[whole * BYTES..]),
            count - whole * BLOCK,
            &mut masks[whole..],
            false,
        );
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn of_one<const N: usize>(new: &[u8; WIDE], old: &[u8; WIDE]) -> u8 {
        let (new, old) = (load(new), load(old));
        !match N {
            8 => _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(new, old))) as u8 | 0xF0,
            _ => _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(new, old))) as u8,
        }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn load(bytes: &[u8; WIDE]) -> __m256i {
        // SAFETY: so many bytes are there, and they may lie anywhere.
        unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<const N: usize>() {
        for length in (0..=3 * BLOCK).chain([1000]) {
            // Values behind those that are compared are not looked at.
            let old: Vec<u8> = (0..(length + 5) * N).map(|i| (i * 7 % 251) as u8).collect();
            for step in [1, 2, 5, 63, 64, 1001] {
                let mut new = old.clone();
                // One bit of one byte of some values, each time of another.
                for value in (0..length).step_by(step).chain([length]) {
                    new[value * N + value % N] ^= 1 << (value % 8);
                }
                let expected: Vec<usize> = (0..length).step_by(step).collect();
                for differ in [differ::<N>, plain::<N>] {
                    let mut masks = vec![u64::MAX; length.div_ceil(BLOCK)];
                    differ([&new, &old], length, &mut masks, step > 2);
                    let told: Vec<usize> = (0..masks.len() * BLOCK)
                        .filter(|i| masks[i / BLOCK] >> (i % BLOCK) & 1 == 1)
                        .collect();
                    assert_eq!(told, expected, "{length} values of {N} bytes");
                }
            }
        }
    }

    #[test]
    fn every_value_that_differs_is_told_and_no_other() {
        check::<8>();
        check::<4>();
        check::<2>();
        check::<1>();
    }
}
