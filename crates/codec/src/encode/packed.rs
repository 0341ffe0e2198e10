//! Lists whose items the source gives some at a time: texts, and flat records.

use std::ops::Range;
use std::sync::Arc;

use castile_message::Marks;
use castile_plan::{Builtin, ComplexId, Field, SimpleId, Tags, TypeId};
use castile_value::typed::{CellOut, LinesOut};
use castile_value::{Column, DType, Items, Packed, RowLayout, Value};
use castile_xml::{Constant, NUMBER, Room};

use super::Encoder;
use super::flat::RowWriter;
use super::glue::Glue;
use super::items::Kernel as Scalars;
use super::keep::glance;
use super::kernel::Kernel;
use super::texts::{ROWS, Texts};
use crate::error::Error;
use crate::scalar::builtin;

/// Items asked for at once: enough that the calls cost nothing, few enough that they stay in the cache.
const ITEMS: usize = 128;

/// The same for records without texts, which need little memory.
const NUMBERS: usize = 512;

/// A value of a row.
pub(super) enum Cell<'b> {
    /// A number of this column, the texts of which have this number.
    Number(usize, Column<'b>, Kernel),
    /// The text of this number among those of its row.
    Text(usize),
}

impl<M: Marks> Encoder<'_, M> {
    /// Writes a list whose items can be had some at a time; gives how many it wrote before it came to one
    /// that cannot.
    pub(super) fn some_at_a_time(
        &mut self,
        f: &Field,
        tags: &Tags,
        items: &dyn Items,
    ) -> Result<usize, Error> {
        if items.is_empty() || !self.is_uniform(f) {
            return Ok(0);
        }
        match f.ty {
            TypeId::Simple(id) if !M::ACTIVE && !self.shares_texts() && self.is_free_text(id) => {
                let glue = Glue::new(&[tags], false);
                if self.keeps_texts(&glue, items) {
                    return Ok(items.len());
                }
                self.each_range(items, ITEMS, |this, range| {
                    if let Some(values) = items.values(range.clone()) {
                        return Ok(this.texts(&glue, values.iter().map(Value::as_str)));
                    }
                    if let Some(texts) = items.strings(range.clone()) {
                        return Ok(this.texts(&glue, texts.iter().map(|text| Some(&**text))));
                    }
                    let (mut texts, whole) = (Vec::with_capacity(range.len()), range.len());
                    Ok(items.texts(range, &mut texts)
                        && texts.len() == whole
                        && this.texts(&glue, texts.into_iter().map(Some)))
                })
            }
            TypeId::Complex(id) => self.records(id, f, tags, items),
            _ => Ok(0),
        }
    }

    fn records(&mut self, id: ComplexId, f: &Field, tags: &Tags, items: &dyn Items) -> Result<usize, Error> {
        let types = self.types;
        let Some(layout) = types.packed_layout(id) else {
            return Ok(0);
        };
        let mut packed = Packed::new(layout.clone());
        if layout.texts().is_empty() && (M::ACTIVE || self.is_wanted(layout, items)) {
            // An array is one mark, and kept as one, however long.
            return self.each_range(items, items.len(), |this, range| {
                let fits = pack(items, range, &mut packed);
                if fits {
                    this.table(f, tags, packed.table())?;
                }
                Ok(fits)
            });
        }
        let fields = &types.complex(id).fields;
        let free = |f: &Field| match f.ty {
            TypeId::Simple(id) => types.dtype(id).is_some() || self.is_free_text(id),
            _ => false,
        };
        if M::ACTIVE || self.shares_texts() && !layout.texts().is_empty() {
            return Ok(0);
        }
        if !fields.iter().all(|f| self.is_uniform(f) && free(f)) {
            return Ok(0);
        }
        let mut around = vec![tags];
        around.extend(types.tags(id));
        let glue = Glue::new(&around, self.encoding.is_some());
        if !layout.texts().is_empty() && self.keeps_records(&glue, layout, fields, items) {
            return Ok(items.len());
        }
        let dynamic = self.record_cells(fields, &glue);
        let typed = self.typed_cells(fields, &glue);
        let mut writer = RowWriter::new(&[], glue.clone());
        let mut numbers = Texts::new(layout.fields().len());
        let step = if layout.texts().is_empty() { NUMBERS } else { ITEMS };
        self.each_range(items, step, |this, range| {
            if let Some(cells) = &dynamic
                && let Some(values) = items.values(range.clone())
            {
                return Ok(this.dynamic_rows(&glue, cells, layout.shape(), values));
            }
            if let Some(cells) = &typed
                && this.typed_rows(&glue, cells, layout, items, range.clone())
            {
                return Ok(true);
            }
            let written = pack(items, range, &mut packed).then(|| match layout.texts() {
                [] => this.number_rows(&mut writer, fields, &packed),
                _ => this.rows(&glue, fields, &packed, &mut numbers),
            });
            Ok(written.flatten().is_some())
        })
    }

    /// Whether somebody keeps such records of numbers.
    fn is_wanted(&mut self, layout: &Arc<RowLayout>, items: &dyn Items) -> bool {
        let Some(keep) = &mut self.keep else {
            return false;
        };
        keep.wants(items.len(), layout.fields().len(), &|rows| {
            let mut some = Packed::new(layout.clone());
            if !rows.iter().all(|&row| items.pack(row..row + 1, &mut some)) || some.len() != rows.len() {
                return Vec::new();
            }
            let columns = (0..layout.fields().len()).map_while(|k| some.column(k));
            let rows: Vec<usize> = (0..rows.len()).collect();
            glance(&columns.collect::<Vec<_>>(), &rows)
        })
    }

    /// How a generated type writes the values of a flat type's fields; `None` when it cannot.
    fn typed_cells<'g>(&self, fields: &[Field], glue: &'g Glue) -> Option<Vec<CellOut<'g>>> {
        let cell = |(f, after): (&Field, &'g Constant)| {
            let bounds = self.bounds(f)?;
            Some(CellOut { bounds, after })
        };
        fields.iter().zip(&glue.between).map(cell).collect()
    }

    /// The least and the greatest integer that a field may have, unless it is all of its machine type; `None` when its
    /// values need more checks.
    pub(super) fn bounds(&self, f: &Field) -> Option<Option<(i64, i64)>> {
        let TypeId::Simple(id) = f.ty else { return None };
        let rules = self.types.rules(id).filter(|_| self.options.strict);
        match (self.kernel(f)?, rules, self.types.dtype(id)) {
            (_, None, _) => Some(None),
            (_, _, Some(DType::U64)) => None,
            (Scalars::Int { least, greatest }, ..) => Some(Some((least, greatest))),
            _ => None,
        }
    }

    /// Has the items write themselves; `false`, and nothing is written, when they cannot.
    fn typed_rows(
        &mut self,
        glue: &Glue,
        cells: &[CellOut<'_>],
        layout: &RowLayout,
        items: &dyn Items,
        range: Range<usize>,
    ) -> bool {
        let start = self.out.len();
        self.out.extend_from_slice(&glue.first);
        let mut lines = LinesOut::new(layout, cells, self.out);
        let written = items.write_lines(range, &mut lines);
        lines.finish(glue.opening);
        if !written {
            self.out.truncate(start);
        }
        written
    }

    /// Writes the items range by range until `put` refuses one; gives how many were written.
    fn each_range(
        &mut self,
        items: &dyn Items,
        step: usize,
        mut put: impl FnMut(&mut Self, Range<usize>) -> Result<bool, Error>,
    ) -> Result<usize, Error> {
        let len = items.len();
        for from in (0..len).step_by(step) {
            let start = self.out.len();
            if !put(self, from..len.min(from + step))? {
                self.out.truncate(start);
                return Ok(from);
            }
            self.drained()?;
        }
        Ok(len)
    }

    /// Whether any text is a value of the type.
    fn is_free_text(&self, id: SimpleId) -> bool {
        builtin(self.types, id) == Some(Builtin::String)
            && !(self.options.strict && self.types.rules(id).is_some())
    }

    /// Writes texts; `false` when one is none, or none that XML can carry.
    fn texts<'t>(&mut self, glue: &Glue, texts: impl Iterator<Item = Option<&'t str>>) -> bool {
        let gap = &glue.between[0];
        self.out.extend_from_slice(&glue.first);
        let mut room = Room::new(self.out);
        let good = room.write_each(
            gap.room(),
            texts,
            |text| text.map_or(0, str::len) + gap.room(),
            |text, out| gap.put_after_text(text?, out, 0),
            |text, out| text.is_some_and(|text| append_text(text, gap, out)),
        );
        room.finish(glue.opening);
        good
    }

    /// Writes the rows of a packed that has no texts; `None` when some value is none of its type.
    fn number_rows(&mut self, writer: &mut RowWriter, fields: &[Field], packed: &Packed<'_>) -> Option<()> {
        let column = |(k, f)| self.number(f, packed, k);
        let columns: Vec<(Kernel, Column<'_>)> =
            fields.iter().enumerate().map(column).collect::<Option<_>>()?;
        writer.set(&columns);
        let columns: Vec<Column<'_>> = columns.into_iter().map(|(_, column)| column).collect();
        self.out.extend_from_slice(writer.first());
        let mut room = Room::new(self.out);
        writer.write(&columns, 0..packed.len(), &mut room, |_| {});
        room.finish(writer.opening());
        Some(())
    }

    /// Writes the rows of a packed; `None` when some value is none of its type.
    fn rows(
        &mut self,
        glue: &Glue,
        fields: &[Field],
        packed: &Packed<'_>,
        numbers: &mut Texts,
    ) -> Option<()> {
        let cells = self.cells(fields, packed)?;
        self.out.extend_from_slice(&glue.first);
        let mut room = Room::new(self.out);
        let written = write_rows(glue, &cells, packed, numbers, &mut room, |_| {});
        room.finish(glue.opening);
        written.then_some(())
    }

    /// How each field's values are written, in the order of the fields.
    fn cells<'b>(&self, fields: &[Field], packed: &'b Packed<'_>) -> Option<Vec<Cell<'b>>> {
        let (mut numbers, mut texts) = (0.., 0..);
        let cell = |(index, f): (usize, &Field)| {
            if packed.layout().texts().contains(&index) {
                return texts.next().map(Cell::Text);
            }
            let k = numbers.next()?;
            let (kernel, column) = self.number(f, packed, k)?;
            Some(Cell::Number(k, column, kernel))
        };
        fields.iter().enumerate().map(cell).collect()
    }

    /// The numbers of a field, which are these of the packed ones; `None` when some value is none of its type.
    fn number<'b>(&self, f: &Field, packed: &'b Packed<'_>, k: usize) -> Option<(Kernel, Column<'b>)> {
        let TypeId::Simple(id) = f.ty else { return None };
        let column = packed.column(k)?;
        Some((Kernel::new(self.types, id, &column, self.options).ok()?, column))
    }
}

/// A place in what is written.
pub(super) enum Place {
    /// Where a text begins.
    Text(usize),
    /// The row begins again: forget its texts.
    Again,
    /// Where a row ends.
    End(usize),
}

/// Writes the rows of a packed, and tells `note` the places; `false` when XML cannot carry some text.
#[inline(always)]
pub(super) fn write_rows(
    glue: &Glue,
    cells: &[Cell<'_>],
    packed: &Packed<'_>,
    numbers: &mut Texts,
    room: &mut Room<'_>,
    mut note: impl FnMut(Place),
) -> bool {
    let cells: Vec<(&Cell<'_>, &Constant)> = cells.iter().zip(&glue.between).collect();
    let around: usize = cells.iter().map(|(_, gap)| NUMBER + gap.room()).sum();
    for from in (0..packed.len()).step_by(ROWS) {
        let some = from..packed.len().min(from + ROWS);
        touch(packed, some.clone());
        for (cell, _) in &cells {
            if let Cell::Number(k, column, kernel) = cell {
                numbers.fill(*k, *kernel, column, some.clone());
            }
        }
        for row in some {
            let texts = packed.texts_of(row);
            let bytes = texts.iter().fold(around, |bytes, text| bytes + text.len());
            let (at, row) = (room.at(), row - from);
            let plain = room.write(bytes, |out| {
                put_row(&cells, numbers, row, texts, out, |text| {
                    note(Place::Text(at + text))
                })
            });
            if !plain {
                note(Place::Again);
                if !room.append(|out| append_row(&cells, numbers, row, texts, out, &mut note)) {
                    return false;
                }
            }
            note(Place::End(room.at()));
        }
    }
    true
}

/// The records of a range as a packed; `false` when they are none of its layout.
fn pack<'s>(items: &'s dyn Items, range: Range<usize>, packed: &mut Packed<'s>) -> bool {
    let whole = range.len();
    packed.truncate(0);
    items.pack(range, packed) && packed.len() == whole
}

/// Has the texts of rows in the cache when their turn comes: they lie anywhere, and while numbers are formatted the
/// memory has nothing to do.
fn touch(packed: &Packed<'_>, rows: Range<usize>) {
    let mut touched = 0;
    for row in rows {
        for text in packed.texts_of(row) {
            touched ^= text.as_bytes().first().copied().unwrap_or(0);
        }
    }
    std::hint::black_box(touched);
}

/// Writes a row, tells `note` where its texts begin, and gives where it ends; `None` when a text has to be looked at more closely.
#[inline(always)]
fn put_row(
    cells: &[(&Cell<'_>, &Constant)],
    numbers: &Texts,
    row: usize,
    texts: &[&str],
    out: &mut [u8],
    mut note: impl FnMut(usize),
) -> Option<usize> {
    let mut at = 0;
    for (cell, gap) in cells {
        at = match cell {
            Cell::Number(k, ..) => {
                let (text, length) = numbers.get(*k, row)?;
                gap.put_after(out, at, |number| {
                    *number = *text;
                    length
                })
            }
            Cell::Text(k) => {
                let text = texts.get(*k)?;
                note(at);
                gap.put_after_text(text, out, at)?
            }
        };
    }
    Some(at)
}

/// Appends a row, its texts escaped; `false` when XML cannot carry one.
fn append_row(
    cells: &[(&Cell<'_>, &Constant)],
    numbers: &Texts,
    row: usize,
    texts: &[&str],
    out: &mut Vec<u8>,
    mut note: impl FnMut(Place),
) -> bool {
    cells.iter().all(|(cell, gap)| match cell {
        Cell::Number(k, ..) => numbers.get(*k, row).is_some_and(|(text, length)| {
            out.extend(text.iter().take(length));
            out.extend_from_slice(gap.bytes());
            true
        }),
        Cell::Text(k) => texts.get(*k).is_some_and(|text| {
            note(Place::Text(out.len()));
            append_text(text, gap, out)
        }),
    })
}

/// Appends a text, escaped, with what comes after it; `false` when XML cannot carry it.
pub(super) fn append_text(text: &str, gap: &Constant, out: &mut Vec<u8>) -> bool {
    let good = castile_xml::check_text(text).is_ok();
    if good {
        castile_xml::escape_text(text, out);
        out.extend_from_slice(gap.bytes());
    }
    good
}
