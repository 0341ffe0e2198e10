//! What differential sending is offered of lists: [`List`], and how its items are written.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use castile_message::Marks;
use castile_plan::Field;
use castile_value::{Column, DType, Items, Packed, RowLayout, Scalar, Shape, Value};
use castile_xml::Room;

use super::Encoder;
use super::glue::Glue;
use super::keep::glance;
use super::kernel::Kernel;
use super::packed::{Cell, Place, write_rows};
use super::texts::Texts;

/// A list of texts, or of flat records that have texts, about to be written.
pub struct List<'a> {
    items: &'a dyn Items,
    writer: ListWriter,
}

/// How the items of a list are written. Two that are equal write equal items alike.
#[derive(Clone, Debug, PartialEq)]
pub struct ListWriter {
    layout: Arc<RowLayout>,
    values: Vec<Written>,
    glue: Glue,
}

/// Where items lie in what was written of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// Where each item ends.
    pub ends: Vec<u32>,
    /// Where each text of each item begins.
    pub texts: Vec<u32>,
}

/// How a value of an item is written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Written {
    Text,
    /// The bounds are those of [`Encoder::bounds`].
    Number(Kernel, Option<(i64, i64)>),
}

/// An item that is nothing but a text.
static TEXT: LazyLock<Option<Arc<RowLayout>>> = LazyLock::new(|| {
    let shape = Arc::new(Shape::new("", vec!["text".into()]));
    RowLayout::with_texts(shape, &[None]).map(Arc::new)
});

impl List<'_> {
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

    /// The items of a range in the place of what `packed`, which is of the writer's layout, had; `false` when some
    /// are none of it.
    pub fn pack<'s>(&'s self, range: Range<usize>, packed: &mut Packed<'s>) -> bool {
        let whole = range.len();
        packed.truncate(0);
        let good = match self.writer.layout.fields() {
            [] if self.writer.values.len() == 1 && self.pack_texts(range.clone(), &mut packed.texts) => true,
            _ => self.items.pack(range, packed),
        };
        good && packed.len() == whole
    }

    /// What tells some items from others, a few bits for each value: enough to see whether a list is like another.
    /// None when they cannot be packed.
    pub fn glance(&self, items: &[usize]) -> Vec<u64> {
        let mut bits = Vec::with_capacity(items.len() * self.writer.fields());
        let mut packed = Packed::new(Arc::clone(&self.writer.layout));
        for &i in items {
            if !self.pack(i..i + 1, &mut packed) {
                return Vec::new();
            }
            let columns: Vec<_> = (0..self.writer.layout.fields().len())
                .map_while(|k| packed.column(k))
                .collect();
            bits.extend(glance(&columns, &[0]));
            bits.extend(packed.texts.iter().map(|text| ends(text)));
        }
        bits
    }

    fn pack_texts<'s>(&'s self, range: Range<usize>, texts: &mut Vec<&'s str>) -> bool {
        if let Some(values) = self.items.values(range.clone()) {
            texts.extend(values.iter().map_while(Value::as_str));
            return texts.len() == values.len();
        }
        if let Some(strings) = self.items.strings(range.clone()) {
            texts.extend(strings.iter().map(String::as_str));
            return true;
        }
        self.items.texts(range, texts)
    }
}

impl ListWriter {
    /// The layout of an item.
    pub fn layout(&self) -> &Arc<RowLayout> {
        &self.layout
    }

    /// Values of an item.
    pub fn fields(&self) -> usize {
        self.values.len()
    }

    /// What stands before the first item.
    pub fn first(&self) -> &[u8] {
        &self.glue.first
    }

    /// The bytes at the end of an item that belong to the next.
    pub fn opening(&self) -> usize {
        self.glue.opening
    }

    /// Appends items, each through the start of the next, and their places; `false` when some value cannot stand
    /// there: what was appended is to be thrown away.
    pub fn write(&self, packed: &Packed<'_>, out: &mut Vec<u8>, places: &mut Places) -> bool {
        let Some(cells) = self.cells(packed) else {
            return false;
        };
        let mut numbers = Texts::new(self.layout.fields().len());
        let mut room = Room::new(out);
        let mut known = places.texts.len();
        let good = write_rows(
            &self.glue,
            &cells,
            packed,
            &mut numbers,
            &mut room,
            |place| match place {
                Place::Text(at) => places.texts.push(at as u32),
                Place::Again => places.texts.truncate(known),
                Place::End(at) => {
                    places.ends.push(at as u32);
                    known = places.texts.len();
                }
            },
        );
        room.finish(0);
        good && u32::try_from(out.len()).is_ok()
    }

    /// How each value is written; `None` when one is out of its bounds.
    fn cells<'p>(&self, packed: &'p Packed<'_>) -> Option<Vec<Cell<'p>>> {
        let (mut numbers, mut texts) = (0.., 0..);
        let cell = |written: &Written| match *written {
            Written::Text => texts.next().map(Cell::Text),
            Written::Number(kernel, bounds) => {
                let k = numbers.next()?;
                let column = packed.column(k)?;
                let within = bounds.is_none_or(|bounds| is_within(&column, bounds));
                within.then_some(Cell::Number(k, column, kernel))
            }
        };
        self.values.iter().map(cell).collect()
    }
}

/// The length and both ends of a text.
fn ends(text: &str) -> u64 {
    let word = |bytes: &[u8]| bytes.iter().fold(0u64, |word, &byte| word << 8 | u64::from(byte));
    let text = text.as_bytes();
    let (start, end) = (
        text.first_chunk().unwrap_or(&[0; 8]),
        text.last_chunk().unwrap_or(&[0; 8]),
    );
    let short = if text.len() < 8 { word(text) } else { 0 };
    word(start) ^ word(end).rotate_left(7) ^ short ^ (text.len() as u64).rotate_left(32)
}

fn is_within(column: &Column<'_>, (least, greatest): (i64, i64)) -> bool {
    let within = |i| matches!(column.get(i), Some(Scalar::Int(v)) if (least..=greatest).contains(&v));
    (0..column.len()).all(within)
}

impl<M: Marks> Encoder<'_, M> {
    /// Whether somebody keeps a list of texts, which then is not written.
    pub(super) fn keeps_texts(&mut self, glue: &Glue, items: &dyn Items) -> bool {
        match &*TEXT {
            Some(layout) if self.keep.is_some() => self.keeps(layout, vec![Written::Text], glue, items),
            _ => false,
        }
    }

    /// The same for records.
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
        values.is_some_and(|values| self.keeps(layout, values, glue, items))
    }

    fn keeps(
        &mut self,
        layout: &Arc<RowLayout>,
        values: Vec<Written>,
        glue: &Glue,
        items: &dyn Items,
    ) -> bool {
        let writer = ListWriter {
            layout: Arc::clone(layout),
            values,
            glue: glue.clone(),
        };
        let at = self.out.len();
        let list = List { items, writer };
        self.keep.as_mut().is_some_and(|keep| keep.list(at, &list))
    }
}

impl Kernel {
    /// For all values of a machine type, as they are.
    pub(super) fn exact(dtype: DType) -> Kernel {
        match dtype {
            DType::F64 => Kernel::F64,
            DType::F32 => Kernel::F32,
            DType::I32 => Kernel::I32,
            DType::I64 => Kernel::I64,
            DType::U64 => Kernel::U64,
            DType::Bool => Kernel::Bool,
            small => Kernel::Small(small),
        }
    }
}
