//! The loops: what no codec can leave out.

use std::hint::black_box;

/// Hand-written ways of one message both ways.
pub(crate) trait Loops {
    /// Writes all items into `out`; gives where they end.
    fn write(&mut self, out: &mut [u8]) -> usize;
    /// Reads the items into memory of its own; gives how many.
    fn read(&mut self, text: &[u8]) -> usize;
}

const OPEN: &[u8; 10] = b"<ns1:item>";
const CLOSE: &[u8; 11] = b"</ns1:item>";

pub(crate) struct Doubles(pub(crate) Vec<f64>);
pub(crate) struct Ints(pub(crate) Vec<i32>);
pub(crate) struct Strings(pub(crate) Vec<String>);
pub(crate) struct Mios(pub(crate) Vec<i32>, pub(crate) Vec<f64>);
pub(crate) struct Events(pub(crate) Vec<i32>, pub(crate) Vec<f64>, pub(crate) Vec<String>);

/// A row read: no field is used, but all are there.
#[derive(Clone, Copy)]
#[allow(dead_code)]
struct Mio(i32, i32, f64);

#[allow(dead_code)]
struct Event(i32, f64, String);

#[inline(always)]
fn put<const N: usize>(out: &mut [u8], at: usize, bytes: &[u8; N]) -> usize {
    out[at..at + N].copy_from_slice(bytes);
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

#[inline(always)]
fn eat<'t, const N: usize>(text: &'t [u8], tag: &[u8; N]) -> Option<&'t [u8]> {
    let (head, rest) = text.split_first_chunk::<N>()?;
    (head == tag).then_some(rest)
}

#[inline(always)]
fn double(text: &[u8]) -> Option<(f64, &[u8])> {
    let (v, used) = fast_float2::parse_partial::<f64, _>(text).ok()?;
    Some((v, &text[used..]))
}

#[inline(always)]
fn int(text: &[u8]) -> Option<(i32, &[u8])> {
    let (v, used) = castile_lexical::prefix_i32(text)?;
    Some((v, &text[used..]))
}

#[inline(always)]
fn string(text: &[u8]) -> Option<(String, &[u8])> {
    let end = memchr::memchr2(b'<', b'&', text)?;
    let value = std::str::from_utf8(&text[..end]).ok()?;
    Some((value.to_owned(), &text[end..]))
}

/// Counts the items that `one` reads.
fn each<T>(text: &[u8], mut one: impl FnMut(&[u8]) -> Option<(T, &[u8])>) -> usize {
    let mut values = Vec::new();
    let mut rest = text;
    while let Some((value, after)) = eat(rest, OPEN).and_then(&mut one) {
        let Some(after) = eat(after, CLOSE) else { break };
        values.push(value);
        rest = &text[text.len() - after.len()..];
    }
    let count = if rest.is_empty() { values.len() } else { 0 };
    black_box(values);
    count
}

impl Loops for Doubles {
    fn write(&mut self, out: &mut [u8]) -> usize {
        self.0.iter().fold(0, |at, v| {
            let at = put(out, at, OPEN);
            let at = put_double(out, at, *v);
            put(out, at, CLOSE)
        })
    }

    fn read(&mut self, text: &[u8]) -> usize {
        each(text, double)
    }
}

impl Loops for Ints {
    fn write(&mut self, out: &mut [u8]) -> usize {
        self.0.iter().fold(0, |at, v| {
            let at = put(out, at, OPEN);
            let at = put_int(out, at, *v);
            put(out, at, CLOSE)
        })
    }

    fn read(&mut self, text: &[u8]) -> usize {
        each(text, int)
    }
}

impl Loops for Strings {
    fn write(&mut self, out: &mut [u8]) -> usize {
        self.0.iter().fold(0, |at, v| {
            let at = put(out, at, OPEN);
            out[at..at + v.len()].copy_from_slice(v.as_bytes());
            put(out, at + v.len(), CLOSE)
        })
    }

    fn read(&mut self, text: &[u8]) -> usize {
        each(text, string)
    }
}

impl Loops for Mios {
    fn write(&mut self, out: &mut [u8]) -> usize {
        self.0.iter().zip(&self.1).fold(0, |at, (x, v)| {
            let at = put(out, at, b"<ns1:item><ns1:x>");
            let at = put_int(out, at, *x);
            let at = put(out, at, b"</ns1:x><ns1:y>");
            let at = put_int(out, at, -(*x >> 1));
            let at = put(out, at, b"</ns1:y><ns1:value>");
            let at = put_double(out, at, *v);
            put(out, at, b"</ns1:value></ns1:item>")
        })
    }

    fn read(&mut self, text: &[u8]) -> usize {
        each(text, |text| {
            let (x, rest) = int(eat(text, b"<ns1:x>")?)?;
            let (y, rest) = int(eat(rest, b"</ns1:x><ns1:y>")?)?;
            let (value, rest) = double(eat(rest, b"</ns1:y><ns1:value>")?)?;
            Some((Mio(x, y, value), eat(rest, b"</ns1:value>")?))
        })
    }
}

impl Loops for Events {
    fn write(&mut self, out: &mut [u8]) -> usize {
        self.0
            .iter()
            .zip(&self.1)
            .zip(&self.2)
            .fold(0, |at, ((seq, time), text)| {
                let at = put(out, at, b"<ns1:item><ns1:seq>");
                let at = put_int(out, at, *seq);
                let at = put(out, at, b"</ns1:seq><ns1:time>");
                let at = put_double(out, at, *time);
                let at = put(out, at, b"</ns1:time><ns1:text>");
                out[at..at + text.len()].copy_from_slice(text.as_bytes());
                put(out, at + text.len(), b"</ns1:text></ns1:item>")
            })
    }

    fn read(&mut self, text: &[u8]) -> usize {
        each(text, |text| {
            let (seq, rest) = int(eat(text, b"<ns1:seq>")?)?;
            let (time, rest) = double(eat(rest, b"</ns1:seq><ns1:time>")?)?;
            let (text, rest) = string(eat(rest, b"</ns1:time><ns1:text>")?)?;
            Some((Event(seq, time, text), eat(rest, b"</ns1:text>")?))
        })
    }
}
