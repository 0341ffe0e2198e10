//! Lists of flat records that are dynamic values, written from where they lie; single values where they are of the kind
//! that their type suggests.

use std::sync::Arc;

use castile_lexical as lexical;
use castile_message::Marks;
use castile_plan::Field;
use castile_value::{Scalar, Shape, Value};
use castile_xml::{Constant, NUMBER, Room};

use super::Encoder;
use super::glue::Glue;
use super::items::Kernel;
use super::packed::append_text;

/// How the values of a field are written, and what comes after each.
pub(super) type Cell<'g> = (Kernel, &'g Constant);

/// A value that is asked for what a [`Kernel`] writes; `None` when it is of another kind.
pub(super) trait Given {
    fn text(&self) -> Option<&str>;
    fn int(&self) -> Option<i64>;
    fn double(&self) -> Option<f64>;
    fn float(&self) -> Option<f32>;
    fn bool(&self) -> Option<bool>;
}

macro_rules! given {
    ($of:ty, $kind:ident, |$text:ident| $str:expr) => {
        impl Given for $of {
            #[inline(always)]
            fn text(&self) -> Option<&str> {
                match self {
                    $kind::Text($text) => Some($str),
                    _ => None,
                }
            }

            given!(int, i64, $kind::Int);
            given!(double, f64, $kind::Double);
            given!(float, f32, $kind::Float);
            given!(bool, bool, $kind::Bool);
        }
    };
    ($name:ident, $t:ty, $kind:ident::$variant:ident) => {
        #[inline(always)]
        fn $name(&self) -> Option<$t> {
            match self {
                $kind::$variant(v) => Some(*v),
                _ => None,
            }
        }
    };
}

given!(Value, Value, |text| text);
given!(Scalar<'_>, Scalar, |text| text);

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
        let good = records.iter().all(|record| match record.held() {
            Value::Record(record) => {
                record.is_of(shape) && row(cells, around, record.values().iter(), &mut room)
            }
            Value::Map(entries) => {
                let values = entries.iter().map(|(_, value)| value);
                shape.is_of_map(entries) && row(cells, around, values, &mut room)
            }
            _ => false,
        });
        room.finish(glue.opening);
        good
    }
}

/// Writes a record, a value for each cell; `false` when one is of another kind than its type suggests. `around`: the most
/// bytes beside texts.
#[inline(always)]
fn row<'v>(
    cells: &[Cell<'_>],
    around: usize,
    values: impl ExactSizeIterator<Item = &'v Value> + Clone,
    room: &mut Room<'_>,
) -> bool {
    if values.len() != cells.len() {
        return false;
    }
    let text = |value: &Value| value.text().map_or(0, str::len);
    let bytes = values.clone().fold(around, |bytes, value| bytes + text(value));
    let plain = room.write(bytes, |out| {
        let mut at = 0;
        for ((kernel, gap), value) in cells.iter().zip(values.clone()) {
            at = put(*kernel, value, gap, out, at)?;
        }
        Some(at)
    });
    plain
        || room.append(|out| {
            let mut cells = cells.iter().zip(values);
            cells.all(|((kernel, gap), value)| append(*kernel, value, gap, out))
        })
}

/// Writes a value at `at` with what comes after it, and gives where that ends; `None` when it is of another kind,
/// or text that has to be looked at more closely.
#[inline(always)]
pub(super) fn put(
    kernel: Kernel,
    value: &impl Given,
    gap: &Constant,
    out: &mut [u8],
    at: usize,
) -> Option<usize> {
    Some(match kernel {
        Kernel::Text => {
            let text = value.text()?;
            if !castile_xml::copy_plain(text, out.get_mut(at..)?) {
                return None;
            }
            gap.put(out, at + text.len())
        }
        Kernel::Int { least, greatest } => {
            let v = value.int().filter(|v| (least..=greatest).contains(v))?;
            gap.put_after(out, at, |out| lexical::write_i64(v, out))
        }
        Kernel::Double => {
            let v = value.double()?;
            gap.put_after(out, at, |out| lexical::write_f64(v, out))
        }
        Kernel::Float => {
            let v = value.float()?;
            gap.put_after(out, at, |out| lexical::write_f32(v, out))
        }
        Kernel::Bool => {
            let v = value.bool()?;
            gap.put_after(out, at, |out| lexical::write_bool(v, out))
        }
    })
}

/// Appends a value, escaped, with what comes after it; `false` when it is of another kind, or XML cannot carry it.
pub(super) fn append(kernel: Kernel, value: &impl Given, gap: &Constant, out: &mut Vec<u8>) -> bool {
    if let (Kernel::Text, Some(text)) = (kernel, value.text()) {
        return append_text(text, gap, out);
    }
    let start = out.len();
    out.resize(start + NUMBER + gap.room(), 0);
    let end = put(kernel, value, gap, out, start);
    out.truncate(end.unwrap_or(start));
    end.is_some()
}
