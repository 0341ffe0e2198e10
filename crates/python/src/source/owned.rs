//! Arguments that hold big arrays as values of their own, so that the interpreter lock need not be held
//! while they are written: the arrays are copied, since they could change meanwhile. Copying costs
//! some hundredths of what writing the numbers does.

use castile_plan::{Builtin, ComplexId, Field, TypeId, Types, Variety};
use castile_value::{Column, ColumnBuf, DType, RowLayout, Rows, Shape, Value};
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};

use super::array::{machine_type, memory};

/// Bytes of arrays from which it pays: writing them takes a tenth of a millisecond.
const BYTES_MIN: usize = 64 * 1024;

/// The arguments, when they are a dict of plain values and of arrays that take no conversion.
pub(crate) fn owned(
    types: &Types,
    complex: ComplexId,
    arguments: &Bound<'_, PyAny>,
) -> Option<Vec<(String, Value)>> {
    let arguments = arguments.cast_exact::<PyDict>().ok()?;
    let fields = &types.complex(complex).fields;
    let is_big = |value: Bound<'_, PyAny>| {
        let array = value.cast::<PyUntypedArray>();
        array.is_ok_and(|a| a.len().saturating_mul(a.dtype().itemsize()) >= BYTES_MIN)
    };
    if !arguments.iter().any(|(_, value)| is_big(value)) {
        return None;
    }
    let one = |(key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let name = key.cast_exact::<PyString>().ok()?.to_str().ok()?.to_owned();
        let field = fields.iter().find(|f| *f.name == *name)?;
        let value = plain(&value).or_else(|| array(types, field, &value))?;
        Some((name, value))
    };
    arguments.iter().map(one).collect()
}

fn plain(value: &Bound<'_, PyAny>) -> Option<Value> {
    if let Ok(v) = value.cast_exact::<PyFloat>() {
        return Some(Value::Double(v.value()));
    }
    if let Ok(v) = value.cast_exact::<PyInt>() {
        return v.extract().ok().map(Value::Int);
    }
    if let Ok(v) = value.cast_exact::<PyBool>() {
        return Some(Value::Bool(v.is_true()));
    }
    let text = value.cast_exact::<PyString>().ok()?.to_str().ok()?;
    Some(Value::Text(text.to_owned()))
}

/// A one-dimensional array without gaps, of numbers or of packed records of numbers.
fn array(types: &Types, field: &Field, value: &Bound<'_, PyAny>) -> Option<Value> {
    let array = value.cast::<PyUntypedArray>().ok()?;
    // Masked arrays and others that add a meaning are not just their memory.
    let class = value.get_type().name().ok()?;
    let is_plain = class == "ndarray" || class == "recarray";
    if !is_plain || array.ndim() != 1 || !array.is_c_contiguous() || is_binary(types, field) {
        return None;
    }
    let dtype = array.dtype();
    let bytes = memory(array);
    if let Some(machine) = machine_type(&dtype) {
        let column = Column::new(bytes, machine.size(), machine, array.len())?;
        return Some(Value::Column(copied(&column)));
    }
    let mut offset = 0;
    let (mut names, mut machines) = (Vec::new(), Vec::new());
    for name in dtype.names()? {
        let (inner, at) = dtype.get_field(&name).ok()?;
        let machine = machine_type(&inner).filter(|_| at == offset)?;
        offset += machine.size();
        names.push(name.into());
        machines.push(machine);
    }
    if offset != dtype.itemsize() {
        return None;
    }
    let mut rows = Rows::new(RowLayout::packed(Shape::new("", names).into(), &machines)?.into());
    rows.data_mut().extend_from_slice(bytes);
    Some(rows.into())
}

fn is_binary(types: &Types, field: &Field) -> bool {
    let TypeId::Simple(id) = field.ty else {
        return false;
    };
    let variety = &types.simple(id).variety;
    matches!(
        variety,
        Variety::Atomic(Builtin::Base64Binary | Builtin::HexBinary)
    )
}

/// The numbers of a column without gaps.
fn copied(column: &Column<'_>) -> ColumnBuf {
    macro_rules! copy {
        ($($dtype:ident $t:ty),*) => {
            match column.dtype() {
                DType::Bool => ColumnBuf::Bool(column.data().iter().map(|b| *b != 0).collect()),
                $(DType::$dtype => {
                    let (values, _) = column.data().as_chunks();
                    ColumnBuf::$dtype(values.iter().map(|v| <$t>::from_ne_bytes(*v)).collect())
                })*
            }
        };
    }
    copy!(I8 i8, U8 u8, I16 i16, U16 u16, I32 i32, U32 u32, I64 i64, U64 u64, F32 f32, F64 f64)
}
