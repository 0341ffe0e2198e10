//! Where documents come from: [`Resolver`], what it gives ([`Loaded`]), one for documents held in
//! memory, and [`join`] for relative locations.

use std::collections::HashMap;
use std::fmt;

/// Loads documents by location: a URL, or a path as the caller wrote it. All input of this crate
/// comes through it.
pub trait Resolver {
    /// The document at `location`, which is absolute unless the contract itself was asked for by a
    /// relative path.
    ///
    /// # Errors
    /// Whatever keeps the document from being had. A document that a contract imports may be
    /// missing: only what uses it fails.
    fn load(&self, location: &str) -> Result<Loaded, ResolveError>;
}

/// A document as it was loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Where it came from in the end, redirects followed; relative locations in it start there.
    pub location: String,
    /// The encoding that the transport named, if it did.
    pub charset: Option<String>,
}

/// Why a document cannot be had: a phrase to stand after "cannot be loaded: ".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolveError(pub String);

impl fmt::Display for ResolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ResolveError {}

/// Documents held in memory, by location.
#[derive(Clone, Debug, Default)]
pub struct MemoryResolver {
    documents: HashMap<String, Vec<u8>>,
}

impl MemoryResolver {
    /// Without documents: every load fails.
    pub fn new() -> Self {
        MemoryResolver::default()
    }

    /// Adds a document.
    #[must_use]
    pub fn with(mut self, location: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        self.documents.insert(location.into(), bytes.into());
        self
    }
}

impl Resolver for MemoryResolver {
    fn load(&self, location: &str) -> Result<Loaded, ResolveError> {
        match self.documents.get(location) {
            Some(bytes) => Ok(Loaded {
                bytes: bytes.clone(),
                location: location.into(),
                charset: None,
            }),
            None => Err(ResolveError("there is no such document".into())),
        }
    }
}

/// A reference in a document at `base`, made absolute (RFC 3986, 5.2). Both may be paths instead of
/// URLs; a path's `..` and `.` are taken out.
pub fn join(base: &str, reference: &str) -> String {
    let reference = reference
        .trim()
        .split('#')
        .next()
        .unwrap_or_default()
        .replace('\\', "/");
    if scheme(&reference).is_some() {
        return reference;
    }
    let (root, path) = split_root(base);
    if let Some(rest) = reference.strip_prefix("//").filter(|_| !root.is_empty()) {
        return format!("{}://{rest}", scheme(base).unwrap_or("http"));
    }
    if reference.is_empty() {
        return base.to_owned();
    }
    // Paths are no URLs: what is escaped in a reference is not in a path.
    let reference = if root.is_empty() {
        unescape(&reference)
    } else {
        reference
    };
    if reference.starts_with('/') {
        return format!("{root}{}", without_dots(&reference));
    }
    let path = path
        .split(['?', '#'])
        .next()
        .unwrap_or_default()
        .replace('\\', "/");
    let folder = path.rfind('/').map_or("", |slash| &path[..=slash]);
    let slash = if !root.is_empty() && folder.is_empty() {
        "/"
    } else {
        ""
    };
    format!("{root}{}", without_dots(&format!("{slash}{folder}{reference}")))
}

/// The scheme of a URL; `None` for a path. One letter is a drive, not a scheme.
pub(crate) fn scheme(location: &str) -> Option<&str> {
    let (scheme, _) = location.split_once(':')?;
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    (scheme.len() > 1 && scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(word))
        .then_some(scheme)
}

/// Whether a location is for the network.
pub(crate) fn is_remote(location: &str) -> bool {
    scheme(location).is_some_and(|s| s.eq_ignore_ascii_case("http") || s.eq_ignore_ascii_case("https"))
}

/// `http://host` and the rest; a path has no root.
fn split_root(location: &str) -> (&str, &str) {
    let Some(scheme) = scheme(location) else {
        return ("", location);
    };
    let rest = &location[scheme.len() + 1..];
    let host = rest
        .strip_prefix("//")
        .map_or(0, |r| 2 + r.find(['/', '?', '#']).unwrap_or(r.len()));
    location.split_at(scheme.len() + 1 + host)
}

/// RFC 3986, 5.2.4; the query is left alone. A relative path keeps the `..` it starts with.
fn without_dots(path: &str) -> String {
    let (path, query) = path.split_at(path.find('?').unwrap_or(path.len()));
    let absolute = path.starts_with('/');
    let mut kept: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        match (part, kept.last()) {
            ("..", Some(&last)) if last != ".." => {
                kept.pop();
            }
            ("..", None) if absolute => {}
            _ => kept.push(part),
        }
    }
    let slash = if path.ends_with('/') && !kept.is_empty() {
        "/"
    } else {
        ""
    };
    format!(
        "{}{}{slash}{query}",
        if absolute { "/" } else { "" },
        kept.join("/")
    )
}

/// Percent escapes replaced, where the result is UTF-8.
pub(crate) fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|h| std::str::from_utf8(h).ok());
        match hex
            .filter(|_| first == b'%')
            .and_then(|h| u8::from_str_radix(h, 16).ok())
        {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_joined() {
        let cases = [
            ("http://h/a/b.wsdl?wsdl", "c.xsd", "http://h/a/c.xsd"),
            ("http://h/a/b.wsdl?wsdl", "?xsd=1", "http://h/a/?xsd=1"),
            ("http://h", "c.xsd", "http://h/c.xsd"),
            ("http://h/a/b/c", "../../../x", "http://h/x"),
            ("http://h/a/b", "/x/./y", "http://h/x/y"),
            ("https://h/a/b", "//g/x", "https://g/x"),
            ("http://h/a", "urn:x", "urn:x"),
            ("a/b.wsdl", "../c.xsd#id", "c.xsd"),
            ("b.wsdl", "../../c.xsd", "../../c.xsd"),
            ("../b.wsdl", "../c.xsd", "../../c.xsd"),
            ("/x/a/b.wsdl", "..\\with%20space.xsd", "/x/with space.xsd"),
            ("/x/b.wsdl", "/c.xsd", "/c.xsd"),
            ("file:///x/b.wsdl", "c.xsd", "file:///x/c.xsd"),
            ("C:\\x\\b.wsdl", "c.xsd", "C:/x/c.xsd"),
            ("", "c.xsd", "c.xsd"),
        ];
        for (base, reference, joined) in cases {
            assert_eq!(join(base, reference), joined, "{base} + {reference}");
        }
    }

    #[test]
    fn schemes_and_escapes() {
        assert_eq!(scheme("classpath:/x"), Some("classpath"));
        assert_eq!(scheme("C:\\x"), None);
        assert!(is_remote("HTTPS://h/x") && !is_remote("file:///x"));
        assert_eq!(unescape("a%20b%zz%"), "a b%zz%");
    }
}
