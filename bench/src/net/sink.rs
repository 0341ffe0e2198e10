//! A server that reads and discards, answers bytes that are ready, and notes when: the other end of an
//! engine's client. Each path has its own answer.

use std::collections::HashMap;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::clock::now;
use super::head::{Head, body};
use crate::wire::Message;

/// One request, as the sink saw it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arrival {
    /// When its last byte had come, ns.
    pub(crate) last_byte: u64,
    /// When the first byte of the answer was about to go, ns.
    pub(crate) answered: u64,
    /// Bytes of head and body on the wire.
    pub(crate) bytes: usize,
    /// The body, where the path keeps it.
    pub(crate) body: Vec<u8>,
    /// Its media type.
    pub(crate) media_type: String,
}

/// A running sink.
pub(crate) struct Sink {
    port: u16,
    paths: Arc<Mutex<HashMap<String, Path>>>,
}

struct Path {
    answer: Arc<Vec<u8>>,
    keep: bool,
    arrivals: Vec<Arrival>,
}

impl Sink {
    pub(crate) fn start() -> std::io::Result<Sink> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        let paths: Arc<Mutex<HashMap<String, Path>>> = Arc::default();
        let shared = paths.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let paths = shared.clone();
                // A connection that breaks is the engine's failure, and shows there.
                std::thread::spawn(move || {
                    let _ = serve(stream, &paths);
                });
            }
        });
        Ok(Sink { port, paths })
    }

    /// Answers requests for `path` with this message from now on; gives the URL.
    pub(crate) fn answer(&self, path: &str, message: &Message, keep: bool) -> String {
        let mut answer = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n",
            message.media_type,
            message.body.len()
        )
        .into_bytes();
        answer.extend_from_slice(&message.body);
        let path_of = Path {
            answer: Arc::new(answer),
            keep,
            arrivals: Vec::new(),
        };
        locked(&self.paths).insert(format!("/{path}"), path_of);
        format!("http://127.0.0.1:{}/{path}", self.port)
    }

    /// What came for `path` since the last time.
    pub(crate) fn take(&self, path: &str) -> Vec<Arrival> {
        let mut paths = locked(&self.paths);
        paths
            .get_mut(&format!("/{path}"))
            .map(|path| std::mem::take(&mut path.arrivals))
            .unwrap_or_default()
    }
}

fn serve(mut stream: TcpStream, paths: &Mutex<HashMap<String, Path>>) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let (mut rest, mut buffer) = (Vec::new(), vec![0; 256 << 10]);
    while let Some(head) = Head::read(&mut stream, &mut rest)? {
        let path = head.first.split(' ').nth(1).unwrap_or("/").to_owned();
        let path = path.split('?').next().unwrap_or("/").to_owned();
        let found = locked(paths).get(&path).map(|p| (p.answer.clone(), p.keep));
        let Some((answer, keep)) = found else {
            return stream
                .write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        };
        if head.expects() {
            stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        let mut kept = Vec::new();
        let length = head.length(true)?;
        let wire = body(
            &mut stream,
            &mut rest,
            length,
            keep.then_some(&mut kept),
            &mut buffer,
        )?;
        let last_byte = now();
        let arrival = Arrival {
            last_byte,
            answered: now(),
            bytes: head.bytes + wire,
            body: kept,
            media_type: head.field("content-type").unwrap_or_default().to_owned(),
        };
        // Noted before the answer goes: the engine may be done before we are.
        if let Some(path) = locked(paths).get_mut(&path) {
            path.arrivals.push(arrival);
        }
        stream.write_all(&answer)?;
        if !head.keeps() {
            return Ok(());
        }
    }
    Ok(())
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
