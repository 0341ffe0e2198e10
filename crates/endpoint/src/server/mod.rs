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
pub use dispatch::{Service, ServiceOptions, Stats};
pub use handlers::Handlers;
pub use message::{InMessage, OutMessage};
pub use replies::Sharing;
pub use web::{Server, ServerOptions};
