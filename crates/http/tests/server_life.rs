//! Handlers that fail or dawdle, limits on connections, and how a server ends.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use castile_http::{
    Kind, Request, Running, Server, ServerOptions, ServerRequest, ServerResponse, StatusCode,
};
use common::*;

fn status(reply: &str) -> &str {
    reply.split(' ').nth(1).unwrap_or("none")
}

fn serve<F, R>(options: ServerOptions, service: F) -> Running
where
    F: Fn(ServerRequest) -> R + Send + Sync + 'static,
    R: Future<Output = ServerResponse> + Send,
{
    let server = Server::bind("127.0.0.1:0", options).expect("a free port");
    server.serve_in_background(service).expect("threads")
}

#[test]
fn a_handler_that_panics_gets_500() {
    let running = serve(ServerOptions::default(), |request: ServerRequest| async move {
        assert!(request.path() != "/panic", "secret detail");
        ServerResponse::empty(StatusCode::OK)
    });
    let client = client(options());
    let reply = client
        .send(Request::get(url(running.addr(), "/panic")))
        .expect("a reply");
    assert_eq!(reply.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert!(!String::from_utf8_lossy(&reply.body).contains("secret"));
    let reply = client
        .send(Request::get(url(running.addr(), "/")))
        .expect("a reply");
    assert!(reply.timings.reused && reply.status == StatusCode::OK);
}

#[test]
fn a_handler_that_takes_too_long_gets_503() {
    let dropped = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&dropped);
    struct Flag(Arc<AtomicBool>);
    impl Drop for Flag {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let limits = ServerOptions {
        timeout_handler: Some(Duration::from_millis(200)),
        ..ServerOptions::default()
    };
    let running = serve(limits, move |request: ServerRequest| {
        let flag = Flag(Arc::clone(&seen));
        async move {
            if request.path() == "/slow" {
                std::future::pending::<()>().await;
            }
            drop(flag);
            ServerResponse::empty(StatusCode::OK)
        }
    });
    let client = client(options());
    let reply = client
        .send(Request::get(url(running.addr(), "/slow")))
        .expect("a reply");
    assert_eq!(reply.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(dropped.load(Ordering::Relaxed), "its future is dropped");
    let reply = client
        .send(Request::get(url(running.addr(), "/")))
        .expect("a reply");
    assert_eq!(reply.status, StatusCode::OK);
}

#[test]
fn connections_over_the_limit_get_503() {
    let running = echo(ServerOptions {
        connections_max: 2,
        ..ServerOptions::default()
    });
    let clients: Vec<_> = (0..2).map(|_| client(options())).collect();
    for client in &clients {
        assert_eq!(
            client.send(post(running.addr(), "")).expect("a reply").status,
            StatusCode::OK
        );
    }
    assert_eq!(
        status(&talk(
            running.addr(),
            b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nunread"
        )),
        "503"
    );
    drop(clients);
    let started = Instant::now();
    while status(&talk(
        running.addr(),
        b"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
    )) != "200"
    {
        assert!(started.elapsed() < Duration::from_secs(5), "room again");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_graceful_stop_finishes_what_has_begun() {
    let running = serve(ServerOptions::default(), |_: ServerRequest| async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        ServerResponse::text(StatusCode::OK, "done")
    });
    let address = running.addr();
    let mut idle = connect(address);
    let call = std::thread::spawn(move || client(options()).send(post(address, "<a/>")));
    std::thread::sleep(Duration::from_millis(100));
    let started = Instant::now();
    running.stop();
    assert!(
        started.elapsed() < Duration::from_secs(2),
        "{:?}",
        started.elapsed()
    );
    let reply = call.join().expect("no panic").expect("a reply");
    assert_eq!(reply.body, "done");
    assert_eq!(read_all(&mut idle), "", "closed");
    let error = client(options())
        .send(post(address, "<a/>"))
        .expect_err("nobody listens");
    assert_eq!(error.kind(), Kind::Connect);
}

#[test]
fn a_graceful_stop_has_an_end() {
    let limits = ServerOptions {
        timeout_graceful: Duration::from_millis(200),
        ..ServerOptions::default()
    };
    let running = serve(limits, |_: ServerRequest| async {
        std::future::pending::<()>().await;
        ServerResponse::empty(StatusCode::OK)
    });
    let address = running.addr();
    let call = std::thread::spawn(move || client(options()).send(post(address, "<a/>")));
    std::thread::sleep(Duration::from_millis(100));
    let started = Instant::now();
    running.stop();
    assert!(
        started.elapsed() < Duration::from_secs(2),
        "{:?}",
        started.elapsed()
    );
    assert_eq!(
        call.join().expect("no panic").expect_err("no reply").kind(),
        Kind::Closed
    );
}

#[test]
fn run_serves_until_its_handle_stops_it_or_it_is_dropped() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let server = Server::bind("127.0.0.1:0", ServerOptions::default()).expect("a free port");
        let (address, handle) = (server.local_addr(), server.handle());
        let client = castile_http::Client::new(options()).expect("good options");
        let calling = async {
            let reply = client.send(post(address, "<a/>")).await.expect("a reply");
            handle.stop();
            reply
        };
        let (ended, reply) = tokio::join!(server.run(reflect), calling);
        ended.expect("a good end");
        assert_eq!(reply.body, "<a/>");

        let server = Server::bind("127.0.0.1:0", ServerOptions::default()).expect("a free port");
        let address = server.local_addr();
        assert!(
            tokio::time::timeout(Duration::from_millis(100), server.run(reflect))
                .await
                .is_err()
        );
        let started = Instant::now();
        while castile_http::Client::new(options())
            .expect("good")
            .send(post(address, ""))
            .await
            .is_ok()
        {
            assert!(started.elapsed() < Duration::from_secs(5), "it stops");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    });
}

#[test]
fn an_address_that_is_taken() {
    let running = echo(ServerOptions::default());
    let error = Server::bind(running.addr(), ServerOptions::default()).expect_err("taken");
    assert_eq!(error.kind(), Kind::Bind);
    assert!(error.to_string().contains(&running.addr().to_string()), "{error}");
    assert!(Server::bind("no-such-host.invalid:1", ServerOptions::default()).is_err());
}

/// A handler that blocks its thread holds up its own worker's connections only; newcomers are
/// accepted and go elsewhere.
#[test]
fn a_blocked_worker_does_not_stop_the_others() {
    let limits = ServerOptions {
        workers: 2,
        ..ServerOptions::default()
    };
    let running = serve(limits, |request: ServerRequest| async move {
        if request.path() == "/block" {
            std::thread::sleep(Duration::from_millis(800));
        }
        ServerResponse::empty(StatusCode::OK)
    });
    let address = running.addr();
    let blocked = std::thread::spawn(move || client(options()).send(Request::get(url(address, "/block"))));
    std::thread::sleep(Duration::from_millis(100));
    let started = Instant::now();
    client(options())
        .send(Request::get(url(address, "/")))
        .expect("a reply");
    assert!(
        started.elapsed() < Duration::from_millis(500),
        "{:?}",
        started.elapsed()
    );
    blocked.join().expect("no panic").expect("a reply");
}
