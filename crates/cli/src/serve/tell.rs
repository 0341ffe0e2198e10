//! What the server prints: one line a call, with the time.

use std::io::Write;
use std::net::SocketAddr;
use std::time::{SystemTime, UNIX_EPOCH};

/// A line; whoever reads it may have gone away.
pub(super) fn line(text: &str) {
    let mut out = anstream::stdout().lock();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

/// A line with the time of day (UTC).
pub(super) fn call(text: &str) {
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_secs());
    let (hours, minutes, seconds) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    line(&format!("{hours:02}:{minutes:02}:{seconds:02}Z {text}"));
}

/// Who calls.
pub(super) fn peer(peer: Option<SocketAddr>) -> String {
    peer.map_or_else(|| "nowhere".into(), |peer| peer.to_string())
}
