//! Castile's Rust server in the suite: echoes what it decoded, the contracts on a port each.
//! Prints "READY <port> <port of rpc> <port of shapes>" once it accepts; ends when its standard input is closed.

use std::collections::HashMap;
use std::io::Read;
use std::sync::{Arc, Mutex};

use castile::codec::{Code, Detail, Name};
use castile::{
    Fault, Handlers, LoadOptions, Location, Server, ServerOptions, Service, ServiceOptions, Value,
    ValueRecord,
};
use interop_castile_rust::{Problem, problem};

/// Key -> how many notices came, and the text and value of the last.
type Notices = Mutex<HashMap<String, (i64, Value, Value)>>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::var("INTEROP_FOLDER")?;
    let interop = serve(&format!("{folder}/interop.wsdl"), interop())?;
    let rpc = serve(&format!("{folder}/rpc.wsdl"), rpc())?;
    let shapes = serve(&format!("{folder}/shapes.wsdl"), shapes())?;
    println!("READY {} {} {}", interop.1, rpc.1, shapes.1);
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

/// A running server and its port.
fn serve(wsdl: &str, handlers: Handlers) -> Result<(castile::http::Running, u16), Problem> {
    let load = LoadOptions::default();
    let contract = castile::load(&Location::from(wsdl), &load).map_err(problem)?;
    let service = Service::new(contract, ServiceOptions::default(), handlers).map_err(problem)?;
    let options = ServerOptions::default();
    let server = Server::bind(
        Arc::new(service),
        "127.0.0.1:0",
        options,
        &castile::resolver(&load),
    )
    .map_err(problem)?;
    let port = server.local_addr().port();
    Ok((server.start().map_err(problem)?, port))
}

fn interop() -> Handlers {
    let notices: Arc<Notices> = Arc::default();
    let kept = notices.clone();
    let mut handlers = Handlers::new();
    for name in [
        "echoVoid",
        "echoDoubles",
        "echoInts",
        "echoStrings",
        "echoString",
        "echoMios",
        "echoEvents",
        "echoPerson",
        "echoScalars",
    ] {
        handlers = handlers.on(name, echo);
    }
    handlers
        .on("failDeclared", |args| {
            Err(fault("urn:castile:interop", "ServiceFault", args))
        })
        .on("failUndeclared", |args| {
            Err(Fault::new(Code::Receiver, string(&args, "reason")))
        })
        .on_headers("useSession", |args, header| Ok((echo(args)?, session(&header)?)))
        .on("notify", move |args| {
            let mut notices = kept.lock().map_err(|_| broken())?;
            let notice = notices.entry(string(&args, "key")).or_default();
            *notice = (notice.0 + 1, field(&args, "text"), field(&args, "value"));
            Ok(Value::Absent)
        })
        .on("lastNotice", move |args| {
            let notices = notices.lock().map_err(|_| broken())?;
            let (count, text, value) = notices.get(&string(&args, "key")).cloned().unwrap_or_default();
            Ok(Value::map([
                ("count", Value::Int(count)),
                ("text", text),
                ("value", value),
            ]))
        })
}

fn rpc() -> Handlers {
    let mut handlers = Handlers::new();
    for name in ["rpcVoid", "rpcScalars", "rpcDoubles", "rpcMios"] {
        handlers = handlers.on(name, echo);
    }
    handlers.on("rpcFail", |args| {
        Err(fault("urn:castile:interop:rpc:types", "RpcFault", args))
    })
}

fn shapes() -> Handlers {
    let mut handlers = Handlers::new();
    for name in ["echoShapes", "echoFigures", "echoNumber", "echoDrawing"] {
        handlers = handlers.on(name, echo);
    }
    handlers.on("failShape", |args| {
        let (reason, local, value) = match field(&args, "shape") {
            Value::Absent => ("text", "TextFault", field(&args, "text")),
            shape => ("shape", "ShapeFault", Value::map([("shape", shape)])),
        };
        let mut made = Fault::new(Code::Receiver, reason);
        made.detail = vec![Detail {
            name: name("urn:castile:interop:shapes", local),
            value,
        }];
        Err(made)
    })
}

fn name(namespace: &str, local: &str) -> Name {
    Name {
        namespace: namespace.into(),
        local: local.into(),
    }
}

/// The arguments as results of the same names.
fn echo(args: ValueRecord) -> Result<Value, Fault> {
    Ok(Value::Record(args))
}

/// A fault whose reason is the argument `reason` and whose detail is made of all arguments.
fn fault(namespace: &str, local: &str, args: ValueRecord) -> Fault {
    let fields = args.iter().map(|(name, value)| (name, value.clone()));
    let value = Value::map(fields);
    let mut made = Fault::new(Code::Receiver, string(&args, "reason"));
    made.detail = vec![Detail {
        name: name(namespace, local),
        value,
    }];
    made
}

fn session(header: &ValueRecord) -> Result<Value, Fault> {
    let Some(token @ Value::Record(_)) = header.get("SessionToken") else {
        return Err(Fault::new(Code::Sender, "a SessionToken header is missing"));
    };
    let Some(Value::Int(sequence)) = token.get("sequence") else {
        return Err(broken());
    };
    let state = [
        ("token", token.get("token").cloned().unwrap_or_default()),
        ("sequence", Value::Int(sequence + 1)),
    ];
    Ok(Value::map([("SessionState", Value::map(state))]))
}

fn broken() -> Fault {
    Fault::new(Code::Receiver, "the server is broken")
}

fn field(args: &ValueRecord, name: &str) -> Value {
    args.get(name).cloned().unwrap_or_default()
}

fn string(args: &ValueRecord, name: &str) -> String {
    args.get(name)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}
