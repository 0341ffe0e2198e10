//! The client's side: tokens that go out, timestamps that come back.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use castile_codec::{Layer, Memory, Name, NoRandomness, Received, Refusal, Sending};

use crate::fault::Wrong;
use crate::names::WSSE;
use crate::read;
use crate::secret::{Password, Secret, password_digest};
use crate::server::check_times;
use crate::write::{Writer, time};

/// Who we are.
#[derive(Clone, Debug)]
pub struct UsernameToken {
    /// The user's name.
    pub user: String,
    /// The password.
    pub password: Secret,
    /// How it travels.
    pub kind: Password,
    /// Whether a nonce goes with it. Default: with a digest.
    pub nonce: bool,
    /// Whether the time goes with it. Default: with a digest.
    pub created: bool,
}

impl UsernameToken {
    /// A token; a digest has nonce and time, text has neither.
    pub fn new(user: impl Into<String>, password: impl Into<Secret>, kind: Password) -> Self {
        let is_digest = kind == Password::Digest;
        UsernameToken {
            user: user.into(),
            password: password.into(),
            kind,
            nonce: is_digest,
            created: is_digest,
        }
    }
}

/// When a message was made and how long it is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamp {
    /// From created to expires; `None` leaves `Expires` out. Default five minutes.
    pub lifetime: Option<Duration>,
}

impl Default for Timestamp {
    fn default() -> Self {
        Timestamp {
            lifetime: Some(Duration::from_secs(300)),
        }
    }
}

/// How far the peer's clock is ahead of ours, in milliseconds. Copies share it: it can be set while
/// a client is in use, after the device was asked for its time.
#[derive(Clone, Debug, Default)]
pub struct ClockOffset(Arc<AtomicI64>);

impl ClockOffset {
    /// An offset in milliseconds.
    pub fn new(milliseconds: i64) -> Self {
        ClockOffset(Arc::new(AtomicI64::new(milliseconds)))
    }

    /// Sets it.
    pub fn set(&self, milliseconds: i64) {
        self.0.store(milliseconds, Ordering::Relaxed);
    }

    /// Milliseconds.
    pub fn get(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Our time as the peer's clock shows it.
    fn theirs(&self, now: Duration) -> Duration {
        let offset = self.get();
        let by = Duration::from_millis(offset.unsigned_abs());
        if offset < 0 {
            now.saturating_sub(by)
        } else {
            now.saturating_add(by)
        }
    }
}

/// Settings of [`ClientSecurity`].
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// Who we are; `None` sends no token.
    pub username: Option<UsernameToken>,
    /// Whether requests have a timestamp.
    pub timestamp: Option<Timestamp>,
    /// Whether the peer must refuse the message when it does not know WS-Security. Default true.
    pub must_understand: bool,
    /// The actor (SOAP 1.2: role) that the header is for; default the ultimate receiver.
    pub actor: Option<String>,
    /// How far the peer's clock is ahead of ours.
    pub clock_offset: ClockOffset,
    /// How much the peer's timestamps may be off. Default five minutes.
    pub skew_max: Duration,
    /// Whether a reply without a timestamp is refused. Default false.
    pub reply_timestamp: bool,
    /// Operations that are called without any of this. Default: ONVIF's `GetSystemDateAndTime`, which
    /// asks what time to put into the tokens of all others.
    pub without: Vec<String>,
}

impl Default for ClientOptions {
    fn default() -> Self {
        ClientOptions {
            username: None,
            timestamp: None,
            must_understand: true,
            actor: None,
            clock_offset: ClockOffset::default(),
            skew_max: Duration::from_secs(300),
            reply_timestamp: false,
            without: vec!["GetSystemDateAndTime".to_owned()],
        }
    }
}

/// WS-Security of a client.
#[derive(Debug)]
pub struct ClientSecurity {
    options: ClientOptions,
}

impl ClientSecurity {
    /// A layer.
    pub fn new(options: ClientOptions) -> Self {
        ClientSecurity { options }
    }

    fn token(
        &self,
        token: &UsernameToken,
        request: &Sending<'_>,
        out: &mut Writer,
    ) -> Result<(), NoRandomness> {
        let created = time(self.options.clock_offset.theirs(request.world.now()));
        let created = token.created.then_some(&*created);
        let mut nonce = [0; 16];
        let nonce = if token.nonce {
            request.world.random(&mut nonce)?;
            &nonce[..]
        } else {
            &[]
        };
        let password = token.password.reveal();
        out.open_token(&token.user);
        match token.kind {
            Password::Text => out.password(password, false),
            Password::Digest => {
                let digest = password_digest(nonce, created.unwrap_or_default(), password);
                out.password(&digest, true);
            }
            Password::Absent => {}
        }
        if token.nonce {
            out.nonce(nonce);
        }
        out.close_token(created);
        Ok(())
    }
}

impl Layer for ClientSecurity {
    fn understands(&self, name: &Name) -> bool {
        name.namespace == WSSE && name.local == "Security"
    }

    fn request(&self, request: &Sending<'_>, blocks: &mut Vec<String>) -> Result<Memory, NoRandomness> {
        let options = &self.options;
        let nothing = options.username.is_none() && options.timestamp.is_none();
        if nothing || options.without.iter().any(|name| name == request.operation) {
            return Ok(None);
        }
        let mut out = Writer::new(request.version, options.must_understand, options.actor.as_deref());
        if let Some(Timestamp { lifetime }) = options.timestamp {
            let created = options.clock_offset.theirs(request.world.now());
            out.timestamp(created, lifetime.map(|l| created.saturating_add(l)));
        }
        if let Some(token) = &options.username {
            self.token(token, request, &mut out)?;
        }
        blocks.push(out.finish());
        Ok(None)
    }

    fn check_reply(&self, _memory: &Memory, reply: &Received<'_>) -> Result<(), Refusal> {
        // A fault may well be about the clocks: it is told, whatever its own timestamp says.
        if reply.is_fault {
            return Ok(());
        }
        let block = read::security(reply.blocks)?.unwrap_or_default();
        let options = &self.options;
        match block.timestamp {
            Some(times) => {
                let now = options.clock_offset.theirs(reply.world.now());
                check_times(&times, now, options.skew_max)?;
            }
            None if options.reply_timestamp => {
                return Err(Wrong::InvalidSecurity.because("the reply has no timestamp"));
            }
            None => {}
        }
        Ok(())
    }
}
