//! The harness's own end of each connection: raw sockets, the least HTTP that is needed, and one clock.

pub(crate) mod clock;
pub(crate) mod head;
pub(crate) mod load;
pub(crate) mod raw;
pub(crate) mod sender;
pub(crate) mod sink;
