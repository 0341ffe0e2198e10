//! [`Worth`]: whether comparing an operation's messages with earlier ones pays.

use std::sync::atomic::{AtomicI32, AtomicU32, Ordering::Relaxed};

/// What a message that is like an earlier one saves, and what one that is like none costs: comparing pays from
/// one in three on.
const GAIN: i32 = 2;
const COST: i32 = 1;
/// The most and the least that is remembered of it, and from where on comparing pauses.
const MOST: i32 = 32;
const LEAST: i32 = -24;
const PAUSED: i32 = -16;
/// In a pause so many messages are read plainly for each that is compared.
const PLAIN: u32 = 15;

/// The balance of one operation. Threads that write it at once may lose a count, which does no harm.
#[derive(Debug, Default)]
pub(super) struct Worth {
    balance: AtomicI32,
    plain: AtomicU32,
}

impl Worth {
    /// Whether to compare the next message, and to learn from it.
    pub(super) fn is_tried(&self) -> bool {
        if self.balance.load(Relaxed) > PAUSED {
            return true;
        }
        let plain = self.plain.load(Relaxed);
        let tried = plain >= PLAIN;
        self.plain.store(if tried { 0 } else { plain + 1 }, Relaxed);
        tried
    }

    /// A message was compared.
    pub(super) fn note(&self, alike: bool) {
        let before = self.balance.load(Relaxed);
        let after = (before + if alike { GAIN } else { -COST }).clamp(LEAST, MOST);
        if after != before {
            self.balance.store(after, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of so many messages are compared, of which `alike` in twelve are like others.
    fn tried(worth: &Worth, messages: u32, alike: u32) -> u32 {
        let mut tried = 0;
        for i in 0..messages {
            if worth.is_tried() {
                tried += 1;
                worth.note(i * 5 % 12 < alike);
            }
        }
        tried
    }

    #[test]
    fn comparing_pauses_where_few_are_alike_and_goes_on_when_more_are() {
        let worth = Worth::default();
        assert_eq!(tried(&worth, 1200, 12), 1200);
        assert_eq!(tried(&worth, 1200, 6), 1200);
        let few = tried(&worth, 2400, 2);
        assert!((150..800).contains(&few), "{few}");
        assert!(tried(&worth, 1600, 2) <= 110);
        assert!(tried(&worth, 1200, 12) > 900);
        assert_eq!(tried(&worth, 1200, 12), 1200);
    }
}
