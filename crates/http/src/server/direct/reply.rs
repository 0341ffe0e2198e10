//! [`ReplyHead`]: the head of a reply whose body is known.

use std::collections::VecDeque;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_LENGTH, DATE, SERVER, TRANSFER_ENCODING};
use http::{HeaderName, HeaderValue, StatusCode};

use crate::server::service::ServerResponse;

/// Makes the heads of one connection's replies.
pub(super) struct ReplyHead {
    pub(super) bytes: Vec<u8>,
    server: Option<HeaderValue>,
    date: Date,
}

/// The time of day as HTTP writes it, written once a second.
struct Date {
    second: u64,
    text: String,
}

impl Date {
    fn now(&mut self) -> &str {
        let now = SystemTime::now();
        let second = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        if second != self.second {
            self.second = second;
            self.text = httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(second));
        }
        &self.text
    }
}

impl ReplyHead {
    pub(super) fn new(server: Option<&HeaderValue>) -> ReplyHead {
        ReplyHead {
            bytes: Vec::new(),
            server: server.cloned(),
            date: Date {
                second: u64::MAX,
                text: String::new(),
            },
        }
    }

    /// Makes the head and gives the body. A reply of a form that hyper must see to comes back.
    pub(super) fn make(
        &mut self,
        mut reply: ServerResponse,
        goes_on: bool,
    ) -> Result<VecDeque<Bytes>, Box<ServerResponse>> {
        let status = reply.status;
        let bare = status.is_informational()
            || matches!(
                status,
                StatusCode::NO_CONTENT | StatusCode::RESET_CONTENT | StatusCode::NOT_MODIFIED
            );
        let headers = &reply.headers;
        if bare || headers.contains_key(CONNECTION) || headers.contains_key(DATE) {
            return Err(Box::new(reply));
        }
        let body = match std::mem::take(&mut reply.body).into_pieces() {
            Ok(pieces) => pieces,
            Err(body) => {
                reply.body = body;
                return Err(Box::new(reply));
            }
        };
        let length: usize = body.iter().map(Bytes::len).sum();
        self.write(&reply, length, goes_on);
        Ok(body)
    }

    fn write(&mut self, reply: &ServerResponse, length: usize, goes_on: bool) {
        self.bytes.clear();
        let bytes = &mut self.bytes;
        match reply.status {
            StatusCode::OK => bytes.extend_from_slice(b"HTTP/1.1 200 OK\r\n"),
            status => {
                let reason = status.canonical_reason().unwrap_or("<none>");
                let line = ["HTTP/1.1 ", status.as_str(), " ", reason, "\r\n"];
                line.iter()
                    .for_each(|part| bytes.extend_from_slice(part.as_bytes()));
            }
        }
        for (name, value) in &reply.headers {
            // A service that miscounts must not break the framing.
            if name != CONTENT_LENGTH && name != TRANSFER_ENCODING {
                field(bytes, name, value.as_bytes());
            }
        }
        if let Some(server) = &self.server
            && !reply.headers.contains_key(SERVER)
        {
            field(bytes, &SERVER, server.as_bytes());
        }
        if !goes_on {
            field(bytes, &CONNECTION, b"close");
        }
        field(
            bytes,
            &CONTENT_LENGTH,
            itoa::Buffer::new().format(length).as_bytes(),
        );
        field(bytes, &DATE, self.date.now().as_bytes());
        bytes.extend_from_slice(b"\r\n");
    }
}

fn field(bytes: &mut Vec<u8>, name: &HeaderName, value: &[u8]) {
    bytes.extend_from_slice(name.as_str().as_bytes());
    bytes.extend_from_slice(b": ");
    bytes.extend_from_slice(value);
    bytes.extend_from_slice(b"\r\n");
}
