//! The text of a number, and how it is put into its slot.

use castile_codec::RowWriter;

/// Room for the text of any number.
pub(crate) type Number = [u8; RowWriter::NUMBER];

/// Writes a text of `length` bytes over a slot, with spaces behind it.
///
/// A slot that is no longer than a number's room is not read but written with two wide stores that
/// overlap: it mostly is in no cache, and a store need not wait for it.
#[inline]
pub(crate) fn fill_slot(slot: &mut [u8], text: &Number, length: usize) {
    let width = slot.len();
    if width > RowWriter::NUMBER {
        slot.fill(b' ');
        return slot[..length].copy_from_slice(&text[..length]);
    }
    let text = &padded(text, length);
    match width {
        // Numbers, not arrays: copies of arrays of two sizes are compiled into one call.
        16.. => ends!(u128, slot, text, width),
        8.. => ends!(u64, slot, text, width),
        4.. => ends!(u32, slot, text, width),
        _ => slot.copy_from_slice(&text[..width]),
    }
}

/// Copies the first `$width` bytes as two numbers, one at either end.
macro_rules! ends {
    ($number:ty, $slot:ident, $text:ident, $width:ident) => {{
        const N: usize = size_of::<$number>();
        let text = &$text[..$width];
        if let (Some(head), Some(tail)) = (text.first_chunk(), text.last_chunk()) {
            let (head, tail) = (<$number>::from_ne_bytes(*head), <$number>::from_ne_bytes(*tail));
            if let Some(to) = $slot.first_chunk_mut::<N>() {
                *to = head.to_ne_bytes();
            }
            if let Some(to) = $slot.last_chunk_mut::<N>() {
                *to = tail.to_ne_bytes();
            }
        }
    }};
}
use ends;

/// A text with spaces behind it: the same few wide instructions for every length.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "see within")]
fn padded(text: &Number, length: usize) -> Number {
    let mask = &MASKS[length];
    let mut padded = [b' '; RowWriter::NUMBER];
    // By number: iterators over three arrays are not always compiled into wide instructions.
    for i in 0..RowWriter::NUMBER {
        padded[i] = text[i] & mask[i] | b' ' & !mask[i];
    }
    padded
}

/// Mask `n` has ones in its first `n` bytes.
static MASKS: [Number; RowWriter::NUMBER + 1] = masks();

const fn masks() -> [Number; RowWriter::NUMBER + 1] {
    let mut masks = [[0; RowWriter::NUMBER]; RowWriter::NUMBER + 1];
    let mut n = 0;
    while n <= RowWriter::NUMBER {
        let mut k = 0;
        while k < n {
            masks[n][k] = 0xFF;
            k += 1;
        }
        n += 1;
    }
    masks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_filled_with_text_and_spaces() {
        let text: Number = *b"12345678901234567890123456789012";
        for width in 1..=RowWriter::NUMBER + 3 {
            for length in 1..=width.min(RowWriter::NUMBER) {
                let mut bytes = [b'.'; RowWriter::NUMBER + 5];
                fill_slot(&mut bytes[1..=width], &text, length);
                assert_eq!(bytes[1..=length], text[..length]);
                assert!(bytes[length + 1..=width].iter().all(|&b| b == b' '));
                assert_eq!((bytes[0], bytes[width + 1]), (b'.', b'.'));
            }
        }
    }
}
