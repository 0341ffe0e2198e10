//! Faults between the endpoint and Python.

use castile_endpoint::{Code, Detail, Fault, Name, Reason};
use castile_plan::Types;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::sink::{Classes, value_to_python};
use crate::source::value_from_python;

/// A fault as a Python exception, ready to be raised.
pub(crate) fn to_python(py: Python<'_>, classes: &Classes, fault: Fault) -> PyErr {
    let build = || -> PyResult<PyErr> {
        let reason = fault.reason().to_owned();
        let pairs = |entries: Vec<Detail>| -> PyResult<Bound<'_, PyList>> {
            let list = PyList::empty(py);
            for Detail { name, value } in entries {
                list.append((name.to_string(), value_to_python(py, classes, value)?))?;
            }
            Ok(list)
        };
        let reasons = PyDict::new(py);
        for Reason { lang, text } in fault.reasons {
            reasons.set_item(if lang.is_empty() { "en".to_owned() } else { lang }, text)?;
        }
        let subcodes: Vec<String> = fault.subcodes.iter().map(Name::to_string).collect();
        let keywords = PyDict::new(py);
        keywords.set_item("detail", pairs(fault.detail)?)?;
        keywords.set_item("reasons", reasons)?;
        keywords.set_item("subcodes", subcodes)?;
        keywords.set_item("node", fault.node)?;
        keywords.set_item("role", fault.role)?;
        keywords.set_item("headers", fault.headers)?;
        keywords.set_item("header_values", pairs(fault.header_values)?)?;
        let class = py.import("castile._errors")?.getattr("Fault")?;
        Ok(PyErr::from_value(class.call_method(
            "_received",
            (reason, code_text(&fault.code)),
            Some(&keywords),
        )?))
    };
    build().unwrap_or_else(|e| e)
}

/// A `castile.Fault` that a handler raised, but for its detail and its headers' values.
pub(crate) fn from_python(value: &Bound<'_, PyAny>) -> PyResult<Fault> {
    let reason: String = value.getattr("reason")?.extract()?;
    let mut fault =
        Fault::new(Code::Receiver, reason).with_code(&value.getattr("code")?.extract::<String>()?);
    let reasons = value.getattr("reasons")?;
    let reasons = reasons.cast::<PyDict>()?;
    if !reasons.is_empty() {
        fault.reasons = Vec::with_capacity(reasons.len());
        for (lang, text) in reasons {
            fault.reasons.push(Reason {
                lang: lang.extract()?,
                text: text.extract()?,
            });
        }
    }
    for subcode in value.getattr("subcodes")?.try_iter()? {
        let (namespace, local) = subcode?.extract()?;
        fault.subcodes.push(Name { namespace, local });
    }
    fault.node = value.getattr("node")?.extract()?;
    fault.role = value.getattr("role")?.extract()?;
    fault.headers = value.getattr("headers")?.extract()?;
    Ok(fault)
}

/// The detail of a `castile.Fault` that a handler raised.
pub(crate) fn detail_from_python(types: &Types, value: &Bound<'_, PyAny>) -> PyResult<Vec<Detail>> {
    entries(types, &value.getattr("details")?)
}

/// The values of header blocks of a `castile.Fault` that a handler raised.
pub(crate) fn headers_from_python(types: &Types, value: &Bound<'_, PyAny>) -> PyResult<Vec<Detail>> {
    entries(types, &value.getattr("header_values")?)
}

fn entries(types: &Types, pairs: &Bound<'_, PyAny>) -> PyResult<Vec<Detail>> {
    let mut detail = Vec::new();
    for entry in pairs.try_iter()? {
        let (element, inner): (String, Bound<'_, PyAny>) = entry?.extract()?;
        detail.push(Detail {
            name: Name::from_clark(&element),
            value: value_from_python(types, &inner)?,
        });
    }
    Ok(detail)
}

fn code_text(code: &Code) -> String {
    match code {
        Code::VersionMismatch => "VersionMismatch".into(),
        Code::MustUnderstand => "MustUnderstand".into(),
        Code::DataEncodingUnknown => "DataEncodingUnknown".into(),
        Code::Sender => "Sender".into(),
        Code::Receiver => "Receiver".into(),
        Code::Other(name) => name.to_string(),
    }
}
