//! Content types of SOAP over HTTP.

use std::borrow::Cow;

use castile_codec::Version;

use crate::error::{Error, Guilty, Kind};

/// The content type of a request or reply (SOAP 1.1, 6.1; RFC 3902).
pub(crate) fn content_type(version: Version, action: Option<&str>) -> Cow<'static, str> {
    let plain = plain_type(version);
    match (version, action) {
        (Version::Soap12, Some(action)) if !action.is_empty() => {
            let action = action.replace(['"', '\\'], "");
            Cow::Owned(format!("{plain}; action=\"{action}\""))
        }
        _ => Cow::Borrowed(plain),
    }
}

/// The content type without an action, which replies have.
pub(crate) fn plain_type(version: Version) -> &'static str {
    match version {
        Version::Soap11 => "text/xml; charset=utf-8",
        Version::Soap12 => "application/soap+xml; charset=utf-8",
    }
}

/// A content type taken apart.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Media<'h> {
    /// `type/subtype` in lower case.
    pub(crate) essence: Cow<'h, str>,
    pub(crate) charset: Option<Cow<'h, str>>,
    pub(crate) action: Option<Cow<'h, str>>,
    /// Of multipart types: what stands between the parts.
    pub(crate) boundary: Option<Cow<'h, str>>,
    /// Of multipart/related: the content id of the root.
    pub(crate) start: Option<Cow<'h, str>>,
}

impl<'h> Media<'h> {
    /// Takes a header's value apart (RFC 9110, 8.3.1); parameters may be quoted.
    pub(crate) fn parse(value: &'h str) -> Self {
        // What nearly all messages come as needs no taking apart.
        for version in [Version::Soap11, Version::Soap12] {
            if value == plain_type(version) {
                return Media {
                    essence: Cow::Borrowed(version.media_type()),
                    charset: Some(Cow::Borrowed("utf-8")),
                    ..Media::default()
                };
            }
        }
        let (essence, mut rest) = value.split_once(';').unwrap_or((value, ""));
        let mut media = Media {
            essence: lower(essence.trim()),
            ..Media::default()
        };
        while let Some((name, after)) = rest.split_once('=') {
            let (value, after) = parameter(after.trim_start());
            let name = name.trim_start_matches(';').trim();
            if name.eq_ignore_ascii_case("charset") {
                media.charset = Some(value);
            } else if name.eq_ignore_ascii_case("action") {
                media.action = Some(value);
            } else if name.eq_ignore_ascii_case("boundary") {
                media.boundary = Some(value);
            } else if name.eq_ignore_ascii_case("start") {
                media.start = Some(value);
            }
            rest = after;
        }
        media
    }

    /// Whether an XML envelope may come under this type. Some servers send plain XML types.
    pub(crate) fn is_xml(&self) -> bool {
        matches!(
            &*self.essence,
            "text/xml" | "application/soap+xml" | "application/xml" | "application/xop+xml" | ""
        )
    }
}

fn lower(text: &str) -> Cow<'_, str> {
    if text.bytes().any(|b| b.is_ascii_uppercase()) {
        return Cow::Owned(text.to_ascii_lowercase());
    }
    Cow::Borrowed(text)
}

/// The value of a parameter, quotes taken off, and what follows it.
fn parameter(text: &str) -> (Cow<'_, str>, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let (value, rest) = text.split_once(';').unwrap_or((text, ""));
        return (Cow::Borrowed(value.trim()), rest);
    };
    let mut value = String::new();
    let mut chars = quoted.char_indices();
    while let Some((i, c)) = chars.next() {
        match c {
            '"' => {
                let rest = quoted[i + 1..].trim_start().trim_start_matches(';');
                return (Cow::Owned(value), rest);
            }
            '\\' => value.extend(chars.next().map(|(_, c)| c)),
            c => value.push(c),
        }
    }
    (Cow::Owned(value), "")
}

/// The text of a body, by its content type.
pub(crate) fn text<'b>(body: &'b [u8], media: &Media<'_>) -> Result<Cow<'b, str>, Error> {
    // RFC 7303, 8.20: what the bytes themselves say wins nowhere but where no charset is given.
    let text = castile_xml::to_utf8(body, media.charset.as_deref());
    text.map_err(|e| {
        Error::new(
            Kind::Peer,
            Guilty::Peer,
            format!("the body is not in its encoding: {e}"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_types_are_taken_apart() {
        let media = Media::parse(r#"Application/SOAP+XML;charset="utf-8" ; Action = "urn:a;\"b" ;x=y"#);
        assert_eq!(media.essence, "application/soap+xml");
        assert_eq!(media.charset.as_deref(), Some("utf-8"));
        assert_eq!(media.action.as_deref(), Some("urn:a;\"b"));
        assert_eq!(Media::parse("text/xml").charset, None);
        for version in [Version::Soap11, Version::Soap12] {
            let plain = plain_type(version);
            assert_eq!(Media::parse(plain), Media::parse(&format!("{plain};")));
        }
        assert_eq!(
            Media::parse("text/xml; charset=iso-8859-1").charset.as_deref(),
            Some("iso-8859-1")
        );
    }

    #[test]
    fn an_action_travels_in_the_content_type_of_soap_12_only() {
        assert_eq!(
            content_type(Version::Soap11, Some("urn:a")),
            "text/xml; charset=utf-8"
        );
        let soap12 = content_type(Version::Soap12, Some("urn:a"));
        assert_eq!(Media::parse(&soap12).action.as_deref(), Some("urn:a"));
    }
}
