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

use castile_plan::{ComplexId, Field, SimpleId, TypeId, Types};
use castile_value::{DType, Scalar, Sink, Slot};

use super::learn::{Kind, Layout, Mark, Number, Run};
use super::{Decoder, Start};
use crate::error::Error;
use crate::scalar::push;
pub(super) use castile_xml::like::{after, after_space, number};
pub(super) use items::{end_of, give, plain_number, plain_value};
pub(super) use pattern::{Cell, Kernel, Pattern, Trace};
pub(super) use rows::push_number;

/// How many items may stand there.
#[derive(Clone, Copy)]
pub(super) struct Room {
    /// More than the one at hand.
    pub(super) left: u32,
    /// In another message.
    pub(super) number: Number,
}

/// The first of some items, of which the start tag was read.
#[derive(Clone, Copy)]
struct First<'f, 'a> {
    field: &'f Field,
    slot: Slot,
    start: Start<'a>,
    /// How many more may stand there.
    left: u32,
    /// Where the notes stood before it.
    mark: Mark,
}

impl<'a> First<'_, 'a> {
    /// The item with those that followed it and were like it.
    fn run<'r>(&self, kind: Kind, more: u32, pattern: &'r Pattern<'a>) -> Run<'r, 'a> {
        Run {
            mark: self.mark,
            slot: self.slot,
            kind,
            from: self.start.at,
            more,
            pattern,
        }
    }
}

/// What items are read from, and by which rules.
#[derive(Clone, Copy)]
pub(super) struct Ground<'p, 'a> {
    pub(super) types: &'p Types,
    pub(super) strict: bool,
    pub(super) input: &'a str,
}

impl<'a, 'p> Decoder<'a, 'p> {
    fn ground(&self) -> Ground<'p, 'a> {
        Ground {
            types: self.types,
            strict: self.options.strict,
            input: self.reader.input(),
        }
    }

    /// Reads an item of a repeated element, and then as many more as are like it. Gives the
    /// number of those.
    pub(super) fn repeated(
        &mut self,
        field: &Field,
        slot: Slot,
        start: Start<'a>,
        room: Room,
        sink: &mut dyn Sink,
    ) -> Result<u32, Error> {
        let Room { left, number } = room;
        let mark = self.before_item(slot, number, start.at);
        let first = First {
            field,
            slot,
            start,
            left,
            mark,
        };
        let more = if self.encoding.is_some() && !self.is_plain_item(field.ty) {
            self.encoded(field, slot, start, sink).map(|()| 0)
        } else {
            match field.ty {
                TypeId::Simple(id) => self.repeated_simple(id, first, sink),
                TypeId::Complex(id) => self.repeated_record(id, first, sink),
                _ => self.element(field, slot, start, sink).map(|()| 0),
            }
        }?;
        self.after_item(mark);
        Ok(more)
    }

    fn repeated_simple(
        &mut self,
        id: SimpleId,
        first: First<'_, 'a>,
        sink: &mut dyn Sink,
    ) -> Result<u32, Error> {
        let First {
            field,
            slot,
            start,
            left,
            ..
        } = first;
        if self.is_nil()? || self.own_complex_type(id).is_some() {
            return self.element(field, slot, start, sink).map(|()| 0);
        }
        let own = self.new_trace();
        let outer = self.trace.replace(own);
        let value = self.simple_value(id, field);
        let (own, scalar, span) = value.inspect_err(|_| self.trace = None)?;
        self.traced(slot.field, own, span.clone());
        let pattern = self.pattern(start.at, outer);
        let Some(dtype) = self.types.dtype(id) else {
            if pattern.is_none() {
                self.taught(field, own, &span);
            }
            sink.scalar(slot, scalar);
            let Some(pattern) = pattern else { return Ok(0) };
            let more = self.values(&pattern, left, slot, sink);
            self.alike(first.run(Kind::Scalars, more, &pattern));
            return Ok(more);
        };
        let Some(pattern) = pattern else {
            self.append(slot, dtype, scalar, sink);
            return Ok(0);
        };
        let more = match sink.column(slot, dtype) {
            Some(column) => {
                push(column, &scalar);
                self.numbers(&pattern, left, column)
            }
            None => {
                sink.scalar(slot, scalar);
                self.values(&pattern, left, slot, sink)
            }
        };
        self.alike(first.run(Kind::Column(dtype), more, &pattern));
        Ok(more)
    }

    /// Appends a number to a column, or gives it to a sink that has none.
    pub(super) fn append(&mut self, slot: Slot, dtype: DType, number: Scalar<'a>, sink: &mut dyn Sink) {
        self.appends(slot, dtype, &number);
        match sink.column(slot, dtype) {
            Some(column) => push(column, &number),
            None => self.unnoted(slot, number, sink),
        }
    }

    fn repeated_record(
        &mut self,
        declared: ComplexId,
        first: First<'_, 'a>,
        sink: &mut dyn Sink,
    ) -> Result<u32, Error> {
        let First {
            field,
            slot,
            start,
            left,
            ..
        } = first;
        let types = self.types;
        // Attributes of an encoded item were looked at already.
        let bare = self.reader.attributes().is_empty() || self.encoding.is_some();
        let complex = types.complex(declared);
        let plain =
            bare && !complex.is_abstract && complex.array.is_none() && types.mixed_field(declared).is_none();
        if !plain {
            return self.element(field, slot, start, sink).map(|()| 0);
        }
        let own = self.new_trace();
        let outer = self.trace.replace(own);
        if let Some(layout) = types.row_layout(declared) {
            return self.first_row(declared, layout, first, outer, sink);
        }
        let shape = types.shape(declared);
        self.told_record(declared, slot, sink)
            .inspect_err(|_| self.trace = None)?;
        let Some(pattern) = self.pattern(start.at, outer) else {
            return Ok(0);
        };
        let layout = self.packed_layout(declared, &pattern);
        let more = self.records(&pattern, left, slot, declared, layout, sink);
        let kind = Kind::Records(shape.clone(), layout.cloned().map(Layout));
        self.alike(first.run(kind, more, &pattern));
        Ok(more)
    }
}
