//! Arrays of numbers and of flat records: which of them are written in one loop.

use castile_message::Marks;
use castile_plan::{ComplexId, Field, Tags, TypeId};
use castile_value::{Column, Item, Source, Table};
use castile_xml::Room;

use super::Encoder;
use super::element::wrong_kind;
use super::flat::{Flat, RowWriter};
use super::glue::Glue;
use super::keep::Untold;
use super::kernel::{Kernel, Refusal};
use crate::error::{Error, Guilty, Kind};
use crate::scalar::refused;

/// Rows after which an overlaid array asks whether its buffer is full.
const OVERLAID: usize = 1024;

impl<M: Marks> Encoder<'_, M> {
    /// Writes an array of numbers.
    pub(super) fn column(&mut self, f: &Field, tags: &Tags, column: Column<'_>) -> Result<(), Error> {
        let item = |i| column.get(i).map_or(Item::Absent, Item::Scalar);
        let TypeId::Simple(id) = f.ty else {
            return self.one_by_one(f, tags, column.len(), item);
        };
        let kernel = match Kernel::new(self.types, id, &column, self.options) {
            Ok(kernel) if self.is_uniform(f) => kernel,
            Err(Refusal::Changes(why)) => return Err(refused(self.types, id, Guilty::Caller, &why)),
            _ => return self.one_by_one(f, tags, column.len(), item),
        };
        let writer = RowWriter::new(&[(kernel, column)], Glue::new(&[tags], false));
        self.flat(
            Flat {
                columns: vec![column],
                writer,
            },
            || vec![id.0],
        )
    }

    /// Writes an array, unless somebody keeps it. `simples` gives the numbers of a row's types.
    fn flat(&mut self, flat: Flat<'_>, simples: impl FnOnce() -> Vec<u32>) -> Result<(), Error> {
        let bytes = flat.len().saturating_mul(flat.writer.row_bytes_likely());
        self.check_overlay(bytes)?;
        if flat.is_empty() {
            return Ok(());
        }
        if let Some(keep) = &mut self.keep
            && keep.array(self.out.len(), &flat).map_err(untold)?
        {
            return Ok(());
        }
        let Flat { columns, writer } = &flat;
        self.out.extend_from_slice(writer.first());
        let start = self.out.len();
        let mut lengths = Vec::new();
        let note = |length| {
            if M::ACTIVE {
                lengths.push(length);
            }
        };
        if self.drain.is_some() {
            return self.overlaid(&flat);
        }
        self.out.reserve(bytes.saturating_add(RowWriter::NUMBER));
        let mut room = Room::new(self.out);
        writer.write(columns, 0..flat.len(), &mut room, note);
        room.finish(writer.opening());
        if M::ACTIVE {
            self.marks.array(&simples(), start, &writer.gaps(), &lengths);
        }
        Ok(())
    }

    /// Writes the rows through the buffer, which is handed on whenever it is full.
    fn overlaid(&mut self, flat: &Flat<'_>) -> Result<(), Error> {
        let Flat { columns, writer } = flat;
        for from in (0..flat.len()).step_by(OVERLAID) {
            // Not after the last row, which leads into one that does not come.
            self.drained()?;
            let rows = from..flat.len().min(from + OVERLAID);
            let mut room = Room::new(self.out);
            writer.write(columns, rows, &mut room, |_| {});
            room.finish(0);
        }
        self.out.truncate(self.out.len() - writer.opening());
        self.drained()
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
                .map_err(|e| e.within(format!("[{}]", i + 1)))?;
            self.drained()
        })
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
                    .map_err(|e| e.within(format!("[{}]", i + 1)))?;
                self.drained()
            });
        };
        let mut around = vec![tags];
        around.extend(types.tags(id));
        let writer = RowWriter::new(&columns, Glue::new(&around, self.encoding.is_some()));
        let columns = columns.into_iter().map(|(_, column)| column).collect();
        let simple = |f: &Field| match f.ty {
            TypeId::Simple(simple) => simple.0,
            _ => 0,
        };
        self.flat(Flat { columns, writer }, || {
            types.complex(id).fields.iter().map(simple).collect()
        })
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
        if !self.is_uniform(f)
            || !fields.iter().all(|f| self.is_uniform(f))
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

#[cold]
fn untold(Untold { row }: Untold) -> Error {
    let text = "the value changed, and was not marked as changed";
    Error::caller(Kind::Value, text).within(format!("[{}]", row + 1))
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
