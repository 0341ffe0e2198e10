//! The sink that fills generated types.

use std::any::Any;
use std::sync::Arc;

use super::{Fields, Input, LinesIn, Mismatch, Open};
use crate::{ColumnBuf, DType, Packed, RowLayout, Rows, Scalar, Shape, Sink, Slot};

/// Fills one value of a generated type.
pub struct Builder<T> {
    /// The records that are open, the outermost first; never empty.
    frames: Vec<Frame>,
    /// The array of the innermost record that a decoder is appending to.
    array: Option<(Slot, Array)>,
    /// Open records for which there is no place; nothing is put while there are any.
    lost: u32,
    error: Option<Mismatch>,
    /// Whether to see to it that required fields come, which a strict decoder does itself.
    checks: bool,
    what: std::marker::PhantomData<fn() -> T>,
}

/// Records that are mostly open at once.
const DEPTH_LIKELY: usize = 8;

struct Frame {
    record: Box<dyn Open>,
    /// Where the record goes in the one around it.
    at: Slot,
    shape: Option<Arc<Shape>>,
    /// The fields that were put, while that is checked.
    met: Vec<u32>,
}

/// An array that a decoder is appending to.
enum Array {
    Column(ColumnBuf),
    Rows(Rows),
}

impl<T: Fields + Default> Builder<T> {
    /// A builder for what a strict decoder gives.
    pub fn new() -> Self {
        Builder::with(false)
    }

    /// A builder for what a lax decoder gives: that required fields are missing is an error here.
    pub fn lax() -> Self {
        Builder::with(true)
    }

    fn with(checks: bool) -> Self {
        Builder {
            checks,
            ..Builder::starting(T::default())
        }
    }

    /// A builder that fills this value.
    pub fn starting(value: T) -> Self {
        let at = Slot {
            field: 0,
            many: false,
        };
        let mut frames = Vec::with_capacity(DEPTH_LIKELY);
        frames.push(Frame::new(Box::new(value), at, None));
        Builder {
            frames,
            array: None,
            lost: 0,
            error: None,
            checks: false,
            what: std::marker::PhantomData,
        }
    }

    /// The value that was built.
    ///
    /// # Errors
    /// What came had no room in the type, or lacks what the type must have.
    pub fn finish(mut self) -> Result<T, Mismatch> {
        self.flush();
        self.check();
        if let Some(error) = self.error {
            return Err(error);
        }
        let root = self.frames.pop().map(|frame| frame.record as Box<dyn Any>);
        match root.map(|root| root.downcast::<T>()) {
            Some(Ok(value)) if self.frames.is_empty() => Ok(*value),
            _ => Err(Mismatch::new("a record that does not end")),
        }
    }
}

impl<T: Fields + Default> Default for Builder<T> {
    fn default() -> Self {
        Builder::new()
    }
}

impl Frame {
    fn new(record: Box<dyn Open>, at: Slot, shape: Option<Arc<Shape>>) -> Self {
        Frame {
            record,
            at,
            shape,
            met: Vec::new(),
        }
    }

    #[cold]
    fn name(&self, field: u32) -> String {
        let name = self.shape.as_ref().and_then(|shape| shape.field(field as usize));
        name.map_or_else(|| format!("field {field}"), str::to_owned)
    }
}

#[cold]
fn no_field() -> Mismatch {
    Mismatch::new("a field that this type does not have")
}

impl<T> Builder<T> {
    #[inline(always)]
    fn put(&mut self, at: Slot, input: Input<'_, '_>) {
        if self.lost > 0 {
            return;
        }
        self.flush();
        let checks = self.checks;
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        if checks {
            frame.met.push(at.field);
        }
        let put = match frame.record.place(at.field as usize) {
            Some(place) => place.put(at.many, input),
            None => Err(no_field()),
        };
        if let Err(error) = put {
            self.fail_at(at, error);
        }
    }

    /// Puts the array where it belongs: something else comes.
    #[inline(always)]
    fn flush(&mut self) {
        if self.array.is_some() {
            self.flush_array();
        }
    }

    #[inline(never)]
    fn flush_array(&mut self) {
        match self.array.take() {
            Some((at, Array::Column(column))) => self.put(at, Input::Column(column)),
            Some((at, Array::Rows(rows))) => self.put(at, Input::Rows(rows)),
            None => {}
        }
    }

    /// Whether the innermost record has all it must have.
    fn check(&mut self) {
        let Some(frame) = self.frames.last().filter(|_| self.checks) else {
            return;
        };
        let missing = frame.record.must_have().iter().find(|f| !frame.met.contains(f));
        if let Some(&field) = missing {
            let error = Mismatch::new("missing").at(&frame.name(field));
            self.fail(error);
        }
    }

    /// As [`Builder::fail`], for an error at a field of the innermost record.
    #[cold]
    fn fail_at(&mut self, at: Slot, error: Mismatch) {
        let name = self.frames.last().map(|frame| frame.name(at.field));
        self.fail(error.at(&name.unwrap_or_default()));
    }

    /// Keeps the first error, with the path to it.
    #[cold]
    fn fail(&mut self, error: Mismatch) {
        if self.error.is_none() {
            let inner = self.frames.windows(2).rev();
            let path = inner.filter_map(|w| Some(w.first()?.name(w.get(1)?.at.field)));
            self.error = Some(path.fold(error, |error, name| error.at(&name)));
        }
    }

    /// The array to append to: the one at hand when `fits` says so, else a new one.
    fn array(
        &mut self,
        at: Slot,
        fits: impl Fn(&Array) -> bool,
        new: impl FnOnce() -> Array,
    ) -> Option<&mut Array> {
        if self.lost > 0 || !at.many {
            return None;
        }
        let same = matches!(&self.array, Some((known, array)) if *known == at && fits(array));
        if !same {
            self.flush();
            self.array = Some((at, new()));
        }
        self.array.as_mut().map(|(_, array)| array)
    }
}

impl<T> Sink for Builder<T> {
    fn scalar(&mut self, at: Slot, value: Scalar<'_>) {
        self.put(at, Input::Scalar(value));
    }

    fn nil(&mut self, at: Slot) {
        self.put(at, Input::Nil);
    }

    fn xml(&mut self, at: Slot, text: String) {
        self.put(at, Input::Xml(text));
    }

    fn attribute(&mut self, at: Slot, name: String, value: &str) {
        self.put(at, Input::Attribute(name, value));
    }

    fn open(&mut self, at: Slot, shape: &Arc<Shape>) {
        if self.lost > 0 {
            self.lost += 1;
            return;
        }
        self.flush();
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let opened = match frame.record.place(at.field as usize) {
            Some(place) => place.open(shape),
            None => Err(no_field()),
        };
        match opened {
            Ok(record) => self.frames.push(Frame::new(record, at, Some(shape.clone()))),
            Err(error) => {
                self.lost = 1;
                self.fail_at(at, error);
            }
        }
    }

    fn close(&mut self) {
        if self.lost > 0 {
            self.lost -= 1;
            return;
        }
        if self.frames.len() < 2 {
            return;
        }
        self.flush();
        self.check();
        if let Some(Frame { record, at, .. }) = self.frames.pop() {
            self.put(at, Input::Record(record));
        }
    }

    fn record(&mut self, at: Slot, shape: &Arc<Shape>, values: &mut Vec<(u32, Scalar<'_>)>) {
        if self.checks {
            // The fields are counted where they are put one by one.
            self.open(at, shape);
            for (field, value) in values.drain(..) {
                self.scalar(Slot { field, many: false }, value);
            }
            self.close();
        } else {
            self.put(at, Input::Flat(shape, values));
        }
        values.clear();
    }

    fn packed(&mut self, at: Slot, packed: &Packed<'_>) {
        // Each record of a packed has all its fields, so there is nothing to check.
        self.put(at, Input::Packed(packed));
    }

    fn read_lines(&mut self, at: Slot, lines: &LinesIn<'_>) -> Option<(u32, usize)> {
        if self.lost > 0 {
            return None;
        }
        self.flush();
        let frame = self.frames.last_mut()?;
        let read = frame.record.place(at.field as usize)?.read_lines(lines)?;
        if self.checks {
            frame.met.push(at.field);
        }
        Some(read)
    }

    fn texts(&mut self, at: Slot, texts: &[&str]) {
        self.put(at, Input::Texts(texts));
    }

    fn column(&mut self, at: Slot, dtype: DType) -> Option<&mut ColumnBuf> {
        let fits = |array: &Array| matches!(array, Array::Column(column) if column.dtype() == dtype);
        match self.array(at, fits, || Array::Column(ColumnBuf::new(dtype)))? {
            Array::Column(column) => Some(column),
            Array::Rows(_) => None,
        }
    }

    fn rows(&mut self, at: Slot, layout: &Arc<RowLayout>) -> Option<&mut Rows> {
        let fits = |array: &Array| matches!(array, Array::Rows(rows) if Arc::ptr_eq(rows.layout(), layout));
        match self.array(at, fits, || Array::Rows(Rows::new(layout.clone())))? {
            Array::Rows(rows) => Some(rows),
            Array::Column(_) => None,
        }
    }
}
