//! Replies that are mostly arrays, and arrays of earlier replies: the same one given again, or written into
//! ([`InPlace`]).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use castile_endpoint::{Error, Exchange, Outcome, Owner, Reuse, Shared};
use castile_plan::ComplexId;
use castile_value::{ColumnBuf, Record, Sink, Value, ValueSink};
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::call::Call;
use crate::client::{Client, single};
use crate::sink::{record_to_python, value_to_python};
use crate::{error, fault};

/// The array that each operation gave last, and the memory that its replies are read into.
#[derive(Default)]
pub(crate) struct InPlace {
    last: Mutex<HashMap<String, Last>>,
}

struct Last {
    array: Py<PyAny>,
    values: Value,
}

impl InPlace {
    /// The array of an operation's last reply and the memory that it was read into, taken out.
    fn spare(&self, operation: &str) -> (Option<Py<PyAny>>, Value) {
        match self.lock().remove(operation) {
            Some(Last { array, values }) => (Some(array), values),
            None => (None, Value::Absent),
        }
    }

    fn put(&self, operation: &str, last: Last) {
        self.lock().insert(operation.to_owned(), last);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Last>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Client {
    /// The types of headers and results, when these are mostly arrays.
    pub(crate) fn arrays(&self, operation: &str) -> Option<(ComplexId, ComplexId)> {
        let output = self.endpoint.operation(operation).ok()?.output.as_ref();
        if output.is_none_or(|plan| plan.encoded) {
            // Its objects may be shared.
            return None;
        }
        let types = self.endpoint.result(operation).ok()?;
        types.filter(|(_, result)| self.classes.is_arrays(*result))
    }

    /// [`Client::receive`] for arrays: the message is read without the interpreter lock.
    pub(crate) fn receive_arrays<'py>(
        &self,
        py: Python<'py>,
        exchange: &Exchange,
        header: ComplexId,
        result: ComplexId,
        whole: bool,
    ) -> PyResult<(Bound<'py, PyAny>, bool, Call)> {
        let types = self.endpoint.types();
        let (outcome, record, header, result) = py.detach(|| {
            let mut header = ValueSink::new(types.shape(header).clone());
            let mut result = ValueSink::new(types.shape(result).clone());
            let (outcome, record) = self.endpoint.receive(exchange, &mut header, &mut result);
            (outcome, record, header.finish(), result.finish())
        });
        match outcome {
            Err(e) => Err(error::endpoint(py, &e)),
            Ok(Outcome::Fault(fault)) => Ok(self.fault(py, *fault, record)),
            Ok(Outcome::Reply(blocks)) => {
                let result = record_to_python(py, &self.classes, result)?;
                let value = if whole { result } else { single(result)? };
                let header = record_to_python(py, &self.classes, header)?.unbind();
                Ok((value, false, Call::new(record, header, blocks)))
            }
        }
    }

    /// [`Client::receive`] for a reply that is one array: the same as the last gives the same array, read-only.
    pub(crate) fn receive_shared<'py>(
        &self,
        py: Python<'py>,
        exchange: &Exchange,
        header: ComplexId,
        result: ComplexId,
    ) -> PyResult<(Bound<'py, PyAny>, bool, Call)> {
        let types = self.endpoint.types();
        let (outcome, shared, record, header, result) = py.detach(|| {
            let mut header = ValueSink::new(types.shape(header).clone());
            let mut result = ValueSink::new(types.shape(result).clone());
            let (outcome, shared, record) =
                self.endpoint
                    .receive_shared::<Py<PyAny>>(exchange, &mut header, &mut result);
            (outcome, shared, record, header.finish(), result.finish())
        });
        let blocks = match outcome {
            Err(e) => return Err(error::endpoint(py, &e)),
            Ok(Outcome::Fault(fault)) => return Ok(self.fault(py, *fault, record)),
            Ok(Outcome::Reply(blocks)) => blocks,
        };
        let value = self.shared_value(py, shared, result)?;
        let header = record_to_python(py, &self.classes, header)?.unbind();
        Ok((value, false, Call::new(record, header, blocks)))
    }

    /// [`Client::receive`] for a reply that is one array: where the last one has the same type and length, the
    /// values are written there, and it is given again.
    pub(crate) fn receive_in_place<'py>(
        &self,
        py: Python<'py>,
        exchange: &Exchange,
        header: ComplexId,
        result: ComplexId,
    ) -> PyResult<(Bound<'py, PyAny>, bool, Call)> {
        let (types, operation) = (self.endpoint.types(), &exchange.outgoing.operation);
        let (array, values) = self.in_place.spare(operation);
        let (outcome, record, header, result) = py.detach(|| {
            let mut header = ValueSink::new(types.shape(header).clone());
            let mut result = ValueSink::new(types.shape(result).clone()).with_spare(values);
            let (outcome, record) = self.endpoint.receive(exchange, &mut header, &mut result);
            (outcome, record, header.finish(), result.finish())
        });
        let blocks = match outcome {
            Err(e) => return Err(error::endpoint(py, &e)),
            Ok(Outcome::Fault(fault)) => return Ok(self.fault(py, *fault, record)),
            Ok(Outcome::Reply(blocks)) => blocks,
        };
        let header = record_to_python(py, &self.classes, header)?.unbind();
        let value = self.written_value(py, operation, array, result)?;
        Ok((value, false, Call::new(record, header, blocks)))
    }

    /// Reads a reply that came by other ways.
    pub(crate) fn read(
        &self,
        operation: &str,
        reply: &Bound<'_, PyBytes>,
        header: &mut dyn Sink,
        result: &mut dyn Sink,
    ) -> Result<Outcome, Error> {
        self.endpoint
            .decode(operation, reply.as_bytes(), self.owner(reply), header, result)
    }

    /// What a large reply lies in, to be held until the next comes: nobody writes to it. What goes with an object of a
    /// class made from `bytes` may be anything, so that is left alone.
    fn owner(&self, reply: &Bound<'_, PyBytes>) -> Option<Owner> {
        let large = reply.as_bytes().len() >= self.endpoint.receiving_options().values_bytes_min;
        let held = large && reply.is_exact_instance_of::<PyBytes>();
        held.then(|| Owner::new(PyBackedBytes::from(reply.clone())))
    }

    /// [`Client::decode`] for a reply that is one array, by way of the last one.
    pub(crate) fn decode_reusing<'py>(
        &self,
        py: Python<'py>,
        operation: &str,
        reply: &Bound<'py, PyBytes>,
        reuse: Reuse,
        (header, result): (ComplexId, ComplexId),
    ) -> PyResult<Bound<'py, PyAny>> {
        let types = self.endpoint.types();
        let (array, values) = match reuse {
            Reuse::InPlace => self.in_place.spare(operation),
            Reuse::Fresh | Reuse::Shared => (None, Value::Absent),
        };
        let mut header = ValueSink::new(types.shape(header).clone());
        let mut result = ValueSink::new(types.shape(result).clone()).with_spare(values);
        let (bytes, owner) = (reply.as_bytes(), self.owner(reply));
        let read = py.detach(|| match reuse {
            Reuse::Shared => self
                .endpoint
                .decode_shared(operation, bytes, owner, &mut header, &mut result),
            Reuse::Fresh | Reuse::InPlace => {
                let outcome = self
                    .endpoint
                    .decode(operation, bytes, owner, &mut header, &mut result)?;
                Ok((outcome, None))
            }
        });
        let result = result.finish();
        match read.map_err(|e| error::endpoint(py, &e))? {
            (Outcome::Fault(fault), _) => Err(fault::to_python(py, &self.classes, *fault)),
            (Outcome::Reply(_), shared) => match reuse {
                Reuse::InPlace => self.written_value(py, operation, array, result),
                Reuse::Fresh | Reuse::Shared => self.shared_value(py, shared, result),
            },
        }
    }

    /// The array that was shared, or a new one that is from now on.
    fn shared_value<'py>(
        &self,
        py: Python<'py>,
        shared: Option<Shared<Py<PyAny>>>,
        result: Record,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some(Shared::Same(array)) = shared {
            return Ok(array.bind(py).clone());
        }
        let value = single(record_to_python(py, &self.classes, result)?)?;
        let is_array = value.is_instance(&py.import("numpy")?.getattr("ndarray")?)?;
        if let Some(Shared::New(_, Some(ticket))) = shared.filter(|_| is_array) {
            value.getattr("flags")?.setattr("writeable", false)?;
            self.endpoint.share(ticket, Arc::new(value.clone().unbind()));
        }
        Ok(value)
    }

    /// The array of the last reply with the values of this one, or a new one, which is kept for the next.
    fn written_value<'py>(
        &self,
        py: Python<'py>,
        operation: &str,
        array: Option<Py<PyAny>>,
        result: Record,
    ) -> PyResult<Bound<'py, PyAny>> {
        let [Value::Column(column)] = result.values() else {
            return single(record_to_python(py, &self.classes, result)?);
        };
        let array = array.map(|array| array.into_bound(py));
        let array = match array.filter(|array| write(array, column)) {
            Some(array) => array,
            None => value_to_python(py, &self.classes, Value::Column(column.clone()))?,
        };
        let last = Last {
            array: array.clone().unbind(),
            values: Value::Record(result),
        };
        self.in_place.put(operation, last);
        Ok(array)
    }
}

/// Writes numbers into an array of the same type and length that may be written to; false for any other.
fn write(array: &Bound<'_, PyAny>, column: &ColumnBuf) -> bool {
    match column {
        ColumnBuf::Bool(v) => copy(array, v),
        ColumnBuf::I8(v) => copy(array, v),
        ColumnBuf::U8(v) => copy(array, v),
        ColumnBuf::I16(v) => copy(array, v),
        ColumnBuf::U16(v) => copy(array, v),
        ColumnBuf::I32(v) => copy(array, v),
        ColumnBuf::U32(v) => copy(array, v),
        ColumnBuf::I64(v) => copy(array, v),
        ColumnBuf::U64(v) => copy(array, v),
        ColumnBuf::F32(v) => copy(array, v),
        ColumnBuf::F64(v) => copy(array, v),
    }
}

fn copy<T: Element + Copy>(array: &Bound<'_, PyAny>, values: &[T]) -> bool {
    let Ok(array) = array.cast::<PyArray1<T>>() else {
        return false;
    };
    let Ok(mut place) = array.try_readwrite() else {
        return false;
    };
    match place.as_slice_mut() {
        Ok(place) if place.len() == values.len() => {
            place.copy_from_slice(values);
            true
        }
        _ => false,
    }
}
