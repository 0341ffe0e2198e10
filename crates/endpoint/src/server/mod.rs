//! Services behind HTTP.

mod call;
mod dispatch;
mod documents;
mod handlers;
mod web;

pub use call::{Answer, Call, Handler, Replier, Trouble};
pub use dispatch::{Service, ServiceOptions, Stats};
pub use handlers::Handlers;
pub use web::{Server, ServerOptions};
