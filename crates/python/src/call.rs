//! What a call did: the request before it is sent, and the record of a finished call.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use castile_endpoint::{
    DifferentialStats, Exchange, HeaderBlock, Outgoing, Payload, ReceivingStats, Record, Report,
};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::options::duration;

/// A request that is ready to be sent; hooks may change it.
#[pyclass(module = "castile._castile")]
pub(crate) struct Request {
    operation: String,
    outgoing: Option<Outgoing>,
    /// The envelope is written while it is sent.
    streamed: bool,
    /// Set to give it up.
    stop: Arc<AtomicBool>,
}

impl Request {
    pub(crate) fn new(outgoing: Outgoing) -> Self {
        Request {
            operation: outgoing.operation.clone(),
            outgoing: Some(outgoing),
            streamed: false,
            stop: Arc::default(),
        }
    }

    /// What gives it up when it is set.
    pub(crate) fn stop(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }

    /// A request whose envelope is written while it is sent.
    pub(crate) fn streamed(operation: &str) -> Self {
        Request {
            streamed: true,
            ..Request::new(Outgoing::ready(operation, Payload::default()))
        }
    }

    /// Bytes of the envelope.
    pub(crate) fn len(&self) -> usize {
        self.outgoing.as_ref().map_or(0, |o| o.body.len())
    }

    /// The number of the message: one that is the same has the same bytes. Zero: nobody knows.
    pub(crate) fn message(&self) -> u64 {
        self.outgoing.as_ref().map_or(0, |o| o.body.report().message)
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

    /// Gives it up while another thread sends it or waits for its reply.
    fn cancel(&self) {
        self.stop.store(true, Ordering::Release);
    }

    /// Whether the envelope is written while it is sent: it is not here then.
    #[getter]
    fn is_streamed(&self) -> bool {
        self.streamed
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
            self.streamed = false;
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
    fn request_bytes(&self) -> u64 {
        self.record
            .request
            .report()
            .bytes_total
            .max(self.record.request.len() as u64)
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

    /// How the reply was read: not at all since it was the same as the last, by comparing it with an earlier
    /// one, or plainly.
    #[getter]
    fn reply_match(&self) -> &'static str {
        match &self.record.received {
            received if received.same => "same",
            received if received.followed => "followed",
            _ => "plain",
        }
    }

    /// Numbers in the reply's arrays that were those of the last reply, and not read again.
    #[getter]
    fn values_kept(&self) -> u64 {
        self.record.received.values_kept
    }

    /// Bytes of the reply that had been read when its last one came.
    #[getter]
    fn bytes_ahead(&self) -> u64 {
        self.record.received.bytes_ahead
    }

    /// What making the request from the last one took.
    #[getter]
    fn differential<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let report = self.record.request.report();
        let dict = PyDict::new(py);
        dict.set_item("structure", report.structure)?;
        set_counts(&dict, report)?;
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

/// What came back, not yet decoded.
#[pyclass(module = "castile._castile", frozen)]
pub(crate) struct Answer(pub(crate) Exchange);

#[pymethods]
impl Answer {
    /// The bytes of the reply, decompressed.
    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.response().body)
    }

    /// The HTTP status.
    #[getter]
    fn status(&self) -> u16 {
        self.0.response().status.as_u16()
    }

    /// The header fields of HTTP.
    #[getter]
    fn http_headers(&self) -> Vec<(String, String)> {
        let text = |v: &[u8]| String::from_utf8_lossy(v).into_owned();
        let fields = self.0.response().headers.iter();
        fields
            .map(|(name, value)| (name.to_string(), text(value.as_bytes())))
            .collect()
    }
}

/// A call under way on the runtime.
#[pyclass(module = "castile._castile", frozen)]
pub(crate) struct Running(pub(crate) tokio::task::AbortHandle);

#[pymethods]
impl Running {
    fn cancel(&self) {
        self.0.abort();
    }
}

/// What is to be sent; a request is sent once.
pub(crate) fn outgoing(request: &Bound<'_, Request>, timeout: Option<f64>) -> PyResult<Outgoing> {
    let taken = request.borrow_mut().take();
    let mut outgoing = taken.ok_or_else(|| PyRuntimeError::new_err("the request was sent already"))?;
    if let Some(seconds) = timeout {
        outgoing.timeout = Some(duration(seconds)?);
    }
    Ok(outgoing)
}

/// What differential receiving did so far.
pub(crate) fn receiving_figures<'py>(
    py: Python<'py>,
    stats: &ReceivingStats,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let figures = [
        ("learned", stats.learned),
        ("followed", stats.followed),
        ("same", stats.same),
        ("plain", stats.plain),
        ("bytes_compared", stats.bytes_compared),
        ("bytes_ahead", stats.bytes_ahead),
        ("bytes_parsed", stats.bytes_parsed),
        ("values_kept", stats.values_kept),
        ("values_parsed", stats.values_parsed),
        ("memory", stats.memory),
    ];
    for (name, figure) in figures {
        dict.set_item(name, figure)?;
    }
    Ok(dict)
}

/// What differential sending did so far.
pub(crate) fn sending_figures<'py>(
    py: Python<'py>,
    stats: &DifferentialStats,
) -> PyResult<Bound<'py, PyDict>> {
    let [content, perfect, partial, first] = stats.matches;
    let figures = [
        ("content", content),
        ("perfect_structural", perfect),
        ("partial_structural", partial),
        ("first_time", first),
        ("busy", stats.busy),
        ("evicted", stats.evicted),
        ("memory", stats.memory),
    ];
    let dict = PyDict::new(py);
    for (name, figure) in figures {
        dict.set_item(name, figure)?;
    }
    set_counts(&dict, &stats.all)?;
    Ok(dict)
}

/// What was done to make a message, or many.
fn set_counts(dict: &Bound<'_, PyDict>, report: &Report) -> PyResult<()> {
    let figures = [
        ("values_compared", report.values_compared),
        ("values_rewritten", report.values_rewritten),
        ("values_written", report.values_written),
        ("values_shared", report.values_shared),
        ("bytes_total", report.bytes_total),
        ("bytes_around", report.bytes_around),
        ("bytes_rewritten", report.bytes_rewritten),
        ("bytes_shifted", report.bytes_shifted),
        ("widths_stolen", report.widths_stolen),
        ("chunks_split", report.chunks_split),
        ("chunks_copied", report.chunks_copied),
        ("paused", report.paused),
    ];
    for (name, figure) in figures {
        dict.set_item(name, figure)?;
    }
    Ok(())
}

fn masked(py: Python<'_>, body: &[u8]) -> PyResult<Py<PyAny>> {
    let text = String::from_utf8_lossy(body);
    Ok(py
        .import("castile._mask")?
        .call_method1("mask", (text,))?
        .unbind())
}
