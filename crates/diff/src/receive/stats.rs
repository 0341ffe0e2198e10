//! [`ReceivingStats`]: what differential receiving did.

use std::sync::atomic::{AtomicU64, Ordering};

use castile_codec::Reading;

#[derive(Debug, Default)]
pub(super) struct Counters {
    followed: AtomicU64,
    plain: AtomicU64,
    learned: AtomicU64,
    bytes_compared: AtomicU64,
    bytes_ahead: AtomicU64,
    bytes_parsed: AtomicU64,
    same: AtomicU64,
    values_kept: AtomicU64,
    values_parsed: AtomicU64,
}

/// What differential receiving did since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceivingStats {
    /// Messages that were like an earlier one.
    pub followed: u64,
    /// Messages decoded plainly.
    pub plain: u64,
    /// Of those, learned.
    pub learned: u64,
    /// Bytes of the messages that were followed.
    pub bytes_compared: u64,
    /// Of those, bytes that had been read when the last one of their message came.
    pub bytes_ahead: u64,
    /// Bytes of the messages that were not.
    pub bytes_parsed: u64,
    /// Messages that were the same as the last one, whose object was given again.
    pub same: u64,
    /// Numbers in arrays that were those of the last message, and not read again.
    pub values_kept: u64,
    /// Numbers in the arrays of messages that were kept that were read.
    pub values_parsed: u64,
    /// Bytes kept now, of what was learned and of last messages.
    pub memory: u64,
}

impl Counters {
    /// The figures, with so many bytes kept now.
    pub(super) fn stats(&self, memory: u64) -> ReceivingStats {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        ReceivingStats {
            followed: load(&self.followed),
            plain: load(&self.plain),
            learned: load(&self.learned),
            bytes_compared: load(&self.bytes_compared),
            bytes_ahead: load(&self.bytes_ahead),
            bytes_parsed: load(&self.bytes_parsed),
            same: load(&self.same),
            values_kept: load(&self.values_kept),
            values_parsed: load(&self.values_parsed),
            memory,
        }
    }

    /// Adds a message of so many bytes that was read.
    pub(super) fn read(&self, reading: &Reading, length: usize, bytes_ahead: usize) {
        match reading.followed {
            Some(_) => {
                self.followed(length);
                add(&self.bytes_ahead, bytes_ahead);
            }
            None => {
                add(&self.plain, 1);
                add(&self.bytes_parsed, length);
            }
        }
        add(&self.values_kept, reading.values_kept);
        add(&self.values_parsed, reading.values_parsed);
    }

    /// Adds a message of so many bytes that was the same as the last.
    pub(super) fn same(&self, length: usize) {
        add(&self.same, 1);
        self.followed(length);
    }

    /// Adds a lesson.
    pub(super) fn learned(&self) {
        add(&self.learned, 1);
    }

    fn followed(&self, length: usize) {
        add(&self.followed, 1);
        add(&self.bytes_compared, length);
    }
}

/// The threads of a server meet here: what need not be written is not.
fn add(counter: &AtomicU64, n: usize) {
    if n > 0 {
        counter.fetch_add(n as u64, Ordering::Relaxed);
    }
}
