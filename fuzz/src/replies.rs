//! A client: whatever comes back, with whatever content type, is a value, a fault or an error.

use std::cell::OnceCell;
use std::sync::{Arc, Mutex};

use castile_endpoint::{Carrier, Carrying, Client, ClientOptions, Guilty};
use castile_http::{Bytes, HeaderMap, HeaderValue, Request, Response, StatusCode, Timings, Url};
use castile_message::{parts, unquote_printable};
use castile_value::Value;

/// Gives the same answer to everything.
#[derive(Default)]
struct Canned(Mutex<(u16, Vec<u8>, Bytes)>);

impl Carrier for Canned {
    fn carry(&self, _: Request) -> Carrying<'_> {
        let (status, content_type, body) = self.0.lock().expect("no panic in between").clone();
        let mut headers = HeaderMap::new();
        if let Ok(value) = HeaderValue::from_bytes(&content_type) {
            headers.insert("content-type", value);
        }
        let response = Response {
            status: StatusCode::from_u16(status).unwrap_or(StatusCode::OK),
            headers,
            body_bytes_wire: body.len() as u64,
            body_is_alone: true,
            body,
            timings: Timings::default(),
            url: Url::parse("http://localhost/").expect("a URL"),
        };
        Box::pin(std::future::ready(Ok(response)))
    }
}

thread_local! {
    static CLIENT: OnceCell<(Client, Arc<Canned>)> = const { OnceCell::new() };
}

fn client() -> (Client, Arc<Canned>) {
    let canned = Arc::new(Canned::default());
    let options = ClientOptions {
        endpoint: Some("http://localhost/".into()),
        ..ClientOptions::default()
    };
    let contract = crate::requests::contract();
    let client = Client::with_carrier(contract, options, canned.clone());
    (client.expect("a good client"), canned)
}

/// Operation and status, a content type up to a line end, and a body.
pub(crate) fn replies(bytes: &[u8]) {
    let [operation, status, rest @ ..] = bytes else {
        return;
    };
    let line = rest.iter().position(|b| *b == b'\n').unwrap_or(0);
    let (content_type, body) = rest.split_at(line);
    let body = body.get(1..).unwrap_or_default();
    CLIENT.with(|client_of_all| {
        let (client, canned) = client_of_all.get_or_init(client);
        let status = [200, 500, 202, 400, 404, 204][usize::from(status % 6)];
        *canned.0.lock().expect("no panic in between") =
            (status, content_type.to_vec(), Bytes::copy_from_slice(body));
        let name = ["echoDoubles", "echoString", "echoMios", "echoVoid"][usize::from(operation % 4)];
        if let Err(error) = client.call(name, &Value::map(Vec::<(&str, Value)>::new())) {
            assert!(!error.to_string().is_empty());
            let _ = matches!(error.guilty(), Guilty::Peer);
        }
    });
    in_parts(content_type, body);
}

/// The parts of a body lie in it, in order.
fn in_parts(content_type: &[u8], body: &[u8]) {
    let Ok(boundary) = std::str::from_utf8(content_type) else {
        return;
    };
    let boundary = boundary.rsplit('=').next().unwrap_or_default();
    let mut at = body.as_ptr() as usize;
    for part in parts(body, boundary).unwrap_or_default() {
        let start = part.content.as_ptr() as usize;
        assert!(
            part.content.is_empty()
                || start >= at && start + part.content.len() <= body.as_ptr() as usize + body.len()
        );
        at = at.max(start);
        let _ = (part.content_id(), part.header("content-type"));
        assert!(unquote_printable(part.content).len() <= part.content.len());
    }
}
