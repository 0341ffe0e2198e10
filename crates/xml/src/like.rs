//! Reading what is expected: bytes that stood there in an earlier item, and values between them. No name is
//! looked at: equal bytes in the same scope mean the same.

use crate::chars::is_space;

/// The place after `expected`, when it stands at `at`.
#[inline(always)]
pub fn after(input: &[u8], at: usize, expected: &[u8]) -> Option<usize> {
    let end = at + expected.len();
    is_same(input.get(at..end)?, expected).then_some(end)
}

/// Whether two texts of one length are equal. Tags are some words long: a few words are compared, which may
/// overlap, and nothing is called.
#[inline(always)]
fn is_same(a: &[u8], b: &[u8]) -> bool {
    match b.len() {
        // No white space between items.
        0 => true,
        4..8 => same_ends::<4>(a, b),
        8..16 => same_ends::<8>(a, b),
        16..=32 => same_ends::<16>(a, b),
        33..=64 => same_ends::<32>(a, b),
        _ => a == b,
    }
}

/// The same for `N` to `2 * N` bytes.
#[inline(always)]
fn same_ends<const N: usize>(a: &[u8], b: &[u8]) -> bool {
    (a.first_chunk::<N>(), a.last_chunk::<N>()) == (b.first_chunk::<N>(), b.last_chunk::<N>())
}

/// The same, white space before it passed over: what collapses belongs to no value.
#[inline(always)]
pub fn after_space(input: &[u8], at: usize, expected: &[u8]) -> Option<usize> {
    match after(input, at, expected) {
        Some(end) => Some(end),
        None => after(input, space_end(input, at)?, expected),
    }
}

/// A number's value and end, white space before it passed over.
#[inline(always)]
pub fn number<T>(
    input: &[u8],
    at: usize,
    prefix: impl Fn(&[u8]) -> Option<(T, usize)>,
) -> Option<(T, usize)> {
    match prefix(input.get(at..)?) {
        Some((value, used)) => Some((value, at + used)),
        None => {
            let at = space_end(input, at)?;
            prefix(input.get(at..)?).map(|(value, used)| (value, at + used))
        }
    }
}

/// Where the white space at `at` ends; `None` if there is none.
#[cold]
#[inline(never)]
fn space_end(input: &[u8], at: usize) -> Option<usize> {
    let rest = input.get(at..)?;
    let space = rest.iter().take_while(|&&b| is_space(b)).count();
    (space > 0).then_some(at + space)
}

/// The length of text up to the next tag, when it is text as it stands: no reference, no carriage
/// return, and nothing that is not well-formed.
#[inline]
pub fn plain_text(bytes: &[u8]) -> Option<usize> {
    let end = memchr::memchr2(b'<', b'&', bytes)?;
    let text = &bytes[..end];
    let suspect = |b: u8| ((b < 0x20) & (b != b'\n') & (b != b'\t')) | (b == b']') | (b == 0xEF);
    let clean = !text.iter().fold(false, |any, &b| any | suspect(b)) || well_formed(text);
    (bytes[end] == b'<' && clean).then_some(end)
}

/// Whether text that holds something suspicious is all right: no control character, no `]]>`, no
/// U+FFFE or U+FFFF.
#[cold]
fn well_formed(text: &[u8]) -> bool {
    let control = |b: &u8| *b < 0x20 && *b != b'\n' && *b != b'\t';
    !text.iter().any(control)
        && !text
            .windows(3)
            .any(|w| matches!(w, b"]]>" | [0xEF, 0xBF, 0xBE] | [0xEF, 0xBF, 0xBF]))
}

#[cfg(test)]
mod tests {
    use super::{after, plain_text};

    #[test]
    fn what_is_expected_stands_there_whole_or_not_at_all() {
        for length in 0..100 {
            let expected: Vec<u8> = (0..length).collect();
            let mut input = [b"##", &expected[..], b"#"].concat();
            let end = 2 + expected.len();
            assert_eq!(after(&input, 2, &expected), Some(end));
            assert_eq!(after(&input[..end], 2, &expected), Some(end));
            assert_eq!(after(&input, 4, &expected), None, "{length}: no room");
            for at in 2..end {
                input[at] ^= 0x80;
                assert_eq!(after(&input, 2, &expected), None, "{length}: byte {at}");
                input[at] ^= 0x80;
            }
        }
    }

    #[test]
    fn plain_text_is_what_needs_no_second_look() {
        for (text, length) in [
            ("<", Some(0)),
            ("abc<", Some(3)),
            ("a\n\tb<", Some(4)),
            ("a\rb<", None),
            ("a&amp;<", None),
            ("abc", None),
            ("", None),
            ("]] ><", Some(4)),
            ("]]><", None),
            ("]]<", Some(2)),
            ("\u{FFFD}\u{F900}<", Some(6)),
            ("\u{FFFE}<", None),
            ("\u{FFFF}<", None),
            ("\u{1}<", None),
            ("long enough to be more than one vector wide \u{1F600}<", Some(48)),
        ] {
            assert_eq!(plain_text(text.as_bytes()), length, "{text:?}");
        }
    }
}
