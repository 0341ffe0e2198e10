//! [`Worth`]: whether comparing a sender's documents with earlier ones pays.

/// The balance of the documents so far.
#[derive(Debug, Clone)]
pub(super) struct Worth {
    balance: i32,
    /// Documents to come until comparing is tried again, and as many the next time.
    left: u32,
    pause: u32,
}

/// The most and the least that is remembered, and from where on comparing pauses.
const MOST: i32 = 16;
const LEAST: i32 = -12;
const PAUSED: i32 = -8;
/// In a pause so many documents are read plainly, twice as many after each time that was in vain.
const PLAIN_LEAST: u32 = 14;
const PLAIN_MOST: u32 = 126;
/// Then so many are read beside what is kept: the first to keep it, the second to compare it with.
const TRIED: u32 = 2;

impl Default for Worth {
    fn default() -> Worth {
        Worth {
            balance: 0,
            left: 0,
            pause: PLAIN_LEAST,
        }
    }
}

impl Worth {
    /// Whether to compare the next document, and to keep it.
    pub(super) fn is_tried(&mut self) -> bool {
        if self.balance > PAUSED {
            return true;
        }
        self.left = self.left.saturating_sub(1);
        self.left < TRIED
    }

    /// A document was compared.
    pub(super) fn note(&mut self, gained: bool) {
        self.balance = (self.balance + if gained { 2 } else { -1 }).clamp(LEAST, MOST);
        if gained {
            self.pause = PLAIN_LEAST;
        } else if self.balance <= PAUSED && self.left == 0 {
            self.left = self.pause + TRIED;
            self.pause = (2 * self.pause + TRIED).min(PLAIN_MOST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of so many documents are compared, when `alike` in a dozen are like the one before.
    fn tried(worth: &mut Worth, documents: u32, alike: u32) -> u32 {
        let mut tried = 0;
        for i in 0..documents {
            if worth.is_tried() {
                tried += 1;
                worth.note(i * 5 % 12 < alike);
            }
        }
        tried
    }

    #[test]
    fn comparing_pauses_where_few_are_alike_and_goes_on_when_more_are() {
        let mut worth = Worth::default();
        assert_eq!(tried(&mut worth, 1200, 12), 1200);
        assert_eq!(tried(&mut worth, 1200, 6), 1200);
        assert!(tried(&mut worth, 1200, 0) < 80);
        assert!(tried(&mut worth, 12_800, 0) <= 202, "two in 128");
        assert!(tried(&mut worth, 1200, 12) > 1070);
        assert_eq!(tried(&mut worth, 1200, 12), 1200);
    }
}
