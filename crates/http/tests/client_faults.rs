//! What our client says of peers that misbehave: each error with kind, guilty one and phase.

mod common;

use std::io::Write;
use std::net::{Shutdown, TcpListener};
use std::time::{Duration, Instant};

use castile_http::{Bytes, ClientOptions, Error, Guilty, Kind, Phase, Request, Retry, Url};
use common::*;

fn is(error: &Error, kind: Kind, guilty: Guilty, phase: Phase) {
    assert_eq!(
        (error.kind(), error.guilty(), error.phase()),
        (kind, guilty, phase),
        "{error:?}"
    );
    assert!(error.url().is_some(), "{error:?}");
    assert!(!error.to_string().is_empty());
}

/// One reply by hand, then the end of the connection.
fn answering(reply: &'static [u8]) -> Scripted {
    Scripted::new(1, move |_, mut stream| {
        read_message(&mut stream);
        stream.write_all(reply).expect("a client that reads");
    })
}

fn failing(reply: &'static [u8], options: ClientOptions) -> Error {
    let server = answering(reply);
    let error = client(options)
        .send(post(server.address, "<a/>"))
        .expect_err("an error");
    server.join();
    error
}

#[test]
fn connection_refused() {
    let address = TcpListener::bind("127.0.0.1:0")
        .and_then(|l| l.local_addr())
        .expect("a free port");
    let error = client(options())
        .send(post(address, "<a/>"))
        .expect_err("an error");
    is(&error, Kind::Connect, Guilty::Network, Phase::Connect);
    assert!(error.is_unsent());
    assert!(error.to_string().contains("nothing listens there"), "{error}");
    let request = Request::post(
        format!("http://localhost:{}/", address.port())
            .parse()
            .expect("valid"),
        "",
    );
    let error = client(options()).send(request).expect_err("an error");
    is(&error, Kind::Connect, Guilty::Network, Phase::Connect);
}

#[test]
fn unknown_name() {
    let url: Url = "http://no-such-host.invalid/".parse().expect("valid");
    let error = client(options())
        .send(Request::post(url, ""))
        .expect_err("an error");
    is(&error, Kind::Resolve, Guilty::Network, Phase::Connect);
    assert!(error.to_string().contains("no-such-host.invalid"), "{error}");
}

#[test]
fn unusable_addresses() {
    for address in ["ftp://h/", "mailto:a@b", "data:,x"] {
        let error = client(options())
            .send(Request::post(address.parse().expect("a URL of some kind"), ""))
            .expect_err("an error");
        is(&error, Kind::Url, Guilty::Caller, Phase::Prepare);
    }
}

#[test]
fn a_server_that_never_answers() {
    let server = Scripted::new(2, |_, mut stream| {
        read_message(&mut stream);
        assert_eq!(read_message(&mut stream), "", "the client closes");
    });
    let silent = client(ClientOptions {
        timeout_read: Some(Duration::from_millis(200)),
        ..options()
    });
    let error = silent.send(post(server.address, "<a/>")).expect_err("an error");
    is(&error, Kind::Timeout, Guilty::Peer, Phase::Wait);
    assert!(error.to_string().contains("timeout_read"), "{error}");
    assert!(!error.is_unsent());

    let mut request = post(server.address, "<a/>");
    request.timeout_call = Some(Duration::from_millis(200));
    let started = Instant::now();
    let error = client(options()).send(request).expect_err("an error");
    is(&error, Kind::Timeout, Guilty::Peer, Phase::Wait);
    assert!(error.to_string().contains("timeout_call"), "{error}");
    assert!(started.elapsed() < Duration::from_secs(2));
    server.join();
}

#[test]
fn a_server_that_drips_keeps_the_silence_limit_and_breaks_the_call_limit() {
    let server = Scripted::new(2, |_, mut stream| {
        read_message(&mut stream);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 8\r\n\r\n");
        for _ in 0..8 {
            std::thread::sleep(Duration::from_millis(100));
            let _ = stream.write_all(b"x");
        }
    });
    let patient = client(ClientOptions {
        timeout_read: Some(Duration::from_millis(400)),
        ..options()
    });
    assert_eq!(
        patient.send(post(server.address, "")).expect("a reply").body,
        "xxxxxxxx"
    );
    let mut request = post(server.address, "");
    request.timeout_call = Some(Duration::from_millis(300));
    let error = patient.send(request).expect_err("an error");
    is(&error, Kind::Timeout, Guilty::Peer, Phase::Read);
    server.join();
}

#[test]
fn a_connection_that_is_never_made() {
    // A listener whose queue is full: the system does not answer further connections.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("bound");
    let socket = socket2::SockRef::from(&listener);
    socket.listen(0).expect("listening");
    let mut taken = Vec::new();
    while taken.len() < 20 {
        match std::net::TcpStream::connect_timeout(&address, Duration::from_millis(100)) {
            Ok(stream) => taken.push(stream),
            Err(_) => break,
        }
    }
    if taken.len() == 20 {
        eprintln!("SKIPPED: this system takes connections beyond the queue");
        return;
    }
    let hasty = client(ClientOptions {
        timeout_connect: Some(Duration::from_millis(200)),
        ..options()
    });
    let error = hasty.send(post(address, "<a/>")).expect_err("an error");
    is(&error, Kind::Timeout, Guilty::Network, Phase::Connect);
    assert!(error.is_unsent());
}

#[test]
fn a_reply_that_stops_in_the_middle() {
    for reply in [
        &b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n<Envelope>"[..],
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n<Enve\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n<En",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"HTTP/1",
    ] {
        let error = failing(reply, options());
        is(&error, Kind::Truncated, Guilty::Peer, Phase::Read);
    }
}

#[test]
fn no_reply_at_all() {
    let error = failing(b"", options());
    is(&error, Kind::Closed, Guilty::Peer, Phase::Wait);
    assert!(!error.is_unsent());
}

#[test]
fn what_is_not_http() {
    for reply in [
        &b"SSH-2.0-OpenSSH_9.2\r\n"[..],
        b"<html>no status line</html>\r\n\r\n",
        b"HTTP/1.1 abc OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"\x15\x03\x01\x00\x02\x02\x46",
    ] {
        let error = failing(reply, options());
        is(&error, Kind::Malformed, Guilty::Peer, Phase::Read);
    }
    let error = failing(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nabc",
        options(),
    );
    is(&error, Kind::Malformed, Guilty::Peer, Phase::Read);
}

#[test]
fn bodies_over_the_limit() {
    let small = || ClientOptions {
        body_bytes_max: 10,
        ..options()
    };
    for reply in [
        &b"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n01234567890"[..],
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n01234567890\r\n0\r\n\r\n",
        b"HTTP/1.0 200 OK\r\n\r\n01234567890",
    ] {
        let error = failing(reply, small());
        is(&error, Kind::TooLarge, Guilty::Peer, Phase::Read);
        assert!(error.to_string().contains("body_bytes_max (10 bytes)"), "{error}");
    }
}

#[test]
fn heads_over_the_limit() {
    let server = Scripted::new(1, |_, mut stream| {
        read_message(&mut stream);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nX: ");
        let _ = stream.write_all(&vec![b'x'; 100_000]);
        let _ = stream.write_all(b"\r\nContent-Length: 0\r\n\r\n");
        read_message(&mut stream);
    });
    let error = client(options())
        .send(post(server.address, ""))
        .expect_err("an error");
    is(&error, Kind::TooLarge, Guilty::Peer, Phase::Read);
    assert!(error.to_string().contains("header_bytes_max"), "{error}");
}

#[test]
fn bombs_and_damaged_codings() {
    let bomb = gzip(&vec![0; 1 << 20]);
    assert!(bomb.len() < 5000);
    let small = gzip(b"<item>1.5</item>");
    let cut = small[..small.len() / 2].to_vec();
    for (coding, body, kind) in [
        ("gzip", bomb, Kind::TooLarge),
        ("gzip", cut, Kind::Coding),
        ("zstd", b"nonsense".to_vec(), Kind::Coding),
        ("br", b"unknown".to_vec(), Kind::Coding),
    ] {
        let server = Scripted::new(1, move |_, mut stream| {
            read_message(&mut stream);
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            stream.write_all(head.as_bytes()).expect("a client that reads");
            stream.write_all(&body).expect("a client that reads");
        });
        let limited = client(ClientOptions {
            body_bytes_max: 100_000,
            ..options()
        });
        let error = limited.send(post(server.address, "")).expect_err("an error");
        is(&error, kind, Guilty::Peer, Phase::Read);
    }
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(body).expect("memory does not fail");
    encoder.finish().expect("memory does not fail")
}

/// The server answers once and closes; the client finds out before it writes.
#[test]
fn a_kept_connection_that_was_closed_is_replaced() {
    let server = Scripted::new(3, |_, mut stream| {
        assert!(read_message(&mut stream).ends_with("<a/>"));
        stream.write_all(OK).expect("a client that reads");
    });
    let client = client(options());
    for _ in 0..3 {
        let reply = client.send(post(server.address, "<a/>")).expect("a reply");
        assert!(!reply.timings.reused);
        // Loopback: the close has arrived by now.
        std::thread::sleep(Duration::from_millis(50));
    }
    server.join();
}

/// The server takes the second request and closes without a word. Whether it did anything is
/// unknown, so a POST is an error; it is repeated only where the user allows it.
#[test]
fn a_kept_connection_that_dies_after_the_request() {
    let serve = |_: usize, mut stream: std::net::TcpStream| {
        read_message(&mut stream);
        stream.write_all(OK).expect("a client that reads");
        read_message(&mut stream);
    };
    for (retry, repeats) in [
        (Retry::Never, false),
        (Retry::Safe, false),
        (Retry::ClosedBeforeReply, true),
    ] {
        let server = Scripted::new(2, serve);
        let client = client(ClientOptions { retry, ..options() });
        client.send(post(server.address, "<a/>")).expect("a reply");
        match client.send(post(server.address, "<b/>")) {
            Ok(_) => assert!(repeats, "{retry:?}"),
            Err(error) => {
                assert!(!repeats, "{retry:?}");
                is(&error, Kind::Closed, Guilty::Peer, Phase::Wait);
            }
        }
    }
    let server = Scripted::new(2, serve);
    let client = client(options());
    client.send(post(server.address, "<a/>")).expect("a reply");
    let reply = client
        .send(Request::get(url(server.address, "/?wsdl")))
        .expect("GET may be repeated");
    assert_eq!(reply.body, "ok");
}

#[test]
fn a_new_connection_that_dies_is_never_retried() {
    let server = Scripted::new(1, |_, mut stream| {
        read_message(&mut stream);
    });
    let client = client(ClientOptions {
        retry: Retry::ClosedBeforeReply,
        ..options()
    });
    let error = client.send(post(server.address, "<a/>")).expect_err("an error");
    is(&error, Kind::Closed, Guilty::Peer, Phase::Wait);
    server.join();
}

#[test]
fn an_interrupted_call_closes_its_connection() {
    let server = Scripted::new(1, |_, mut stream| {
        read_message(&mut stream);
        assert_eq!(read_message(&mut stream), "", "the client closes");
    });
    let started = Instant::now();
    let interrupted = || started.elapsed() > Duration::from_millis(250);
    let error = client(options())
        .send_with_interrupt(post(server.address, "<a/>"), &interrupted)
        .expect_err("an error");
    is(&error, Kind::Interrupted, Guilty::Caller, Phase::Wait);
    assert!(started.elapsed() < Duration::from_secs(2));
    server.join();
}

#[test]
fn a_dropped_call_closes_its_connection() {
    let server = Scripted::new(1, |_, mut stream| {
        read_message(&mut stream);
        assert_eq!(read_message(&mut stream), "", "the client closes");
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let client = castile_http::Client::new(options()).expect("good options");
        let call = client.send(post(server.address, "<a/>"));
        assert!(
            tokio::time::timeout(Duration::from_millis(200), call)
                .await
                .is_err()
        );
    });
    server.join();
}

/// An early answer to a body that is still being sent.
#[test]
fn a_refusal_before_the_body_is_sent() {
    let server = Scripted::new(1, |_, mut stream| {
        let mut some = [0; 1000];
        std::io::Read::read_exact(&mut stream, &mut some).expect("a part of the request");
        let reply = b"HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 3\r\n\r\nbig";
        stream.write_all(reply).expect("a client that reads");
        let _ = stream.shutdown(Shutdown::Write);
        read_all(&mut stream);
    });
    let request = Request::post(url(server.address, "/"), Bytes::from(vec![b'x'; 20 << 20]));
    let reply = client(options()).send(request).expect("a reply");
    assert_eq!((reply.status.as_u16(), &reply.body[..]), (413, &b"big"[..]));
}

#[test]
fn secrets_are_not_in_errors() {
    let address = TcpListener::bind("127.0.0.1:0")
        .and_then(|l| l.local_addr())
        .expect("a free port");
    let url: Url = format!("http://jo:hunter2@{address}/p?key=hunter2")
        .parse()
        .expect("valid");
    let error = client(options())
        .send(Request::post(url, ""))
        .expect_err("an error");
    assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
}
