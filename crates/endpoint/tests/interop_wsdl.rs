//! Both ends over loopback, by the WSDL of the interop suite.

mod common;

use castile_endpoint::{Client, Code, Kind, LoadOptions, Location, ServerOptions, load};
use castile_value::Value;
use common::WSDL;

fn running(port: &str) -> (castile_http::Running, Client) {
    let running = common::start(ServerOptions::default());
    let client = common::client(running.addr(), Some(port));
    (running, client)
}

fn ports() -> Vec<String> {
    let contract = load(&Location::from(WSDL), &LoadOptions::default()).unwrap();
    contract.services[0]
        .ports
        .iter()
        .map(|p| p.name.clone())
        .collect()
}

fn call(client: &Client, operation: &str, args: Value) -> Value {
    client.call(operation, &args).unwrap().unwrap().value
}

#[test]
fn values_come_back_as_they_went() {
    for port in ports() {
        let (_running, client) = running(&port);
        assert_eq!(call(&client, "echoVoid", Value::Absent), Value::Absent);
        let doubles = vec![
            1.5,
            -0.0,
            f64::MIN_POSITIVE,
            f64::INFINITY,
            f64::NEG_INFINITY,
            1e308,
        ];
        let back = call(
            &client,
            "echoDoubles",
            Value::map([("value", doubles.clone().into())]),
        );
        let bits = |v: &[f64]| v.iter().map(|f| f.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(back.as_f64s().unwrap()), bits(&doubles));
        let ints = Value::from(vec![i32::MIN, 0, i32::MAX]);
        assert_eq!(
            call(&client, "echoInts", Value::map([("value", ints.clone())])),
            ints
        );
        let text = "a<b & \"c\" ]]> \r\n\t é 😀 ";
        assert_eq!(
            call(&client, "echoString", Value::map([("text", text.into())])),
            text.into()
        );
    }
}

#[test]
fn arrays_of_flat_records_come_back_as_rows() {
    let (_running, client) = running(&ports()[0]);
    let mio = |i: i64| {
        Value::map([
            ("x", i.into()),
            ("y", (-i).into()),
            ("value", (i as f64 / 3.0).into()),
        ])
    };
    let back = call(
        &client,
        "echoMios",
        Value::map([("mio", Value::List((0..1000).map(mio).collect()))]),
    );
    let Value::Rows(rows) = back else {
        panic!("{back:?}")
    };
    assert_eq!(rows.len(), 1000);
    assert_eq!(
        rows.record(999).unwrap().get("value"),
        Some(&Value::Double(333.0))
    );
    let again = call(
        &client,
        "echoMios",
        Value::map([("mio", Value::Rows(rows.clone()))]),
    );
    assert_eq!(again, Value::Rows(rows));
}

#[test]
fn faults_arrive_with_their_details() {
    for port in ports() {
        let (_running, client) = running(&port);
        let fault = client.call("failUndeclared", &Value::map([("reason", "x".into())]));
        let fault = match fault {
            Ok(Err(fault)) => fault,
            other => panic!("{other:?}"),
        };
        assert_eq!(
            (fault.code, fault.reasons[0].text.as_str()),
            (Code::Sender, "as you <wished> & more")
        );
    }
}

#[test]
fn errors_say_whose_fault_they_are() {
    let (_running, client) = running(&ports()[0]);
    let no = client.call("echoDubles", &Value::Absent).unwrap_err();
    assert_eq!(no.kind(), Kind::NoSuchOperation);
    assert!(no.to_string().contains("echoDoubles"), "{no}");
    let no = client
        .call(
            "echoInts",
            &Value::map([("value", Value::List(vec!["x".into()]))]),
        )
        .unwrap_err();
    assert_eq!(no.kind(), Kind::Value);
    assert!(
        no.to_string().contains("/Envelope/Body/echoInts/value[1]"),
        "{no}"
    );
    let no = client
        .call("echoInts", &Value::map([("velue", 1.into())]))
        .unwrap_err();
    assert!(no.to_string().contains("\"velue\""), "{no}");
}
