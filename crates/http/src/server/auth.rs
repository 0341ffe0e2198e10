//! [`ServerAuth`]: who may call. [`Guard`]: the check of each request.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::request::Parts;
use http::{HeaderValue, StatusCode};

use super::receive::Refusal;
use crate::challenge::{self, Challenge};
use crate::digest::{self, Algorithm, Terms};
use crate::error::{Error, Guilty, Kind, Phase};

/// How long a nonce of a digest challenge lives, and how many live at once.
const NONCE_AGE_MAX: Duration = Duration::from_secs(300);
const NONCES_MAX: usize = 4096;

/// A check of user and password.
pub type CheckPassword = Arc<dyn Fn(&str, &str) -> bool + Send + Sync>;
/// The password of a user; `None` for an unknown one.
pub type FindPassword = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;
/// The name of whom a token belongs to; `None` for a bad one.
pub type CheckToken = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// How callers prove who they are. Everyone else gets 401.
#[derive(Clone)]
pub enum ServerAuth {
    /// RFC 7617. Use it over TLS only: the password can be read on the way.
    Basic {
        /// What the user is told to log in to.
        realm: String,
        /// Says whether user and password belong together.
        check: CheckPassword,
    },
    /// RFC 7616 with SHA-256 and, for older clients, MD5; `qop=auth`. A nonce lives for five
    /// minutes, and no count of it is taken twice.
    Digest {
        /// What the user is told to log in to.
        realm: String,
        /// Knows the passwords.
        find: FindPassword,
    },
    /// RFC 6750.
    Bearer {
        /// What the user is told to log in to.
        realm: String,
        /// Knows the tokens.
        check: CheckToken,
    },
}

/// A [`ServerAuth`] at work.
pub(crate) struct Guard {
    auth: ServerAuth,
    nonces: Mutex<VecDeque<Nonce>>,
}

/// A nonce given out, and which of its counts were used.
struct Nonce {
    text: String,
    born: Instant,
    /// The highest count, and one bit for it and each of the 63 below.
    count: u64,
    used: u64,
}

/// Why a request is not let in.
enum Denied {
    Unknown,
    /// The answer was right, for a nonce that is no longer good.
    Stale,
}

impl Guard {
    pub(crate) fn new(auth: ServerAuth) -> Result<Guard, Error> {
        let realm = match &auth {
            ServerAuth::Basic { realm, .. }
            | ServerAuth::Digest { realm, .. }
            | ServerAuth::Bearer { realm, .. } => realm,
        };
        if !realm
            .bytes()
            .all(|byte| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\')
        {
            return Err(Error::options("a realm is of printable ASCII without quotes"));
        }
        Ok(Guard {
            auth,
            nonces: Mutex::new(VecDeque::new()),
        })
    }

    /// Who sent this request.
    pub(crate) fn check(&self, head: &Parts) -> Result<String, Refusal> {
        let field = head.headers.get(AUTHORIZATION);
        let field = field.and_then(|field| std::str::from_utf8(field.as_bytes()).ok());
        let given = challenge::parse(field.unwrap_or_default()).into_iter().next();
        let found = match (&self.auth, &given) {
            (ServerAuth::Basic { check, .. }, Some(given)) if given.scheme == "basic" => basic(given, check),
            (ServerAuth::Bearer { check, .. }, Some(given)) if given.scheme == "bearer" => given
                .get("")
                .and_then(|token| check(token))
                .ok_or(Denied::Unknown),
            (ServerAuth::Digest { realm, find }, Some(given)) if given.scheme == "digest" => {
                self.digest(head, given, realm, find)
            }
            _ => Err(Denied::Unknown),
        };
        found.map_err(|denied| {
            let stale = matches!(denied, Denied::Stale);
            self.challenge(stale).unwrap_or_else(|error| {
                tracing::error!(%error, "no challenge can be made");
                Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "The service failed.\n")
            })
        })
    }

    fn challenge(&self, stale: bool) -> Result<Refusal, Error> {
        let mut refusal = Refusal::new(
            StatusCode::UNAUTHORIZED,
            "This service wants to know who calls.\n",
        );
        let fields = match &self.auth {
            ServerAuth::Basic { realm, .. } => vec![format!("Basic realm=\"{realm}\", charset=\"UTF-8\"")],
            ServerAuth::Bearer { realm, .. } => vec![format!("Bearer realm=\"{realm}\"")],
            ServerAuth::Digest { realm, .. } => {
                let (nonce, stale) = (self.nonce()?, if stale { ", stale=true" } else { "" });
                let field = |algorithm| {
                    format!(
                        "Digest realm=\"{realm}\", nonce=\"{nonce}\", algorithm={algorithm}, \
                         qop=\"auth\", charset=UTF-8{stale}"
                    )
                };
                vec![field("SHA-256"), field("MD5")]
            }
        };
        for field in fields {
            if let Ok(value) = HeaderValue::from_str(&field) {
                refusal.reply.headers.append(WWW_AUTHENTICATE, value);
            }
        }
        Ok(refusal)
    }

    fn nonce(&self) -> Result<String, Error> {
        let mut bytes = [0; 18];
        getrandom::fill(&mut bytes).map_err(|e| {
            Error::new(Kind::Internal, Guilty::Us, Phase::Prepare, "no random bytes").with_source(e)
        })?;
        let text = STANDARD.encode(bytes);
        let mut nonces = self.nonces.lock().unwrap_or_else(PoisonError::into_inner);
        if nonces.len() >= NONCES_MAX {
            nonces.pop_front();
        }
        nonces.push_back(Nonce {
            text: text.clone(),
            born: Instant::now(),
            count: 0,
            used: 0,
        });
        Ok(text)
    }

    fn digest(
        &self,
        head: &Parts,
        given: &Challenge,
        realm: &str,
        find: &FindPassword,
    ) -> Result<String, Denied> {
        let get = |name| given.get(name).ok_or(Denied::Unknown);
        let (user, uri, nonce, response) = (get("username")?, get("uri")?, get("nonce")?, get("response")?);
        let (count, client_nonce) = (get("nc")?, get("cnonce")?);
        let algorithm = Algorithm::named(given.get("algorithm")).ok_or(Denied::Unknown)?;
        let target = head.uri.path_and_query().map_or("/", |target| target.as_str());
        if get("realm")? != realm || get("qop")? != "auth" || uri != target {
            return Err(Denied::Unknown);
        }
        let password = find(user).ok_or(Denied::Unknown)?;
        let expected = digest::response(&Terms {
            algorithm,
            user,
            realm,
            password: &password,
            method: head.method.as_str(),
            uri,
            nonce,
            client: Some((count, client_nonce)),
        });
        if !digest::same(expected.as_bytes(), response.to_ascii_lowercase().as_bytes()) {
            return Err(Denied::Unknown);
        }
        let count = u64::from_str_radix(count, 16).map_err(|_| Denied::Unknown)?;
        let mut nonces = self.nonces.lock().unwrap_or_else(PoisonError::into_inner);
        let known = nonces
            .iter_mut()
            .find(|known| known.text == nonce)
            .ok_or(Denied::Stale)?;
        let young = known.born.elapsed() < NONCE_AGE_MAX;
        if young && known.take(count) {
            Ok(user.to_owned())
        } else {
            Err(Denied::Stale)
        }
    }
}

impl Nonce {
    /// True when `count` is new. Requests of one client may overtake each other, a little.
    fn take(&mut self, count: u64) -> bool {
        if count > self.count {
            let ahead = u32::try_from(count - self.count).unwrap_or(u32::MAX);
            self.used = self.used.checked_shl(ahead).unwrap_or(0) | 1;
            self.count = count;
            return true;
        }
        let bit = u32::try_from(self.count - count)
            .ok()
            .and_then(|behind| 1_u64.checked_shl(behind));
        match bit {
            Some(bit) if count > 0 && self.used & bit == 0 => {
                self.used |= bit;
                true
            }
            _ => false,
        }
    }
}

fn basic(given: &Challenge, check: &CheckPassword) -> Result<String, Denied> {
    let decoded = STANDARD
        .decode(given.get("").unwrap_or_default())
        .map_err(|_| Denied::Unknown)?;
    let text = String::from_utf8(decoded).map_err(|_| Denied::Unknown)?;
    let (user, password) = text.split_once(':').ok_or(Denied::Unknown)?;
    if check(user, password) {
        Ok(user.to_owned())
    } else {
        Err(Denied::Unknown)
    }
}

impl fmt::Debug for ServerAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServerAuth::Basic { realm, .. } => write!(f, "Basic {{ realm: {realm:?} }}"),
            ServerAuth::Digest { realm, .. } => write!(f, "Digest {{ realm: {realm:?} }}"),
            ServerAuth::Bearer { realm, .. } => write!(f, "Bearer {{ realm: {realm:?} }}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_taken_once() {
        let mut nonce = Nonce {
            text: String::new(),
            born: Instant::now(),
            count: 0,
            used: 0,
        };
        assert!(!nonce.take(0));
        for (count, expected) in [
            (1, true),
            (1, false),
            (3, true),
            (2, true),
            (2, false),
            (100, true),
        ] {
            assert_eq!(nonce.take(count), expected, "{count}");
        }
        assert!(!nonce.take(3));
        assert!(nonce.take(99));
        assert!(nonce.take(u64::MAX));
        assert!(!nonce.take(100));
    }
}
