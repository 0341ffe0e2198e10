//! [`Heads`]: whether what was read is a small request in the plainest form.

use std::mem::MaybeUninit;
use std::ops::Range;

use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, EXPECT, TRANSFER_ENCODING, UPGRADE};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Uri, Version};

use crate::server::exchange::Peer;
use crate::server::options::ServerOptions;
use crate::server::service::ServerRequest;

/// Room for the first bytes of a request.
pub(super) const BYTES_FIRST: usize = 16 << 10;
/// The largest body that is taken.
const BODY_BYTES: usize = 64 << 10;
/// The most header fields.
const FIELDS: usize = 48;

/// What was read, looked at.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// A whole request, whose head is that of [`Heads::request`], and where its body is.
    Small(Range<usize>),
    /// Not yet: at least so many bytes are still to come.
    More(usize),
    /// Nothing for here.
    Other,
}

/// The heads of one connection's requests, of which each is mostly the same as the last.
pub(super) struct Heads {
    peer: Peer,
    last: Option<Known>,
}

/// A head that was taken apart.
struct Known {
    bytes: Bytes,
    /// That of the body.
    length: usize,
    request: ServerRequest,
}

impl Heads {
    pub(super) fn new(peer: Peer) -> Heads {
        Heads { peer, last: None }
    }

    /// The request that was found last, with a body, which is alone.
    pub(super) fn request(&mut self, body: Bytes) -> Option<&ServerRequest> {
        let known = self.last.as_mut()?;
        known.request.body = body;
        Some(&known.request)
    }

    /// Looks for a POST in HTTP/1.1 whose length is said once and in full, and that asks for nothing of the
    /// connection and nothing before its body. All else is for hyper, which is right about everything that can
    /// be said of it.
    pub(super) fn look(&mut self, bytes: &[u8], options: &ServerOptions) -> Look {
        if bytes.is_empty() {
            return Look::More(1);
        }
        let known = self.last.take().filter(|last| bytes.starts_with(&last.bytes));
        let found = known.map_or_else(|| self.take_apart(bytes, options), Ok);
        match found {
            Ok(known) => {
                let start = known.bytes.len();
                let end = start + known.length;
                self.last = Some(known);
                match bytes.len() < end {
                    true => Look::More(end - bytes.len()),
                    false => Look::Small(start..end),
                }
            }
            Err(look) => look,
        }
    }

    fn take_apart(&self, bytes: &[u8], options: &ServerOptions) -> Result<Known, Look> {
        let mut fields = [const { MaybeUninit::uninit() }; FIELDS];
        let mut request = httparse::Request::new(&mut []);
        let start = match request.parse_with_uninit_headers(bytes, &mut fields) {
            Ok(httparse::Status::Complete(start)) => start,
            Ok(httparse::Status::Partial) if bytes.len() < BYTES_FIRST => return Err(Look::More(1)),
            Ok(httparse::Status::Partial) | Err(_) => return Err(Look::Other),
        };
        let is_plain = request.method == Some("POST") && request.version == Some(1);
        if !is_plain || start > options.header_bytes_max {
            return Err(Look::Other);
        }
        let length = length(request.headers).filter(|length| *length <= BODY_BYTES);
        let length = length.filter(|length| *length as u64 <= options.body_bytes_max);
        let length = length.ok_or(Look::Other)?;
        let head = Bytes::copy_from_slice(&bytes[..start]);
        let parts = parts(&request, &head, bytes).ok_or(Look::Other)?;
        Ok(Known {
            bytes: head,
            length,
            request: ServerRequest::direct(parts, &self.peer),
        })
    }
}

/// The length of the body, unless a field says something else of the message or of the connection.
fn length(fields: &[httparse::Header<'_>]) -> Option<usize> {
    let mut length = None;
    for field in fields {
        let is = |name: &HeaderName| field.name.eq_ignore_ascii_case(name.as_str());
        match field.name.len() {
            14 if is(&CONTENT_LENGTH) => {
                let digits = std::str::from_utf8(field.value).ok()?;
                let plain =
                    length.is_none() && digits.len() <= 9 && digits.bytes().all(|b| b.is_ascii_digit());
                length = Some(plain.then(|| digits.parse().ok()).flatten()?);
            }
            10 if is(&CONNECTION) && !field.value.eq_ignore_ascii_case(b"keep-alive") => return None,
            17 if is(&TRANSFER_ENCODING) => return None,
            16 if is(&CONTENT_ENCODING) => return None,
            6 if is(&EXPECT) => return None,
            7 if is(&UPGRADE) => return None,
            _ => {}
        }
    }
    length
}

/// The head as the service takes it. Its fields are slices of `copy`, which is one of what begins `bytes`.
fn parts(request: &httparse::Request<'_, '_>, copy: &Bytes, bytes: &[u8]) -> Option<Parts> {
    let slice = |part: &[u8]| {
        let start = part.as_ptr() as usize - bytes.as_ptr() as usize;
        copy.slice(start..start + part.len())
    };
    let mut headers = HeaderMap::with_capacity(request.headers.len());
    for field in request.headers.iter() {
        let name = HeaderName::from_bytes(field.name.as_bytes()).ok()?;
        let value = match field.value {
            [] => HeaderValue::from_static(""),
            value => HeaderValue::from_maybe_shared(slice(value)).ok()?,
        };
        headers.try_append(name, value).ok()?;
    }
    let uri = match request.path? {
        "/" => Uri::from_static("/"),
        path => Uri::from_maybe_shared(slice(path.as_bytes())).ok()?,
    };
    let (mut head, ()) = Request::new(()).into_parts();
    (head.method, head.uri, head.version, head.headers) = (Method::POST, uri, Version::HTTP_11, headers);
    Some(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(fields: &str, body: &str) -> Vec<u8> {
        format!("POST /a?b=c HTTP/1.1\r\nHost: x\r\n{fields}\r\n{body}").into_bytes()
    }

    fn heads() -> Heads {
        Heads::new(Peer::plain(([127, 0, 0, 1], 1).into()))
    }

    fn look(bytes: &[u8]) -> Look {
        heads().look(bytes, &ServerOptions::default())
    }

    #[test]
    fn a_plain_request_is_taken_and_what_follows_is_left() {
        let fields = "Content-Length: 4\r\nSOAPAction: \"\"\r\nConnection: Keep-Alive\r\n";
        let bytes = request(fields, "<a/>POST");
        let mut heads = heads();
        let end = bytes.len() - 4;
        assert_eq!(
            heads.look(&bytes, &ServerOptions::default()),
            Look::Small(end - 4..end)
        );
        let request = heads.request(Bytes::from_static(b"<a/>")).expect("found");
        assert_eq!(
            (&request.method, request.query(), &request.body[..]),
            (&Method::POST, Some("b=c"), &b"<a/>"[..])
        );
        let fields: Vec<_> = request
            .headers
            .iter()
            .map(|(n, v)| (n.as_str(), v.as_bytes()))
            .collect();
        let expected: [(&str, &[u8]); 4] = [
            ("host", b"x"),
            ("content-length", b"4"),
            ("soapaction", b"\"\""),
            ("connection", b"Keep-Alive"),
        ];
        assert_eq!(fields, expected);
    }

    #[test]
    fn a_head_is_that_of_the_last_request_only_when_it_is_the_same() {
        let (mut heads, options) = (heads(), ServerOptions::default());
        let first = request("Content-Length: 4\r\nX: 1\r\n", "<a/>");
        let second = request("Content-Length: 2\r\nX: 2\r\n", "<a/>");
        for (bytes, x, length) in [
            (&first, "1", 4),
            (&first, "1", 4),
            (&second, "2", 2),
            (&first, "1", 4),
        ] {
            let Look::Small(body) = heads.look(bytes, &options) else {
                panic!("a plain request is taken");
            };
            assert_eq!(body.len(), length);
            assert_eq!(heads.request(Bytes::new()).expect("found").headers["x"], x);
            assert_eq!(heads.look(&bytes[..body.end - 1], &options), Look::More(1));
        }
        assert_eq!(heads.look(&first[..20], &options), Look::More(1));
        assert_eq!(heads.look(b"GET / HTTP/1.1\r\n\r\n", &options), Look::Other);
    }

    #[test]
    fn each_beginning_of_it_wants_more() {
        let bytes = request("Content-Length: 4\r\n", "<a/>");
        for end in 0..bytes.len() {
            let Look::More(more) = look(&bytes[..end]) else {
                panic!("{end} bytes are no request");
            };
            assert!(more >= 1 && end + more <= bytes.len());
        }
    }

    #[test]
    fn all_else_is_for_hyper() {
        let plain = "Content-Length: 4\r\n";
        for fields in [
            "",
            "Content-Length: +4\r\n",
            "Content-Length: 4, 4\r\n",
            "Content-Length: 4\r\nContent-Length: 4\r\n",
            "Content-Length: 0x4\r\n",
            "Content-Length: 99999999999999999999\r\n",
            "Content-Length: 70000\r\n",
            "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
            "Content-Length: 4\r\nExpect: 100-continue\r\n",
            "Content-Length: 4\r\nConnection: close\r\n",
            "Content-Length: 4\r\nConnection: keep-alive, upgrade\r\n",
            "Content-Length: 4\r\nUpgrade: h2c\r\n",
            "Content-Length: 4\r\nContent-Encoding: gzip\r\n",
            "Content-Length : 4\r\n",
            "Content-Length: 4\r\n folded: line\r\n",
        ] {
            let look = look(&request(fields, "<a/>"));
            assert_eq!(look, Look::Other, "{fields:?}");
        }
        for first in [
            "GET / HTTP/1.1",
            "POST / HTTP/1.0",
            "POST  / HTTP/1.1",
            "post / HTTP/1.1",
            "POST / HTTP/2.0",
        ] {
            let bytes = format!("{first}\r\n{plain}\r\n<a/>");
            let look = look(bytes.as_bytes());
            assert_eq!(look, Look::Other, "{first}");
        }
        let long = request(&format!("{plain}X: {}\r\n", "x".repeat(BYTES_FIRST)), "<a/>");
        assert!(matches!(look(&long[..BYTES_FIRST]), Look::Other));
    }
}
