//! Castile's Rust client in the suite: one JSON call a line in, one JSON answer a line out.

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::time::Duration;

use castile::{CallOptions, Client, ClientOptions, Fault, Value};
use interop_castile_rust::{Problem, member, model, problem, read, results, text, write};
use serde_json::{Value as Json, json};

const SECONDS_MAX: u64 = 20;

fn main() -> Result<(), Problem> {
    let folder = std::env::var("INTEROP_FOLDER").map_err(problem)?;
    let model = model(&folder)?;
    let mut clients = HashMap::new();
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let request: Json = serde_json::from_str(&line.map_err(problem)?).map_err(problem)?;
        let answer = answer(&folder, &model, &mut clients, &request)
            .unwrap_or_else(|error| json!({"error": {"reason": error.to_string()}}));
        writeln!(out, "{answer}").map_err(problem)?;
        out.flush().map_err(problem)?;
    }
    Ok(())
}

fn answer(
    folder: &str,
    model: &Json,
    clients: &mut HashMap<String, Client>,
    request: &Json,
) -> Result<Json, Box<dyn std::error::Error>> {
    let (contract, version, url) = (
        text(&request["contract"]),
        text(&request["version"]),
        text(&request["url"]),
    );
    let name = text(&request["operation"]);
    let operation = member(member(model, contract), name);
    let key = format!("{contract} {version} {url}");
    if !clients.contains_key(&key) {
        let options = ClientOptions {
            endpoint: Some(url.to_owned()),
            port: Some(port(contract, version).to_owned()),
            ..ClientOptions::default()
        };
        clients.insert(
            key.clone(),
            Client::new(format!("{folder}/{contract}.wsdl").as_str(), options)?,
        );
    }
    let mut options = CallOptions {
        timeout: Some(Duration::from_secs(SECONDS_MAX)),
        ..CallOptions::default()
    };
    if let Some(token) = request.get("header") {
        let kind = json!({"fields": [{"name": "SessionToken", "type": session()}]});
        options.header = read(&kind, &json!({"SessionToken": token}))?;
    }
    let arguments = read(&operation["input"], &request["arguments"])?;
    match clients[&key].call_with(name, &arguments, &options)? {
        Err(fault) => Ok(json!({"fault": described(operation, fault)})),
        Ok(reply) => {
            let output = &operation["output"];
            let result = if output.is_null() {
                json!({})
            } else {
                write(output, results(output, reply.value))
            };
            let mut answer = json!({"result": result});
            if let Some(state) = reply.header.get("SessionState") {
                answer["header"] = write(&operation["header_out"], state.clone());
            }
            Ok(answer)
        }
    }
}

fn session() -> Json {
    json!({"fields": [{"name": "token", "type": "string"}, {"name": "sequence", "type": "int"}]})
}

fn port(contract: &str, version: &str) -> &'static str {
    match (contract, version) {
        ("rpc", _) => "Rpc11",
        ("shapes", "1.2") => "Shapes12",
        ("shapes", _) => "Shapes11",
        (_, "1.2") => "Soap12",
        _ => "Soap11",
    }
}

fn described(operation: &Json, fault: Fault) -> Json {
    let code = fault.to_string();
    let mut made = json!({"code": code.split(':').next(), "reason": fault.reason()});
    for entry in fault.detail {
        for kind in operation["faults"].as_array().into_iter().flatten() {
            if text(&kind["name"]) == entry.name.local && text(&kind["namespace"]) == entry.name.namespace {
                let name = entry.name.local.clone();
                let value = match kind["simple"] == json!(true) {
                    true => Value::map([(name.as_str(), entry.value.clone())]),
                    false => entry.value.clone(),
                };
                made["detail"] = json!({(name): write(kind, value)});
            }
        }
    }
    made
}
