//! The server's side: who sent a message, and when.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use castile_codec::{Found, Layer, Memory, Name, NoRandomness, Received, Refusal, Sending};

use crate::fault::Wrong;
use crate::names::WSSE;
use crate::read::{self, Times, Username};
use crate::replay::{Noted, Replays};
use crate::secret::{password_digest, same};
use crate::write::Writer;

/// The password of a user; `None` for users that do not exist.
pub type Passwords = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Settings of [`ServerSecurity`].
#[derive(Clone)]
pub struct ServerOptions {
    /// The users; `None` asks for no token.
    pub passwords: Option<Passwords>,
    /// Whether passwords may come as text. Default true: behind TLS they may.
    pub text: bool,
    /// Whether a message without a timestamp is refused. Default false; one that has a timestamp must
    /// have a good one.
    pub timestamp: bool,
    /// How far the clocks of callers may be ahead of ours. Default one minute.
    pub skew_max: Duration,
    /// How old a token or a timestamp without `Expires` may be. Default five minutes.
    pub age_max: Duration,
    /// How many nonces are remembered at once; beyond it tokens are refused. Default 100,000.
    pub nonces_max: usize,
    /// Whether replies have a timestamp.
    pub reply_timestamp: bool,
    /// Operations that anyone may call. Default none.
    pub without: Vec<String>,
}

impl Default for ServerOptions {
    fn default() -> Self {
        ServerOptions {
            passwords: None,
            text: true,
            timestamp: false,
            skew_max: Duration::from_secs(60),
            age_max: Duration::from_secs(300),
            nonces_max: 100_000,
            reply_timestamp: false,
            without: Vec::new(),
        }
    }
}

impl fmt::Debug for ServerOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerOptions")
            .field("passwords", &self.passwords.as_ref().map(|_| "***"))
            .field("text", &self.text)
            .field("timestamp", &self.timestamp)
            .field("skew_max", &self.skew_max)
            .field("age_max", &self.age_max)
            .field("nonces_max", &self.nonces_max)
            .field("reply_timestamp", &self.reply_timestamp)
            .field("without", &self.without)
            .finish()
    }
}

/// WS-Security of a server.
#[derive(Debug)]
pub struct ServerSecurity {
    options: ServerOptions,
    replays: Replays,
}

impl ServerSecurity {
    /// A layer.
    pub fn new(options: ServerOptions) -> Self {
        ServerSecurity {
            replays: Replays::new(options.nonces_max),
            options,
        }
    }

    /// The user, when the token proves it.
    fn user(&self, token: Username, passwords: &Passwords, now: Duration) -> Result<String, Refusal> {
        // Which of user, password and digest is wrong is not told.
        let failed = || Wrong::FailedAuthentication.because("the security token could not be authenticated");
        let Some(given) = &token.password else {
            return Err(failed());
        };
        let password = passwords(&token.user).ok_or_else(failed)?;
        let created = token.created.as_deref().unwrap_or_default();
        let genuine = match (&token.nonce, token.is_digest) {
            (nonce, true) => {
                let nonce = nonce.as_deref().unwrap_or_default();
                same(given, &password_digest(nonce, created, &password))
            }
            (_, false) if !self.options.text => {
                let text = "passwords are taken as a digest only";
                return Err(Wrong::UnsupportedSecurityToken.because(text));
            }
            (_, false) => same(given, &password),
        };
        if !genuine {
            return Err(failed());
        }
        self.once(&token, now)?;
        Ok(token.user)
    }

    /// Refuses a token that is too old, or was used before. A digest without a nonce and a time could be
    /// sent by anyone who has seen it, for ever.
    fn once(&self, token: &Username, now: Duration) -> Result<(), Refusal> {
        if token.is_digest && (token.nonce.is_none() || token.created.is_none()) {
            let text = "a password digest needs a nonce and the time of creation";
            return Err(Wrong::InvalidSecurity.because(text));
        }
        let Some(text) = &token.created else { return Ok(()) };
        let created = read::instant(text)?;
        let options = &self.options;
        fresh(created, now, options.skew_max, options.age_max)?;
        let Some(nonce) = &token.nonce else { return Ok(()) };
        let until = created.saturating_add(options.age_max);
        match self.replays.note(&token.user, nonce, text, now, until) {
            Noted::New => Ok(()),
            Noted::Again => Err(Wrong::FailedAuthentication.because("the security token was used before")),
            Noted::Full => {
                let text = "too many security tokens at once (nonces_max): try again later";
                Err(Wrong::FailedAuthentication.because(text))
            }
        }
    }
}

impl Layer for ServerSecurity {
    fn understands(&self, name: &Name) -> bool {
        name.namespace == WSSE && name.local == "Security"
    }

    fn check_request(
        &self,
        request: &Received<'_>,
        found: &mut Found,
        _memory: &mut Memory,
    ) -> Result<(), Refusal> {
        let options = &self.options;
        let open = options.without.iter().any(|name| name == request.operation);
        let block = read::security(request.blocks)?;
        let missing = |what: &str| Wrong::InvalidSecurity.because(format!("the message has no {what}"));
        let block = match block {
            Some(block) => block,
            None if open || (options.passwords.is_none() && !options.timestamp) => return Ok(()),
            None => return Err(missing("security header")),
        };
        if let Some(unknown) = block.unknown {
            return Err(Wrong::UnsupportedSecurityToken.because(format!("{unknown} is not supported")));
        }
        let now = request.world.now();
        match block.timestamp {
            Some(times) => {
                check_times(&times, now, options.skew_max)?;
                if let (Some(created), None) = (times.created, times.expires) {
                    fresh(created, now, options.skew_max, options.age_max)?;
                }
            }
            None if options.timestamp && !open => return Err(missing("timestamp")),
            None => {}
        }
        match (&options.passwords, block.username) {
            (Some(passwords), Some(token)) => found.principal = Some(self.user(token, passwords, now)?),
            (Some(_), None) if !open => return Err(missing("username token")),
            _ => {}
        }
        Ok(())
    }

    fn reply(&self, _: &Memory, reply: &Sending<'_>, blocks: &mut Vec<String>) -> Result<(), NoRandomness> {
        if self.options.reply_timestamp {
            let mut out = Writer::new(reply.version, false, None);
            let now = reply.world.now();
            out.timestamp(now, Some(now.saturating_add(self.options.age_max)));
            blocks.push(out.finish());
        }
        Ok(())
    }
}

/// Refuses a timestamp that is over or lies in the future (SOAP Message Security 1.1, 10).
pub(crate) fn check_times(times: &Times, now: Duration, skew_max: Duration) -> Result<(), Refusal> {
    let ahead = |created: Duration| created > now.saturating_add(skew_max);
    if times.created.is_some_and(ahead) {
        return Err(
            Wrong::MessageExpired.because("the message was created in the future: compare the clocks")
        );
    }
    let over = |expires: Duration| expires.saturating_add(skew_max) < now;
    if times.expires.is_some_and(over) {
        return Err(Wrong::MessageExpired.because("the message has expired"));
    }
    if let (Some(created), Some(expires)) = (times.created, times.expires)
        && expires < created
    {
        return Err(Wrong::InvalidSecurity.because("the timestamp expires before it was created"));
    }
    Ok(())
}

fn fresh(created: Duration, now: Duration, skew_max: Duration, age_max: Duration) -> Result<(), Refusal> {
    let expires = created.saturating_add(age_max);
    if now > expires {
        return Err(Wrong::MessageExpired.because("the security token is too old"));
    }
    let times = Times {
        created: Some(created),
        expires: None,
    };
    check_times(&times, now, skew_max)
}
