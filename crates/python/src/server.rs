//! The server: a Python handler behind HTTP.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use castile_contract::Operation;
use castile_endpoint::{
    Answer, Call, Code, Fault, Handler, HeaderBlock, Pool, Replier, Server as Endpoint, ServerOptions,
    Service, ServiceOptions, Sharing, StreamOptions, Trouble, Version,
};
use castile_http::ServerTls;
use castile_plan::ComplexId;
use castile_value::Value;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::cwmp::Conversation;
use crate::describe::{OperationFace, describe};
use crate::options::{Settings, duration, load_options, location};
use crate::sink::{Classes, Objects, value_to_python};
use crate::source::{Context, arguments};
use crate::stream::{Coming, Interpreter, Stream};
use crate::{call, client, error, fault, log};

/// A service on a socket, running in threads of its own until it is stopped.
#[pyclass(module = "castile._castile", frozen)]
pub(crate) struct Server {
    running: Mutex<Option<castile_http::Running>>,
    handle: castile_http::Handle,
    service: Arc<Service>,
    address: SocketAddr,
}

#[pymethods]
impl Server {
    /// `handler` has `begin(operations)`, which refuses what it cannot serve, `streamed(operation,
    /// arguments)`, which names the one that is read while it comes, if there is one, `handle(operation,
    /// arguments, headers, call)`, which gives the value, the reply's headers and who the caller is,
    /// `failed(operation, error)` for what it gave and could not be sent, which gives what the caller is told, and
    /// `detail_failed(operation, path, why)` for a fault whose detail cannot be sent, which gives what the caller is
    /// told instead of the fault; nothing: the fault without the detail.
    #[new]
    fn new(
        py: Python<'_>,
        wsdl: &Bound<'_, PyAny>,
        host: String,
        port: u16,
        handler: Py<PyAny>,
        settings: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let location = location(wsdl)?;
        let settings = Settings(settings);
        let load = load_options(&settings)?;
        let service_options = service_options(&settings)?;
        let server_options = server_options(&settings)?;
        let form = client::form(&settings)?;
        let makes = settings.object("classes")?;
        let begin = handler.getattr(py, "begin")?;
        let started = py.detach(|| {
            let contract = castile_endpoint::load(&location, &load)?;
            let classes = Arc::new(Classes::new(contract.types.clone(), form, makes));
            let handler = PythonHandler::new(handler, classes);
            let raised = handler.raised.clone();
            let service = Service::new(contract, service_options, handler).map(Arc::new);
            let raised = raised.lock().unwrap_or_else(PoisonError::into_inner).take();
            Ok((service, raised))
        });
        let (service, raised) = started.map_err(|e| error::endpoint(py, &e))?;
        raised.map_or(Ok(()), Err)?;
        let service = service.map_err(|e| error::endpoint(py, &e))?;
        begin.call1(py, (faces(&service),))?;
        let started = py.detach(|| {
            let documents = castile_endpoint::documents(&location, &load)?;
            let address = (host.as_str(), port);
            let server = Endpoint::bind(service.clone(), address, server_options, &*documents)?;
            let (handle, address) = (server.handle(), server.local_addr());
            Ok((Mutex::new(Some(server.start()?)), handle, address))
        });
        let (running, handle, address) = started.map_err(|e| error::endpoint(py, &e))?;
        Ok(Server {
            running,
            handle,
            service,
            address,
        })
    }

    /// Host and port it listens on.
    #[getter]
    fn address(&self) -> (String, u16) {
        (self.address.ip().to_string(), self.address.port())
    }

    /// Takes no further calls, lets running ones finish, and waits for that.
    fn stop(&self, py: Python<'_>) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| match running {
            Some(running) => running.stop(),
            None => self.handle.stop(),
        });
    }

    /// What differential sending did so far.
    fn differential<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        call::sending_figures(py, &self.service.differential())
    }

    /// What differential receiving did so far.
    fn receiving<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        call::receiving_figures(py, &self.service.receiving())
    }

    /// Calls, faults, bytes in and out, seconds of decoding and of encoding so far.
    fn stats(&self) -> (u64, u64, u64, u64, f64, f64) {
        let stats = self.service.stats();
        let seconds = (stats.decode.as_secs_f64(), stats.encode.as_secs_f64());
        (
            stats.calls,
            stats.faults,
            stats.bytes_in,
            stats.bytes_out,
            seconds.0,
            seconds.1,
        )
    }
}

/// The operations of all bindings that the contract has, each name once.
fn faces(service: &Service) -> Vec<OperationFace> {
    let contract = service.contract();
    let all = contract.bindings.iter();
    let all = all.flat_map(|binding| describe(&contract.types, &binding.operations));
    let mut seen = HashSet::new();
    all.filter(|face| seen.insert(face.name().to_owned())).collect()
}

fn service_options(settings: &Settings<'_, '_>) -> PyResult<ServiceOptions> {
    let mut options = ServiceOptions {
        service: settings.get("service")?,
        ..ServiceOptions::default()
    };
    options.digits = settings.get("digits")?;
    options.share_texts = settings.get("share_texts")?.unwrap_or(false);
    settings.set("strict", &mut options.strict)?;
    settings.set("debug", &mut options.debug)?;
    settings.set("depth_max", &mut options.limits.depth_max)?;
    settings.set("roles", &mut options.roles)?;
    settings.set("understood", &mut options.understood)?;
    // Apart from what clients send: callers must not learn of it by the time that replies take.
    static REPLIED: LazyLock<Pool> = LazyLock::new(Pool::new);
    options.differential = crate::options::differential(settings, &REPLIED)?;
    options.share_arrays = crate::options::shares(settings)? != Some(false);
    options.receiving = crate::options::receiving(settings)?;
    for (name, sharing) in [("shared", Sharing::All), ("unshared", Sharing::None)] {
        let operations = settings.get::<Vec<String>>(name)?.unwrap_or_default();
        let declared = operations.into_iter().map(|operation| (operation, sharing));
        options.sharing.extend(declared);
    }
    options.layers = crate::layers::server_layers(settings)?;
    Ok(options)
}

pub(crate) fn server_options(settings: &Settings<'_, '_>) -> PyResult<ServerOptions> {
    let mut options = ServerOptions {
        public_url: settings.get("public_url")?,
        ..ServerOptions::default()
    };
    settings.set("threads", &mut options.threads)?;
    let http = &mut options.http;
    settings.set("body_bytes_max", &mut http.body_bytes_max)?;
    settings.set("connections_max", &mut http.connections_max)?;
    settings.set("workers", &mut http.workers)?;
    settings.set("direct", &mut http.direct)?;
    if let Some(seconds) = settings.get::<f64>("timeout_graceful")? {
        http.timeout_graceful = duration(seconds)?;
    }
    if let Some(seconds) = settings.get::<f64>("timeout_handler")? {
        http.timeout_handler = Some(duration(seconds)?);
    }
    http.compress_reply_above = settings.get("compress_reply_above")?;
    if let (Some(cert_pem), Some(key_pem)) = (settings.get("tls_cert_pem")?, settings.get("tls_key_pem")?) {
        http.tls = Some(ServerTls {
            cert_pem,
            key_pem,
            client_ca_pem: client_ca(settings)?,
        });
    }
    if let Some(users) = settings.get::<std::collections::HashMap<String, String>>("users")? {
        let digest = settings.get::<bool>("digest")?.unwrap_or(false);
        http.auth = Some(if digest {
            digest_auth(users)
        } else {
            users_auth(users)
        });
    }
    Ok(options)
}

fn client_ca(settings: &Settings<'_, '_>) -> PyResult<Option<Vec<u8>>> {
    let mut pem = Vec::new();
    for file in settings.get::<Vec<PathBuf>>("tls_ca_files")?.unwrap_or_default() {
        pem.extend(std::fs::read(file)?);
        pem.push(b'\n');
    }
    Ok(Some(pem).filter(|pem| !pem.is_empty()))
}

/// What the transport says of a call.
#[pyclass(module = "castile", frozen, get_all)]
pub(crate) struct ServerCall {
    /// The operation's name.
    operation: String,
    /// `"1.1"` or `"1.2"`.
    soap_version: &'static str,
    /// Host and port of the caller.
    peer: Option<(String, u16)>,
    /// All header blocks as XML, by name `{namespace}local`.
    header_blocks: Vec<(String, String)>,
    /// Who proved to send it.
    principal: Option<String>,
    /// The session that it belongs to.
    session: Option<Py<Conversation>>,
    /// The argument that is read while it comes.
    stream: Option<Py<Stream>>,
}

/// A handler written in Python, for the types of one contract.
pub(crate) struct PythonHandler {
    python: Py<PyAny>,
    pub(crate) classes: Arc<Classes>,
    /// What was raised when it was asked what it streams.
    raised: Arc<Mutex<Option<PyErr>>>,
}

impl Handler for PythonHandler {
    fn handle(&self, call: Call<'_>) -> Result<Answer, Trouble> {
        let answered = Python::try_attach(|py| {
            log::refresh(py);
            self.answer(py, call)
        });
        answered.unwrap_or_else(|| Err(Fault::new(Code::Receiver, "the service is stopping").into()))
    }

    fn streams(&self, operation: &Operation) -> Option<StreamOptions> {
        let asked = Python::try_attach(|py| {
            let plan = operation.input.as_ref()?;
            let (values, _) = plan.values(self.classes.types());
            let fields = &self.classes.types().complex(values).fields;
            let names: Vec<&str> = fields.iter().map(|field| &*field.name).collect();
            let asked = self.python.call_method1(py, "streamed", (&operation.name, names));
            match asked.and_then(|array| array.extract::<Option<String>>(py)) {
                Ok(array) => array,
                Err(raised) => {
                    *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(raised);
                    None
                }
            }
        });
        asked.flatten().map(|array| StreamOptions {
            array: Some(array),
            ..StreamOptions::default()
        })
    }
}

/// What a call brings: its arguments, its headers, and what the transport says.
type Given<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, ServerCall);

impl PythonHandler {
    pub(crate) fn new(python: Py<PyAny>, classes: Arc<Classes>) -> PythonHandler {
        PythonHandler {
            python,
            classes,
            raised: Arc::default(),
        }
    }

    fn answer(&self, py: Python<'_>, call: Call<'_>) -> Result<Answer, Trouble> {
        let operation = call.operation().name.clone();
        let detail = call.operation().detail;
        let Some((header, args)) = call.arguments() else {
            return Ok(Answer::default());
        };
        let types = call.service().types().clone();
        let mut info = self.info(py, &call);
        if call.is_stream() {
            let (mut arguments, replier) = call.stream_by(&Interpreter::default())?;
            let [args, header] = [arguments.take_values(), arguments.take_header()]
                .map(|record| value_to_python(py, &self.classes, Value::Record(record)));
            let stream = Stream::new(Coming::Request(Box::new(arguments)), &self.classes);
            let stream = Py::new(py, stream);
            let given = stream.and_then(|stream| {
                info.stream = Some(stream.clone_ref(py));
                Ok((stream, (args?, header?, info)))
            });
            let (stream, given) = given.map_err(|e| self.trouble(py, &operation, detail, e))?;
            let answered = self.answer_with(py, &operation, detail, given, replier);
            // A handler may keep it, but not the connection.
            stream.get().close();
            return answered;
        }
        let mut header = Objects::new(py, &self.classes, types.shape(header));
        let mut args = Objects::new(py, &self.classes, types.shape(args));
        let replier = call.decode(&mut header, &mut args)?;
        let given = args.finish().and_then(|args| Ok((args, header.finish()?, info)));
        let given = given.map_err(|e| self.trouble(py, &operation, detail, e))?;
        self.answer_with(py, &operation, detail, given, replier)
    }

    /// Asks the handler and writes what it gives.
    fn answer_with(
        &self,
        py: Python<'_>,
        operation: &str,
        detail: ComplexId,
        given: Given<'_>,
        mut replier: Replier<'_>,
    ) -> Result<Answer, Trouble> {
        let (args, header, info) = given;
        let called = self
            .python
            .bind(py)
            .call_method1("handle", (operation, args, header, info));
        let called = called.and_then(|answer| answer.extract());
        let sent = called.and_then(|(value, headers, principal): (_, _, Option<String>)| {
            if let Some(principal) = principal {
                replier.for_principal(principal);
            }
            self.reply(py, operation, &replier, value, headers)
        });
        sent.map_err(|e| self.trouble(py, operation, detail, e))
    }

    fn info(&self, py: Python<'_>, call: &Call<'_>) -> ServerCall {
        let block = |b: &HeaderBlock| (b.name.to_string(), b.xml.clone());
        let session = call
            .conversation()
            .map(|session| Conversation::new(session, &self.classes));
        ServerCall {
            operation: call.operation().name.clone(),
            soap_version: match call.version() {
                Version::Soap11 => "1.1",
                Version::Soap12 => "1.2",
            },
            peer: call.peer().map(|p| (p.ip().to_string(), p.port())),
            header_blocks: call.headers().iter().map(block).collect(),
            principal: call.principal().map(str::to_owned),
            session: session.and_then(|session| Py::new(py, session).ok()),
            stream: None,
        }
    }

    fn reply<'py>(
        &self,
        py: Python<'py>,
        operation: &str,
        replier: &Replier<'_>,
        value: Bound<'py, PyAny>,
        headers: Bound<'py, PyAny>,
    ) -> PyResult<Answer> {
        let Some((header_type, result_type)) = replier.result() else {
            return Ok(Answer::default());
        };
        let types = self.classes.types();
        let context = Context::new(py, types, false).streaming(replier.streams());
        let results = results(py, types, result_type, operation, value)?;
        if replier.is_encoded() {
            context.find_shared(&results)?;
        }
        let results = context.record(results, Some(result_type), operation);
        let headers = context.record(headers, Some(header_type), "Header");
        let host = Interpreter::default();
        let written = replier.reply_by(headers, results, &host);
        match (context.failure(), written) {
            (Some(failure), _) => Err(failure),
            (None, Err(e)) => Err(host.error(py, &e)),
            (None, Ok(answer)) => Ok(answer),
        }
    }

    /// A fault goes out as it is; of anything else the caller only learns that it happened.
    fn trouble(&self, py: Python<'_>, operation: &str, detail: ComplexId, e: PyErr) -> Trouble {
        let is_fault = py.import("castile._errors").and_then(|m| m.getattr("Fault"));
        let is_fault = is_fault
            .and_then(|class| e.value(py).is_instance(&class))
            .unwrap_or(false);
        if !is_fault {
            return self.failed(py, operation, &e).into();
        }
        let fault = match fault::from_python(e.value(py)) {
            Ok(fault) => self.with_detail(py, operation, detail, fault, e.value(py)),
            Err(broken) => self.failed(py, operation, &broken),
        };
        fault.into()
    }

    /// The fault with the detail and the headers' values that the handler gave it; what is sent when those cannot
    /// be written, which is logged.
    fn with_detail(
        &self,
        py: Python<'_>,
        operation: &str,
        detail: ComplexId,
        mut fault: Fault,
        raised: &Bound<'_, PyAny>,
    ) -> Fault {
        let types = self.classes.types();
        let given = || {
            let detail = fault::detail_from_python(types, raised)?;
            PyResult::Ok((detail, fault::headers_from_python(types, raised)?))
        };
        let (path, why) = match given() {
            Ok((detail, headers)) if detail.is_empty() && headers.is_empty() => return fault,
            Ok((given, headers)) => {
                (fault.detail, fault.header_values) = (given, headers);
                match self.try_out(detail, &fault) {
                    Ok(()) => return fault,
                    Err(e) => (e.path(), e.to_string()),
                }
            }
            Err(e) => ("/detail".to_owned(), e.value(py).to_string()),
        };
        fault.detail.clear();
        fault.header_values.clear();
        match self.told(py, "detail_failed", (operation, path, why)) {
            Some(reason) => Fault::new(Code::Receiver, reason),
            None => fault,
        }
    }

    fn try_out(&self, detail: ComplexId, fault: &Fault) -> Result<(), castile_codec::Error> {
        let (options, mut out) = (castile_codec::EncodeOptions::default(), Vec::new());
        let types = self.classes.types();
        castile_codec::encode_fault(types, Some(detail), Version::Soap12, fault, &options, &mut out)
    }

    fn failed(&self, py: Python<'_>, operation: &str, e: &PyErr) -> Fault {
        let reason = self.told(py, "failed", (operation, e.value(py)));
        Fault::new(
            Code::Receiver,
            reason.as_deref().unwrap_or("the service failed to answer"),
        )
    }

    /// Has Python log something; what the caller is told of it.
    fn told<'py>(
        &self,
        py: Python<'py>,
        method: &str,
        arguments: impl pyo3::call::PyCallArgs<'py>,
    ) -> Option<String> {
        let told = self.python.call_method1(py, method, arguments);
        told.and_then(|told| told.extract(py)).unwrap_or_else(|e| {
            e.write_unraisable(py, None);
            None
        })
    }
}

/// What a handler gave as the record of all results: the one result, or several by position
/// (a tuple) or by name.
fn results<'py>(
    py: Python<'py>,
    types: &castile_plan::Types,
    id: castile_plan::ComplexId,
    operation: &str,
    value: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    match types.complex(id).fields.len() {
        0 if value.is_none() => Ok(PyDict::new(py).into_any()),
        0 | 1 => arguments(py, types, id, operation, &PyTuple::new(py, [value])?, None),
        _ => match value.cast_exact::<PyTuple>() {
            Ok(several) => arguments(py, types, id, operation, several, None),
            Err(_) if value.is_none() => Ok(PyDict::new(py).into_any()),
            Err(_) => Ok(value),
        },
    }
}

/// Users and passwords that may call, by basic authentication.
fn users_auth(users: std::collections::HashMap<String, String>) -> castile_http::ServerAuth {
    let check = move |user: &str, password: &str| users.get(user).is_some_and(|right| same(right, password));
    castile_http::ServerAuth::Basic {
        realm: "castile".into(),
        check: Arc::new(check),
    }
}

/// The same by digest authentication.
fn digest_auth(users: std::collections::HashMap<String, String>) -> castile_http::ServerAuth {
    castile_http::ServerAuth::Digest {
        realm: "castile".into(),
        find: Arc::new(move |user: &str| users.get(user).cloned()),
    }
}

/// Compares without telling by the time it takes where the first difference is.
fn same(a: &str, b: &str) -> bool {
    let differing = a.bytes().zip(b.bytes()).fold(0, |sum, (x, y)| sum | (x ^ y));
    a.len() == b.len() && differing == 0
}
