//! Repeated elements.
//!
//! The first item is read token by token, and where its values lie is noted. The bytes between
//! them are then what the next item is expected to have: they are compared whole, and only the
//! values are converted. Bytes that are equal, in the same scope, mean the same; whatever differs
//! is read token by token again.

use std::borrow::Cow;
use std::ops::Range;

use castile_lexical as lexical;
use castile_plan::{Builtin, ComplexId, Field, SimpleId, TypeId, WhiteSpace};
use castile_value::{ColumnBuf, DType, RowLayout, Scalar, Shape, Sink, Slot};

use super::element::has_names;
use super::{Decoder, Start};
use crate::error::Error;
use crate::scalar::{builtin, check_enumeration, push, push_bytes, range};

/// Where the values of one item lie.
#[derive(Debug, Default)]
pub(super) struct Trace {
    values: Vec<(u32, SimpleId, Range<usize>)>,
    /// Something was met that is no plain child element with text.
    spoilt: bool,
}

/// The bytes of an item around its values.
struct Pattern<'a> {
    /// What comes before each value, and after the last.
    glue: Vec<&'a [u8]>,
    values: Vec<(u32, Kernel)>,
}

/// How a value is read.
#[derive(Clone, Copy)]
enum Kernel {
    F64,
    F32,
    Bool,
    Int {
        least: i64,
        greatest: i64,
    },
    /// Text whose white space is kept; the type is for its enumeration.
    Text(SimpleId),
    Other(SimpleId),
}

impl<'a> Decoder<'a, '_> {
    /// Stops learning the item at hand.
    pub(super) fn forget(&mut self) {
        if let Some(trace) = &mut self.trace {
            trace.spoilt = true;
        }
    }

    /// Notes where a value lay.
    pub(super) fn traced(&mut self, field: u32, id: SimpleId, span: Range<usize>) {
        let input = self.reader.input().as_bytes();
        let position = self.reader.position();
        if let Some(trace) = &mut self.trace {
            // Markup inside the text, or no end tag (`<n/>`), is no place for another value.
            let raw = input.get(span.clone()).unwrap_or(b"<");
            trace.spoilt |= raw.contains(&b'<') || input.get(span.end) != Some(&b'<') || position == span.end;
            trace.values.push((field, id, span));
        }
    }

    /// Reads an item of a repeated element, and then as many more as are like it, at most `left`.
    /// Gives the number of those.
    pub(super) fn repeated(
        &mut self,
        field: &Field,
        slot: Slot,
        start: Start<'a>,
        left: u32,
        sink: &mut dyn Sink,
    ) -> Result<u32, Error> {
        match field.ty {
            TypeId::Simple(id) => self.repeated_simple(id, field, slot, start, left, sink),
            TypeId::Complex(id) => self.repeated_record(id, field, slot, start, left, sink),
            _ => self.element(field, slot, start, sink).map(|()| 0),
        }
    }

    fn repeated_simple(
        &mut self,
        id: SimpleId,
        field: &Field,
        slot: Slot,
        start: Start<'a>,
        left: u32,
        sink: &mut dyn Sink,
    ) -> Result<u32, Error> {
        if self.is_nil()? {
            return self.element(field, slot, start, sink).map(|()| 0);
        }
        let outer = self.trace.replace(Trace::default());
        let value = self.simple_value(id, field);
        let (own, scalar, span) = value.inspect_err(|_| self.trace = None)?;
        self.traced(slot.field, own, span);
        let pattern = self.pattern(start.at, outer);
        match (
            self.types.dtype(id).and_then(|dtype| sink.column(slot, dtype)),
            pattern,
        ) {
            (Some(column), pattern) => {
                push(column, &scalar);
                Ok(pattern.map_or(0, |p| self.numbers(&p, left, column)))
            }
            (None, Some(pattern)) => {
                sink.scalar(slot, scalar);
                self.texts(&pattern, left, slot, sink)
            }
            (None, None) => {
                sink.scalar(slot, scalar);
                Ok(0)
            }
        }
    }

    fn repeated_record(
        &mut self,
        declared: ComplexId,
        field: &Field,
        slot: Slot,
        start: Start<'a>,
        left: u32,
        sink: &mut dyn Sink,
    ) -> Result<u32, Error> {
        let types = self.types;
        let plain = self.reader.attributes().is_empty() && !types.complex(declared).is_abstract;
        if !plain {
            return self.element(field, slot, start, sink).map(|()| 0);
        }
        let outer = self.trace.replace(Trace::default());
        let shape = types.shape(declared);
        if let Some(layout) = types.row_layout(declared) {
            let before = self.reader.clone();
            let mut row = RowSink {
                layout,
                row: Vec::with_capacity(layout.stride()),
                met: 0,
                odd: false,
            };
            self.record(declared, &mut row)
                .inspect_err(|_| self.trace = None)?;
            let RowSink { row, odd, .. } = row;
            if !odd
                && row.len() == layout.stride()
                && let Some(rows) = sink.rows(slot, layout)
            {
                rows.push(&row);
                return Ok(match self.pattern(start.at, outer) {
                    Some(pattern) => self.rows(&pattern, left, layout, rows.data_mut()),
                    None => 0,
                });
            }
            self.reader = before;
            self.trace = Some(Trace::default());
        }
        sink.open(slot, shape);
        self.record(declared, sink).inspect_err(|_| self.trace = None)?;
        sink.close();
        match self.pattern(start.at, outer) {
            Some(pattern) => self.records(&pattern, left, slot, shape, sink),
            None => Ok(0),
        }
    }

    /// What the item that began at `from` and ended just now teaches. `outer` is the trace of the
    /// item around it, which cannot be plain any more.
    fn pattern(&mut self, from: usize, outer: Option<Trace>) -> Option<Pattern<'a>> {
        let trace = std::mem::replace(&mut self.trace, outer);
        self.forget();
        let trace = trace.filter(|t| !t.spoilt && !t.values.is_empty())?;
        let input = self.reader.input().as_bytes();
        let end = self.reader.position();
        // White space before the next item belongs to what is expected.
        let gap = input[end..]
            .iter()
            .take_while(|&&b| lexical::is_xml_space(b))
            .count();
        let mut glue: Vec<&'a [u8]> = Vec::with_capacity(trace.values.len() + 1);
        let mut values = Vec::with_capacity(trace.values.len());
        let mut at = from;
        for (field, id, span) in trace.values {
            glue.push(input.get(at..span.start)?);
            values.push((field, Kernel::new(self, id)?));
            at = span.end;
        }
        glue.push(&input[at..end]);
        if gap > 0 {
            // The gap is not beside the first item's start in the input, so it is compared apart.
            glue.insert(0, &input[end..end + gap]);
        } else {
            glue.insert(0, &[]);
        }
        Some(Pattern { glue, values })
    }

    fn numbers(&mut self, pattern: &Pattern<'a>, left: u32, column: &mut ColumnBuf) -> u32 {
        let input = self.reader.input().as_bytes();
        let mut items = Items {
            input,
            at: self.reader.position(),
            left,
            gap: pattern.glue[0],
        };
        let (open, close) = (pattern.glue[1], pattern.glue[2]);
        let count = match (column, pattern.values[0].1) {
            (ColumnBuf::F64(c), _) => items.each(open, close, lexical::prefix_f64, |v| c.push(v)),
            (ColumnBuf::F32(c), _) => items.each(open, close, lexical::prefix_f32, |v| c.push(v)),
            (ColumnBuf::Bool(c), _) => items.each(open, close, lexical::prefix_bool, |v| c.push(v)),
            (ColumnBuf::U64(c), _) => items.each(open, close, lexical::prefix_u64, |v| c.push(v)),
            (ColumnBuf::I64(c), _) => items.each(open, close, lexical::prefix_i64, |v| c.push(v)),
            (other, Kernel::Int { least, greatest }) => {
                let fits =
                    |text: &[u8]| lexical::prefix_i64(text).filter(|(v, _)| (least..=greatest).contains(v));
                match other {
                    ColumnBuf::I32(c) => items.each(open, close, fits, |v| c.push(v as i32)),
                    ColumnBuf::U32(c) => items.each(open, close, fits, |v| c.push(v as u32)),
                    ColumnBuf::I16(c) => items.each(open, close, fits, |v| c.push(v as i16)),
                    ColumnBuf::U16(c) => items.each(open, close, fits, |v| c.push(v as u16)),
                    ColumnBuf::I8(c) => items.each(open, close, fits, |v| c.push(v as i8)),
                    ColumnBuf::U8(c) => items.each(open, close, fits, |v| c.push(v as u8)),
                    _ => 0,
                }
            }
            _ => 0,
        };
        self.reader.skip_to(items.at);
        count
    }

    fn rows(&mut self, pattern: &Pattern<'a>, left: u32, layout: &RowLayout, out: &mut Vec<u8>) -> u32 {
        let input = self.reader.input().as_bytes();
        let mut at = self.reader.position();
        let mut count = 0;
        let in_order = pattern
            .values
            .iter()
            .enumerate()
            .all(|(i, (field, _))| *field as usize == i);
        while in_order && count < left {
            let whole = out.len();
            let Some(end) = row(input, at, pattern, layout, out) else {
                out.truncate(whole);
                break;
            };
            at = end;
            count += 1;
        }
        self.reader.skip_to(at);
        count
    }

    fn texts(
        &mut self,
        pattern: &Pattern<'a>,
        left: u32,
        slot: Slot,
        sink: &mut dyn Sink,
    ) -> Result<u32, Error> {
        self.items(pattern, left, |scalars| {
            for (_, scalar) in scalars.drain(..) {
                sink.scalar(slot, scalar);
            }
        })
    }

    fn records(
        &mut self,
        pattern: &Pattern<'a>,
        left: u32,
        slot: Slot,
        shape: &std::sync::Arc<Shape>,
        sink: &mut dyn Sink,
    ) -> Result<u32, Error> {
        // A field that repeats inside the record would be a list there.
        self.items(pattern, left, |scalars| {
            sink.open(slot, shape);
            for (field, scalar) in scalars.drain(..) {
                sink.scalar(Slot { field, many: false }, scalar);
            }
            sink.close();
        })
    }

    fn items(
        &mut self,
        pattern: &Pattern<'a>,
        left: u32,
        mut each: impl FnMut(&mut Vec<(u32, Scalar<'a>)>),
    ) -> Result<u32, Error> {
        let mut scalars = Vec::with_capacity(pattern.values.len());
        let mut at = self.reader.position();
        let mut count = 0;
        while count < left {
            scalars.clear();
            let Some(end) = self.item(pattern, at, &mut scalars) else {
                break;
            };
            each(&mut scalars);
            at = end;
            count += 1;
        }
        self.reader.skip_to(at);
        Ok(count)
    }

    /// The values of one item at `at`, and where it ends; `None` when it is not like the pattern.
    fn item(&self, pattern: &Pattern<'a>, at: usize, out: &mut Vec<(u32, Scalar<'a>)>) -> Option<usize> {
        let text = self.reader.input();
        let input = text.as_bytes();
        let mut at = after(input, at, pattern.glue[0])?;
        for ((field, kernel), glue) in pattern.values.iter().zip(&pattern.glue[1..]) {
            at = after(input, at, glue)?;
            let rest = &input[at..];
            let (scalar, used) = match *kernel {
                Kernel::F64 => lexical::prefix_f64(rest).map(|(v, n)| (Scalar::Double(v), n))?,
                Kernel::F32 => lexical::prefix_f32(rest).map(|(v, n)| (Scalar::Float(v), n))?,
                Kernel::Bool => lexical::prefix_bool(rest).map(|(v, n)| (Scalar::Bool(v), n))?,
                Kernel::Int { least, greatest } => {
                    let (v, n) = lexical::prefix_i64(rest).filter(|(v, _)| (least..=greatest).contains(v))?;
                    (Scalar::Int(v), n)
                }
                Kernel::Text(id) => {
                    let n = plain_text(rest)?;
                    let value = text.get(at..at + n)?;
                    if self.options.strict {
                        check_enumeration(self.types, id, value, crate::error::Guilty::Peer).ok()?;
                    }
                    (Scalar::Text(Cow::Borrowed(value)), n)
                }
                Kernel::Other(id) => {
                    let n = plain_text(rest)?;
                    (
                        self.scalar(&self.reader, id, Cow::Borrowed(text.get(at..at + n)?), at)
                            .ok()?,
                        n,
                    )
                }
            };
            out.push((*field, scalar));
            at += used;
        }
        after(input, at, pattern.glue.last()?)
    }
}

impl Kernel {
    /// `None` for types whose text means something else elsewhere: the prefix of a name.
    fn new(decoder: &Decoder<'_, '_>, id: SimpleId) -> Option<Kernel> {
        let simple = decoder.types.simple(id);
        if has_names(decoder.types, id) {
            return None;
        }
        let Some(atomic) = builtin(decoder.types, id) else {
            return Some(Kernel::Other(id));
        };
        Some(match atomic {
            Builtin::Double => Kernel::F64,
            Builtin::Float => Kernel::F32,
            Builtin::Boolean => Kernel::Bool,
            _ if atomic.dtype().is_some_and(|d| d != DType::U64) => {
                let (least, greatest) = range(atomic)?;
                Kernel::Int {
                    least: least.try_into().ok()?,
                    greatest: greatest.try_into().ok()?,
                }
            }
            Builtin::String
                if simple
                    .facets
                    .white_space
                    .is_none_or(|w| w == WhiteSpace::Preserve) =>
            {
                Kernel::Text(id)
            }
            _ => Kernel::Other(id),
        })
    }
}

/// Items with one value each.
struct Items<'a> {
    input: &'a [u8],
    at: usize,
    left: u32,
    gap: &'a [u8],
}

impl Items<'_> {
    #[inline(always)]
    fn each<T>(
        &mut self,
        open: &[u8],
        close: &[u8],
        prefix: impl Fn(&[u8]) -> Option<(T, usize)>,
        mut push: impl FnMut(T),
    ) -> u32 {
        // What stands between two values is compared at once.
        let between = [close, self.gap, open].concat();
        let head = self.gap.len() + open.len();
        let Some(start) = after(self.input, self.at, self.gap).and_then(|at| after(self.input, at, open))
        else {
            return 0;
        };
        let mut at = start;
        let mut count = 0;
        while count < self.left {
            let Some((value, used)) = prefix(&self.input[at..]) else {
                break;
            };
            let end = at + used;
            if let Some(next) = after(self.input, end, &between) {
                push(value);
                count += 1;
                self.at = next - head;
                at = next;
                continue;
            }
            if let Some(end) = after(self.input, end, close) {
                push(value);
                count += 1;
                self.at = end;
            }
            break;
        }
        count
    }
}

/// The bytes of one row; `None` when it is not like the pattern.
#[inline]
fn row(
    input: &[u8],
    at: usize,
    pattern: &Pattern<'_>,
    layout: &RowLayout,
    out: &mut Vec<u8>,
) -> Option<usize> {
    let mut at = after(input, at, pattern.glue[0])?;
    for (((_, kernel), glue), field) in pattern.values.iter().zip(&pattern.glue[1..]).zip(layout.fields()) {
        at = after(input, at, glue)?;
        let rest = &input[at..];
        at += match *kernel {
            Kernel::F64 => {
                let (v, n) = lexical::prefix_f64(rest)?;
                out.extend_from_slice(&v.to_ne_bytes());
                n
            }
            Kernel::Int { least, greatest } if field.dtype == DType::I32 => {
                let (v, n) = lexical::prefix_i64(rest).filter(|(v, _)| (least..=greatest).contains(v))?;
                out.extend_from_slice(&(v as i32).to_ne_bytes());
                n
            }
            Kernel::Int { least, greatest } => {
                let (v, n) = lexical::prefix_i64(rest).filter(|(v, _)| (least..=greatest).contains(v))?;
                push_bytes(out, field.dtype, &Scalar::Int(v)).then_some(n)?
            }
            Kernel::F32 => {
                let (v, n) = lexical::prefix_f32(rest)?;
                out.extend_from_slice(&v.to_ne_bytes());
                n
            }
            Kernel::Bool => {
                let (v, n) = lexical::prefix_bool(rest)?;
                out.push(v.into());
                n
            }
            Kernel::Text(_) | Kernel::Other(_) if field.dtype == DType::U64 => {
                let (v, n) = lexical::prefix_u64(rest)?;
                out.extend_from_slice(&v.to_ne_bytes());
                n
            }
            Kernel::Text(_) | Kernel::Other(_) => return None,
        };
    }
    after(input, at, pattern.glue.last()?)
}

/// The place after `expected`, when it stands at `at`.
#[inline(always)]
fn after(input: &[u8], at: usize, expected: &[u8]) -> Option<usize> {
    let end = at + expected.len();
    (input.get(at..end)? == expected).then_some(end)
}

/// The length of text up to the next tag, when it is text as it stands: no reference, no carriage
/// return, nothing that a well-formedness check would have to look at.
fn plain_text(bytes: &[u8]) -> Option<usize> {
    let stop = bytes.iter().position(|&b| SPECIAL[b as usize])?;
    (bytes[stop] == b'<').then_some(stop)
}

static SPECIAL: [bool; 256] = {
    let mut table = [false; 256];
    let mut b = 0;
    while b < 0x20 {
        table[b] = b != 9 && b != 10;
        b += 1;
    }
    table[b'<' as usize] = true;
    table[b'&' as usize] = true;
    // `]]>` is not allowed, and U+FFFE and U+FFFF begin with this byte.
    table[b']' as usize] = true;
    table[0xEF] = true;
    table
};

/// Puts one row's numbers together.
struct RowSink<'l> {
    layout: &'l RowLayout,
    row: Vec<u8>,
    met: usize,
    odd: bool,
}

impl Sink for RowSink<'_> {
    fn scalar(&mut self, at: Slot, value: Scalar<'_>) {
        let in_order = at.field as usize == self.met;
        let field = self.layout.fields().get(self.met);
        self.met += 1;
        self.odd |= !in_order || !field.is_some_and(|f| push_bytes(&mut self.row, f.dtype, &value));
    }
    fn nil(&mut self, _at: Slot) {
        self.odd = true;
    }
    fn xml(&mut self, _at: Slot, _text: String) {
        self.odd = true;
    }
    fn attribute(&mut self, _at: Slot, _name: String, _value: &str) {
        self.odd = true;
    }
    fn open(&mut self, _at: Slot, _shape: &std::sync::Arc<Shape>) {
        self.odd = true;
    }
    fn close(&mut self) {}
    fn column(&mut self, _at: Slot, _dtype: DType) -> Option<&mut ColumnBuf> {
        None
    }
    fn rows(&mut self, _at: Slot, _layout: &std::sync::Arc<RowLayout>) -> Option<&mut castile_value::Rows> {
        None
    }
}
