//! Round trips of a small SOAP message over loopback: a raw blocking ping-pong of the same bytes,
//! then this crate, in the same run. Prints medians and ratios; quote the ratios only.
//!
//! `cargo bench -p castile-http`; `-- quick` for a short run.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use castile_http::{
    Body, Bytes, ClientOptions, Proxy, Request, Running, Server, ServerOptions, ServerRequest,
    ServerResponse, StatusCode, Url, blocking,
};

/// An echoVoid envelope as SOAP toolkits write it, about 300 bytes; with the HTTP head 500.
const ENVELOPE: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\
<SOAP-ENV:Envelope xmlns:SOAP-ENV=\"http://schemas.xmlsoap.org/soap/envelope/\" \
xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\" \
xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xmlns:ns=\"urn:echo\">\
<SOAP-ENV:Body><ns:echoVoid></ns:echoVoid></SOAP-ENV:Body></SOAP-ENV:Envelope>";

fn main() {
    let quick = std::env::args().any(|argument| argument == "quick");
    let rounds = if quick { 4_000 } else { 20_000 };
    for (name, client, server) in [("cores 0 and 1", 0, 1), ("one core", 0, 0)] {
        println!("{name}, round trip of {} bytes and a head:", ENVELOPE.len());
        // A thread of its own: pinning cannot be undone, and new threads inherit it.
        let pinned = std::thread::spawn(move || {
            pin(client);
            // Twice, in turn: a machine that changes its speed shows.
            for _ in 0..2 {
                round_trips(rounds, server);
            }
        });
        pinned.join().unwrap();
    }
    throughput(if quick { 1 } else { 3 });
    large(if quick { 30 } else { 200 });
}

fn round_trips(rounds: usize, core: usize) {
    let raw = raw(rounds, core);
    report("raw blocking ping-pong", raw, raw);
    let hyper = hyper_alone::server(core);
    let ours = echo(1, Some(core));
    report(
        "hyper client, hyper server",
        hyper_alone::client(rounds, hyper),
        raw,
    );
    let hyper = hyper_alone::server(core);
    report("castile client, hyper server", castile_client(rounds, hyper), raw);
    report(
        "hyper client, castile server",
        hyper_alone::client(rounds, ours.addr()),
        raw,
    );
    report(
        "castile client, castile server",
        castile_client(rounds, ours.addr()),
        raw,
    );
    let sleeping = sleeping_client(rounds, ours.addr());
    report("the same, sleeping at once", sleeping, raw);
    ours.stop();
}

fn report(name: &str, (median, p99): (f64, f64), (raw, _): (f64, f64)) {
    println!(
        "  {name:<32} {median:>7.2} µs  p99 {p99:>7.2} µs  {:.3}",
        median / raw
    );
}

/// Bytes like those that an HTTP exchange moves, without HTTP.
fn raw(rounds: usize, core: usize) -> (f64, f64) {
    let message = vec![b'x'; ENVELOPE.len() + 190];
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let size = message.len();
    let echo = std::thread::spawn(move || {
        pin(core);
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_nodelay(true).unwrap();
        let mut buffer = vec![0; size];
        while stream.read_exact(&mut buffer).is_ok() {
            stream.write_all(&buffer).unwrap();
        }
    });
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_nodelay(true).unwrap();
    let mut buffer = vec![0; size];
    let result = measure(rounds, || {
        stream.write_all(&message).unwrap();
        stream.read_exact(&mut buffer).unwrap();
        assert_eq!(buffer[0], b'x');
    });
    drop(stream);
    echo.join().unwrap();
    result
}

fn castile_client(rounds: usize, server: SocketAddr) -> (f64, f64) {
    calls(rounds, server, &client())
}

fn sleeping_client(rounds: usize, server: SocketAddr) -> (f64, f64) {
    let options = ClientOptions {
        proxy: Proxy::None,
        spin: Duration::ZERO,
        ..ClientOptions::default()
    };
    calls(rounds, server, &blocking::Client::new(options).unwrap())
}

fn calls(rounds: usize, server: SocketAddr, client: &blocking::Client) -> (f64, f64) {
    let url = url(server);
    measure(rounds, || {
        let reply = client.send(request(&url)).unwrap();
        assert_eq!(reply.body, ENVELOPE);
    })
}

/// Ten raw clients in threads of this process, as fast as they can.
fn throughput(seconds: u64) {
    let running = echo(0, None);
    let stop = Arc::new(AtomicBool::new(false));
    let threads: Vec<_> = (0..10)
        .map(|_| {
            let (address, stop) = (running.addr(), Arc::clone(&stop));
            std::thread::spawn(move || hammer(address, &stop))
        })
        .collect();
    let started = Instant::now();
    std::thread::sleep(Duration::from_secs(seconds));
    stop.store(true, Ordering::Relaxed);
    let count: u64 = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
    let rate = count as f64 / started.elapsed().as_secs_f64();
    println!("10 connections, raw blocking load in the same process: {rate:.0} requests/s");
    running.stop();
}

fn hammer(address: SocketAddr, stop: &AtomicBool) -> u64 {
    let request = format!(
        "POST /echo HTTP/1.1\r\nHost: {address}\r\nContent-Type: text/xml; charset=utf-8\r\n\
         SOAPAction: \"\"\r\nContent-Length: {}\r\n\r\n{ENVELOPE}",
        ENVELOPE.len()
    );
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_nodelay(true).unwrap();
    let mut buffer = [0; 4096];
    let mut count = 0;
    while !stop.load(Ordering::Relaxed) {
        stream.write_all(request.as_bytes()).unwrap();
        let mut length = 0;
        while !buffer[..length].ends_with(b"</SOAP-ENV:Envelope>") {
            length += stream.read(&mut buffer[length..]).unwrap();
        }
        count += 1;
    }
    count
}

/// An echo of 3 MB: what copies and fresh pages cost.
fn large(rounds: usize) {
    let running = echo(1, None);
    let (client, url) = (client(), url(running.addr()));
    let body = Bytes::from(vec![b'5'; 3_200_000]);
    let (median, p99) = measure(rounds, || {
        let reply = client.send(Request::post(url.clone(), body.clone())).unwrap();
        assert_eq!(reply.body.len(), body.len());
    });
    println!(
        "echo of 3.2 MB: median {:.2} ms, p99 {:.2} ms",
        median / 1e3,
        p99 / 1e3
    );
    running.stop();
}

fn echo(workers: usize, core: Option<usize>) -> Running {
    let options = ServerOptions {
        workers,
        ..ServerOptions::default()
    };
    let server = Server::bind("127.0.0.1:0", options).unwrap();
    let pinned = AtomicBool::new(false);
    let service = move |request: ServerRequest| {
        // The only worker pins itself at its first request.
        if let Some(core) = core
            && !pinned.swap(true, Ordering::Relaxed)
        {
            pin(core);
        }
        let reply = ServerResponse::new(
            StatusCode::OK,
            "text/xml; charset=utf-8",
            Body::from(request.body),
        );
        std::future::ready(reply)
    };
    server.serve_in_background(service).unwrap()
}

fn client() -> blocking::Client {
    let options = ClientOptions {
        proxy: Proxy::None,
        ..ClientOptions::default()
    };
    blocking::Client::new(options).unwrap()
}

fn url(server: SocketAddr) -> Url {
    format!("http://{server}/echo").parse().unwrap()
}

fn request(url: &Url) -> Request {
    Request::post(url.clone(), ENVELOPE)
        .header("Content-Type", "text/xml; charset=utf-8")
        .and_then(|request| request.header("SOAPAction", "\"\""))
        .unwrap()
}

/// Median and 99th percentile in microseconds, after a warm-up of a tenth.
fn measure(rounds: usize, mut work: impl FnMut()) -> (f64, f64) {
    for _ in 0..rounds / 10 {
        work();
    }
    let mut times: Vec<f64> = (0..rounds)
        .map(|_| {
            let started = Instant::now();
            work();
            started.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (times[rounds / 2], times[rounds * 99 / 100])
}

fn pin(core: usize) {
    if !core_affinity::set_for_current(core_affinity::CoreId { id: core }) {
        eprintln!("SKIPPED: cannot pin to core {core}; ratios are noisy");
    }
}

/// The same exchange with hyper and nothing else: what the engine under this crate costs.
mod hyper_alone {
    use std::convert::Infallible;
    use std::net::SocketAddr;

    use http_body_util::{BodyExt as _, Full};
    use hyper::service::service_fn;
    use hyper_util::rt::TokioIo;

    use super::{Bytes, ENVELOPE, pin};

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
    }

    pub(super) fn server(core: usize) -> SocketAddr {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            pin(core);
            runtime().block_on(async move {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                let (stream, _) = listener.accept().await.unwrap();
                stream.set_nodelay(true).unwrap();
                let service = service_fn(|request: hyper::Request<hyper::body::Incoming>| async {
                    let body = request.into_body().collect().await.unwrap().to_bytes();
                    Ok::<_, Infallible>(hyper::Response::new(Full::new(body)))
                });
                let io = TokioIo::new(stream);
                let _ = hyper::server::conn::http1::Builder::new()
                    .header_read_timeout(None)
                    .serve_connection(io, service)
                    .await;
            });
        });
        address
    }

    pub(super) fn client(rounds: usize, address: SocketAddr) -> (f64, f64) {
        let runtime = runtime();
        let (mut handle, driver) = runtime.block_on(async {
            let stream = tokio::net::TcpStream::connect(address).await.unwrap();
            stream.set_nodelay(true).unwrap();
            hyper::client::conn::http1::handshake(TokioIo::new(stream))
                .await
                .unwrap()
        });
        runtime.spawn(driver);
        super::measure(rounds, || {
            runtime.block_on(async {
                let request = hyper::Request::post("/echo")
                    .header("Host", "127.0.0.1")
                    .header("Content-Type", "text/xml; charset=utf-8")
                    .header("SOAPAction", "\"\"")
                    .body(Full::new(Bytes::from_static(ENVELOPE.as_bytes())))
                    .unwrap();
                handle.ready().await.unwrap();
                let reply = handle.send_request(request).await.unwrap();
                let body = reply.into_body().collect().await.unwrap().to_bytes();
                assert_eq!(body, ENVELOPE);
            });
        })
    }
}
