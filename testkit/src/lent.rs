//! A message that a receiver may keep.

use std::sync::Arc;

/// A text that others may hold as well, as a connection lends the bytes of a message.
#[derive(Clone, Debug)]
pub struct Lent(pub Arc<str>);

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}
