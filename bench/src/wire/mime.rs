//! Multipart messages (RFC 2046, 2387): the envelope, and the parts that XOP refers to put back in their places.

use base64::Engine as _;
use roxmltree::Document;

use crate::Outcome;

const XOP: &str = "http://www.w3.org/2004/08/xop/include";

/// The envelope of a message with its XOP parts as base64 in their places (XOP 1.0, 3.2).
///
/// # Errors
/// No multipart message, or a reference without its part.
pub(crate) fn inlined(media_type: &str, body: &[u8]) -> Outcome<Vec<u8>> {
    let boundary = parameter(media_type, "boundary").ok_or("a multipart message without a boundary")?;
    let parts = parts(body, &boundary)?;
    let start = parameter(media_type, "start");
    let named = start.and_then(|id| parts.iter().find(|part| part.id == bare(&id)));
    let root = named
        .or(parts.first())
        .ok_or("a multipart message without parts")?;
    let text = std::str::from_utf8(root.body)?;
    let document = Document::parse(text)?;
    let mut out = String::new();
    let mut done = 0;
    for include in document
        .descendants()
        .filter(|n| n.has_tag_name((XOP, "Include")))
    {
        let href = include
            .attribute("href")
            .and_then(|href| href.strip_prefix("cid:"));
        let id = percent_decoded(href.ok_or("a reference that is no content id")?);
        let part = parts.iter().find(|part| part.id == id);
        let part = part.ok_or_else(|| format!("no part has the id {id}"))?;
        out.push_str(&text[done..include.range().start]);
        base64::engine::general_purpose::STANDARD.encode_string(part.body, &mut out);
        done = include.range().end;
    }
    out.push_str(&text[done..]);
    Ok(out.into_bytes())
}

struct Part<'b> {
    id: String,
    body: &'b [u8],
}

fn parts<'b>(body: &'b [u8], boundary: &str) -> Outcome<Vec<Part<'b>>> {
    let delimiter = format!("--{boundary}");
    let mut parts = Vec::new();
    let first = find(body, delimiter.as_bytes()).ok_or("the boundary is not in the message")?;
    let mut rest = &body[first + delimiter.len()..];
    let closing = format!("\r\n{delimiter}");
    while !rest.starts_with(b"--") {
        let head = find(rest, b"\r\n\r\n").ok_or("a part without an end of its head")?;
        let fields = std::str::from_utf8(&rest[..head])?;
        let end = find(&rest[head + 2..], closing.as_bytes()).ok_or("a part without an end")? + head + 2;
        let mut lines = fields.lines().filter_map(|line| line.split_once(':'));
        let id = lines.find(|(name, _)| name.trim().eq_ignore_ascii_case("content-id"));
        let id = id.map_or_else(String::new, |(_, value)| bare(value.trim()).to_owned());
        parts.push(Part {
            id,
            body: rest.get(head + 4..end).unwrap_or_default(),
        });
        rest = &rest[end + closing.len()..];
    }
    Ok(parts)
}

/// An id without its brackets.
fn bare(id: &str) -> &str {
    id.trim_start_matches('<').trim_end_matches('>')
}

/// A parameter of a media type, quoted or not.
fn parameter(media_type: &str, name: &str) -> Option<String> {
    media_type.split(';').skip(1).find_map(|one| {
        let (key, value) = one.split_once('=')?;
        let value = value.trim().trim_matches('"');
        key.trim().eq_ignore_ascii_case(name).then(|| value.to_owned())
    })
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match code
            .and_then(|hex| u8::from_str_radix(hex, 16).ok())
            .filter(|_| first == b'%')
        {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPE: &str = "multipart/related; type=\"application/xop+xml\"; start=\"<root>\"; boundary=\"b\"";

    #[test]
    fn parts_come_back_to_their_places() {
        let body = "--b\r\nContent-ID: <1@x>\r\n\r\n\r\nraw\r\n--b\r\nContent-Type: application/xop+xml\r\n\
                    content-id: <root>\r\n\r\n<a><x:Include xmlns:x='http://www.w3.org/2004/08/xop/include' \
                    href='cid:1%40x'/>!</a>\r\n--b--\r\n";
        let envelope = inlined(TYPE, body.as_bytes()).expect("an envelope");
        assert_eq!(String::from_utf8(envelope).expect("text"), "<a>DQpyYXc=!</a>");
    }

    #[test]
    fn what_is_missing_is_an_error() {
        for (media_type, body) in [
            ("multipart/related", "--b\r\n\r\n<a/>\r\n--b--"),
            (TYPE, "nothing"),
            (TYPE, "--b\r\n\r\n<a/>"),
            (
                TYPE,
                "--b\r\n\r\n<x:Include xmlns:x='http://www.w3.org/2004/08/xop/include' href='cid:1'/>\r\n--b--",
            ),
        ] {
            assert!(inlined(media_type, body.as_bytes()).is_err(), "{body}");
        }
    }
}
