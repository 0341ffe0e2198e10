//! The way of SOAP messages over the network: an HTTP/1.1 client and server.
//!
//! **Purpose.** Move the bytes of requests and replies, under limits, with the lowest latency and
//! errors that say whose fault they are. **Not here:** anything about SOAP, XML or WSDL; caching;
//! HTTP/2; file serving.
//!
//! ```text
//! Client ── pool ── connect ─ proxy? ─ TLS? ── hyper ┄┄ network ┄┄ hyper ── exchange ── Service
//!   │ authentication, cookies, redirects,              accept ─ TLS? │ limits, authentication,
//!   │ compression, time limits                                       │ compression, graceful stop
//! ```
//!
//! ```
//! use castile_http::{blocking, ClientOptions, Request, Server, ServerOptions, ServerResponse};
//! use castile_http::{ServerRequest, StatusCode};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::bind("127.0.0.1:0", ServerOptions::default())?;
//! let running = server.serve_in_background(|request: ServerRequest| async move {
//!     ServerResponse::new(StatusCode::OK, "text/xml", request.body)
//! })?;
//!
//! let client = blocking::Client::new(ClientOptions::default())?;
//! let url = format!("http://{}/echo", running.addr()).parse()?;
//! let reply = client.send(Request::post(url, "<a/>").header("Content-Type", "text/xml")?)?;
//! assert_eq!(reply.body, "<a/>");
//! running.stop();
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

pub mod blocking;
mod body;
mod challenge;
mod client;
mod coding;
mod digest;
mod error;
mod gather;
mod message;
mod meter;
mod park;
mod portion;
mod server;
mod tls;
mod unpack;
mod watch;

pub use bytes::Bytes;
pub use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
pub use url::Url;

pub use self::body::{Body, BodyError, BodySender, Disconnected};
pub use self::client::{
    Auth, Client, ClientOptions, Compression, Encoding, Proxy, Receiving, Redirects, Retry, Tls,
};
pub use self::error::{Error, Guilty, Kind, Phase};
pub use self::message::{Request, Response, Timings};
pub use self::portion::Portion;
pub use self::server::{
    Arriving, Caller, CheckPassword, CheckToken, Direct, FindPassword, Handle, Running, Server, ServerAuth,
    ServerOptions, ServerRequest, ServerResponse, ServerTls, Service,
};
pub use self::watch::Watch;
