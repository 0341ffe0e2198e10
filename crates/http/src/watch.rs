//! [`Watch`]: who looks at a body while it comes.

use std::any::Any;
use std::fmt;

/// Looks at the body of a message while it comes, on the thread that reads it: what it does is done when the last byte has.
pub trait Watch: Any + fmt::Debug + Send + Sync {
    /// Some more of a body came: `body` is all of it from its first byte on, as it was sent. It is asked now and then while a
    /// large body comes that is not compressed, and not once it has come whole.
    fn came(&self, body: &[u8]);
}
