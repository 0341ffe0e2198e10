//! Send Time of paper 000 on real sockets: 100,000 doubles over loopback to a sink that reads all and
//! answers a few bytes. Each candidate sends in turn in every round, on a connection of its own; each line has the
//! medians of two spans, to the last send call and to the sink's acknowledgement, and the medians of their ratios
//! to the raw write of the same round.
//!
//! `cargo bench -p castile-endpoint --bench send_time`

use std::io::{IoSlice, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use castile_endpoint::{Client, ClientOptions, Differential, Match, Nothing, Outgoing};
use castile_http::Bytes;
use castile_value::Value;

const WSDL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../interop/interop.wsdl");
const VALUES: usize = 100_000;
const ROUNDS: usize = 300;
/// Rounds before, until sockets have the buffers they will have.
const WARM: usize = 20;

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

/// To the last send call, and to the acknowledgement; in microseconds.
type Spans = [f64; 2];

fn micros(span: Duration) -> f64 {
    span.as_secs_f64() * 1e6
}

/// The same bytes by vectored writes, and nothing else.
struct Raw {
    socket: TcpStream,
    head: String,
    pieces: Vec<Bytes>,
    answer: Vec<u8>,
}

impl Raw {
    fn new(address: SocketAddr, pieces: Vec<Bytes>) -> Raw {
        let socket = TcpStream::connect(address).expect("the sink");
        socket.set_nodelay(true).expect("no delay");
        let total: usize = pieces.iter().map(Bytes::len).sum();
        Raw {
            socket,
            head: format!("POST / HTTP/1.1\r\nHost: {address}\r\nContent-Length: {total}\r\n\r\n"),
            pieces,
            answer: reply(),
        }
    }

    fn send(&mut self) -> Spans {
        let started = Instant::now();
        let mut slices = vec![IoSlice::new(self.head.as_bytes())];
        slices.extend(self.pieces.iter().map(|piece| IoSlice::new(piece)));
        let mut rest = &mut slices[..];
        while !rest.is_empty() {
            let written = self.socket.write_vectored(rest).expect("the sink reads");
            IoSlice::advance_slices(&mut rest, written);
        }
        let sent = started.elapsed();
        self.socket
            .read_exact(&mut self.answer)
            .expect("the sink answers");
        [micros(sent), micros(started.elapsed())]
    }
}

/// Calls of a client.
struct Ours {
    client: Client,
    args: Vec<(String, Value)>,
    expected: Match,
}

impl Ours {
    fn new(address: SocketAddr, differential: bool, expected: Match) -> Ours {
        let options = ClientOptions {
            endpoint: Some(format!("http://{address}/")),
            differential: Differential {
                enabled: differential,
                ..Differential::default()
            },
            ..ClientOptions::default()
        };
        let values: Vec<f64> = (0..VALUES).map(|i| (i as f64 + 0.1).sqrt()).collect();
        Ours {
            client: Client::new(WSDL, options).expect("the contract"),
            args: vec![("value".to_owned(), Value::from(values))],
            expected,
        }
    }

    fn prepare(&self) -> Outgoing {
        let prepared = self.client.prepare("echoDoubles", &Nothing, &self.args);
        prepared.expect("a message")
    }

    fn send(&self) -> Spans {
        let started = Instant::now();
        let outgoing = self.prepare();
        let encoded = started.elapsed();
        let exchange = self.client.exchange(outgoing).expect("a reply");
        let whole = started.elapsed();
        let kind = exchange.outgoing.body.report().kind;
        assert_eq!(kind, self.expected, "it is what is measured");
        [micros(encoded + exchange.response().timings.send), micros(whole)]
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let address = sink();
    let content = Ours::new(address, true, Match::Content);
    let full = Ours::new(address, false, Match::FirstTime);
    content.prepare();
    let pieces = content.prepare().body.pieces().to_vec();
    let count = pieces.len();
    let bytes: usize = pieces.iter().map(Bytes::len).sum();
    let mut raw = Raw::new(address, pieces);
    let rounds: Vec<[Spans; 3]> = (0..ROUNDS + WARM)
        .map(|_| [raw.send(), content.send(), full.send()])
        .skip(WARM)
        .collect();
    println!("{VALUES} doubles, {bytes} bytes in {count} pieces, medians of {ROUNDS}");
    println!(
        "{:20} {:>13} {:>16}   of raw",
        "", "last send, us", "acknowledged, us"
    );
    for (i, name) in ["raw vectored write", "content match", "full serialization"]
        .iter()
        .enumerate()
    {
        let of = |span: usize| median(rounds.iter().map(|round| round[i][span]).collect());
        let ratio = |span: usize| median(rounds.iter().map(|r| r[i][span] / r[0][span]).collect());
        println!(
            "{name:20} {:13.0} {:16.0}   {:.2} {:.2}",
            of(0),
            of(1),
            ratio(0),
            ratio(1)
        );
    }
    let gain = |span: usize| median(rounds.iter().map(|r| r[2][span] / r[1][span]).collect());
    println!(
        "content match is {:.1} and {:.1} times faster than full serialization",
        gain(0),
        gain(1)
    );
}
