//! A piece of XML that was checked and can stand anywhere: [`Fragment`].

use crate::error::Error;
use crate::limits::Limits;
use crate::reader::Reader;
use crate::token::Token;

/// One well-formed element as text, every prefix it uses declared in it.
///
/// ```
/// use castile_xml::Fragment;
/// # fn main() -> Result<(), castile_xml::Error> {
/// let fragment = Fragment::parse("<!-- a point --> <p:point xmlns:p='urn:p' x='1'/>")?;
/// assert_eq!(fragment.as_str(), "<p:point xmlns:p='urn:p' x='1'/>");
/// assert_eq!(fragment.name(), ("urn:p", "point"));
/// assert!(Fragment::parse("<p:point/>").is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    text: String,
    uri: String,
    local: String,
    /// The byte after the name in the start tag.
    name_end: usize,
    /// Whether the element itself declares, or undeclares, the default namespace.
    declares_default: bool,
}

impl Fragment {
    /// Checks a document of one element. Comments, instructions and an XML declaration around the
    /// element are left out.
    ///
    /// # Errors
    /// Those of [`Reader::next`]; a document type declaration is refused.
    pub fn parse(text: &str) -> Result<Fragment, Error> {
        Fragment::parse_within(text, &Limits::default())
    }

    /// As [`Fragment::parse`], within these limits.
    ///
    /// # Errors
    /// Those of [`Fragment::parse`].
    pub fn parse_within(text: &str, limits: &Limits) -> Result<Fragment, Error> {
        let mut reader = Reader::with_limits(text, *limits);
        while !matches!(reader.next()?, Token::Start { .. }) {}
        let start = reader.token_start();
        let fragment = reader.fragment()?;
        debug_assert_eq!(text.get(start..reader.position()), Some(fragment.as_str()));
        while reader.next()? != Token::Eof {}
        Ok(fragment)
    }

    pub(crate) fn checked(
        text: String,
        uri: String,
        local: String,
        name_end: usize,
        declares_default: bool,
    ) -> Fragment {
        Fragment {
            text,
            uri,
            local,
            name_end,
            declares_default,
        }
    }

    /// The element as text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The element as text.
    pub fn into_string(self) -> String {
        self.text
    }

    /// Namespace name (empty for none) and local name of the element.
    pub fn name(&self) -> (&str, &str) {
        (&self.uri, &self.local)
    }

    /// Writes the element into a document. `default` says whether a default namespace is in scope
    /// there; if so, and unless the element has its own, it is undeclared for the element, whose
    /// names without a prefix would change their meaning otherwise.
    pub fn write(&self, default: bool, out: &mut Vec<u8>) {
        let (name, rest) = self
            .text
            .split_at_checked(self.name_end)
            .unwrap_or((&self.text, ""));
        out.extend_from_slice(name.as_bytes());
        if default && !self.declares_default {
            out.extend_from_slice(b" xmlns=\"\"");
        }
        out.extend_from_slice(rest.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str, default: bool) -> String {
        let mut out = Vec::new();
        Fragment::parse(text).unwrap().write(default, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_default_namespace_around_does_not_leak_in() {
        assert_eq!(written("<a b='c'/>", true), "<a xmlns=\"\" b='c'/>");
        assert_eq!(written("<a b='c'/>", false), "<a b='c'/>");
        assert_eq!(written("<a xmlns='u'/>", true), "<a xmlns='u'/>");
    }

    #[test]
    fn one_element_only() {
        assert!(Fragment::parse("<a/><b/>").is_err());
        assert!(Fragment::parse("a").is_err());
        assert!(Fragment::parse("").is_err());
        assert!(Fragment::parse("<!DOCTYPE a><a/>").is_err());
        assert_eq!(
            Fragment::parse("<?xml version='1.0'?><a/> ").unwrap().as_str(),
            "<a/>"
        );
    }
}
