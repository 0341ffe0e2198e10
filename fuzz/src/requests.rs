//! A service: whatever comes, it answers with a message or a fault that can be read.

use std::cell::OnceCell;
use std::sync::Arc;

use castile_codec::{Envelope, Limits};
use castile_contract::{Contract, MemoryResolver, Options};
use castile_endpoint::{Fault, Handlers, InMessage, Service, ServiceOptions, Version};
use castile_value::{Record, Value};

/// The contract of the interoperability tests, which has a bit of everything.
const WSDL: &str = include_str!("../../interop/interop.wsdl");

pub(crate) fn contract() -> Arc<Contract> {
    let files = MemoryResolver::new().with("interop.wsdl", WSDL);
    let contract = Contract::load("interop.wsdl", &files, &Options::default());
    Arc::new(contract.expect("a good contract"))
}

thread_local! {
    static SERVICE: OnceCell<Service> = const { OnceCell::new() };
}

fn service() -> Service {
    let echo = |name: &'static str| {
        move |args: Record| Ok::<Value, Fault>(args.get(name).cloned().unwrap_or_default())
    };
    let handlers = Handlers::new()
        .on("echoVoid", |_| Ok(Value::Absent))
        .on("echoDoubles", echo("value"))
        .on("echoInts", echo("value"))
        .on("echoStrings", echo("value"))
        .on("echoString", echo("text"))
        .on("echoMios", echo("mio"))
        .on("echoEvents", echo("event"));
    Service::new(contract(), ServiceOptions::default(), handlers).expect("a good service")
}

/// Version, an action up to a line end, and an envelope.
pub(crate) fn requests(bytes: &[u8]) {
    let [kind, message @ ..] = bytes else { return };
    let Ok(message) = std::str::from_utf8(message) else {
        return;
    };
    let (action, text) = message.split_once('\n').unwrap_or(("", message));
    SERVICE.with(|cell| {
        let answer = cell.get_or_init(service).answer(InMessage {
            action: Some(action).filter(|action| !action.is_empty()),
            version: if kind % 2 == 0 {
                Version::Soap11
            } else {
                Version::Soap12
            },
            principal: Some("somebody").filter(|_| kind & 2 != 0),
            ..InMessage::new(text)
        });
        let body = answer.body.to_bytes();
        if !body.is_empty() {
            let text = std::str::from_utf8(&body).expect("an answer is UTF-8");
            let envelope = Envelope::open(text, &Limits::default()).expect("an answer is an envelope");
            assert_eq!(envelope.is_fault(), answer.fault.is_some(), "{text}");
        }
    });
}
