//! Lists whose items the source gives some at a time: texts, and flat records.

use std::ops::Range;

use castile_lexical as lexical;
use castile_message::Marks;
use castile_plan::{Builtin, ComplexId, Field, SimpleId, Tags, TypeId};
use castile_value::{Column, Items, Packed};

use super::Encoder;
use super::glue::{Constant, Glue, piece};
use super::kernel::{Kernel, NUMBER};
use crate::error::Error;
use crate::scalar::builtin;

/// Items asked for at once: enough that the calls cost nothing, few enough that they stay in the cache.
const ITEMS: usize = 512;

/// A value of a row.
enum Cell<'b> {
    /// A double or an integer, at this byte of its row: what records mostly hold.
    F64(usize),
    I32(usize),
    /// A number of this column.
    Number(Column<'b>, Kernel),
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
            TypeId::Simple(id) if !M::ACTIVE && self.is_free_text(id) => {
                let glue = Glue::new(&[tags], false);
                let put = |this: &mut Self, range| Ok(this.texts(&glue, items, range));
                self.each_range(items, ITEMS, put)
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
        if layout.texts().is_empty() {
            // An array is one mark, and kept as one, however long.
            let whole = M::ACTIVE || self.keep.is_some();
            let step = if whole { items.len() } else { ITEMS };
            return self.each_range(items, step, |this, range| {
                let from = range.start;
                let fits = pack(items, range, &mut packed);
                if fits {
                    let written = this.table(f, tags, packed.table());
                    written.map_err(|e| e.later(from))?;
                }
                Ok(fits)
            });
        }
        let fields = &types.complex(id).fields;
        let free = |f: &Field| match f.ty {
            TypeId::Simple(id) => types.dtype(id).is_some() || self.is_free_text(id),
            _ => false,
        };
        if M::ACTIVE || !fields.iter().all(|f| self.is_uniform(f) && free(f)) {
            return Ok(0);
        }
        let mut around = vec![tags];
        around.extend(types.tags(id));
        let glue = Glue::new(&around, self.encoding.is_some());
        self.each_range(items, ITEMS, |this, range| {
            Ok(pack(items, range, &mut packed) && this.rows(&glue, fields, &packed).is_some())
        })
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

    fn texts(&mut self, glue: &Glue, items: &dyn Items, range: Range<usize>) -> bool {
        let mut texts = Vec::with_capacity(range.len());
        let whole = range.len();
        if !items.texts(range, &mut texts) || texts.len() != whole {
            return false;
        }
        let gap = &glue.between[0];
        let mut room = Room::new(self.out, glue);
        let good = texts.iter().all(|text| {
            let plain = room.write(text.len() + gap.room(), |out| {
                castile_xml::copy_plain(text, out).then(|| gap.put(out, text.len()))
            });
            plain || room.append(|out| append_text(text, out) && append(gap, out))
        });
        room.finish(glue);
        good
    }

    /// Writes the rows of a packed; `None` when some value is none of its type.
    fn rows(&mut self, glue: &Glue, fields: &[Field], packed: &Packed<'_>) -> Option<()> {
        let cells = self.cells(fields, packed)?;
        let cells: Vec<(Cell<'_>, &Constant)> = cells.into_iter().zip(&glue.between).collect();
        let around: usize = cells.iter().map(|(_, gap)| NUMBER + gap.room()).sum();
        let mut room = Room::new(self.out, glue);
        let good = packed.rows().enumerate().all(|(row, (numbers, texts))| {
            let bytes = texts.iter().fold(around, |bytes, text| bytes + text.len());
            let plain = room.write(bytes, |out| {
                cells.iter().try_fold(0, |at, (cell, gap)| {
                    let end = cell.put(row, numbers, texts, out, at)?;
                    Some(gap.put(out, end))
                })
            });
            plain
                || room.append(|out| {
                    cells
                        .iter()
                        .all(|(cell, gap)| cell.append(row, numbers, texts, out) && append(gap, out))
                })
        });
        room.finish(glue);
        good.then_some(())
    }

    /// How each field's values are written, in the order of the fields.
    fn cells<'b>(&self, fields: &[Field], packed: &'b Packed<'_>) -> Option<Vec<Cell<'b>>> {
        let layout = packed.layout();
        let (mut numbers, mut texts) = (0.., 0..layout.texts().len());
        let cell = |(index, f): (usize, &Field)| {
            if layout.texts().contains(&index) {
                return texts.next().map(Cell::Text);
            }
            let k = numbers.next()?;
            let (column, place) = (packed.column(k)?, layout.fields().get(k)?.offset);
            let TypeId::Simple(id) = f.ty else { return None };
            Some(match Kernel::new(self.types, id, &column, self.options).ok()? {
                Kernel::F64 => Cell::F64(place),
                Kernel::I32 => Cell::I32(place),
                kernel => Cell::Number(column, kernel),
            })
        };
        fields.iter().enumerate().map(cell).collect()
    }
}

/// The records of a range as a packed; `false` when they are none of its layout.
fn pack<'s>(items: &'s dyn Items, range: Range<usize>, packed: &mut Packed<'s>) -> bool {
    let whole = range.len();
    packed.truncate(0);
    items.pack(range, packed) && packed.len() == whole
}

impl Cell<'_> {
    /// Writes the value of a row at `at` and gives where it ends; `None` when it is text that has to be looked
    /// at more closely.
    #[inline(always)]
    fn put(&self, row: usize, numbers: &[u8], texts: &[&str], out: &mut [u8], at: usize) -> Option<usize> {
        match *self {
            Cell::F64(offset) => {
                let v = f64::from_ne_bytes(*numbers.get(offset..)?.first_chunk()?);
                Some(at + lexical::write_f64(v, piece(out, at)))
            }
            Cell::I32(offset) => {
                let v = i32::from_ne_bytes(*numbers.get(offset..)?.first_chunk()?);
                Some(at + lexical::write_i32(v, piece(out, at)))
            }
            Cell::Number(ref column, kernel) => Some(at + kernel.put(column, row, piece(out, at))),
            Cell::Text(k) => {
                let text = texts.get(k)?;
                castile_xml::copy_plain(text, out.get_mut(at..)?).then_some(at + text.len())
            }
        }
    }

    /// Appends the value of a row, escaped; `false` when XML cannot carry it.
    fn append(&self, row: usize, numbers: &[u8], texts: &[&str], out: &mut Vec<u8>) -> bool {
        if let Cell::Text(k) = self {
            return texts.get(*k).is_some_and(|text| append_text(text, out));
        }
        let mut number = [0; NUMBER];
        let length = self.put(row, numbers, texts, &mut number, 0);
        out.extend_from_slice(&number[..length.unwrap_or(0)]);
        length.is_some()
    }
}

fn append_text(text: &str, out: &mut Vec<u8>) -> bool {
    let good = castile_xml::check_text(text).is_ok();
    if good {
        castile_xml::escape_text(text, out);
    }
    good
}

fn append(gap: &Constant, out: &mut Vec<u8>) -> bool {
    out.extend_from_slice(gap.bytes());
    true
}

/// The end of the output, with zeros ahead to be written over: one check a row whether there is room, no
/// length kept for each piece.
struct Room<'o> {
    out: &'o mut Vec<u8>,
    /// Where the next row goes.
    at: usize,
}

/// Zeros made at once.
const AHEAD: usize = 4096;

impl<'o> Room<'o> {
    fn new(out: &'o mut Vec<u8>, glue: &Glue) -> Self {
        out.extend_from_slice(&glue.first);
        let at = out.len();
        Room { out, at }
    }

    /// Has `put` write at most so many bytes, and say how many; `None`: none.
    #[inline(always)]
    fn write(&mut self, bytes: usize, put: impl FnOnce(&mut [u8]) -> Option<usize>) -> bool {
        if self.out.len() - self.at < bytes {
            self.grow(bytes);
        }
        let written = put(&mut self.out[self.at..]);
        self.at += written.unwrap_or(0);
        written.is_some()
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, bytes: usize) {
        self.out.resize(self.at + bytes + AHEAD, 0);
    }

    /// Has `put` append what it likes.
    #[cold]
    #[inline(never)]
    fn append(&mut self, put: impl FnOnce(&mut Vec<u8>) -> bool) -> bool {
        self.out.truncate(self.at);
        let good = put(self.out);
        self.at = self.out.len();
        good
    }

    /// Takes back what is not written, and the start of a row that does not come.
    fn finish(self, glue: &Glue) {
        self.out.truncate(self.at - glue.opening);
    }
}
