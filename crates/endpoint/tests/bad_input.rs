//! What peers get wrong: each case is an error that says where, what and whose fault.

mod common;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use castile_endpoint::{
    CallOptions, Client, ClientOptions, Code, Detail, Error, Fault, Guilty, Kind, Location, Name,
    ServerOptions, ServiceOptions,
};
use castile_value::Value;

const SOAP: &str = "http://schemas.xmlsoap.org/soap/envelope/";

/// Posts bytes and gives the status and the body.
fn post(address: SocketAddr, content_type: &str, body: &[u8]) -> (u16, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let head = format!(
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    // A server that refuses early may close before it has read everything.
    let _ = stream.write_all(body);
    let mut reply = Vec::new();
    let _ = stream.read_to_end(&mut reply);
    let reply = String::from_utf8(reply).unwrap();
    let status = reply
        .split(' ')
        .nth(1)
        .and_then(|s| s.parse().ok())
        .unwrap_or_else(|| panic!("{reply:?}"));
    (
        status,
        reply
            .split_once("\r\n\r\n")
            .map_or_else(String::new, |(_, body)| body.to_owned()),
    )
}

fn envelope(body: &str) -> String {
    format!("<S:Envelope xmlns:S=\"{SOAP}\"><S:Body>{body}</S:Body></S:Envelope>")
}

/// The case, its body, the status expected, and words that the fault must have.
fn cases() -> Vec<(&'static str, Vec<u8>, u16, Vec<&'static str>)> {
    let ints = |inside: &str| {
        envelope(&format!(
            "<i:echoInts xmlns:i=\"{}\">{inside}</i:echoInts>",
            common::NS
        ))
    };
    let text = |text: String| text.into_bytes();
    let deep = "<a>".repeat(10_000) + &"</a>".repeat(10_000);
    let deep = envelope("").replace("<S:Body>", &format!("<S:Header>{deep}</S:Header><S:Body>"));
    vec![
        (
            "malformed",
            text(ints("<i:value>1</i:valu>")),
            500,
            vec!["Client", "line 1, column"],
        ),
        (
            "truncated",
            text(ints("<i:value>1</i:value>").replace("</S:Body></S:Envelope>", "")),
            500,
            vec!["Client"],
        ),
        ("empty", Vec::new(), 500, vec!["Client"]),
        (
            "misspelt",
            text(ints("").replace("echoInts", "ecohInts")),
            500,
            vec!["Client", "did you mean echoInts?", "this service takes"],
        ),
        ("too deep", text(deep), 500, vec!["Client", "depth_max"]),
        (
            "not UTF-8",
            [envelope("<a>").as_bytes(), b"\xff\xfe\xfd"].concat(),
            500,
            vec!["Client", "encoding"],
        ),
        (
            "a DTD",
            text(format!("<!DOCTYPE x [<!ENTITY e \"e\">]>{}", envelope("&e;"))),
            500,
            vec!["Client", "type declaration"],
        ),
        ("no SOAP", text("<html/>".into()), 500, vec!["Client", "html"]),
        (
            "an unknown version",
            text(envelope("").replace(SOAP, "urn:soap99")),
            500,
            vec!["VersionMismatch", "urn:soap99", "SupportedEnvelope"],
        ),
        (
            "a wrong namespace",
            text(ints("<value>1</value>")),
            500,
            vec!["Client", "wrong namespace", "/Envelope/Body/echoInts"],
        ),
        (
            "a wrong type",
            text(ints("<i:value>1</i:value><i:value>x</i:value>")),
            500,
            vec!["Client", "value[2]", "xsd:int", "line 1"],
        ),
        (
            "out of range",
            text(ints("<i:value>3000000000</i:value>")),
            500,
            vec!["Client", "value[1]", "3000000000"],
        ),
        (
            "an unknown element",
            text(ints("<i:velue>1</i:velue>")),
            500,
            vec!["Client", "velue"],
        ),
        (
            "an unknown operation",
            text(envelope("<x:nothing xmlns:x=\"urn:x\"/>")),
            500,
            vec!["Client", "{urn:x}nothing", "echoInts"],
        ),
        (
            "an empty body",
            text(envelope("")),
            500,
            vec!["Client", "empty body"],
        ),
        (
            "a header that must be understood",
            text(envelope("").replace(
                "<S:Body>",
                "<S:Header><x:h xmlns:x=\"urn:x\" S:mustUnderstand=\"1\"/></S:Header><S:Body>",
            )),
            500,
            vec!["MustUnderstand", "{urn:x}h"],
        ),
        (
            "a handler that panics",
            text(envelope(&scalars())),
            500,
            vec!["Server", "failed to answer"],
        ),
    ]
}

/// A valid call of the operation whose handler panics.
fn scalars() -> String {
    let fields = [
        ("int8", "1"),
        ("int16", "1"),
        ("int32", "1"),
        ("int64", "1"),
        ("uint8", "1"),
        ("uint16", "1"),
        ("uint32", "1"),
        ("uint64", "1"),
        ("integer", "1"),
        ("float32", "1"),
        ("float64", "1"),
        ("decimal", "1"),
        ("flag", "1"),
        ("day", "2002-10-10"),
        ("clock", "12:00:00"),
        ("instant", "2002-10-10T12:00:00Z"),
        ("link", "urn:x"),
        ("hex", "00"),
        ("base64", "AA=="),
    ];
    let fields = fields
        .map(|(name, text)| format!("<t:{name}>{text}</t:{name}>"))
        .concat();
    let ns = common::NS;
    format!(
        "<i:echoScalars xmlns:i=\"{ns}\" xmlns:t=\"{ns}:types\"><i:scalars>{fields}</i:scalars></i:echoScalars>"
    )
}

#[test]
fn a_server_answers_every_bad_message_with_a_fault_that_says_why() {
    let running = common::start(ServerOptions::default());
    for (name, body, status, words) in cases() {
        let (found, fault) = post(running.addr(), "text/xml; charset=utf-8", &body);
        assert_eq!(found, status, "{name}: {fault}");
        for word in words.iter().chain(&["faultcode"]) {
            assert!(fault.contains(word), "{name}: no {word:?} in {fault}");
        }
        assert!(!fault.contains("must not reach"), "{name}: {fault}");
    }
    // And it still works.
    assert!(
        common::client(running.addr(), None)
            .call("echoVoid", &Value::Absent)
            .unwrap()
            .is_ok()
    );
}

#[test]
fn soap_12_faults_have_soap_12_codes_and_statuses() {
    let running = common::start(ServerOptions::default());
    let body = envelope("<x/>").replace(SOAP, "http://www.w3.org/2003/05/soap-envelope");
    let (status, fault) = post(running.addr(), "application/soap+xml", body.as_bytes());
    assert_eq!(status, 400);
    assert!(
        fault.contains("S:Sender") && fault.contains("xml:lang=\"en\""),
        "{fault}"
    );
    // The content type tells the version where the envelope cannot.
    let (status, fault) = post(running.addr(), "application/soap+xml", b"<!DOCTYPE x><x/>");
    assert_eq!(status, 400);
    assert!(fault.contains("S:Sender"), "{fault}");
}

#[test]
fn what_is_no_soap_message_at_all_gets_a_status() {
    let mut options = ServerOptions::default();
    options.http.body_bytes_max = 10_000;
    let running = common::start(options);
    let (status, text) = post(running.addr(), "application/json", b"{}");
    assert_eq!(status, 415, "{text}");
    assert!(text.contains("application/json"), "{text}");
    let (status, _) = post(running.addr(), "text/xml", &vec![b' '; 100_000]);
    assert_eq!(status, 413);
}

#[test]
fn documents_are_shown() {
    let running = common::start(ServerOptions::default());
    let get = |target: &str| {
        let mut stream = TcpStream::connect(running.addr()).unwrap();
        write!(
            stream,
            "GET {target} HTTP/1.1\r\nHost: here:1\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        reply
    };
    let wsdl = get("/?wsdl");
    assert!(
        wsdl.starts_with("HTTP/1.1 200") && wsdl.contains("location=\"http://here:1/\""),
        "{wsdl}"
    );
    assert!(get("/?xsd=99").starts_with("HTTP/1.1 404"));
    assert!(get("/").starts_with("HTTP/1.1 404"));
}

/// A server that answers every connection with these bytes, then closes.
fn answering(reply: &'static [u8]) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().take(4) {
            let mut stream = stream.unwrap();
            let mut buffer = [0; 65536];
            let _ = stream.read(&mut buffer);
            let _ = stream.write_all(reply);
        }
    });
    address
}

fn failing(address: SocketAddr) -> Error {
    let options = CallOptions {
        timeout: Some(Duration::from_millis(700)),
        ..CallOptions::default()
    };
    let client = common::client(address, None);
    client
        .call_with("echoInts", &Value::map([("value", vec![1].into())]), &options)
        .unwrap_err()
}

#[test]
fn a_client_says_what_is_wrong_with_a_reply() {
    let cases: [(&[u8], Kind, &str); 6] = [
        (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: 500\r\n\r\n<S:Env",
            Kind::Peer,
            "echoInts",
        ),
        (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>",
            Kind::Peer,
            "text/html",
        ),
        (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: 6\r\n\r\n<html>",
            Kind::Peer,
            "html",
        ),
        (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: 0\r\n\r\n",
            Kind::Peer,
            "empty",
        ),
        (b"ICY 200 OK\r\n\r\n", Kind::Peer, "echoInts"),
        (b"", Kind::Transport, "echoInts"),
    ];
    for (reply, kind, word) in cases {
        let error = failing(answering(reply));
        assert_eq!(error.kind(), kind, "{reply:?}: {error}");
        assert!(error.to_string().contains(word), "{error}");
    }
}

/// A reply of a status, a content type and a body.
fn reply(status: &str, content_type: &str, body: &str) -> &'static [u8] {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {length}");
    Box::leak(format!("{head}\r\n\r\n{body}").into_bytes().into_boxed_slice())
}

#[test]
fn an_error_of_http_without_soap_is_one_of_the_transport() {
    const SOAP11: &str = "http://schemas.xmlsoap.org/soap/envelope/";
    let broken =
        format!("<S:Envelope xmlns:S='{SOAP11}'><S:Body><S:Fault><a/></S:Fault></S:Body></S:Envelope>");
    let other = "<S:Envelope xmlns:S='urn:other'><S:Body/></S:Envelope>";
    let cases = [
        (
            "503 Busy",
            "text/html",
            "<html>later</html>",
            Kind::Transport,
            "later",
        ),
        ("503 Busy", "text/html", "", Kind::Transport, "503"),
        ("502 Bad", "text/plain", "oops", Kind::Transport, "oops"),
        ("404 No", "text/xml", "<html>none</html>", Kind::Transport, "html"),
        ("500 Bad", "text/xml", "no XML at all", Kind::Transport, "500"),
        ("302 Found", "text/html", "", Kind::Transport, "302"),
        ("301 Moved", "text/html", "<html>", Kind::Transport, "301"),
        ("403 No", "text/html", "<html>", Kind::Security, "credentials"),
        ("403 No", "text/xml", "<html/>", Kind::Security, "credentials"),
        ("500 Bad", "text/xml", &*broken, Kind::Peer, "Fault"),
        ("500 Bad", "text/xml", other, Kind::Peer, "urn:other"),
        ("200 OK", "text/html", "<html>", Kind::Peer, "text/html"),
    ];
    for (status, content_type, body, kind, word) in cases {
        let error = failing(answering(reply(status, content_type, body)));
        assert_eq!(error.kind(), kind, "{status} {body}: {error}");
        assert!(error.to_string().contains(word), "{error}");
        assert_eq!(error.status(), status[..3].parse().ok(), "{error}");
        assert_eq!(error.reply(), body.as_bytes(), "{error}");
    }
}

#[test]
fn an_error_keeps_the_beginning_of_a_long_reply() {
    let page = "x".repeat(100_000);
    let error = failing(answering(reply("503 Busy", "text/html", &page)));
    assert_eq!(error.reply(), &page.as_bytes()[..64 * 1024]);
}

#[test]
fn a_contract_without_an_address_can_be_used_but_for_calls() {
    let wsdl = std::fs::read_to_string(common::WSDL).unwrap();
    let start = wsdl.find("<wsdl:service").unwrap();
    let end = wsdl.rfind("</wsdl:definitions").unwrap();
    let location = Location::Bytes {
        bytes: format!("{}{}", &wsdl[..start], &wsdl[end..]).into_bytes(),
        base: common::WSDL.into(),
    };
    let client = Client::new(location, ClientOptions::default()).unwrap();
    assert_eq!(client.endpoint(), None);
    assert!(!client.encode("echoVoid", &(), &()).unwrap().is_empty());
    let error = client.call("echoVoid", &Value::Absent).unwrap_err();
    assert_eq!((error.kind(), error.guilty()), (Kind::Value, Guilty::Caller));
    assert!(error.to_string().contains("no address"), "{error}");
}

#[test]
fn a_client_waits_no_longer_than_it_was_told() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let error = failing(listener.local_addr().unwrap());
    assert_eq!(error.kind(), Kind::Timeout, "{error}");
    assert_ne!(error.guilty(), Guilty::Caller);
}

#[test]
fn nobody_there_is_an_error_of_the_network() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let error = failing(address);
    assert_eq!(
        (error.kind(), error.guilty()),
        (Kind::Transport, Guilty::Network),
        "{error}"
    );
    assert!(error.to_string().contains(&address.port().to_string()), "{error}");
}

#[test]
fn who_makes_a_service_is_told_what_is_wrong_with_it() {
    let handlers = || {
        let wrong_detail = |_| {
            let mut fault = Fault::new(Code::Sender, "declared");
            fault.detail.push(Detail {
                name: Name {
                    namespace: common::NS.into(),
                    local: "ServiceFault".into(),
                },
                value: Value::map([("nope", 1.into())]),
            });
            Err(fault)
        };
        common::handlers()
            .on("echoInts", |_| Ok("three".into()))
            .on("failDeclared", wrong_detail)
    };
    for debug in [false, true] {
        let settings = ServiceOptions {
            debug,
            ..ServiceOptions::default()
        };
        let running = common::start_service(ServerOptions::default(), settings, handlers());
        let client = common::client(running.addr(), None);
        let fault = |operation: &str, args: Value| match client.call(operation, &args) {
            Ok(Err(fault)) => (fault.reason().to_owned(), fault.detail.len(), fault.code),
            other => panic!("{operation}: {other:?}"),
        };
        let (ints, ..) = fault("echoInts", Value::map([("value", vec![1].into())]));
        let (declared, details, code) = fault(
            "failDeclared",
            Value::map([("code", 1.into()), ("reason", "r".into())]),
        );
        assert_eq!(details, 0);
        if debug {
            assert!(
                ints.contains("\"three\"") && ints.contains("/Envelope/Body/echoIntsResponse"),
                "{ints}"
            );
            assert!(declared.contains("\"nope\""), "{declared}");
        } else {
            assert_eq!(ints, "the service failed to answer");
            assert_eq!((code, &*declared), (Code::Sender, "declared"));
        }
    }
}
