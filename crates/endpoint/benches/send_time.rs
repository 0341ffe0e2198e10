//! Send Time of paper 000 on real sockets: 100,000 doubles over loopback to a sink that reads all and
//! answers a few bytes. Each line has the medians of two spans: to the last send call, and to the sink's
//! acknowledgement.
//!
//! `cargo bench -p castile-endpoint --bench send_time`

use std::io::{IoSlice, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use castile_endpoint::{Client, ClientOptions, Differential, Match, Nothing};
use castile_http::Bytes;
use castile_value::Value;

const WSDL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../interop/interop.wsdl");
const VALUES: usize = 100_000;
const ROUNDS: usize = 300;

const ENVELOPE: &str = "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>\
<r:echoDoublesResponse xmlns:r='urn:castile:interop'/></e:Body></e:Envelope>";

fn reply() -> Vec<u8> {
    let length = ENVELOPE.len();
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: {length}\r\n\r\n{ENVELOPE}").into()
}

/// Reads requests, each of a head with a length and a body, and answers each when it is whole.
fn sink() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            std::thread::spawn(move || swallow(socket));
        }
    });
    address
}

fn swallow(mut socket: TcpStream) {
    let mut buffer = vec![0; 1 << 20];
    let reply = reply();
    loop {
        let mut filled = 0;
        let end = loop {
            match socket.read(&mut buffer[filled..]) {
                Ok(0) | Err(_) => return,
                Ok(count) => filled += count,
            }
            if let Some(at) = buffer[..filled].windows(4).position(|w| w == b"\r\n\r\n") {
                break at + 4;
            }
        };
        let head = String::from_utf8_lossy(&buffer[..end]).to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
        let length = length.and_then(|l| l.trim().parse::<usize>().ok());
        let mut left = length.expect("a length").saturating_sub(filled - end);
        while left > 0 {
            match socket.read(&mut buffer) {
                Ok(0) | Err(_) => return,
                Ok(count) => left = left.saturating_sub(count),
            }
        }
        if socket.write_all(&reply).is_err() {
            return;
        }
    }
}

#[derive(Default)]
struct Spans {
    send: Vec<Duration>,
    acknowledged: Vec<Duration>,
}

impl Spans {
    fn medians(mut self) -> [f64; 2] {
        [&mut self.send, &mut self.acknowledged].map(|spans| {
            spans.sort_unstable();
            spans[spans.len() / 2].as_secs_f64() * 1e6
        })
    }
}

/// The same bytes by vectored writes, and nothing else.
fn raw(address: SocketAddr, pieces: &[Bytes]) -> Spans {
    let mut socket = TcpStream::connect(address).expect("the sink");
    socket.set_nodelay(true).expect("no delay");
    let total: usize = pieces.iter().map(Bytes::len).sum();
    let head = format!("POST / HTTP/1.1\r\nHost: {address}\r\nContent-Length: {total}\r\n\r\n");
    let mut answer = reply();
    let mut spans = Spans::default();
    for _ in 0..ROUNDS {
        let started = Instant::now();
        let mut slices = vec![IoSlice::new(head.as_bytes())];
        slices.extend(pieces.iter().map(|piece| IoSlice::new(piece)));
        let mut rest = &mut slices[..];
        while !rest.is_empty() {
            let written = socket.write_vectored(rest).expect("the sink reads");
            IoSlice::advance_slices(&mut rest, written);
        }
        spans.send.push(started.elapsed());
        socket.read_exact(&mut answer).expect("the sink answers");
        spans.acknowledged.push(started.elapsed());
    }
    spans
}

/// Calls of a client; gives the pieces of its last message too.
fn ours(address: SocketAddr, differential: bool, expected: Match) -> (Spans, Vec<Bytes>) {
    let options = ClientOptions {
        endpoint: Some(format!("http://{address}/")),
        differential: Differential {
            enabled: differential,
            ..Differential::default()
        },
        ..ClientOptions::default()
    };
    let client = Client::new(WSDL, options).expect("the contract");
    let values: Vec<f64> = (0..VALUES).map(|i| (i as f64 + 0.1).sqrt()).collect();
    let args = vec![("value".to_owned(), Value::from(values))];
    let (mut spans, mut pieces) = (Spans::default(), Vec::new());
    for round in 0..ROUNDS + 3 {
        let started = Instant::now();
        let outgoing = client.prepare("echoDoubles", &Nothing, &args).expect("a message");
        let encoded = started.elapsed();
        let exchange = client.exchange(outgoing).expect("a reply");
        let whole = started.elapsed();
        if round < 3 {
            continue;
        }
        assert_eq!(
            exchange.outgoing.body.report().kind,
            expected,
            "it is what is measured"
        );
        spans.send.push(encoded + exchange.response().timings.send);
        spans.acknowledged.push(whole);
        pieces = exchange.outgoing.body.pieces().to_vec();
    }
    (spans, pieces)
}

fn main() {
    let address = sink();
    let (content, pieces) = ours(address, true, Match::Content);
    let (full, _) = ours(address, false, Match::FirstTime);
    let bytes: usize = pieces.iter().map(Bytes::len).sum();
    let raw = raw(address, &pieces).medians();
    println!(
        "{VALUES} doubles, {bytes} bytes in {} pieces, medians of {ROUNDS}",
        pieces.len()
    );
    println!(
        "{:24} {:>14} {:>16}   of raw",
        "", "last send, us", "acknowledged, us"
    );
    let rows = [
        ("raw vectored write", raw),
        ("content match", content.medians()),
        ("full serialization", full.medians()),
    ];
    for (name, [send, acknowledged]) in rows {
        println!(
            "{name:24} {send:14.0} {acknowledged:16.0}   {:.2} {:.2}",
            send / raw[0],
            acknowledged / raw[1]
        );
    }
}
