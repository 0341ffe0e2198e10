//! Which characters stand where: productions 2 (Char), 4 (NameStartChar) and 4a (NameChar) of the
//! fifth edition, and the scans for the next byte that is not ordinary.

/// A name may start with it (ASCII only; other characters are decoded and asked).
const NAME_START: u8 = 1;
/// A name may contain it (ASCII only).
const NAME: u8 = 2;
/// Part of a character outside ASCII.
const WIDE: u8 = 32;
/// Ends a run of ordinary characters in element content.
pub(crate) const TEXT_STOP: u8 = 4;
/// Ends a run of ordinary characters in an attribute value.
pub(crate) const VALUE_STOP: u8 = 8;
/// Ends a run of ordinary characters where there is no markup: CDATA, comments, instructions.
pub(crate) const LITERAL_STOP: u8 = 16;

/// Cannot be written as such in element content.
pub(crate) const TEXT_ESCAPE: u8 = 64;
/// Cannot be written as such in an attribute value in double quotes.
pub(crate) const VALUE_ESCAPE: u8 = 128;

/// The classes of each byte. 0xEF stops every run because U+FFFE and U+FFFF start with it.
static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0u8; 256];
    let mut i = 0;
    while i < 256 {
        let b = i as u8;
        let mut class = 0;
        if b.is_ascii_alphabetic() || b == b'_' || b == b':' {
            class |= NAME_START | NAME;
        }
        if b.is_ascii_digit() || b == b'-' || b == b'.' {
            class |= NAME;
        }
        if b >= 0x80 {
            class |= WIDE;
        }
        let everywhere = (b < 0x20 && b != b'\t' && b != b'\n') || b == 0xEF;
        if everywhere || matches!(b, b'<' | b'&' | b']') {
            class |= TEXT_STOP;
        }
        if everywhere || matches!(b, b'<' | b'&' | b'"' | b'\'' | b'\t' | b'\n') {
            class |= VALUE_STOP;
        }
        if everywhere {
            class |= LITERAL_STOP;
        }
        if matches!(b, b'&' | b'<' | b'>' | b'\r') {
            class |= TEXT_ESCAPE;
        }
        if matches!(b, b'&' | b'<' | b'"' | b'\t' | b'\n' | b'\r') {
            class |= VALUE_ESCAPE;
        }
        table[i] = class;
        i += 1;
    }
    table
}

/// True for a character that XML 1.0 can carry (production 2 Char).
pub fn is_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// True for white space as XML counts it (production 3 S).
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r')
}

fn is_name_start(c: char) -> bool {
    match u32::from(c) {
        c @ 0..0x80 => CLASS[c as usize] & NAME_START != 0,
        0xC0..=0xD6 | 0xD8..=0xF6 | 0xF8..=0x2FF | 0x370..=0x37D | 0x37F..=0x1FFF => true,
        0x200C..=0x200D | 0x2070..=0x218F | 0x2C00..=0x2FEF | 0x3001..=0xD7FF => true,
        0xF900..=0xFDCF | 0xFDF0..=0xFFFD | 0x1_0000..=0xE_FFFF => true,
        _ => false,
    }
}

fn is_name_char(c: char) -> bool {
    match u32::from(c) {
        c @ 0..0x80 => CLASS[c as usize] & NAME != 0,
        0xB7 | 0x300..=0x36F | 0x203F..=0x2040 => true,
        _ => is_name_start(c),
    }
}

/// The bytes of the Name (production 5, colons included) that `text` starts with; 0 if none.
#[inline]
pub(crate) fn name_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    if bytes
        .first()
        .is_none_or(|&b| CLASS[b as usize] & (NAME_START | WIDE) == 0)
    {
        return 0;
    }
    match bytes.iter().position(|&b| CLASS[b as usize] & NAME == 0) {
        Some(end) if CLASS[bytes[end] as usize] & WIDE == 0 => end,
        None => bytes.len(),
        Some(_) => unusual_name_length(text),
    }
}

#[cold]
fn unusual_name_length(text: &str) -> usize {
    match text.chars().next() {
        Some(c) if is_name_start(c) => {}
        _ => return 0,
    }
    text.char_indices()
        .find(|&(_, c)| !is_name_char(c))
        .map_or(text.len(), |(at, _)| at)
}

/// True for a name without a colon (Namespaces in XML, production 4 NCName).
pub fn is_ncname(text: &str) -> bool {
    !text.is_empty() && name_length(text) == text.len() && !text.contains(':')
}

/// The first offset from `at` on whose byte is in class `STOP`, or the length of `bytes`.
#[inline]
pub(crate) fn stop<const STOP: u8>(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    // Most runs are short (a number): look at the first bytes one by one, then at whole blocks,
    // whose test the compiler turns into vector instructions.
    let short = rest.len().min(BLOCK);
    match rest[..short].iter().position(|&b| CLASS[b as usize] & STOP != 0) {
        Some(found) => at + found,
        None => at + short + long_stop::<STOP>(&rest[short..]),
    }
}

const BLOCK: usize = 32;

fn long_stop<const STOP: u8>(rest: &[u8]) -> usize {
    let plain_stop = |bytes: &[u8]| bytes.iter().position(|&b| CLASS[b as usize] & STOP != 0);
    let (blocks, tail) = rest.as_chunks::<BLOCK>();
    for (i, block) in blocks.iter().enumerate() {
        if any_suspect::<STOP>(block)
            && let Some(found) = plain_stop(block)
        {
            return i * BLOCK + found;
        }
    }
    rest.len() - tail.len() + plain_stop(tail).unwrap_or(tail.len())
}

/// Of a fixed length and without a branch, which is what makes it vector instructions.
#[inline]
fn any_suspect<const STOP: u8>(block: &[u8; BLOCK]) -> bool {
    block.iter().fold(0, |any, &b| any | u8::from(suspect::<STOP>(b))) != 0
}

/// True at least for every byte of class `STOP`, by comparisons that vectorise.
#[inline(always)]
fn suspect<const STOP: u8>(b: u8) -> bool {
    let everywhere = (b < 0x20) | (b == 0xEF);
    match STOP {
        TEXT_STOP => everywhere | (b == b'<') | (b == b'&') | (b == b']'),
        TEXT_ESCAPE => (b == b'\r') | (b == b'&') | (b == b'<') | (b == b'>'),
        VALUE_ESCAPE => (b < 0x20) | (b == b'&') | (b == b'<') | (b == b'"'),
        VALUE_STOP => everywhere | (b == b'<') | (b == b'&') | (b == b'"') | (b == b'\''),
        _ => everywhere,
    }
}

/// True at least for every byte of a text that cannot stand as it is in element content, by comparisons
/// that vectorise.
#[inline(always)]
pub(crate) fn cannot_stand(b: u8) -> bool {
    suspect::<LITERAL_STOP>(b) | suspect::<TEXT_ESCAPE>(b)
}

/// The character at `at`, if XML 1.0 cannot carry it. `at` is where a run stopped.
pub(crate) fn illegal_at(text: &str, at: usize) -> Option<char> {
    let c = text.get(at..)?.chars().next()?;
    (!is_char(c)).then_some(c)
}

/// The first character of `text` that XML 1.0 cannot carry, and its offset.
pub(crate) fn first_illegal(text: &str) -> Option<(usize, char)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        at = stop::<LITERAL_STOP>(bytes, at);
        match bytes.get(at)? {
            0xEF => match illegal_at(text, at) {
                Some(c) => return Some((at, c)),
                None => at += 3,
            },
            b'\r' => at += 1,
            &b => return Some((at, char::from(b))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(name_length("a:b-1.2 c"), 7);
        assert_eq!(name_length("-a"), 0);
        assert_eq!(name_length(""), 0);
        assert_eq!(name_length("naïve>"), 6);
        assert_eq!(name_length("\u{B7}a"), 0);
        assert_eq!(name_length("a\u{B7}\u{D7}"), 3);
        assert!(is_ncname("é-1") && !is_ncname("a:b") && !is_ncname("") && !is_ncname("1"));
    }

    #[test]
    fn a_run_stops_where_a_plain_scan_stops() {
        for length in 0..100usize {
            for stopper in [b'<', b'>', b'&', b']', b'\r', 0, 0x1F, b'\n', b'"', b'\'', b'\t'] {
                for place in 0..length {
                    let mut bytes = vec![b'x'; length];
                    bytes[place] = stopper;
                    let plain = |class| {
                        bytes
                            .iter()
                            .position(|&b| CLASS[b as usize] & class != 0)
                            .unwrap_or(length)
                    };
                    assert_eq!(stop::<TEXT_STOP>(&bytes, 0), plain(TEXT_STOP));
                    assert_eq!(stop::<VALUE_STOP>(&bytes, 0), plain(VALUE_STOP));
                    assert_eq!(stop::<LITERAL_STOP>(&bytes, 0), plain(LITERAL_STOP));
                    assert_eq!(stop::<TEXT_ESCAPE>(&bytes, 0), plain(TEXT_ESCAPE));
                    assert_eq!(stop::<VALUE_ESCAPE>(&bytes, 0), plain(VALUE_ESCAPE));
                }
            }
        }
    }

    #[test]
    fn illegal_characters_are_found() {
        assert_eq!(first_illegal("a\tb\r\nc\u{FFFD}"), None);
        assert_eq!(first_illegal("ab\u{FFFE}"), Some((2, '\u{FFFE}')));
        assert_eq!(first_illegal("\u{FF01}\u{1}"), Some((3, '\u{1}')));
    }
}
