//! Services behind HTTP.

mod arguments;
mod call;
mod dispatch;
mod documents;
mod find;
mod handlers;
mod handling;
mod message;
mod open;
mod outbox;
mod replies;
mod web;

pub use arguments::ArgumentStream;
pub use call::{Answer, Call, Handler, Replier, Trouble};
pub use dispatch::{Cause, FaultStyle, Service, ServiceOptions, Stats};
pub use handlers::Handlers;
pub(crate) use handlers::dynamic;
pub use message::{Early, InMessage, OutMessage};
pub use replies::Sharing;
pub(crate) use web::{Posted, Unread, http};
pub use web::{Server, ServerOptions};
