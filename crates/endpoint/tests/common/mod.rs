//! A running service of the interop contract, and a client of it.
#![allow(dead_code, reason = "each test file uses its part")]

pub(crate) mod cwmp;

use std::sync::Arc;

use castile_endpoint::{
    CallOptions, Client, ClientOptions, Code, Detail, Fault, Handlers, LoadOptions, Location, Name, Record,
    Server, ServerOptions, Service, ServiceOptions, load, resolver,
};
use castile_value::Value;

pub(crate) const WSDL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../interop/interop.wsdl");
pub(crate) const NS: &str = "urn:castile:interop";

/// Sends doubles there and back; what that did.
pub(crate) fn echo_doubles(client: &Client, values: &[f64]) -> Record {
    let args = Value::map([("value", values.to_vec().into())]);
    let reply = client
        .call_with("echoDoubles", &args, &CallOptions::default())
        .unwrap()
        .unwrap();
    let back = reply.value.as_f64s().unwrap().iter().map(|v| v.to_bits());
    assert!(back.eq(values.iter().map(|v| v.to_bits())), "every bit came back");
    reply.record
}

fn echo(name: &'static str) -> impl Fn(castile_value::Record) -> Result<Value, Fault> {
    move |args| Ok(args.get(name).cloned().unwrap_or_default())
}

pub(crate) fn handlers() -> Handlers {
    Handlers::new()
        .on("echoVoid", |_| Ok(Value::Absent))
        .on("echoDoubles", echo("value"))
        .on("echoInts", echo("value"))
        .on("echoStrings", echo("value"))
        .on("echoString", echo("text"))
        .on("echoMios", echo("mio"))
        .on("echoEvents", echo("event"))
        .on("echoScalars", |_| panic!("this text must not reach the caller"))
        .on("failUndeclared", |_| {
            Err(Fault::new(Code::Sender, "as you <wished> & more"))
        })
        .on("failDeclared", |_| {
            let name = Name {
                namespace: NS.into(),
                local: "ServiceFault".into(),
            };
            let value = Value::map([("code", Value::from(7)), ("reason", "deep".into())]);
            let mut fault = Fault::new(Code::Receiver, "declared");
            fault.detail.push(Detail { name, value });
            Err(fault)
        })
        .on("notify", |_| Ok(Value::Absent))
}

pub(crate) fn start(options: ServerOptions) -> castile_http::Running {
    start_with(options, handlers())
}

pub(crate) fn start_with(
    options: ServerOptions,
    handler: impl castile_endpoint::Handler,
) -> castile_http::Running {
    start_service(options, ServiceOptions::default(), handler)
}

pub(crate) fn start_service(
    options: ServerOptions,
    service: ServiceOptions,
    handler: impl castile_endpoint::Handler,
) -> castile_http::Running {
    let load_options = LoadOptions::default();
    let contract = load(&Location::from(WSDL), &load_options).unwrap();
    let service = Service::new(contract, service, handler).unwrap();
    let server = Server::bind(
        Arc::new(service),
        "127.0.0.1:0",
        options,
        &resolver(&load_options),
    )
    .unwrap();
    server.start().unwrap()
}

pub(crate) fn client(address: impl std::fmt::Display, port: Option<&str>) -> Client {
    let mut options = ClientOptions {
        endpoint: Some(format!("http://{address}/")),
        port: port.map(str::to_owned),
        ..ClientOptions::default()
    };
    options.http.proxy = castile_http::Proxy::None;
    Client::new(WSDL, options).unwrap()
}
