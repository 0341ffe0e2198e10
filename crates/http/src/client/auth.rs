//! [`Authenticator`]: the `Authorization` field of each request, and what digest challenges teach.

use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::WWW_AUTHENTICATE;
use http::{HeaderMap, HeaderValue};
use url::Url;

use super::options::Auth;
use crate::challenge::{self, Challenge};
use crate::digest::{self, Algorithm, Terms};
use crate::error::{Error, Guilty, Kind, Phase};

/// Origins whose digest challenge is remembered.
const KNOWN_MAX: usize = 16;

/// How a client authenticates, with what it has learned.
pub(crate) struct Authenticator {
    auth: Auth,
    /// The whole field, where it never changes.
    fixed: Option<HeaderValue>,
    known: Mutex<Vec<Known>>,
}

/// The last digest challenge of an origin.
struct Known {
    origin: String,
    realm: String,
    nonce: String,
    opaque: Option<String>,
    algorithm: Algorithm,
    /// False for servers of before RFC 2617.
    counted: bool,
    count: u32,
}

impl Authenticator {
    pub(crate) fn new(auth: Auth) -> Result<Authenticator, Error> {
        let fixed = match &auth {
            Auth::Basic { user, password } => Some(basic(user, password)?),
            Auth::Bearer(token) => Some(sensitive(format!("Bearer {token}"))?),
            Auth::None | Auth::Digest { .. } => None,
        };
        Ok(Authenticator {
            auth,
            fixed,
            known: Mutex::new(Vec::new()),
        })
    }

    /// The field to send with a request, if one can be made before being asked.
    pub(crate) fn field(&self, url: &Url, method: &str) -> Result<Option<HeaderValue>, Error> {
        match &self.auth {
            Auth::None => of_url(url),
            Auth::Basic { .. } | Auth::Bearer(_) => Ok(self.fixed.clone()),
            Auth::Digest { user, password } => self.answer(url, method, user, password),
        }
    }

    /// Looks at a 401. True when the request should be sent again: there is a challenge that was
    /// not answered yet (`answered` says whether this request carried an answer).
    pub(crate) fn learn(&self, url: &Url, headers: &HeaderMap, answered: bool) -> Result<bool, Error> {
        if !matches!(self.auth, Auth::Digest { .. }) {
            return Ok(false);
        }
        let challenges: Vec<Challenge> = headers
            .get_all(WWW_AUTHENTICATE)
            .iter()
            .filter_map(|field| field.to_str().ok())
            .flat_map(challenge::parse)
            .collect();
        let mut digests = challenges
            .iter()
            .filter(|challenge| challenge.scheme == "digest")
            .peekable();
        if digests.peek().is_none() {
            return Err(unanswerable(&challenges));
        }
        let Some((challenge, known)) = digests.find_map(|c| Some((c, Known::from(url, c)?))) else {
            return Err(unanswerable(&challenges));
        };
        let stale = challenge
            .get("stale")
            .is_some_and(|stale| stale.eq_ignore_ascii_case("true"));
        let mut all = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        // The same nonce again, or a new one without "stale", means that the password is wrong.
        let refused = answered && !stale;
        all.retain(|old| old.origin != known.origin);
        if refused {
            return Ok(false);
        }
        if all.len() >= KNOWN_MAX {
            all.remove(0);
        }
        all.push(known);
        Ok(true)
    }

    /// The answer to the known challenge of an origin (RFC 7616 §3.4).
    fn answer(
        &self,
        url: &Url,
        method: &str,
        user: &str,
        password: &str,
    ) -> Result<Option<HeaderValue>, Error> {
        let origin = origin_of(url);
        let mut all = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(known) = all.iter_mut().find(|known| known.origin == origin) else {
            return Ok(None);
        };
        known.count = known.count.saturating_add(1);
        let (count, client_nonce) = (format!("{:08x}", known.count), nonce()?);
        let uri = &url[url::Position::BeforePath..url::Position::AfterQuery];
        let response = digest::response(&Terms {
            algorithm: known.algorithm,
            user,
            realm: &known.realm,
            password,
            method,
            uri,
            nonce: &known.nonce,
            client: known.counted.then_some((count.as_str(), client_nonce.as_str())),
        });
        let mut field = format!(
            "Digest username=\"{}\", realm=\"{}\", nonce=\"{}\", uri=\"{uri}\", algorithm={}, \
             response=\"{response}\"",
            quoted(user),
            quoted(&known.realm),
            quoted(&known.nonce),
            known.algorithm.name(),
        );
        if known.counted {
            field += &format!(", qop=auth, nc={count}, cnonce=\"{client_nonce}\"");
        }
        if let Some(opaque) = &known.opaque {
            field += &format!(", opaque=\"{}\"", quoted(opaque));
        }
        sensitive(field).map(Some)
    }
}

impl Known {
    /// A challenge that can be answered.
    fn from(url: &Url, challenge: &Challenge) -> Option<Known> {
        let qop = challenge.get("qop");
        let auth = |qop: &str| qop.split(',').any(|q| q.trim().eq_ignore_ascii_case("auth"));
        if qop.is_some_and(|qop| !auth(qop)) {
            return None;
        }
        Some(Known {
            origin: origin_of(url),
            realm: challenge.get("realm")?.to_owned(),
            nonce: challenge.get("nonce")?.to_owned(),
            opaque: challenge.get("opaque").map(ToOwned::to_owned),
            algorithm: Algorithm::named(challenge.get("algorithm"))?,
            counted: qop.is_some(),
            count: 0,
        })
    }
}

/// The field of basic authentication (RFC 7617), in UTF-8.
pub(crate) fn basic(user: &str, password: &str) -> Result<HeaderValue, Error> {
    if user.contains(':') {
        return Err(Error::options(
            "a user of basic authentication has no colon (RFC 7617)",
        ));
    }
    sensitive(format!("Basic {}", STANDARD.encode(format!("{user}:{password}"))))
}

/// Basic authentication from the user and password of an address.
pub(crate) fn of_url(url: &Url) -> Result<Option<HeaderValue>, Error> {
    if url.username().is_empty() && url.password().is_none() {
        return Ok(None);
    }
    let user = percent_decoded(url.username());
    basic(&user, &percent_decoded(url.password().unwrap_or_default())).map(Some)
}

/// Scheme, host and port.
pub(crate) fn origin_of(url: &Url) -> String {
    url.origin().ascii_serialization()
}

fn sensitive(text: String) -> Result<HeaderValue, Error> {
    let mut value = HeaderValue::try_from(text.into_bytes())
        .map_err(|_| Error::options("a user, password or token has a line break or control character"))?;
    value.set_sensitive(true);
    Ok(value)
}

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let digits = tail.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        let decoded = digits.and_then(|pair| u8::from_str_radix(pair, 16).ok());
        match (first, decoded) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn nonce() -> Result<String, Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|e| {
        Error::new(
            Kind::Internal,
            Guilty::Us,
            Phase::Prepare,
            "the system gives no random bytes",
        )
        .with_source(e)
    })?;
    Ok(digest::hex(&bytes))
}

fn unanswerable(challenges: &[Challenge]) -> Error {
    let schemes: Vec<&str> = challenges.iter().map(|c| c.scheme.as_str()).collect();
    let text = format!(
        "the server asks for authentication by [{}]; digest was set, and no challenge with MD5 or \
         SHA-256 and qop=auth is among them",
        schemes.join(", ")
    );
    Error::new(Kind::Authentication, Guilty::Peer, Phase::Read, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields() {
        let plain = basic("Aladdin", "open sesame").expect("fine");
        assert_eq!(plain, "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
        assert!(plain.is_sensitive());
        assert!(basic("a:b", "c").is_err());
        let url = Url::parse("http://a%40b:%3A@h/").expect("valid");
        assert_eq!(of_url(&url).expect("fine").expect("some"), "Basic YUBiOjo=");
    }
}
