//! The load generator: precomposed requests over raw sockets, one thread a connection, the next
//! request when the reply is complete. It is the same for every server, and checks every status.

use std::io::{Error, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The request as gSOAP's client writes it, so that no server has it easier.
pub(crate) const ENVELOPE: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\
<SOAP-ENV:Envelope xmlns:SOAP-ENV=\"http://schemas.xmlsoap.org/soap/envelope/\" \
xmlns:SOAP-ENC=\"http://schemas.xmlsoap.org/soap/encoding/\" \
xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\" \
xmlns:i=\"urn:castile:interop\"><SOAP-ENV:Body><i:echoVoid></i:echoVoid></SOAP-ENV:Body></SOAP-ENV:Envelope>";

/// Requests a second.
pub(crate) fn run(port: u16, connections: usize, time: Duration) -> std::io::Result<f64> {
    let stop = Arc::new(AtomicBool::new(false));
    let threads: Vec<_> = (0..connections)
        .map(|_| {
            let stop = stop.clone();
            std::thread::spawn(move || hammer(port, &stop))
        })
        .collect();
    let started = Instant::now();
    std::thread::sleep(time);
    stop.store(true, Ordering::Relaxed);
    let mut count = 0;
    for thread in threads {
        count += thread
            .join()
            .map_err(|_| Error::other("a connection's thread panicked"))??;
    }
    Ok(count as f64 / started.elapsed().as_secs_f64())
}

fn hammer(port: u16, stop: &AtomicBool) -> std::io::Result<u64> {
    let request = format!(
        "POST / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: text/xml; charset=utf-8\r\n\
         SOAPAction: \"\"\r\nConnection: keep-alive\r\nContent-Length: {}\r\n\r\n{ENVELOPE}",
        ENVELOPE.len()
    );
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_nodelay(true)?;
    let mut reply = Vec::with_capacity(4096);
    let mut count = 0;
    while !stop.load(Ordering::Relaxed) {
        stream.write_all(request.as_bytes())?;
        read_reply(&mut stream, &mut reply)?;
        count += 1;
    }
    Ok(count)
}

/// Reads one reply with a Content-Length and checks that it is a 200.
fn read_reply(stream: &mut TcpStream, reply: &mut Vec<u8>) -> std::io::Result<()> {
    reply.clear();
    let mut buffer = [0; 4096];
    loop {
        let n = stream.read(&mut buffer)?;
        if n == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        reply.extend_from_slice(&buffer[..n]);
        if let Some(length) = expected(reply)?
            && reply.len() >= length
        {
            return Ok(());
        }
    }
}

/// The length of head and body, once the head is there.
fn expected(reply: &[u8]) -> std::io::Result<Option<usize>> {
    let Some(end) = reply.windows(4).position(|w| w == b"\r\n\r\n") else {
        return Ok(None);
    };
    let bad = |why: &str| Error::new(ErrorKind::InvalidData, why.to_owned());
    let head = std::str::from_utf8(&reply[..end]).map_err(|_| bad("the head is no text"))?;
    if !head.starts_with("HTTP/1.1 200") {
        return Err(bad(head.lines().next().unwrap_or_default()));
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse::<usize>().ok())
            .flatten()
    });
    let length = length.ok_or_else(|| bad("the reply has no Content-Length"))?;
    Ok(Some(end + 4 + length))
}
