//! Passwords, and what is computed of them.

use std::fmt;

use castile_lexical::format_base64;
use sha1::{Digest as _, Sha1};

/// A text that is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// How a password travels (UsernameToken Profile 1.1, 3.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Password {
    /// As it is.
    Text,
    /// Base64 of SHA-1 of nonce, time and password.
    #[default]
    Digest,
    /// Not at all: the token only names the user.
    Absent,
}

impl Secret {
    /// The text itself.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Secret(text.to_owned())
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Secret(text)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// `Base64(SHA-1(nonce + created + password))` (UsernameToken Profile 1.1, 3.1).
///
/// `nonce` is the bytes, not their base64; `created` the text as it stands in the message.
pub fn password_digest(nonce: &[u8], created: &str, password: &str) -> String {
    let mut hash = Sha1::new();
    hash.update(nonce);
    hash.update(created);
    hash.update(password);
    let mut text = Vec::new();
    format_base64(&hash.finalize(), &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// Compares without telling by its time where the difference is.
pub(crate) fn same(a: &str, b: &str) -> bool {
    let differing = a.bytes().zip(b.bytes()).fold(0, |sum, (x, y)| sum | (x ^ y));
    a.len() == b.len() && differing == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed with Python's hashlib.
    #[test]
    fn a_digest_is_what_others_compute() {
        let digest = password_digest(b"0123456789abcdef", "2024-05-17T12:00:00Z", "secret");
        assert_eq!(digest, "JBSDJghuxcfSJQah1odA+tLii4M=");
    }

    #[test]
    fn comparing() {
        assert!(same("", "") && same("ab", "ab"));
        assert!(!same("ab", "ac") && !same("ab", "abc") && !same("", "a"));
        assert_eq!(format!("{:?}", Secret::from("x")), "***");
    }
}
