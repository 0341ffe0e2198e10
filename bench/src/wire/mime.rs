//! Multipart messages (RFC 2046, 2387).

use super::attached::Part;
use crate::Outcome;

/// Between the parts of what is composed; nothing that the suite sends has it.
pub(super) const BOUNDARY: &str = "castile-bench-0b5f9e62c1d84a37";

/// The parts of a message, the envelope first.
///
/// # Errors
/// No multipart message.
pub(super) fn read(media_type: &str, body: &[u8]) -> Outcome<Vec<Part>> {
    let boundary = parameter(media_type, "boundary").ok_or("a multipart message without a boundary")?;
    let mut parts = parts(body, &boundary)?;
    let start = parameter(media_type, "start");
    let named = start.and_then(|id| parts.iter().position(|part| part.id == bare(&id)));
    match parts.is_empty() {
        true => Err("a multipart message without parts".into()),
        false => {
            parts[..=named.unwrap_or(0)].rotate_right(1);
            Ok(parts)
        }
    }
}

/// A message of these parts, the envelope first and of this media type.
pub(super) fn write(envelope_type: &str, parts: &[Part]) -> Vec<u8> {
    let mut out = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let media_type = if index == 0 {
            envelope_type
        } else {
            "application/octet-stream"
        };
        let head = format!(
            "--{BOUNDARY}\r\nContent-Type: {media_type}\r\nContent-Transfer-Encoding: binary\r\nContent-ID: <{}>\r\n\r\n",
            part.id
        );
        out.extend_from_slice(head.as_bytes());
        out.extend_from_slice(&part.body);
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
    out
}

/// A parameter of a media type, quoted or not.
pub(super) fn parameter(media_type: &str, name: &str) -> Option<String> {
    media_type.split(';').skip(1).find_map(|one| {
        let (key, value) = one.split_once('=')?;
        let value = value.trim().trim_matches('"');
        key.trim().eq_ignore_ascii_case(name).then(|| value.to_owned())
    })
}

fn parts(body: &[u8], boundary: &str) -> Outcome<Vec<Part>> {
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
            body: rest.get(head + 4..end).unwrap_or_default().to_vec(),
        });
        rest = &rest[end + closing.len()..];
    }
    Ok(parts)
}

/// An id without its brackets.
fn bare(id: &str) -> &str {
    id.trim_start_matches('<').trim_end_matches('>')
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPE: &str = "multipart/related; type=\"text/xml\"; start=\"<root>\"; boundary=\"b\"";

    #[test]
    fn the_envelope_comes_first_wherever_it_stood() {
        let body = "--b\r\nContent-ID: <1@x>\r\n\r\n\r\nraw\r\n--b\r\ncontent-id: <root>\r\n\r\n<a/>\r\n--b\r\n\r\n--b--\r\n";
        let parts = read(TYPE, body.as_bytes()).expect("parts");
        let found: Vec<(&str, &[u8])> = parts.iter().map(|part| (&*part.id, &*part.body)).collect();
        assert_eq!(found, [("root", &b"<a/>"[..]), ("1@x", b"\r\nraw"), ("", b"")]);
    }

    #[test]
    fn what_is_missing_is_an_error() {
        for (media_type, body) in [
            ("multipart/related", "--b\r\n\r\n<a/>\r\n--b--"),
            (TYPE, "nothing"),
            (TYPE, "--b--"),
            (TYPE, "--b\r\n\r\n<a/>"),
        ] {
            assert!(read(media_type, body.as_bytes()).is_err(), "{body}");
        }
    }
}
