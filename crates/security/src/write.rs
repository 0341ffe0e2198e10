//! Writing a `wsse:Security` block.

use std::time::Duration;

use castile_codec::Version;
use castile_lexical::{DateTime, format_base64};

use crate::names::{BASE64, DIGEST, TEXT, WSSE, WSU};

/// A `wsse:Security` block in the making.
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    pub(crate) fn new(version: Version, must_understand: bool, actor: Option<&str>) -> Writer {
        let mut writer = Writer(Vec::with_capacity(1024));
        writer.raw(&format!(
            "<wsse:Security xmlns:wsse=\"{WSSE}\" xmlns:wsu=\"{WSU}\""
        ));
        if must_understand || actor.is_some() {
            writer.raw(&format!(" xmlns:S=\"{}\"", version.namespace()));
        }
        if must_understand {
            writer.raw(" S:mustUnderstand=\"1\"");
        }
        if let Some(actor) = actor {
            let name = match version {
                Version::Soap11 => "actor",
                Version::Soap12 => "role",
            };
            writer.raw(&format!(" S:{name}=\""));
            castile_xml::escape_attribute(actor, &mut writer.0);
            writer.raw("\"");
        }
        writer.raw(">");
        writer
    }

    pub(crate) fn timestamp(&mut self, created: Duration, expires: Option<Duration>) {
        self.raw("<wsu:Timestamp wsu:Id=\"TS-1\">");
        self.element("wsu:Created", "", &time(created));
        if let Some(expires) = expires {
            self.element("wsu:Expires", "", &time(expires));
        }
        self.raw("</wsu:Timestamp>");
    }

    pub(crate) fn open_token(&mut self, user: &str) {
        self.raw("<wsse:UsernameToken wsu:Id=\"UT-1\">");
        self.element("wsse:Username", "", user);
    }

    pub(crate) fn password(&mut self, text: &str, is_digest: bool) {
        let kind = if is_digest { DIGEST } else { TEXT };
        self.element("wsse:Password", &format!(" Type=\"{kind}\""), text);
    }

    pub(crate) fn nonce(&mut self, nonce: &[u8]) {
        let mut text = Vec::new();
        format_base64(nonce, &mut text);
        let text = String::from_utf8_lossy(&text).into_owned();
        self.element("wsse:Nonce", &format!(" EncodingType=\"{BASE64}\""), &text);
    }

    pub(crate) fn close_token(&mut self, created: Option<&str>) {
        if let Some(created) = created {
            self.element("wsu:Created", "", created);
        }
        self.raw("</wsse:UsernameToken>");
    }

    pub(crate) fn finish(mut self) -> String {
        self.raw("</wsse:Security>");
        String::from_utf8_lossy(&self.0).into_owned()
    }

    fn element(&mut self, tag: &str, attributes: &str, text: &str) {
        self.raw(&format!("<{tag}{attributes}>"));
        castile_xml::escape_text(text, &mut self.0);
        self.raw(&format!("</{tag}>"));
    }

    fn raw(&mut self, text: &str) {
        self.0.extend_from_slice(text.as_bytes());
    }
}

/// A time as `xs:dateTime` in UTC, to the millisecond.
pub(crate) fn time(at: Duration) -> String {
    let at = Duration::from_millis(u64::try_from(at.as_millis()).unwrap_or(u64::MAX));
    let mut out = Vec::new();
    DateTime::from_unix(at).format(&mut out);
    String::from_utf8_lossy(&out).into_owned()
}
