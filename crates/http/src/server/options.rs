//! [`ServerOptions`]: everything about a server that a user can set, with safe defaults.

use std::fmt;
use std::time::Duration;

use super::auth::ServerAuth;

/// Settings of a server. `Debug` masks every secret.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// Limit on a request's body, counted after decompression: 413 above. Default 64 MiB.
    pub body_bytes_max: u64,
    /// Limit on a request's head, at least 8192: 431 above, and above 100 header fields. Default
    /// 64 KiB.
    pub header_bytes_max: usize,
    /// From the first to the last byte of a request's head: 408 after. Default 10 s.
    pub timeout_header: Option<Duration>,
    /// From the end of the head to the end of the body, and a second more for each 16 kB that
    /// came: 408 after. Also how long a peer may take no byte of a reply. Default 60 s.
    pub timeout_body: Option<Duration>,
    /// How long a connection may wait for its next request. Default 60 s.
    pub timeout_idle: Option<Duration>,
    /// How long the service may take: 503 after, and its future is dropped. Default none.
    pub timeout_handler: Option<Duration>,
    /// Connections at once; a further one is answered 503 and closed. Default 10,000.
    pub connections_max: usize,
    /// Threads that serve. Zero (the default) is one for each processor, and sixteen at least.
    pub workers: usize,
    /// Connections that may have a thread to themselves, on which small calls are answered one after the other; one
    /// that is idle for a second, or brings something else, goes to the workers. It needs a service that
    /// [allows it](super::Service::direct), and neither `tls`, `auth`, `timeout_handler` nor
    /// `compress_reply_above`. Zero: none. Default 64.
    pub direct: usize,
    /// Speak https.
    pub tls: Option<ServerTls>,
    /// Who may call; checked before a large body is read. Default: everyone.
    pub auth: Option<ServerAuth>,
    /// Compress replies above so many bytes for clients that offer to understand it. Default
    /// none: on a fast network it costs more than it saves.
    pub compress_reply_above: Option<u64>,
    /// How long [`Handle::stop`](crate::Handle::stop) lets running calls finish. Default 30 s.
    pub timeout_graceful: Duration,
    /// `Server` header; empty sends none.
    pub server_name: String,
}

/// A server's certificate, and whose clients it trusts.
#[derive(Clone, Default)]
pub struct ServerTls {
    /// Certificate chain, PEM.
    pub cert_pem: Vec<u8>,
    /// Private key, PEM (PKCS#8, PKCS#1 or SEC1).
    pub key_pem: Vec<u8>,
    /// Roots of client certificates, PEM: when given, a client without a valid one is refused.
    pub client_ca_pem: Option<Vec<u8>>,
}

impl Default for ServerOptions {
    fn default() -> ServerOptions {
        ServerOptions {
            body_bytes_max: 64 << 20,
            header_bytes_max: 64 << 10,
            timeout_header: Some(Duration::from_secs(10)),
            timeout_body: Some(Duration::from_secs(60)),
            timeout_idle: Some(Duration::from_secs(60)),
            timeout_handler: None,
            connections_max: 10_000,
            workers: 0,
            direct: 64,
            tls: None,
            auth: None,
            compress_reply_above: None,
            timeout_graceful: Duration::from_secs(30),
            server_name: concat!("castile/", env!("CARGO_PKG_VERSION")).to_owned(),
        }
    }
}

impl fmt::Debug for ServerTls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerTls")
            .field("cert_pem", &format_args!("{} bytes", self.cert_pem.len()))
            .field("key_pem", &"***")
            .field("client_ca_pem", &self.client_ca_pem.as_ref().map(Vec::len))
            .finish()
    }
}
