//! Messages that want to cost more than they weigh, through a server and through a client: each meets its limit, which
//! the error names, or is read in time and memory that grow with its bytes.

mod common;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use castile_endpoint::ServerOptions;
use castile_value::Value;

const MILLION: usize = 1_000_000;

/// Far more than one pass over the largest takes, in a build without optimisation, too; far less than its square.
const LINEAR_TIME: Duration = Duration::from_secs(30);

/// Memory for each byte of the messages, which are all held at once: as bytes, as text, what is read of the one at
/// hand, and both ends of a connection.
const MEMORY_A_BYTE: usize = 6;

fn envelope(header: &str, body: &str) -> String {
    format!(
        "<S:Envelope xmlns:S=\"http://schemas.xmlsoap.org/soap/envelope/\"><S:Header>{header}</S:Header>\
         <S:Body>{body}</S:Body></S:Envelope>"
    )
}

/// Names that a hash of the kind `31 * h + c` takes for the same.
fn colliding(bits: u32) -> impl Iterator<Item = String> {
    let pair = |n: u32, bit: u32| if n >> bit & 1 == 1 { "Aa" } else { "BB" };
    (0..1u32 << bits).map(move |n| (0..bits).map(|bit| pair(n, bit)).collect())
}

/// What it is, the message, and what the error says; `None`: it is read.
fn attacks(element: &str) -> Vec<(&'static str, String, Option<&'static str>)> {
    let ns = common::NS;
    let body = |inside: &str| {
        envelope(
            "",
            &format!("<i:{element} xmlns:i=\"{ns}\">{inside}</i:{element}>"),
        )
    };
    let values = "<i:value>1</i:value>".repeat(MILLION);
    let attributes: String = (0..MILLION).map(|i| format!(" a{i}='1'")).collect();
    let prefixes: String = colliding(14)
        .map(|name| format!(" xmlns:{name}='urn:{name}'"))
        .collect();
    let blocks: String = colliding(14)
        .map(|name| format!("<h:{name} xmlns:h='urn:h'/>"))
        .collect();
    let laughs: String = (0..9)
        .map(|i| format!("<!ENTITY l{} \"{}\">", i + 1, format!("&l{i};").repeat(10)))
        .collect();
    let dtd = |inside: &str, text: &str| {
        format!(
            "<!DOCTYPE x [{inside}]>{}",
            body(&format!("<i:value>{text}</i:value>"))
        )
    };
    vec![
        ("a million siblings", body(&values), None),
        (
            "a million attributes",
            body(&format!("<i:value{attributes}>1</i:value>")),
            Some("attributes_max"),
        ),
        (
            "a million elements in each other",
            body(&("<a>".repeat(MILLION) + &"</a>".repeat(MILLION))),
            Some("element"),
        ),
        (
            "the same in a header",
            envelope(&"<a>".repeat(MILLION), ""),
            Some("depth_max"),
        ),
        (
            "names that collide: prefixes",
            body(&format!("<i:value{prefixes}>1</i:value>")),
            Some("attributes_max"),
        ),
        (
            "names that collide: blocks",
            envelope(&blocks, &format!("<i:{element} xmlns:i=\"{ns}\"/>")),
            None,
        ),
        (
            "a huge name",
            body(&format!("<{}/>", "n".repeat(MILLION))),
            Some("name_bytes_max"),
        ),
        (
            "a huge text",
            body(&format!("<i:value>{}</i:value>", "1".repeat(8 * MILLION))),
            Some("value[1]"),
        ),
        (
            "a huge attribute",
            body(&format!("<i:value a='{}'>1</i:value>", "x".repeat(8 * MILLION))),
            Some("value[1]"),
        ),
        (
            "a billion laughs",
            dtd(&format!("<!ENTITY l0 \"ha\">{laughs}"), "&l9;"),
            Some("type declaration"),
        ),
        (
            "an external entity",
            dtd("<!ENTITY e SYSTEM \"file:///etc/passwd\">", "&e;"),
            Some("type declaration"),
        ),
    ]
}

/// Posts a message and gives the reply's body.
fn post(address: SocketAddr, body: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(LINEAR_TIME)).unwrap();
    let head = format!(
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Type: text/xml\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let _ = stream.write_all(body.as_bytes());
    let mut reply = Vec::new();
    let _ = stream.read_to_end(&mut reply);
    String::from_utf8(reply).unwrap()
}

#[test]
fn a_server_and_a_client_hold_every_message_to_its_limit() {
    let before = peak_bytes();
    let running = common::start(ServerOptions::default());
    let mut sent = 0;
    for (name, text, says) in attacks("echoInts") {
        let begun = Instant::now();
        sent += text.len();
        let reply = post(running.addr(), &text);
        let shown: String = reply.chars().take(600).collect();
        match says {
            Some(words) => assert!(
                reply.contains("faultcode") && reply.contains(words),
                "{name}: {shown}"
            ),
            None => assert!(!reply.contains("faultcode"), "{name}: {shown}"),
        }
        assert!(begun.elapsed() < LINEAR_TIME, "{name}: {:?}", begun.elapsed());
    }
    for (name, text, says) in attacks("echoIntsResponse") {
        let begun = Instant::now();
        let said = call(text);
        match says {
            Some(words) => {
                let error = said.expect_err(name);
                assert!(error.contains(words), "{name}: {error}");
            }
            None => said.unwrap_or_else(|error| panic!("{name}: {error}")),
        }
        assert!(begun.elapsed() < LINEAR_TIME, "{name}: {:?}", begun.elapsed());
    }
    let Some((before, after)) = before.zip(peak_bytes()) else {
        return println!("SKIPPED: no /proc to tell how much memory was taken");
    };
    assert!(
        after - before < MEMORY_A_BYTE * sent,
        "{} bytes for {sent}",
        after - before
    );
}

/// Calls a server that answers so.
fn call(reply: String) -> Result<(), String> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = [0; 1 << 16];
        let _ = stream.read(&mut request);
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: {}\r\n\r\n",
            reply.len()
        );
        // Who refuses early may close before everything was written.
        let _ = stream
            .write_all(head.as_bytes())
            .and_then(|()| stream.write_all(reply.as_bytes()));
    });
    let args = Value::map([("value", vec![1].into())]);
    let said = common::client(address, None).call("echoInts", &args);
    server.join().unwrap();
    said.map(drop).map_err(|error| error.to_string())
}

/// The most memory that this process ever had.
fn peak_bytes() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: usize = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kilobytes << 10)
}
