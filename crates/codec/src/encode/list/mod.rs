//! What differential sending is offered of lists: [`List`], and how its items are written.
//!
//! ```text
//!   texts, flat records that have some    packed; texts are compared with the bytes written of them
//!   any other records                     printed; what was printed is compared, and kept beside the bytes
//! ```

mod any;
mod known;
mod print;
mod rows;

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use castile_message::Marks;
use castile_plan::{Field, Tags, TypeId, Types};
use castile_value::{Items, Packed, RowLayout, Shape};

use super::Encoder;
use super::glue::Glue;
use super::items::Rest;
use super::kernel::Kernel;
use any::AnyWriter;
use rows::{RowsWriter, Written};

pub use known::Known;

/// A list of texts or of records, about to be written.
pub struct List<'a> {
    items: &'a dyn Items,
    writer: ListWriter,
    types: &'a Types,
}

/// How the items of a list are written. Two that are equal write equal items alike.
#[derive(Clone, Debug, PartialEq)]
pub struct ListWriter(Way);

#[derive(Clone, Debug, PartialEq)]
enum Way {
    Rows(RowsWriter),
    Any(Box<AnyWriter>),
}

/// Some items of a list that follow one another.
pub struct Batch<'s> {
    items: Range<usize>,
    /// As rows; those that are written are gathered anew.
    rows: Option<[Packed<'s>; 2]>,
}

/// An item that is nothing but a text.
static TEXT: LazyLock<Option<Arc<RowLayout>>> = LazyLock::new(|| {
    let shape = Arc::new(Shape::new("", vec!["text".into()]));
    RowLayout::with_texts(shape, &[None]).map(Arc::new)
});

impl<'a> List<'a> {
    /// How many items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// How they are written.
    pub fn writer(&self) -> &ListWriter {
        &self.writer
    }

    /// The values that an item mostly has.
    pub fn fields(&self) -> usize {
        match &self.writer.0 {
            Way::Rows(rows) => rows.fields(),
            Way::Any(any) => any.fields(self.types),
        }
    }

    /// Whether the items are flat: writing them costs little more than comparing them.
    pub fn is_flat(&self) -> bool {
        matches!(self.writer.0, Way::Rows(_))
    }

    /// No items yet.
    pub fn batch<'s>(&self) -> Batch<'s> {
        let rows = match &self.writer.0 {
            Way::Rows(rows) => Some([rows.packed(), rows.packed()]),
            Way::Any(_) => None,
        };
        Batch { items: 0..0, rows }
    }

    /// Has `batch` hold the items of a range; `false` when some cannot be kept.
    pub fn take<'s>(&'s self, range: Range<usize>, batch: &mut Batch<'s>) -> bool {
        batch.items = range.clone();
        match (&self.writer.0, &mut batch.rows) {
            (Way::Rows(writer), Some([all, _])) => writer.pack(self.items, range, all),
            _ => true,
        }
    }

    /// Finds the items that may not be as those were that were written to `bytes`, as many.
    pub fn find_changed(&self, batch: &Batch<'_>, known: &Known, bytes: &[u8], changed: &mut Vec<usize>) {
        match (&self.writer.0, &batch.rows) {
            (Way::Any(writer), _) => {
                writer.find_changed(self.types, self.items, batch.items.clone(), known, changed);
            }
            (Way::Rows(_), Some([all, _])) => rows::find_changed(all, known, bytes, changed),
            (Way::Rows(_), None) => changed.extend(0..known.len()),
        }
    }

    /// Whether item `new` of the batch is item `old` of those that were written to `bytes`. It may be, and not be found
    /// to be.
    pub fn is_item(&self, batch: &Batch<'_>, new: usize, known: &Known, bytes: &[u8], old: usize) -> bool {
        match (&self.writer.0, &batch.rows) {
            (Way::Any(writer), _) => {
                writer.is_item(self.types, self.items, batch.items.start + new, known.value(old))
            }
            (Way::Rows(_), Some([all, _])) => rows::is_item(all, new, known, bytes, old),
            (Way::Rows(_), None) => false,
        }
    }

    /// Appends items of the batch, those with the numbers in `which` or else all, and what is known of them; `false`
    /// when some cannot be written or kept, and what was appended is to be thrown away.
    pub fn write(
        &self,
        batch: &mut Batch<'_>,
        which: Option<&[usize]>,
        out: &mut Vec<u8>,
        known: &mut Known,
    ) -> bool {
        match (&self.writer.0, &mut batch.rows) {
            (Way::Any(writer), _) => {
                let rest = Rest::of(self.items, batch.items.clone(), which);
                writer.write(self.types, &rest, out, known)
            }
            (Way::Rows(writer), Some([all, some])) => match which {
                None => writer.write(all, out, known),
                Some(which) => {
                    rows::choose(all, which, some);
                    writer.write(some, out, known)
                }
            },
            (Way::Rows(_), None) => false,
        }
    }

    /// What tells some items from others, a few bits for each value: enough to see whether a list is like another.
    /// None when they cannot be kept.
    pub fn glance(&self, items: &[usize]) -> Vec<u64> {
        match &self.writer.0 {
            Way::Rows(writer) => writer.glance(self.items, items),
            Way::Any(writer) => {
                let mut print = Vec::new();
                let bits = |&i: &usize| {
                    print.clear();
                    let held = writer.print(self.types, self.items, i, &mut print);
                    held.then(|| digest(&print))
                };
                items.iter().map(bits).collect::<Option<_>>().unwrap_or_default()
            }
        }
    }
}

impl Batch<'_> {
    /// How many items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

impl ListWriter {
    /// What stands before the first item.
    pub fn first(&self) -> &[u8] {
        match &self.0 {
            Way::Rows(rows) => rows.first(),
            Way::Any(_) => &[],
        }
    }

    /// The bytes at the end of an item that belong to the next.
    pub fn opening(&self) -> usize {
        match &self.0 {
            Way::Rows(rows) => rows.opening(),
            Way::Any(_) => 0,
        }
    }
}

/// A number that other bytes hardly have.
fn digest(bytes: &[u8]) -> u64 {
    let word = |bytes: &[u8]| bytes.iter().fold(0u64, |word, &byte| word << 8 | u64::from(byte));
    let add = |sum: u64, word: u64| (sum.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bytes
        .chunks(size_of::<u64>())
        .map(word)
        .fold(bytes.len() as u64, add)
}

impl<M: Marks> Encoder<'_, M> {
    /// Whether somebody keeps a list of texts, which then is not written.
    pub(super) fn keeps_texts(&mut self, glue: &Glue, items: &dyn Items) -> bool {
        match &*TEXT {
            Some(layout) if self.keep.is_some() => {
                self.keeps_rows(RowsWriter::new(layout, vec![Written::Text], glue), items)
            }
            _ => false,
        }
    }

    /// The same for flat records.
    pub(super) fn keeps_records(
        &mut self,
        glue: &Glue,
        layout: &Arc<RowLayout>,
        fields: &[Field],
        items: &dyn Items,
    ) -> bool {
        if self.keep.is_none() {
            return false;
        }
        let mut dtypes = layout.fields().iter().map(|field| field.dtype);
        let written = |(index, f): (usize, &Field)| {
            if layout.texts().contains(&index) {
                return Some(Written::Text);
            }
            let kernel = Kernel::exact(dtypes.next()?);
            Some(Written::Number(kernel, self.bounds(f)?))
        };
        let values: Option<Vec<_>> = fields.iter().enumerate().map(written).collect();
        values.is_some_and(|values| self.keeps_rows(RowsWriter::new(layout, values, glue), items))
    }

    fn keeps_rows(&mut self, writer: RowsWriter, items: &dyn Items) -> bool {
        self.keeps(ListWriter(Way::Rows(writer)), items)
    }

    /// The same for records of any kind, and for values that are looked at one by one.
    pub(super) fn keeps_items(&mut self, f: &Field, tags: &Tags, items: &dyn Items) -> bool {
        let Some(keep) = &self.keep else { return false };
        let apart = keep.apart();
        let is_dear = matches!(f.ty, TypeId::Complex(_) | TypeId::Any) || self.kernel(f).is_none();
        if items.len().saturating_mul(any::fields(self.types, f.ty)) < apart.values
            || self.encoding.is_some()
            || self.says_type
            || !is_dear
            || !items.is_at_rest()
        {
            return false;
        }
        let writer = AnyWriter {
            field: f.clone(),
            tags: tags.clone(),
            declared: self.declared.clone(),
            depth: self.depth,
            borrows: self.borrows,
            version: self.version,
            options: *self.options,
            apart,
        };
        self.keeps(ListWriter(Way::Any(Box::new(writer))), items)
    }

    fn keeps(&mut self, writer: ListWriter, items: &dyn Items) -> bool {
        let (at, types) = (self.out.len(), self.types);
        let list = List { items, writer, types };
        self.keep.as_mut().is_some_and(|keep| keep.list(at, &list))
    }
}
