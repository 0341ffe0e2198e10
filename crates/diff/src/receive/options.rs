//! What of differential receiving a user can set.

/// Settings of differential receiving.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receiving {
    /// Learn from messages at all. Off, every message is decoded plainly. Default on.
    pub enabled: bool,
    /// Bytes that may be kept; beyond it what was not used for longest goes. Default 16 MiB.
    pub budget_bytes: usize,
    /// Shapes of messages that are kept of one operation whose messages begin alike. Default 8.
    pub tracks_max: usize,
    /// Peers of whom something is kept that is compared with nobody else's messages. Default 1024.
    pub peers_max: usize,
}

impl Default for Receiving {
    fn default() -> Self {
        Receiving {
            enabled: true,
            budget_bytes: 16 << 20,
            tracks_max: 8,
            peers_max: 1024,
        }
    }
}

impl Receiving {
    /// Every message is decoded plainly.
    pub fn off() -> Receiving {
        Receiving {
            enabled: false,
            ..Receiving::default()
        }
    }
}
