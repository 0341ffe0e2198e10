//! CWMP: the ACS and the device with handlers written in Python.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use castile_contract::Contract;
use castile_endpoint::cwmp::{self, AcsOptions, CpeOptions};
use castile_endpoint::session;
use castile_endpoint::{Answer, Call, Error, Handler, Kind, Trouble};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::client::{self, Client};
use crate::describe::{OperationFace, describe};
use crate::options::{Settings, client_options, duration, load_options, location};
use crate::server::{PythonHandler, server_options};
use crate::sink::{Classes, Objects};
use crate::{error, log};

/// An ACS on a socket.
#[pyclass(module = "castile._castile", frozen)]
pub(crate) struct Acs {
    running: Mutex<Option<castile_http::Running>>,
    handle: castile_http::Handle,
    host: Arc<session::Host>,
    address: SocketAddr,
}

#[pymethods]
impl Acs {
    /// `handler` answers calls as a server's does; `begin(operations)` gives the names of those that it
    /// answers. `program(client, conversation)` runs when the turn of a session is the ACS's, in a thread of
    /// its own, and raises nothing.
    #[new]
    fn new(
        py: Python<'_>,
        schemas: Vec<Bound<'_, PyAny>>,
        address: (String, u16),
        handler: Py<PyAny>,
        begin: &Bound<'_, PyAny>,
        program: Py<PyAny>,
        settings: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let settings = Settings(settings);
        let load = load_options(&settings)?;
        let options = acs_options(&settings)?;
        let form = client::form(&settings)?;
        let locations = schemas.iter().map(location).collect::<PyResult<Vec<_>>>()?;
        let contracts = py.detach(|| {
            let loaded = locations.iter().map(|at| castile_endpoint::load(at, &load));
            loaded.collect::<Result<Vec<_>, Error>>()
        });
        let contracts = contracts.map_err(|e| error::endpoint(py, &e))?;
        let methods = methods(begin, &contracts)?;
        let made = contracts.iter().map(|contract| {
            PythonHandler::new(
                handler.clone_ref(py),
                Arc::new(Classes::new(contract.types.clone(), form, None)),
            )
        });
        let handlers = Arc::new(Versions(made.collect()));
        let started = py.detach(|| {
            let mut acs = cwmp::Acs::new(contracts, options)?;
            for method in &methods {
                acs = acs.on_call(method, handlers.clone());
            }
            let acs = acs.on_session_blocking(move |session| {
                run(session.into_session(), &handlers, &program);
                Ok(())
            });
            let server = acs.bind((address.0.as_str(), address.1))?;
            let (host, address) = (server.host().clone(), server.local_addr());
            let running = server.start()?;
            Ok(Acs {
                handle: running.handle(),
                running: Mutex::new(Some(running)),
                host,
                address,
            })
        });
        started.map_err(|e| error::endpoint(py, &e))
    }

    /// Host and port it listens on.
    #[getter]
    fn address(&self) -> (String, u16) {
        (self.address.ip().to_string(), self.address.port())
    }

    /// Sessions at the moment.
    #[getter]
    fn sessions(&self) -> usize {
        self.host.sessions()
    }

    /// Takes no further messages, lets running ones finish, and waits for that.
    fn stop(&self, py: Python<'_>) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| match running {
            Some(running) => running.stop(),
            None => self.handle.stop(),
        });
    }
}

/// The names of the methods that Python answers, of those that the versions of a schema have.
fn methods(begin: &Bound<'_, PyAny>, contracts: &[Arc<Contract>]) -> PyResult<Vec<String>> {
    let mut faces: Vec<OperationFace> = Vec::new();
    for contract in contracts {
        let operations = contract.bindings.iter();
        for face in operations.flat_map(|binding| describe(&contract.types, &binding.operations)) {
            if !faces.iter().any(|known| known.name() == face.name()) {
                faces.push(face);
            }
        }
    }
    begin.call1((faces,))?.extract()
}

fn acs_options(settings: &Settings<'_, '_>) -> PyResult<AcsOptions> {
    let mut options = AcsOptions::default();
    settings.set("strict", &mut options.strict)?;
    settings.set("hold_requests", &mut options.hold_requests)?;
    options.host.http = server_options(settings)?.http;
    settings.set("sessions_max", &mut options.host.sessions_max)?;
    if let Some(seconds) = settings.get::<f64>("timeout_device")? {
        options.host.timeout_guest = duration(seconds)?;
    }
    if let Some(seconds) = settings.get::<f64>("timeout_session")? {
        options.host.timeout_program = duration(seconds)?;
    }
    Ok(options)
}

/// Runs the program of one session.
fn run(session: session::Session, handlers: &Versions, program: &Py<PyAny>) {
    let conversation = session.conversation().clone();
    let endpoint = Arc::new(session.into_client());
    // Nobody answers any more when the interpreter is on its way out.
    Python::try_attach(|py| {
        log::refresh(py);
        let Some(handler) = handlers.of(endpoint.contract()) else {
            return;
        };
        let told = Conversation::new(&conversation, &handler.classes);
        let client = Client::of(endpoint, handler.classes.clone());
        if let Err(e) = program.call1(py, (client, told)) {
            e.write_unraisable(py, None);
        }
    });
}

/// The handler, once for each version of the schema.
struct Versions(Vec<PythonHandler>);

impl Versions {
    fn of(&self, contract: &Contract) -> Option<&PythonHandler> {
        self.0
            .iter()
            .find(|h| Arc::ptr_eq(h.classes.types(), &contract.types))
    }
}

impl Handler for Versions {
    fn handle(&self, call: Call<'_>) -> Result<Answer, Trouble> {
        match self.of(call.service().contract()) {
            Some(handler) => handler.handle(call),
            None => Ok(Answer::default()),
        }
    }
}

/// Who the peer of a session is and what it asked.
#[pyclass(module = "castile._castile", frozen)]
pub(crate) struct Conversation {
    conversation: Arc<session::Conversation>,
    classes: Arc<Classes>,
}

impl Conversation {
    pub(crate) fn new(conversation: &Arc<session::Conversation>, classes: &Arc<Classes>) -> Conversation {
        Conversation {
            conversation: conversation.clone(),
            classes: classes.clone(),
        }
    }
}

#[pymethods]
impl Conversation {
    /// Host and port of the peer.
    #[getter]
    fn peer(&self) -> (String, u16) {
        let peer = self.conversation.peer();
        (peer.ip().to_string(), peer.port())
    }

    /// The user that HTTP found to be genuine.
    #[getter]
    fn principal(&self) -> Option<&str> {
        self.conversation.principal()
    }

    /// What the peer asked so far, the opening request first: operations and their arguments.
    fn said<'py>(&self, py: Python<'py>) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
        let texts = self.conversation.envelopes();
        texts.iter().map(|text| self.read(py, text)).collect()
    }

    /// The arguments of the opening request.
    fn opening<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let texts = self.conversation.envelopes();
        match texts.first() {
            Some(text) => Ok(self.read(py, text)?.1),
            None => Ok(py.None().into_bound(py)),
        }
    }
}

impl Conversation {
    fn read<'py>(&self, py: Python<'py>, text: &str) -> PyResult<(String, Bound<'py, PyAny>)> {
        let failed = |e: Error| error::endpoint(py, &e);
        let service = self.conversation.service();
        let call = service.open(text).map_err(failed)?;
        let operation = call.operation().name.clone();
        let Some((header, arguments)) = call.arguments() else {
            return Ok((operation, py.None().into_bound(py)));
        };
        let types = service.types();
        let mut header = Objects::new(py, &self.classes, types.shape(header));
        let mut sink = Objects::new(py, &self.classes, types.shape(arguments));
        call.decode(&mut header, &mut sink).map_err(failed)?;
        Ok((operation, sink.finish()?))
    }
}

/// A device.
#[pyclass(module = "castile._castile", frozen)]
pub(crate) struct Cpe {
    cpe: cwmp::Cpe,
    classes: Arc<Classes>,
}

#[pymethods]
impl Cpe {
    /// `handler` answers calls as a server's does; `begin(operations)` gives the names of those that it
    /// answers.
    #[new]
    fn new(
        py: Python<'_>,
        schema: &Bound<'_, PyAny>,
        handler: Py<PyAny>,
        begin: &Bound<'_, PyAny>,
        settings: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let location = location(schema)?;
        let settings = Settings(settings);
        let options = CpeOptions {
            client: client_options(&settings)?,
            session_timeout: settings.get("session_timeout")?,
            versions: settings.get("versions")?,
        };
        let form = client::form(&settings)?;
        let contract = py.detach(|| castile_endpoint::load(&location, &options.client.load));
        let contract = contract.map_err(|e| error::endpoint(py, &e))?;
        let methods = methods(begin, std::slice::from_ref(&contract))?;
        let made = py.detach(|| {
            let classes = Arc::new(Classes::new(contract.types.clone(), form, None));
            let handler = PythonHandler::new(handler, classes.clone());
            let cpe = cwmp::Cpe::with_handler(contract, options, handler, methods)?;
            Ok(Cpe { cpe, classes })
        });
        made.map_err(|e| error::endpoint(py, &e))
    }

    /// What calls the ACS.
    fn client(&self) -> Client {
        Client::of(self.cpe.client().clone(), self.classes.clone())
    }

    /// Whether the ACS holds requests back.
    #[getter]
    fn held(&self) -> bool {
        self.cpe.is_held()
    }

    /// Passes the turn; gives how often the ACS called.
    fn finish(&self, py: Python<'_>) -> PyResult<u32> {
        let raised: Mutex<Option<PyErr>> = Mutex::new(None);
        let interrupted = || match Python::attach(|py| py.check_signals()) {
            Ok(()) => false,
            Err(e) => {
                *raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(e);
                true
            }
        };
        let (client, service) = (self.cpe.client(), self.cpe.service());
        let finished = py.detach(|| client.take_calls_with_interrupt(service, &interrupted));
        finished.map_err(|e| {
            let raised = raised.into_inner().unwrap_or_else(PoisonError::into_inner);
            let raised = raised.filter(|_| e.kind() == Kind::Interrupted);
            raised.unwrap_or_else(|| error::endpoint(py, &e))
        })
    }
}

/// Where an ACS asks a device to open a session.
#[pyclass(module = "castile._castile", frozen)]
pub(crate) struct ConnectionRequests {
    running: Mutex<Option<castile_http::Running>>,
    address: SocketAddr,
}

#[pymethods]
impl ConnectionRequests {
    /// Calls `wanted()` for each request, from any thread.
    #[new]
    fn new(
        py: Python<'_>,
        host: String,
        port: u16,
        path: String,
        user: String,
        password: String,
        wanted: Py<PyAny>,
    ) -> PyResult<Self> {
        let started = py.detach(|| {
            let requests = cwmp::ConnectionRequests::bind((host.as_str(), port), path, user, password)?;
            let address = requests.local_addr();
            let running = requests.start(move || {
                Python::try_attach(|py| {
                    if let Err(e) = wanted.call0(py) {
                        e.write_unraisable(py, None);
                    }
                });
            })?;
            Ok((running, address))
        });
        let (running, address) = started.map_err(|e: Error| error::endpoint(py, &e))?;
        Ok(ConnectionRequests {
            running: Mutex::new(Some(running)),
            address,
        })
    }

    /// Host and port it listens on.
    #[getter]
    fn address(&self) -> (String, u16) {
        (self.address.ip().to_string(), self.address.port())
    }

    /// Listens no longer.
    fn stop(&self, py: Python<'_>) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| {
            if let Some(running) = running {
                running.stop();
            }
        });
    }
}
