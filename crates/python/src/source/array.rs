//! NumPy arrays as columns and tables, where they lie.

use castile_plan::{Field, TypeId};
use castile_value::{Column, DType, Table};
use numpy::{PyArrayDescr, PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;

use super::{Context, Kept, Place};
use crate::tracked::Changes;

/// An array, or what stands for one, in the simplest form that has the same values: a
/// one-dimensional array of numbers in native byte order, or a list.
pub(super) fn plain<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    value
        .py()
        .import("castile._arrays")?
        .call_method1(intern!(value.py(), "plain"), (value,))
}

impl<'a, 'py> Context<'a, 'py> {
    /// An array of numbers or of flat records without a copy, any other by way of [`plain`].
    pub(super) fn array(
        &'a self,
        array: Bound<'py, PyUntypedArray>,
        field: Option<&'a Field>,
        place: Place<'a>,
    ) -> PyResult<Kept<'a>> {
        if self.is_binary(field) && array.dtype().itemsize() == 1 && array.is_c_contiguous() {
            let array = self.keep(array.into_any()).cast::<PyUntypedArray>()?;
            return Ok(Kept::Bytes(memory(array)));
        }
        if let Some(kept) = self.in_place(&array)? {
            return Ok(kept);
        }
        if array.ndim() > 1
            && self.has_dimensions(field)
            && let Some(kept) = self.grid(&array)?
        {
            return Ok(kept);
        }
        if array.ndim() > 1 && self.inner_of_array_type(field).is_some() {
            // An array of arrays: one a row.
            let rows = array.call_method0(intern!(self.py, "__iter__"))?;
            let rows = self.py.get_type::<pyo3::types::PyList>().call1((rows,))?;
            return self.list(rows, field, place);
        }
        let plain = plain(array.as_any())?;
        match plain.cast::<PyUntypedArray>() {
            Ok(array) => match self.in_place(array)? {
                Some(kept) => Ok(kept),
                None => {
                    let items = plain.call_method0(intern!(self.py, "__iter__"))?;
                    self.list(
                        self.py.get_type::<pyo3::types::PyList>().call1((items,))?,
                        field,
                        place,
                    )
                }
            },
            Err(_) => self.list_or_one(plain, field, place),
        }
    }

    /// An array that tells its changes. Only a whole one does: of a part of it, and where a conversion
    /// is needed, everything is compared.
    pub(super) fn tracked(
        &'a self,
        value: &Bound<'py, PyAny>,
        field: Option<&'a Field>,
        place: Place<'a>,
    ) -> PyResult<Kept<'a>> {
        let array = value.getattr(intern!(self.py, "_array"))?;
        let told = value.getattr(intern!(self.py, "_told"))?;
        let kept = self.array(array.cast_into::<PyUntypedArray>()?, field, place)?;
        let Ok(told) = told.cast::<Changes>() else {
            return Ok(kept);
        };
        let changes: &'a castile_value::Changes = self.changes.alloc(told.get().told());
        let told = |column: &Column<'a>| column.with_changes(changes);
        Ok(match kept {
            Kept::Column(column) => Kept::Column(self.columns.alloc(told(column))),
            Kept::Table(table) => {
                let columns = table.columns().iter().map(|(name, column)| (*name, told(column)));
                let table = Table::new(columns.collect());
                table.map_or(kept, |table| Kept::Table(self.tables.alloc(table)))
            }
            kept => kept,
        })
    }

    /// Whether the field is an array of SOAP encoding with several dimensions, or anything at all.
    fn has_dimensions(&self, field: Option<&Field>) -> bool {
        match field.map(|f| f.ty) {
            Some(TypeId::Complex(id)) => self.types.complex(id).array.is_some_and(|rank| rank > 1),
            Some(TypeId::Any) => true,
            _ => false,
        }
    }

    /// An array of several dimensions of numbers, copied only if its rows do not follow one another.
    fn grid(&'a self, array: &Bound<'py, PyUntypedArray>) -> PyResult<Option<Kept<'a>>> {
        let flat = array.call_method1(intern!(self.py, "reshape"), (-1,))?;
        let sizes: &'a Vec<usize> = self.sizes.alloc(array.shape().to_vec());
        Ok(match self.in_place(flat.cast::<PyUntypedArray>()?)? {
            Some(Kept::Column(column)) => Some(Kept::Grid(sizes, column)),
            _ => None,
        })
    }

    fn list_or_one(
        &'a self,
        value: Bound<'py, PyAny>,
        field: Option<&'a Field>,
        place: Place<'a>,
    ) -> PyResult<Kept<'a>> {
        match value.is_instance_of::<pyo3::types::PyList>() {
            true => self.list(value, field, place),
            false => Ok(self.convert(value, field, place)),
        }
    }

    /// The array as a column or table over its own memory; `None` when that takes a conversion.
    fn in_place(&'a self, array: &Bound<'py, PyUntypedArray>) -> PyResult<Option<Kept<'a>>> {
        if array.ndim() != 1 {
            return Ok(None);
        }
        let dtype = array.dtype();
        if dtype.has_fields() {
            return self.table(array, &dtype);
        }
        let Some(machine) = machine_type(&dtype) else {
            return Ok(None);
        };
        let Some(stride) = stride(array) else {
            return Ok(None);
        };
        let len = array.len();
        let array = self.keep(array.clone().into_any()).cast::<PyUntypedArray>()?;
        let column = Column::new(memory(array), stride, machine, len);
        Ok(column.map(|column| Kept::Column(self.columns.alloc(column))))
    }

    fn table(
        &'a self,
        array: &Bound<'py, PyUntypedArray>,
        dtype: &Bound<'py, PyArrayDescr>,
    ) -> PyResult<Option<Kept<'a>>> {
        let Some(stride) = stride(array) else {
            return Ok(None);
        };
        let array = self.keep(array.clone().into_any()).cast::<PyUntypedArray>()?;
        let data = memory(array);
        let len = array.len();
        let mut columns = Vec::new();
        for name in dtype.names().unwrap_or_default() {
            let (field, offset) = dtype.get_field(&name)?;
            let Some(machine) = machine_type(&field) else {
                return Ok(None);
            };
            let rest = if len == 0 {
                Some(&[][..])
            } else {
                data.get(offset..)
            };
            let Some(column) = rest.and_then(|rest| Column::new(rest, stride, machine, len)) else {
                return Ok(None);
            };
            let name: &'a String = self.texts.alloc(name);
            columns.push((name.as_str(), column));
        }
        let Some(table) = Table::new(columns) else {
            return Ok(None);
        };
        let table: &'a Table<'a> = self.tables.alloc(table);
        Ok(Some(Kept::Table(table)))
    }
}

/// Bytes from one value to the next; `None` when values overlap or go backwards.
fn stride(array: &Bound<'_, PyUntypedArray>) -> Option<usize> {
    let size = array.dtype().itemsize();
    let stride = array.strides().first().copied().unwrap_or(0);
    if array.len() <= 1 {
        return Some(size);
    }
    usize::try_from(stride).ok().filter(|&stride| stride >= size)
}

/// The machine type of a plain number in native byte order.
pub(super) fn machine_type(dtype: &Bound<'_, PyArrayDescr>) -> Option<DType> {
    if dtype.has_fields() || dtype.has_subarray() || dtype.is_native_byteorder() == Some(false) {
        return None;
    }
    Some(match (dtype.kind(), dtype.itemsize()) {
        (b'b', 1) => DType::Bool,
        (b'i', 1) => DType::I8,
        (b'i', 2) => DType::I16,
        (b'i', 4) => DType::I32,
        (b'i', 8) => DType::I64,
        (b'u', 1) => DType::U8,
        (b'u', 2) => DType::U16,
        (b'u', 4) => DType::U32,
        (b'u', 8) => DType::U64,
        (b'f', 4) => DType::F32,
        (b'f', 8) => DType::F64,
        _ => return None,
    })
}

/// The bytes from the first value to the end of the last. The caller has checked with [`stride`]
/// that values lie one behind the other (or that the array is contiguous) and keeps the array
/// alive as long as the bytes are used.
pub(super) fn memory<'a>(array: &'a Bound<'_, PyUntypedArray>) -> &'a [u8] {
    let size = array.dtype().itemsize();
    let count = array.len();
    if count == 0 || size == 0 {
        return &[];
    }
    let span = match (array.ndim(), stride(array)) {
        (1, Some(stride)) => (count - 1) * stride + size,
        _ => count * size,
    };
    // SAFETY: `as_array_ptr` is the live object behind `array`, whose `data` points to the first
    // value. NumPy guarantees that each value lies inside one allocation which the array (or its
    // base, which it holds) owns; `span` ends with the last value. The array outlives `'a`.
    // Python could write to the memory meanwhile, but only from this thread, which holds the
    // interpreter lock, and no Python code runs inside the codec's loops over a column.
    unsafe { std::slice::from_raw_parts((*array.as_array_ptr()).fields.data.cast::<u8>(), span) }
}
