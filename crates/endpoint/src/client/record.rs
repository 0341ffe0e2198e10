//! What a call did.

use std::time::Duration;

use bytes::Bytes;
use castile_http::Timings;

use super::related::Attachment;
use crate::payload::Payload;

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
    /// The request's envelope, and what of it was made from the last one. As long as it is kept, the
    /// next request copies what it changes.
    pub request: Payload,
    /// The reply's body as it came, decompressed; empty for one-way operations.
    pub reply: Bytes,
    /// How the reply was read: by comparing it with an earlier one, or plainly.
    pub received: castile_diff::Received,
    /// Status of HTTP.
    pub status: u16,
    /// Header fields of HTTP that came with the reply.
    pub http_headers: Vec<(String, String)>,
    /// Parts beside the envelope of the reply.
    pub attachments: Vec<Attachment>,
}
