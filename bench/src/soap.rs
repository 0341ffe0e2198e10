//! Castile's server and client of the interop contract.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use castile::{
    CallOptions, Client, ClientOptions, Fault, Handlers, LoadOptions, Location, Server, ServerOptions,
    Service, ServiceOptions, Value,
};

use crate::measure::{Spread, each, pin};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const WSDL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../interop/interop.wsdl");

/// A server on a free port; its only worker pins itself to `core` at its first call.
fn start(workers: usize, core: Option<usize>) -> Outcome<castile::http::Running> {
    let load = LoadOptions::default();
    let contract = castile::load(&Location::from(WSDL), &load)?;
    let pinned = AtomicBool::new(core.is_none());
    let echo = |name: &'static str| {
        move |args: castile::ValueRecord| -> Result<Value, Fault> {
            Ok(args.get(name).cloned().unwrap_or_default())
        }
    };
    let handlers = Handlers::new()
        .on("echoVoid", move |_| {
            if let (Some(core), false) = (core, pinned.swap(true, Ordering::Relaxed)) {
                pin(core);
            }
            Ok(Value::Absent)
        })
        .on("echoDoubles", echo("value"));
    let service = Service::new(contract, ServiceOptions::default(), handlers)?;
    let mut options = ServerOptions {
        threads: false,
        ..ServerOptions::default()
    };
    options.http.workers = workers;
    let server = Server::bind(
        Arc::new(service),
        "127.0.0.1:0",
        options,
        &castile::resolver(&load),
    )?;
    Ok(server.start()?)
}

/// Serves until standard input ends.
pub(crate) fn serve_until_eof(workers: usize) -> Outcome<()> {
    let running = start(workers, None)?;
    println!("READY {}", running.addr().port());
    std::io::stdin().read_to_end(&mut Vec::new())?;
    running.stop();
    Ok(())
}

/// Round trips of echoVoid, and the bytes of request and reply without HTTP.
pub(crate) fn echo_void(calls: usize, server_core: usize) -> Outcome<(Spread, usize, usize)> {
    let running = start(1, Some(server_core))?;
    let endpoint = Some(format!("http://{}/", running.addr()));
    let client = Client::new(
        WSDL,
        ClientOptions {
            endpoint,
            ..ClientOptions::default()
        },
    )?;
    let options = CallOptions::default();
    let first = client.call_with("echoVoid", &Value::Absent, &options)??;
    let spread = each(calls, || {
        let reply = client.call_with("echoVoid", &Value::Absent, &options);
        assert!(matches!(reply, Ok(Ok(_))), "{reply:?}");
    });
    running.stop();
    Ok((spread, first.record.request.len(), first.record.reply.len()))
}
