//! What the harness and the variant set.

use std::sync::Arc;

use castile::http;
use castile::security;
use castile::{ClientOptions, Differential, Receiving, ServerOptions, ServiceOptions, Stuffing};

use crate::Outcome;

pub(crate) struct Settings {
    pub(crate) folder: String,
    variant: Variant,
    /// Generated types instead of dynamic values.
    pub(crate) generated: bool,
    pub(crate) encoded: bool,
    keep_alive: bool,
    chunk: Option<usize>,
    username: bool,
}

/// What is switched off, or set otherwise.
#[derive(Clone, Copy, PartialEq)]
enum Variant {
    Default,
    /// Neither patches nor learns.
    Plain,
    Bsoap,
    NoSending,
    NoReceiving,
    /// Learns what messages look like, but keeps no last message to compare with.
    NoKeeping,
    NoPadding,
    NoStealing,
    Stuffing,
}

impl Variant {
    const NAMES: [(&str, Variant); 10] = [
        ("", Variant::Default),
        ("generated", Variant::Default),
        ("plain", Variant::Plain),
        ("bsoap", Variant::Bsoap),
        ("no-sending", Variant::NoSending),
        ("no-receiving", Variant::NoReceiving),
        ("no-keeping", Variant::NoKeeping),
        ("no-padding", Variant::NoPadding),
        ("no-stealing", Variant::NoStealing),
        ("stuffing", Variant::Stuffing),
    ];

    fn of(name: &str) -> Outcome<Variant> {
        let found = Variant::NAMES.iter().find(|(known, _)| *known == name);
        Ok(found.ok_or_else(|| format!("no variant {name:?}"))?.1)
    }
}

/// Larger than any message of the suite: one is never refused for its size.
const BODY_BYTES_MAX: u64 = 1 << 30;

/// Elements within one another: a toolkit that knows no references inside a ring nests all of it.
const DEPTH_MAX: u32 = 100_000;

impl Settings {
    pub(crate) fn from_environment() -> Outcome<Settings> {
        let name = std::env::var("CASTILE_ENGINE").unwrap_or_default();
        let variant = Variant::of(&name)?;
        Ok(Settings {
            folder: std::env::var("BENCH_WSDL").map_err(|_| "BENCH_WSDL is not set")?,
            variant,
            generated: name == "generated",
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
        options.limits.depth_max = DEPTH_MAX;
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
        let mut options = ServiceOptions {
            differential: self.differential(),
            receiving: self.receiving(),
            share_texts: self.encoded,
            ..ServiceOptions::default()
        };
        options.limits.depth_max = DEPTH_MAX;
        if self.username {
            let passwords = |user: &str| (user == "bench").then(|| "bench".into());
            options.layers = options
                .layers
                .with(security::ServerSecurity::new(security::ServerOptions {
                    passwords: Some(Arc::new(passwords)),
                    ..security::ServerOptions::default()
                }));
        }
        options
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
        let default = Differential::default();
        let mut options = match self.variant {
            Variant::Default | Variant::NoReceiving | Variant::NoKeeping => default,
            Variant::Bsoap => Differential::bsoap(),
            Variant::Plain | Variant::NoSending => Differential {
                enabled: false,
                ..default
            },
            Variant::NoPadding => Differential {
                pad: false,
                ..default
            },
            Variant::NoStealing => Differential {
                steal_reach: 0,
                ..default
            },
            Variant::Stuffing => Differential {
                stuffing: Stuffing::Max,
                ..default
            },
        };
        if let Some(bytes) = self.chunk.filter(|&bytes| bytes > 0) {
            options.overlay_above = bytes;
        }
        options
    }

    fn receiving(&self) -> Receiving {
        match self.variant {
            Variant::Plain | Variant::Bsoap | Variant::NoReceiving => Receiving::off(),
            Variant::NoKeeping => Receiving {
                values: false,
                ..Receiving::default()
            },
            _ => Receiving::default(),
        }
    }
}
