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
    /// Read by itself what a message has and none before had, where most of it is known, and learn it. Off, such a message is
    /// read plainly from its start, once for each new way. Default on.
    pub parts: bool,
    /// Peers of whom something is kept that is compared with nobody else's messages. Default 1024.
    pub peers_max: usize,
    /// Keep the last message of each peer and operation, so that of an array of numbers only those that differ
    /// are read. Default on.
    pub values: bool,
    /// Read arrays of numbers of a large message that begins like an earlier one while it comes, so that little is left to do
    /// when its last byte has. Default on.
    pub ahead: bool,
    /// Messages smaller than this are not kept: reading them is quicker. Default 4 KiB.
    pub values_bytes_min: usize,
    /// Bytes that last messages and what was made of them may take; a message of more than a quarter is not
    /// kept. Default 64 MiB.
    pub values_budget_bytes: usize,
    /// What becomes of the object that was made of the last message. Default [`Reuse::Fresh`].
    pub reuse: Reuse,
}

/// What becomes of the object that was made of the last message (paper 001).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reuse {
    /// Each message gives a new object.
    #[default]
    Fresh,
    /// A message that is the same as the last gives the same object again, which nobody may write to: what a
    /// client's `call_shared` and Python's arrays do.
    Shared,
    /// The arrays of the last object are filled anew, if the caller gives it back: what a client's `call_into`
    /// does. In Python the array that the caller holds is written into.
    InPlace,
}

impl Default for Receiving {
    fn default() -> Self {
        Receiving {
            enabled: true,
            budget_bytes: 16 << 20,
            tracks_max: 8,
            parts: true,
            peers_max: 1024,
            values: true,
            ahead: true,
            values_bytes_min: 4 << 10,
            values_budget_bytes: 64 << 20,
            reuse: Reuse::Fresh,
        }
    }
}

impl Receiving {
    /// Every message is decoded plainly.
    pub fn off() -> Receiving {
        Receiving {
            enabled: false,
            values: false,
            ..Receiving::default()
        }
    }
}
