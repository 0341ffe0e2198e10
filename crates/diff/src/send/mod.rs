//! Sending: the message sent last is the template of the next.

mod align;
mod array;
mod block;
mod changed;
mod chunk;
mod compare;
mod costs;
#[allow(unsafe_code, reason = "see there")]
mod differ;
mod keeper;
mod layout;
mod list;
mod number;
mod options;
mod patch;
mod pieces;
mod pool;
#[allow(unsafe_code, reason = "see there")]
mod prefetch;
mod rebuild;
mod refresh;
mod report;
mod room;
mod slots;
mod spares;
mod store;
mod template;
mod text;
mod typical;
mod worth;

pub use costs::{Costs, Steps};
pub use options::{Options, Stuffing, Widths};
pub use pieces::{Piece, Pieces};
pub use pool::Pool;
pub use report::{Match, Report};
pub use store::{Stats, Templates};
pub use template::Template;
