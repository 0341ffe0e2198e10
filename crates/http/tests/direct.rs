//! Connections with a thread to themselves: the same replies, whoever makes them.

mod common;

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use castile_http::{
    Body, Bytes, Direct, Request, Running, Server, ServerOptions, ServerRequest, ServerResponse, Service,
    StatusCode,
};

use common::{client, connect, header, mirror, options, read_all, read_message, url};

/// Answers on the thread of the connection, and says on which.
struct Here<F>(F);

fn here<F>(options: ServerOptions, answer: F) -> Running
where
    F: Fn(&ServerRequest, &dyn Fn(ServerResponse)) -> ServerResponse + Send + Sync + 'static,
{
    let server = Server::bind("127.0.0.1:0", options).expect("a free port");
    server.serve_in_background(Here(answer)).expect("threads")
}

impl<F> Service for Here<F>
where
    F: Fn(&ServerRequest, &dyn Fn(ServerResponse)) -> ServerResponse + Send + Sync + 'static,
{
    fn call(&self, request: ServerRequest) -> impl Future<Output = ServerResponse> + Send {
        let reply = self.answer(&request, &|_| panic!("no reply can begin here"));
        async { reply }
    }

    fn direct(&self) -> Option<&dyn Direct> {
        Some(self)
    }
}

impl<F> Direct for Here<F>
where
    F: Fn(&ServerRequest, &dyn Fn(ServerResponse)) -> ServerResponse + Send + Sync,
{
    fn answer(&self, request: &ServerRequest, begin: &dyn Fn(ServerResponse)) -> ServerResponse {
        let mut reply = (self.0)(request, begin);
        let name = std::thread::current().name().unwrap_or_default().parse();
        reply.headers.insert("thread", name.expect("plain"));
        reply
    }
}

fn direct(count: usize) -> ServerOptions {
    ServerOptions {
        direct: count,
        body_bytes_max: 1 << 20,
        timeout_header: Some(Duration::from_secs(20)),
        ..ServerOptions::default()
    }
}

fn mirrors(options: ServerOptions) -> Running {
    here(options, |request, _| mirror(request))
}

fn thread_of(address: SocketAddr, client: &castile_http::blocking::Client) -> String {
    let reply = client
        .send(Request::post(url(address, "/"), "<a/>"))
        .expect("a reply");
    assert_eq!(reply.body, "<a/>");
    header(&reply.headers, "thread").to_owned()
}

/// What a server says to pieces that are sent one after the other, without what differs by time and thread.
fn said(address: SocketAddr, pieces: &[&[u8]], pause: Duration) -> String {
    let mut stream = connect(address);
    for piece in pieces {
        // A server that has closed does not take them.
        let _ = stream.write_all(piece);
        std::thread::sleep(pause);
    }
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let all = read_all(&mut stream);
    let kept = all
        .lines()
        .filter(|line| !line.starts_with("date: ") && !line.starts_with("thread: "));
    kept.collect::<Vec<_>>().join("\n")
}

fn post(fields: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("POST /a?b HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n{fields}\r\n{body}").into_bytes()
}

fn scripts() -> Vec<Vec<u8>> {
    let plain = post("", "<a/>");
    let large = "x".repeat(70_000);
    let too_large = "x".repeat((1 << 20) + 1);
    vec![
        Vec::new(),
        plain.clone(),
        [&plain[..], &plain, &plain].concat(),
        post("", ""),
        post(
            "Connection: keep-alive\r\nSOAPAction: \"x\"\r\nX: \r\nX: two\r\n",
            "<a/>",
        ),
        [&plain[..], &post("Connection: close\r\n", "<b/>"), &plain].concat(),
        [&plain[..], b"GET /a?wsdl HTTP/1.1\r\nHost: x\r\n\r\n", &plain].concat(),
        [&plain[..], b"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n"].concat(),
        post("Expect: 100-continue\r\n", "<a/>"),
        post("Expect: the moon\r\n", "<a/>"),
        post("Transfer-Encoding: chunked\r\n", "0\r\n\r\n"),
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n<a/>\r\n0\r\n\r\n".to_vec(),
        post("Content-Length: 5\r\n", "<a/>"),
        post("Content-Encoding: gzip\r\n", "<a/>"),
        post("", &large),
        post("", &too_large),
        post(&format!("X: {}\r\n", "y".repeat(20_000)), "<a/>"),
        post(&format!("X: {}\r\n", "y".repeat(70_000)), "<a/>"),
        post(&"X: y\r\n".repeat(60), "<a/>"),
        post(&"X: y\r\n".repeat(101), "<a/>"),
        b"POST / HTTP/1.0\r\nContent-Length: 4\r\n\r\n<a/>".to_vec(),
        b"POST / HTTP/1.1\r\nHost : x\r\n\r\n".to_vec(),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc".to_vec(),
        b"nonsense\r\n\r\n".to_vec(),
        [&plain[..], &plain[..plain.len() - 1]].concat(),
        [&plain[..], b"POST / HT"].concat(),
        post("X: \u{ff}\u{1}\r\n", "<a/>"),
    ]
}

#[test]
fn a_connection_with_a_thread_gets_the_same_replies_as_one_without() {
    let (own, workers) = (mirrors(direct(64)), mirrors(direct(0)));
    let (own, workers) = (own.addr(), workers.addr());
    let check = |script: &[u8]| {
        let expected = said(workers, &[script], Duration::ZERO);
        let shown = String::from_utf8_lossy(&script[..script.len().min(300)]).into_owned();
        assert_eq!(said(own, &[script], Duration::ZERO), expected, "{shown}");
        for cut in [1, 20, script.len() / 2, script.len().saturating_sub(2)] {
            let (first, rest) = script.split_at(cut.min(script.len()));
            for pause in [5, 120] {
                let cut = said(own, &[first, rest], Duration::from_millis(pause));
                assert_eq!(cut, expected, "{shown}");
            }
        }
    };
    std::thread::scope(|scope| {
        for script in scripts() {
            scope.spawn(move || check(&script));
        }
    });
}

#[test]
fn bytes_that_drip_are_waited_for_no_longer_than_by_a_worker() {
    let own = mirrors(ServerOptions {
        timeout_header: Some(Duration::from_secs(2)),
        ..direct(64)
    });
    let began = Instant::now();
    let mut stream = connect(own.addr());
    let _ = stream.write_all(b"POST / HTTP/1.1\r\nX: ");
    while began.elapsed() < Duration::from_secs(10) && stream.write_all(b"x").is_ok() {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    assert!(read_all(&mut stream).starts_with("HTTP/1.1 408") || began.elapsed() >= Duration::from_secs(2));
}

#[test]
fn small_calls_stay_on_the_thread_of_their_connection() {
    let own = mirrors(direct(1));
    let (first, second) = (client(options()), client(options()));
    let began = Instant::now();
    for _ in 0..3 {
        let threads = [thread_of(own.addr(), &first), thread_of(own.addr(), &second)];
        // A machine that stood still for so long let the connection be idle.
        if began.elapsed() < Duration::from_millis(800) {
            assert_eq!(threads, ["castile-direct", "castile-serve"]);
        }
    }
    // One that is idle gives its thread back.
    std::thread::sleep(Duration::from_millis(1300));
    assert_eq!(thread_of(own.addr(), &first), "castile-serve");
    assert_eq!(thread_of(own.addr(), &client(options())), "castile-direct");
}

#[test]
fn a_large_call_goes_to_a_worker_and_the_connection_lives() {
    let own = mirrors(direct(64));
    let client = client(options());
    assert_eq!(thread_of(own.addr(), &client), "castile-direct");
    let body = "x".repeat(200_000);
    let reply = client
        .send(Request::post(url(own.addr(), "/"), body.clone()))
        .expect("a reply");
    assert_eq!((reply.body == body, reply.timings.reused), (true, true));
    assert_eq!(thread_of(own.addr(), &client), "castile-serve");
}

#[test]
fn a_reply_may_begin_before_its_call_ends() {
    let own = here(direct(64), |_, begin| {
        let (sender, body) = Body::channel(1);
        begin(ServerResponse::new(StatusCode::OK, "text/xml", body));
        for piece in 0..100 {
            sender
                .send_blocking(Bytes::from(format!("<{piece}/>")))
                .expect("a reader");
        }
        sender.finish();
        ServerResponse::text(StatusCode::OK, "not sent")
    });
    for _ in 0..2 {
        let client = client(options());
        let reply = client
            .send(Request::post(url(own.addr(), "/"), "<a/>"))
            .expect("a reply");
        assert!(reply.body.starts_with(b"<0/><1/>") && reply.body.ends_with(b"<99/>"));
    }
}

#[test]
fn a_reply_of_another_form_is_sent_by_a_worker() {
    let own = here(direct(64), |request, _| match request.path() {
        "/close" => {
            let mut reply = ServerResponse::text(StatusCode::OK, "closed");
            reply
                .headers
                .insert("connection", "close".parse().expect("plain"));
            reply
        }
        "/empty" => ServerResponse::empty(StatusCode::NO_CONTENT),
        _ => {
            let pieces = (0..200).map(|i| Ok(Bytes::from(vec![b'a' + (i % 26) as u8; 1000])));
            ServerResponse::new(StatusCode::OK, "text/plain", Body::iterator(pieces))
        }
    });
    let mut stream = connect(own.addr());
    let ask = |stream: &mut TcpStream, path: &str| {
        write!(stream, "POST {path} HTTP/1.1\r\nContent-Length: 0\r\n\r\n").expect("a socket");
    };
    ask(&mut stream, "/empty");
    ask(&mut stream, "/chunks");
    ask(&mut stream, "/close");
    let all = read_all(&mut stream);
    assert!(all.starts_with("HTTP/1.1 204 No Content\r\n"), "{all}");
    assert!(
        all.contains("transfer-encoding: chunked") && all.ends_with("closed"),
        "{all}"
    );
    assert_eq!(all.matches("aaaa").count(), 8 * 250);
}

#[test]
fn a_panic_is_answered_and_harms_nobody() {
    let own = here(direct(64), |request, _| match request.path() {
        "/panic" => panic!("as asked"),
        _ => mirror(request),
    });
    let client = client(options());
    let reply = client
        .send(Request::post(url(own.addr(), "/panic"), "<a/>"))
        .expect("a reply");
    assert_eq!(reply.status, StatusCode::INTERNAL_SERVER_ERROR);
    thread_of(own.addr(), &client);
}

#[test]
fn a_stop_lets_a_call_finish_and_ends_connections_that_wait() {
    let own = here(direct(64), |request, _| {
        std::thread::sleep(Duration::from_millis(400));
        mirror(request)
    });
    let mut idle = connect(own.addr());
    let mut busy = connect(own.addr());
    busy.write_all(&post("", "<a/>")).expect("a socket");
    std::thread::sleep(Duration::from_millis(100));
    let began = Instant::now();
    let handle = own.handle();
    handle.stop();
    let reply = read_message(&mut busy);
    assert!(
        reply.contains("connection: close") && reply.ends_with("<a/>"),
        "{reply}"
    );
    own.join();
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert_eq!(idle.read(&mut [0; 10]).expect("an end"), 0);
}

#[test]
fn a_large_reply_waits_for_its_reader_and_an_abort_ends_it() {
    let own = here(direct(64), |request, _| {
        let pieces: Vec<Bytes> = (0..300_u32)
            .map(|i| Bytes::from(vec![i as u8; 100_000]))
            .collect();
        match request.path() {
            "/whole" => ServerResponse::new(StatusCode::OK, "text/plain", pieces.concat()),
            _ => ServerResponse::new(StatusCode::OK, "text/plain", pieces),
        }
    });
    for path in ["/whole", "/pieces"] {
        let mut stream = connect(own.addr());
        write!(stream, "POST {path} HTTP/1.1\r\nContent-Length: 0\r\n\r\n").expect("a socket");
        std::thread::sleep(Duration::from_millis(300));
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            stream.read_exact(&mut byte).expect("a head");
            head.push(byte[0]);
        }
        let mut body = vec![0; 30_000_000];
        stream.read_exact(&mut body).expect("a body");
        assert!(
            body.chunks(100_000)
                .enumerate()
                .all(|(i, piece)| piece.iter().all(|b| *b == i as u8))
        );
    }
    let mut stream = connect(own.addr());
    stream
        .write_all(b"POST /whole HTTP/1.1\r\nContent-Length: 0\r\n\r\n")
        .expect("a socket");
    std::thread::sleep(Duration::from_millis(200));
    let began = Instant::now();
    own.handle().abort();
    own.join();
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

#[test]
fn connections_with_a_thread_count() {
    let own = mirrors(ServerOptions {
        connections_max: 2,
        ..direct(64)
    });
    let clients = [client(options()), client(options())];
    for client in &clients {
        thread_of(own.addr(), client);
    }
    let refused = read_all(&mut connect(own.addr()));
    assert!(refused.starts_with("HTTP/1.1 503"), "{refused}");
}

#[test]
fn what_a_handler_leaves_running_goes_on() {
    let (done, finished) = std::sync::mpsc::channel();
    let own = here(direct(64), move |request, _| {
        let done = done.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(20)).await;
            let _ = done.send(());
        });
        mirror(request)
    });
    assert_eq!(thread_of(own.addr(), &client(options())), "castile-direct");
    let waited = finished.recv_timeout(Duration::from_secs(30));
    waited.expect("a task on a runtime of the server");
}
