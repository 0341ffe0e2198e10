//! Redirects: refused for a call unless asked for, followed for a document.

mod common;

use std::io::Write;

use castile_http::{Auth, ClientOptions, Error, Guilty, Kind, Redirects, Request};
use common::*;

/// A server that redirects `/from` to `target` with `status`, and shows other requests.
fn redirecting(status: u16, target: String, connections: usize) -> Scripted {
    Scripted::new(connections, move |_, mut stream| {
        loop {
            let request = read_message(&mut stream);
            let reply = match request.split(' ').nth(1) {
                None => return,
                Some("/from") => {
                    format!("HTTP/1.1 {status} Moved\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n")
                }
                Some(_) => format!(
                    "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{request}",
                    request.len()
                ),
            };
            stream.write_all(reply.as_bytes()).expect("a client that reads");
        }
    })
}

fn following() -> ClientOptions {
    ClientOptions {
        redirects: Redirects::Follow,
        ..options()
    }
}

fn refused(result: Result<castile_http::Response, Error>) -> String {
    let error = result.expect_err("an error");
    assert_eq!((error.kind(), error.guilty()), (Kind::Redirect, Guilty::Peer));
    error.to_string()
}

#[test]
fn a_call_is_not_redirected() {
    for status in [301, 302, 303, 307, 308] {
        let server = redirecting(status, "/to?key=hunter2".into(), 1);
        let text = refused(client(options()).send(Request::post(url(server.address, "/from"), "<a/>")));
        assert!(
            text.contains("/to") && text.contains(&status.to_string()),
            "{text}"
        );
        assert!(!text.contains("hunter2"), "{text}");
    }
}

#[test]
fn a_call_is_repeated_where_asked() {
    for status in [301, 302, 307, 308] {
        let server = redirecting(status, "/to".into(), 1);
        let request = Request::post(url(server.address, "/from"), "<a/>");
        let request = request.header("SOAPAction", "\"x\"").expect("plain");
        let reply = client(following()).send(request).expect("a reply");
        let text = String::from_utf8_lossy(&reply.body).to_lowercase();
        assert!(
            text.starts_with("post /to ") && text.contains("soapaction") && text.ends_with("<a/>"),
            "{text}"
        );
        assert_eq!(reply.url.path(), "/to");
    }
    let server = redirecting(303, "/to".into(), 1);
    let reply = client(following())
        .send(Request::post(url(server.address, "/from"), "<a/>"))
        .expect("a reply");
    assert!(reply.body.starts_with(b"GET /to ") && !reply.body.ends_with(b"<a/>"));
}

#[test]
fn a_document_follows() {
    let server = redirecting(301, "/to".into(), 1);
    let reply = client(options())
        .send(Request::get(url(server.address, "/from")))
        .expect("a reply");
    assert!(reply.body.starts_with(b"GET /to "));
    let server = redirecting(301, "/to".into(), 1);
    let never = client(ClientOptions {
        redirects: Redirects::Refuse,
        ..options()
    });
    refused(never.send(Request::get(url(server.address, "/from"))));
}

#[test]
fn endless_and_unreadable_redirects() {
    let server = redirecting(302, "/from".into(), 1);
    let text = refused(client(options()).send(Request::get(url(server.address, "/from"))));
    assert!(text.contains("more than 10"), "{text}");
    let server = redirecting(302, "http://[".into(), 1);
    refused(client(options()).send(Request::get(url(server.address, "/from"))));
}

#[test]
fn a_redirect_without_an_address_is_a_reply() {
    let server = Scripted::new(1, |_, mut stream| {
        read_message(&mut stream);
        stream
            .write_all(b"HTTP/1.1 304 Not Modified\r\n\r\n")
            .expect("open");
    });
    let reply = client(options())
        .send(Request::get(url(server.address, "/")))
        .expect("a reply");
    assert_eq!(reply.status.as_u16(), 304);
}

#[test]
fn secrets_do_not_follow_to_another_origin() {
    let other = redirecting(200, String::new(), 1);
    let server = redirecting(307, format!("http://{}/to", other.address), 1);
    let auth = Auth::Basic {
        user: "jo".into(),
        password: "pw".into(),
    };
    let client = client(ClientOptions { auth, ..following() });
    let reply = client
        .send(Request::post(url(server.address, "/from"), "<a/>"))
        .expect("a reply");
    let text = String::from_utf8_lossy(&reply.body).to_lowercase();
    assert!(
        text.ends_with("<a/>") && !text.contains("authorization"),
        "{text}"
    );
    let request = Request::post(url(server.address, "/to"), "<a/>");
    let reply = client.send(request).expect("a reply");
    assert!(
        String::from_utf8_lossy(&reply.body)
            .to_lowercase()
            .contains("authorization: basic")
    );
}
