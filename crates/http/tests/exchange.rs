//! Our client against our server: keep-alive, framing, coding, cookies, concurrency.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use castile_http::{
    Body, Bytes, Client, ClientOptions, Compression, Direct, Encoding, Method, Request, Server,
    ServerOptions, ServerRequest, ServerResponse, Service, StatusCode,
};
use common::*;

#[test]
fn a_connection_is_kept() {
    let running = echo(ServerOptions::default());
    let client = client(options());
    for round in 0..5 {
        let reply = client.send(post(running.addr(), "<a/>")).expect("a reply");
        assert_eq!((reply.status, &reply.body[..]), (StatusCode::OK, &b"<a/>"[..]));
        assert_eq!(reply.timings.reused, round > 0);
        assert_eq!(reply.timings.connect.is_zero(), round > 0);
        assert_eq!(header(&reply.headers, "saw-content-length"), "4");
        assert_eq!(header(&reply.headers, "content-length"), "4");
    }
    running.stop();
}

#[test]
fn no_pool_closes_each_time() {
    let running = echo(ServerOptions::default());
    let client = client(ClientOptions {
        pool_idle_max: 0,
        ..options()
    });
    for _ in 0..2 {
        let reply = client.send(post(running.addr(), "<a/>")).expect("a reply");
        assert!(!reply.timings.reused);
        assert_eq!(header(&reply.headers, "saw-connection"), "close");
    }
}

#[test]
fn get_carries_its_query() {
    let running = echo(ServerOptions::default());
    let client = client(options());
    let reply = client
        .send(Request::get(url(running.addr(), "/svc?wsdl&x=%20")))
        .expect("a reply");
    assert_eq!(header(&reply.headers, "saw-target"), "/svc?wsdl&x=%20");
    assert_eq!(header(&reply.headers, "saw-method"), "GET");
    assert_eq!(header(&reply.headers, "saw-host"), running.addr().to_string());
    assert!(header(&reply.headers, "saw-user-agent").starts_with("castile/"));
    let mut head = Request::get(url(running.addr(), "/"));
    head.method = Method::HEAD;
    assert_eq!(client.send(head).expect("a reply").body, "");
}

#[test]
fn chunked_both_ways() {
    let running = Server::bind("127.0.0.1:0", ServerOptions::default())
        .expect("a free port")
        .serve_in_background(|request: ServerRequest| async move {
            let mut reply = reflect(request).await;
            reply.body = reply.body.into_chunked();
            reply
        })
        .expect("threads");
    let client = client(ClientOptions {
        chunked: true,
        ..options()
    });
    let body = Bytes::from("0123456789".repeat(100_000));
    for _ in 0..3 {
        let reply = client
            .send(Request::post(url(running.addr(), "/"), body.clone()))
            .expect("a reply");
        assert_eq!(header(&reply.headers, "saw-transfer-encoding"), "chunked");
        assert_eq!(header(&reply.headers, "transfer-encoding"), "chunked");
        assert!(reply.body == body);
    }
}

#[test]
fn bodies_made_while_sent() {
    let running = echo(ServerOptions::default());
    let client = client(options());
    let chunks = (0..1000).map(|n| Ok(Bytes::from(format!("<item>{n}</item>"))));
    let reply = client
        .send(Request::post(url(running.addr(), "/"), Body::iterator(chunks)))
        .expect("a reply");
    assert!(reply.body.ends_with(b"<item>999</item>"));

    let (sender, body) = Body::channel(2);
    let writer = std::thread::spawn(move || {
        for n in 0..1000 {
            sender
                .send_blocking(Bytes::from(format!("{n} ")))
                .expect("a receiver");
        }
        sender.finish();
    });
    let reply = client
        .send(Request::post(url(running.addr(), "/"), body))
        .expect("a reply");
    assert!(reply.body.ends_with(b"998 999 "));
    writer.join().expect("no panic");

    let vectored = vec![Bytes::from("a"), Bytes::new(), Bytes::from("bc")];
    let reply = client
        .send(Request::post(url(running.addr(), "/"), vectored))
        .expect("a reply");
    assert_eq!(
        (&reply.body[..], header(&reply.headers, "saw-content-length")),
        (&b"abc"[..], "3")
    );
}

#[test]
fn a_body_that_breaks_off_is_no_short_body() {
    let running = echo(ServerOptions::default());
    let client = client(options());
    let chunks = [Ok(Bytes::from("half")), Err("the array changed its size".into())].into_iter();
    let request = Request::post(url(running.addr(), "/"), Body::iterator(chunks));
    let error = client.send(request).expect_err("an error");
    assert_eq!(
        (error.kind(), error.guilty()),
        (castile_http::Kind::Body, castile_http::Guilty::Caller)
    );
    assert!(
        error.to_string().contains("the array changed its size"),
        "{error}"
    );
    let (sender, body) = Body::channel(2);
    sender.send_blocking(Bytes::from("half")).expect("room");
    drop(sender);
    let error = client
        .send(Request::post(url(running.addr(), "/"), body))
        .expect_err("an error");
    assert_eq!(error.kind(), castile_http::Kind::Body);
}

#[test]
fn compression_both_ways() {
    let running = echo(ServerOptions {
        compress_reply_above: Some(100),
        ..ServerOptions::default()
    });
    let body = "<item>1.5</item>".repeat(1000);
    for (compression, name) in [(Compression::Gzip, "gzip"), (Compression::Zstd, "zstd")] {
        let encoding = if name == "gzip" {
            Encoding::Gzip
        } else {
            Encoding::Zstd
        };
        let client = client(ClientOptions {
            compress_request: compression,
            accept_encodings: vec![encoding],
            ..options()
        });
        let reply = client
            .send(Request::post(url(running.addr(), "/"), body.clone()))
            .expect("a reply");
        assert_eq!(reply.body, body);
        assert!(reply.body_bytes_wire < 1000, "{}", reply.body_bytes_wire);
        assert_eq!(header(&reply.headers, "saw-accept-encoding"), name);
        assert_eq!(header(&reply.headers, "vary"), "Accept-Encoding");
        assert_eq!(header(&reply.headers, "content-encoding"), "", "undone");
        assert_eq!(
            header(&reply.headers, "saw-content-encoding"),
            "",
            "undone by the server"
        );
        let small = client.send(post(running.addr(), "<a/>")).expect("a reply");
        assert_eq!(small.body_bytes_wire, 4);
    }
}

#[test]
fn cookies_are_kept_like_a_session() {
    let running = Server::bind("127.0.0.1:0", ServerOptions::default())
        .expect("a free port")
        .serve_in_background(|request: ServerRequest| async move {
            let mut reply = reflect(request).await;
            reply.headers.insert(
                "set-cookie",
                "JSESSIONID=42; Path=/; HttpOnly".parse().expect("plain"),
            );
            reply
        })
        .expect("threads");
    let keeping = client(options());
    let saw = |client: &castile_http::blocking::Client| {
        let reply = client.send(post(running.addr(), "<a/>")).expect("a reply");
        header(&reply.headers, "saw-cookie").to_owned()
    };
    assert_eq!(
        (saw(&keeping), saw(&keeping)),
        (String::new(), "JSESSIONID=42".to_owned())
    );
    let forgetting = client(ClientOptions {
        cookies: false,
        ..options()
    });
    assert_eq!(
        (saw(&forgetting), saw(&forgetting)),
        (String::new(), String::new())
    );
}

#[test]
fn callers_do_not_wait_for_each_other() {
    let running = Server::bind("127.0.0.1:0", ServerOptions::default())
        .expect("a free port")
        .serve_in_background(|request: ServerRequest| async move {
            tokio::time::sleep(Duration::from_millis(300)).await;
            reflect(request).await
        })
        .expect("threads");
    let client = Arc::new(client(options()));
    let started = Instant::now();
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let (client, address) = (Arc::clone(&client), running.addr());
            std::thread::spawn(move || client.send(post(address, "<a/>")).expect("a reply").status)
        })
        .collect();
    for thread in threads {
        assert_eq!(thread.join().expect("no panic"), StatusCode::OK);
    }
    assert!(
        started.elapsed() < Duration::from_millis(1500),
        "{:?}",
        started.elapsed()
    );
}

#[test]
fn a_client_works_in_many_runtimes() {
    let running = echo(ServerOptions::default());
    let client = Client::new(options()).expect("good options");
    for _ in 0..3 {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        for round in 0..2 {
            let reply = runtime
                .block_on(client.send(post(running.addr(), "<a/>")))
                .expect("a reply");
            assert_eq!(
                reply.timings.reused,
                round > 0,
                "a connection stays with its runtime"
            );
        }
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let calls: Vec<_> = (0..20)
            .map(|_| {
                let (client, address) = (client.clone(), running.addr());
                tokio::spawn(async move { client.send(post(address, "<a/>")).await.map(|r| r.status) })
            })
            .collect();
        for call in calls {
            assert_eq!(call.await.expect("no panic").expect("a reply"), StatusCode::OK);
        }
    });
}

#[test]
fn blocking_inside_async_is_an_error() {
    let running = echo(ServerOptions::default());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let client = client(options());
        let error = client.send(post(running.addr(), "<a/>")).expect_err("an error");
        assert_eq!(error.guilty(), castile_http::Guilty::Caller);
        // Dropping it here must not panic either.
    });
}

#[test]
fn large_bodies_both_ways() {
    let running = echo(ServerOptions::default());
    let client = client(options());
    let body = Bytes::from(b"0123456789abcdef".repeat(1 << 20));
    for _ in 0..3 {
        let reply = client
            .send(Request::post(url(running.addr(), "/"), body.clone()))
            .expect("a reply");
        assert!(reply.body == body);
    }
}

#[test]
fn the_service_sees_its_peer_and_path() {
    let count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&count);
    let running = Server::bind(("127.0.0.1", 0), ServerOptions::default())
        .expect("a free port")
        .serve_in_background(move |request: ServerRequest| {
            counter.fetch_add(1, Ordering::Relaxed);
            async move {
                assert!(request.peer.ip().is_loopback());
                assert_eq!((request.path(), request.query()), ("/a/b", Some("c")));
                ServerResponse::empty(StatusCode::ACCEPTED)
            }
        })
        .expect("threads");
    let client = client(options());
    let reply = client
        .send(Request::post(url(running.addr(), "/a/b?c"), "x"))
        .expect("a reply");
    assert_eq!((reply.status, reply.body.len()), (StatusCode::ACCEPTED, 0));
    assert_eq!(count.load(Ordering::Relaxed), 1);
}

/// Who keeps a body must not keep the head that came in the same buffer.
#[test]
fn a_body_is_alone_unless_it_came_with_its_head() {
    let whole = ServerOptions::default();
    let by_workers = ServerOptions {
        timeout_handler: Some(Duration::from_secs(20)),
        ..ServerOptions::default()
    };
    for (server, small_is_alone) in [(whole, true), (by_workers, false)] {
        let running = Server::bind(("127.0.0.1", 0), server)
            .expect("a free port")
            .serve_in_background(Tells)
            .expect("threads");
        let client = client(options());
        for (size, expected) in [(100, small_is_alone), (3 << 20, true)] {
            let body = Bytes::from(vec![b'x'; size]);
            let reply = client.send(Request::post(url(running.addr(), "/"), body));
            let reply = reply.expect("a reply");
            assert_eq!(header(&reply.headers, "alone"), expected.to_string(), "{size}");
            assert_eq!(reply.body_is_alone, size > 100);
        }
    }
}

/// Gives the body back, and says whether it was alone.
struct Tells;

impl Tells {
    fn tell(request: &ServerRequest) -> ServerResponse {
        let mut reply = ServerResponse::new(StatusCode::OK, "text/plain", request.body.clone());
        let alone = request.body_is_alone.to_string();
        reply.headers.insert("alone", alone.parse().expect("plain text"));
        reply
    }
}

impl Service for Tells {
    async fn call(&self, request: ServerRequest) -> ServerResponse {
        Tells::tell(&request)
    }

    fn direct(&self) -> Option<&dyn Direct> {
        Some(self)
    }
}

impl Direct for Tells {
    fn answer(&self, request: &ServerRequest, _begin: &dyn Fn(ServerResponse)) -> ServerResponse {
        Tells::tell(request)
    }
}

/// A runtime that is none of tokio's: a future polled by hand.
#[test]
fn the_async_client_says_where_it_works() {
    let client = Client::new(options()).expect("good options");
    let call = std::pin::pin!(client.send(post(([127, 0, 0, 1], 1).into(), "")));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match Future::poll(call, &mut context) {
        std::task::Poll::Ready(Err(error)) => assert!(error.to_string().contains("tokio"), "{error}"),
        other => panic!("{other:?}"),
    }
}

/// Looking for a reply before sleeping must not outlast the limits, nor miss a close.
#[test]
fn spinning_keeps_limits_and_sees_closes() {
    let server = Scripted::new(1, |_, mut stream| {
        use std::io::Write as _;
        for _ in 0..3 {
            read_message(&mut stream);
            stream.write_all(OK).expect("a client that reads");
        }
        read_message(&mut stream);
    });
    let spin = Duration::from_secs(1);
    let client = client(ClientOptions { spin, ..options() });
    for _ in 0..3 {
        assert_eq!(
            client.send(post(server.address, "<a/>")).expect("a reply").body,
            "ok"
        );
    }
    let error = client.send(post(server.address, "<a/>")).expect_err("closed");
    assert_eq!(error.kind(), castile_http::Kind::Closed);
    server.join();

    let server = Scripted::new(1, |_, mut stream| {
        use std::io::Write as _;
        read_message(&mut stream);
        stream.write_all(OK).expect("a client that reads");
        read_message(&mut stream);
        assert_eq!(read_message(&mut stream), "", "the client closes");
    });
    let client = common::client(ClientOptions { spin, ..options() });
    client.send(post(server.address, "<a/>")).expect("a reply");
    let mut request = post(server.address, "<a/>");
    request.timeout_call = Some(Duration::from_millis(100));
    let started = Instant::now();
    assert_eq!(
        client.send(request).expect_err("late").kind(),
        castile_http::Kind::Timeout
    );
    assert!(
        started.elapsed() < Duration::from_millis(700),
        "{:?}",
        started.elapsed()
    );
    server.join();
}
