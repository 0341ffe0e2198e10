//! A device and its server.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use castile_contract::{Contract, Entry, MemoryResolver, Options};
use castile_endpoint::cwmp::{Acs, AcsOptions, Cpe, CpeOptions, CwmpFault};
use castile_endpoint::{ClientOptions, Fault, Handlers};
use castile_http::Running;
use castile_value::{Record, Value};

pub(crate) fn contract() -> Arc<Contract> {
    let schema = include_bytes!("../../../../docs/guides/files/device.xsd");
    let entry = Entry::Document {
        bytes: schema,
        location: "device.xsd",
        charset: None,
    };
    Arc::new(Contract::load(entry, &MemoryResolver::new(), &Options::default()).unwrap())
}

pub(crate) fn inform() -> Value {
    let device = [
        ("Manufacturer", "Castile"),
        ("OUI", "00AABB"),
        ("ProductClass", "Gate"),
        ("SerialNumber", "17"),
    ];
    let event = Value::map([
        ("EventCode", Value::from("1 BOOT")),
        ("CommandKey", Value::from("")),
    ]);
    Value::map([
        ("DeviceId", Value::map(device.map(|(k, v)| (k, Value::from(v))))),
        ("Event", Value::List(vec![event])),
        ("MaxEnvelopes", Value::from(1i64)),
        ("CurrentTime", Value::from("2026-05-01T12:00:00Z")),
        ("RetryCount", Value::from(0i64)),
        ("ParameterList", Value::List(vec![parameter("Device.Up", "3")])),
    ])
}

pub(crate) fn parameter(name: &str, value: &str) -> Value {
    Value::map([("Name", Value::from(name)), ("Value", Value::from(value))])
}

pub(crate) fn names(names: &[&str]) -> Value {
    let list = names.iter().map(|n| Value::from(*n)).collect();
    Value::map([("ParameterNames", Value::List(list))])
}

pub(crate) fn methods() -> Handlers {
    let get = |args: Record| {
        let names = args
            .get("ParameterNames")
            .cloned()
            .unwrap_or_default()
            .into_list();
        let values = names.iter().map(|name| match name.as_str() {
            Some(name) if name.starts_with("Device.") => Ok(parameter(name, "on")),
            _ => Err(CwmpFault::new(9005, "Invalid parameter name").into()),
        });
        let values = values.collect::<Result<Vec<_>, Fault>>()?;
        Ok(Value::map([("ParameterList", Value::List(values))]))
    };
    let set = |_| {
        let fault = CwmpFault::new(9003, "Invalid arguments");
        Err(fault.parameter("Device.X", 9008, "not writable").into())
    };
    Handlers::new()
        .on("GetParameterValues", get)
        .on("SetParameterValues", set)
}

pub(crate) fn cpe(url: &str) -> Cpe {
    let options = CpeOptions {
        client: ClientOptions {
            endpoint: Some(url.to_owned()),
            ..ClientOptions::default()
        },
        ..CpeOptions::default()
    };
    Cpe::new(contract(), options, methods()).unwrap()
}

pub(crate) fn acs(options: AcsOptions) -> Acs {
    Acs::new([contract()], options).unwrap()
}

pub(crate) fn start(acs: Acs) -> (Running, String) {
    let running = acs.bind("127.0.0.1:0").unwrap().start().unwrap();
    let url = format!("http://{}/", running.addr());
    (running, url)
}

/// What the programs of sessions saw, in order.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(crate) fn add(&self, text: impl Into<String>) {
        self.0.lock().unwrap().push(text.into());
    }

    /// All lines, once there are as many.
    pub(crate) fn wait(&self, lines: usize) -> Vec<String> {
        for _ in 0..500 {
            if self.0.lock().unwrap().len() >= lines {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        self.0.lock().unwrap().clone()
    }
}
