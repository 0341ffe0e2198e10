//! What of HTTP/1.1 the harness needs: heads, and where bodies end.

use std::io::{Error, ErrorKind, Read};

/// Heads are shorter than this.
const HEAD_BYTES_MAX: usize = 64 << 10;

/// A message's head, and what came behind it already.
#[derive(Debug, Default)]
pub(crate) struct Head {
    pub(crate) first: String,
    fields: Vec<(String, String)>,
    /// Bytes of the head on the wire.
    pub(crate) bytes: usize,
}

/// How the end of a body is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    Known(usize),
    Chunked,
    UntilClose,
}

impl Head {
    /// Reads up to the empty line. `Ok(None)` when the peer closed before the first byte. What was read beyond it is left in `rest`.
    pub(crate) fn read(stream: &mut impl Read, rest: &mut Vec<u8>) -> std::io::Result<Option<Head>> {
        let mut buffer = [0; 16 << 10];
        loop {
            if let Some(end) = rest.windows(4).position(|w| w == b"\r\n\r\n") {
                let text = String::from_utf8_lossy(&rest[..end]).into_owned();
                rest.drain(..end + 4);
                return Ok(Some(Head::parse(&text, end + 4)));
            }
            if rest.len() > HEAD_BYTES_MAX {
                return Err(bad("the head never ends"));
            }
            match stream.read(&mut buffer)? {
                0 if rest.is_empty() => return Ok(None),
                0 => return Err(ErrorKind::UnexpectedEof.into()),
                n => rest.extend_from_slice(&buffer[..n]),
            }
        }
    }

    fn parse(text: &str, bytes: usize) -> Head {
        let mut lines = text.split("\r\n");
        let first = lines.next().unwrap_or_default().to_owned();
        let fields = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        Head { first, fields, bytes }
    }

    /// The value of a field; its name in lower case.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.fields
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, value)| &**value)
    }

    fn says(&self, name: &str, word: &str) -> bool {
        self.field(name).is_some_and(|value| {
            value
                .split(',')
                .any(|part| part.trim().eq_ignore_ascii_case(word))
        })
    }

    /// Whether the peer keeps the connection.
    pub(crate) fn keeps(&self) -> bool {
        match self.first.contains("HTTP/1.0") {
            true => self.says("connection", "keep-alive"),
            false => !self.says("connection", "close"),
        }
    }

    /// Whether the peer waits for `100 Continue`.
    pub(crate) fn expects(&self) -> bool {
        self.says("expect", "100-continue")
    }

    /// Where the body ends; `request` when this is one.
    pub(crate) fn length(&self, request: bool) -> std::io::Result<Length> {
        if self.says("transfer-encoding", "chunked") {
            return Ok(Length::Chunked);
        }
        match self.field("content-length") {
            Some(text) => text.parse().map(Length::Known).map_err(|_| bad("no length")),
            None if request => Ok(Length::Known(0)),
            None => Ok(Length::UntilClose),
        }
    }
}

/// Reads a body to its end; `rest` holds what came already and keeps what comes behind. Bytes go to `keep` if it is there.
/// Gives the bytes on the wire.
pub(crate) fn body(
    stream: &mut impl Read,
    rest: &mut Vec<u8>,
    length: Length,
    mut keep: Option<&mut Vec<u8>>,
    buffer: &mut [u8],
) -> std::io::Result<usize> {
    match length {
        Length::Known(length) => {
            take(stream, rest, length, keep.as_deref_mut(), buffer)?;
            Ok(length)
        }
        Length::UntilClose => {
            let mut count = rest.len();
            if let Some(keep) = keep.as_deref_mut() {
                keep.append(rest);
            }
            rest.clear();
            loop {
                let n = stream.read(buffer)?;
                if n == 0 {
                    return Ok(count);
                }
                count += n;
                if let Some(keep) = keep.as_deref_mut() {
                    keep.extend_from_slice(&buffer[..n]);
                }
            }
        }
        Length::Chunked => {
            let mut count = 0;
            loop {
                let line = line(stream, rest)?;
                count += line.len() + 2;
                let size = line.split(';').next().unwrap_or_default().trim();
                let size = usize::from_str_radix(size, 16).map_err(|_| bad("no length of a chunk"))?;
                take(stream, rest, size, keep.as_deref_mut(), buffer)?;
                count += size;
                if size > 0 {
                    count += self::line(stream, rest)?.len() + 2;
                    continue;
                }
                // Trailers, up to an empty line.
                loop {
                    let trailer = self::line(stream, rest)?;
                    count += trailer.len() + 2;
                    if trailer.is_empty() {
                        return Ok(count);
                    }
                }
            }
        }
    }
}

/// Exactly `left` bytes, first from `rest`.
fn take(
    stream: &mut impl Read,
    rest: &mut Vec<u8>,
    mut left: usize,
    mut keep: Option<&mut Vec<u8>>,
    buffer: &mut [u8],
) -> std::io::Result<()> {
    let ready = left.min(rest.len());
    if let Some(keep) = keep.as_deref_mut() {
        keep.extend_from_slice(&rest[..ready]);
    }
    rest.drain(..ready);
    left -= ready;
    while left > 0 {
        // No further than the body: what is behind belongs to the next line.
        let room = buffer.len().min(left);
        let n = stream.read(&mut buffer[..room])?;
        if n == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        if let Some(keep) = keep.as_deref_mut() {
            keep.extend_from_slice(&buffer[..n]);
        }
        left -= n;
    }
    Ok(())
}

fn line(stream: &mut impl Read, rest: &mut Vec<u8>) -> std::io::Result<String> {
    let mut buffer = [0; 4096];
    loop {
        if let Some(end) = rest.windows(2).position(|w| w == b"\r\n") {
            let text = String::from_utf8_lossy(&rest[..end]).into_owned();
            rest.drain(..end + 2);
            return Ok(text);
        }
        if rest.len() > HEAD_BYTES_MAX {
            return Err(bad("a line never ends"));
        }
        match stream.read(&mut buffer)? {
            0 => return Err(ErrorKind::UnexpectedEof.into()),
            n => rest.extend_from_slice(&buffer[..n]),
        }
    }
}

/// The peer broke a rule.
pub(crate) fn bad(why: &str) -> Error {
    Error::new(ErrorKind::InvalidData, why.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(message: &str, request: bool) -> (Vec<u8>, usize, Vec<u8>) {
        // One byte a read: nothing may depend on how the bytes come.
        let mut stream = Slow(message.as_bytes());
        let (mut rest, mut kept) = (Vec::new(), Vec::new());
        let head = Head::read(&mut stream, &mut rest)
            .expect("a head")
            .expect("not closed");
        let length = head.length(request).expect("a length");
        let mut buffer = [0; 7];
        let wire = body(&mut stream, &mut rest, length, Some(&mut kept), &mut buffer).expect("a body");
        (kept, wire, rest)
    }

    struct Slow<'t>(&'t [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let Some((first, rest)) = self.0.split_first() else {
                return Ok(0);
            };
            buffer[0] = *first;
            self.0 = rest;
            Ok(1)
        }
    }

    #[test]
    fn bodies_end_where_http_says() {
        let (kept, wire, _) = whole("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", true);
        assert_eq!((kept.as_slice(), wire), (&b"abc"[..], 3));
        let (kept, _, _) = whole(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
            false,
        );
        assert_eq!(kept, b"abcde");
        let (kept, _, _) = whole("HTTP/1.0 200 OK\r\n\r\nall of it", false);
        assert_eq!(kept, b"all of it");
    }

    #[test]
    fn who_keeps_a_connection() {
        let keeps = |text: &str| Head::parse(text, 0).keeps();
        assert!(keeps("HTTP/1.1 200 OK"));
        assert!(!keeps("HTTP/1.1 200 OK\r\nConnection: close"));
        assert!(!keeps("POST / HTTP/1.0"));
        assert!(keeps("POST / HTTP/1.0\r\nConnection: Keep-Alive"));
    }
}
