//! Layers from Python: tuples that `castile._layers` has put together.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use castile_endpoint::Layers;
use castile_endpoint::addressing::{
    Addressing, AddressingOptions, AddressingService, AddressingServiceOptions, AddressingVersion, Callbacks,
    CallbacksOptions, Elsewhere, EndpointReference,
};
use castile_endpoint::xroad::{Member, XRoad, XRoadOptions, XRoadService};
use castile_security::{
    ClientOptions, ClientSecurity, ClockOffset, Password, Secret, ServerOptions, ServerSecurity, Timestamp,
    UsernameToken,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error;
use crate::options::{Settings, duration};

/// The layers of a client: each a pair of its kind and its settings.
pub(crate) fn client_layers(settings: &Settings<'_, '_>) -> PyResult<Layers> {
    build(settings, |kind, settings| match kind {
        "security" => Ok(Arc::new(ClientSecurity::new(security(settings)?))),
        "addressing" => Ok(Arc::new(Addressing::new(addressing(settings)?))),
        "xroad" => Ok(Arc::new(XRoad::new(xroad(settings)?))),
        other => Err(PyValueError::new_err(format!("a client has no layer {other:?}"))),
    })
}

/// The layers of a server.
pub(crate) fn server_layers(settings: &Settings<'_, '_>) -> PyResult<Layers> {
    build(settings, |kind, settings| match kind {
        "security" => Ok(Arc::new(ServerSecurity::new(checks(settings)?))),
        "addressing" => Ok(Arc::new(AddressingService::new(addressing_service(settings)?))),
        "xroad" => Ok(Arc::new(XRoadService)),
        other => Err(PyValueError::new_err(format!("a server has no layer {other:?}"))),
    })
}

fn build(
    settings: &Settings<'_, '_>,
    make: impl Fn(&str, &Settings<'_, '_>) -> PyResult<Arc<dyn castile_endpoint::Layer>>,
) -> PyResult<Layers> {
    let mut layers = Layers::default();
    let given = settings.get::<Vec<(String, Bound<'_, PyDict>)>>("layers")?;
    for (kind, settings) in given.unwrap_or_default() {
        layers.push(make(&kind, &Settings(&settings))?);
    }
    Ok(layers)
}

fn security(settings: &Settings<'_, '_>) -> PyResult<ClientOptions> {
    let mut options = ClientOptions::default();
    if let Some(user) = settings.get::<String>("user")? {
        let password: Secret = settings.get::<String>("password")?.unwrap_or_default().into();
        let kind = match settings.get::<String>("kind")?.as_deref() {
            Some("text") => Password::Text,
            Some("none") => Password::Absent,
            _ => Password::Digest,
        };
        let mut token = UsernameToken::new(user, password, kind);
        settings.set("nonce", &mut token.nonce)?;
        settings.set("created", &mut token.created)?;
        options.username = Some(token);
    }
    if settings.get::<bool>("timestamp")? == Some(true) {
        options.timestamp = Some(Timestamp {
            lifetime: seconds(settings, "lifetime")?,
        });
    }
    settings.set("must_understand", &mut options.must_understand)?;
    settings.set("reply_timestamp", &mut options.reply_timestamp)?;
    settings.set("without", &mut options.without)?;
    options.actor = settings.get("actor")?;
    if let Some(skew) = seconds(settings, "skew_max")? {
        options.skew_max = skew;
    }
    if let Some(clock) = settings.0.get_item("clock")? {
        options.clock_offset = clock.cast::<Clock>()?.get().0.clone();
    }
    Ok(options)
}

fn checks(settings: &Settings<'_, '_>) -> PyResult<ServerOptions> {
    let mut options = ServerOptions::default();
    if let Some(users) = settings.get::<HashMap<String, String>>("users")? {
        options.passwords = Some(Arc::new(move |user| users.get(user).cloned()));
    }
    settings.set("text", &mut options.text)?;
    settings.set("timestamp", &mut options.timestamp)?;
    settings.set("reply_timestamp", &mut options.reply_timestamp)?;
    settings.set("nonces_max", &mut options.nonces_max)?;
    settings.set("without", &mut options.without)?;
    if let Some(skew) = seconds(settings, "skew_max")? {
        options.skew_max = skew;
    }
    if let Some(age) = seconds(settings, "age_max")? {
        options.age_max = age;
    }
    Ok(options)
}

fn addressing(settings: &Settings<'_, '_>) -> PyResult<AddressingOptions> {
    let callbacks = settings.0.get_item("callbacks")?.filter(|c| !c.is_none());
    let mut options = AddressingOptions {
        version: match settings.get::<String>("version")?.as_deref() {
            Some("2004/08") => AddressingVersion::Submission,
            _ => AddressingVersion::V10,
        },
        to: reference(settings, "to")?,
        from: reference(settings, "sender")?,
        reply_to: reference(settings, "reply_to")?,
        fault_to: reference(settings, "fault_to")?,
        callbacks: match callbacks {
            Some(callbacks) => Some(callbacks.cast::<Listener>()?.get().0.clone()),
            None => None,
        },
        ..AddressingOptions::default()
    };
    settings.set("must_understand", &mut options.must_understand)?;
    settings.set("reply_required", &mut options.reply_required)?;
    Ok(options)
}

fn addressing_service(settings: &Settings<'_, '_>) -> PyResult<AddressingServiceOptions> {
    let mut options = AddressingServiceOptions::default();
    settings.set("required", &mut options.required)?;
    if let Some(hosts) = settings.get::<Vec<String>>("reply_hosts")? {
        options.elsewhere = match hosts.iter().any(|host| host == "*") {
            true => Elsewhere::Anywhere,
            false => Elsewhere::Hosts(hosts),
        };
    }
    Ok(options)
}

fn xroad(settings: &Settings<'_, '_>) -> PyResult<XRoadOptions> {
    let text = |name: &str| Ok::<_, PyErr>(settings.get::<String>(name)?.unwrap_or_default());
    let member = |name: &str| Member::parse(&text(name)?).map_err(|e| PyValueError::new_err(e.to_string()));
    Ok(XRoadOptions {
        client: member("client")?,
        service: member("service")?,
        service_code: settings.get("service_code")?,
        service_version: settings.get("service_version")?,
        user_id: text("user_id")?,
        issue: settings.get("issue")?,
    })
}

/// An address with its reference parameters.
fn reference(settings: &Settings<'_, '_>, name: &str) -> PyResult<Option<EndpointReference>> {
    let given = settings.get::<(String, Vec<String>)>(name)?;
    Ok(given.map(|(address, parameters)| EndpointReference {
        parameters,
        ..EndpointReference::new(address)
    }))
}

fn seconds(settings: &Settings<'_, '_>, name: &str) -> PyResult<Option<Duration>> {
    settings.get::<f64>(name)?.map(duration).transpose()
}

/// How far a peer's clock is ahead of ours; layers that were made with it follow it.
#[pyclass(module = "castile._castile", frozen)]
pub(crate) struct Clock(ClockOffset);

#[pymethods]
impl Clock {
    #[new]
    fn new(milliseconds: i64) -> Self {
        Clock(ClockOffset::new(milliseconds))
    }

    /// Milliseconds.
    #[getter]
    fn get_offset(&self) -> i64 {
        self.0.get()
    }

    /// Sets the offset, in milliseconds.
    fn set(&self, milliseconds: i64) {
        self.0.set(milliseconds);
    }
}

/// Listens for replies that come over connections of their own.
#[pyclass(module = "castile._castile", frozen)]
pub(crate) struct Listener(Arc<Callbacks>);

#[pymethods]
impl Listener {
    #[new]
    fn new(py: Python<'_>, host: String, port: u16, public_url: Option<String>) -> PyResult<Self> {
        let options = CallbacksOptions {
            public_url,
            ..CallbacksOptions::default()
        };
        let bound = py.detach(|| Callbacks::bind((host.as_str(), port), options));
        bound.map(Listener).map_err(|e| error::endpoint(py, &e))
    }

    /// The address that peers are told.
    #[getter]
    fn url(&self) -> &str {
        self.0.url()
    }

    /// Stops listening.
    fn stop(&self, py: Python<'_>) {
        py.detach(|| self.0.stop());
    }
}
