//! Widths that are typical of the values of an array.

use super::chunk::Chunk;
use super::layout::Shape;

/// Chunks of an array that are looked at, and rows of each.
const CHUNKS: usize = 64;
const ROWS: usize = 64;

/// A width is a byte.
const WIDEST: usize = u8::MAX as usize;

/// For each value of a row the width that 99 in 100 of those looked at do not exceed; none for no rows.
pub(crate) fn widths(chunks: &[Chunk], shape: &Shape) -> Vec<u8> {
    let fields = shape.fields();
    let mut lengths = vec![Vec::new(); fields];
    for chunk in chunks.iter().step_by(chunks.len().div_ceil(CHUNKS).max(1)) {
        for row in (0..chunk.rows).step_by(chunk.rows.div_ceil(ROWS).max(1)) {
            for (field, lengths) in lengths.iter_mut().enumerate() {
                let slot = &chunk.bytes[chunk.slot(shape, row * fields + field)];
                lengths.push(shape.length(field, slot).min(WIDEST) as u8);
            }
        }
    }
    let typical = |mut lengths: Vec<u8>| {
        lengths.sort_unstable();
        lengths.get(lengths.len().saturating_sub(1) * 99 / 100).copied()
    };
    lengths.into_iter().map_while(typical).collect()
}
