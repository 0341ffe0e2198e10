//! The text of a number, and how it is put into its slot.

use castile_codec::RowWriter;

/// Room for the text of any number.
pub(crate) type Number = [u8; RowWriter::NUMBER];

/// Writes a text of `length` bytes over a slot, with spaces behind it.
///
/// A slot that is no longer than a number's room is not read but written with two wide stores that
/// overlap: it mostly is in no cache, and a store need not wait for it.
#[inline(always)]
pub(crate) fn fill_slot(slot: &mut [u8], text: &Number, length: usize) {
    match slot.len() {
        33.. => {
            slot.fill(b' ');
            slot[..length].copy_from_slice(&text[..length]);
        }
        16.. => put_ends::<16>(slot, text, length),
        8.. => put_ends::<8>(slot, text, length),
        4.. => put_ends::<4>(slot, text, length),
        _ => {
            slot.fill(b' ');
            slot.iter_mut()
                .zip(&text[..length])
                .for_each(|(to, from)| *to = *from);
        }
    }
}

/// Writes as much as the slot takes of a padded text with a store at either end. Both come from where the text was
/// written long ago: what was put together just before could not be read at another place at once.
#[inline(always)]
fn put_ends<const N: usize>(slot: &mut [u8], text: &Number, length: usize) {
    let (width, mask) = (slot.len(), &MASKS[length]);
    if let (Some(text), Some(mask)) = (text.get(..width), mask.get(..width))
        && let (Some(head), Some(tail)) = (text.first_chunk::<N>(), text.last_chunk::<N>())
        && let (Some(first), Some(last)) = (mask.first_chunk::<N>(), mask.last_chunk::<N>())
    {
        let (head, tail) = (padded(head, first), padded(tail, last));
        if let Some(to) = slot.first_chunk_mut::<N>() {
            *to = head;
        }
        if let Some(to) = slot.last_chunk_mut::<N>() {
            *to = tail;
        }
    }
}

/// The bytes that a mask has ones for, and spaces.
#[inline(always)]
fn padded<const N: usize>(text: &[u8; N], mask: &[u8; N]) -> [u8; N] {
    let mut padded = [b' '; N];
    for ((to, text), mask) in padded.iter_mut().zip(text).zip(mask) {
        *to = text & mask | b' ' & !mask;
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
