//! WS-Security as a [`Layer`](castile_codec::Layer): UsernameToken (OASIS UsernameToken Profile 1.1)
//! and Timestamp (OASIS SOAP Message Security 1.1, 10), for both roles.
//!
//! ```text
//!   ClientSecurity  request ─▶ <wsse:Security> <wsu:Timestamp/> <wsse:UsernameToken/>
//!   ServerSecurity  check_request: who, with which password, when, and not for the second time
//! ```
//!
//! Clock and randomness come in with each message; what is kept between messages is the offset of a
//! device's clock ([`ClockOffset`]) and the nonces of late ([`ServerSecurity`]), which have a limit.
//!
//! Non-goals: nothing is signed or encrypted here. A token proves who sent a message, not that nobody
//! changed it: use TLS, or a network that you trust.
//!
//! ```
//! use castile_security::{ClientOptions, ClientSecurity, Password, UsernameToken};
//!
//! let token = UsernameToken::new("admin", "secret", Password::Digest);
//! let layer = ClientSecurity::new(ClientOptions {
//!     username: Some(token),
//!     ..ClientOptions::default()
//! });
//! assert!(!format!("{layer:?}").contains("secret"));
//! ```
#![forbid(unsafe_code)]

mod client;
mod fault;
mod names;
mod read;
mod replay;
mod secret;
mod server;
mod write;

pub use client::{ClientOptions, ClientSecurity, ClockOffset, Timestamp, UsernameToken};
pub use secret::{Password, Secret, password_digest};
pub use server::{Passwords, ServerOptions, ServerSecurity};
