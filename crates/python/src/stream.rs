//! Streams in both directions: requests that are written while they are sent, replies that are read
//! while they come.

use std::sync::{Arc, Mutex, PoisonError};

use castile_endpoint::{Exchange, Host, Outgoing, ReplyStream, StreamOptions};
use castile_value::{Source, Value, ValueSink};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::client::Client;
use crate::sink::{Classes, value_to_python};
use crate::source::{Context, arguments};
use crate::{error, fault};

/// The interpreter as the host of a thread that makes or reads a message.
#[derive(Default)]
pub(crate) struct Interpreter {
    /// What a signal handler raised.
    raised: Mutex<Option<PyErr>>,
}

impl Interpreter {
    /// An error of the endpoint as an exception; that of a signal handler if there was one.
    pub(crate) fn error(&self, py: Python<'_>, e: &castile_endpoint::Error) -> PyErr {
        let raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner).take();
        raised.unwrap_or_else(|| error::endpoint(py, e))
    }
}

impl Host for Interpreter {
    fn unlocked(&self, work: &mut (dyn FnMut() + Send)) {
        Python::attach(|py| py.detach(work));
    }

    fn interrupted(&self) -> bool {
        let Err(e) = Python::attach(|py| py.check_signals()) else {
            return false;
        };
        *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(e);
        true
    }
}

impl Client {
    pub(crate) fn send_streamed(
        &self,
        py: Python<'_>,
        outgoing: Outgoing,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
        header: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Exchange> {
        let operation = outgoing.operation.clone();
        self.with_sources(py, &operation, args, kwargs, header, |host, header, args| {
            self.endpoint.exchange_streamed(outgoing, header, args, host)
        })
    }

    pub(crate) fn receive_stream(
        &self,
        py: Python<'_>,
        outgoing: Outgoing,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
        header: Option<Bound<'_, PyAny>>,
        options: &StreamOptions,
    ) -> PyResult<Stream> {
        let operation = outgoing.operation.clone();
        let opened = self.with_sources(py, &operation, args, kwargs, header, |host, header, args| {
            self.endpoint.open_stream(outgoing, header, args, options, host)
        })?;
        match opened {
            Ok(reply) => Ok(Stream {
                reply: Mutex::new(Some(Box::new(reply))),
                classes: self.classes.clone(),
            }),
            Err(fault) => Err(fault::to_python(py, &self.classes, fault)),
        }
    }

    /// Runs a call that takes values from Python while it goes on.
    fn with_sources<T>(
        &self,
        py: Python<'_>,
        operation: &str,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
        header: Option<Bound<'_, PyAny>>,
        call: impl FnOnce(&Interpreter, &dyn Source, &dyn Source) -> Result<T, castile_endpoint::Error>,
    ) -> PyResult<T> {
        let types = self.endpoint.types();
        let complex = self
            .endpoint
            .arguments(operation)
            .map_err(|e| error::endpoint(py, &e))?;
        let context = Context::new(py, types, self.classes.form.zeep).streaming(true);
        let args = arguments(py, types, complex, operation, args, kwargs)?;
        let args = context.record(args, Some(complex), operation);
        let header = header.unwrap_or_else(|| PyDict::new(py).into_any());
        let header = context.record(header, self.header_type(operation), "Header");
        let host = Interpreter::default();
        let called = call(&host, header, args);
        match (context.failure(), called) {
            (Some(failure), _) => Err(failure),
            (None, called) => called.map_err(|e| host.error(py, &e)),
        }
    }
}

/// The array of a reply, batch by batch.
#[pyclass(module = "castile", name = "Stream", frozen)]
pub(crate) struct Stream {
    /// `None` while a batch is being read, and after `close`.
    reply: Mutex<Option<Box<ReplyStream>>>,
    classes: Arc<Classes>,
}

impl Stream {
    fn with<T>(&self, look: impl FnOnce(&ReplyStream) -> T) -> Option<T> {
        let reply = self.reply.lock().unwrap_or_else(PoisonError::into_inner);
        reply.as_deref().map(look)
    }
}

#[pymethods]
impl Stream {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let taken = self.reply.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut reply) = taken else {
            return Err(closed());
        };
        let host = Interpreter::default();
        let types = self.classes.types();
        let (holder, field) = reply.array();
        let (read, items) = py.detach(|| {
            let mut items = ValueSink::new(types.shape(holder).clone());
            (reply.read(&mut items, &host), items.finish())
        });
        *self.reply.lock().unwrap_or_else(PoisonError::into_inner) = Some(reply);
        if !read.map_err(|e| host.error(py, &e))? {
            return Ok(None);
        }
        let mut values = items.into_values();
        let batch = match field as usize {
            at if at < values.len() => values.swap_remove(at),
            _ => Value::Absent,
        };
        value_to_python(py, &self.classes, batch).map(Some)
    }

    /// Items that came so far.
    #[getter]
    fn items(&self) -> Option<u64> {
        self.with(ReplyStream::items)
    }

    /// Bytes of the reply that came so far, decompressed.
    #[getter]
    fn bytes(&self) -> Option<u64> {
        self.with(ReplyStream::bytes)
    }

    /// Gives the rest up: closes the connection unless the reply was read to its end.
    fn close(&self) {
        drop(self.reply.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// All values of the reply but those of the array, as a record. Ends the stream.
    fn rest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let taken = self.reply.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(reply) = taken else {
            return Err(closed());
        };
        value_to_python(py, &self.classes, reply.rest().values)
    }

    fn __enter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, _error: &Bound<'_, PyTuple>) {
        self.close();
    }

    fn __repr__(&self) -> String {
        match self.items() {
            Some(items) => format!("<stream of a reply, {items} items so far>"),
            None => "<stream of a reply, closed>".to_owned(),
        }
    }
}

fn closed() -> PyErr {
    PyRuntimeError::new_err("the stream is closed, or another thread reads it")
}
