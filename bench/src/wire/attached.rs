//! Files beside the envelope: MTOM (XOP 1.0), SOAP Messages with Attachments, and DIME.
//!
//! [`Form::message`] takes the files out of an envelope that the suite composed; [`Form::envelope`] puts those of anyone's
//! message back in their places, as base64.

use base64::Engine as _;
use roxmltree::Document;
use serde::Deserialize;

use super::{Message, dime, mime};
use crate::Outcome;
use crate::trace::{Field, Trace};

const XOP: &str = "http://www.w3.org/2004/08/xop/include";
const XOP_TYPE: &str = "application/xop+xml";

/// How the files of a message go: the setting `attachments`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Form {
    /// As base64 in the envelope.
    #[default]
    Inline,
    /// As parts of MIME in whose places the envelope has `xop:Include`.
    Mtom,
    /// As parts of MIME to which the envelope refers.
    Mime,
    /// As records of DIME to which the envelope refers.
    Dime,
}

/// How an element refers to its part, but for MTOM, which has a way of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Reference {
    /// By an attribute `href` (SOAP Messages with Attachments, section 3).
    #[default]
    Href,
    /// By its text (`swaRef` of WS-I's Attachments Profile 1.0, section 4.4).
    Text,
}

/// One part of a message.
pub(super) struct Part {
    pub(super) id: String,
    pub(super) body: Vec<u8>,
}

/// The id of the envelope's own part.
const ROOT: &str = "envelope@bench";

impl Form {
    /// What the setting calls it.
    pub(crate) fn named(setting: Option<&str>) -> Form {
        match setting {
            Some("mtom") => Form::Mtom,
            Some("mime") => Form::Mime,
            Some("dime") => Form::Dime,
            _ => Form::Inline,
        }
    }

    fn media_type(self) -> String {
        let related = |of: &str| {
            let boundary = mime::BOUNDARY;
            format!("multipart/related; type=\"{of}\"; start=\"<{ROOT}>\"; boundary=\"{boundary}\"")
        };
        match self {
            Form::Inline => "text/xml; charset=utf-8".into(),
            Form::Mtom => related(XOP_TYPE) + "; start-info=\"text/xml\"",
            Form::Mime => related("text/xml"),
            Form::Dime => "application/dime".into(),
        }
    }

    /// A composed envelope with these values as a message of this form.
    ///
    /// # Errors
    /// A file that is too long for DIME.
    pub(crate) fn message(self, reference: Reference, envelope: Vec<u8>, trace: &Trace) -> Outcome<Message> {
        let media_type = self.media_type();
        let body = match self {
            Form::Inline => envelope,
            Form::Mtom => {
                let envelope_type = format!("{XOP_TYPE}; charset=utf-8; type=\"text/xml\"");
                mime::write(&envelope_type, &self.parts(reference, &envelope, trace)?)
            }
            Form::Mime => mime::write(
                "text/xml; charset=utf-8",
                &self.parts(reference, &envelope, trace)?,
            ),
            Form::Dime => dime::write(&self.parts(reference, &envelope, trace)?)?,
        };
        Ok(Message { media_type, body })
    }

    /// A composed envelope without its files, and these.
    fn parts(self, reference: Reference, envelope: &[u8], trace: &Trace) -> Outcome<Vec<Part>> {
        let text = std::str::from_utf8(envelope)?;
        let files = trace.rows.iter().flatten().filter_map(|field| match field {
            Field::Bytes(bytes) => Some(bytes),
            _ => None,
        });
        let mut pieces = text.split("<data>");
        let mut envelope = pieces.next().unwrap_or_default().to_owned();
        let mut parts = Vec::new();
        for (index, (file, piece)) in files.zip(pieces).enumerate() {
            let (_, after) = piece.split_once("</data>").ok_or("data without an end")?;
            let id = format!("file{index}@bench");
            envelope.push_str(&self.element(reference, &id));
            envelope.push_str(after);
            parts.push(Part {
                // Of a record of DIME the id is what refers to it, as it is (WS-Attachments, section 3).
                id: if self == Form::Dime {
                    format!("cid:{id}")
                } else {
                    id
                },
                body: file.clone(),
            });
        }
        let root = Part {
            id: ROOT.into(),
            body: envelope.into_bytes(),
        };
        parts.insert(0, root);
        Ok(parts)
    }

    fn element(self, reference: Reference, id: &str) -> String {
        match (self, reference) {
            (Form::Mtom, _) => format!("<data><x:Include xmlns:x=\"{XOP}\" href=\"cid:{id}\"/></data>"),
            (_, Reference::Href) => format!("<data href=\"cid:{id}\"/>"),
            (_, Reference::Text) => format!("<data>cid:{id}</data>"),
        }
    }

    /// The envelope of a message with its parts as base64 in their places, and how many it refers to.
    ///
    /// # Errors
    /// A message of another form, none at all, or a reference without its part.
    pub(crate) fn envelope(self, media_type: &str, body: &[u8]) -> Outcome<(Vec<u8>, usize)> {
        if !self.fits(media_type) {
            return Err(format!("{media_type} is not how it should go").into());
        }
        let parts = match self {
            Form::Inline => return Ok((body.to_vec(), 0)),
            Form::Mtom | Form::Mime => mime::read(media_type, body)?,
            Form::Dime => dime::read(body)?,
        };
        let (root, parts) = parts.split_first().ok_or("a message without an envelope")?;
        whole(std::str::from_utf8(&root.body)?, parts)
    }

    fn fits(self, media_type: &str) -> bool {
        let name = media_type.split(';').next().unwrap_or_default().trim();
        let xop = mime::parameter(media_type, "type").is_some_and(|of| of.eq_ignore_ascii_case(XOP_TYPE));
        match name.to_ascii_lowercase().as_str() {
            "multipart/related" => self == if xop { Form::Mtom } else { Form::Mime },
            "application/dime" => self == Form::Dime,
            _ => self == Form::Inline,
        }
    }
}

/// An envelope with the parts it refers to in their places, and how many these are.
fn whole(text: &str, parts: &[Part]) -> Outcome<(Vec<u8>, usize)> {
    let document = Document::parse(text)?;
    let mut out = String::new();
    let (mut done, mut count) = (0, 0);
    for node in document.descendants().filter(roxmltree::Node::is_element) {
        let Some(reference) = reference(node) else {
            continue;
        };
        let part = find(parts, reference).ok_or_else(|| format!("no part has the id {reference}"))?;
        let base64 = base64::engine::general_purpose::STANDARD.encode(&part.body);
        let range = node.range();
        out.push_str(&text[done..range.start]);
        match node.has_tag_name((XOP, "Include")) {
            true => out.push_str(&base64),
            false => filled(&text[range.clone()], &base64, &mut out),
        }
        (done, count) = (range.end, count + 1);
    }
    out.push_str(&text[done..]);
    Ok((out.into_bytes(), count))
}

/// What refers to a part in an element that does.
fn reference<'a>(node: roxmltree::Node<'a, 'a>) -> Option<&'a str> {
    let href = node.attribute("href").filter(|href| !href.starts_with('#'));
    href.or_else(|| node.text().map(str::trim).filter(|text| text.starts_with("cid:")))
}

/// The part of a reference: `cid:` and its id, percent-encoded (RFC 2392), or its id as it is.
fn find<'p>(parts: &'p [Part], reference: &str) -> Option<&'p Part> {
    let id = percent_decoded(reference.strip_prefix("cid:").unwrap_or(reference));
    parts.iter().find(|part| part.id == reference || part.id == id)
}

/// Appends an element with other content: `<a b="c"/>`, `<a b="c"></a>` and `<a b="c">text</a>` become `<a b="c">content</a>`.
fn filled(element: &str, content: &str, out: &mut String) {
    let name_end = element.find(|c: char| c.is_ascii_whitespace() || c == '/' || c == '>');
    let name = &element[1..name_end.unwrap_or(element.len())];
    let tag = match (element.strip_suffix("/>"), element.rfind("</")) {
        (Some(tag), _) => tag,
        (None, Some(end)) => &element[..element[..end].rfind('>').unwrap_or(end)],
        (None, None) => element,
    };
    out.push_str(&format!("{tag}>{content}</{name}>"));
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match code
            .and_then(|hex| u8::from_str_radix(hex, 16).ok())
            .filter(|_| first == b'%')
        {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Kind;
    use crate::trace::generate::{Data, trace};
    use crate::wire::{Side, Style, read, request};

    const FORMS: [Form; 3] = [Form::Mtom, Form::Mime, Form::Dime];

    fn files() -> Trace {
        let data = Data {
            length: 50,
            ..Data::default()
        };
        trace(Kind::Files, &data, 3).expect("a trace")
    }

    fn composed(form: Form, reference: Reference, files: &Trace) -> Message {
        let envelope = request(Style::Literal, "echoFiles", files);
        form.message(reference, envelope, files).expect("a message")
    }

    #[test]
    fn files_come_back_from_beside_the_envelope() {
        let files = files();
        for form in FORMS {
            for reference in [Reference::Href, Reference::Text] {
                let message = composed(form, reference, &files);
                let (envelope, parts) = form
                    .envelope(&message.media_type, &message.body)
                    .expect("an envelope");
                assert_eq!(parts, 3, "{form:?}");
                let back = read::values(Style::Literal, Kind::Files, "echoFiles", Side::Request, &envelope);
                assert_eq!(
                    files.difference(&back.expect("files")),
                    None,
                    "{form:?} {reference:?}"
                );
            }
        }
    }

    #[test]
    fn a_message_of_another_form_is_an_error() {
        let files = files();
        for (form, other) in FORMS.iter().flat_map(|form| FORMS.map(|other| (*form, other))) {
            let message = composed(form, Reference::Href, &files);
            let read = other.envelope(&message.media_type, &message.body);
            assert_eq!(read.is_ok(), form == other, "{form:?} as {other:?}");
        }
        assert!(Form::Mime.envelope("text/xml", b"<a/>").is_err());
        let (envelope, parts) = Form::Inline.envelope("text/xml", b"<a/>").expect("an envelope");
        assert_eq!((&*envelope, parts), (&b"<a/>"[..], 0));
    }

    #[test]
    fn references_are_filled_however_they_stand() {
        let part = |id: &str, body: &[u8]| Part {
            id: id.to_owned(),
            body: body.to_vec(),
        };
        let parts = [part("1@x", b"\r\nraw"), part("uuid:2", b"a"), part("3", b"")];
        let xop = format!("<a><x:Include xmlns:x='{XOP}' href='cid:1%40x'/>!</a>");
        for (envelope, filled, count) in [
            (&*xop, "<a>DQpyYXc=!</a>", 1),
            (
                "<b:a href=\"cid:1@x\" c='>'/>",
                "<b:a href=\"cid:1@x\" c='>'>DQpyYXc=</b:a>",
                1,
            ),
            (
                "<a><b href='uuid:2'></b><b href=\"cid:3\" /></a>",
                "<a><b href='uuid:2'>YQ==</b><b href=\"cid:3\" ></b></a>",
                2,
            ),
            (
                "<a><b c='d'> cid:3\n</b><b href='#3'/></a>",
                "<a><b c='d'></b><b href='#3'/></a>",
                1,
            ),
            ("<a>cod</a>", "<a>cod</a>", 0),
        ] {
            let envelope = envelope.replace("<b:a ", "<b:a xmlns:b='b' ");
            let filled = filled.replace("<b:a ", "<b:a xmlns:b='b' ");
            let (have, parts) = whole(&envelope, &parts).expect("an envelope");
            assert_eq!((String::from_utf8(have).expect("text"), parts), (filled, count));
        }
        let error = whole("<a href='cid:4'/>", &parts).expect_err("an error");
        assert_eq!(error.to_string(), "no part has the id cid:4");
    }
}
