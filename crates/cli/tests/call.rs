//! `castile call` against `castile serve`.

mod common;

use std::fs;

use common::{Server, castile, castile_with, interop, scratch};
use serde_json::json;

#[test]
fn words_become_values_and_replies_json() {
    let server = Server::start(&[&interop(), "--echo"]);
    let call = |words: &[&str]| {
        let interop = interop();
        let start = ["call", &*interop, "--endpoint", &*server.url];
        castile(&[&start[..], words].concat()).json()
    };
    assert_eq!(call(&["echoInts", "value=1", "value=-2"]), json!([1, -2]));
    assert_eq!(
        call(&["echoDoubles", r#"value:=[0.1, -0.0, 1e300, "INF", "NaN"]"#]).to_string(),
        r#"[0.1,-0.0,1e+300,"INF","NaN"]"#
    );
    assert_eq!(
        call(&["echoString", "text=<&> \u{1F600} \"'"]),
        json!("<&> \u{1F600} \"'")
    );
    assert_eq!(call(&["echoString", "text="]), json!(""));
    assert_eq!(
        call(&[
            "echoMios",
            "mio[0].x=1",
            "mio[0].y=2",
            "mio[0].value=0.5",
            "mio[1].x=3",
            "mio[1].y=4",
            "mio[1].value:=1e-5"
        ]),
        json!([{"x": 1, "y": 2, "value": 0.5}, {"x": 3, "y": 4, "value": 1e-5}])
    );
    assert_eq!(call(&["echoVoid"]), json!({}));
}

#[test]
fn data_comes_back_digit_for_digit() {
    let server = Server::start(&[&interop(), "--echo"]);
    let person = r#"{"person": {"id": 7, "name": "Ada", "title": null, "born": "1815-12-10Z",
        "seen": "2024-01-01T00:00:00.123456789Z", "balance": 12345678901234567890.10, "photo": "AAEC",
        "active": true, "colour": "deep-blue", "height": 1.70, "address": {"country": "UK", "street": "a", "city": "b"},
        "group": [{"label": "g", "member": [{"name": "m", "score": [1, 2.5]}]}]}}"#;
    let file = scratch("call").join("person.json");
    fs::write(&file, person).unwrap();
    let file = file.to_string_lossy();
    let arguments = [
        "call",
        &*interop(),
        "echoPerson",
        "--endpoint",
        &server.url,
        "--json",
        "--port",
        "Soap12",
    ];
    let run = castile(&[&arguments[..], &["--data", &*file]].concat());
    assert!(
        run.out.contains("\"balance\":12345678901234567890.10"),
        "{}{}",
        run.out,
        run.err
    );
    assert!(
        run.out.contains("\"title\":null") && run.out.contains("\"seen\":\"2024-01-01T00:00:00.123456789Z\"")
    );
    // What is given on the command line lies on top.
    let run = castile_with(
        &[&arguments[..], &["--data", "-", "person.name=Grace"]].concat(),
        person,
        &[],
    );
    assert!(
        run.out.contains("\"name\":\"Grace\"") && run.out.contains("\"id\":7"),
        "{}{}",
        run.out,
        run.err
    );
}

#[test]
fn headers_go_out_and_come_back() {
    let folder = scratch("call-replies");
    let reply = r#"{"@header": {"SessionState": {"token": "t", "sequence": 2}}, "text": "done"}"#;
    fs::write(folder.join("useSession.json"), reply).unwrap();
    let server = Server::start(&[&interop(), "--replies", &folder.to_string_lossy()]);
    let token = [
        "--header",
        "SessionToken.token=t",
        "--header",
        "SessionToken.sequence=1",
    ];
    let start = [
        "call",
        &*interop(),
        "useSession",
        "text=x",
        "--endpoint",
        &server.url,
    ];
    let run = castile(&[&start[..], &token, &["--with-headers"]].concat()).json();
    assert_eq!(run["result"], "done");
    assert_eq!(
        run["header"],
        json!({"SessionState": {"token": "t", "sequence": 2}})
    );
    let dry = castile(
        &[
            &start[..],
            &token,
            &["--header-xml", "<x xmlns='urn:x'/>", "--dry-run"],
        ]
        .concat(),
    );
    assert!(
        dry.out.contains("<x xmlns='urn:x'/>") && dry.out.contains(">t</"),
        "{}{}",
        dry.out,
        dry.err
    );
}

#[test]
fn a_fault_is_exit_code_2() {
    let folder = scratch("call-faults");
    let fault = r#"{"@fault": {"code": "Sender", "reason": "no such city",
        "detail": {"ServiceFault": {"code": 3, "reason": "r", "path": ["a", "b"]}}}}"#;
    fs::write(folder.join("failDeclared.json"), fault).unwrap();
    let server = Server::start(&[&interop(), "--replies", &folder.to_string_lossy()]);
    for port in ["Soap11", "Soap12"] {
        let start = [
            "call",
            &*interop(),
            "failDeclared",
            "code=1",
            "reason=x",
            "--endpoint",
            &server.url,
            "--port",
            port,
        ];
        let run = castile(&start);
        let text = run.failed(2);
        assert!(text.contains("fault Sender: no such city"), "{text}");
        assert!(
            text.contains(r#"ServiceFault: {"code": 3, "reason": "r", "path": ["a", "b"]}"#),
            "{text}"
        );
        assert_eq!(run.out, "");
        let run = castile(&[&start[..], &["--json"]].concat());
        let fault: serde_json::Value = serde_json::from_str(run.failed(2)).unwrap();
        assert_eq!(
            fault["fault"]["detail"][0]["name"],
            "{urn:castile:interop}ServiceFault"
        );
        let raw = castile(&[&start[..], &["--raw"]].concat());
        assert!(raw.out.contains("Envelope") && raw.code == 2, "{}", raw.out);
    }
}

#[test]
fn one_way_prints_nothing_and_v_tells_sizes() {
    let server = Server::start(&[&interop()]);
    let run = castile(&[
        "call",
        &interop(),
        "notify",
        "key=a",
        "text=b",
        "value=1",
        "--endpoint",
        &server.url,
        "-v",
    ]);
    assert_eq!((run.code, &*run.out), (0, ""), "{}", run.err);
    assert!(
        run.err.contains("HTTP status 202") && run.err.contains("encode "),
        "{}",
        run.err
    );
}

#[test]
fn an_envelope_is_sent_as_it_is() {
    let server = Server::start(&[&interop(), "--echo"]);
    let envelope = castile(&["call", &interop(), "echoString", "text=whole", "--dry-run"]).out;
    let start = [
        "call",
        &*interop(),
        "echoString",
        "--endpoint",
        &*server.url,
        "--data",
        "-",
    ];
    assert_eq!(castile_with(&start, &envelope, &[]).json(), json!("whole"));
    let mixed = castile_with(&[&start[..], &["text=x"]].concat(), &envelope, &[]);
    assert!(mixed.failed(1).contains("sent as it is"), "{}", mixed.err);
}

#[test]
fn the_contract_may_come_from_the_server() {
    let server = Server::start(&[&interop(), "--echo"]);
    let wsdl = format!("{}?wsdl", server.url);
    // The address in it is the server's own.
    assert_eq!(
        castile(&["call", &wsdl, "echoString", "text=x"]).json(),
        json!("x")
    );
}

#[test]
fn mistakes_say_what_where_and_whose() {
    let call = |words: &[&str]| castile(&[&["call", &*interop()], words, &["--dry-run"]].concat());
    for (words, expected) in [
        (
            &["echoStrin", "text=x"][..],
            "has no operation \"echoStrin\"; did you mean \"echoString\"? it has echoVoid",
        ),
        (
            &["echoInts", "value=1", "value=x"],
            "/Envelope/Body/echoInts/value[2]",
        ),
        (
            &["echoInts", "value:=3.5"],
            "value: 3.5 is no xsd:int: it is not whole",
        ),
        (&["echoString", "Text=x"], "did you mean text?"),
        (&["echoString", "x"], "argument \"x\" is no key=value"),
        (&["echoMios", "mio.x=1"], "\"y\" is missing"),
        (
            &["echoString", "text=@/no/such/file"],
            "/no/such/file: No such file",
        ),
        (
            &["echoString", "--data", "/no/such/file"],
            "/no/such/file: No such file",
        ),
        (
            &["echoString", "--service", "Other"],
            "the contract has Interop/Soap11",
        ),
        (
            &["useSession", "text=x", "--header", "Session=1"],
            "--header: there is no \"Session\"",
        ),
        (&["echoString", "--http-header", "x"], "no `Name: value`"),
    ] {
        let run = call(words);
        let text = run.failed(1);
        assert!(text.contains(expected), "{words:?}: {expected} is not in {text}");
        assert!(text.contains("at fault: the command as it was given"), "{text}");
    }
}

#[test]
fn trouble_on_the_way_says_so() {
    // A port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let url = format!("http://127.0.0.1:{port}/");
    let down = castile(&["call", &interop(), "echoVoid", "--endpoint", &url]);
    assert!(down.failed(1).contains("refused"), "{}", down.err);
    assert!(
        down.err
            .contains("at fault: the network, or a server that does not run"),
        "{}",
        down.err
    );
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", silent.local_addr().unwrap());
    let late = castile(&[
        "call",
        &interop(),
        "echoVoid",
        "--endpoint",
        &url,
        "--timeout",
        "0.2",
    ]);
    assert!(late.failed(1).contains("calling echoVoid"), "{}", late.err);
}

#[test]
fn secrets_are_sent_and_never_printed() {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let peer = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = [0; 4096];
        let n = stream.read(&mut request).unwrap();
        stream
            .write_all(
                b"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n",
            )
            .unwrap();
        String::from_utf8_lossy(&request[..n]).into_owned()
    });
    let run = castile_with(
        &[
            "call",
            &interop(),
            "echoVoid",
            "--endpoint",
            &url,
            "--auth",
            "env:SECRET",
            "-vvv",
        ],
        "",
        &[("SECRET", "jo:hunter2")],
    );
    let request = peer.join().unwrap();
    // "jo:hunter2" in base64.
    assert!(
        request
            .to_lowercase()
            .contains("authorization: basic am86ahvudgvymg=="),
        "{request}"
    );
    let text = run.failed(1);
    assert!(
        !text.contains("hunter2") && !text.contains("am86aHVudGVyMg"),
        "{text}"
    );
}

#[test]
fn what_was_probably_meant_is_said() {
    let server = Server::start(&[&interop()]);
    let without = castile(&["inspect", &server.url, "--no-cache"]);
    assert!(without.failed(1).contains("?wsdl behind it"), "{}", without.err);
    let nothing = castile(&["inspect", &format!("{}nothing?x", server.url), "--no-cache"]);
    assert!(!nothing.failed(1).contains("?wsdl behind it"), "{}", nothing.err);

    let text = std::fs::read_to_string(interop()).unwrap();
    let (head, rest) = text.split_once("<wsdl:service").unwrap();
    let (_, tail) = rest.split_once("</wsdl:service>").unwrap();
    let nowhere = format!("{head}{tail}");
    let run = castile_with(&["call", "-", "echoVoid"], &nowhere, &[]);
    assert!(run.failed(1).contains("`--endpoint URL`"), "{}", run.err);

    for (option, name, meant) in [("--service", "Interp", "Interop"), ("--port", "Sopa12", "Soap12")] {
        let meant = format!("did you mean {meant}?");
        let inspect = castile(&["inspect", &interop(), option, name]);
        assert!(inspect.failed(1).contains(&meant), "{}", inspect.err);
        let call = castile(&["call", &interop(), "echoVoid", option, name]);
        assert!(call.failed(1).replace('"', "").contains(&meant), "{}", call.err);
    }
    let header = castile(&[
        "call",
        &interop(),
        "useSession",
        "text=x",
        "--header",
        "S=1",
        "--dry-run",
    ]);
    let text = header.failed(1);
    assert!(
        text.contains("it has Session") && !text.contains("#any"),
        "{text}"
    );
}
