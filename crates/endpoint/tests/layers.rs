//! Layers on both sides of a call: WS-Security, WS-Addressing, headers that must be understood.

mod common;

use std::sync::Arc;
use std::time::Duration;

use castile_endpoint::addressing::{
    Addressing, AddressingOptions, AddressingService, AddressingServiceOptions, AddressingVersion, Callbacks,
    CallbacksOptions, Elsewhere, EndpointReference,
};
use castile_endpoint::xroad::{Member, XRoad, XRoadOptions, XRoadService};
use castile_endpoint::{
    CallOptions, Client, ClientOptions, InMessage, Kind, Layers, LoadOptions, Location, OutMessage, Route,
    Server, ServerOptions, Service, ServiceOptions, Version, load, resolver,
};
use castile_security::{
    ClientOptions as SecurityOptions, ClientSecurity, Password, ServerOptions as CheckOptions,
    ServerSecurity, Timestamp, UsernameToken,
};
use castile_value::Value;

const WSA: &str = "http://www.w3.org/2005/08/addressing";

fn service(layers: Layers) -> Arc<Service> {
    let contract = load(&Location::from(common::WSDL), &LoadOptions::default()).unwrap();
    let options = ServiceOptions {
        layers,
        roles: vec!["urn:role:ours".to_owned()],
        ..ServiceOptions::default()
    };
    Arc::new(Service::new(contract, options, common::handlers()).unwrap())
}

fn start(layers: Layers) -> castile_http::Running {
    let mut options = ServerOptions::default();
    options.replies.proxy = castile_http::Proxy::None;
    let server = Server::bind(
        service(layers),
        "127.0.0.1:0",
        options,
        &resolver(&LoadOptions::default()),
    );
    server.unwrap().start().unwrap()
}

fn client(address: std::net::SocketAddr, port: &str, layers: Layers) -> Client {
    let mut options = ClientOptions {
        endpoint: Some(format!("http://{address}/")),
        port: Some(port.to_owned()),
        layers,
        ..ClientOptions::default()
    };
    options.http.proxy = castile_http::Proxy::None;
    options.http.timeout_call = Some(Duration::from_secs(20));
    Client::new(common::WSDL, options).unwrap()
}

fn echo(client: &Client) -> Result<String, String> {
    let args = Value::map([("text", "hello".into())]);
    match client.call("echoString", &args) {
        Ok(Ok(reply)) => Ok(String::from_utf8_lossy(&reply.record.reply).into_owned()),
        Ok(Err(fault)) => Err(format!("{fault} {:?}", fault.subcodes)),
        Err(error) => Err(format!("{:?} {error}", error.kind())),
    }
}

fn trouble() -> Value {
    Value::map([("code", 7.into()), ("reason", "deep".into())])
}

fn ports() -> Vec<String> {
    let contract = load(&Location::from(common::WSDL), &LoadOptions::default()).unwrap();
    contract.services[0]
        .ports
        .iter()
        .map(|p| p.name.clone())
        .collect()
}

#[test]
fn tokens_are_sent_and_checked() {
    let users = Arc::new(|user: &str| (user == "jo").then(|| "secret".to_owned()));
    let running = start(Layers::default().with(ServerSecurity::new(CheckOptions {
        passwords: Some(users),
        timestamp: true,
        reply_timestamp: true,
        ..CheckOptions::default()
    })));
    let token = |user: &str, password: &str, kind| {
        Layers::default().with(ClientSecurity::new(SecurityOptions {
            username: Some(UsernameToken::new(user, password, kind)),
            timestamp: Some(Timestamp::default()),
            reply_timestamp: true,
            ..SecurityOptions::default()
        }))
    };
    for port in ports() {
        for kind in [Password::Text, Password::Digest] {
            let call = |user, password| echo(&client(running.addr(), &port, token(user, password, kind)));
            let reply = call("jo", "secret").unwrap();
            assert!(reply.contains("Timestamp"), "{reply}");
            for (user, password) in [("jo", "Secret"), ("jim", "secret"), ("jo", "")] {
                let refused = call(user, password).unwrap_err();
                assert!(refused.contains("FailedAuthentication"), "{refused}");
            }
        }
        let refused = echo(&client(running.addr(), &port, Layers::default())).unwrap_err();
        assert!(refused.contains("InvalidSecurity"), "{refused}");
    }
}

#[test]
fn a_clock_that_is_off_can_be_allowed_for() {
    let users = Arc::new(|_: &str| Some("secret".to_owned()));
    let running = start(Layers::default().with(ServerSecurity::new(CheckOptions {
        passwords: Some(users),
        ..CheckOptions::default()
    })));
    let options = SecurityOptions {
        username: Some(UsernameToken::new("jo", "secret", Password::Digest)),
        ..SecurityOptions::default()
    };
    let offset = options.clock_offset.clone();
    let client = client(
        running.addr(),
        &ports()[0],
        Layers::default().with(ClientSecurity::new(options)),
    );
    assert!(echo(&client).is_ok());
    for wrong in [3_600_000, -3_600_000] {
        offset.set(wrong);
        let refused = echo(&client).unwrap_err();
        assert!(refused.contains("MessageExpired"), "{refused}");
    }
    offset.set(0);
    assert!(echo(&client).is_ok());
}

#[test]
fn addressed_calls_get_addressed_replies() {
    let running = start(
        Layers::default().with(AddressingService::new(AddressingServiceOptions {
            required: true,
            ..Default::default()
        })),
    );
    for port in ports() {
        for version in [AddressingVersion::V10, AddressingVersion::Submission] {
            let reply_to = EndpointReference {
                parameters: vec!["<k xmlns=\"urn:k\">7</k>".to_owned()],
                ..EndpointReference::new(version.anonymous())
            };
            let layers = Layers::default().with(Addressing::new(AddressingOptions {
                version,
                reply_to: Some(reply_to),
                must_understand: true,
                reply_required: true,
                ..Default::default()
            }));
            let client = client(running.addr(), &port, layers);
            let reply = echo(&client).unwrap();
            for part in [
                version.namespace(),
                "RelatesTo",
                "urn:uuid:",
                ">7</k>",
                "echoStringResponse</a:Action>",
            ] {
                assert!(reply.contains(part), "{part} in {reply}");
            }
            assert_eq!(
                reply.contains("IsReferenceParameter"),
                version == AddressingVersion::V10
            );
            let fault = client.call("failDeclared", &trouble()).unwrap().unwrap_err();
            let action = fault.headers.iter().find(|h| h.contains("Action")).unwrap();
            assert!(
                action.contains("failDeclared:Fault:") && !fault.detail.is_empty(),
                "{action}"
            );
            let fault = client
                .call("failUndeclared", &Value::map([("reason", "no".into())]))
                .unwrap()
                .unwrap_err();
            assert!(
                fault.headers.iter().any(|h| h.contains("/fault</a:Action>")),
                "{:?}",
                fault.headers
            );
        }
        let refused = echo(&client(running.addr(), &port, Layers::default())).unwrap_err();
        assert!(refused.contains("MessageAddressingHeaderRequired"), "{refused}");
    }
}

#[test]
fn replies_come_to_a_listener() {
    let anywhere = AddressingService::new(AddressingServiceOptions {
        elsewhere: Elsewhere::Hosts(vec!["127.0.0.1".to_owned()]),
        ..Default::default()
    });
    let running = start(Layers::default().with(anywhere));
    let callbacks = Callbacks::bind("127.0.0.1:0", CallbacksOptions::default()).unwrap();
    let layers = Layers::default().with(Addressing::new(AddressingOptions {
        callbacks: Some(callbacks.clone()),
        ..Default::default()
    }));
    for port in ports() {
        let client = client(running.addr(), &port, layers.clone());
        let reply = echo(&client).unwrap();
        assert!(
            reply.contains("RelatesTo") && reply.contains(callbacks.url()),
            "{reply}"
        );
        let fault = client.call("failDeclared", &trouble()).unwrap().unwrap_err();
        assert_eq!(fault.reason(), "declared");
        std::thread::scope(|scope| {
            for i in 0..8 {
                let client = &client;
                scope.spawn(move || {
                    let args = Value::map([("value", vec![f64::from(i)].into())]);
                    let reply = client.call("echoDoubles", &args).unwrap().unwrap();
                    assert_eq!(reply.value.as_f64s(), Some(&[f64::from(i)][..]));
                });
            }
        });
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let args = Value::map([("text", "later".into())]);
        let options = CallOptions::default();
        let reply = runtime.block_on(client.call_async("echoString", &args, &options));
        assert!(matches!(reply.unwrap().unwrap().value, Value::Text(text) if text == "later"));
    }
}

#[test]
fn a_reply_that_never_comes_ends_in_a_timeout() {
    let nowhere = start(
        Layers::default().with(AddressingService::new(AddressingServiceOptions {
            elsewhere: Elsewhere::Anywhere,
            ..Default::default()
        })),
    );
    let options = CallbacksOptions {
        public_url: Some("http://127.0.0.1:9/".to_owned()),
        ..CallbacksOptions::default()
    };
    let callbacks = Callbacks::bind("127.0.0.1:0", options).unwrap();
    let layers = Layers::default().with(Addressing::new(AddressingOptions {
        callbacks: Some(callbacks),
        ..Default::default()
    }));
    let client = client(nowhere.addr(), &ports()[0], layers);
    let options = CallOptions {
        timeout: Some(Duration::from_millis(300)),
        ..CallOptions::default()
    };
    let args = Value::map([("text", "x".into())]);
    let error = client.call_with("echoString", &args, &options).unwrap_err();
    assert_eq!(error.kind(), Kind::Timeout);
}

fn message(version: Version, headers: &str, body: &str) -> String {
    let soap = version.namespace();
    format!(
        "<S:Envelope xmlns:S=\"{soap}\" xmlns:a=\"{WSA}\"><S:Header>{headers}</S:Header><S:Body><i:{body} xmlns:i=\"{}\"/></S:Body></S:Envelope>",
        common::NS
    )
}

fn answer(service: &Service, text: &str) -> (OutMessage, String) {
    let out = service.answer(InMessage::new(text));
    let body = String::from_utf8(out.body.to_bytes().to_vec()).unwrap();
    (out, body)
}

const ACTION: &str = "<a:Action>urn:castile:interop#echoVoid</a:Action>";
const ID: &str = "<a:MessageID>urn:x:1</a:MessageID>";

#[test]
fn wrong_addressing_headers_have_their_faults() {
    let service = service(Layers::default().with(AddressingService::default()));
    let to = |address: &str| format!("<a:ReplyTo><a:Address>{address}</a:Address></a:ReplyTo>");
    for (headers, subcodes) in [
        (
            format!("{ACTION}{ACTION}{ID}"),
            vec!["InvalidAddressingHeader", "InvalidCardinality"],
        ),
        (ID.to_owned(), vec!["MessageAddressingHeaderRequired"]),
        (ACTION.to_owned(), vec!["MessageAddressingHeaderRequired"]),
        (
            format!("<a:Action>urn:other</a:Action>{ID}"),
            vec!["ActionNotSupported"],
        ),
        (
            format!("{ACTION}{ID}{}", to("http://127.0.0.1:1/")),
            vec!["InvalidAddressingHeader", "OnlyAnonymousAddressSupported"],
        ),
        (
            format!("{ACTION}{ID}{}", to("what")),
            vec!["InvalidAddressingHeader", "InvalidAddress"],
        ),
        (
            format!("{ACTION}{ID}<a:ReplyTo/>"),
            vec!["InvalidAddressingHeader", "MissingAddressInEPR"],
        ),
    ] {
        let (out, body) = answer(&service, &message(Version::Soap12, &headers, "echoVoid"));
        assert!(out.fault.is_some(), "{headers}");
        for subcode in subcodes {
            assert!(body.contains(&format!("f:{subcode}<")), "{subcode} in {body}");
        }
        assert!(body.contains("addressing/fault</a:Action>"), "{body}");
        assert_eq!(
            body.contains("urn:x:1</a:RelatesTo>"),
            headers.contains(ID),
            "{body}"
        );
        let (_, old) = answer(&service, &message(Version::Soap11, &headers, "echoVoid"));
        assert!(
            old.contains("<faultcode xmlns:f=\"http://www.w3.org/2005/08/addressing\">f:"),
            "{old}"
        );
    }
    let mismatch = message(Version::Soap11, &format!("{ACTION}{ID}"), "echoVoid");
    let out = service.answer(InMessage {
        action: Some("urn:another"),
        ..InMessage::new(&mismatch)
    });
    assert!(
        String::from_utf8(out.body.to_bytes().to_vec())
            .unwrap()
            .contains("SOAPAction")
    );
}

#[test]
fn replies_can_be_wanted_nowhere() {
    let service = service(Layers::default().with(AddressingService::default()));
    let none = format!("{ACTION}{ID}<a:ReplyTo><a:Address>{WSA}/none</a:Address></a:ReplyTo>");
    let (out, body) = answer(&service, &message(Version::Soap12, &none, "echoVoid"));
    assert_eq!((out.route, out.fault), (Route::Nowhere, None));
    assert!(body.contains("RelatesTo"));
}

#[test]
fn headers_that_must_be_understood_are() {
    let service = service(Layers::default());
    let block = |attributes: &str| format!("<x:Odd xmlns:x=\"urn:odd\" {attributes}/>");
    for (version, attributes, refused) in [
        (Version::Soap11, "S:mustUnderstand=\"1\"", true),
        (Version::Soap11, "S:mustUnderstand=\"0\"", false),
        (
            Version::Soap11,
            "S:mustUnderstand=\"1\" S:actor=\"urn:role:theirs\"",
            false,
        ),
        (
            Version::Soap11,
            "S:mustUnderstand=\"1\" S:actor=\"urn:role:ours\"",
            true,
        ),
        (
            Version::Soap11,
            "S:mustUnderstand=\"1\" S:actor=\"http://schemas.xmlsoap.org/soap/actor/next\"",
            true,
        ),
        (Version::Soap12, "S:mustUnderstand=\"true\"", true),
        (
            Version::Soap12,
            "S:mustUnderstand=\"true\" S:role=\"http://www.w3.org/2003/05/soap-envelope/role/none\"",
            false,
        ),
        (
            Version::Soap12,
            "S:mustUnderstand=\"true\" S:role=\"http://www.w3.org/2003/05/soap-envelope/role/ultimateReceiver\"",
            true,
        ),
        (
            Version::Soap12,
            "S:mustUnderstand=\"true\" S:role=\"urn:role:theirs\" S:relay=\"true\"",
            false,
        ),
    ] {
        let (out, body) = answer(&service, &message(version, &block(attributes), "echoVoid"));
        assert_eq!(out.fault.is_some(), refused, "{attributes}: {body}");
        if refused {
            assert!(body.contains("S:MustUnderstand<"), "{body}");
            let named = body.contains("<S:NotUnderstood xmlns:S=\"http://www.w3.org/2003/05/soap-envelope\" xmlns:n=\"urn:odd\" qname=\"n:Odd\"/>");
            assert_eq!(named, version == Version::Soap12, "{body}");
        }
    }
    let two = block("S:mustUnderstand=\"1\"") + "<y:Even xmlns:y=\"urn:even\" S:mustUnderstand=\"1\"/>";
    let (_, body) = answer(&service, &message(Version::Soap12, &two, "echoVoid"));
    assert_eq!(body.matches("NotUnderstood ").count(), 2, "{body}");
}

fn xroad() -> XRoadOptions {
    XRoadOptions {
        client: Member::parse("EE/GOV/1234/office").unwrap(),
        service: Member::parse("EE/COM/5678").unwrap(),
        service_code: None,
        service_version: Some("v1".to_owned()),
        user_id: "EE37702211234".to_owned(),
        issue: Some("<1>".to_owned()),
    }
}

#[test]
fn x_road_headers_go_there_and_come_back() {
    let running = start(Layers::default().with(XRoadService));
    for port in ports() {
        let client = client(running.addr(), &port, Layers::default().with(XRoad::new(xroad())));
        let reply = echo(&client).unwrap();
        for part in [
            ">echoString</i:serviceCode>",
            "i:objectType=\"SUBSYSTEM\"",
            ">EE37702211234</x:userId>",
            ">&lt;1&gt;</x:issue>",
            ">4.0</x:protocolVersion>",
        ] {
            assert!(reply.contains(part), "{part} in {reply}");
        }
    }
    let bare = echo(&client(running.addr(), &ports()[0], Layers::default())).unwrap_err();
    assert!(bare.contains("client is required"), "{bare}");
    for wrong in ["EE", "EE/GOV", "EE//1", "a/b/c/d/e", ""] {
        assert_eq!(Member::parse(wrong).unwrap_err().kind(), Kind::Value);
    }
}

#[test]
fn a_reply_of_another_request_is_refused() {
    let body = format!(
        "<S:Envelope xmlns:S=\"{}\"><S:Header><id xmlns=\"http://x-road.eu/xsd/xroad.xsd\">other</id></S:Header><S:Body/></S:Envelope>",
        Version::Soap11.namespace()
    );
    let server = answering("text/xml", body);
    let client = client(
        server.addr(),
        &ports()[0],
        Layers::default().with(XRoad::new(xroad())),
    );
    let refused = echo(&client).unwrap_err();
    assert!(refused.contains("another request"), "{refused}");
}

/// A server that answers everything alike.
fn answering(content_type: &'static str, body: String) -> castile_http::Running {
    let server = castile_http::Server::bind("127.0.0.1:0", castile_http::ServerOptions::default()).unwrap();
    let serve = move |_| {
        let body = body.clone();
        async move { castile_http::ServerResponse::new(castile_http::StatusCode::OK, content_type, body) }
    };
    server.serve_in_background(serve).unwrap()
}

#[test]
fn multipart_replies_are_read() {
    let envelope = format!(
        "<S:Envelope xmlns:S=\"{}\"><S:Body><i:echoStringResponse xmlns:i=\"{}\"><i:text>hi</i:text></i:echoStringResponse></S:Body></S:Envelope>",
        Version::Soap11.namespace(),
        common::NS
    );
    let whole = format!(
        "--b\r\nContent-Type: text/xml\r\n\r\n{envelope}\r\n--b\r\nContent-ID: <one>\r\nContent-Type: text/plain\r\n\r\nbeside\r\n--b--\r\n"
    );
    let call = |body: &str| {
        let server = answering(
            "multipart/related; type=\"text/xml\"; boundary=b",
            body.to_owned(),
        );
        let client = client(server.addr(), "Soap11", Layers::default());
        client.call("echoString", &Value::map([("text", "hi".into())]))
    };
    let reply = call(&whole).unwrap().unwrap();
    assert!(
        matches!(&reply.value, Value::Text(text) if text == "hi"),
        "{:?}",
        reply.value
    );
    let [beside] = &reply.record.attachments[..] else {
        panic!("{:?}", reply.record.attachments)
    };
    assert_eq!(
        (&*beside.content_id, &beside.content[..]),
        ("one", &b"beside"[..])
    );
    let cut = call(&whole[..whole.len() - 10]).unwrap_err();
    assert!(
        cut.kind() == Kind::Peer && cut.to_string().contains("last boundary"),
        "{cut}"
    );
}
