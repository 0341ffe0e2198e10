//! What a call did.

use std::time::Duration;

use bytes::Bytes;
use castile_http::Timings;

/// What one call did and cost.
#[derive(Clone, Debug)]
pub struct Record {
    /// The operation's name.
    pub operation: String,
    /// Where it went.
    pub endpoint: String,
    /// Turning values into bytes.
    pub encode: Duration,
    /// The exchange over the network, step by step.
    pub network: Timings,
    /// Turning bytes into values.
    pub decode: Duration,
    /// The request's envelope.
    pub request: Bytes,
    /// The reply's body as it came, decompressed; empty for one-way operations.
    pub reply: Bytes,
    /// Status of HTTP.
    pub status: u16,
    /// Header fields of HTTP that came with the reply.
    pub http_headers: Vec<(String, String)>,
}
