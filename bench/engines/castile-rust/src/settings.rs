//! What the harness and the variant set.

use castile::http;
use castile::security;
use castile::{ClientOptions, Differential, Receiving, ServerOptions, ServiceOptions};

use crate::Outcome;

pub(crate) struct Settings {
    pub(crate) folder: String,
    variant: Variant,
    pub(crate) encoded: bool,
    keep_alive: bool,
    chunk: Option<usize>,
    username: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Variant {
    Default,
    Plain,
    Bsoap,
}

/// Larger than any message of the suite: one is never refused for its size.
const BODY_BYTES_MAX: u64 = 1 << 30;

impl Settings {
    pub(crate) fn from_environment() -> Outcome<Settings> {
        let variant = match std::env::var("CASTILE_ENGINE").as_deref() {
            Err(_) | Ok("") => Variant::Default,
            Ok("plain") => Variant::Plain,
            Ok("bsoap") => Variant::Bsoap,
            Ok(other) => return Err(format!("no variant {other:?}").into()),
        };
        Ok(Settings {
            folder: std::env::var("BENCH_WSDL").map_err(|_| "BENCH_WSDL is not set")?,
            variant,
            encoded: std::env::var("CASTILE_ENGINE_STYLE").is_ok_and(|s| s == "encoded"),
            keep_alive: true,
            chunk: None,
            username: false,
        })
    }

    /// The answer to `set`.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> Outcome<String> {
        match (name, value) {
            ("keepalive", _) => self.keep_alive = value == "on",
            ("chunk", _) => self.chunk = Some(value.parse()?),
            ("security", "none") => self.username = false,
            ("security", "username") => self.username = true,
            ("attachments", "inline") => {}
            _ => return Ok(format!("unsupported {name}={value}")),
        }
        Ok("ok".into())
    }

    /// The contract that has the operation.
    pub(crate) fn wsdl(&self, operation: &str) -> String {
        let name = match operation {
            "sendNested" | "echoNested" => "nested",
            "sendFiles" | "echoFiles" => "files",
            _ if self.encoded => "encoded",
            _ => "bench",
        };
        format!("{}/{name}.wsdl", self.folder)
    }

    pub(crate) fn client(&self, url: &str) -> ClientOptions {
        let mut options = ClientOptions {
            endpoint: Some(url.to_owned()),
            differential: self.differential(),
            receiving: self.receiving(),
            share_texts: self.encoded,
            ..ClientOptions::default()
        };
        options.http.body_bytes_max = BODY_BYTES_MAX;
        options.http.chunked = self.chunk.is_some_and(|bytes| bytes > 0);
        if !self.keep_alive {
            options.http.pool_idle_max = 0;
        }
        if self.username {
            let token = security::UsernameToken::new("bench", "bench", security::Password::Text);
            let layer = security::ClientSecurity::new(security::ClientOptions {
                username: Some(token),
                ..security::ClientOptions::default()
            });
            options.layers = options.layers.with(layer);
        }
        options
    }

    pub(crate) fn service(&self) -> ServiceOptions {
        ServiceOptions {
            differential: self.differential(),
            receiving: self.receiving(),
            share_texts: self.encoded,
            ..ServiceOptions::default()
        }
    }

    /// Handlers only copy, so they run on the connection's thread.
    pub(crate) fn server(&self) -> ServerOptions {
        let http = http::ServerOptions {
            body_bytes_max: BODY_BYTES_MAX,
            ..http::ServerOptions::default()
        };
        ServerOptions {
            http,
            threads: false,
            ..ServerOptions::default()
        }
    }

    fn differential(&self) -> Differential {
        let mut options = match self.variant {
            Variant::Default => Differential::default(),
            Variant::Bsoap => Differential::bsoap(),
            Variant::Plain => Differential {
                enabled: false,
                ..Differential::default()
            },
        };
        if let Some(bytes) = self.chunk.filter(|&bytes| bytes > 0) {
            options.overlay_above = bytes;
        }
        options
    }

    fn receiving(&self) -> Receiving {
        match self.variant {
            Variant::Default => Receiving::default(),
            Variant::Plain | Variant::Bsoap => Receiving::off(),
        }
    }
}
