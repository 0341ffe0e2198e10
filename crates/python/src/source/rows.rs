//! Lists of flat records of numbers as packed rows: one look at each object, and the encoder's way
//! for arrays instead of a call for each value.

use castile_plan::Field;
use castile_value::{DType, RowLayout, Rows};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList};

use super::bind::Binding;
use super::convert::{complex_of, exact_float};
use super::list::{exact_double, exact_int};
use super::{Context, Kept};

/// Items for which it pays.
const ITEMS_MIN: usize = 4;

impl<'a, 'py> Context<'a, 'py> {
    /// The values of a list as rows, when all are typed objects of the field's own type, or all are
    /// dicts, and hold plain numbers that the type holds exactly; `None` leaves the list to others,
    /// who also say what is wrong with it.
    pub(super) fn rows(
        &'a self,
        list: &Bound<'py, PyAny>,
        field: Option<&'a Field>,
    ) -> PyResult<Option<Kept<'a>>> {
        let (Some(id), Ok(list)) = (complex_of(field), list.cast_exact::<PyList>()) else {
            return Ok(None);
        };
        let Some(layout) = self.types.row_layout(id).filter(|_| list.len() >= ITEMS_MIN) else {
            return Ok(None);
        };
        let first = list.get_item(0)?;
        let binding = self.bind(&first, Some(id));
        if !binding.is_own(self.types, id) {
            return Ok(None);
        }
        let mut rows = Rows::new(layout.clone());
        rows.data_mut().reserve(list.len() * layout.stride());
        for object in list {
            let same = object.get_type_ptr() == first.get_type_ptr();
            if !same || push(&mut rows, layout, &object, binding)?.is_none() {
                return Ok(None);
            }
        }
        let rows: &'a Rows = self.row_buffers.alloc(rows);
        Ok(Some(Kept::Table(self.tables.alloc(rows.view()))))
    }
}

/// Appends one object's numbers; `None` when it is not as plain as it must be.
fn push<'py>(
    rows: &mut Rows,
    layout: &RowLayout,
    object: &Bound<'py, PyAny>,
    binding: &Binding<'py>,
) -> PyResult<Option<()>> {
    let dict = match object.cast_exact::<PyDict>() {
        Ok(dict) if dict.len() != layout.fields().len() => return Ok(None),
        Ok(dict) => Some(dict),
        Err(_) => None,
    };
    for (key, field) in binding.keys.iter().zip(layout.fields()) {
        let value = match (dict, &key.member) {
            (Some(dict), _) => dict.get_item(&key.exact)?,
            (None, Some(member)) => member.held(object)?,
            (None, None) => None,
        };
        let Some(()) = value.and_then(|value| write(&value, field.dtype, rows.data_mut())) else {
            return Ok(None);
        };
    }
    Ok(Some(()))
}

/// Appends the bytes of one number.
pub(super) fn write(value: &Bound<'_, PyAny>, dtype: DType, out: &mut Vec<u8>) -> Option<()> {
    let int = || exact_int(value);
    match dtype {
        DType::F64 => {
            let v = exact_float(value).or_else(|| int().and_then(exact_double))?;
            out.extend_from_slice(&v.to_ne_bytes());
        }
        DType::I32 => out.extend_from_slice(&i32::try_from(int()?).ok()?.to_ne_bytes()),
        DType::I64 => out.extend_from_slice(&int()?.to_ne_bytes()),
        DType::I16 => out.extend_from_slice(&i16::try_from(int()?).ok()?.to_ne_bytes()),
        DType::I8 => out.extend_from_slice(&i8::try_from(int()?).ok()?.to_ne_bytes()),
        DType::U64 => out.extend_from_slice(&u64::try_from(int()?).ok()?.to_ne_bytes()),
        DType::U32 => out.extend_from_slice(&u32::try_from(int()?).ok()?.to_ne_bytes()),
        DType::U16 => out.extend_from_slice(&u16::try_from(int()?).ok()?.to_ne_bytes()),
        DType::U8 => out.push(u8::try_from(int()?).ok()?),
        DType::Bool => out.push(value.cast_exact::<PyBool>().ok()?.is_true().into()),
        // A Python float may have more digits than the type: the single values say so.
        DType::F32 => return None,
    }
    Some(())
}
