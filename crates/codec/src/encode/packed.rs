//! Lists whose items the source gives some at a time: texts, and flat records.

use std::ops::Range;

use castile_message::Marks;
use castile_plan::{Builtin, ComplexId, Field, SimpleId, Tags, TypeId};
use castile_value::{Column, Items, Packed};

use super::Encoder;
use super::glue::{Constant, Glue};
use super::kernel::{Kernel, NUMBER};
use crate::error::Error;
use crate::scalar::builtin;

/// Items asked for at once: enough that the calls cost nothing, few enough that they stay in the cache.
const ITEMS: usize = 512;

/// A value of a row.
enum Cell<'b> {
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
        let mut room = Room::new(self.out, glue);
        let between = &glue.between[0];
        for text in texts {
            if !room.text(text) {
                return false;
            }
            room.constant(between);
        }
        room.finish(glue);
        true
    }

    /// Writes the rows of a packed; `None` when some value is none of its type.
    fn rows(&mut self, glue: &Glue, fields: &[Field], packed: &Packed<'_>) -> Option<()> {
        let cells = self.cells(fields, packed)?;
        let cells: Vec<(Cell<'_>, &Constant)> = cells.into_iter().zip(&glue.between).collect();
        let mut room = Room::new(self.out, glue);
        for (row, (_, texts)) in packed.rows().enumerate() {
            for (cell, gap) in &cells {
                match cell {
                    Cell::Number(column, kernel) => room.number(|out| kernel.put(column, row, out)),
                    Cell::Text(k) => room.text(texts[*k]).then_some(())?,
                }
                room.constant(gap);
            }
        }
        room.finish(glue);
        Some(())
    }

    /// How each field's values are written, in the order of the fields.
    fn cells<'b>(&self, fields: &[Field], packed: &'b Packed<'_>) -> Option<Vec<Cell<'b>>> {
        let layout = packed.layout();
        let (mut numbers, mut texts) = (0.., 0..layout.texts().len());
        let cell = |(index, f): (usize, &Field)| {
            if layout.texts().contains(&index) {
                return texts.next().map(Cell::Text);
            }
            let column = packed.column(numbers.next()?)?;
            let TypeId::Simple(id) = f.ty else { return None };
            let kernel = Kernel::new(self.types, id, &column, self.options).ok()?;
            Some(Cell::Number(column, kernel))
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

/// The end of the output, with zeros ahead to be written over: no check whether a vector has room for
/// each piece, no length kept for each.
struct Room<'o> {
    out: &'o mut Vec<u8>,
    /// Where the next piece goes.
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

    /// At least `bytes` of room.
    #[inline(always)]
    fn ahead(&mut self, bytes: usize) -> &mut [u8] {
        if self.out.len() - self.at < bytes {
            self.grow(bytes);
        }
        &mut self.out[self.at..]
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, bytes: usize) {
        self.out.resize(self.at + bytes + AHEAD, 0);
    }

    #[inline(always)]
    fn constant(&mut self, constant: &Constant) {
        self.ahead(constant.room());
        self.at = constant.put(self.out, self.at);
    }

    #[inline(always)]
    fn number(&mut self, put: impl FnOnce(&mut [u8; NUMBER]) -> usize) {
        let room = self.ahead(NUMBER).first_chunk_mut();
        self.at += put(room.expect("so much room was made"));
    }

    /// `false` when XML cannot carry some character.
    #[inline(always)]
    fn text(&mut self, text: &str) -> bool {
        let plain = castile_xml::copy_plain(text, self.ahead(text.len()));
        self.at += if plain { text.len() } else { 0 };
        plain || self.other_text(text)
    }

    #[cold]
    #[inline(never)]
    fn other_text(&mut self, text: &str) -> bool {
        self.out.truncate(self.at);
        let good = castile_xml::check_text(text).is_ok();
        if good {
            castile_xml::escape_text(text, self.out);
        }
        self.at = self.out.len();
        good
    }

    /// Takes back what is not written, and the start of a row that does not come.
    fn finish(self, glue: &Glue) {
        self.out.truncate(self.at - glue.opening);
    }
}
