//! [`ClientOptions`]: everything about a client that a user can set, with safe defaults.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use crate::error::mask;

/// Settings of a client. `Debug` masks every secret.
#[derive(Debug, Clone)]
pub struct ClientOptions {
    /// Limit on resolving, connecting, the proxy's CONNECT and TLS together. Default 10 s.
    pub timeout_connect: Option<Duration>,
    /// Longest silence: no byte moves in either direction for so long. Default 300 s.
    pub timeout_read: Option<Duration>,
    /// Limit on the whole call, redirects and authentication rounds included. Default none.
    pub timeout_call: Option<Duration>,
    /// Whom to trust, and who we are.
    pub tls: Tls,
    /// How we authenticate to the server.
    pub auth: Auth,
    /// The way out. Default: the environment says.
    pub proxy: Proxy,
    /// What to do with redirects. Default: GET follows, POST does not.
    pub redirects: Redirects,
    /// Content coding of request bodies. Default none: a server must be known to understand it.
    pub compress_request: Compression,
    /// Bodies up to so many bytes are sent as they are. Default 1024.
    pub compress_request_above: u64,
    /// Content codings offered to the server, best first. Default gzip, zstd.
    pub accept_encodings: Vec<Encoding>,
    /// Limit on the body of a reply, counted after decompression. Default 256 MiB.
    pub body_bytes_max: u64,
    /// Limit on the head of a reply, at least 8192; it has at most 100 header fields. Default
    /// 64 KiB.
    pub header_bytes_max: usize,
    /// Keep cookies like a session (RFC 6265, in memory only). Default true.
    pub cookies: bool,
    /// Ask with `Expect: 100-continue` before sending a body above so many bytes, and send it
    /// after one second without an answer (RFC 9110 §10.1.1). Default none.
    pub expect_continue_above: Option<u64>,
    /// Idle connections kept for each host. Default 32. Zero closes after each call.
    pub pool_idle_max: usize,
    /// Idle connections older than this are closed; a shorter `Keep-Alive: timeout` of the server
    /// wins. Default 60 s.
    pub pool_idle_timeout: Duration,
    /// Send every body chunked, even when its length is known. Default false.
    pub chunked: bool,
    /// Whether a call may be sent again after its connection died. Default: only when it is safe.
    pub retry: Retry,
    /// How long a blocking call looks for its reply before its thread sleeps: waking up costs more
    /// than a small call on the same machine. Only done on a connection whose last reply came
    /// within this time, and giving way to other threads. Default 100 µs; zero never does.
    pub spin: Duration,
    /// `User-Agent`; empty sends none.
    pub user_agent: String,
}

/// Whom a client trusts, and with what certificate it presents itself.
#[derive(Clone)]
pub struct Tls {
    /// PEM files with further roots.
    pub ca_files: Vec<PathBuf>,
    /// PEM text with further roots.
    pub ca_pem: Vec<u8>,
    /// Trust the roots of the operating system (and Mozilla's when it has none). Default true;
    /// false trusts only `ca_files` and `ca_pem`.
    pub system_roots: bool,
    /// The client's certificate chain, PEM.
    pub client_cert_pem: Option<Vec<u8>>,
    /// The client's private key, PEM (PKCS#8, PKCS#1 or SEC1).
    pub client_key_pem: Option<Vec<u8>>,
    /// Check the server's certificate and name. Default true; false is for tests only: anyone on
    /// the way can then read and change every message.
    pub verify: bool,
}

/// How a client authenticates itself.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum Auth {
    /// Not at all (or with the user in the URL).
    #[default]
    None,
    /// RFC 7617, sent with the first request.
    Basic {
        /// User name, without a colon.
        user: String,
        /// Password.
        password: String,
    },
    /// RFC 7616 (MD5, SHA-256 and their `-sess` forms; `qop=auth`): costs one round when the
    /// server's challenge is not known yet, none after that.
    Digest {
        /// User name.
        user: String,
        /// Password.
        password: String,
    },
    /// RFC 6750.
    Bearer(String),
}

/// The way to the server.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum Proxy {
    /// `HTTP_PROXY` (lower case only for http, as in curl), `HTTPS_PROXY`, `ALL_PROXY` and
    /// `NO_PROXY`, read when the client is made.
    #[default]
    Environment,
    /// Directly.
    None,
    /// Through this `http` proxy; user and password in the URL are sent as basic authentication.
    Url(Url),
}

/// What to do with a redirect.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Redirects {
    /// An error for every method.
    Refuse,
    /// GET and HEAD follow (at most 10 times, never from https to http); a POST is refused, as the
    /// call would run at a place that the user did not name.
    #[default]
    GetOnly,
    /// POST follows as well: 301, 302, 307 and 308 repeat it with its body, 303 becomes a GET.
    /// Authentication and cookies do not cross to another origin.
    Follow,
}

/// Content coding of requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Compression {
    /// As it is.
    #[default]
    None,
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstd,
}

/// A content coding that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstd,
    /// RFC 1950 (zlib), which HTTP calls deflate; raw deflate is understood as well.
    Deflate,
}

/// When a call is sent a second time, once, on a new connection, after its first one died.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Retry {
    /// Never.
    Never,
    /// When no byte of it had been written; and for GET, HEAD, OPTIONS also when a *reused*
    /// connection was closed before the first byte of the reply. A SOAP POST may change the
    /// world, and a closed connection does not say whether the server had read it.
    #[default]
    Safe,
    /// For POST too, when a reused connection was closed before the first byte of the reply:
    /// nearly always the server's idle timer. For services whose operations may run twice.
    ClosedBeforeReply,
}

impl Default for ClientOptions {
    fn default() -> ClientOptions {
        ClientOptions {
            timeout_connect: Some(Duration::from_secs(10)),
            timeout_read: Some(Duration::from_secs(300)),
            timeout_call: None,
            tls: Tls::default(),
            auth: Auth::None,
            proxy: Proxy::Environment,
            redirects: Redirects::GetOnly,
            compress_request: Compression::None,
            compress_request_above: 1024,
            accept_encodings: vec![Encoding::Gzip, Encoding::Zstd],
            body_bytes_max: 256 << 20,
            header_bytes_max: 64 << 10,
            cookies: true,
            expect_continue_above: None,
            pool_idle_max: 32,
            pool_idle_timeout: Duration::from_secs(60),
            chunked: false,
            retry: Retry::Safe,
            spin: Duration::from_micros(100),
            user_agent: concat!("castile/", env!("CARGO_PKG_VERSION")).to_owned(),
        }
    }
}

impl Default for Tls {
    fn default() -> Tls {
        Tls {
            ca_files: Vec::new(),
            ca_pem: Vec::new(),
            system_roots: true,
            client_cert_pem: None,
            client_key_pem: None,
            verify: true,
        }
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls")
            .field("ca_files", &self.ca_files)
            .field("ca_pem", &format_args!("{} bytes", self.ca_pem.len()))
            .field("system_roots", &self.system_roots)
            .field("client_cert", &self.client_cert_pem.is_some())
            .field("client_key", &self.client_key_pem.as_ref().map(|_| "***"))
            .field("verify", &self.verify)
            .finish()
    }
}

impl fmt::Debug for Auth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Auth::None => f.write_str("None"),
            Auth::Basic { user, .. } => write!(f, "Basic {{ user: {user:?}, password: *** }}"),
            Auth::Digest { user, .. } => write!(f, "Digest {{ user: {user:?}, password: *** }}"),
            Auth::Bearer(_) => f.write_str("Bearer(***)"),
        }
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Proxy::Environment => f.write_str("Environment"),
            Proxy::None => f.write_str("None"),
            Proxy::Url(url) => write!(f, "Url({})", mask(url)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_masks_secrets() {
        let options = ClientOptions {
            auth: Auth::Basic {
                user: "jo".into(),
                password: "hunter2".into(),
            },
            proxy: Proxy::Url(Url::parse("http://u:hunter2@p:1").expect("valid")),
            tls: Tls {
                client_key_pem: Some(b"hunter2".to_vec()),
                ..Tls::default()
            },
            ..ClientOptions::default()
        };
        let text = format!("{options:?} {:?}", Auth::Bearer("hunter2".into()));
        assert!(!text.contains("hunter2"), "{text}");
    }
}
