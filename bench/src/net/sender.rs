//! A client of raw sockets that sends requests that are ready: the other end of an engine's server.

use std::io::{Error, ErrorKind, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::clock::now;
use super::head::{Head, bad, body};
use crate::wire::Message;

/// A connection to an engine's server.
pub(crate) struct Sender {
    port: u16,
    head: String,
    stream: Option<TcpStream>,
    rest: Vec<u8>,
    buffer: Vec<u8>,
    timeout: Duration,
}

/// What an exchange took and brought.
#[derive(Debug, Default)]
pub(crate) struct Exchange {
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// Bytes on the wire, heads included.
    pub(crate) sent: usize,
    pub(crate) received: usize,
    pub(crate) status: String,
    pub(crate) media_type: String,
}

impl Sender {
    pub(crate) fn new(port: u16, path: &str, timeout: Duration) -> Sender {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nSOAPAction: \"\"\r\nConnection: keep-alive\r\n"
        );
        Sender {
            port,
            head,
            stream: None,
            rest: Vec::new(),
            buffer: vec![0; 256 << 10],
            timeout,
        }
    }

    /// Sends a request and reads the whole reply, its body into `reply` when that is wanted. A server may close a
    /// kept connection at any time (RFC 9112, 9.5), so a request on one is sent once more.
    pub(crate) fn exchange(
        &mut self,
        request: &Message,
        mut reply: Option<&mut Vec<u8>>,
    ) -> std::io::Result<Exchange> {
        let used = self.stream.is_some();
        let first = self.attempt(request, reply.as_deref_mut());
        let done = match first {
            // Who is silent is so a second time.
            Err(error) if used && !silent(&error) => {
                self.stream = None;
                self.attempt(request, reply)
            }
            first => first,
        };
        done.map_err(|error| match silent(&error) {
            true => {
                let seconds = self.timeout.as_secs_f64();
                Error::new(ErrorKind::TimedOut, format!("no answer in {seconds} s"))
            }
            false => error,
        })
    }

    fn attempt(&mut self, request: &Message, mut reply: Option<&mut Vec<u8>>) -> std::io::Result<Exchange> {
        if let Some(reply) = reply.as_deref_mut() {
            reply.clear();
        }
        let (head, length) = (&self.head, request.body.len());
        let media_type = &request.media_type;
        let mut message =
            format!("{head}Content-Type: {media_type}\r\nContent-Length: {length}\r\n\r\n").into_bytes();
        message.extend_from_slice(&request.body);
        let start = now();
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => self.connect()?,
        };
        stream.write_all(&message)?;
        let head = loop {
            let head =
                Head::read(&mut stream, &mut self.rest)?.ok_or_else(|| bad("closed without an answer"))?;
            if !head.first.contains(" 100 ") {
                break head;
            }
        };
        let length = head.length(false)?;
        let wire = body(&mut stream, &mut self.rest, length, reply, &mut self.buffer)?;
        let end = now();
        if head.keeps() && length != super::head::Length::UntilClose {
            self.stream = Some(stream);
        }
        Ok(Exchange {
            start,
            end,
            sent: message.len(),
            received: head.bytes + wire,
            media_type: head.field("content-type").unwrap_or_default().to_owned(),
            status: head.first,
        })
    }

    fn connect(&mut self) -> std::io::Result<TcpStream> {
        self.rest.clear();
        let stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(self.timeout))?;
        Ok(stream)
    }
}

/// Whether a read ended because nothing came in time.
fn silent(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

impl Exchange {
    pub(crate) fn is_ok(&self) -> bool {
        self.status.split(' ').nth(1) == Some("200")
    }
}
