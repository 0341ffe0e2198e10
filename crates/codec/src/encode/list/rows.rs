//! Lists of texts, and of flat records that have some.

use std::ops::Range;
use std::sync::Arc;

use castile_value::{Column, Items, Packed, RowLayout, Scalar, Value};
use castile_xml::Room;

use super::super::glue::Glue;
use super::super::keep::{glance, stir};
use super::super::kernel::Kernel;
use super::super::packed::{Cell, Place, write_rows};
use super::super::texts::Texts;
use super::Known;

/// How such items are written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RowsWriter {
    layout: Arc<RowLayout>,
    values: Vec<Written>,
    glue: Glue,
}

/// How a value of an item is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Written {
    Text,
    /// The bounds are those of [`Encoder::bounds`](super::Encoder::bounds).
    Number(Kernel, Option<(i64, i64)>),
}

impl RowsWriter {
    pub(super) fn new(layout: &Arc<RowLayout>, values: Vec<Written>, glue: &Glue) -> RowsWriter {
        RowsWriter {
            layout: Arc::clone(layout),
            values,
            glue: glue.clone(),
        }
    }

    /// Values of an item.
    pub(super) fn fields(&self) -> usize {
        self.values.len()
    }

    pub(super) fn first(&self) -> &[u8] {
        &self.glue.first
    }

    pub(super) fn opening(&self) -> usize {
        self.glue.opening
    }

    /// No items, to be packed.
    pub(super) fn packed<'s>(&self) -> Packed<'s> {
        Packed::new(Arc::clone(&self.layout))
    }

    /// The items of a range in the place of what `packed` had; `false` when some are none of the layout.
    pub(super) fn pack<'s>(
        &self,
        items: &'s dyn Items,
        range: Range<usize>,
        packed: &mut Packed<'s>,
    ) -> bool {
        let whole = range.len();
        packed.truncate(0);
        let good = match self.layout.fields() {
            [] if self.values.len() == 1 && pack_texts(items, range.clone(), &mut packed.texts) => true,
            _ => items.pack(range, packed),
        };
        good && packed.len() == whole
    }

    /// What tells some items from others.
    pub(super) fn glance(&self, list: &dyn Items, items: &[usize]) -> Vec<u64> {
        let mut bits = Vec::with_capacity(items.len());
        let mut packed = self.packed();
        for &i in items {
            if !self.pack(list, i..i + 1, &mut packed) {
                return Vec::new();
            }
            let columns: Vec<_> = (0..self.layout.fields().len())
                .map_while(|k| packed.column(k))
                .collect();
            let texts = packed.texts.iter().map(|text| ends(text));
            bits.push(glance(&columns, &[0]).into_iter().chain(texts).fold(0, stir));
        }
        bits
    }

    /// Appends items, each through the start of the next, and what is known of them; `false` when some value cannot
    /// stand there.
    pub(super) fn write(&self, packed: &Packed<'_>, out: &mut Vec<u8>, known: &mut Known) -> bool {
        let Some(cells) = self.cells(packed) else {
            return false;
        };
        let mut numbers = Texts::new(self.layout.fields().len());
        let mut room = Room::new(out);
        let Known { ends, texts, .. } = known;
        let mut sure = texts.len();
        let good = write_rows(
            &self.glue,
            &cells,
            packed,
            &mut numbers,
            &mut room,
            |place| match place {
                Place::Text(at) => texts.push(at as u32),
                Place::Again => texts.truncate(sure),
                Place::End(at) => {
                    ends.push(at as u32);
                    sure = texts.len();
                }
            },
        );
        room.finish(0);
        known.values.extend_from_slice(&packed.numbers);
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

/// Finds the items that may not be as they were: one with a text that had to be escaped is found to be another, and is
/// written to see that it is not.
pub(super) fn find_changed(packed: &Packed<'_>, known: &Known, bytes: &[u8], changed: &mut Vec<usize>) {
    let same_numbers = known.values == packed.numbers;
    let stride = packed.layout().stride();
    let mut places = known.texts.iter();
    for i in 0..known.len() {
        let numbers = i * stride..(i + 1) * stride;
        let mut same = same_numbers || known.values[numbers.clone()] == packed.numbers[numbers];
        for (text, &at) in packed.texts_of(i).iter().zip(places.by_ref()) {
            same &= has_text(bytes, at, text);
        }
        if !same {
            changed.push(i);
        }
    }
}

/// Whether item `new` of a packed is item `old` of those written; one with a text that was escaped is not.
pub(super) fn is_item(packed: &Packed<'_>, new: usize, known: &Known, bytes: &[u8], old: usize) -> bool {
    let stride = packed.layout().stride();
    let mut texts = packed.texts_of(new).iter().zip(known.texts_of(old));
    known.value(old) == &packed.numbers[new * stride..][..stride]
        && texts.all(|(text, &at)| has_text(bytes, at, text))
}

/// Some items of a packed in the place of what `some` had.
pub(super) fn choose<'s>(all: &Packed<'s>, which: &[usize], some: &mut Packed<'s>) {
    some.truncate(0);
    let stride = all.layout().stride();
    for &i in which {
        some.numbers
            .extend_from_slice(&all.numbers[i * stride..(i + 1) * stride]);
        some.texts.extend_from_slice(all.texts_of(i));
    }
}

/// Whether a text, and nothing but it, stands at a place.
fn has_text(bytes: &[u8], at: u32, text: &str) -> bool {
    let (at, end) = (at as usize, at as usize + text.len());
    bytes.get(end) == Some(&b'<') && bytes[at..end] == *text.as_bytes()
}

fn pack_texts<'s>(items: &'s dyn Items, range: Range<usize>, texts: &mut Vec<&'s str>) -> bool {
    if let Some(values) = items.values(range.clone()) {
        texts.extend(values.iter().map_while(Value::as_str));
        return texts.len() == values.len();
    }
    if let Some(strings) = items.strings(range.clone()) {
        texts.extend(strings.iter().map(String::as_str));
        return true;
    }
    items.texts(range, texts)
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
