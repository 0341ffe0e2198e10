//! What the integration tests share: clients, servers, and peers that speak bytes by hand.
#![allow(dead_code, reason = "each test file uses a part")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;

use castile_http::{
    ClientOptions, Proxy, Request, Running, Server, ServerOptions, ServerRequest, ServerResponse, StatusCode,
    Url, blocking,
};

/// Options without the environment's proxies, and with limits that end a broken test.
pub(crate) fn options() -> ClientOptions {
    ClientOptions {
        proxy: Proxy::None,
        timeout_call: Some(Duration::from_secs(20)),
        ..ClientOptions::default()
    }
}

pub(crate) fn client(options: ClientOptions) -> blocking::Client {
    blocking::Client::new(options).expect("good options")
}

pub(crate) fn url(address: SocketAddr, path: &str) -> Url {
    format!("http://{address}{path}").parse().expect("valid")
}

pub(crate) fn post(address: SocketAddr, body: &'static str) -> Request {
    Request::post(url(address, "/"), body)
}

/// A server that sends back what it gets, with what it saw in headers.
pub(crate) fn echo(options: ServerOptions) -> Running {
    let server = Server::bind("127.0.0.1:0", options).expect("a free port");
    server.serve_in_background(reflect).expect("threads")
}

pub(crate) async fn reflect(request: ServerRequest) -> ServerResponse {
    mirror(&request)
}

pub(crate) fn mirror(request: &ServerRequest) -> ServerResponse {
    let mut reply = ServerResponse::new(StatusCode::OK, "text/xml; charset=utf-8", request.body.clone());
    for (name, value) in &request.headers {
        let name: castile_http::HeaderName = format!("saw-{name}")
            .parse()
            .expect("a name with a prefix is a name");
        reply.headers.append(name, value.clone());
    }
    for (name, value) in [
        ("saw-method", request.method.to_string()),
        ("saw-target", request.uri.to_string()),
        ("saw-principal", request.principal.clone().unwrap_or_default()),
        ("saw-secure", request.secure.to_string()),
    ] {
        reply.headers.insert(name, value.parse().expect("plain"));
    }
    reply
}

pub(crate) fn header<'a>(headers: &'a castile_http::HeaderMap, name: &str) -> &'a str {
    headers
        .get(name)
        .map_or("", |value| value.to_str().expect("ASCII"))
}

/// A server by hand: `script` gets each connection in turn.
pub(crate) struct Scripted {
    pub address: SocketAddr,
    thread: Option<JoinHandle<()>>,
}

impl Scripted {
    pub(crate) fn new(connections: usize, script: impl Fn(usize, TcpStream) + Send + 'static) -> Scripted {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("bound");
        let thread = std::thread::spawn(move || {
            for number in 0..connections {
                let (stream, _) = listener.accept().expect("a connection");
                stream
                    .set_read_timeout(Some(Duration::from_secs(20)))
                    .expect("a socket");
                script(number, stream);
            }
        });
        Scripted {
            address,
            thread: Some(thread),
        }
    }

    /// Waits for the script's end, and its assertions.
    pub(crate) fn join(mut self) {
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the script's assertions hold");
        }
    }
}

/// Reads one request (or reply) with its `Content-Length` body; empty at the end of the stream.
pub(crate) fn read_message(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte) {
            Ok(1) => head.push(byte[0]),
            _ => return String::from_utf8_lossy(&head).into_owned(),
        }
    }
    let head = String::from_utf8(head).expect("an ASCII head");
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse().expect("a number"))
    });
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).expect("a whole body");
    head + &String::from_utf8_lossy(&body)
}

/// Everything until the peer closes.
pub(crate) fn read_all(stream: &mut TcpStream) -> String {
    let mut all = Vec::new();
    let _ = stream.read_to_end(&mut all);
    String::from_utf8_lossy(&all).into_owned()
}

/// Sends bytes to a server and returns everything it says until it closes.
pub(crate) fn talk(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = connect(address);
    stream.write_all(bytes).expect("a socket that takes bytes");
    read_all(&mut stream)
}

pub(crate) fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("a listener");
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .expect("a socket");
    stream
}

pub(crate) const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
