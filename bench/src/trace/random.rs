//! Random numbers that are the same everywhere and for ever: SplitMix64.

pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Below `bound`.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Uniform in 0 to 1, all 53 bits.
    pub(super) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        let index = self.below(from.len() as u64);
        from[index as usize]
    }

    /// Letters and digits.
    pub(super) fn word(&mut self, length: usize) -> String {
        const SIGNS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
        (0..length).map(|_| char::from(self.pick(SIGNS))).collect()
    }

    /// English-looking text of words, with the signs that XML must escape now and then.
    pub(super) fn sentence(&mut self, words: usize) -> String {
        const WORDS: &[&str] = &[
            "grid",
            "service",
            "resource",
            "the",
            "of",
            "message",
            "array",
            "computing",
            "AT&T",
            "result",
            "a",
            "<b>performance</b>",
            "for",
            "open",
            "science",
            "network",
            "data",
            "and",
        ];
        (0..words).map(|_| self.pick(WORDS)).collect::<Vec<_>>().join(" ")
    }
}
