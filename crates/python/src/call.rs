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

    /// Bytes of the envelope.
    pub(crate) fn len(&self) -> usize {
        self.outgoing.as_ref().map_or(0, |o| o.body.len())
    }

    /// The envelope as `bytes`: its pieces, copied once.
    pub(crate) fn bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let pieces = self.outgoing.as_ref().map_or(&[][..], |o| o.body.pieces());
        PyBytes::new_with(py, self.len(), |out| {
            let mut at = 0;
            for piece in pieces {
                out[at..at + piece.len()].copy_from_slice(piece);
                at += piece.len();
            }
            Ok(())
        })
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
    fn get_body<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.bytes(py)
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
        format!("<request {} ({} bytes)>", self.operation, self.len())
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

    /// The parts beside the envelope of the reply: content id, content type, content.
    #[getter]
    fn attachments<'py>(&self, py: Python<'py>) -> Vec<(&str, &str, Bound<'py, PyBytes>)> {
        let parts = self.record.attachments.iter();
        parts
            .map(|a| (&*a.content_id, &*a.content_type, PyBytes::new(py, &a.content)))
            .collect()
    }

    /// The request's envelope, secrets masked.
    #[getter]
    fn request_xml(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        masked(py, &self.record.request.to_bytes())
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
        self.record.request.report().kind.name()
    }

    /// How the reply was read: by comparing it with an earlier one, or plainly.
    #[getter]
    fn reply_match(&self) -> &'static str {
        if self.record.received.followed {
            "learned"
        } else {
            "plain"
        }
    }

    /// What making the request from the last one took.
    #[getter]
    fn differential<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let report = self.record.request.report();
        let dict = PyDict::new(py);
        let figures = [
            ("values_compared", report.values_compared),
            ("values_rewritten", report.values_rewritten),
            ("values_written", report.values_written),
            ("bytes_total", report.bytes_total),
            ("bytes_around", report.bytes_around),
            ("bytes_rewritten", report.bytes_rewritten),
            ("bytes_shifted", report.bytes_shifted),
            ("widths_stolen", report.widths_stolen),
            ("chunks_split", report.chunks_split),
            ("chunks_copied", report.chunks_copied),
        ];
        for (name, figure) in figures {
            dict.set_item(name, figure)?;
        }
        Ok(dict)
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
