//! The layers of a call: WS-Security tokens and timestamps, WS-Addressing.

use castile_endpoint::Layers;
use castile_endpoint::addressing::{Addressing, AddressingOptions, EndpointReference};
use castile_security::{ClientOptions, ClientSecurity, ClockOffset, Password, Timestamp, UsernameToken};
use clap::Args;

use super::secret;
use crate::failure::Failure;

/// Headers that say who we are and where a message goes.
#[derive(Args, Debug)]
pub(crate) struct LayerArgs {
    /// WS-Security UsernameToken: USER:PASSWORD, @FILE or env:NAME
    #[arg(long, value_name = "SECRET", help_heading = "SOAP headers")]
    wsse_user: Option<String>,
    /// Send the password of --wsse-user as a digest with nonce and time instead of text
    #[arg(long, requires = "wsse_user", help_heading = "SOAP headers")]
    wsse_digest: bool,
    /// Seconds that the peer's clock is ahead of ours
    #[arg(
        long,
        value_name = "SECONDS",
        allow_negative_numbers = true,
        default_value_t = 0.0,
        help_heading = "SOAP headers"
    )]
    clock_offset: f64,
    /// Add a WS-Security timestamp, good for five minutes
    #[arg(long, help_heading = "SOAP headers")]
    wsse_timestamp: bool,
    /// Add WS-Addressing headers and check that the reply relates to the request
    #[arg(long, help_heading = "SOAP headers")]
    addressing: bool,
    /// The address in the header To, instead of the one that is called
    #[arg(
        long,
        value_name = "URL",
        requires = "addressing",
        help_heading = "SOAP headers"
    )]
    to: Option<String>,
}

impl LayerArgs {
    /// The layers themselves.
    ///
    /// # Errors
    /// A secret that cannot be read, or has no colon.
    pub(super) fn layers(&self) -> Result<Layers, Failure> {
        let mut layers = Layers::default();
        if self.addressing {
            layers = layers.with(Addressing::new(AddressingOptions {
                to: self.to.clone().map(EndpointReference::new),
                ..AddressingOptions::default()
            }));
        }
        if self.wsse_user.is_some() || self.wsse_timestamp {
            layers = layers.with(ClientSecurity::new(ClientOptions {
                username: self
                    .wsse_user
                    .as_deref()
                    .map(|given| self.token(given))
                    .transpose()?,
                timestamp: self.wsse_timestamp.then(Timestamp::default),
                clock_offset: ClockOffset::new((self.clock_offset * 1000.0) as i64),
                ..ClientOptions::default()
            }));
        }
        Ok(layers)
    }

    fn token(&self, given: &str) -> Result<UsernameToken, Failure> {
        let (user, password) = secret::pair("--wsse-user", given)?;
        let kind = if self.wsse_digest {
            Password::Digest
        } else {
            Password::Text
        };
        Ok(UsernameToken::new(user, password, kind))
    }
}
