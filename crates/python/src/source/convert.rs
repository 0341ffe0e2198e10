//! One Python value as an item of a message.

use castile_plan::{Builtin, ComplexId, Field, TypeId, Variety};
use castile_value::{Decimal, Items, QName, Scalar, Source};
use numpy::PyUntypedArray;
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDate, PyDateTime, PyDelta, PyFloat, PyString, PyTime};

use super::class::Class;
use super::{Context, Kept, Place};
use crate::temporal::{self, Moment, Span};

impl<'a, 'py> Context<'a, 'py> {
    /// A value of a field (unknown: `None`) as an item.
    pub(super) fn convert(
        &'a self,
        value: Bound<'py, PyAny>,
        field: Option<&'a Field>,
        place: Place<'a>,
    ) -> Kept<'a> {
        match self.try_convert(value, field, place) {
            Ok(kept) => kept,
            Err(e) => self.fail(&place, e),
        }
    }

    fn try_convert(
        &'a self,
        value: Bound<'py, PyAny>,
        field: Option<&'a Field>,
        place: Place<'a>,
    ) -> PyResult<Kept<'a>> {
        let class = self.class(&value)?;
        if let Some(number) = self.shared_number(&value, field) {
            return Ok(Kept::Ref(number));
        }
        self.convert_as(class, value, field, place)
    }

    pub(super) fn convert_as(
        &'a self,
        class: Class,
        value: Bound<'py, PyAny>,
        field: Option<&'a Field>,
        place: Place<'a>,
    ) -> PyResult<Kept<'a>> {
        Ok(match class {
            Class::Float => Kept::Double(value.extract()?),
            Class::Int => self.int(&value)?,
            Class::Text if self.takes_names(field) => self.name_of(value)?,
            Class::Text => Kept::Text(self.text(value)?),
            // No list at all is an empty list; a nil stands inside one.
            Class::Nil if place.item.is_none() && field.is_some_and(|f| f.many) => Kept::Absent,
            Class::Nil if self.zeep && place.item.is_none() && field.is_some_and(|f| !f.required) => {
                Kept::Absent
            }
            Class::Nil | Class::ForcedNil => Kept::Nil,
            Class::Skip => Kept::Absent,
            Class::Bool => Kept::Bool(value.extract()?),
            Class::Record => match self.pairs_of_map(&value, field)? {
                Some(pairs) => self.list(pairs, field, place)?,
                None => self.record_or_inside(value, field, place)?,
            },
            Class::List => self.list(value, field, place)?,
            Class::Array => self.array(value.cast_into::<PyUntypedArray>()?, field, place)?,
            Class::Bytes => Kept::Bytes(self.keep(value).cast::<PyBytes>()?.as_bytes()),
            Class::ByteArray => Kept::Bytes(self.bytes.alloc(value.extract()?)),
            Class::Xml => Kept::Xml(self.text(value)?),
            Class::Enum => self.try_convert(value.getattr(intern!(self.py, "value"))?, field, place)?,
            Class::Memory if self.is_binary(field) || field.is_none() => self.copied_bytes(&value)?,
            Class::Masked | Class::Frame | Class::ArrayLike | Class::Memory => {
                self.try_convert(super::array::plain(&value)?, field, place)?
            }
            Class::Iterable
                if let Some(field) = field
                    && self.is_stream(&value, Some(field))? =>
            {
                self.stream(value, field, place)
            }
            Class::Iterable => {
                let list = self.py.get_type::<pyo3::types::PyList>().call1((value,))?;
                self.list(list, field, place)?
            }
            Class::NumPyScalar => self.numpy_scalar(value, field, place)?,
            Class::DateTime | Class::Date | Class::Time | Class::Delta | Class::Moment | Class::Span => {
                self.scalar(temporal(class, &value)?)
            }
            Class::Decimal => self.scalar(Scalar::Decimal(decimal(&value)?)),
            Class::QName => {
                let (namespace, local) = value.extract()?;
                self.scalar(Scalar::QName(QName { namespace, local }))
            }
            Class::Tracked => self.tracked(&value, field, place)?,
            Class::StandIn => {
                self.try_convert(value.call_method0(intern!(self.py, "__castile__"))?, field, place)?
            }
            Class::Element => Kept::Xml(self.text(element_text(&value)?)?),
        })
    }

    pub(super) fn class(&'a self, value: &Bound<'py, PyAny>) -> PyResult<Class> {
        if let Some(class) = Class::builtin(value) {
            return Ok(class);
        }
        let key = value.get_type_ptr() as usize;
        if let Some(class) = self.class_of.borrow().get(&key) {
            return Ok(*class);
        }
        let class = Class::other(value)?;
        // The class is kept, so that its address stays its own.
        self.keep(value.get_type().into_any());
        self.class_of.borrow_mut().insert(key, class);
        Ok(class)
    }

    pub(super) fn text(&'a self, value: Bound<'py, PyAny>) -> PyResult<&'a str> {
        self.keep(value).cast::<PyString>()?.to_str()
    }

    fn int(&'a self, value: &Bound<'py, PyAny>) -> PyResult<Kept<'a>> {
        if let Ok(v) = value.extract::<i64>() {
            return Ok(Kept::Int(v));
        }
        if let Ok(v) = value.extract::<u64>() {
            return Ok(Kept::UInt(v));
        }
        let digits = value.str()?;
        let v = Decimal::parse_integer(digits.to_str()?).map_err(|e| PyValueError::new_err(e.to_string()))?;
        Ok(self.scalar(Scalar::Decimal(v)))
    }

    fn copied_bytes(&'a self, value: &Bound<'py, PyAny>) -> PyResult<Kept<'a>> {
        let bytes = value.call_method0(intern!(self.py, "tobytes"))?;
        Ok(Kept::Bytes(self.keep(bytes).cast::<PyBytes>()?.as_bytes()))
    }

    /// A record; where an array of plain values belongs, the array inside it.
    fn record_or_inside(
        &'a self,
        value: Bound<'py, PyAny>,
        field: Option<&'a Field>,
        place: Place<'a>,
    ) -> PyResult<Kept<'a>> {
        let simple = field.is_some_and(|f| matches!(f.ty, TypeId::Simple(_)));
        if simple && value.hasattr(intern!(self.py, "__array__"))? {
            let attrs: Vec<String> = value.getattr(intern!(self.py, "_castile_attrs"))?.extract()?;
            let Some(attr) = attrs.first() else {
                return Ok(Kept::Absent);
            };
            return self.try_convert(value.getattr(attr.as_str())?, field, place);
        }
        Ok(self.record_kept(value, complex_of(field), place))
    }

    pub(super) fn record_kept(
        &'a self,
        value: Bound<'py, PyAny>,
        complex: Option<ComplexId>,
        place: Place<'a>,
    ) -> Kept<'a> {
        let node: &'a dyn Source = self.node(value, complex, place);
        Kept::Record(node)
    }

    fn numpy_scalar(
        &'a self,
        value: Bound<'py, PyAny>,
        field: Option<&'a Field>,
        place: Place<'a>,
    ) -> PyResult<Kept<'a>> {
        let dtype = value.getattr(intern!(self.py, "dtype"))?;
        let kind: char = dtype.getattr(intern!(self.py, "kind"))?.extract()?;
        let size: usize = dtype.getattr(intern!(self.py, "itemsize"))?.extract()?;
        match kind {
            'V' => Ok(self.record_kept(value, complex_of(field), place)),
            'f' if size <= 4 => {
                let wide: f64 = value.call_method0(intern!(self.py, "item"))?.extract()?;
                Ok(self.scalar(Scalar::Float(wide as f32)))
            }
            'b' | 'i' | 'u' => self.try_convert(value.call_method0(intern!(self.py, "item"))?, field, place),
            _ => self.try_convert(super::array::plain(&value)?, field, place),
        }
    }

    /// Whether the field's values are qualified names.
    pub(super) fn takes_names(&self, field: Option<&Field>) -> bool {
        let Some(TypeId::Simple(id)) = field.map(|f| f.ty) else {
            return false;
        };
        let atomic = match self.types.simple(id).variety {
            Variety::List(item) => &self.types.simple(item).variety,
            ref own => own,
        };
        matches!(atomic, Variety::Atomic(Builtin::QName | Builtin::Notation))
    }

    /// A qualified name written as `{namespace}local`, or `local` alone.
    fn name_of(&'a self, value: Bound<'py, PyAny>) -> PyResult<Kept<'a>> {
        let text = self.text(value)?;
        let (namespace, local) = match text.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
            Some((namespace, local)) => (namespace, local),
            None => ("", text),
        };
        if local.contains(':') {
            return Err(PyValueError::new_err(format!(
                "{text:?}: a prefix says nothing here; give castile.QName or \"{{namespace}}local\""
            )));
        }
        Ok(self.scalar(Scalar::QName(QName {
            namespace: namespace.to_owned(),
            local: local.to_owned(),
        })))
    }

    /// Whether the field's text is base64 or hex.
    pub(super) fn is_binary(&self, field: Option<&Field>) -> bool {
        matches!(
            self.builtin(field),
            Some(Builtin::Base64Binary | Builtin::HexBinary)
        )
    }

    /// The built-in type of one value of the field, when it is an atomic one.
    pub(super) fn builtin(&self, field: Option<&Field>) -> Option<Builtin> {
        let TypeId::Simple(id) = field?.ty else {
            return None;
        };
        match self.types.simple(id).variety {
            Variety::Atomic(builtin) => Some(builtin),
            _ => None,
        }
    }

    pub(super) fn items(&'a self, list: super::list::List<'a, 'py>) -> Kept<'a> {
        let list: &'a dyn Items = self.lists.alloc(list);
        Kept::Items(list)
    }
}

pub(super) fn complex_of(field: Option<&Field>) -> Option<ComplexId> {
    match field?.ty {
        TypeId::Complex(id) => Some(id),
        _ => None,
    }
}

fn temporal(class: Class, value: &Bound<'_, PyAny>) -> PyResult<Scalar<'static>> {
    Ok(match class {
        Class::DateTime => Scalar::DateTime(temporal::datetime_from_python(value.cast::<PyDateTime>()?)?),
        Class::Date => Scalar::DateTime(temporal::date_from_python(value.cast::<PyDate>()?)),
        Class::Time => Scalar::DateTime(temporal::time_from_python(value.cast::<PyTime>()?)?),
        Class::Delta => Scalar::Duration(temporal::delta_from_python(value.cast::<PyDelta>()?)?),
        Class::Moment => Scalar::DateTime(value.cast::<Moment>()?.get().0),
        _ => Scalar::Duration(value.cast::<Span>()?.get().0),
    })
}

/// The digits in full: the wire has no exponents.
fn decimal(value: &Bound<'_, PyAny>) -> PyResult<Decimal> {
    let text = value.call_method1(intern!(value.py(), "__format__"), ("f",))?;
    let text = text.cast::<PyString>()?;
    Decimal::parse(text.to_str()?).map_err(|e| PyValueError::new_err(e.to_string()))
}

/// An element of lxml or of the standard library, as text without what follows it.
fn element_text<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    value
        .py()
        .import("castile._arrays")?
        .call_method1("element_text", (value,))
}

/// Whether the value is exactly a float: the fast loops take no others.
pub(super) fn exact_float(value: &Bound<'_, PyAny>) -> Option<f64> {
    value.cast_exact::<PyFloat>().ok().map(|v| v.value())
}
