//! The one [`Error`] of this crate: what happened ([`Kind`]), who must act ([`Guilty`]), at which
//! step ([`Phase`]), to which address, in words a person can act on.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use url::Url;

/// What went wrong, for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// An option is unusable: a bad certificate file, a bad proxy address.
    Options,
    /// The address is not an absolute `http` or `https` URL with a host.
    Url,
    /// The request cannot be written as HTTP (a header with a line break, for one).
    Request,
    /// The name of the host has no address.
    Resolve,
    /// No connection: refused, unreachable.
    Connect,
    /// TLS failed: wrong name, unknown issuer, no common version, client certificate refused.
    Tls,
    /// The proxy refused or failed.
    Proxy,
    /// A time limit of the options passed; [`Error::phase`] says where.
    Timeout,
    /// The peer closed the connection before the first byte of its reply.
    Closed,
    /// The peer closed the connection in the middle of a message.
    Truncated,
    /// What the peer sent is not HTTP/1.1 (or 1.0).
    Malformed,
    /// A limit of the options was reached; the text names it.
    TooLarge,
    /// The peer's content coding is unknown or its compressed bytes are damaged.
    Coding,
    /// The peer answered a request with a redirect that the options do not allow.
    Redirect,
    /// The peer asks for a way to authenticate that cannot be given.
    Authentication,
    /// The caller interrupted the call.
    Interrupted,
    /// The socket to serve on cannot be had.
    Bind,
    /// The stream that the caller gave as a body failed.
    Body,
    /// A defect of this crate or of the system under it.
    Internal,
}

/// Whose fault an error is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Guilty {
    /// The other end (or the proxy) sent or did something wrong.
    Peer,
    /// The calling program passed something unusable, or interrupted.
    Caller,
    /// The way between: names, routes, cables, firewalls.
    Network,
    /// This crate, or the system it runs on.
    Us,
}

/// The step of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Before anything touched the network.
    Prepare,
    /// Resolving the name and connecting (a proxy's CONNECT included).
    Connect,
    /// The TLS handshake.
    Tls,
    /// Writing the request.
    Send,
    /// The request is out, no byte of the reply has come.
    Wait,
    /// Reading the reply (for a server: the request).
    Read,
}

/// Every failure of this crate.
///
/// `Display` gives one line with the address (user, password and query masked), the phase and what
/// to do; [`Error::kind`], [`Error::guilty`] and [`Error::phase`] give the same to programs.
pub struct Error {
    inner: Box<Inner>,
}

struct Inner {
    kind: Kind,
    guilty: Guilty,
    phase: Phase,
    url: Option<String>,
    text: String,
    unsent: bool,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.inner.kind
    }

    /// Whose fault it is.
    #[must_use]
    pub fn guilty(&self) -> Guilty {
        self.inner.guilty
    }

    /// The step at which it happened.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.inner.phase
    }

    /// The address concerned, with user, password and query masked.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        self.inner.url.as_deref()
    }

    /// What happened, without the address.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.inner.text
    }

    /// True when no byte of the request left this machine, so that sending it again is safe even
    /// for a call that must not run twice.
    #[must_use]
    pub fn is_unsent(&self) -> bool {
        self.inner.unsent
    }

    pub(crate) fn new(kind: Kind, guilty: Guilty, phase: Phase, text: impl Into<String>) -> Error {
        let unsent = matches!(phase, Phase::Prepare | Phase::Connect | Phase::Tls);
        let (url, source) = (None, None);
        Error {
            inner: Box::new(Inner {
                kind,
                guilty,
                phase,
                url,
                text: text.into(),
                unsent,
                source,
            }),
        }
    }

    pub(crate) fn options(text: impl Into<String>) -> Error {
        Error::new(Kind::Options, Guilty::Caller, Phase::Prepare, text)
    }

    pub(crate) fn timeout(phase: Phase, which: &str, limit: Duration) -> Error {
        let guilty = match phase {
            Phase::Connect => Guilty::Network,
            _ => Guilty::Peer,
        };
        let what = match phase {
            Phase::Prepare | Phase::Connect => "no connection",
            Phase::Tls => "the TLS handshake did not finish",
            Phase::Send => "the peer stopped taking the request",
            Phase::Wait => "no reply",
            Phase::Read => "the message stopped coming",
        };
        Error::new(
            Kind::Timeout,
            guilty,
            phase,
            format!("{what} within {which} ({limit:?})"),
        )
    }

    pub(crate) fn with_url(mut self, url: &Url) -> Error {
        self.inner.url.get_or_insert_with(|| mask(url));
        self
    }

    pub(crate) fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Error {
        self.inner.source = Some(source.into());
        self
    }

    pub(crate) fn with_unsent(mut self, unsent: bool) -> Error {
        self.inner.unsent = unsent;
        self
    }
}

/// The address without what may be secret: user, password, query and fragment.
pub(crate) fn mask(url: &Url) -> String {
    if url.cannot_be_a_base() {
        // Of `user:password@host` the user is the scheme.
        return format!("{}:***", url.scheme());
    }
    let mut shown = url.clone();
    if !shown.username().is_empty() {
        // Both fail only for URLs that cannot have a user, which then have none to hide.
        let _ = shown.set_username("***");
    }
    if shown.password().is_some() {
        let _ = shown.set_password(Some("***"));
    }
    if shown
        .query()
        .is_some_and(|query| !query.eq_ignore_ascii_case("wsdl"))
    {
        shown.set_query(Some("***"));
    }
    shown.set_fragment(None);
    shown.into()
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(url) = &self.inner.url {
            write!(f, "{url}: ")?;
        }
        f.write_str(&self.inner.text)?;
        // The innermost cause is the one that names the broken thing.
        let mut cause = self.source();
        while let Some(next) = cause.and_then(StdError::source) {
            cause = Some(next);
        }
        match cause.map(ToString::to_string) {
            Some(cause) if !self.inner.text.contains(&cause) => write!(f, ": {cause}"),
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.inner.kind)
            .field("guilty", &self.inner.guilty)
            .field("phase", &self.inner.phase)
            .field("url", &self.inner.url)
            .field("text", &self.inner.text)
            .field("source", &self.inner.source)
            .finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.inner.source.as_ref().map(|source| {
            let source: &(dyn StdError + 'static) = source.as_ref();
            source
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_an_address_are_masked() {
        let url = Url::parse("http://jo:pw@h:81/p?key=1#f").expect("valid");
        assert_eq!(mask(&url), "http://***:***@h:81/p?***");
        let url = Url::parse("jo:pw@h:81/").expect("valid");
        assert_eq!(mask(&url), "jo:***");
        let url = Url::parse("http://h/p?wsdl").expect("valid");
        assert_eq!(mask(&url), "http://h/p?wsdl");
    }
}
