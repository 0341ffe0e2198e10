//! The client: the steps of a call under and without the interpreter lock.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use castile_endpoint::{
    Client as Endpoint, Fault, Kind, Outcome, Outgoing, Record, Reuse, StreamOptions, Version,
};
use castile_plan::{ComplexId, TypeId};
use castile_value::{Shape, Source, Value};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use crate::call::{Answer, Call, Request, Running, outgoing, sending_figures};
use crate::describe::{OperationFace, describe};
use crate::encoded::Encoded;
use crate::options::{Settings, client_options, location};
use crate::reuse::InPlace;
use crate::schema::{self, FieldFace, PortFace, TypeFace};
use crate::sink::{Classes, Form, Objects, RowsAs};
use crate::source::{Context, arguments, owned};
use crate::stream::{Given, Stream};
use crate::{error, fault, log};

/// Bytes of a reply from which arrays are read without the interpreter lock.
const ARRAYS_BYTES_MIN: usize = 64 * 1024;

/// One port of one service. The class of the same name in `castile` wraps it.
#[pyclass(module = "castile._castile", frozen)]
pub(crate) struct Client {
    pub(crate) endpoint: Arc<Endpoint>,
    pub(crate) classes: Arc<Classes>,
    pub(crate) in_place: InPlace,
    encoded: Mutex<Encoded>,
}

#[pymethods]
impl Client {
    #[new]
    fn new(py: Python<'_>, wsdl: &Bound<'_, PyAny>, settings: &Bound<'_, PyDict>) -> PyResult<Self> {
        let location = location(wsdl)?;
        let settings = Settings(settings);
        let options = client_options(&settings)?;
        let form = form(&settings)?;
        let endpoint = py
            .detach(|| Endpoint::new(location, options))
            .map_err(|e| error::endpoint(py, &e))?;
        let classes = Classes::new(endpoint.types().clone(), form, settings.object("classes")?);
        Ok(Client::of(Arc::new(endpoint), Arc::new(classes)))
    }

    /// Where calls go.
    #[getter]
    fn endpoint(&self) -> Option<String> {
        self.endpoint.endpoint().map(ToString::to_string)
    }

    /// What differential receiving did so far.
    fn receiving<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        crate::call::receiving_figures(py, &self.endpoint.receiving())
    }

    /// Closes the connections that wait for a next call.
    fn close_idle(&self, py: Python<'_>) {
        py.detach(|| self.endpoint.close_idle());
    }

    /// What differential sending did so far.
    fn differential<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mut stats = self.endpoint.differential();
        stats.memory += self.encoded().bytes as u64;
        sending_figures(py, &stats)
    }

    /// `"1.1"` or `"1.2"`.
    #[getter]
    fn soap_version(&self) -> &'static str {
        match self.endpoint.version() {
            Version::Soap11 => "1.1",
            Version::Soap12 => "1.2",
        }
    }

    /// What the contract's own documentation says.
    #[getter]
    fn doc(&self) -> Option<String> {
        self.endpoint.contract().doc.clone()
    }

    /// The port's operations.
    fn operations(&self) -> Vec<OperationFace> {
        describe(self.endpoint.types(), &self.endpoint.binding().operations)
    }

    /// First step: arguments to an envelope. If `streams`, iterators and very large arrays are left for
    /// later: what comes back is a request that is written while it is sent.
    #[pyo3(signature = (operation, args, kwargs, header, streams = false))]
    fn prepare(
        &self,
        py: Python<'_>,
        operation: &str,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
        header: Option<Bound<'_, PyAny>>,
        streams: bool,
    ) -> PyResult<Request> {
        log::refresh(py);
        let types = self.endpoint.types();
        let complex = self
            .endpoint
            .arguments(operation)
            .map_err(|e| error::endpoint(py, &e))?;
        let encoded = self.is_encoded(operation);
        let context = Context::new(py, types, self.classes.form.zeep).streaming(streams && !encoded);
        let args = arguments(py, types, complex, operation, args, kwargs)?;
        let made = |prepared: Result<Option<Outgoing>, castile_endpoint::Error>| match prepared {
            Ok(Some(outgoing)) => Ok(Request::new(outgoing)),
            Ok(None) => Ok(Request::streamed(operation)),
            Err(e) => Err(error::endpoint(py, &e)),
        };
        let prepare = |header: &dyn Source, args: &dyn Source| match streams {
            true => self.endpoint.prepare_small(operation, header, args),
            false => self.endpoint.prepare(operation, header, args).map(Some),
        };
        if encoded {
            context.find_shared(&args)?;
        } else if header.is_none()
            && let Some(args) = owned(types, complex, &args)
        {
            let nothing: Vec<(String, Value)> = Vec::new();
            return made(py.detach(|| prepare(&nothing, &args)));
        }
        let args = context.record(args, Some(complex), operation);
        let header = header.unwrap_or_else(|| PyDict::new(py).into_any());
        let header = context.record(header, self.header_type(operation), "Header");
        let prepared = prepare(header, args);
        match context.failure() {
            Some(failure) => Err(failure),
            None => made(prepared),
        }
    }

    /// Second step for a request that is written while it is sent: what was given, once more.
    fn exchange_streamed(
        &self,
        py: Python<'_>,
        request: &Bound<'_, Request>,
        given: Given<'_>,
        timeout: Option<f64>,
    ) -> PyResult<Answer> {
        let (outgoing, stop) = (outgoing(request, timeout)?, request.borrow().stop());
        self.send_streamed(py, outgoing, &stop, given).map(Answer)
    }

    /// Sends a request and gives an array of the reply batch by batch; a fault is raised.
    fn open_stream(
        &self,
        py: Python<'_>,
        request: &Bound<'_, Request>,
        given: Given<'_>,
        timeout: Option<f64>,
        array: Option<String>,
        batch: u64,
    ) -> PyResult<Stream> {
        let outgoing = outgoing(request, timeout)?;
        let options = StreamOptions {
            array,
            batch_items_min: batch,
            ..StreamOptions::default()
        };
        let stop = request.borrow().stop();
        self.receive_stream(py, outgoing, &stop, given, &options)
    }

    /// Second step: bytes out, bytes in, without the interpreter lock.
    fn exchange(
        &self,
        py: Python<'_>,
        request: &Bound<'_, Request>,
        timeout: Option<f64>,
    ) -> PyResult<Answer> {
        let outgoing = outgoing(request, timeout)?;
        let raised: Mutex<Option<PyErr>> = Mutex::new(None);
        let interrupted = || match Python::attach(|py| py.check_signals()) {
            Ok(()) => false,
            Err(e) => {
                *raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(e);
                true
            }
        };
        let exchanged = py.detach(|| self.endpoint.exchange_with_interrupt(outgoing, &interrupted));
        match exchanged {
            Ok(exchange) => Ok(Answer(exchange)),
            Err(e) => {
                let raised = raised.into_inner().unwrap_or_else(PoisonError::into_inner);
                Err(raised
                    .filter(|_| e.kind() == Kind::Interrupted)
                    .unwrap_or_else(|| error::endpoint(py, &e)))
            }
        }
    }

    /// Second step for asyncio: `done(answer, error)` is called from another thread.
    fn start(
        &self,
        py: Python<'_>,
        request: &Bound<'_, Request>,
        timeout: Option<f64>,
        done: Py<PyAny>,
    ) -> PyResult<Running> {
        let outgoing = outgoing(request, timeout)?;
        let endpoint = self.endpoint.clone();
        let task = crate::runtime::handle(py)?.spawn(async move {
            let exchanged = endpoint.exchange_async(outgoing).await;
            // Nobody waits any more when the interpreter is on its way out.
            Python::try_attach(|py| {
                let told = match exchanged {
                    Ok(exchange) => done.call1(py, (Answer(exchange), py.None())),
                    Err(e) => done.call1(py, (py.None(), error::endpoint(py, &e).into_value(py))),
                };
                if let Err(e) = told {
                    e.write_unraisable(py, None);
                }
            });
        });
        Ok(Running(task.abort_handle()))
    }

    /// Third step: the value, the header record, and what the call did. A fault is the value, as
    /// an exception that is not raised yet. `whole` asks for the record of all results, also when it
    /// is only one.
    #[pyo3(signature = (answer, whole = false))]
    fn receive<'py>(
        &self,
        py: Python<'py>,
        answer: &Answer,
        whole: bool,
    ) -> PyResult<(Bound<'py, PyAny>, bool, Call)> {
        let exchange = &answer.0;
        let operation = &exchange.outgoing.operation;
        let reuse = match whole {
            true => Reuse::Fresh,
            false => self.endpoint.receiving_options().reuse,
        };
        if (reuse != Reuse::Fresh || exchange.response().body.len() >= ARRAYS_BYTES_MIN)
            && let Some((header, result)) = self.arrays(operation)
        {
            return match reuse {
                Reuse::Shared => self.receive_shared(py, exchange, header, result),
                Reuse::InPlace => self.receive_in_place(py, exchange, header, result),
                Reuse::Fresh => self.receive_arrays(py, exchange, header, result, whole),
            };
        }
        let (mut header, mut result, is_value) = self.sinks(py, operation)?;
        let (outcome, record) = self.endpoint.receive(exchange, &mut header, &mut result);
        match outcome {
            Err(e) => Err(error::endpoint(py, &e)),
            Ok(Outcome::Fault(fault)) => Ok(self.fault(py, *fault, record)),
            Ok(Outcome::Reply(blocks)) => {
                let value = match is_value {
                    true if whole => result.finish()?,
                    true => single(result.finish()?)?,
                    false => py.None().into_bound(py),
                };
                Ok((value, false, Call::new(record, header.finish()?.unbind(), blocks)))
            }
        }
    }

    /// A request's envelope, without sending it: the same object as long as nothing changes.
    #[pyo3(signature = (operation, args, kwargs, header))]
    fn encode<'py>(
        &self,
        py: Python<'py>,
        operation: &str,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
        header: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let request = self.prepare(py, operation, args, kwargs, header, false)?;
        let message = request.message();
        if let Some(same) = self.encoded().find(py, operation, message) {
            return Ok(same);
        }
        let bytes = request.bytes(py)?;
        let room = self.endpoint.differential_room();
        self.encoded().keep(operation, message, &bytes, room);
        Ok(bytes)
    }

    /// The value of a reply that came by other ways; a fault is raised.
    fn decode<'py>(
        &self,
        py: Python<'py>,
        operation: &str,
        reply: &Bound<'py, PyBytes>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let reuse = self.endpoint.receiving_options().reuse;
        if reuse != Reuse::Fresh
            && let Some(ids) = self.arrays(operation)
        {
            return self.decode_reusing(py, operation, reply, reuse, ids);
        }
        let (mut header, mut result, is_value) = self.sinks(py, operation)?;
        match self.read(operation, reply, &mut header, &mut result) {
            Err(e) => Err(error::endpoint(py, &e)),
            Ok(Outcome::Fault(fault)) => Err(fault::to_python(py, &self.classes, *fault)),
            Ok(Outcome::Reply(_)) if is_value => single(result.finish()?),
            Ok(Outcome::Reply(_)) => Ok(py.None().into_bound(py)),
        }
    }

    /// The records of all results and of the headers of a reply that came by other ways.
    fn decode_whole<'py>(
        &self,
        py: Python<'py>,
        operation: &str,
        reply: &Bound<'py, PyBytes>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let (mut header, mut result, _) = self.sinks(py, operation)?;
        match self.read(operation, reply, &mut header, &mut result) {
            Err(e) => Err(error::endpoint(py, &e)),
            Ok(Outcome::Fault(fault)) => Err(fault::to_python(py, &self.classes, *fault)),
            Ok(Outcome::Reply(_)) => Ok((result.finish()?, header.finish()?)),
        }
    }

    /// All ports of the contract.
    fn ports(&self) -> Vec<PortFace> {
        schema::ports(self.endpoint.contract())
    }

    /// The same contract's client with other settings, such as another port.
    fn beside(&self, py: Python<'_>, settings: &Bound<'_, PyDict>) -> PyResult<Self> {
        let settings = Settings(settings);
        let options = client_options(&settings)?;
        let form = form(&settings)?;
        let contract = self.endpoint.contract().clone();
        let endpoint = Endpoint::with_contract(contract, options).map_err(|e| error::endpoint(py, &e))?;
        let classes = Classes::new(endpoint.types().clone(), form, settings.object("classes")?);
        Ok(Client::of(Arc::new(endpoint), Arc::new(classes)))
    }

    /// The target namespaces of the contract's schemas, in the order in which they were found.
    fn namespaces(&self) -> Vec<String> {
        self.endpoint.contract().namespaces.clone()
    }

    /// The names of all global elements.
    fn element_names(&self) -> Vec<String> {
        let types = self.endpoint.types();
        types.elements.iter().map(|e| types.clark(&e.name)).collect()
    }

    /// A global element by its name `{namespace}local`.
    fn element(&self, name: &str) -> Option<FieldFace> {
        schema::element_face(self.endpoint.types(), name)
    }

    /// The number of the complex type of a name `{namespace}local`.
    fn complex_named(&self, name: &str) -> Option<u32> {
        match self.endpoint.types().type_by_clark(name) {
            Some(TypeId::Complex(id)) => Some(id.0),
            _ => None,
        }
    }

    /// What a complex type holds, by its number.
    fn complex(&self, number: u32) -> PyResult<TypeFace> {
        Ok(schema::type_face(self.endpoint.types(), self.complex_id(number)?))
    }

    /// The class of a complex type, by its number.
    fn class_of<'py>(&self, py: Python<'py>, number: u32) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.classes.python(py, self.complex_id(number)?)?.into_any())
    }

    /// The class of a complex type, or the texts of an enumeration.
    #[pyo3(name = "type")]
    fn type_<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        crate::describe::type_named(py, self.endpoint.types(), &self.classes, name)
    }

    /// The names of all complex types and enumerations, `{namespace}local`.
    fn type_names(&self) -> Vec<String> {
        crate::describe::type_names(self.endpoint.types())
    }
}

impl Client {
    fn encoded(&self) -> MutexGuard<'_, Encoded> {
        self.encoded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn of(endpoint: Arc<Endpoint>, classes: Arc<Classes>) -> Client {
        Client {
            endpoint,
            classes,
            in_place: InPlace::default(),
            encoded: Mutex::default(),
        }
    }

    /// A fault as an exception that is not raised yet, and what the call did.
    pub(crate) fn fault<'py>(
        &self,
        py: Python<'py>,
        fault: Fault,
        record: Record,
    ) -> (Bound<'py, PyAny>, bool, Call) {
        let raised = fault::to_python(py, &self.classes, fault).into_value(py);
        (
            raised.into_bound(py).into_any(),
            true,
            Call::new(record, py.None(), Vec::new()),
        )
    }

    fn complex_id(&self, number: u32) -> PyResult<ComplexId> {
        let known = (number as usize) < self.endpoint.types().complex.len();
        let none = || PyValueError::new_err(format!("there is no complex type {number}"));
        known.then_some(ComplexId(number)).ok_or_else(none)
    }

    /// Whether requests are written by the rules of SOAP encoding.
    fn is_encoded(&self, operation: &str) -> bool {
        let declared = self.endpoint.operation(operation);
        declared.is_ok_and(|o| o.input.as_ref().is_some_and(|plan| plan.encoded))
    }

    pub(crate) fn header_type(&self, operation: &str) -> Option<ComplexId> {
        let operation = self.endpoint.operation(operation).ok()?;
        Some(operation.input.as_ref()?.header)
    }

    /// Sinks for the headers and the results of an operation; and whether it has results.
    fn sinks<'c, 'py>(
        &'c self,
        py: Python<'py>,
        operation: &str,
    ) -> PyResult<(Objects<'c, 'py>, Objects<'c, 'py>, bool)> {
        let types = self.endpoint.types();
        let ids = self
            .endpoint
            .result(operation)
            .map_err(|e| error::endpoint(py, &e))?;
        let nothing = || Arc::new(Shape::new("", Vec::new()));
        let (header, result) = match ids {
            Some((header, result)) => (types.shape(header).clone(), types.shape(result).clone()),
            None => (nothing(), nothing()),
        };
        let header = Objects::new(py, &self.classes, &header);
        Ok((header, Objects::new(py, &self.classes, &result), ids.is_some()))
    }
}

/// The value itself when the record has one field, nothing when it has none, else the record.
pub(crate) fn single(record: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    let attrs = record.getattr("_castile_attrs")?;
    let attrs = attrs.cast::<PyTuple>()?;
    match attrs.len() {
        0 => Ok(record.py().None().into_bound(record.py())),
        1 => record.getattr(attrs.get_item(0)?.cast::<pyo3::types::PyString>()?),
        _ => Ok(record),
    }
}

/// What values become, by the settings.
pub(crate) fn form(settings: &Settings<'_, '_>) -> PyResult<Form> {
    let no = |what: &str, other: &str| Err(PyValueError::new_err(format!("{what}, not {other:?}")));
    let rows = match settings.get::<String>("rows")?.as_deref() {
        None | Some("numpy") => RowsAs::NumPy,
        Some("objects") => RowsAs::Objects,
        Some(other) => return no("rows is \"numpy\" or \"objects\"", other),
    };
    let lists = match settings.get::<String>("arrays")?.as_deref() {
        None | Some("numpy") => false,
        Some("lists") => true,
        Some(other) => return no("arrays is \"numpy\" or \"lists\"", other),
    };
    let zeep = settings.get::<bool>("zeep")? == Some(true);
    Ok(Form { rows, lists, zeep })
}
