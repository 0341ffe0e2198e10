//! Where a decoder puts values.

use std::sync::Arc;

use crate::typed::LinesIn;
use crate::{ColumnBuf, DType, Packed, RowLayout, Rows, Scalar, Shape};

/// Which field of the record being built a value belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The field's index in the shape of the innermost open record.
    pub field: u32,
    /// Whether the field repeats: values are appended, and one value is still a list.
    pub many: bool,
}

/// What a decoder fills. Object-safe. Calls come in document order; [`Sink::open`] and
/// [`Sink::close`] nest, and the outermost record is open before the first call.
pub trait Sink {
    /// A value of a simple type.
    fn scalar(&mut self, at: Slot, value: Scalar<'_>);
    /// An element that says it is nil.
    fn nil(&mut self, at: Slot);
    /// An element kept as namespace-complete XML.
    fn xml(&mut self, at: Slot, text: String);
    /// An attribute of an attribute wildcard: `name` is `{namespace}local`.
    fn attribute(&mut self, at: Slot, name: String, value: &str);
    /// A record begins; it may be of a type derived from the declared one.
    fn open(&mut self, at: Slot, shape: &Arc<Shape>);
    /// The innermost record ends.
    fn close(&mut self);
    /// A whole record whose fields are single values of simple types, each of `values` with its
    /// field: as [`Sink::open`], [`Sink::scalar`] and [`Sink::close`], in one call. Leaves `values`
    /// empty.
    fn record(&mut self, at: Slot, shape: &Arc<Shape>, values: &mut Vec<(u32, Scalar<'_>)>) {
        self.open(at, shape);
        for (field, value) in values.drain(..) {
            self.scalar(Slot { field, many: false }, value);
        }
        self.close();
    }
    /// Several records, each as [`Sink::record`] takes it.
    fn packed(&mut self, at: Slot, packed: &Packed<'_>) {
        let mut values = Vec::new();
        for i in 0..packed.len() {
            packed.values(i, &mut values);
            self.record(at, packed.layout().shape(), &mut values);
        }
    }
    /// Reads records itself, each of which would be a [`Sink::record`], when it has a type that was made for it;
    /// gives how many, and where they end. `None`: it takes none so.
    fn read_lines(&mut self, _at: Slot, _lines: &LinesIn<'_>) -> Option<(u32, usize)> {
        None
    }
    /// Several texts, each as [`Sink::scalar`] takes it.
    fn texts(&mut self, at: Slot, texts: &[&str]) {
        for text in texts {
            self.scalar(at, Scalar::from(*text));
        }
    }
    /// The array to append numbers to, for a repeated field; `None` when the sink would rather
    /// have them one by one (also when the array already holds something that is no number).
    fn column(&mut self, at: Slot, dtype: DType) -> Option<&mut ColumnBuf>;
    /// The array to append flat records to, for a repeated field; `None` when the sink would
    /// rather have them one by one.
    fn rows(&mut self, at: Slot, layout: &Arc<RowLayout>) -> Option<&mut Rows>;
    /// The array of an earlier message as it was told, to be changed where it differs, instead of
    /// [`Sink::column`]; `None` when there is none or something was appended already. Asked for only if who gave the
    /// sink said that its arrays are still those of the last message.
    fn given_column(&mut self, _at: Slot, _dtype: DType) -> Option<&mut ColumnBuf> {
        None
    }
    /// The same for flat records.
    fn given_rows(&mut self, _at: Slot, _layout: &Arc<RowLayout>) -> Option<&mut Rows> {
        None
    }
    /// The same sink, if it can take what only SOAP encoding has. Messages that have it are refused
    /// otherwise.
    fn graph(&mut self) -> Option<&mut dyn GraphSink> {
        None
    }
}

/// A sink for SOAP encoding: arrays that are values of their own, and objects that stand in several
/// places.
pub trait GraphSink: Sink {
    /// An array begins that is one value. Its items are put at field 0, many, until [`Sink::close`].
    /// `shape` has the item as its one field, unless nobody declares what the items are. `sizes` are
    /// those of its dimensions when it has more than one; its items then come with the last dimension
    /// fastest.
    fn array(&mut self, at: Slot, shape: Option<&Arc<Shape>>, sizes: &[usize]);
    /// An object begins that stands for itself. Its value is put at field 0, not many, until
    /// [`Sink::close`]. May come inside any record: it belongs to the message and not to that record.
    fn object(&mut self, number: u32);
    /// The object of this number stands here; it may come earlier or later. Every number that is
    /// referred to is given an object once. Numbers begin at 0 and none is left out.
    fn reference(&mut self, at: Slot, number: u32);
}
