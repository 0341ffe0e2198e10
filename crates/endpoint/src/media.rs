//! Content types of SOAP over HTTP.

use castile_codec::Version;

use crate::error::{Error, Guilty, Kind};

/// The content type of a request or reply (SOAP 1.1, 6.1; RFC 3902).
pub(crate) fn content_type(version: Version, action: Option<&str>) -> String {
    let media = version.media_type();
    match (version, action) {
        (Version::Soap12, Some(action)) if !action.is_empty() => {
            format!(
                "{media}; charset=utf-8; action=\"{}\"",
                action.replace(['"', '\\'], "")
            )
        }
        _ => format!("{media}; charset=utf-8"),
    }
}

/// A content type taken apart.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Media {
    /// `type/subtype` in lower case.
    pub(crate) essence: String,
    pub(crate) charset: Option<String>,
    pub(crate) action: Option<String>,
}

impl Media {
    /// Takes a header's value apart (RFC 9110, 8.3.1); parameters may be quoted.
    pub(crate) fn parse(value: &str) -> Media {
        let (essence, mut rest) = value.split_once(';').unwrap_or((value, ""));
        let mut media = Media {
            essence: essence.trim().to_ascii_lowercase(),
            ..Media::default()
        };
        while let Some((name, after)) = rest.split_once('=') {
            let (value, after) = parameter(after.trim_start());
            match name.trim_start_matches(';').trim().to_ascii_lowercase().as_str() {
                "charset" => media.charset = Some(value),
                "action" => media.action = Some(value),
                _ => {}
            }
            rest = after;
        }
        media
    }

    /// Whether an XML envelope may come under this type. Some servers send plain XML types.
    pub(crate) fn is_xml(&self) -> bool {
        matches!(
            &*self.essence,
            "text/xml" | "application/soap+xml" | "application/xml" | ""
        )
    }
}

/// The value of a parameter, quotes taken off, and what follows it.
fn parameter(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let (value, rest) = text.split_once(';').unwrap_or((text, ""));
        return (value.trim().to_owned(), rest);
    };
    let mut value = String::new();
    let mut chars = quoted.char_indices();
    while let Some((i, c)) = chars.next() {
        match c {
            '"' => return (value, quoted[i + 1..].trim_start().trim_start_matches(';')),
            '\\' => value.extend(chars.next().map(|(_, c)| c)),
            c => value.push(c),
        }
    }
    (value, "")
}

/// The text of a body, by its content type.
pub(crate) fn text<'b>(body: &'b [u8], media: &Media) -> Result<std::borrow::Cow<'b, str>, Error> {
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
