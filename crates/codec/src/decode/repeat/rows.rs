//! Arrays of flat records of numbers.

use std::sync::Arc;

use castile_lexical as lexical;
use castile_plan::ComplexId;
use castile_value::{ColumnBuf, DType, Packed, RowLayout, Rows, Scalar, Shape, Sink, Slot};
use castile_xml::like::plain_text;

use super::super::Decoder;
use super::super::learn::{Kind, Layout};
use super::items::{end_of, plain_number};
use super::pattern::{Kernel, Pattern, Trace};
use super::{First, Ground, after, number};
use crate::error::Error;
use crate::scalar::push_bytes;

impl<'a> Decoder<'a, '_> {
    /// Reads an item of a flat type, and as many more as are like it.
    pub(super) fn first_row(
        &mut self,
        declared: ComplexId,
        layout: &Arc<RowLayout>,
        first: First<'_, 'a>,
        outer: Option<Trace>,
        sink: &mut dyn Sink,
    ) -> Result<u32, Error> {
        let First {
            slot, start, left, ..
        } = first;
        let mut cells = Cells::default();
        self.record(declared, &mut cells)
            .inspect_err(|_| self.trace = None)?;
        let pattern = self.pattern(start.at, outer);
        let row = cells.row(layout);
        let packed = pattern.as_ref().and_then(|p| self.packed_layout(declared, p));
        let more = match row.as_deref().zip(sink.rows(slot, layout)) {
            Some((row, rows)) => {
                rows.push(row);
                pattern
                    .as_ref()
                    .map_or(0, |p| self.rows(p, left, slot, layout, sink))
            }
            None => {
                let shape = layout.shape();
                cells.give(slot, shape, sink);
                pattern
                    .as_ref()
                    .map_or(0, |p| self.records(p, left, slot, declared, packed, sink))
            }
        };
        match (row, &pattern) {
            (row, Some(pattern)) => {
                let kind = match row {
                    Some(_) => Kind::Rows(Layout(layout.clone())),
                    None => Kind::Records(layout.shape().clone(), packed.cloned().map(Layout)),
                };
                self.alike(first.run(kind, more, pattern));
            }
            (Some(row), None) => self.odd_row(first.mark, slot, layout, row),
            (None, None) => {}
        }
        Ok(more)
    }

    /// Passes on as many rows as follow and are like the pattern, at most `left`.
    fn rows(
        &mut self,
        pattern: &Pattern<'_>,
        left: u32,
        slot: Slot,
        layout: &Arc<RowLayout>,
        sink: &mut dyn Sink,
    ) -> u32 {
        let (ground, at) = (self.ground(), self.reader.position());
        if !pattern.is_like(layout) {
            return 0;
        }
        let read = sink.read_lines(slot, &ground.lines(pattern, at, left, layout));
        let (count, end) = read.unwrap_or_else(|| match sink.rows(slot, layout) {
            Some(rows) => ground.rows(pattern, at, left, layout, rows.data_mut()),
            None => (0, at),
        });
        self.reader.skip_to(end);
        count
    }
}

impl<'a> Ground<'_, 'a> {
    /// Appends as many rows as stand at `at` and are like the pattern, at most `left`. Gives their
    /// number and where they end.
    pub(in super::super) fn rows(
        self,
        pattern: &Pattern<'_>,
        at: usize,
        left: u32,
        layout: &RowLayout,
        out: &mut Vec<u8>,
    ) -> (u32, usize) {
        if !pattern.is_like(layout) {
            return (0, at);
        }
        self.each_row(pattern, at, left, layout, (out, &mut Vec::new()))
    }

    /// The same for records of numbers and texts, whose layout the pattern is like.
    pub(in super::super) fn pack(
        self,
        pattern: &Pattern<'_>,
        at: usize,
        left: u32,
        out: &mut Packed<'a>,
    ) -> (u32, usize) {
        let layout = out.layout().clone();
        self.each_row(pattern, at, left, &layout, (&mut out.numbers, &mut out.texts))
    }

    fn each_row(
        self,
        pattern: &Pattern<'_>,
        mut at: usize,
        left: u32,
        layout: &RowLayout,
        (numbers, texts): (&mut Vec<u8>, &mut Vec<&'a str>),
    ) -> (u32, usize) {
        let mut count = 0;
        while count < left {
            let whole = (numbers.len(), texts.len());
            let Some(end) = row(self.input, at, pattern, layout, numbers, texts) else {
                numbers.truncate(whole.0);
                texts.truncate(whole.1);
                break;
            };
            at = end;
            count += 1;
        }
        (count, at)
    }
}

/// Appends one row and gives where it ends; `None`, and perhaps a part is appended, when it is not like
/// the pattern.
#[inline]
fn row<'a>(
    text: &'a str,
    at: usize,
    pattern: &Pattern<'_>,
    layout: &RowLayout,
    numbers: &mut Vec<u8>,
    texts: &mut Vec<&'a str>,
) -> Option<usize> {
    let input = text.as_bytes();
    let mut at = after(input, at, pattern.gap)?;
    let mut fields = layout.fields().iter();
    // Before the first value there is none whose white space could collapse.
    let mut last = Kernel::Text;
    for cell in &pattern.values {
        at = end_of(last, input, at, cell.before)?;
        last = cell.kernel;
        if let Kernel::Text = cell.kernel {
            let end = at + plain_text(input.get(at..)?)?;
            texts.push(text.get(at..end)?);
            at = end;
        } else {
            at = push_number(input, at, cell.kernel, fields.next()?.dtype, numbers)?;
        }
    }
    end_of(last, input, at, pattern.close)
}

/// Appends a number to packed ones, and gives where it ends; `None` when it has to be looked at more closely.
#[inline(always)]
pub(in super::super) fn push_number(
    input: &[u8],
    at: usize,
    kernel: Kernel,
    dtype: DType,
    out: &mut Vec<u8>,
) -> Option<usize> {
    match (kernel, dtype) {
        (Kernel::F64, DType::F64) => {
            let (v, end) = number(input, at, lexical::prefix_f64)?;
            out.extend_from_slice(&v.to_ne_bytes());
            Some(end)
        }
        (Kernel::Int { least, greatest }, DType::I32) => {
            let (v, end) =
                number(input, at, lexical::prefix_i64).filter(|(v, _)| (least..=greatest).contains(v))?;
            out.extend_from_slice(&(v as i32).to_ne_bytes());
            Some(end)
        }
        _ => {
            let (scalar, end) = plain_number(kernel, input, at)?;
            push_bytes(out, dtype, &scalar).then_some(end)
        }
    }
}

/// The values of one record of numbers, in the order of the message; `None` is nil.
#[derive(Default)]
struct Cells {
    values: Vec<(Slot, Option<Scalar<'static>>)>,
}

impl Cells {
    /// Gives the values to a sink as a record.
    fn give(self, slot: Slot, shape: &Arc<Shape>, sink: &mut dyn Sink) {
        sink.open(slot, shape);
        for (at, scalar) in self.values {
            match scalar {
                Some(scalar) => sink.scalar(at, scalar),
                None => sink.nil(at),
            }
        }
        sink.close();
    }

    /// The values as a packed row, when they are just the fields in order.
    fn row(&self, layout: &RowLayout) -> Option<Vec<u8>> {
        let mut row = Vec::with_capacity(layout.stride());
        if !self
            .values
            .iter()
            .map(|(at, _)| at.field as usize)
            .eq(0..layout.fields().len())
        {
            return None;
        }
        for ((_, value), field) in self.values.iter().zip(layout.fields()) {
            push_bytes(&mut row, field.dtype, value.as_ref()?).then_some(())?;
        }
        Some(row)
    }
}

impl Sink for Cells {
    fn scalar(&mut self, at: Slot, value: Scalar<'_>) {
        self.values.push((at, Some(value.into_owned())));
    }
    fn nil(&mut self, at: Slot) {
        self.values.push((at, None));
    }
    // A flat type has nothing but single elements of simple types.
    fn xml(&mut self, _at: Slot, _text: String) {}
    fn attribute(&mut self, _at: Slot, _name: String, _value: &str) {}
    fn open(&mut self, _at: Slot, _shape: &Arc<Shape>) {}
    fn close(&mut self) {}
    fn column(&mut self, _at: Slot, _dtype: DType) -> Option<&mut ColumnBuf> {
        None
    }
    fn rows(&mut self, _at: Slot, _layout: &Arc<RowLayout>) -> Option<&mut Rows> {
        None
    }
}
