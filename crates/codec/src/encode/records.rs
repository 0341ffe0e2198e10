//! Lists of flat records that are dynamic values, written from where they lie.

use std::sync::Arc;

use castile_message::Marks;
use castile_plan::Field;
use castile_value::{Record, Shape, Value};
use castile_xml::{Constant, NUMBER, Room};

use super::Encoder;
use super::dynamic::{Given, append, put};
use super::glue::Glue;
use super::items::Kernel;

/// How the values of flat records are written.
pub(super) struct Cells<'g> {
    cells: Vec<(Kernel, &'g Constant)>,
    /// The most bytes of a record beside texts.
    around: usize,
}

/// What lies where values of records do.
trait Entry {
    fn value(&self) -> &Value;
}

impl Entry for Value {
    #[inline(always)]
    fn value(&self) -> &Value {
        self
    }
}

impl Entry for (String, Value) {
    #[inline(always)]
    fn value(&self) -> &Value {
        &self.1
    }
}

impl<M: Marks> Encoder<'_, M> {
    /// The cells of a flat type's fields; `None` when values of some field need more checks.
    pub(super) fn record_cells<'g>(&self, fields: &[Field], glue: &'g Glue) -> Option<Cells<'g>> {
        let cells = fields.iter().zip(&glue.between);
        let cells: Vec<(Kernel, &Constant)> = cells
            .map(|(f, gap)| Some((self.kernel(f)?, gap)))
            .collect::<Option<_>>()?;
        Some(Cells {
            around: cells.iter().map(|(_, gap)| NUMBER + gap.room()).sum(),
            cells,
        })
    }

    /// Writes records, or maps; `false` when one has another shape, or a value of another kind than its type suggests.
    pub(super) fn dynamic_rows(
        &mut self,
        glue: &Glue,
        cells: &Cells<'_>,
        shape: &Arc<Shape>,
        records: &[Value],
    ) -> bool {
        self.out.extend_from_slice(&glue.first);
        let mut room = Room::new(self.out);
        let mut rest = records;
        while let Some(first) = rest.first() {
            let written = match first.held() {
                Value::Map(entries) => {
                    (shape.is_of_map(entries) && cells.write(&mut room, entries)).then_some(1)
                }
                _ => Record::run(rest, shape)
                    .filter(|(_, values)| cells.write(&mut room, values))
                    .map(|(count, _)| count),
            };
            let Some(behind) = written.and_then(|count| rest.get(count..)) else {
                break;
            };
            rest = behind;
        }
        room.finish(glue.opening);
        rest.is_empty()
    }
}

impl Cells<'_> {
    /// Writes the values of records that lie one behind the other, one for each cell.
    fn write(&self, room: &mut Room<'_>, values: &[impl Entry]) -> bool {
        room.write_each(
            self.around,
            values.chunks_exact(self.cells.len()),
            |record| self.bytes(record),
            |record, out| self.put(record, out),
            |record, out| self.append(record, out),
        )
    }

    /// The most bytes that a record takes.
    fn bytes(&self, record: &[impl Entry]) -> usize {
        let texts = record.iter().filter_map(|entry| entry.value().text());
        texts.fold(self.around, |bytes, text| bytes + text.len())
    }

    /// Writes a record, and gives how many bytes it took; `None` when a value has to be looked at more closely.
    #[inline(always)]
    fn put(&self, record: &[impl Entry], out: &mut [u8]) -> Option<usize> {
        // The last first: so the memory of all records is asked for in equal steps. Measured; why it helps is a guess.
        if let Value::Absent = record.last()?.value() {
            return None;
        }
        let mut at = 0;
        for ((kernel, gap), entry) in self.cells.iter().zip(record) {
            at = put(*kernel, entry.value(), gap, out, at)?;
        }
        Some(at)
    }

    /// Appends a record; `false` when a value is of another kind, or XML cannot carry it.
    fn append(&self, record: &[impl Entry], out: &mut Vec<u8>) -> bool {
        let mut cells = self.cells.iter().zip(record);
        cells.all(|((kernel, gap), entry)| append(*kernel, entry.value(), gap, out))
    }
}
