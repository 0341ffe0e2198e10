//! The head of a message, read before any plan is known: the envelope, the header blocks, the first body element.

use std::ops::Range;

use castile_message::Version;
use castile_xml::{Reader, Token};

use super::envelope::HeaderBlock;
use super::{Next, Start};
use crate::error::{Error, Guilty, Kind};
use crate::fault::Name;

/// The encodings that can be read; the empty one and the last say nothing.
const ENCODING_STYLES: [&str; 4] = [
    "http://www.w3.org/2003/05/soap-encoding",
    "http://schemas.xmlsoap.org/soap/encoding/",
    "",
    "http://www.w3.org/2003/05/soap-envelope/encoding/none",
];

/// Reading before any plan is known.
pub(super) struct Opening<'a> {
    pub(super) reader: Reader<'a>,
    /// What was met first that must not be there.
    pub(super) breach: Option<Error>,
}

/// What stands before the body's content.
pub(super) struct Head<'a> {
    pub(super) headers: Vec<HeaderBlock>,
    /// At the first header block; `None` when there is no header.
    pub(super) header: Option<Reader<'a>>,
    /// Where the header's content lies.
    pub(super) blocks: Range<usize>,
    pub(super) first: Option<Start<'a>>,
}

impl<'a> Opening<'a> {
    /// The start tag of the envelope.
    pub(super) fn envelope(&mut self) -> Result<Version, Error> {
        let Next::Start(start) = self.child()? else {
            return Err(self.bad(Kind::NotSoap, "there is no element at all"));
        };
        let uri = self.reader.uri(start.name.ns).to_owned();
        match Version::from_namespace(&uri) {
            Some(version) if start.name.local == "Envelope" => {
                self.check_attributes(version);
                Ok(version)
            }
            None if start.name.local == "Envelope" && !uri.is_empty() => Err(self.bad(
                Kind::Version,
                format!("the envelope is of no known version of SOAP: namespace {uri:?}"),
            )),
            _ => {
                let shown = if uri.is_empty() {
                    start.name.local.into()
                } else {
                    format!("{{{uri}}}{}", start.name.local)
                };
                Err(self.bad(
                    Kind::NotSoap,
                    format!("the root element is {shown}, not a SOAP Envelope"),
                ))
            }
        }
    }

    /// The headers and the first body element.
    pub(super) fn head(&mut self, version: Version) -> Result<Head<'a>, Error> {
        let (mut headers, mut header, mut blocks) = (Vec::new(), None, 0..0);
        let mut start = self.soap_child(version)?;
        if start.name.local == "Header" {
            header = Some(self.reader.clone());
            self.check_encoding_style(version, false);
            let from = self.reader.position();
            headers = self.header(version).map_err(|e| e.within("Header"))?;
            blocks = from..self.reader.token_start().max(from);
            start = self.soap_child(version)?;
        }
        if start.name.local != "Body" {
            return Err(self.bad(
                Kind::NotSoap,
                format!("element {} where the Body belongs", start.name.local),
            ));
        }
        self.check_encoding_style(version, false);
        match self.child().map_err(|e| e.within("Body"))? {
            Next::Start(first) => {
                self.check_encoding_style(version, true);
                Ok(Head {
                    headers,
                    header,
                    blocks,
                    first: Some(first),
                })
            }
            Next::End => Ok(Head {
                headers,
                header,
                blocks,
                first: None,
            }),
        }
    }

    fn soap_child(&mut self, version: Version) -> Result<Start<'a>, Error> {
        match self.child()? {
            Next::Start(start) if self.reader.uri(start.name.ns) == version.namespace() => Ok(start),
            Next::Start(start) => {
                let why = format!("element {} in the Envelope is not of {version}", start.name.local);
                Err(self.bad(Kind::NotSoap, why))
            }
            Next::End => Err(self.bad(Kind::NotSoap, "the Envelope has no Body")),
        }
    }

    fn header(&mut self, version: Version) -> Result<Vec<HeaderBlock>, Error> {
        let mut blocks = Vec::new();
        while let Next::Start(start) = self.child()? {
            let name = Name {
                namespace: self.reader.uri(start.name.ns).to_owned(),
                local: start.name.local.to_owned(),
            };
            let attribute = |local: &str| {
                let of_soap = |a: &&castile_xml::Attribute<'_>| {
                    a.name.local == local && self.reader.uri(a.name.ns) == version.namespace()
                };
                self.reader
                    .attributes()
                    .iter()
                    .find(of_soap)
                    .map(|a| a.value.trim().to_owned())
            };
            let [must_understand, relay] = ["mustUnderstand", "relay"].map(attribute);
            let role = attribute(if version == Version::Soap11 {
                "actor"
            } else {
                "role"
            });
            let says = |open: &mut Self, text: Option<String>| match text.as_deref() {
                Some("1" | "true") => true,
                None | Some("0" | "false") => false,
                Some(text) => {
                    open.breach(
                        Kind::Lexical,
                        format!("{text:?} says neither true nor false of a header block"),
                    );
                    false
                }
            };
            let must_understand = says(self, must_understand);
            let relay = version == Version::Soap12 && says(self, relay);
            let xml = self
                .reader
                .capture()
                .map_err(|e| Error::xml(e, self.reader.input()))?;
            blocks.push(HeaderBlock {
                name,
                must_understand,
                role,
                relay,
                xml,
            });
        }
        Ok(blocks)
    }

    /// The attributes of the Envelope must be in a namespace (SOAP 1.1, 4.1.1; SOAP 1.2 part 1, 5.1).
    fn check_attributes(&mut self, version: Version) {
        let bare = |a: &&castile_xml::Attribute<'_>| self.reader.uri(a.name.ns).is_empty();
        if let Some(attribute) = self.reader.attributes().iter().find(bare) {
            let why = format!(
                "attribute {} of the Envelope is in no namespace",
                attribute.name.local
            );
            self.breach(Kind::NotSoap, why);
        }
        self.check_encoding_style(version, false);
    }

    /// SOAP 1.2 has `encodingStyle` in header blocks and in the body's elements only (part 1, 5.1.1), and an
    /// encoding that is not known is told by a fault of its own (5.4.6).
    fn check_encoding_style(&mut self, version: Version, allowed: bool) {
        if version != Version::Soap12 {
            return;
        }
        let is = |a: &&castile_xml::Attribute<'_>| {
            a.name.local == "encodingStyle" && self.reader.uri(a.name.ns) == version.namespace()
        };
        let Some(style) = self
            .reader
            .attributes()
            .iter()
            .find(is)
            .map(|a| a.value.trim().to_owned())
        else {
            return;
        };
        if !allowed {
            self.breach(
                Kind::NotSoap,
                "encodingStyle stands where SOAP 1.2 does not allow it",
            );
        } else if !ENCODING_STYLES.contains(&&*style) {
            self.breach(Kind::Encoding, format!("the encoding {style:?} is not known"));
        }
    }

    fn breach(&mut self, kind: Kind, message: impl Into<String>) {
        if self.breach.is_none() {
            self.breach = Some(self.bad(kind, message).within("Envelope"));
        }
    }

    fn child(&mut self) -> Result<Next<'a>, Error> {
        loop {
            match self
                .reader
                .next()
                .map_err(|e| Error::xml(e, self.reader.input()))?
            {
                Token::Start { name, .. } => {
                    return Ok(Next::Start(Start {
                        name,
                        at: self.reader.token_start(),
                    }));
                }
                Token::End { .. } | Token::Eof => return Ok(Next::End),
                Token::Text(text) if !text.trim().is_empty() => {
                    return Err(self.bad(Kind::NotSoap, "text where only elements may stand"));
                }
                _ => {}
            }
        }
    }

    fn bad(&self, kind: Kind, message: impl Into<String>) -> Error {
        Error::new(kind, Guilty::Peer, message).at(self.reader.input(), self.reader.token_start())
    }
}
