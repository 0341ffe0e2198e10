//! Services behind HTTP.

mod call;
mod dispatch;
mod documents;
mod find;
mod handlers;
mod message;
mod outbox;
mod replies;
mod web;

pub use call::{Answer, Call, Handler, Replier, Trouble};
pub use dispatch::{Cause, FaultStyle, Service, ServiceOptions, Stats};
pub use handlers::Handlers;
pub(crate) use handlers::dynamic;
pub use message::{Early, InMessage, OutMessage};
pub use replies::Sharing;
pub(crate) use web::{Posted, Unread, http};
pub use web::{Server, ServerOptions};
