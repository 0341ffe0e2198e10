//! The layers of a mock server: who may call, and addressed replies.

use std::collections::HashMap;
use std::sync::Arc;

use castile_endpoint::Layers;
use castile_endpoint::addressing::{AddressingService, AddressingServiceOptions, Elsewhere};
use castile_security::{ServerOptions, ServerSecurity};
use clap::Args;

use crate::failure::Failure;
use crate::secret;

/// What headers requests must have.
#[derive(Args, Debug)]
pub(crate) struct LayerArgs {
    /// Ask for a WS-Security UsernameToken of this user: USER:PASSWORD, @FILE or env:NAME; may be
    /// given several times
    #[arg(long = "wsse-user", value_name = "SECRET", help_heading = "SOAP headers")]
    wsse_users: Vec<String>,
    /// Take passwords as a digest only
    #[arg(long, requires = "wsse_users", help_heading = "SOAP headers")]
    wsse_digest: bool,
    /// Ask for a WS-Security timestamp, and put one into replies
    #[arg(long, help_heading = "SOAP headers")]
    wsse_timestamp: bool,
    /// Refuse requests without WS-Addressing headers; they are understood in any case
    #[arg(long, help_heading = "SOAP headers")]
    addressing: bool,
    /// Send replies to this host when a caller asks for it, `host` or `host:port`, or * for any; may be
    /// given several times
    #[arg(long = "reply-host", value_name = "HOST", help_heading = "SOAP headers")]
    reply_hosts: Vec<String>,
}

impl LayerArgs {
    /// The layers themselves.
    ///
    /// # Errors
    /// A secret that cannot be read, or has no colon.
    pub(super) fn layers(&self) -> Result<Layers, Failure> {
        let elsewhere = match &self.reply_hosts[..] {
            [] => Elsewhere::Refused,
            hosts if hosts.iter().any(|host| host == "*") => Elsewhere::Anywhere,
            hosts => Elsewhere::Hosts(hosts.to_vec()),
        };
        let mut layers = Layers::default().with(AddressingService::new(AddressingServiceOptions {
            required: self.addressing,
            elsewhere,
        }));
        if !self.wsse_users.is_empty() || self.wsse_timestamp {
            let users = self
                .wsse_users
                .iter()
                .map(|given| secret::pair("--wsse-user", given));
            let users = users.collect::<Result<HashMap<_, _>, _>>()?;
            let mut options = ServerOptions {
                text: !self.wsse_digest,
                timestamp: self.wsse_timestamp,
                reply_timestamp: self.wsse_timestamp,
                ..ServerOptions::default()
            };
            if !users.is_empty() {
                options.passwords = Some(Arc::new(move |user| users.get(user).cloned()));
            }
            layers = layers.with(ServerSecurity::new(options));
        }
        Ok(layers)
    }
}
