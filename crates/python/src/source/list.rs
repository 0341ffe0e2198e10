//! Lists of Python values: numbers become one column, everything else is converted one by one.

use std::ops::Range;

use castile_plan::{Field, FieldKind};
use castile_value::{ColumnBuf, DType, Item, Items};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyList, PyString, PyTuple};

use super::convert::{complex_of, exact_float};
use super::{Context, Kept, Place};

/// A list or tuple of any values.
pub(super) struct List<'a, 'py> {
    pub(super) context: &'a Context<'a, 'py>,
    pub(super) object: Bound<'py, PyAny>,
    pub(super) field: Option<&'a Field>,
    pub(super) place: Place<'a>,
}

impl Items for List<'_, '_> {
    fn len(&self) -> usize {
        self.object.len().unwrap_or(0)
    }

    fn item(&self, i: usize) -> Item<'_> {
        let place = Place {
            item: u32::try_from(i).ok(),
            ..self.place
        };
        let value = match self.object.cast_exact::<PyList>() {
            Ok(list) => list.get_item(i),
            Err(_) => self.object.get_item(i),
        };
        match value {
            Ok(value) => self.context.convert(value, self.field, place),
            Err(e) => self.context.fail(&place, e),
        }
        .item()
    }

    fn texts<'s>(&'s self, range: Range<usize>, out: &mut Vec<&'s str>) -> bool {
        let Ok(list) = self.object.cast_exact::<PyList>() else {
            return false;
        };
        range.into_iter().all(|i| {
            let value = list.get_item(i).ok();
            let text = value.and_then(|value| value.cast_into_exact::<PyString>().ok());
            match text.map(|text| self.context.text(text.into_any())) {
                Some(Ok(text)) => {
                    out.push(text);
                    true
                }
                _ => false,
            }
        })
    }
}

impl<'a, 'py> Context<'a, 'py> {
    /// The values of a list or tuple.
    pub(super) fn list(
        &'a self,
        object: Bound<'py, PyAny>,
        field: Option<&'a Field>,
        place: Place<'a>,
    ) -> PyResult<Kept<'a>> {
        // A list for a type that holds nothing but one: its values are those of the field inside.
        let field = match self.inner_of_array_type(field) {
            Some(inner) if place.item.is_some() || !field.is_some_and(|f| f.many) => Some(inner),
            _ => field,
        };
        if let Some(dtype) = self.builtin(field).and_then(|b| b.dtype())
            && let Some(column) = numbers(&object, dtype)?
        {
            let column: &'a ColumnBuf = self.buffers.alloc(column);
            return Ok(Kept::Column(self.columns.alloc(column.view())));
        }
        // Only where no object can be one that stands elsewhere too.
        let alike = !self.has_shared();
        if alike && let Some(rows) = self.rows(&object, field)? {
            return Ok(rows);
        }
        if alike && let Some(plain) = self.plain(&object, field, place)? {
            return Ok(plain);
        }
        Ok(self.items(List {
            context: self,
            object,
            field,
            place: Place { item: None, ..place },
        }))
    }

    /// The repeated element of a type that has only that.
    pub(super) fn inner_of_array_type(&self, field: Option<&Field>) -> Option<&'a Field> {
        let complex = self.types.complex(complex_of(field)?);
        match &complex.fields[..] {
            [inner] if inner.many && inner.kind == FieldKind::Element => Some(inner),
            _ => None,
        }
    }
}

/// The values as a column, when all are plain numbers that it holds exactly.
fn numbers(object: &Bound<'_, PyAny>, dtype: DType) -> PyResult<Option<ColumnBuf>> {
    Ok(match dtype {
        DType::F64 => collect(object, |v| {
            exact_float(v).or_else(|| exact_int(v).and_then(exact_double))
        })?
        .map(ColumnBuf::F64),
        DType::Bool => {
            collect(object, |v| v.cast_exact::<PyBool>().ok().map(|b| b.is_true()))?.map(ColumnBuf::Bool)
        }
        DType::I64 => collect(object, exact_int)?.map(ColumnBuf::I64),
        DType::I32 => collect(object, |v| exact_int(v)?.try_into().ok())?.map(ColumnBuf::I32),
        _ => None,
    })
}

fn collect<T>(
    object: &Bound<'_, PyAny>,
    one: impl Fn(&Bound<'_, PyAny>) -> Option<T>,
) -> PyResult<Option<Vec<T>>> {
    let mut out = Vec::with_capacity(object.len()?);
    if let Ok(list) = object.cast_exact::<PyList>() {
        for value in list {
            let Some(v) = one(&value) else { return Ok(None) };
            out.push(v);
        }
        return Ok(Some(out));
    }
    let Ok(tuple) = object.cast::<PyTuple>() else {
        return Ok(None);
    };
    for value in tuple {
        let Some(v) = one(&value) else { return Ok(None) };
        out.push(v);
    }
    Ok(Some(out))
}

/// The value of exactly an int that fits.
pub(super) fn exact_int(value: &Bound<'_, PyAny>) -> Option<i64> {
    value.cast_exact::<PyInt>().ok()?.extract().ok()
}

/// An int that a double holds exactly.
pub(super) fn exact_double(v: i64) -> Option<f64> {
    (v.unsigned_abs() <= 1 << 53).then_some(v as f64)
}
