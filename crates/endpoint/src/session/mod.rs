//! Sessions in which either side calls: a server calls inside its HTTP replies.
//!
//! ```text
//!   guest ── POST request ──▶ host      the guest opens, and calls as any client does
//!         ◀──── reply ───────
//!         ── POST (empty) ──▶           it has no more to ask: the turn passes
//!         ◀──── request ─────           the host calls in its reply
//!         ──── POST reply ──▶
//!         ◀──── 204 ────────            it has no more to ask either: the session ends
//! ```
//!
//! The [`Host`] is the HTTP server: it keeps sessions apart by a cookie, answers what guests ask with a
//! [`Service`](crate::Service), and when the turn is its own, runs a [`Program`] with a [`Session`], whose
//! calls go out in HTTP replies. The guest is a [`Client`](crate::Client) that
//! [takes calls](crate::Client::take_calls) when it has no more to ask. CWMP works so ([`crate::cwmp`]).

mod conversation;
mod guest;
mod host;
mod link;
mod live;
mod program;

/// What is used to make hosts of a protocol.
pub(crate) mod host_parts {
    pub(crate) use super::host::Part;
    pub(crate) use super::program::{program, program_blocking};
}

pub use conversation::{Conversation, Said};
pub use host::{Host, HostOptions, HostServer};
pub use program::{Program, Running, Session};
