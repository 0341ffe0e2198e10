//! The arithmetic of digest authentication (RFC 7616), for both sides.

use md5::Md5;
use sha2::{Digest as _, Sha256};

/// The hash of a challenge, with or without `-sess`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Algorithm {
    pub(crate) sha256: bool,
    pub(crate) session: bool,
}

/// Everything that a response is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms<'a> {
    pub(crate) algorithm: Algorithm,
    pub(crate) user: &'a str,
    pub(crate) realm: &'a str,
    pub(crate) password: &'a str,
    pub(crate) method: &'a str,
    pub(crate) uri: &'a str,
    pub(crate) nonce: &'a str,
    /// Count and nonce of the client; `None` for a challenge without `qop` (RFC 2069).
    pub(crate) client: Option<(&'a str, &'a str)>,
}

impl Algorithm {
    /// By its name in a challenge; MD5 when there is none.
    pub(crate) fn named(name: Option<&str>) -> Option<Algorithm> {
        let Some(name) = name else {
            return Some(Algorithm {
                sha256: false,
                session: false,
            });
        };
        let name = name.to_ascii_lowercase();
        let (hash, session) = match name.strip_suffix("-sess") {
            Some(hash) => (hash, true),
            None => (name.as_str(), false),
        };
        match hash {
            "md5" => Some(Algorithm {
                sha256: false,
                session,
            }),
            "sha-256" => Some(Algorithm {
                sha256: true,
                session,
            }),
            _ => None,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match (self.sha256, self.session) {
            (false, false) => "MD5",
            (false, true) => "MD5-sess",
            (true, false) => "SHA-256",
            (true, true) => "SHA-256-sess",
        }
    }

    fn hash(self, parts: &[&str]) -> String {
        let text = parts.join(":");
        if self.sha256 {
            hex(&Sha256::digest(text))
        } else {
            hex(&Md5::digest(text))
        }
    }
}

/// The `response` of RFC 7616 §3.4.1.
pub(crate) fn response(terms: &Terms<'_>) -> String {
    let algorithm = terms.algorithm;
    let mut secret = algorithm.hash(&[terms.user, terms.realm, terms.password]);
    if let (true, Some((_, client_nonce))) = (algorithm.session, terms.client) {
        secret = algorithm.hash(&[&secret, terms.nonce, client_nonce]);
    }
    let request = algorithm.hash(&[terms.method, terms.uri]);
    match terms.client {
        Some((count, client_nonce)) => {
            algorithm.hash(&[&secret, terms.nonce, count, client_nonce, "auth", &request])
        }
        None => algorithm.hash(&[&secret, terms.nonce, &request]),
    }
}

/// Lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
            // Writing to a string does not fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// Compares without telling by its time where the difference is.
pub(crate) fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of RFC 7616 §3.9.1.
    #[test]
    fn rfc_7616_examples() {
        let terms = |sha256| Terms {
            algorithm: Algorithm {
                sha256,
                session: false,
            },
            user: "Mufasa",
            realm: "http-auth@example.org",
            password: "Circle of Life",
            method: "GET",
            uri: "/dir/index.html",
            nonce: "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",
            client: Some(("00000001", "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")),
        };
        assert_eq!(response(&terms(false)), "8ca523f5e9506fed4657c9700eebdbec");
        assert_eq!(
            response(&terms(true)),
            "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"
        );
    }

    #[test]
    fn names() {
        for name in ["MD5", "MD5-sess", "SHA-256", "SHA-256-sess"] {
            assert_eq!(Algorithm::named(Some(name)).map(Algorithm::name), Some(name));
        }
        assert_eq!(Algorithm::named(Some("SHA-512-256")), None);
    }
}
