//! Streams in both directions: requests that are written while they are sent, replies that are read
//! while they come.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use castile_endpoint::{ArgumentStream, Exchange, Host, Outgoing, ReplyStream, StreamOptions};
use castile_plan::ComplexId;
use castile_value::{Source, Value};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyTuple, PyType};

use crate::client::Client;
use crate::sink::{Classes, value_to_python};
use crate::source::{Context, arguments};
use crate::{arrow, error, fault};

/// The interpreter as the host of a thread that makes or reads a message.
#[derive(Default)]
pub(crate) struct Interpreter {
    /// What a signal handler raised.
    raised: Mutex<Option<PyErr>>,
    /// Set by another thread, to give up.
    stop: Arc<AtomicBool>,
}

impl Interpreter {
    /// One that gives up when `stop` is set.
    pub(crate) fn stopped_by(stop: &Arc<AtomicBool>) -> Interpreter {
        Interpreter {
            raised: Mutex::default(),
            stop: stop.clone(),
        }
    }

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
        if self.stop.load(Ordering::Acquire) {
            return true;
        }
        let Err(e) = Python::attach(|py| py.check_signals()) else {
            return false;
        };
        *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(e);
        true
    }
}

/// What a user gives to a call: arguments, those with names, and the header.
#[derive(FromPyObject)]
pub(crate) struct Given<'py>(
    Bound<'py, PyTuple>,
    Option<Bound<'py, PyDict>>,
    Option<Bound<'py, PyAny>>,
);

impl Client {
    pub(crate) fn send_streamed(
        &self,
        py: Python<'_>,
        outgoing: Outgoing,
        stop: &Arc<AtomicBool>,
        given: Given<'_>,
    ) -> PyResult<Exchange> {
        let operation = outgoing.operation.clone();
        self.with_sources(py, &operation, stop, given, |host, header, args| {
            self.endpoint.exchange_streamed(outgoing, header, args, host)
        })
    }

    pub(crate) fn receive_stream(
        &self,
        py: Python<'_>,
        outgoing: Outgoing,
        stop: &Arc<AtomicBool>,
        given: Given<'_>,
        options: &StreamOptions,
    ) -> PyResult<Stream> {
        let operation = outgoing.operation.clone();
        let opened = self.with_sources(py, &operation, stop, given, |host, header, args| {
            self.endpoint.open_stream(outgoing, header, args, options, host)
        })?;
        match opened {
            Ok(reply) => Ok(Stream::new(Coming::Reply(Box::new(reply)), &self.classes)),
            Err(fault) => Err(fault::to_python(py, &self.classes, fault)),
        }
    }

    /// Runs a call that takes values from Python while it goes on.
    fn with_sources<T>(
        &self,
        py: Python<'_>,
        operation: &str,
        stop: &Arc<AtomicBool>,
        given: Given<'_>,
        call: impl FnOnce(&Interpreter, &dyn Source, &dyn Source) -> Result<T, castile_endpoint::Error>,
    ) -> PyResult<T> {
        let types = self.endpoint.types();
        let complex = self
            .endpoint
            .arguments(operation)
            .map_err(|e| error::endpoint(py, &e))?;
        let context = Context::new(py, types, self.classes.form.zeep).streaming(true);
        let Given(args, kwargs, header) = given;
        let args = arguments(py, types, complex, operation, &args, kwargs.as_ref())?;
        let args = context.record(args, Some(complex), operation);
        let header = header.unwrap_or_else(|| PyDict::new(py).into_any());
        let header = context.record(header, self.header_type(operation), "Header");
        let host = Interpreter::stopped_by(stop);
        let called = call(&host, header, args);
        match (context.failure(), called) {
            (Some(failure), _) => Err(failure),
            (None, called) => called.map_err(|e| host.error(py, &e)),
        }
    }
}

/// An array of a message, batch by batch, while the message comes.
#[pyclass(module = "castile", name = "Stream", frozen)]
pub(crate) struct Stream {
    /// `None` while a batch is being read, and after `close`.
    message: Mutex<Option<Coming>>,
    classes: Arc<Classes>,
    closed: Arc<AtomicBool>,
    failed: AtomicBool,
    /// Which array it is.
    array: String,
}

/// What is read: a client's reply or a server's request.
pub(crate) enum Coming {
    Reply(Box<ReplyStream>),
    Request(Box<ArgumentStream>),
}

impl Coming {
    fn batch(&mut self, host: &dyn Host) -> Result<Option<Value>, castile_endpoint::Error> {
        match self {
            Coming::Reply(reply) => reply.batch(host),
            Coming::Request(request) => request.batch(host),
        }
    }

    /// The complex type that has the array, and the number of its field there.
    fn array(&self) -> (ComplexId, u32) {
        match self {
            Coming::Reply(reply) => reply.array(),
            Coming::Request(request) => request.array(),
        }
    }

    fn array_name(&self) -> &str {
        match self {
            Coming::Reply(reply) => reply.array_name(),
            Coming::Request(request) => request.array_name(),
        }
    }

    fn items(&self) -> u64 {
        match self {
            Coming::Reply(reply) => reply.items(),
            Coming::Request(request) => request.items(),
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            Coming::Reply(reply) => reply.bytes(),
            Coming::Request(request) => request.bytes(),
        }
    }

    fn rest(self) -> Value {
        match self {
            Coming::Reply(reply) => reply.rest().values,
            // They were handed over before it.
            Coming::Request(mut request) => Value::Record(request.take_values()),
        }
    }
}

/// What another library reads on.
struct Exported {
    message: Coming,
    closed: Arc<AtomicBool>,
}

impl arrow::write::Batches for Exported {
    fn next(&mut self) -> Result<Option<Value>, String> {
        let host = Interpreter::stopped_by(&self.closed);
        self.message.batch(&host).map_err(|e| e.to_string())
    }
}

impl Stream {
    pub(crate) fn new(message: Coming, classes: &Arc<Classes>) -> Stream {
        Stream {
            array: message.array_name().to_owned(),
            message: Mutex::new(Some(message)),
            classes: classes.clone(),
            closed: Arc::default(),
            failed: AtomicBool::new(false),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Coming>> {
        self.message.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, look: impl FnOnce(&Coming) -> T) -> Option<T> {
        self.lock().as_ref().map(look)
    }
}

#[pymethods]
impl Stream {
    /// `Stream[T]` in annotations.
    #[classmethod]
    fn __class_getitem__<'py>(
        class: &Bound<'py, PyType>,
        batch: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let alias = class.py().import("types")?.getattr("GenericAlias")?;
        alias.call1((class, batch))
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(mut message) = self.lock().take() else {
            return Err(closed());
        };
        let host = Interpreter::stopped_by(&self.closed);
        let (read, message) = py.detach(|| (message.batch(&host), message));
        if !self.closed.load(Ordering::Acquire) {
            *self.lock() = Some(message);
        }
        match read {
            Ok(batch) => batch
                .map(|batch| value_to_python(py, &self.classes, batch))
                .transpose(),
            Err(e) => {
                self.failed.store(true, Ordering::Release);
                Err(host.error(py, &e))
            }
        }
    }

    /// The name of the array: `values`, or `a.b` for field `b` of field `a`.
    #[getter]
    fn array(&self) -> &str {
        &self.array
    }

    /// Items that came so far.
    #[getter]
    fn items(&self) -> Option<u64> {
        self.with(Coming::items)
    }

    /// Bytes of the message that came so far, decompressed.
    #[getter]
    fn bytes(&self) -> Option<u64> {
        self.with(Coming::bytes)
    }

    /// Whether reading it raised an error.
    #[getter]
    fn failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }

    /// Gives the rest up: closes the connection unless the message was read to its end. What another thread
    /// is reading ends with an error soon.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Release);
        drop(self.lock().take());
    }

    /// The batches as a stream of Arrow record batches (the PyCapsule interface). Ends this stream: the
    /// other reads it on.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A consumer casts what does not suit it.
        drop(requested_schema);
        let Some(message) = self.lock().take() else {
            return Err(closed());
        };
        let (holder, field) = message.array();
        let Some(layout) = arrow::write::Layout::of(self.classes.types(), holder, field) else {
            *self.lock() = Some(message);
            let text =
                "an array of this type has no form in Arrow: numbers, booleans, texts and flat records have";
            return Err(PyTypeError::new_err(text));
        };
        let batches = Exported {
            message,
            closed: self.closed.clone(),
        };
        let stream = arrow::write::stream(Box::new(batches), layout);
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// All values of the message but those of the array, as a record. Ends the stream.
    fn rest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let Some(message) = self.lock().take() else {
            return Err(closed());
        };
        value_to_python(py, &self.classes, message.rest())
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
            Some(items) => format!("<stream of {}, {items} items so far>", self.array),
            None => format!("<stream of {}, closed>", self.array),
        }
    }
}

fn closed() -> PyErr {
    PyRuntimeError::new_err("the stream is closed, or another thread reads it")
}
