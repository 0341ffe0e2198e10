//! What our server says to clients that misbehave.

mod common;

use std::io::Write;
use std::net::Shutdown;
use std::time::{Duration, Instant};

use castile_http::{Bytes, ClientOptions, Request, ServerOptions, StatusCode};
use common::*;

fn status(reply: &str) -> &str {
    reply.split(' ').nth(1).unwrap_or("none")
}

#[test]
fn malformed_requests_get_400() {
    let running = echo(ServerOptions::default());
    for request in [
        &b"nonsense\r\n\r\n"[..],
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"POST / HTTP/9.9\r\n\r\n",
        b"POST / HTTP/1.1\r\nno colon\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\nab",
        b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nab\r\n0\r\n\r\n",
    ] {
        let reply = talk(running.addr(), request);
        assert_eq!(
            status(&reply),
            "400",
            "{:?}: {reply}",
            String::from_utf8_lossy(request)
        );
    }
    // The server goes on.
    assert!(client(options()).send(post(running.addr(), "<a/>")).is_ok());
}

/// Request smuggling: chunked framing wins, and what follows is not read as a request.
#[test]
fn two_framings_are_never_two_requests() {
    let running = echo(ServerOptions::default());
    let request = b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n\
                    0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
    let reply = talk(running.addr(), request);
    assert!(!reply.contains("/smuggled") || status(&reply) == "400", "{reply}");
}

#[test]
fn bodies_over_the_limit_get_413() {
    let running = echo(ServerOptions {
        body_bytes_max: 1000,
        ..ServerOptions::default()
    });
    let announced = format!(
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1001\r\n\r\n{}",
        "x".repeat(1001)
    );
    let chunked = format!(
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n{}\r\n0\r\n\r\n",
        "x".repeat(1001)
    );
    for request in [announced, chunked] {
        let reply = talk(running.addr(), request.as_bytes());
        assert_eq!(status(&reply), "413", "{reply}");
        assert!(reply.contains("1000 bytes"), "{reply}");
        assert!(reply.to_lowercase().contains("connection: close"), "{reply}");
    }
    // A client that is still sending must be able to read the refusal.
    let request = Request::post(url(running.addr(), "/"), Bytes::from(vec![b'x'; 900_000]));
    let reply = client(options()).send(request).expect("a reply");
    assert_eq!(reply.status, StatusCode::PAYLOAD_TOO_LARGE);
}

#[test]
fn bombs_get_413_and_damaged_codings_400() {
    let running = echo(ServerOptions {
        body_bytes_max: 100_000,
        ..ServerOptions::default()
    });
    let client = client(options());
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder
        .write_all(&vec![0; 1 << 20])
        .expect("memory does not fail");
    let bomb = encoder.finish().expect("memory does not fail");
    for (coding, body, expected) in [
        ("gzip", bomb, 413),
        ("gzip", b"nonsense".to_vec(), 400),
        ("zstd", b"\x28\xb5\x2f\xfd\x00".to_vec(), 400),
        ("br", b"unknown".to_vec(), 415),
        ("gzip, gzip", b"twice".to_vec(), 415),
    ] {
        let request = Request::post(url(running.addr(), "/"), body);
        let request = request.header("Content-Encoding", coding).expect("plain");
        let reply = client.send(request).expect("a reply");
        assert_eq!(reply.status.as_u16(), expected, "{coding}: {:?}", reply.body);
        if expected == 415 {
            assert_eq!(header(&reply.headers, "accept-encoding"), "gzip, zstd, deflate");
        }
    }
}

#[test]
fn heads_over_the_limit_get_431() {
    let running = echo(ServerOptions {
        header_bytes_max: 8192,
        ..ServerOptions::default()
    });
    let long = format!("GET / HTTP/1.1\r\nHost: h\r\nX: {}\r\n\r\n", "x".repeat(9000));
    assert_eq!(status(&talk(running.addr(), long.as_bytes())), "431");
    let endless = format!("GET / HTTP/1.1\r\nHost: h\r\nX: {}", "x".repeat(1_000_000));
    assert_eq!(status(&talk(running.addr(), endless.as_bytes())), "431");
    let many = format!("GET / HTTP/1.1\r\nHost: h\r\n{}\r\n", "X: y\r\n".repeat(200));
    assert_eq!(status(&talk(running.addr(), many.as_bytes())), "431");
}

#[test]
fn slow_heads_get_408() {
    let running = echo(ServerOptions {
        timeout_header: Some(Duration::from_millis(200)),
        ..ServerOptions::default()
    });
    let started = Instant::now();
    let reply = talk(running.addr(), b"POST / HTTP/1.1\r\nHost:");
    assert_eq!(status(&reply), "408", "{reply}");
    assert!(started.elapsed() < Duration::from_secs(3));
    // Drop by drop is no better, and a second request has the same limit.
    let mut stream = connect(running.addr());
    stream
        .write_all(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        .expect("open");
    assert_eq!(status(&read_message(&mut stream)), "200");
    std::thread::sleep(Duration::from_millis(300));
    stream
        .write_all(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        .expect("idle is not slow");
    assert_eq!(status(&read_message(&mut stream)), "200");
    for byte in b"GET / HTTP/1.1\r\n" {
        if stream.write_all(&[*byte]).is_err() {
            break;
        }
        std::thread::sleep(Duration::from_millis(40));
    }
    assert_eq!(status(&read_all(&mut stream)), "408");
}

#[test]
fn slow_bodies_get_408() {
    let running = echo(ServerOptions {
        timeout_body: Some(Duration::from_millis(200)),
        ..ServerOptions::default()
    });
    let reply = talk(
        running.addr(),
        b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc",
    );
    assert_eq!(status(&reply), "408", "{reply}");
}

#[test]
fn idle_connections_are_closed_without_a_word() {
    let running = echo(ServerOptions {
        timeout_idle: Some(Duration::from_millis(200)),
        ..ServerOptions::default()
    });
    assert_eq!(talk(running.addr(), b""), "");
    let reply = talk(running.addr(), b"GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_eq!(status(&reply), "200", "{reply}");
    assert!(!reply.contains("408"), "{reply}");
}

#[test]
fn a_peer_that_leaves_in_the_middle_harms_nobody() {
    let running = echo(ServerOptions::default());
    for request in [
        "",
        "POST / HT",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc",
    ] {
        let mut stream = connect(running.addr());
        stream.write_all(request.as_bytes()).expect("open");
        let _ = stream.shutdown(Shutdown::Write);
        let reply = read_all(&mut stream);
        assert!(["none", "400"].contains(&status(&reply)), "{request:?}: {reply}");
    }
    assert!(client(options()).send(post(running.addr(), "<a/>")).is_ok());
}

/// A client may close its sending half and still wait for the reply (RFC 9112 §9.6).
#[test]
fn a_half_closed_connection_gets_its_reply() {
    let running = echo(ServerOptions::default());
    let mut stream = connect(running.addr());
    stream
        .write_all(b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\n<a/>")
        .expect("open");
    stream.shutdown(Shutdown::Write).expect("open");
    assert!(read_all(&mut stream).ends_with("<a/>"));
}

#[test]
fn pipelined_requests_are_answered_in_turn() {
    let running = echo(ServerOptions::default());
    let reply = talk(
        running.addr(),
        b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nonePOST / HTTP/1.1\r\nHost: h\r\n\
          Connection: close\r\nContent-Length: 3\r\n\r\ntwo",
    );
    assert!(reply.contains("one") && reply.ends_with("two"), "{reply}");
}

#[test]
fn expectations() {
    let running = echo(ServerOptions {
        body_bytes_max: 1000,
        ..ServerOptions::default()
    });
    let mut stream = connect(running.addr());
    let head = "POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n";
    stream.write_all(head.as_bytes()).expect("open");
    assert!(read_message(&mut stream).starts_with("HTTP/1.1 100 "));
    stream.write_all(b"<a/>").expect("open");
    assert!(read_all(&mut stream).ends_with("<a/>"));
    // Too large is said before the body is sent.
    let head = head.replace("Length: 4", "Length: 4000");
    assert_eq!(status(&talk(running.addr(), head.as_bytes())), "413");
    let head = head.replace("100-continue", "miracles");
    assert_eq!(status(&talk(running.addr(), head.as_bytes())), "417");
}

#[test]
fn our_client_expects_and_our_server_answers() {
    let running = echo(ServerOptions {
        body_bytes_max: 1000,
        ..ServerOptions::default()
    });
    let client = client(ClientOptions {
        expect_continue_above: Some(10),
        ..options()
    });
    let started = Instant::now();
    let reply = client
        .send(post(running.addr(), "<longer than ten bytes/>"))
        .expect("a reply");
    assert_eq!(header(&reply.headers, "saw-expect"), "100-continue");
    assert_eq!(reply.body, "<longer than ten bytes/>");
    let again = client.send(post(running.addr(), "<a/>")).expect("a reply");
    assert_eq!(header(&again.headers, "saw-expect"), "");
    assert!(again.timings.reused);
    let large = Request::post(url(running.addr(), "/"), vec![b'x'; 5000]);
    assert_eq!(
        client.send(large).expect("a reply").status,
        StatusCode::PAYLOAD_TOO_LARGE
    );
    assert!(
        started.elapsed() < Duration::from_millis(900),
        "nobody waited: {:?}",
        started.elapsed()
    );
}

/// A server that does not know the expectation gets the body all the same.
#[test]
fn our_client_does_not_expect_for_ever() {
    let server = Scripted::new(1, |_, mut stream| {
        assert!(read_message(&mut stream).ends_with("<longer than ten bytes/>"));
        stream.write_all(OK).expect("a client that reads");
    });
    let client = client(ClientOptions {
        expect_continue_above: Some(10),
        ..options()
    });
    let reply = client
        .send(post(server.address, "<longer than ten bytes/>"))
        .expect("a reply");
    assert_eq!(reply.body, "ok");
    server.join();
}
