//! MIME multipart messages (RFC 2046, 5.1; RFC 2387): an envelope with parts beside it.

use std::fmt;

use memchr::memmem;

/// One part of a multipart message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part<'m> {
    /// Header fields in order: names in lower case, values unfolded.
    pub headers: Vec<(String, String)>,
    /// The content, as it stands: its transfer encoding is not undone.
    pub content: &'m [u8],
}

/// What is wrong with a multipart message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MimeError {
    /// The boundary does not stand in it.
    NoParts,
    /// The last boundary is missing: something was cut off.
    Truncated,
    /// A part's header has no end, or is longer than [`HEADER_BYTES_MAX`].
    Header,
    /// There are more parts than [`PARTS_MAX`].
    TooMany,
}

/// Parts that a message may have.
pub const PARTS_MAX: usize = 1000;
/// Bytes that the header of a part may have.
pub const HEADER_BYTES_MAX: usize = 16 << 10;

impl<'m> Part<'m> {
    /// The value of a header field, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, v)| v.as_str())
    }

    /// The content id without its angle brackets (RFC 2392).
    pub fn content_id(&self) -> Option<&str> {
        let id = self.header("content-id")?.trim();
        Some(
            id.strip_prefix('<')
                .and_then(|id| id.strip_suffix('>'))
                .unwrap_or(id),
        )
    }
}

/// Takes a message apart at its boundary.
///
/// ```
/// let body = b"--b\r\nContent-ID: <x>\r\n\r\nhello\r\n--b--\r\n";
/// let parts = castile_message::parts(body, "b")?;
/// assert_eq!((parts[0].content_id(), parts[0].content), (Some("x"), &b"hello"[..]));
/// # Ok::<(), castile_message::MimeError>(())
/// ```
///
/// # Errors
/// Not what RFC 2046 says, or beyond a limit.
pub fn parts<'m>(body: &'m [u8], boundary: &str) -> Result<Vec<Part<'m>>, MimeError> {
    let delimiter = format!("--{boundary}").into_bytes();
    let mut parts = Vec::new();
    let mut next = delimited(body, 0, &delimiter).ok_or(MimeError::NoParts)?;
    while !next.last {
        if parts.len() == PARTS_MAX {
            return Err(MimeError::TooMany);
        }
        let end = delimited(body, next.after, &delimiter).ok_or(MimeError::Truncated)?;
        // Of a part without content, the line that its boundary begins with is the header's end.
        let inside = body
            .get(next.after..end.before.max(next.after))
            .unwrap_or_default();
        parts.push(part(inside)?);
        next = end;
    }
    Ok(parts)
}

/// Undoes quoted-printable (RFC 2045, 6.7); what is no escape is left as it is.
pub fn unquote_printable(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'=' {
            out.push(*first);
            continue;
        }
        match tail {
            [b'\r', b'\n', after @ ..] | [b'\n', after @ ..] => rest = after,
            [a, b, after @ ..] => match (hex(*a), hex(*b)) {
                (Some(high), Some(low)) => {
                    out.push(high << 4 | low);
                    rest = after;
                }
                _ => out.push(b'='),
            },
            _ => out.push(b'='),
        }
    }
    out
}

/// Where a boundary stands.
struct Boundary {
    /// The end of what stands before it, without its line end.
    before: usize,
    /// Behind its line.
    after: usize,
    /// Whether it is the last one.
    last: bool,
}

/// The next boundary at the start of a line.
fn delimited(body: &[u8], from: usize, delimiter: &[u8]) -> Option<Boundary> {
    let finder = memmem::Finder::new(delimiter);
    let mut at = from;
    loop {
        at += finder.find(body.get(at..)?)?;
        let behind = at + delimiter.len();
        if let Some(before) = line_start(body, at).filter(|_| at >= from)
            && let Some((after, last)) = line_end(body, behind)
        {
            return Some(Boundary { before, after, last });
        }
        at = behind;
    }
}

/// Where the line before ends, when a line starts here.
fn line_start(body: &[u8], at: usize) -> Option<usize> {
    match body.get(..at)? {
        [] => Some(0),
        [.., b'\r', b'\n'] => Some(at - 2),
        [.., b'\n'] => Some(at - 1),
        _ => None,
    }
}

/// Behind the line end that follows a boundary and white space; whether the boundary is the last.
fn line_end(body: &[u8], at: usize) -> Option<(usize, bool)> {
    let mut rest = body.get(at..)?;
    let last = rest.starts_with(b"--");
    if last {
        return Some((at, true));
    }
    while let [b' ' | b'\t', tail @ ..] = rest {
        rest = tail;
    }
    match rest {
        [b'\r', b'\n', tail @ ..] | [b'\n', tail @ ..] => Some((body.len() - tail.len(), last)),
        _ => None,
    }
}

fn part(inside: &[u8]) -> Result<Part<'_>, MimeError> {
    let mut headers: Vec<(String, String)> = Vec::new();
    let mut rest = inside;
    loop {
        let (line, tail) = match memchr::memchr(b'\n', rest) {
            Some(end) => rest.split_at(end + 1),
            // A header of lines alone: the part is empty.
            None => (rest, &rest[rest.len()..]),
        };
        if inside.len() - tail.len() > HEADER_BYTES_MAX {
            return Err(MimeError::Header);
        }
        let is_end = rest.is_empty();
        rest = tail;
        let line = String::from_utf8_lossy(line);
        let text = line.trim_end_matches(['\r', '\n']);
        if text.is_empty() || is_end {
            let content = rest;
            return Ok(Part { headers, content });
        }
        match (
            text.starts_with([' ', '\t']),
            headers.last_mut(),
            text.split_once(':'),
        ) {
            (true, Some((_, value)), _) => {
                value.push(' ');
                value.push_str(text.trim());
            }
            (false, _, Some((name, value))) => {
                headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
            }
            _ => return Err(MimeError::Header),
        }
    }
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte)
        .to_digit(16)
        .and_then(|digit| u8::try_from(digit).ok())
}

impl fmt::Display for MimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MimeError::NoParts => f.write_str("the boundary does not stand in the message"),
            MimeError::Truncated => f.write_str("the last boundary is missing"),
            MimeError::Header => {
                f.write_str("the header of a part is malformed, or longer than HEADER_BYTES_MAX")
            }
            MimeError::TooMany => write!(f, "there are more than PARTS_MAX = {PARTS_MAX} parts"),
        }
    }
}

impl std::error::Error for MimeError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_taken_apart() {
        let body = b"preamble\r\n--b \r\nContent-Type: text/xml;\r\n\tcharset=utf-8\r\n\r\n<a/>--b\r\n\r\n--b\n\nx\n--b\r\nA: b\r\n\r\n\r\n--b--\r\nepilogue";
        let parts = parts(body, "b").unwrap();
        let contents: Vec<&[u8]> = parts.iter().map(|p| p.content).collect();
        assert_eq!(contents, [&b"<a/>--b\r\n"[..], b"x", b""]);
        assert_eq!(parts[0].header("content-type"), Some("text/xml; charset=utf-8"));
        assert_eq!(parts[1].headers, []);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (body, error) in [
            (&b""[..], MimeError::NoParts),
            (b"--c\r\n\r\nx\r\n--c--", MimeError::NoParts),
            (b"--b\r\n\r\nx", MimeError::Truncated),
            (b"--b\r\n\r\nx\r\n--b\r\n\r\n", MimeError::Truncated),
            (b"--b\r\nno colon\r\n\r\nx\r\n--b--", MimeError::Header),
        ] {
            assert_eq!(parts(body, "b"), Err(error), "{}", String::from_utf8_lossy(body));
        }
        let many = "--b\r\n\r\n\r\n".repeat(PARTS_MAX + 1) + "--b--";
        assert_eq!(parts(many.as_bytes(), "b"), Err(MimeError::TooMany));
        let long = format!("--b\r\nA: {}\r\n\r\n\r\n--b--", "x".repeat(HEADER_BYTES_MAX));
        assert_eq!(parts(long.as_bytes(), "b"), Err(MimeError::Header));
    }

    #[test]
    fn any_bytes_are_an_error_or_parts() {
        let alphabet = [&b"--b"[..], b"\r\n", b"\n", b"--", b"x: y", b" "];
        for n in 0..alphabet.len().pow(5) {
            let pick = |i: u32| alphabet[n / alphabet.len().pow(i) % alphabet.len()];
            let body: Vec<u8> = (0..5).flat_map(pick).copied().collect();
            let _ = parts(&body, "b");
        }
    }

    #[test]
    fn quoted_printable() {
        assert_eq!(unquote_printable(b"a=3Db=\r\nc=\nd=zz="), b"a=bcd=zz=");
    }
}
