//! Repeated elements.
//!
//! The first item is read token by token, and where its values lie is noted: a [`Trace`]. The bytes
//! between them are then what the next item is expected to have, a [`Pattern`]: they are compared
//! whole, and only the values are converted. Bytes that are equal, in the same scope, mean the same;
//! whatever differs is read token by token again.

mod items;
mod numbers;
mod pattern;
mod rows;

use castile_plan::{ComplexId, Field, SimpleId, TypeId};
use castile_value::{Sink, Slot};

use super::{Decoder, Start};
use crate::error::Error;
use crate::scalar::push;
pub(super) use pattern::Trace;

impl<'a> Decoder<'a, '_> {
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
        if self.encoding.is_some() && !self.is_plain_item(field.ty) {
            return self.encoded(field, slot, start, sink).map(|()| 0);
        }
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
        if self.is_nil()? || self.own_complex_type(id).is_some() {
            return self.element(field, slot, start, sink).map(|()| 0);
        }
        let outer = self.trace.replace(Trace::default());
        let value = self.simple_value(id, field);
        let (own, scalar, span) = value.inspect_err(|_| self.trace = None)?;
        self.traced(slot.field, own, span);
        let pattern = self.pattern(start.at, outer);
        let column = self.types.dtype(id).and_then(|dtype| sink.column(slot, dtype));
        match (column, pattern) {
            (Some(column), pattern) => {
                push(column, &scalar);
                Ok(pattern.map_or(0, |p| self.numbers(&p, left, column)))
            }
            (None, Some(pattern)) => {
                sink.scalar(slot, scalar);
                Ok(self.texts(&pattern, left, slot, sink))
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
        // Attributes of an encoded item were looked at already.
        let bare = self.reader.attributes().is_empty() || self.encoding.is_some();
        let complex = types.complex(declared);
        let plain =
            bare && !complex.is_abstract && complex.array.is_none() && types.mixed_field(declared).is_none();
        if !plain {
            return self.element(field, slot, start, sink).map(|()| 0);
        }
        let outer = self.trace.replace(Trace::default());
        if let Some(layout) = types.row_layout(declared) {
            return self.first_row(declared, layout, slot, start, left, outer, sink);
        }
        let shape = types.shape(declared);
        sink.open(slot, shape);
        self.record(declared, sink).inspect_err(|_| self.trace = None)?;
        sink.close();
        let pattern = self.pattern(start.at, outer);
        Ok(pattern.map_or(0, |p| self.records(&p, left, slot, shape, sink)))
    }
}

/// The place after `expected`, when it stands at `at`.
#[inline(always)]
fn after(input: &[u8], at: usize, expected: &[u8]) -> Option<usize> {
    let end = at + expected.len();
    (input.get(at..end)? == expected).then_some(end)
}

/// The same, white space before it passed over: what collapses belongs to no value.
#[inline(always)]
fn after_space(input: &[u8], at: usize, expected: &[u8]) -> Option<usize> {
    match after(input, at, expected) {
        Some(end) => Some(end),
        None => after(input, space_end(input, at)?, expected),
    }
}

/// A number's value and end, white space before it passed over.
#[inline(always)]
fn number<T>(input: &[u8], at: usize, prefix: impl Fn(&[u8]) -> Option<(T, usize)>) -> Option<(T, usize)> {
    match prefix(input.get(at..)?) {
        Some((value, used)) => Some((value, at + used)),
        None => {
            let at = space_end(input, at)?;
            prefix(input.get(at..)?).map(|(value, used)| (value, at + used))
        }
    }
}

/// Where the white space at `at` ends; `None` if there is none.
#[cold]
#[inline(never)]
fn space_end(input: &[u8], at: usize) -> Option<usize> {
    let rest = input.get(at..)?;
    let space = rest
        .iter()
        .take_while(|&&b| castile_lexical::is_xml_space(b))
        .count();
    (space > 0).then_some(at + space)
}
