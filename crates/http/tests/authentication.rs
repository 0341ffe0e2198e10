//! Basic, digest and bearer, both roles; the client's also against challenges written by hand.

mod common;

use std::io::Write;
use std::sync::Arc;

use castile_http::{
    Auth, Bytes, ClientOptions, Kind, Request, Running, ServerAuth, ServerOptions, StatusCode,
};
use common::*;

fn guarded(auth: ServerAuth) -> Running {
    echo(ServerOptions {
        auth: Some(auth),
        ..ServerOptions::default()
    })
}

fn basic_server() -> Running {
    let check = Arc::new(|user: &str, password: &str| user == "jo" && password == "pä:ss");
    guarded(ServerAuth::Basic {
        realm: "r".into(),
        check,
    })
}

fn digest_server() -> Running {
    let find = Arc::new(|user: &str| (user == "jo").then(|| "pä:ss".to_owned()));
    guarded(ServerAuth::Digest {
        realm: "r".into(),
        find,
    })
}

fn with(auth: Auth) -> castile_http::blocking::Client {
    client(ClientOptions { auth, ..options() })
}

fn basic(user: &str, password: &str) -> Auth {
    Auth::Basic {
        user: user.into(),
        password: password.into(),
    }
}

fn digest(user: &str, password: &str) -> Auth {
    Auth::Digest {
        user: user.into(),
        password: password.into(),
    }
}

#[test]
fn basic_both_roles() {
    let running = basic_server();
    let reply = with(basic("jo", "pä:ss"))
        .send(post(running.addr(), "<a/>"))
        .expect("a reply");
    assert_eq!(
        (reply.status, header(&reply.headers, "saw-principal")),
        (StatusCode::OK, "jo")
    );
    for auth in [
        Auth::None,
        basic("jo", "wrong"),
        basic("", ""),
        Auth::Bearer("x".into()),
    ] {
        let client = with(auth);
        for round in 0..2 {
            let reply = client.send(post(running.addr(), "<a/>")).expect("a reply");
            assert_eq!(reply.status, StatusCode::UNAUTHORIZED);
            assert_eq!(
                header(&reply.headers, "www-authenticate"),
                "Basic realm=\"r\", charset=\"UTF-8\""
            );
            assert_eq!(reply.timings.reused, round > 0);
        }
    }
    let address = format!("http://jo:p%C3%A4%3Ass@{}/", running.addr());
    let reply = with(Auth::None)
        .send(Request::post(address.parse().expect("valid"), ""))
        .expect("a reply");
    assert_eq!(reply.status, StatusCode::OK);
}

#[test]
fn a_large_body_of_a_stranger_is_not_read() {
    let running = basic_server();
    let request = Request::post(url(running.addr(), "/"), Bytes::from(vec![b'x'; 900_000]));
    let reply = with(Auth::None).send(request).expect("a reply");
    assert_eq!(reply.status, StatusCode::UNAUTHORIZED);
    assert_eq!(header(&reply.headers, "connection"), "close");
}

#[test]
fn bearer_both_roles() {
    let check = Arc::new(|token: &str| (token == "abc.def-1==").then(|| "jo".to_owned()));
    let running = guarded(ServerAuth::Bearer {
        realm: "r".into(),
        check,
    });
    let reply = with(Auth::Bearer("abc.def-1==".into()))
        .send(post(running.addr(), ""))
        .expect("a reply");
    assert_eq!(
        (reply.status, header(&reply.headers, "saw-principal")),
        (StatusCode::OK, "jo")
    );
    let reply = with(Auth::Bearer("abc".into()))
        .send(post(running.addr(), ""))
        .expect("a reply");
    assert_eq!(reply.status, StatusCode::UNAUTHORIZED);
}

#[test]
fn digest_both_roles() {
    let running = digest_server();
    let client = with(digest("jo", "pä:ss"));
    for count in 1..4 {
        let request = Request::post(url(running.addr(), "/svc?x=1"), "<a/>");
        let reply = client.send(request).expect("a reply");
        assert_eq!((reply.status, &reply.body[..]), (StatusCode::OK, &b"<a/>"[..]));
        assert_eq!(header(&reply.headers, "saw-principal"), "jo");
        let field = header(&reply.headers, "saw-authorization");
        assert!(field.contains("algorithm=SHA-256,"), "{field}");
        assert!(
            field.contains(&format!("nc={count:08x}")),
            "one challenge for all: {field}"
        );
        assert!(reply.timings.reused, "the connection survives its challenge");
    }
    for auth in [
        digest("jo", "wrong"),
        digest("who", "pä:ss"),
        basic("jo", "pä:ss"),
    ] {
        let reply = with(auth).send(post(running.addr(), "<a/>")).expect("a reply");
        assert_eq!(reply.status, StatusCode::UNAUTHORIZED);
    }
}

#[test]
fn digest_by_many_threads() {
    let running = digest_server();
    let client = Arc::new(with(digest("jo", "pä:ss")));
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let (client, address) = (Arc::clone(&client), running.addr());
            std::thread::spawn(move || {
                for _ in 0..50 {
                    let reply = client.send(post(address, "<a/>")).expect("a reply");
                    assert_eq!(reply.status, StatusCode::OK);
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().expect("no panic");
    }
}

/// The server forgets the nonce and says so; the client starts again by itself.
#[test]
fn a_stale_nonce_is_replaced() {
    let server = Scripted::new(1, |_, mut stream| {
        // First call: challenged, answered. Second: the nonce is forgotten, challenged, answered.
        let mut previous = "none";
        for nonce in ["one", "one", "two", "two"] {
            let text = read_message(&mut stream);
            challenge_unless(&mut stream, &text, nonce, &mut previous);
        }
    });
    let client = with(digest("jo", "pw"));
    for _ in 0..2 {
        assert_eq!(
            client.send(post(server.address, "<a/>")).expect("a reply").status,
            StatusCode::OK
        );
    }
    drop(client);
    server.join();
}

/// Takes a request whose nonce is `nonce`, and challenges any other.
fn challenge_unless(
    stream: &mut std::net::TcpStream,
    text: &str,
    nonce: &'static str,
    previous: &mut &'static str,
) {
    if text.contains(&format!("nonce=\"{nonce}\"")) {
        assert!(
            text.contains("opaque=\"o\\\"p\"") && text.contains("qop=auth, nc=00000001"),
            "{text}"
        );
        stream.write_all(OK).expect("open");
    } else {
        let stale = if *previous == "none" { "" } else { ", stale=TRUE" };
        let challenge = format!(
            "HTTP/1.1 401 No\r\nWWW-Authenticate: Negotiate\r\nWWW-Authenticate: Basic realm=\"b\", Digest \
             realm=\"r\", algorithm=SHA-512-256, nonce=\"x\", Digest realm=\"r\", qop=\"auth-int,auth\", \
             opaque=\"o\\\"p\", nonce=\"{nonce}\"{stale}\r\nContent-Length: 0\r\n\r\n"
        );
        stream.write_all(challenge.as_bytes()).expect("open");
        *previous = nonce;
    }
}

/// RFC 2069: no qop, no count.
#[test]
fn an_old_digest_challenge() {
    let server = Scripted::new(1, |_, mut stream| {
        read_message(&mut stream);
        let challenge = "HTTP/1.1 401 No\r\nWWW-Authenticate: Digest realm=\"r\", nonce=\"n\"\r\nContent-Length: 0\r\n\r\n";
        stream.write_all(challenge.as_bytes()).expect("open");
        let text = read_message(&mut stream);
        assert!(
            !text.contains("cnonce") && text.contains("algorithm=MD5, response="),
            "{text}"
        );
        stream.write_all(OK).expect("open");
    });
    let reply = with(digest("jo", "pw"))
        .send(post(server.address, "<a/>"))
        .expect("a reply");
    assert_eq!(reply.body, "ok");
    server.join();
}

#[test]
fn a_challenge_that_nobody_can_answer() {
    let server = Scripted::new(1, |_, mut stream| {
        read_message(&mut stream);
        let challenge = "HTTP/1.1 401 No\r\nWWW-Authenticate: NTLM\r\nContent-Length: 0\r\n\r\n";
        stream.write_all(challenge.as_bytes()).expect("open");
    });
    let error = with(digest("jo", "pw"))
        .send(post(server.address, "<a/>"))
        .expect_err("an error");
    assert_eq!(error.kind(), Kind::Authentication);
    assert!(error.to_string().contains("[ntlm]"), "{error}");
}

#[test]
fn a_header_of_the_request_wins() {
    let running = echo(ServerOptions::default());
    let request = post(running.addr(), "")
        .header("Authorization", "Mine abc")
        .expect("plain");
    let reply = with(basic("jo", "pw")).send(request).expect("a reply");
    assert_eq!(header(&reply.headers, "saw-authorization"), "Mine abc");
}

#[test]
fn unusable_credentials() {
    for auth in [basic("a:b", "c"), Auth::Bearer("a\nb".into())] {
        let error = castile_http::Client::new(ClientOptions { auth, ..options() }).expect_err("an error");
        assert_eq!(error.kind(), Kind::Options);
    }
}
