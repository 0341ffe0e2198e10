//! The batches of a stream in Arrow's form.
//!
//! What is exported owns its memory itself: nothing of Python is needed to release it, on any thread.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;

use castile_plan::{Builtin, ComplexId, TypeId, Types, Variety};
use castile_value::{Column, DType, Value};

use super::{ArrowArray, ArrowArrayStream, ArrowSchema};

/// What gives batches.
pub(crate) trait Batches: Send {
    /// The next; `None` at the end.
    fn next(&mut self) -> Result<Option<Value>, String>;
}

/// A column of each batch.
#[derive(Clone)]
struct Cell {
    name: CString,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Number(DType),
    Text,
}

/// The columns of an array's batches: one for items that are single values, else one a field.
pub(crate) struct Layout {
    cells: Vec<Cell>,
    /// Whether an item is a record.
    records: bool,
}

impl Layout {
    /// The layout of the array in field `field` of a type; `None` where Arrow's form would need more than
    /// numbers, booleans and texts.
    pub(crate) fn of(types: &Types, holder: ComplexId, field: u32) -> Option<Layout> {
        let field = types.complex(holder).fields.get(field as usize)?;
        let cell = |name: &str, ty: TypeId| {
            Some(Cell {
                name: CString::new(name).ok()?,
                kind: kind(types, ty)?,
            })
        };
        if let TypeId::Complex(id) = field.ty {
            types.packed_layout(id)?;
            let cells = types.complex(id).fields.iter().map(|f| cell(&f.name, f.ty));
            return Some(Layout {
                cells: cells.collect::<Option<_>>()?,
                records: true,
            });
        }
        Some(Layout {
            cells: vec![cell(&field.name, field.ty)?],
            records: false,
        })
    }
}

fn kind(types: &Types, ty: TypeId) -> Option<Kind> {
    let TypeId::Simple(id) = ty else { return None };
    match types.dtype(id) {
        Some(dtype) => Some(Kind::Number(dtype)),
        None => matches!(types.simple(id).variety, Variety::Atomic(Builtin::String)).then_some(Kind::Text),
    }
}

struct Exporting {
    batches: Box<dyn Batches>,
    layout: Layout,
    error: CString,
}

/// Batches as a stream of Arrow.
pub(crate) fn stream(batches: Box<dyn Batches>, layout: Layout) -> ArrowArrayStream {
    let exporting = Box::new(Exporting {
        batches,
        layout,
        error: CString::default(),
    });
    ArrowArrayStream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: Some(get_last_error),
        release: Some(release_stream),
        private_data: Box::into_raw(exporting).cast(),
    }
}

/// POSIX's EIO.
const FAILED: c_int = 5;

unsafe extern "C" fn get_schema(stream: *mut ArrowArrayStream, out: *mut ArrowSchema) -> c_int {
    // SAFETY: a consumer calls it with a stream of ours that is not released, and room for the result.
    unsafe {
        let exporting = &*(*stream).private_data.cast::<Exporting>();
        out.write(exporting.layout.schema());
    }
    0
}

unsafe extern "C" fn get_next(stream: *mut ArrowArrayStream, out: *mut ArrowArray) -> c_int {
    // SAFETY: as above; a stream is used by one thread at a time.
    let exporting = unsafe { &mut *(*stream).private_data.cast::<Exporting>() };
    let next = match exporting.batches.next() {
        Ok(None) => Ok(ArrowArray::empty()),
        Ok(Some(batch)) => exporting.layout.array(batch),
        Err(error) => Err(error),
    };
    match next {
        Ok(array) => {
            // SAFETY: it is room for the result.
            unsafe { out.write(array) };
            0
        }
        Err(error) => {
            exporting.error = CString::new(error).unwrap_or_default();
            FAILED
        }
    }
}

unsafe extern "C" fn get_last_error(stream: *mut ArrowArrayStream) -> *const c_char {
    // SAFETY: as above.
    unsafe { (*(*stream).private_data.cast::<Exporting>()).error.as_ptr() }
}

unsafe extern "C" fn release_stream(stream: *mut ArrowArrayStream) {
    // SAFETY: the box was made by `stream`, and is released once.
    unsafe {
        drop(Box::from_raw((*stream).private_data.cast::<Exporting>()));
        (*stream).release = None;
    }
}

impl Layout {
    /// A struct of the columns: a batch of records.
    fn schema(&self) -> ArrowSchema {
        let columns = self
            .cells
            .iter()
            .map(|cell| schema(cell.kind.format(), &cell.name, Vec::new()));
        schema("+s", &CString::default(), columns.collect())
    }

    fn array(&self, batch: Value) -> Result<ArrowArray, String> {
        let count = batch.count();
        let columns: Vec<ArrowArray> = match &batch {
            Value::Column(values) => vec![numbers(&values.view())],
            Value::Rows(rows) => {
                let table = rows.view();
                table
                    .columns()
                    .iter()
                    .map(|(_, column)| numbers(column))
                    .collect()
            }
            _ => {
                let items: Vec<Value> = batch.into_list();
                let column = |(i, cell): (usize, &Cell)| {
                    let values = items.iter().map(|item| match item {
                        Value::Record(record) if self.records => record.values().get(i),
                        item => Some(item).filter(|_| !self.records),
                    });
                    cell.column(values.collect())
                };
                self.cells
                    .iter()
                    .enumerate()
                    .map(column)
                    .collect::<Result<_, _>>()?
            }
        };
        if columns.len() != self.cells.len() {
            return Err("the batch is not of the array's type".to_owned());
        }
        Ok(array(count, 0, vec![Buffer::None], columns))
    }
}

impl Cell {
    /// The values of a column one by one, with those that are missing.
    fn column(&self, values: Vec<Option<&Value>>) -> Result<ArrowArray, String> {
        let is_null = |value: &Option<&Value>| matches!(value, None | Some(Value::Nil | Value::Absent));
        let nulls = values.iter().filter(|value| is_null(value)).count();
        let valid = match nulls {
            0 => Buffer::None,
            _ => Buffer::bits(values.iter().map(|value| !is_null(value))),
        };
        let data = match self.kind {
            Kind::Text => text_buffers(&values),
            Kind::Number(dtype) => number_buffer(dtype, &values).map(|numbers| vec![numbers]),
        };
        let name = self.name.to_string_lossy();
        let data = data.ok_or_else(|| format!("a value of {name} has no place in a column of Arrow"))?;
        let buffers = std::iter::once(valid).chain(data).collect();
        Ok(array(values.len(), nulls, buffers, Vec::new()))
    }
}

impl Kind {
    fn format(self) -> &'static str {
        match self {
            Kind::Text => "U",
            Kind::Number(DType::Bool) => "b",
            Kind::Number(DType::I8) => "c",
            Kind::Number(DType::U8) => "C",
            Kind::Number(DType::I16) => "s",
            Kind::Number(DType::U16) => "S",
            Kind::Number(DType::I32) => "i",
            Kind::Number(DType::U32) => "I",
            Kind::Number(DType::I64) => "l",
            Kind::Number(DType::U64) => "L",
            Kind::Number(DType::F32) => "f",
            Kind::Number(DType::F64) => "g",
        }
    }
}

/// Memory of a column, aligned as its values are.
enum Buffer {
    None,
    Bytes(Vec<u8>),
    Twos(Vec<u16>),
    Fours(Vec<u32>),
    Eights(Vec<u64>),
}

impl Buffer {
    fn bits(bits: impl Iterator<Item = bool>) -> Buffer {
        let mut bytes = Vec::new();
        for (i, bit) in bits.enumerate() {
            if i % 8 == 0 {
                bytes.push(0);
            }
            if let Some(last) = bytes.last_mut() {
                *last |= u8::from(bit) << (i % 8);
            }
        }
        Buffer::Bytes(bytes)
    }

    fn pointer(&self) -> *const c_void {
        match self {
            Buffer::None => ptr::null(),
            Buffer::Bytes(v) => v.as_ptr().cast(),
            Buffer::Twos(v) => v.as_ptr().cast(),
            Buffer::Fours(v) => v.as_ptr().cast(),
            Buffer::Eights(v) => v.as_ptr().cast(),
        }
    }
}

/// A column of numbers that are all there.
fn numbers(column: &Column<'_>) -> ArrowArray {
    let len = column.len();
    let data = match column.dtype().size() {
        _ if column.dtype() == DType::Bool => Buffer::bits((0..len).map(|i| column.bytes::<1>(i) != [0])),
        1 => Buffer::Bytes((0..len).map(|i| column.bytes::<1>(i)[0]).collect()),
        2 => Buffer::Twos((0..len).map(|i| u16::from_ne_bytes(column.bytes(i))).collect()),
        4 => Buffer::Fours((0..len).map(|i| u32::from_ne_bytes(column.bytes(i))).collect()),
        _ => Buffer::Eights((0..len).map(|i| u64::from_ne_bytes(column.bytes(i))).collect()),
    };
    array(len, 0, vec![Buffer::None, data], Vec::new())
}

/// Numbers one by one, zero where one is missing; `None` when one is none of the type.
fn number_buffer(dtype: DType, values: &[Option<&Value>]) -> Option<Buffer> {
    let mut bits = Vec::with_capacity(values.len());
    for value in values {
        bits.push(match value {
            None | Some(Value::Nil | Value::Absent) => 0,
            Some(Value::Bool(v)) => u64::from(*v),
            Some(Value::Int(v)) => v.cast_unsigned(),
            Some(Value::UInt(v)) => *v,
            Some(Value::Float(v)) if dtype == DType::F32 => u64::from(v.to_bits()),
            Some(Value::Double(v)) if dtype == DType::F64 => v.to_bits(),
            Some(_) => return None,
        });
    }
    // The lower bytes of an integer are the same integer where the type holds it, which it does.
    Some(match dtype.size() {
        _ if dtype == DType::Bool => Buffer::bits(bits.iter().map(|bit| *bit != 0)),
        1 => Buffer::Bytes(bits.iter().map(|v| *v as u8).collect()),
        2 => Buffer::Twos(bits.iter().map(|v| *v as u16).collect()),
        4 => Buffer::Fours(bits.iter().map(|v| *v as u32).collect()),
        _ => Buffer::Eights(bits),
    })
}

/// The ends of texts, and the texts; `None` when a value is no text.
fn text_buffers(values: &[Option<&Value>]) -> Option<Vec<Buffer>> {
    let (mut ends, mut bytes) = (vec![0], Vec::new());
    for value in values {
        match value {
            None | Some(Value::Nil | Value::Absent) => {}
            Some(Value::Text(text)) => bytes.extend_from_slice(text.as_bytes()),
            Some(_) => return None,
        }
        ends.push(bytes.len() as u64);
    }
    Some(vec![Buffer::Eights(ends), Buffer::Bytes(bytes)])
}

/// What a schema points to.
struct SchemaParts {
    format: CString,
    name: CString,
    children: Vec<*mut ArrowSchema>,
}

fn schema(format: &str, name: &CString, children: Vec<ArrowSchema>) -> ArrowSchema {
    const NULLABLE: i64 = 2;
    let format = CString::new(format).unwrap_or_default();
    let mut parts = Box::new(SchemaParts {
        children: children
            .into_iter()
            .map(|child| Box::into_raw(Box::new(child)))
            .collect(),
        format,
        name: name.clone(),
    });
    ArrowSchema {
        format: parts.format.as_ptr(),
        name: parts.name.as_ptr(),
        flags: NULLABLE,
        n_children: parts.children.len() as i64,
        children: parts.children.as_mut_ptr(),
        metadata: ptr::null(),
        dictionary: ptr::null_mut(),
        release: Some(release_schema),
        private_data: Box::into_raw(parts).cast(),
    }
}

unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    // SAFETY: the boxes were made by `schema`, and are released once; a child that was moved out has no
    // `release` any more.
    unsafe {
        let parts = Box::from_raw((*schema).private_data.cast::<SchemaParts>());
        parts
            .children
            .iter()
            .for_each(|child| drop(Box::from_raw(*child)));
        (*schema).release = None;
    }
}

/// What an array points to.
struct ArrayParts {
    _buffers: Vec<Buffer>,
    pointers: Vec<*const c_void>,
    children: Vec<*mut ArrowArray>,
}

fn array(count: usize, nulls: usize, buffers: Vec<Buffer>, children: Vec<ArrowArray>) -> ArrowArray {
    let mut parts = Box::new(ArrayParts {
        pointers: buffers.iter().map(Buffer::pointer).collect(),
        children: children
            .into_iter()
            .map(|child| Box::into_raw(Box::new(child)))
            .collect(),
        _buffers: buffers,
    });
    ArrowArray {
        length: count as i64,
        null_count: nulls as i64,
        offset: 0,
        n_buffers: parts.pointers.len() as i64,
        n_children: parts.children.len() as i64,
        buffers: parts.pointers.as_mut_ptr(),
        children: parts.children.as_mut_ptr(),
        dictionary: ptr::null_mut(),
        release: Some(release_array),
        private_data: Box::into_raw(parts).cast(),
    }
}

unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    // SAFETY: as for a schema.
    unsafe {
        let parts = Box::from_raw((*array).private_data.cast::<ArrayParts>());
        parts
            .children
            .iter()
            .for_each(|child| drop(Box::from_raw(*child)));
        (*array).release = None;
    }
}
