//! DIME (draft-nielsen-dime-02): records, each a header of 12 bytes, then options, id, type and data, all of them filled up
//! to whole words of four bytes. The first record is the envelope (WS-Attachments, section 3).

use super::attached::Part;
use crate::Outcome;

const SOAP: &[u8] = b"http://schemas.xmlsoap.org/soap/envelope/";
const VERSION: u8 = 1;
const BEGIN: u8 = 4;
const END: u8 = 2;
const CHUNK: u8 = 1;
const TYPE_MEDIA: u8 = 1;
const TYPE_URI: u8 = 2;

/// The records of a message, chunks put together.
///
/// # Errors
/// No DIME message of version 1, or one whose first record is no envelope of SOAP 1.1.
pub(super) fn read(body: &[u8]) -> Outcome<Vec<Part>> {
    let mut parts: Vec<Part> = Vec::new();
    let (mut rest, mut goes_on) = (body, false);
    loop {
        let (record, after) = record(rest)?;
        if record.is(BEGIN) != parts.is_empty() {
            return Err("a DIME message begins at its first record".into());
        }
        if parts.is_empty() && (record.type_of, record.name) != (TYPE_URI, SOAP) {
            return Err("the first DIME record is no envelope of SOAP 1.1".into());
        }
        match (goes_on, parts.last_mut()) {
            (true, Some(part)) => part.body.extend_from_slice(record.data),
            _ => parts.push(Part {
                id: std::str::from_utf8(record.id)?.to_owned(),
                body: record.data.to_vec(),
            }),
        }
        (rest, goes_on) = (after, record.is(CHUNK));
        match (record.is(END), rest.is_empty()) {
            (true, true) if !goes_on => return Ok(parts),
            (true, _) => return Err("a DIME message ends at its last record".into()),
            _ => {}
        }
    }
}

struct Record<'b> {
    flags: u8,
    type_of: u8,
    id: &'b [u8],
    name: &'b [u8],
    data: &'b [u8],
}

impl Record<'_> {
    fn is(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// The first record, and what follows it.
fn record(bytes: &[u8]) -> Outcome<(Record<'_>, &[u8])> {
    let (head, rest) = bytes
        .split_first_chunk::<12>()
        .ok_or("a DIME record without its header")?;
    let &[first, types, o0, o1, i0, i1, t0, t1, d0, d1, d2, d3] = head;
    if first >> 3 != VERSION {
        return Err(format!("a DIME record of version {}", first >> 3).into());
    }
    let short = |high, low| usize::from(u16::from_be_bytes([high, low]));
    let (_, rest) = field(rest, short(o0, o1))?;
    let (id, rest) = field(rest, short(i0, i1))?;
    let (name, rest) = field(rest, short(t0, t1))?;
    let (data, rest) = field(rest, usize::try_from(u32::from_be_bytes([d0, d1, d2, d3]))?)?;
    let record = Record {
        flags: first & 7,
        type_of: types >> 4,
        id,
        name,
        data,
    };
    Ok((record, rest))
}

/// A field of so many bytes, and what follows what fills it up.
fn field(bytes: &[u8], length: usize) -> Outcome<(&[u8], &[u8])> {
    let field = bytes.get(..length).ok_or("a DIME record that is cut short")?;
    let rest = bytes.get(length.next_multiple_of(4)..);
    Ok((field, rest.ok_or("a DIME field that is not filled up")?))
}

/// A message of these parts, the envelope first.
///
/// # Errors
/// A part that is too long for DIME.
pub(super) fn write(parts: &[Part]) -> Outcome<Vec<u8>> {
    let mut out = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let begin = if index == 0 { BEGIN } else { 0 };
        let end = if index + 1 == parts.len() { END } else { 0 };
        let (type_of, name) = match index {
            0 => (TYPE_URI, SOAP),
            _ => (TYPE_MEDIA, &b"application/octet-stream"[..]),
        };
        out.extend_from_slice(&[(VERSION << 3) | begin | end, type_of << 4, 0, 0]);
        for length in [part.id.len(), name.len()] {
            out.extend_from_slice(&u16::try_from(length)?.to_be_bytes());
        }
        out.extend_from_slice(&u32::try_from(part.body.len())?.to_be_bytes());
        for field in [part.id.as_bytes(), name, &part.body] {
            out.extend_from_slice(field);
            out.resize(out.len().next_multiple_of(4), 0);
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(id: &str, body: &[u8]) -> Part {
        Part {
            id: id.to_owned(),
            body: body.to_vec(),
        }
    }

    fn ids_and_bodies(parts: &[Part]) -> Vec<(&str, &[u8])> {
        parts.iter().map(|part| (&*part.id, &*part.body)).collect()
    }

    #[test]
    fn what_is_written_is_read() {
        let parts = [part("", b"<e/>"), part("cid:1", b"raw\0"), part("cid:2", b"")];
        let message = write(&parts).expect("a message");
        assert_eq!(message.len() % 4, 0);
        let back = read(&message).expect("its own message");
        assert_eq!(ids_and_bodies(&back), ids_and_bodies(&parts));
    }

    /// A message of two records, the second in two chunks, set down by hand after the draft's section 2.2.
    const CHUNKED: [&[u8]; 3] = [
        b"\x0c\x20\0\0\0\0\0\x29\0\0\0\x04http://schemas.xmlsoap.org/soap/envelope/\0\0\0<e/>",
        b"\x09\x10\0\0\0\x01\0\x03\0\0\0\x05i\0\0\0a/b\0abcde\0\0\0",
        b"\x0a\0\0\0\0\0\0\0\0\0\0\x02fg\0\0",
    ];

    #[test]
    fn chunks_are_one_part() {
        let parts = read(&CHUNKED.concat()).expect("a message");
        let wanted: [(&str, &[u8]); 2] = [("", b"<e/>"), ("i", b"abcdefg")];
        assert_eq!(ids_and_bodies(&parts), wanted);
    }

    #[test]
    fn what_is_no_message_is_an_error() {
        let whole = CHUNKED.concat();
        for cut in 0..whole.len() {
            assert!(read(&whole[..cut]).is_err(), "cut after {cut} bytes");
        }
        let changed = |at: usize, byte: u8| {
            let mut bytes = whole.clone();
            bytes[at] = byte;
            read(&bytes).map(|parts| parts.len()).map_err(|e| e.to_string())
        };
        assert_eq!(changed(0, 0x14), Err("a DIME record of version 2".into()));
        assert_eq!(
            changed(0, 0x08),
            Err("a DIME message begins at its first record".into())
        );
        assert_eq!(
            changed(0, 0x0e),
            Err("a DIME message ends at its last record".into())
        );
        assert_eq!(
            changed(1, 0x10),
            Err("the first DIME record is no envelope of SOAP 1.1".into())
        );
        assert_eq!(
            read(&[&whole[..], b"\0"].concat())
                .map(|_| ())
                .map_err(|e| e.to_string()),
            Err("a DIME message ends at its last record".into())
        );
    }
}
