//! `castile serve`.

mod common;

use std::fs;

use common::{Server, castile, castile_with, foreign, interop, scratch};
use serde_json::{Value as Json, json};

#[test]
fn samples_are_what_the_contract_says() {
    let server = Server::start(&[&interop()]);
    let call = |words: &[&str]| {
        castile(&[&["call", &*interop(), "--endpoint", &*server.url], words].concat()).json()
    };
    let person = call(&["echoPerson", "--data", &person()]);
    assert_eq!(person["colour"], "red");
    assert_eq!(person["group"].as_array().unwrap().len(), 2);
    assert!(person["id"].is_number() && person["born"].is_string());
    assert_eq!(
        person,
        call(&["echoPerson", "--data", &self::person()]),
        "samples are always the same"
    );
}

fn person() -> String {
    let file = scratch("serve").join("person.json");
    let text = r#"{"person": {"id": 1, "name": "n", "title": "t", "born": "2000-01-01", "seen": "2000-01-01T00:00:00Z",
        "balance": 1, "photo": "", "active": false, "colour": "green", "height": 1, "address": {"street": "", "city": ""}}}"#;
    fs::write(&file, text).unwrap();
    file.to_string_lossy().into_owned()
}

#[test]
fn echo_finds_what_fits_by_name_and_type() {
    let mut server = Server::start(&[&interop(), "--echo"]);
    let run = castile(&[
        "call",
        &interop(),
        "lastNotice",
        "key=k",
        "--endpoint",
        &server.url,
    ])
    .json();
    // Of the reply only text is text; the rest are samples.
    assert_eq!(run["text"], "k");
    assert!(run["count"].is_number());
    let line = server.line();
    assert!(
        line.starts_with("lastNotice (SOAP 1.1 from 127.0.0.1:") && line.contains("-> echo, "),
        "{line}"
    );
}

#[test]
fn canned_replies_are_read_anew_at_each_call() {
    let folder = scratch("serve-replies");
    for left in ["echoString.xml", "echoString.json"] {
        let _ = fs::remove_file(folder.join(left));
    }
    let server = Server::start(&[&interop(), "--replies", &folder.to_string_lossy()]);
    let call = || {
        castile(&[
            "call",
            &interop(),
            "echoString",
            "text=x",
            "--endpoint",
            &server.url,
            "--port",
            "Soap12",
        ])
    };
    fs::write(folder.join("echoString.json"), "\"first\"").unwrap();
    assert_eq!(call().json(), json!("first"));
    fs::write(folder.join("echoString.json"), r#"{"text": "second"}"#).unwrap();
    assert_eq!(call().json(), json!("second"));
    fs::write(folder.join("echoString.json"), r#"{"text": "a\u0001b"}"#).unwrap();
    assert!(call().failed(2).contains("U+0001"), "{}", call().err);
    fs::remove_file(folder.join("echoString.json")).unwrap();
    let body = r#"<?xml version="1.0"?><e:echoStringResponse xmlns:e="urn:castile:interop"><e:text>third</e:text></e:echoStringResponse>"#;
    fs::write(folder.join("echoString.xml"), body).unwrap();
    assert_eq!(call().json(), json!("third"));
    // An envelope of the other version takes the caller's.
    let envelope = format!(
        "<E:Envelope xmlns:E=\"http://schemas.xmlsoap.org/soap/envelope/\"><E:Body>{}</E:Body></E:Envelope>",
        &body[21..]
    );
    fs::write(folder.join("echoString.xml"), envelope.replace("third", "fourth")).unwrap();
    assert_eq!(call().json(), json!("fourth"));
    fs::write(folder.join("echoString.xml"), "<broken").unwrap();
    assert!(call().failed(2).contains("cannot be used"), "{}", call().err);
    fs::write(folder.join("echoString.json"), "\"fifth\"").unwrap();
    let both = "there are both echoString.xml and echoString.json";
    assert!(call().failed(2).contains(both), "{}", call().err);
    let refused = castile(&[
        "serve",
        &interop(),
        "--port",
        "0",
        "--replies",
        &folder.to_string_lossy(),
    ]);
    assert!(refused.failed(1).contains(both), "{}", refused.err);
    // An operation without a file has samples.
    let sample = castile(&[
        "call",
        &interop(),
        "echoInts",
        "value=1",
        "--endpoint",
        &server.url,
    ])
    .json();
    assert_eq!(sample.as_array().unwrap().len(), 2);
}

#[test]
fn a_delay_delays() {
    let server = Server::start(&[&interop(), "--delay", "0.3"]);
    let started = std::time::Instant::now();
    assert_eq!(
        castile(&["call", &interop(), "echoVoid", "--endpoint", &server.url]).code,
        0
    );
    assert!(started.elapsed().as_millis() >= 300);
}

#[cfg(unix)]
#[test]
fn an_interrupt_stops_it_gracefully() {
    let server = Server::start(&[&interop()]);
    assert_eq!(
        castile(&["call", &interop(), "echoVoid", "--endpoint", &server.url]).code,
        0
    );
    let rest = server.interrupt();
    assert!(
        rest.contains("stopped after 1 calls, 0 of them answered with a fault"),
        "{rest}"
    );
}

/// Sample arguments of every operation go to a mock of the service and back, and are valid.
#[test]
fn foreign_contracts_are_mocked() {
    let files = [
        "gowsdl/ferry.wsdl",
        "gowsdl/mnb-exchange.wsdl",
        "rubiii-wsdl/marketo.wsdl",
        "rubiii-wsdl/betfair.wsdl",
    ];
    for part in files {
        let Some(wsdl) = foreign(&format!("wsdl/{part}")) else {
            continue;
        };
        let server = Server::start(&[&wsdl, "--echo", "--offline"]);
        let contract = castile(&["inspect", &wsdl, "--json", "--offline"]).json();
        for name in operations(&contract) {
            let template = castile(&["call", &wsdl, &name, "--template", "--offline"]);
            let call = |more: &[&str]| {
                let start = [
                    "call",
                    &*wsdl,
                    &*name,
                    "--offline",
                    "--data",
                    "-",
                    "--endpoint",
                    &*server.url,
                ];
                castile_with(&[&start[..], more].concat(), &template.out, &[])
            };
            let run = call(&[]);
            assert_eq!(run.code, 0, "{part} {name}: {} {}", template.out, run.err);
            let envelope = call(&["--dry-run"]).out;
            let valid = castile_with(
                &["validate", &wsdl, "-", "--offline", "-o", &name],
                &envelope,
                &[],
            );
            assert_eq!(valid.code, 0, "{part} {name}: {}", valid.out);
        }
    }
}

/// The operations of the first port.
fn operations(contract: &Json) -> Vec<String> {
    let operations = contract["services"][0]["ports"][0]["operations"]
        .as_array()
        .unwrap();
    let usable = operations.iter().filter(|o| o["unsupported"] == Json::Null);
    usable
        .take(5)
        .map(|o| o["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn what_cannot_be_served_says_why() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let run = castile(&["serve", &interop(), "--port", &port]);
    assert!(run.failed(1).contains(&port), "{}", run.err);
    let folder = castile(&["serve", &interop(), "--port", "0", "--replies", "/no/such/folder"]);
    assert!(folder.failed(1).contains("/no/such/folder"), "{}", folder.err);
}
