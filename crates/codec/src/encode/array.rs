//! Arrays of numbers and of flat records: tag, conversion, tag between, in one loop.

use castile_lexical as lexical;
use castile_message::Marks;
use castile_plan::{ComplexId, Field, Tags, TypeId};
use castile_value::{Column, Item, Items, Rows, Source, Table};

use super::Encoder;
use super::element::wrong_kind;
use super::glue::Glue;
use super::kernel::{Kernel, NUMBER, Refusal};
use crate::error::{Error, Guilty};
use crate::scalar::refused;

/// Values for which room is made at once: the buffer is cleared before it is written, and a block
/// of this many stays in the cache meanwhile.
const BLOCK: usize = 256;

/// Rows that are packed at once: enough that finding the way to write them costs nothing, few enough
/// that they stay in the cache.
const PACKED: usize = 1024;

impl<M: Marks> Encoder<'_, M> {
    /// Writes an array of numbers.
    pub(super) fn column(&mut self, f: &Field, tags: &Tags, column: Column<'_>) -> Result<(), Error> {
        let item = |i| column.get(i).map_or(Item::Absent, Item::Scalar);
        let TypeId::Simple(id) = f.ty else {
            return self.one_by_one(f, tags, column.len(), item);
        };
        let kernel = match Kernel::new(self.types, id, &column, self.options) {
            Ok(kernel) if self.in_scope(f) => kernel,
            Err(Refusal::Changes(why)) => return Err(refused(self.types, id, Guilty::Caller, &why)),
            _ => return self.one_by_one(f, tags, column.len(), item),
        };
        if column.is_empty() {
            return Ok(());
        }
        let glue = Glue::new(&[tags], false);
        let start = self.out.len() + glue.first.len();
        let mut lengths = Vec::new();
        self.out
            .reserve(column.len().saturating_mul(glue.between[0].len + 20) + NUMBER);
        let out = &mut lengths;
        match kernel {
            // A loop of its own for what arrays mostly hold.
            Kernel::F64 => self.write(&column, &glue, out, |c, i, o| {
                lexical::write_f64(f64::from_ne_bytes(c.bytes(i)), o)
            }),
            Kernel::I32 => self.write(&column, &glue, out, |c, i, o| {
                lexical::write_i64(i32::from_ne_bytes(c.bytes(i)).into(), o)
            }),
            Kernel::I64 => self.write(&column, &glue, out, |c, i, o| {
                lexical::write_i64(i64::from_ne_bytes(c.bytes(i)), o)
            }),
            Kernel::F32 => self.write(&column, &glue, out, |c, i, o| {
                lexical::write_f32(f32::from_ne_bytes(c.bytes(i)), o)
            }),
            kernel => self.write(&column, &glue, out, |c, i, o| kernel.put(c, i, o)),
        }
        if M::ACTIVE {
            self.marks.array(&[id.0], start, &glue.gaps(), &lengths);
        }
        Ok(())
    }

    fn one_by_one<'i>(
        &mut self,
        f: &Field,
        tags: &Tags,
        len: usize,
        item: impl Fn(usize) -> Item<'i>,
    ) -> Result<(), Error> {
        (0..len).try_for_each(|i| {
            self.repeated(f, tags, item(i))
                .map_err(|e| e.within(format!("[{}]", i + 1)))
        })
    }

    fn write(
        &mut self,
        column: &Column<'_>,
        glue: &Glue,
        lengths: &mut Vec<u8>,
        put: impl Fn(&Column<'_>, usize, &mut [u8; NUMBER]) -> usize,
    ) {
        self.out.extend_from_slice(&glue.first);
        let between = &glue.between[0];
        let room = NUMBER + between.room();
        for block in (0..column.len()).step_by(BLOCK) {
            let stop = column.len().min(block + BLOCK);
            let mut at = self.out.len();
            self.out.resize(at + (stop - block) * room, 0);
            for i in block..stop {
                let length = put(column, i, number_room(self.out, at));
                if M::ACTIVE {
                    lengths.push(length as u8);
                }
                at = between.put(self.out, at + length);
            }
            self.out.truncate(at);
        }
        self.out.truncate(self.out.len() - glue.opening);
    }

    /// Writes an array of flat records.
    pub(super) fn table(&mut self, f: &Field, tags: &Tags, table: Table<'_>) -> Result<(), Error> {
        let TypeId::Complex(id) = f.ty else {
            return Err(wrong_kind(self.types, f.ty, &Item::Table(table)));
        };
        let types = self.types;
        let Some(columns) = self.flat_columns(id, f, &table) else {
            return (0..table.len()).try_for_each(|i| {
                self.repeated(f, tags, Item::Record(&Row(&table, i)))
                    .map_err(|e| e.within(format!("[{}]", i + 1)))
            });
        };
        if table.is_empty() {
            return Ok(());
        }
        let mut around = vec![tags];
        around.extend(types.tags(id));
        let glue = Glue::new(&around, self.encoding.is_some());
        self.out.extend_from_slice(&glue.first);
        let start = self.out.len();
        let mut lengths = Vec::new();
        let room: usize = glue.between.iter().map(|g| NUMBER + g.room()).sum();
        for block in (0..table.len()).step_by(BLOCK) {
            let stop = table.len().min(block + BLOCK);
            let mut at = self.out.len();
            self.out.resize(at + (stop - block) * room, 0);
            for i in block..stop {
                for ((kernel, column), between) in columns.iter().zip(&glue.between) {
                    let length = kernel.put(column, i, number_room(self.out, at));
                    if M::ACTIVE {
                        lengths.push(length as u8);
                    }
                    at = between.put(self.out, at + length);
                }
            }
            self.out.truncate(at);
        }
        self.out.truncate(self.out.len() - glue.opening);
        if M::ACTIVE {
            let simple = |f: &Field| match f.ty {
                TypeId::Simple(simple) => simple.0,
                _ => 0,
            };
            let simples: Vec<u32> = types.complex(id).fields.iter().map(simple).collect();
            self.marks.array(&simples, start, &glue.gaps(), &lengths);
        }
        Ok(())
    }

    /// Writes a list of flat records that can be had as packed rows, some at a time; `false`, and
    /// nothing is written, when it cannot be.
    pub(super) fn packed(&mut self, f: &Field, tags: &Tags, items: &dyn Items) -> Result<bool, Error> {
        let types = self.types;
        let TypeId::Complex(id) = f.ty else {
            return Ok(false);
        };
        let Some(layout) = types.row_layout(id).filter(|_| self.in_scope(f)) else {
            return Ok(false);
        };
        let (len, start) = (items.len(), self.out.len());
        // An array is one mark, however long.
        let step = if M::ACTIVE { len.max(1) } else { PACKED };
        let mut rows = Rows::new(layout.clone());
        for from in (0..len).step_by(step) {
            let range = from..len.min(from + step);
            let count = range.len();
            let data = rows.data_mut();
            data.clear();
            if !items.pack(range, layout, data) || data.len() != count * layout.stride() {
                self.out.truncate(start);
                return Ok(false);
            }
            self.table(f, tags, rows.view())?;
        }
        Ok(len > 0)
    }

    /// The columns of a flat type's fields with their loops; `None` when the values have to be
    /// written one by one.
    fn flat_columns<'t>(
        &self,
        id: ComplexId,
        f: &Field,
        table: &Table<'t>,
    ) -> Option<Vec<(Kernel, Column<'t>)>> {
        let types = self.types;
        types.row_layout(id)?;
        let fields = &types.complex(id).fields;
        if !self.in_scope(f)
            || !fields.iter().all(|f| self.in_scope(f))
            || table.columns().len() != fields.len()
        {
            return None;
        }
        let column = |field: &Field| {
            let TypeId::Simple(simple) = field.ty else {
                return None;
            };
            let column = table.column(&field.name)?;
            Some((Kernel::new(types, simple, &column, self.options).ok()?, column))
        };
        fields.iter().map(column).collect()
    }
}

/// One row of a table, as a record.
pub(super) struct Row<'t, 'c>(pub(super) &'t Table<'c>, pub(super) usize);

impl Source for Row<'_, '_> {
    fn field(&self, _index: usize, name: &str) -> Item<'_> {
        self.0.get(self.1, name).map_or(Item::Absent, Item::Scalar)
    }

    fn unknown_name(&self, shape: &castile_value::Shape) -> Option<String> {
        self.0
            .columns()
            .iter()
            .map(|(name, _)| *name)
            .find(|n| shape.index(n).is_none())
            .map(str::to_owned)
    }
}

#[inline(always)]
fn number_room(out: &mut [u8], at: usize) -> &mut [u8; NUMBER] {
    let room = out[at..at + NUMBER].first_chunk_mut();
    room.expect("the slice has this length")
}
