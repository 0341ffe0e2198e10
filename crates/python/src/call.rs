//! What a call did: the request before it is sent, and the record of a finished call.

use castile_endpoint::{HeaderBlock, Outgoing, Record};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

/// A request that is ready to be sent; hooks may change it.
#[pyclass(module = "castile._castile")]
pub(crate) struct Request {
    operation: String,
    outgoing: Option<Outgoing>,
}

impl Request {
    pub(crate) fn new(outgoing: Outgoing) -> Self {
        Request {
            operation: outgoing.operation.clone(),
            outgoing: Some(outgoing),
        }
    }

    pub(crate) fn body(&self) -> &[u8] {
        self.outgoing.as_ref().map_or(&[], |o| &o.body)
    }

    pub(crate) fn take(&mut self) -> Option<Outgoing> {
        self.outgoing.take()
    }
}

#[pymethods]
impl Request {
    /// The operation's name.
    #[getter]
    fn operation(&self) -> &str {
        &self.operation
    }

    /// The envelope.
    #[getter]
    fn get_body<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.body())
    }

    #[setter]
    fn set_body(&mut self, body: Vec<u8>) {
        if let Some(outgoing) = &mut self.outgoing {
            outgoing.body = body.into();
        }
    }

    /// Adds a header field of HTTP.
    fn add_http_header(&mut self, name: String, value: String) {
        if let Some(outgoing) = &mut self.outgoing {
            outgoing.http_headers.push((name, value));
        }
    }

    fn __repr__(&self) -> String {
        format!("<request {} ({} bytes)>", self.operation, self.body().len())
    }
}

/// What one call did and cost.
#[pyclass(module = "castile", frozen)]
pub(crate) struct Call {
    record: Record,
    header: Py<PyAny>,
    blocks: Vec<HeaderBlock>,
}

impl Call {
    pub(crate) fn new(record: Record, header: Py<PyAny>, blocks: Vec<HeaderBlock>) -> Self {
        Call {
            record,
            header,
            blocks,
        }
    }
}

#[pymethods]
impl Call {
    /// The operation's name.
    #[getter]
    fn operation(&self) -> &str {
        &self.record.operation
    }

    /// Where the call went.
    #[getter]
    fn endpoint(&self) -> &str {
        &self.record.endpoint
    }

    /// The HTTP status of the reply.
    #[getter]
    fn status(&self) -> u16 {
        self.record.status
    }

    /// Bytes of the request's envelope.
    #[getter]
    fn request_bytes(&self) -> usize {
        self.record.request.len()
    }

    /// Bytes of the reply, decompressed.
    #[getter]
    fn reply_bytes(&self) -> usize {
        self.record.reply.len()
    }

    /// The request's envelope, secrets masked.
    #[getter]
    fn request_xml(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        masked(py, &self.record.request)
    }

    /// The reply's envelope, secrets masked.
    #[getter]
    fn reply_xml(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        masked(py, &self.record.reply)
    }

    /// The reply's headers that the contract knows, as a record.
    #[getter]
    fn headers(&self, py: Python<'_>) -> Py<PyAny> {
        self.header.clone_ref(py)
    }

    /// All header blocks of the reply as XML, by name `{namespace}local`.
    #[getter]
    fn header_blocks(&self) -> Vec<(String, String)> {
        self.blocks
            .iter()
            .map(|b| (b.name.to_string(), b.xml.clone()))
            .collect()
    }

    /// The reply's header fields of HTTP, names in lower case.
    #[getter]
    fn http_headers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, value) in &self.record.http_headers {
            let joined = match dict.get_item(name)? {
                Some(before) => format!("{}, {value}", before.extract::<String>()?),
                None => value.clone(),
            };
            dict.set_item(name, joined)?;
        }
        Ok(dict)
    }

    /// Seconds of each step: encode, connect, send, wait, receive, decode.
    #[getter]
    fn timings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Record {
            encode,
            network,
            decode,
            ..
        } = &self.record;
        let dict = PyDict::new(py);
        let steps = [
            ("encode", *encode),
            ("connect", network.connect),
            ("send", network.send),
            ("wait", network.wait),
            ("receive", network.receive),
            ("decode", *decode),
        ];
        for (name, step) in steps {
            dict.set_item(name, step.as_secs_f64())?;
        }
        Ok(dict)
    }

    /// Which of the four matches of differential sending it was.
    #[getter]
    fn match_kind(&self) -> &'static str {
        "first-time"
    }

    fn __repr__(&self) -> String {
        let Record {
            operation,
            status,
            request,
            reply,
            encode,
            network,
            decode,
            ..
        } = &self.record;
        let micros = (*encode + network.total() + *decode).as_micros();
        let (out, back) = (request.len(), reply.len());
        format!("<call {operation}: HTTP {status}, {out} bytes out, {back} bytes back, {micros} \u{b5}s>")
    }
}

fn masked(py: Python<'_>, body: &[u8]) -> PyResult<Py<PyAny>> {
    let text = String::from_utf8_lossy(body);
    Ok(py
        .import("castile._mask")?
        .call_method1("mask", (text,))?
        .unbind())
}
