//! [`Document`]: one that was read, to compare the next one with.

use crate::compare::common_prefix;
use crate::reader::Entry;

/// A document's bytes, and what a reader found in them.
#[derive(Debug, Clone, Default)]
pub(super) struct Document {
    pub(super) text: Vec<u8>,
    pub(super) tape: Vec<Entry>,
}

/// How much of its beginning and its end tells whether a document is like another one. The end says more: there
/// are tags, and seldom values.
const BEGINNING: usize = 4096;
const END: usize = 128;
const END_WEIGHT: usize = 16;

impl Document {
    pub(super) fn is_empty(&self) -> bool {
        self.tape.is_empty()
    }

    /// Bytes of memory.
    pub(super) fn memory(&self) -> usize {
        self.text.capacity() + self.tape.capacity() * size_of::<Entry>()
    }

    /// How much like another document it is; only to be compared.
    pub(super) fn likeness(&self, text: &[u8]) -> usize {
        let beginning = &text[..text.len().min(BEGINNING)];
        let ends = text.iter().rev().zip(self.text.iter().rev()).take(END);
        let end = ends.take_while(|(new, old)| new == old).count();
        common_prefix(&self.text, beginning) + END_WEIGHT * end
    }

    /// Takes the text of the document that was read beside it.
    pub(super) fn set_text(&mut self, text: &[u8]) {
        if text.len() > self.text.capacity() {
            self.text = Vec::with_capacity(text.len());
        }
        self.text.clear();
        self.text.extend_from_slice(text);
    }
}
