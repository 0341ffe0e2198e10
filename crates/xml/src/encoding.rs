//! Bytes to text: which encoding they are in (XML 1.0, 4.3.3 and appendix F; RFC 7303, 3), and
//! checking and transcoding them.

use std::borrow::Cow;

use encoding_rs::{DecoderResult, Encoding};

use crate::error::Error;

/// The text that `bytes` encode, without its byte order mark; borrowed where it is UTF-8 already.
///
/// `charset` is what the transport says (the HTTP parameter `charset`), and it wins over the XML
/// declaration. Without it a byte order mark decides, then the pattern of the first bytes, then the
/// declaration, if it ends within the first 1024 bytes, then UTF-8. Known are UTF-8, UTF-16 (either
/// order), US-ASCII, ISO-8859-1 and the encodings of the WHATWG Encoding Standard by their labels there.
///
/// ```
/// let text = castile_xml::to_utf8(b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xE9</a>", None)?;
/// assert!(text.ends_with("<a>é</a>"));
/// # Ok::<(), castile_xml::Error>(())
/// ```
///
/// # Errors
/// An unknown encoding; a charset or declaration that a byte order mark or the first bytes
/// contradict; bytes that are not what the encoding allows, at their offset in `bytes`.
pub fn to_utf8<'a>(bytes: &'a [u8], charset: Option<&str>) -> Result<Cow<'a, str>, Error> {
    let (found, mark_bytes) = charset_of(bytes, charset)?;
    found.decode(bytes.get(mark_bytes..).unwrap_or_default(), mark_bytes)
}

/// The bytes in which an XML declaration is looked for, whether more are there or not: so a document that
/// comes in pieces need not wait for more of them to have its encoding.
pub(crate) const HEAD_BYTES_MAX: usize = 1024;

/// The encoding of a document that begins with `head`, and the length of its byte order mark. The head
/// has the XML declaration if there is one, or [`HEAD_BYTES_MAX`] bytes at least.
pub(crate) fn charset_of(head: &[u8], charset: Option<&str>) -> Result<(Charset, usize), Error> {
    let head = head.get(..HEAD_BYTES_MAX).unwrap_or(head);
    let seen = Seen::look(head)?;
    let body = head.get(seen.mark_bytes..).unwrap_or_default();
    let named = charset.map(|label| label.trim_matches([' ', '\t', '"', '\'']));
    let charset = match named.filter(|label| !label.is_empty()) {
        Some(label) => seen.agree(Charset::named(label)?, label)?,
        None if seen.charset.is_some_and(Charset::is_utf16) => seen.charset.unwrap_or(Charset::Utf8),
        None => match declared(body) {
            Some((at, label)) => {
                let at = seen.mark_bytes + at;
                let charset = Charset::named(label).map_err(|e| at_offset(&e, at))?;
                seen.agree(charset, label).map_err(|e| at_offset(&e, at))?
            }
            None => Charset::Utf8,
        },
    };
    if named.is_none()
        && charset.is_utf16()
        && let Some(end) = memchr::memchr(b'>', body)
    {
        // Of the declaration, both bytes of its last character.
        let declaration = body.get(..(end + 2) & !1).unwrap_or(body);
        if let Ok(text) = charset.decode(declaration, seen.mark_bytes) {
            check_wide_declaration(&text, seen.mark_bytes)?;
        }
    }
    Ok((charset, seen.mark_bytes))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Charset {
    Utf8,
    Ascii,
    Latin1,
    Utf16Le,
    Utf16Be,
    /// UTF-16 whose order the bytes themselves have to tell.
    Utf16,
    Other(&'static Encoding),
}

impl Charset {
    fn named(label: &str) -> Result<Charset, Error> {
        if label.eq_ignore_ascii_case("utf-8") {
            return Ok(Charset::Utf8);
        }
        Ok(match label.to_ascii_lowercase().as_str() {
            "utf8" => Charset::Utf8,
            "us-ascii" | "ascii" | "ansi_x3.4-1968" | "iso646-us" => Charset::Ascii,
            "iso-8859-1" | "iso_8859-1" | "iso8859-1" | "latin1" | "l1" => Charset::Latin1,
            "utf-16" | "iso-10646-ucs-2" => Charset::Utf16,
            "utf-16le" => Charset::Utf16Le,
            "utf-16be" => Charset::Utf16Be,
            _ => match Encoding::for_label_no_replacement(label.as_bytes()) {
                Some(encoding) if encoding != encoding_rs::X_USER_DEFINED => Charset::Other(encoding),
                _ => {
                    let label = crate::error::shortened(label);
                    return Err(Error::encoding(0, format!("unknown encoding {label}")));
                }
            },
        })
    }

    /// What decodes it step by step, with its name; `None` where no state is needed.
    pub(crate) fn decoder(self) -> Option<(encoding_rs::Decoder, &'static str)> {
        let encoding = match self {
            Charset::Utf8 | Charset::Ascii | Charset::Latin1 => return None,
            Charset::Utf16Le => encoding_rs::UTF_16LE,
            Charset::Utf16Be | Charset::Utf16 => encoding_rs::UTF_16BE,
            Charset::Other(encoding) => encoding,
        };
        Some((encoding.new_decoder_without_bom_handling(), encoding.name()))
    }

    fn is_utf16(self) -> bool {
        matches!(self, Charset::Utf16 | Charset::Utf16Le | Charset::Utf16Be)
    }

    fn decode(self, body: &[u8], skipped: usize) -> Result<Cow<'_, str>, Error> {
        match self {
            Charset::Utf8 => utf8(body, skipped),
            Charset::Ascii => match Encoding::ascii_valid_up_to(body) {
                length if length == body.len() => utf8(body, skipped),
                at => Err(Error::encoding(skipped + at, "a byte is not US-ASCII")),
            },
            Charset::Latin1 => Ok(encoding_rs::mem::decode_latin1(body)),
            Charset::Utf16Le => transcode(encoding_rs::UTF_16LE, body, skipped),
            Charset::Utf16Be | Charset::Utf16 => transcode(encoding_rs::UTF_16BE, body, skipped),
            Charset::Other(encoding) => transcode(encoding, body, skipped),
        }
    }
}

/// What the first bytes show.
#[derive(Debug, Clone, Copy)]
struct Seen {
    mark_bytes: usize,
    /// UTF-8 only if marked; UTF-16 also by the pattern of `<`.
    charset: Option<Charset>,
}

impl Seen {
    fn look(bytes: &[u8]) -> Result<Seen, Error> {
        let (mark_bytes, charset) = match bytes {
            [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] | [0, 0, 0, b'<', ..] | [b'<', 0, 0, 0, ..] => {
                return Err(Error::encoding(0, "UTF-32 is not supported"));
            }
            [0x4C, 0x6F, 0xA7, 0x94, ..] => {
                return Err(Error::encoding(0, "EBCDIC is not supported"));
            }
            [0xEF, 0xBB, 0xBF, ..] => (3, Some(Charset::Utf8)),
            [0xFF, 0xFE, ..] => (2, Some(Charset::Utf16Le)),
            [0xFE, 0xFF, ..] => (2, Some(Charset::Utf16Be)),
            [b'<', 0, ..] => (0, Some(Charset::Utf16Le)),
            [0, b'<', ..] => (0, Some(Charset::Utf16Be)),
            _ => (0, None),
        };
        Ok(Seen { mark_bytes, charset })
    }

    /// The encoding to use, given the one that is named.
    fn agree(self, named: Charset, label: &str) -> Result<Charset, Error> {
        match (self.charset, named) {
            (Some(seen), Charset::Utf16) if seen.is_utf16() => Ok(seen),
            (Some(seen), _) if seen == named => Ok(seen),
            (None, Charset::Utf16 | Charset::Utf16Le | Charset::Utf16Be) | (Some(_), _) => {
                let label = crate::error::shortened(label);
                let what = format!("the first bytes contradict the encoding {label}");
                Err(Error::encoding(0, what))
            }
            (None, _) => Ok(named),
        }
    }
}

/// The encoding that an XML declaration in an ASCII-compatible encoding names, and where.
fn declared(body: &[u8]) -> Option<(usize, &str)> {
    const NAME: &[u8] = b"encoding";
    let inside = body.strip_prefix(b"<?xml")?;
    let end = memchr::memchr(b'>', inside)?;
    let inside = inside.get(..end)?;
    let name = memchr::memmem::find(inside, NAME)?;
    if !inside
        .get(..name)?
        .last()
        .is_some_and(|&b| crate::chars::is_space(b))
    {
        return None;
    }
    let rest = inside.get(name + NAME.len()..)?.trim_ascii_start();
    let rest = rest.strip_prefix(b"=")?.trim_ascii_start();
    let quote = *rest.first().filter(|q| matches!(q, b'"' | b'\''))?;
    let rest = rest.get(1..)?;
    let label = rest.get(..memchr::memchr(quote, rest)?)?;
    let at = "<?xml".len() + end - rest.len();
    Some((at, std::str::from_utf8(label).ok()?))
}

/// A UTF-16 text cannot declare that it is in an encoding of bytes.
fn check_wide_declaration(text: &str, skipped: usize) -> Result<(), Error> {
    match declared(text.as_bytes()) {
        Some((at, label)) if !Charset::named(label).is_ok_and(Charset::is_utf16) => {
            let label = crate::error::shortened(label);
            let what = format!("UTF-16 contradicts the declared encoding {label}");
            let units = text.get(..at).map_or(at, |before| before.encode_utf16().count());
            Err(Error::encoding(skipped + 2 * units, what))
        }
        _ => Ok(()),
    }
}

fn at_offset(error: &Error, offset: usize) -> Error {
    Error::new(error.kind().clone(), offset)
}

/// What of the bytes is UTF-8, up to the first that is not or was cut off.
pub fn utf8_prefix(bytes: &[u8]) -> &str {
    simdutf8::basic::from_utf8(bytes).unwrap_or_else(|_| {
        let valid = bytes.get(..Encoding::utf8_valid_up_to(bytes)).unwrap_or_default();
        std::str::from_utf8(valid).unwrap_or_default()
    })
}

fn utf8(body: &[u8], skipped: usize) -> Result<Cow<'_, str>, Error> {
    match simdutf8::basic::from_utf8(body) {
        Ok(text) => Ok(Cow::Borrowed(text)),
        Err(_) => {
            let at = Encoding::utf8_valid_up_to(body);
            Err(Error::encoding(skipped + at, "the bytes are not UTF-8"))
        }
    }
}

fn transcode<'a>(encoding: &'static Encoding, body: &'a [u8], skipped: usize) -> Result<Cow<'a, str>, Error> {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut text = String::with_capacity(body.len().saturating_add(body.len() / 2));
    let mut read = 0;
    loop {
        let rest = body.get(read..).unwrap_or_default();
        let (result, more) = decoder.decode_to_string_without_replacement(rest, &mut text, true);
        read += more;
        match result {
            DecoderResult::InputEmpty => return Ok(Cow::Owned(text)),
            DecoderResult::OutputFull => text.reserve(rest.len().max(64)),
            DecoderResult::Malformed(bad, after) => {
                let at = read.saturating_sub(usize::from(bad) + usize::from(after));
                let what = format!("the bytes are not {}", encoding.name());
                return Err(Error::encoding(skipped + at, what));
            }
        }
    }
}
