//! Arrays of numbers and of flat records: tag, conversion, tag between, in one loop.

use castile_lexical as lexical;
use castile_message::Marks;
use castile_plan::{Builtin, Field, SimpleId, Tags, TypeId};
use castile_value::{Column, DType, Item, Source, Table};

use super::Encoder;
use super::element::wrong_kind;
use crate::error::{Error, Guilty};
use crate::scalar::{builtin, range, refused};

/// Room for the text of any number.
const NUMBER: usize = 32;
/// Values for which room is made at once: the buffer is cleared before it is written, and a block
/// of this many stays in the cache meanwhile.
const BLOCK: usize = 256;

impl<M: Marks> Encoder<'_, M> {
    /// Writes an array of numbers.
    pub(super) fn column(&mut self, f: &Field, tags: &Tags, column: Column<'_>) -> Result<(), Error> {
        let TypeId::Simple(id) = f.ty else {
            return self.one_by_one(f, tags, column.len(), |i| {
                column.get(i).map_or(Item::Absent, Item::Scalar)
            });
        };
        let kernel = self
            .kernel(id, column.dtype())
            .filter(|_| self.declared.contains(&f.wire.ns) || f.wire.ns.0 == 0);
        let Some(kernel) = kernel else {
            // Another type, checked value by value: an array converts only where no value changes.
            narrows(&column, builtin(self.types, id))
                .map_err(|e| refused(self.types, id, Guilty::Caller, &e))?;
            return self.one_by_one(f, tags, column.len(), |i| {
                column.get(i).map_or(Item::Absent, Item::Scalar)
            });
        };
        let glue = Glue::new(&[tags]);
        let mut lengths = Vec::new();
        let start = self.out.len() + glue.first.len();
        self.out
            .reserve(column.len().saturating_mul(glue.between[0].len + 20) + NUMBER);
        match kernel {
            Kernel::F64 => self.write(&column, &glue, &mut lengths, |b, o| {
                lexical::write_f64(f64::from_ne_bytes(b), o)
            }),
            Kernel::F32 => self.write(&column, &glue, &mut lengths, |b, o| {
                lexical::write_f32(f32::from_ne_bytes(b), o)
            }),
            Kernel::I32 => {
                self.write(&column, &glue, &mut lengths, |b, o| {
                    lexical::write_i64(i32::from_ne_bytes(b).into(), o)
                });
            }
            Kernel::I64 => self.write(&column, &glue, &mut lengths, |b, o| {
                lexical::write_i64(i64::from_ne_bytes(b), o)
            }),
            Kernel::U64 => self.write(&column, &glue, &mut lengths, |b, o| {
                lexical::write_u64(u64::from_ne_bytes(b), o)
            }),
            Kernel::Bool => self.write(&column, &glue, &mut lengths, |[b], o| {
                lexical::write_bool(b != 0, o)
            }),
            Kernel::Small(_) => self.write_small(&column, &glue, &mut lengths),
        }
        if M::ACTIVE && !column.is_empty() {
            self.marks.array(id.0, start, &lengths);
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
            self.element(f, tags, item(i))
                .map_err(|e| e.within(format!("[{}]", i + 1)))
        })
    }

    /// The loop to use when values of this machine type need no check for this simple type.
    fn kernel(&self, id: SimpleId, dtype: DType) -> Option<Kernel> {
        if self.options.digits.is_some() && matches!(dtype, DType::F32 | DType::F64) {
            return None;
        }
        Kernel::new(builtin(self.types, id)?, dtype)
    }

    fn write<const N: usize>(
        &mut self,
        column: &Column<'_>,
        glue: &Glue,
        lengths: &mut Vec<u8>,
        put: impl Fn([u8; N], &mut [u8; NUMBER]) -> usize,
    ) {
        if column.is_empty() {
            return;
        }
        self.out.extend_from_slice(&glue.first);
        let between = &glue.between[0];
        let room = NUMBER + between.room();
        for block in (0..column.len()).step_by(BLOCK) {
            let stop = column.len().min(block + BLOCK);
            let mut at = self.out.len();
            self.out.resize(at + (stop - block) * room, 0);
            for i in block..stop {
                let length = put(column.bytes(i), number_room(self.out, at));
                if M::ACTIVE {
                    lengths.push(length as u8);
                }
                at = between.put(self.out, at + length);
            }
            self.out.truncate(at);
        }
        self.out.truncate(self.out.len() - glue.opening);
    }

    fn write_small(&mut self, column: &Column<'_>, glue: &Glue, lengths: &mut Vec<u8>) {
        let int = |v: i64, o: &mut [u8; NUMBER]| lexical::write_i64(v, o);
        match column.dtype() {
            DType::I8 => self.write(column, glue, lengths, |b, o| int(i8::from_ne_bytes(b).into(), o)),
            DType::U8 => self.write(column, glue, lengths, |b, o| int(u8::from_ne_bytes(b).into(), o)),
            DType::I16 => self.write(column, glue, lengths, |b, o| int(i16::from_ne_bytes(b).into(), o)),
            DType::U16 => self.write(column, glue, lengths, |b, o| int(u16::from_ne_bytes(b).into(), o)),
            _ => self.write(column, glue, lengths, |b, o| int(u32::from_ne_bytes(b).into(), o)),
        }
    }

    /// Writes an array of flat records.
    pub(super) fn table(&mut self, f: &Field, tags: &Tags, table: Table<'_>) -> Result<(), Error> {
        let TypeId::Complex(id) = f.ty else {
            return Err(wrong_kind(self.types, f.ty, &Item::Table(table)));
        };
        let types = self.types;
        let complex = types.complex(id);
        let Some(columns) = self.flat_columns(id, f, &table) else {
            return (0..table.len()).try_for_each(|i| {
                self.element(f, tags, Item::Record(&Row(&table, i)))
                    .map_err(|e| e.within(format!("[{}]", i + 1)))
            });
        };
        if table.is_empty() {
            return Ok(());
        }
        let mut around = vec![tags];
        around.extend(types.tags(id));
        let glue = Glue::new(&around);
        self.out.extend_from_slice(&glue.first);
        let room: usize = glue.between.iter().map(|g| NUMBER + g.room()).sum();
        for block in (0..table.len()).step_by(BLOCK) {
            let stop = table.len().min(block + BLOCK);
            let mut at = self.out.len();
            self.out.resize(at + (stop - block) * room, 0);
            for i in block..stop {
                for (((kernel, column), between), field) in
                    columns.iter().zip(&glue.between).zip(&complex.fields)
                {
                    let length = kernel.put(column, i, number_room(self.out, at));
                    if let (true, TypeId::Simple(simple)) = (M::ACTIVE, field.ty) {
                        self.marks.value(simple.0, at..at + length);
                    }
                    at = between.put(self.out, at + length);
                }
            }
            self.out.truncate(at);
        }
        self.out.truncate(self.out.len() - glue.opening);
        Ok(())
    }

    /// The columns of a flat type's fields with their loops; `None` when the values have to be
    /// written one by one.
    fn flat_columns<'t>(
        &self,
        id: castile_plan::ComplexId,
        f: &Field,
        table: &Table<'t>,
    ) -> Option<Vec<(Kernel, Column<'t>)>> {
        let types = self.types;
        types.row_layout(id)?;
        let fields = &types.complex(id).fields;
        let in_scope = |f: &Field| f.wire.ns.0 == 0 || self.declared.contains(&f.wire.ns);
        if !in_scope(f) || !fields.iter().all(in_scope) || table.columns().len() != fields.len() {
            return None;
        }
        let column = |field: &Field| {
            let TypeId::Simple(simple) = field.ty else {
                return None;
            };
            let column = table.column(&field.name)?;
            Some((self.kernel(simple, column.dtype())?, column))
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

/// How the values of a column are written.
#[derive(Clone, Copy)]
enum Kernel {
    F64,
    F32,
    I32,
    I64,
    U64,
    Bool,
    Small(DType),
}

impl Kernel {
    /// `None` when some value of the machine type is none of the simple type.
    fn new(builtin: Builtin, dtype: DType) -> Option<Kernel> {
        let (least, greatest) = match (builtin, dtype) {
            (Builtin::Double, DType::F64) => return Some(Kernel::F64),
            (Builtin::Float, DType::F32) => return Some(Kernel::F32),
            (Builtin::Boolean, DType::Bool) => return Some(Kernel::Bool),
            // Every such integer is a double or float, and its digits are one of its texts.
            (Builtin::Double, DType::I8 | DType::U8 | DType::I16 | DType::U16 | DType::I32 | DType::U32)
            | (Builtin::Float, DType::I8 | DType::U8 | DType::I16 | DType::U16)
            | (Builtin::Decimal, _) => (i128::MIN, i128::MAX),
            _ => range(builtin)?,
        };
        let (low, high, kernel): (i128, i128, Kernel) = match dtype {
            DType::I8 => (i8::MIN.into(), i8::MAX.into(), Kernel::Small(dtype)),
            DType::U8 => (0, u8::MAX.into(), Kernel::Small(dtype)),
            DType::I16 => (i16::MIN.into(), i16::MAX.into(), Kernel::Small(dtype)),
            DType::U16 => (0, u16::MAX.into(), Kernel::Small(dtype)),
            DType::I32 => (i32::MIN.into(), i32::MAX.into(), Kernel::I32),
            DType::U32 => (0, u32::MAX.into(), Kernel::Small(dtype)),
            DType::I64 => (i64::MIN.into(), i64::MAX.into(), Kernel::I64),
            DType::U64 => (0i128, u64::MAX.into(), Kernel::U64),
            _ => return None,
        };
        (least <= low && high <= greatest).then_some(kernel)
    }

    #[inline(always)]
    fn put(self, column: &Column<'_>, i: usize, out: &mut [u8; NUMBER]) -> usize {
        match self {
            Kernel::F64 => lexical::write_f64(f64::from_ne_bytes(column.bytes(i)), out),
            Kernel::I32 => lexical::write_i64(i32::from_ne_bytes(column.bytes(i)).into(), out),
            Kernel::F32 => lexical::write_f32(f32::from_ne_bytes(column.bytes(i)), out),
            Kernel::I64 => lexical::write_i64(i64::from_ne_bytes(column.bytes(i)), out),
            Kernel::U64 => lexical::write_u64(u64::from_ne_bytes(column.bytes(i)), out),
            Kernel::Bool => lexical::write_bool(column.bytes::<1>(i)[0] != 0, out),
            Kernel::Small(DType::I8) => lexical::write_i64(i8::from_ne_bytes(column.bytes(i)).into(), out),
            Kernel::Small(DType::U8) => lexical::write_i64(u8::from_ne_bytes(column.bytes(i)).into(), out),
            Kernel::Small(DType::I16) => lexical::write_i64(i16::from_ne_bytes(column.bytes(i)).into(), out),
            Kernel::Small(DType::U16) => lexical::write_i64(u16::from_ne_bytes(column.bytes(i)).into(), out),
            Kernel::Small(_) => lexical::write_i64(u32::from_ne_bytes(column.bytes(i)).into(), out),
        }
    }
}

/// Says which value of an array of doubles would change as a float.
fn narrows(column: &Column<'_>, builtin: Option<Builtin>) -> Result<(), String> {
    if builtin != Some(Builtin::Float) || column.dtype() != DType::F64 {
        return Ok(());
    }
    let changes = |v: &f64| !v.is_nan() && f64::from(*v as f32) != *v;
    match column.f64s().enumerate().find(|(_, v)| changes(v)) {
        Some((i, v)) => Err(format!(
            "{v:?}, value {} of an array of float64, is no float: convert the array",
            i + 1
        )),
        None => Ok(()),
    }
}

/// The constant bytes around the values of a repeated element.
struct Glue {
    /// Before the very first value.
    first: Vec<u8>,
    /// After value k of a row; after the last value, through the start of the next row.
    between: Vec<Constant>,
    /// Bytes of the next row's start in the last `between`, to take back at the end.
    opening: usize,
}

impl Glue {
    /// `around`: the repeated element's tags; then, for a record, those of its fields.
    fn new(around: &[&Tags]) -> Glue {
        let open = |tags: &Tags| [&tags.open, b">".as_slice()].concat();
        let outer = around[0];
        let fields = &around[1..];
        let Some((last, before)) = fields.split_last() else {
            let first = open(outer);
            let between = [&outer.close, &first[..]].concat();
            return Glue {
                opening: first.len(),
                first,
                between: vec![Constant::new(&between)],
            };
        };
        let first = [open(outer), open(fields[0])].concat();
        let mut between: Vec<Constant> = before
            .iter()
            .zip(&fields[1..])
            .map(|(a, b)| Constant::new(&[&a.close, &open(b)[..]].concat()))
            .collect();
        between.push(Constant::new(&[&last.close, &outer.close, &first[..]].concat()));
        Glue {
            opening: first.len(),
            first,
            between,
        }
    }
}

/// Bytes that are copied with one or a few wide stores, whatever their length.
struct Constant {
    bytes: Box<[u8]>,
    len: usize,
}

/// Bytes of one store.
const WIDE: usize = 32;

impl Constant {
    fn new(bytes: &[u8]) -> Constant {
        let len = bytes.len();
        let mut padded = bytes.to_vec();
        padded.resize(len.next_multiple_of(WIDE), 0);
        Constant {
            bytes: padded.into(),
            len,
        }
    }

    /// Bytes that `put` may touch.
    fn room(&self) -> usize {
        self.bytes.len()
    }

    /// Writes the bytes at `at` and gives the place after them; what follows may be overwritten.
    #[inline(always)]
    fn put(&self, out: &mut [u8], at: usize) -> usize {
        if let Ok(wide) = <&[u8; WIDE]>::try_from(&*self.bytes) {
            out[at..at + WIDE].copy_from_slice(wide);
        } else {
            out[at..at + self.bytes.len()].copy_from_slice(&self.bytes);
        }
        at + self.len
    }
}

#[inline(always)]
fn number_room(out: &mut [u8], at: usize) -> &mut [u8; NUMBER] {
    let room = out[at..at + NUMBER].first_chunk_mut();
    room.expect("the slice has this length")
}
