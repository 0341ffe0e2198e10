//! The loops: what no codec can leave out.

use crate::types::{Doubles, Event, Events, Ints, Mio, Mios, Strings};

/// Hand-written ways of one message both ways.
pub(crate) trait Loops {
    type Item;
    /// Writes all items into `out`; gives where they end.
    fn write(&self, out: &mut [u8]) -> usize;
    /// Reads the items into memory of their own.
    fn read(text: &str) -> Vec<Self::Item>;
}

const OPEN: &[u8; 10] = b"<ns1:item>";
const CLOSE: &[u8; 11] = b"</ns1:item>";

#[inline(always)]
fn put<const N: usize>(out: &mut [u8], at: usize, bytes: &[u8; N]) -> usize {
    *out[at..at + N].first_chunk_mut().expect("room for a tag") = *bytes;
    at + N
}

#[inline(always)]
fn put_double(out: &mut [u8], at: usize, v: f64) -> usize {
    let room = out[at..at + 32].first_chunk_mut().expect("room for any number");
    at + castile_lexical::write_f64(v, room)
}

#[inline(always)]
fn put_int(out: &mut [u8], at: usize, v: i32) -> usize {
    let room = out[at..at + 32].first_chunk_mut().expect("room for any number");
    at + castile_lexical::write_i32(v, room)
}

/// Scans for what cannot stand as it is, and copies.
#[inline(always)]
fn put_text(out: &mut [u8], at: usize, text: &str) -> usize {
    assert!(castile_xml::copy_plain(text, &mut out[at..]));
    at + text.len()
}

/// The text after `tag`.
#[inline(always)]
fn eat<'t, const N: usize>(text: &'t str, tag: &[u8; N]) -> Option<&'t str> {
    (text.as_bytes().first_chunk::<N>()? == tag).then_some(text.get(N..)?)
}

#[inline(always)]
fn double(text: &str) -> Option<(f64, &str)> {
    let (v, used) = fast_float2::parse_partial::<f64, _>(text.as_bytes()).ok()?;
    Some((v, text.get(used..)?))
}

#[inline(always)]
fn int(text: &str) -> Option<(i32, &str)> {
    let (v, used) = castile_lexical::prefix_i32(text.as_bytes())?;
    Some((v, text.get(used..)?))
}

#[inline(always)]
fn string(text: &str) -> Option<(String, &str)> {
    let end = memchr::memchr2(b'<', b'&', text.as_bytes())?;
    Some((text.get(..end)?.to_owned(), text.get(end..)?))
}

/// The items that `one` reads, if they are all of the text.
fn each<T>(text: &str, mut one: impl FnMut(&str) -> Option<(T, &str)>) -> Vec<T> {
    let mut values = Vec::new();
    let mut rest = text;
    while let Some((value, after)) = eat(rest, OPEN).and_then(&mut one) {
        let Some(after) = eat(after, CLOSE) else { break };
        values.push(value);
        rest = &text[text.len() - after.len()..];
    }
    if !rest.is_empty() {
        values.clear();
    }
    values
}

impl Loops for Doubles {
    type Item = f64;

    fn write(&self, out: &mut [u8]) -> usize {
        self.item.iter().fold(0, |at, v| {
            let at = put(out, at, OPEN);
            let at = put_double(out, at, *v);
            put(out, at, CLOSE)
        })
    }

    fn read(text: &str) -> Vec<f64> {
        each(text, double)
    }
}

impl Loops for Ints {
    type Item = i32;

    fn write(&self, out: &mut [u8]) -> usize {
        self.item.iter().fold(0, |at, v| {
            let at = put(out, at, OPEN);
            let at = put_int(out, at, *v);
            put(out, at, CLOSE)
        })
    }

    fn read(text: &str) -> Vec<i32> {
        each(text, int)
    }
}

impl Loops for Strings {
    type Item = String;

    fn write(&self, out: &mut [u8]) -> usize {
        self.item.iter().fold(0, |at, v| {
            let at = put(out, at, OPEN);
            let at = put_text(out, at, v);
            put(out, at, CLOSE)
        })
    }

    fn read(text: &str) -> Vec<String> {
        each(text, string)
    }
}

impl Loops for Mios {
    type Item = Mio;

    fn write(&self, out: &mut [u8]) -> usize {
        self.item.iter().fold(0, |at, mio| {
            let at = put(out, at, b"<ns1:item><ns1:x>");
            let at = put_int(out, at, mio.x);
            let at = put(out, at, b"</ns1:x><ns1:y>");
            let at = put_int(out, at, mio.y);
            let at = put(out, at, b"</ns1:y><ns1:value>");
            let at = put_double(out, at, mio.value);
            put(out, at, b"</ns1:value></ns1:item>")
        })
    }

    fn read(text: &str) -> Vec<Mio> {
        each(text, |text| {
            let (x, rest) = int(eat(text, b"<ns1:x>")?)?;
            let (y, rest) = int(eat(rest, b"</ns1:x><ns1:y>")?)?;
            let (value, rest) = double(eat(rest, b"</ns1:y><ns1:value>")?)?;
            Some((Mio { x, y, value }, eat(rest, b"</ns1:value>")?))
        })
    }
}

impl Loops for Events {
    type Item = Event;

    fn write(&self, out: &mut [u8]) -> usize {
        self.item.iter().fold(0, |at, event| {
            let at = put(out, at, b"<ns1:item><ns1:seq>");
            let at = put_int(out, at, event.seq);
            let at = put(out, at, b"</ns1:seq><ns1:time>");
            let at = put_double(out, at, event.time);
            let at = put(out, at, b"</ns1:time><ns1:text>");
            let at = put_text(out, at, &event.text);
            put(out, at, b"</ns1:text></ns1:item>")
        })
    }

    fn read(text: &str) -> Vec<Event> {
        each(text, |text| {
            let (seq, rest) = int(eat(text, b"<ns1:seq>")?)?;
            let (time, rest) = double(eat(rest, b"</ns1:seq><ns1:time>")?)?;
            let (text, rest) = string(eat(rest, b"</ns1:time><ns1:text>")?)?;
            Some((Event { seq, time, text }, eat(rest, b"</ns1:text>")?))
        })
    }
}
