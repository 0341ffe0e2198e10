//! [`Worth`]: whether keeping a large value pays.
//!
//! ```text
//!   kept   mostly as it was: +2      hardly anything is: -1          at the least: a pause
//!   pause  a glance at a few values a message                        half of them stayed, or long enough: kept again
//! ```

/// What a message of which some stayed saves, and what one of which hardly anything did costs.
const GAIN: i8 = 2;
const COST: i8 = 1;
/// The most that is remembered of it, and where keeping pauses.
const MOST: i8 = 8;
const LEAST: i8 = -4;

/// Messages after which a value is kept again whatever was seen of it: rows that came and went are no longer where
/// they were looked for.
const LONGEST: u32 = 64;

/// Values that are looked at in a pause.
const GLANCE: usize = 64;

/// The balance of what stands at one place of an operation's messages.
#[derive(Debug, Default)]
pub(crate) struct Worth {
    balance: i8,
    pause: Option<Box<Pause>>,
    /// Pauses that a glance ended, since the last gain.
    in_vain: u32,
    /// Messages for which it is not tried to keep the value, because it could not be kept, and how many those were the
    /// last time.
    left_alone: u32,
    left_before: u32,
}

/// What is known of a value that is not kept.
#[derive(Debug, Default)]
struct Pause {
    messages: u32,
    /// Its length, and some of its values, in the last message.
    length: usize,
    seen: Vec<u64>,
}

impl Worth {
    /// Whether the value is not kept.
    pub(crate) fn is_paused(&self) -> bool {
        self.pause.is_some()
    }

    /// The value could not be kept: to find that out costs about what keeping it does.
    pub(crate) fn leave_alone(&mut self) {
        self.left_before = (2 * self.left_before + 1).min(LONGEST - 1);
        self.left_alone = self.left_before;
    }

    /// Whether it is not tried to keep the value of this message.
    pub(crate) fn is_left_alone(&mut self) -> bool {
        let left = self.left_alone > 0;
        self.left_alone = self.left_alone.saturating_sub(1);
        left
    }

    /// A value that is kept was compared: whether some of it stayed.
    pub(crate) fn note(&mut self, stayed: bool) {
        self.left_before = 0;
        if stayed {
            self.in_vain = 0;
            self.balance = (self.balance + GAIN).min(MOST);
        } else {
            self.balance -= COST;
            if self.balance <= LEAST {
                self.pause = Some(Box::default());
            }
        }
    }

    /// Whether a value that is not kept goes on so. `glance` gives a few of its parts.
    pub(crate) fn goes_on(&mut self, length: usize, glance: impl FnOnce() -> Vec<u64>) -> bool {
        let Some(pause) = &mut self.pause else {
            return false;
        };
        pause.messages += 1;
        if pause.messages < LONGEST {
            if pause.messages >> self.in_vain == 0 {
                return true;
            }
            let seen = glance();
            let stayed = pause
                .seen
                .iter()
                .zip(&seen)
                .filter(|(old, new)| old == new)
                .count();
            if pause.length != length || pause.seen.len() != seen.len() || 2 * stayed < seen.len().max(1) {
                (pause.length, pause.seen) = (length, seen);
                return true;
            }
            self.in_vain = (self.in_vain + 1).min(LONGEST.ilog2());
        }
        self.pause = None;
        self.balance = LEAST + COST;
        false
    }
}

/// The rows that are looked at of an array, so that values are few where rows have many.
pub(crate) fn glanced(rows: usize, fields: usize) -> Vec<usize> {
    spread(rows, (GLANCE / fields.max(1)).max(1)).collect()
}

/// What is looked at of a text.
pub(crate) fn words(text: &[u8]) -> Vec<u64> {
    let word = |at| {
        let bytes = text.iter().skip(at).take(size_of::<u64>());
        bytes.fold(0, |word, &byte| word << 8 | u64::from(byte))
    };
    spread(text.len(), GLANCE).map(word).collect()
}

/// Places of so many parts of a whole, as far from each other as can be.
fn spread(whole: usize, parts: usize) -> impl Iterator<Item = usize> {
    let parts = parts.min(whole);
    (0..parts).map(move |i| i * whole / parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of so many messages are kept, of which every `nth` is as the one before it was.
    fn kept(worth: &mut Worth, messages: u64, nth: u64) -> u32 {
        let (mut kept, mut value) = (0, 0);
        for i in 1..=messages {
            let stayed = i % nth == 0;
            value += u64::from(!stayed);
            kept += u32::from(is_kept(worth, stayed, value));
        }
        kept
    }

    /// The first that is kept has nothing to be compared with.
    fn is_kept(worth: &mut Worth, stayed: bool, value: u64) -> bool {
        let was_kept = !worth.is_paused();
        let is_kept = !worth.goes_on(100, || vec![value; GLANCE]);
        if was_kept {
            worth.note(stayed);
        }
        is_kept
    }

    #[test]
    fn keeping_pauses_where_nothing_stays() {
        let mut worth = Worth::default();
        let never = u64::MAX;
        let kept = kept(&mut worth, 1000, never);
        assert!((4..4 + 2 * 1000 / 64).contains(&kept), "{kept}");
        assert!(worth.is_paused());
    }

    #[test]
    fn one_message_in_three_that_stays_is_enough() {
        assert_eq!(kept(&mut Worth::default(), 600, 3), 600);
        assert!(kept(&mut Worth::default(), 1000, 5) < 700);
    }

    #[test]
    fn what_begins_to_stay_is_seen_at_once() {
        let mut worth = Worth::default();
        kept(&mut worth, 200, u64::MAX);
        assert!(worth.is_paused());
        assert!(kept(&mut worth, 100, 1) >= 97);
        assert!(!worth.is_paused());
    }

    #[test]
    fn what_only_looks_as_if_it_stayed_is_tried_less_and_less() {
        let mut worth = Worth::default();
        let mut tried = 0;
        for _ in 0..1000 {
            tried += u32::from(is_kept(&mut worth, false, 7));
        }
        assert!(tried < 60, "{tried}");
    }

    #[test]
    fn another_length_is_another_value() {
        let mut worth = Worth::default();
        kept(&mut worth, 10, u64::MAX);
        for length in 1..50 {
            assert!(worth.goes_on(length, || vec![7; 5]));
        }
        assert!(worth.goes_on(49, || vec![7, 7, 1, 1, 1]));
        assert!(!worth.goes_on(49, || vec![7, 1, 1, 2, 1]));
    }

    #[test]
    fn what_cannot_be_kept_is_tried_less_and_less() {
        let mut worth = Worth::default();
        let mut tried = |messages| {
            let attempts = (0..messages).filter(|_| {
                let tried = !worth.is_left_alone();
                if tried {
                    worth.leave_alone();
                }
                tried
            });
            attempts.count()
        };
        assert_eq!((tried(64), tried(640)), (6, 10));
        worth.note(true);
        worth.left_alone = 0;
        worth.leave_alone();
        assert!(worth.is_left_alone() && !worth.is_left_alone());
    }

    #[test]
    fn parts_are_spread_over_the_whole() {
        let places = |whole, parts| spread(whole, parts).collect::<Vec<_>>();
        assert_eq!(places(10, 4), [0, 2, 5, 7]);
        assert_eq!(places(3, 64), [0, 1, 2]);
        assert_eq!(places(0, 64), []);
    }
}
