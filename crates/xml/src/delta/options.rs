//! How a [`Delta`](super::Delta) reads, and what it did: [`DeltaOptions`], [`DeltaStats`].

use crate::limits::Limits;

/// How documents are read, and how much of them may be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeltaOptions {
    /// Limits of each document.
    pub limits: Limits,
    /// Bytes of memory for documents that are kept. A document takes its own length and 16 bytes for each token
    /// and attribute, mostly three times its length in all; what would take more is read plainly. Default 8 MiB.
    pub budget_bytes: usize,
    /// Documents that are kept, so that a sender may have several kinds; a new one is compared with the one
    /// whose beginning and end are most like its own. Default 4.
    pub documents_max: u16,
    /// Whether to read some documents plainly where the last ones had little in common with those before.
    /// Default true.
    pub pauses: bool,
}

impl Default for DeltaOptions {
    fn default() -> Self {
        DeltaOptions {
            limits: Limits::default(),
            budget_bytes: 8 << 20,
            documents_max: 4,
            pauses: true,
        }
    }
}

/// What a [`Delta`](super::Delta) did since it was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeltaStats {
    /// Documents begun.
    pub documents: u64,
    /// Those of them that were read plainly: in a pause, or longer than the budget.
    pub documents_plain: u64,
    /// Documents that are kept now.
    pub documents_kept: u64,
    /// Tokens that were read, and not found equal; in documents read plainly they are not counted.
    pub tokens_read: u64,
    /// Bytes of these tokens.
    pub bytes_read: u64,
    /// Bytes of all other tokens: equal to those of an earlier document.
    pub bytes_same: u64,
    /// Bytes of memory that are kept, roughly.
    pub memory: usize,
}
