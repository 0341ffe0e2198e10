//! What a send cost: [`Report`].

/// How much a message was like the one sent before (paper 000, 3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    /// Nothing changed: the same bytes again.
    Content,
    /// Values changed, and each fits where the last one lay.
    PerfectStructural,
    /// Some value took another width, or parts came, went or moved.
    PartialStructural,
    /// No earlier message was of use, or none is kept.
    #[default]
    FirstTime,
}

impl Match {
    /// The name in logs and figures.
    pub fn name(self) -> &'static str {
        match self {
            Match::Content => "content",
            Match::PerfectStructural => "perfect-structural",
            Match::PartialStructural => "partial-structural",
            Match::FirstTime => "first-time",
        }
    }
}

/// What was done to make a message of the last one. Counts are of this message only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Which match it was.
    pub kind: Match,
    /// Which of the shapes that are known of its operation the message has, from zero: messages of one number
    /// have the same parts, of the same lengths. A shape that was not sent for long gives its number up.
    pub structure: u32,
    /// The number of the message: two messages of this process that have the same have the same bytes. Zero:
    /// nothing is known of it.
    pub message: u64,
    /// Values of kept arrays that were compared with those sent last.
    pub values_compared: u64,
    /// Of those, found changed and written into their slots.
    pub values_rewritten: u64,
    /// Values that were written anew, chunk by chunk.
    pub values_written: u64,
    /// Values whose bytes were taken over from another message of the same [`Pool`](crate::Pool).
    pub values_shared: u64,
    /// Bytes of the message.
    pub bytes_total: u64,
    /// Bytes of kept chunks that were written; the rest stood there already.
    pub bytes_rewritten: u64,
    /// Bytes moved to make room, or to close a gap.
    pub bytes_shifted: u64,
    /// Values that grew into the spaces of a neighbour.
    pub widths_stolen: u64,
    /// Chunks split because they had grown too large.
    pub chunks_split: u64,
    /// Chunks copied before they were patched, because a connection was still sending them.
    pub chunks_copied: u64,
    /// Bytes outside kept arrays, always written anew.
    pub bytes_around: u64,
    /// Large values that were not kept, because of late hardly anything of them stayed
    /// ([`Options::pauses`](crate::Options::pauses)): they are among the bytes around, and compared with nothing.
    pub paused: u64,
}

impl Report {
    /// Values of which nothing could be used.
    pub(crate) fn values_new(&self) -> u64 {
        self.values_rewritten + self.values_written
    }

    /// Adds the counts of another part of the same message, or of another message.
    pub(crate) fn add(&mut self, other: &Report) {
        self.values_compared += other.values_compared;
        self.values_rewritten += other.values_rewritten;
        self.values_written += other.values_written;
        self.values_shared += other.values_shared;
        self.bytes_total += other.bytes_total;
        self.bytes_rewritten += other.bytes_rewritten;
        self.bytes_shifted += other.bytes_shifted;
        self.widths_stolen += other.widths_stolen;
        self.chunks_split += other.chunks_split;
        self.chunks_copied += other.chunks_copied;
        self.bytes_around += other.bytes_around;
        self.paused += other.paused;
    }
}
