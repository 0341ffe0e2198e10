//! Replies with parts beside the envelope: MIME multipart/related (RFC 2387; SOAP with Attachments).

use std::sync::Arc;

use bytes::Bytes;
use castile_http::{Response, Watch};
use castile_message::{Part, parts, unquote_printable};

use crate::media::Media;

/// What came back, not yet decoded.
#[derive(Debug)]
pub struct Incoming {
    pub(super) response: Response,
    /// The parts of a multipart reply.
    pub(super) related: Option<Result<Related, String>>,
    /// Who looked at the body while it came.
    pub(super) watch: Option<Arc<dyn Watch>>,
}

impl Incoming {
    pub(super) fn new(response: Response, watch: Option<Arc<dyn Watch>>) -> Self {
        let content_type = content_type(&response.headers);
        let related = split(content_type, &response.body);
        Incoming {
            response,
            related,
            watch,
        }
    }
}

/// A part beside the envelope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// Its content id, without angle brackets; empty when it has none.
    pub content_id: String,
    /// Its content type, parameters included.
    pub content_type: String,
    /// The content, its transfer encoding undone.
    pub content: Bytes,
}

/// A multipart message taken apart.
#[derive(Debug)]
pub(super) struct Related {
    /// The part that is the envelope.
    pub(super) root: Attachment,
    /// All others, in order.
    pub(super) rest: Vec<Attachment>,
}

/// The content type that came with a body; empty when there is none.
pub(super) fn content_type(headers: &castile_http::HeaderMap) -> &str {
    let value = headers.get("content-type").and_then(|v| v.to_str().ok());
    value.unwrap_or_default()
}

/// Takes a body apart; `None` when it is no multipart message.
///
/// # Errors
/// What is wrong with it, in words.
pub(super) fn split(content_type: &str, body: &Bytes) -> Option<Result<Related, String>> {
    let media = Media::parse(content_type);
    (media.essence == "multipart/related").then(|| related(&media, body))
}

fn related(media: &Media<'_>, body: &Bytes) -> Result<Related, String> {
    let boundary = media.boundary.as_deref().filter(|b| !b.is_empty());
    let boundary = boundary.ok_or("its content type names no boundary")?;
    let parts = parts(body, boundary).map_err(|e| e.to_string())?;
    let start = media.start.as_deref().map(|id| id.trim_matches(['<', '>']));
    // RFC 2387, 3.2: without a start the first part is the root.
    let root = start.and_then(|id| parts.iter().position(|p| p.content_id() == Some(id)));
    let mut all = parts
        .iter()
        .map(|p| attachment(p, body))
        .collect::<Result<Vec<_>, _>>()?;
    let root = root.unwrap_or(0);
    if root >= all.len() {
        return Err("it has no parts".into());
    }
    let root = all.remove(root);
    Ok(Related { root, rest: all })
}

fn attachment(part: &Part<'_>, body: &Bytes) -> Result<Attachment, String> {
    let encoding = part.header("content-transfer-encoding").unwrap_or_default();
    let content = match &*encoding.trim().to_ascii_lowercase() {
        "" | "7bit" | "8bit" | "binary" => body.slice_ref(part.content),
        "quoted-printable" => unquote_printable(part.content).into(),
        "base64" => {
            let mut bytes = Vec::new();
            castile_lexical::parse_base64(part.content, &mut bytes).map_err(|e| e.to_string())?;
            bytes.into()
        }
        other => return Err(format!("the transfer encoding {other:?} of a part is not known")),
    };
    Ok(Attachment {
        content_id: part.content_id().unwrap_or_default().to_owned(),
        content_type: part.header("content-type").unwrap_or("text/plain").to_owned(),
        content,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = "--x\r\nContent-ID: <a>\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\nAQID\r\n--x\r\nContent-ID: <e>\r\nContent-Type: text/xml; charset=iso-8859-1\r\n\r\n<e/>\r\n--x--";

    #[test]
    fn the_root_is_the_start_or_the_first() {
        let body = Bytes::from_static(BODY.as_bytes());
        let split = |ct: &str| split(ct, &body).unwrap();
        let related = split("Multipart/Related; boundary=x; start=\"<e>\"").unwrap();
        assert_eq!(&related.root.content[..], b"<e/>");
        assert_eq!(related.rest[0].content_id, "a");
        assert_eq!(&related.rest[0].content[..], [1, 2, 3]);
        let first = split("multipart/related; boundary=\"x\"").unwrap();
        assert_eq!(first.root.content_type, "image/png");
        assert!(split("multipart/related").is_err() && split("multipart/related; boundary=y").is_err());
        let broken = Bytes::from(BODY.replace("AQID", "!!"));
        assert!(
            super::split("multipart/related; boundary=x", &broken)
                .unwrap()
                .is_err()
        );
        assert!(super::split("text/xml", &body).is_none());
    }
}
