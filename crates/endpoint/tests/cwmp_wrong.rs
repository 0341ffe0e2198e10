//! CWMP: each role against peers that do it wrong.

mod common;

use std::sync::Mutex;
use std::time::Duration;

use castile_endpoint::Kind;
use castile_endpoint::cwmp::{Acs, AcsOptions};
use castile_endpoint::session::HostOptions;
use castile_http::{Request, Response, Running, Url, blocking};
use common::cwmp::{Log, acs, cpe, inform, names, start};

/// A device that sends what it likes.
struct Raw(blocking::Client, Url);

impl Raw {
    fn new(url: &str) -> Raw {
        let client = blocking::Client::new(castile_http::ClientOptions::default()).unwrap();
        Raw(client, Url::parse(url).unwrap())
    }

    fn post(&self, body: &str) -> Response {
        let request = Request::post(self.1.clone(), body.to_owned());
        let request = request.header("content-type", "text/xml").unwrap();
        self.0.send(request).unwrap()
    }

    fn body(&self, body: &str) -> String {
        String::from_utf8(self.post(body).body.to_vec()).unwrap()
    }
}

const INFORM: &str = "<DeviceId><Manufacturer>a</Manufacturer><OUI>b</OUI><ProductClass>c</ProductClass>\
    <SerialNumber>d</SerialNumber></DeviceId><Event/><MaxEnvelopes>1</MaxEnvelopes>\
    <CurrentTime>2026-05-01T12:00:00Z</CurrentTime><RetryCount>0</RetryCount><ParameterList/>";

fn envelope(id: &str, body: &str) -> String {
    format!(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' xmlns:c='urn:dslforum-org:cwmp-1-2'>\
         <e:Header><c:ID e:mustUnderstand='1'>{id}</c:ID></e:Header><e:Body>{body}</e:Body></e:Envelope>"
    )
}

fn opening() -> String {
    envelope("first", &format!("<c:Inform>{INFORM}</c:Inform>"))
}

/// What a session's one call came to.
fn one_call(options: AcsOptions, log: &Log) -> Acs {
    let log = log.clone();
    acs(options).on_session(move |session| {
        let log = log.clone();
        async move {
            let called = session.call("GetParameterValues", &names(&["Device.A"])).await;
            log.add(match called {
                Ok(Ok(_)) => "a reply".to_owned(),
                Ok(Err(fault)) => format!("fault: {fault}"),
                Err(error) => format!("{:?} {:?}: {error}", error.kind(), error.guilty()),
            });
            Ok(())
        }
    })
}

#[test]
fn what_devices_do_wrong_is_said() {
    let reply = |id| {
        envelope(
            id,
            "<c:GetParameterValuesResponse><ParameterList/></c:GetParameterValuesResponse>",
        )
    };
    let cases: [(String, &str); 7] = [
        (reply("1"), "a reply"),
        (
            reply("7"),
            "Peer Peer: the reply to GetParameterValues (200): its cwmp:ID is \"7\"",
        ),
        (
            String::new(),
            "Peer Peer: the reply to GetParameterValues (200): it is empty",
        ),
        ("<garbage".to_owned(), "Peer Peer"),
        (envelope("1", "<c:RebootResponse/>"), "Peer Peer"),
        (
            envelope("1", "<c:TransferComplete><CommandKey/></c:TransferComplete>"),
            "Peer Peer",
        ),
        (
            envelope(
                "1",
                "<e:Fault><faultcode>e:Client</faultcode><faultstring>no</faultstring></e:Fault>",
            ),
            "fault: Sender: no",
        ),
    ];
    for (sent, expected) in cases {
        let log = Log::default();
        let (running, url) = start(one_call(AcsOptions::default(), &log));
        let device = Raw::new(&url);
        let answer = device.body(&opening());
        assert!(
            answer.contains(">first</cwmp:ID>") && answer.contains("InformResponse"),
            "{answer}"
        );
        let call = device.body("");
        assert!(
            call.contains("GetParameterValues") && call.contains(":arrayType=\"xsd:string[1]\""),
            "{call}"
        );
        let end = device.post(&sent);
        assert_eq!((end.status.as_u16(), end.body.len()), (204, 0), "{sent}");
        let said = log.wait(1);
        assert!(said[0].starts_with(expected), "{sent}: {said:?}");
        running.stop();
    }
}

#[test]
fn a_device_that_falls_silent_ends_its_session() {
    let log = Log::default();
    let options = AcsOptions {
        host: HostOptions {
            timeout_guest: Duration::from_millis(200),
            sessions_max: 1,
            ..HostOptions::default()
        },
        ..AcsOptions::default()
    };
    let server = one_call(options, &log).bind("127.0.0.1:0").unwrap();
    let (host, url) = (server.host().clone(), format!("http://{}/", server.local_addr()));
    let running = server.start().unwrap();
    let device = Raw::new(&url);
    device.post(&opening());
    assert_eq!(host.sessions(), 1);
    assert_eq!(
        Raw::new(&url).post(&opening()).status.as_u16(),
        503,
        "one session at a time"
    );
    device.post("");
    let said = log.wait(1);
    assert!(said[0].contains("did not answer in time"), "{said:?}");
    assert_eq!(host.sessions(), 0);
    // What comes late belongs to no session.
    assert_eq!(device.post("").status.as_u16(), 204);
    let late = device.body(&envelope(
        "1",
        "<c:TransferComplete><CommandKey/></c:TransferComplete>",
    ));
    assert!(
        late.contains("a session begins with Inform") && late.contains("8003"),
        "{late}"
    );
    running.stop();
}

#[test]
fn a_device_that_informs_anew_begins_a_new_session() {
    let log = Log::default();
    let (running, url) = start(one_call(AcsOptions::default(), &log));
    let device = Raw::new(&url);
    device.post(&opening());
    device.post("");
    assert!(device.body(&opening()).contains("InformResponse"));
    assert!(log.wait(1)[0].contains("did not answer"));
    assert!(device.body("").contains("GetParameterValues"));
    running.stop();
}

#[test]
fn a_program_that_takes_too_long_ends_its_session() {
    let options = AcsOptions {
        host: HostOptions {
            timeout_program: Duration::from_millis(50),
            ..HostOptions::default()
        },
        ..AcsOptions::default()
    };
    let (running, url) = start(acs(options).on_session(|_| std::future::pending()));
    let device = Raw::new(&url);
    device.post(&opening());
    assert_eq!(device.post("").status.as_u16(), 204);
    running.stop();
}

#[test]
fn what_an_acs_is_sent_wrong_is_answered_with_its_faults() {
    let (running, url) = start(acs(AcsOptions::default()));
    let get = blocking::Client::new(castile_http::ClientOptions::default()).unwrap();
    assert_eq!(
        get.send(Request::get(Url::parse(&url).unwrap()))
            .unwrap()
            .status
            .as_u16(),
        405
    );
    for (sent, code) in [
        ("<garbage".to_owned(), "8003"),
        (envelope("1", "<c:Nonsense/>"), "8000"),
        (
            envelope(
                "1",
                "<c:Inform><DeviceId><OUI/></DeviceId><RetryCount>x</RetryCount></c:Inform>",
            ),
            "8003",
        ),
    ] {
        let device = Raw::new(&url);
        let answer = device.body(&sent);
        assert!(answer.contains(&format!("FaultCode>{code}<")), "{sent}: {answer}");
        assert!(
            answer.contains("<faultstring>CWMP fault</faultstring>"),
            "{answer}"
        );
    }
    let unknown = opening().replace(
        "<e:Header>",
        "<e:Header><x:q xmlns:x='urn:x' e:mustUnderstand='1'/>",
    );
    assert!(Raw::new(&url).body(&unknown).contains("MustUnderstand"));
    running.stop();
}

/// An ACS that answers the nth POST with the nth of these.
fn scripted(replies: Vec<(u16, String)>) -> (Running, String) {
    let server = castile_http::Server::bind("127.0.0.1:0", castile_http::ServerOptions::default()).unwrap();
    let url = format!("http://{}/", server.local_addr());
    let replies = Mutex::new(replies.into_iter());
    let serve = move |_: castile_http::ServerRequest| {
        let (status, body) = replies.lock().unwrap().next().unwrap_or((204, String::new()));
        let status = castile_http::StatusCode::from_u16(status).unwrap();
        let content_type = if body.starts_with('<') {
            "text/xml"
        } else {
            "text/plain"
        };
        std::future::ready(castile_http::ServerResponse::new(status, content_type, body))
    };
    (server.serve_in_background(serve).unwrap(), url)
}

#[test]
fn what_an_acs_does_wrong_is_said() {
    let ok = || {
        (
            200,
            envelope(
                "1",
                "<c:InformResponse><MaxEnvelopes>1</MaxEnvelopes></c:InformResponse>",
            ),
        )
    };
    let fault = "<e:Fault><faultcode>e:Server</faultcode><faultstring>CWMP fault</faultstring><detail><c:Fault>\
        <FaultCode>8001</FaultCode><FaultString>Request denied</FaultString></c:Fault></detail></e:Fault>";
    let wrong_id = (200, ok().1.replace(">1</c:ID>", ">2</c:ID>"));
    for (reply, expected) in [
        (
            (500, envelope("1", fault)),
            "the ACS refused the session: CWMP fault 8001: Request denied",
        ),
        (wrong_id, "its cwmp:ID is \"2\""),
        ((200, String::new()), "it is empty"),
        ((200, "hello".into()), "content type"),
        ((200, "<garbage".into()), "the reply to Inform"),
    ] {
        let (running, url) = scripted(vec![reply]);
        let error = cpe(&url)
            .inform(&inform())
            .err()
            .map(|e| e.to_string())
            .unwrap_or_default();
        assert!(error.contains(expected), "{error}");
        running.stop();
    }
    // What comes in the ACS's turn.
    for (replies, expected) in [
        (vec![ok(), (503, String::new())], "status 503"),
        (vec![ok(), (200, "hello".into())], "no SOAP"),
    ] {
        let (running, url) = scripted(replies);
        let cpe = cpe(&url);
        let error = cpe.inform(&inform()).unwrap().finish().unwrap_err();
        assert_eq!(error.kind(), Kind::Peer);
        assert!(error.to_string().contains(expected), "{error}");
        running.stop();
    }
    // Calls that the device answers with faults of its own.
    let calls = [(200, "<garbage".into()), (200, envelope("9", "<c:Nonsense/>"))];
    let (running, url) = scripted([vec![ok()], calls.to_vec()].concat());
    assert_eq!(cpe(&url).inform(&inform()).unwrap().finish().unwrap(), 2);
    running.stop();
}
