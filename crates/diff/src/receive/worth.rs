//! [`Worth`]: whether comparing an operation's messages with earlier ones pays; [`Habit`]: whether keeping them did.

use std::sync::atomic::{AtomicI32, AtomicU32, Ordering::Relaxed};

/// What became of a message that was compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It was like an earlier one, and most of it need not be parsed.
    Gained,
    /// It was like none.
    Unlike,
    /// It was like an earlier one, and yet nearly all of it was read as the plain decoder reads it.
    Read,
}

impl Outcome {
    /// What a message that is like an earlier one saves, and what others cost: comparing pays from one in three on.
    /// That a message is long and alike and nothing is saved says at once that it is so with the next.
    fn gain(self) -> i32 {
        match self {
            Outcome::Gained => 2,
            Outcome::Unlike => -1,
            Outcome::Read => -8,
        }
    }
}

/// The most and the least that is remembered of it, and from where on comparing pauses.
const MOST: i32 = 32;
const LEAST: i32 = -24;
const PAUSED: i32 = -16;
/// In a pause so many messages are read plainly for each that is compared: twice as many after each that was
/// compared in vain.
const PLAIN_LEAST: u32 = 15;
const PLAIN_MOST: u32 = 63;

/// The balance of one operation. Threads that write it at once may lose a count, which does no harm.
#[derive(Debug)]
pub(super) struct Worth {
    balance: AtomicI32,
    /// Messages that are read plainly before the next is compared, and as many the next time.
    plain: AtomicU32,
    pause: AtomicU32,
}

impl Default for Worth {
    fn default() -> Worth {
        Worth {
            balance: AtomicI32::new(0),
            plain: AtomicU32::new(0),
            pause: AtomicU32::new(PLAIN_LEAST),
        }
    }
}

impl Worth {
    /// Whether to compare the next message, and to learn from it.
    pub(super) fn is_tried(&self) -> bool {
        if self.balance.load(Relaxed) > PAUSED {
            return true;
        }
        let plain = self.plain.load(Relaxed);
        self.plain.store(plain.saturating_sub(1), Relaxed);
        plain == 0
    }

    /// A message was compared. Where that paid the next is compared as well.
    pub(super) fn note(&self, outcome: Outcome) {
        let before = self.balance.load(Relaxed);
        let after = (before + outcome.gain()).clamp(LEAST, MOST);
        if after != before {
            self.balance.store(after, Relaxed);
        }
        if outcome == Outcome::Gained {
            if self.pause.load(Relaxed) != PLAIN_LEAST {
                self.pause.store(PLAIN_LEAST, Relaxed);
            }
        } else if after <= PAUSED {
            let pause = self.pause.load(Relaxed);
            self.plain.store(pause, Relaxed);
            self.pause.store((2 * pause + 1).min(PLAIN_MOST), Relaxed);
        }
    }
}

/// Whether it was of use to keep messages of one operation, whoever sent them: what to expect of a sender that nothing
/// is known of. Connections are short where callers are many, and each would else be kept in vain anew.
#[derive(Debug, Default)]
pub(super) struct Habit(AtomicI32);

/// The most that a habit remembers either way.
const HABIT: i32 = 4;

impl Habit {
    /// A message was compared with the one before it of its sender, and enough of it was there or not.
    pub(super) fn note(&self, useful: bool) {
        let before = self.0.load(Relaxed);
        let after = (before + if useful { 2 } else { -1 }).clamp(-HABIT, HABIT);
        if after != before {
            self.0.store(after, Relaxed);
        }
    }

    /// Whether messages of late were kept in vain.
    pub(super) fn is_vain(&self) -> bool {
        self.0.load(Relaxed) == -HABIT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_habit_changes_when_messages_do() {
        let habit = Habit::default();
        for _ in 0..HABIT {
            assert!(!habit.is_vain());
            habit.note(false);
        }
        habit.note(false);
        assert!(habit.is_vain());
        habit.note(true);
        assert!(!habit.is_vain());
    }

    /// How many of so many messages are compared, of which `alike` in twelve are like others and the rest like
    /// none, or not worth it.
    fn tried(worth: &Worth, messages: u32, alike: u32, otherwise: Outcome) -> u32 {
        let mut tried = 0;
        for i in 0..messages {
            if worth.is_tried() {
                tried += 1;
                let gained = i * 5 % 12 < alike;
                worth.note(if gained { Outcome::Gained } else { otherwise });
            }
        }
        tried
    }

    #[test]
    fn comparing_pauses_where_few_are_alike_and_goes_on_when_more_are() {
        let worth = Worth::default();
        assert_eq!(tried(&worth, 1200, 12, Outcome::Unlike), 1200);
        assert_eq!(tried(&worth, 1200, 6, Outcome::Unlike), 1200);
        let few = tried(&worth, 2400, 2, Outcome::Unlike);
        assert!((100..800).contains(&few), "{few}");
        assert!(tried(&worth, 1600, 2, Outcome::Unlike) <= 110);
        assert!(tried(&worth, 1200, 12, Outcome::Unlike) > 1100);
        assert_eq!(tried(&worth, 1200, 12, Outcome::Unlike), 1200);
    }

    #[test]
    fn what_saves_nothing_is_soon_read_plainly_and_seldom_tried() {
        let worth = Worth::default();
        assert!(tried(&worth, 16, 0, Outcome::Read) <= 2);
        assert!(tried(&worth, 6400, 0, Outcome::Read) <= 103, "one in 64");
        assert!(tried(&worth, 200, 12, Outcome::Read) >= 136, "it pays again");
    }
}
