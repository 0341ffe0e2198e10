//! Lists of flat records that are dynamic values, written from where they lie.

use std::sync::Arc;

use castile_lexical as lexical;
use castile_message::Marks;
use castile_plan::Field;
use castile_value::{Shape, Value};
use castile_xml::{Constant, NUMBER, Room};

use super::Encoder;
use super::glue::Glue;
use super::items::Kernel;
use super::packed::append_text;

/// How the values of a field are written, and what comes after each.
pub(super) type Cell<'g> = (Kernel, &'g Constant);

impl<M: Marks> Encoder<'_, M> {
    /// The cells of a flat type's fields; `None` when values of some field need more checks.
    pub(super) fn dynamic_cells<'g>(&self, fields: &[Field], glue: &'g Glue) -> Option<Vec<Cell<'g>>> {
        let cells = fields.iter().zip(&glue.between);
        cells.map(|(f, gap)| Some((self.kernel(f)?, gap))).collect()
    }

    /// Writes records; `false` when one has another shape, or values of another kind than its type suggests.
    pub(super) fn dynamic_rows(
        &mut self,
        glue: &Glue,
        cells: &[Cell<'_>],
        shape: &Arc<Shape>,
        records: &[Value],
    ) -> bool {
        let around: usize = cells.iter().map(|(_, gap)| NUMBER + gap.room()).sum();
        self.out.extend_from_slice(&glue.first);
        let mut room = Room::new(self.out);
        let good = records.iter().all(|record| {
            let Value::Record(record) = record else {
                return false;
            };
            let values = record.values();
            if !Arc::ptr_eq(record.shape(), shape) && record.shape() != shape || values.len() != cells.len() {
                return false;
            }
            let text = |value: &Value| value.as_str().map_or(0, str::len);
            let bytes = values.iter().fold(around, |bytes, value| bytes + text(value));
            let plain = room.write(bytes, |out| {
                let mut at = 0;
                for (k, (kernel, gap)) in cells.iter().enumerate() {
                    at = put(*kernel, values.get(k)?, gap, out, at)?;
                }
                Some(at)
            });
            plain
                || room.append(|out| {
                    let mut cells = cells.iter().zip(values);
                    cells.all(|((kernel, gap), value)| append(*kernel, value, gap, out))
                })
        });
        room.finish(glue.opening);
        good
    }
}

/// Writes a value at `at` with what comes after it, and gives where that ends; `None` when it is of another kind,
/// or text that has to be looked at more closely.
#[inline(always)]
fn put(kernel: Kernel, value: &Value, gap: &Constant, out: &mut [u8], at: usize) -> Option<usize> {
    Some(match (kernel, value) {
        (Kernel::Double, Value::Double(v)) => gap.put_after(out, at, |out| lexical::write_f64(*v, out)),
        (Kernel::Int { least, greatest }, Value::Int(v)) if (least..=greatest).contains(v) => {
            gap.put_after(out, at, |out| lexical::write_i64(*v, out))
        }
        (Kernel::Text, Value::Text(text)) if castile_xml::copy_plain(text, out.get_mut(at..)?) => {
            gap.put(out, at + text.len())
        }
        (Kernel::Float, Value::Float(v)) => gap.put_after(out, at, |out| lexical::write_f32(*v, out)),
        (Kernel::Bool, Value::Bool(v)) => gap.put_after(out, at, |out| lexical::write_bool(*v, out)),
        _ => return None,
    })
}

/// Appends a value, escaped, with what comes after it; `false` when it is of another kind, or XML cannot carry it.
fn append(kernel: Kernel, value: &Value, gap: &Constant, out: &mut Vec<u8>) -> bool {
    if let (Kernel::Text, Value::Text(text)) = (kernel, value) {
        return append_text(text, gap, out);
    }
    let start = out.len();
    out.resize(start + NUMBER + gap.room(), 0);
    let end = put(kernel, value, gap, out, start);
    out.truncate(end.unwrap_or(start));
    end.is_some()
}
