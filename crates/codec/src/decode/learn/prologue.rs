//! [`Prologue`]: how messages begin.

use castile_message::Version;

use super::markup::is_markup;
use crate::fault::Name;

/// The bytes of a message through the start tag of its first body element, without its header blocks: nothing is
/// kept of those.
#[derive(Debug, PartialEq, Eq)]
pub struct Prologue {
    pub(in super::super) bytes: Box<str>,
    /// How many of the bytes stand before the header blocks; `None` when there are no blocks.
    pub(in super::super) head: Option<usize>,
    pub(in super::super) version: Version,
    pub(in super::super) first: Name,
}

impl Prologue {
    /// Whether it says more than names, which nobody else's message may be compared with.
    pub fn is_private(&self) -> bool {
        let declared = self
            .bytes
            .strip_prefix("<?xml")
            .and_then(|rest| rest.split_once("?>"));
        let markup = declared.map_or(&*self.bytes, |(_, rest)| rest);
        !is_markup(markup.as_bytes())
    }

    /// The bytes before the header blocks, and those after them.
    pub(super) fn around_blocks(&self) -> Option<(&[u8], &[u8])> {
        self.bytes.as_bytes().split_at_checked(self.head?)
    }

    /// Bytes of memory, roughly.
    pub fn memory(&self) -> usize {
        self.bytes.len() + self.first.namespace.len() + self.first.local.len() + size_of::<Self>()
    }
}
