//! Endpoint references (WS-Addressing 1.0 Core, 2).

use castile_xml::{Reader, Token};

use super::version::AddressingVersion;
use crate::error::{Error, Guilty, Kind};

/// An address, and what whoever sends there must repeat in the header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EndpointReference {
    /// Where it is: an IRI.
    pub address: String,
    /// Reference parameters (and reference properties of the submission), each one
    /// namespace-complete XML element.
    pub parameters: Vec<String>,
    /// Metadata and extensions, as XML.
    pub metadata: Vec<String>,
}

impl EndpointReference {
    /// A bare address.
    pub fn new(address: impl Into<String>) -> Self {
        EndpointReference {
            address: address.into(),
            ..EndpointReference::default()
        }
    }

    /// Reads any element of type `EndpointReferenceType`, of either version.
    ///
    /// # Errors
    /// It is not well-formed, or has no address.
    pub fn parse(xml: &str) -> Result<EndpointReference, Error> {
        read(xml).map_err(|why| {
            let text = format!("no endpoint reference: {why}");
            Error::new(Kind::Peer, Guilty::Peer, text)
        })
    }

    /// The reference as an element of a version's namespace, such as `ReplyTo`.
    pub fn to_xml(&self, name: &str, version: AddressingVersion) -> String {
        let mut out = format!("<a:{name} xmlns:a=\"{}\"><a:Address>", version.namespace()).into_bytes();
        castile_xml::escape_text(&self.address, &mut out);
        out.extend(b"</a:Address>");
        if !self.parameters.is_empty() {
            out.extend(b"<a:ReferenceParameters>");
            out.extend(self.parameters.concat().into_bytes());
            out.extend(b"</a:ReferenceParameters>");
        }
        out.extend(self.metadata.concat().into_bytes());
        out.extend(format!("</a:{name}>").into_bytes());
        String::from_utf8_lossy(&out).into_owned()
    }

    /// The reference parameters as header blocks for a message to this endpoint (SOAP Binding, 4).
    pub(super) fn header_blocks(&self, version: AddressingVersion) -> impl Iterator<Item = String> {
        self.parameters.iter().map(move |xml| match version {
            AddressingVersion::V10 => marked(xml),
            AddressingVersion::Submission => xml.clone(),
        })
    }
}

/// A header block marked as a reference parameter.
fn marked(xml: &str) -> String {
    let end = xml.find('>').unwrap_or(xml.len());
    let (head, _) = xml.split_at(end);
    if head.contains(":IsReferenceParameter=") {
        return xml.to_owned();
    }
    let at = head
        .find(|c: char| c.is_ascii_whitespace())
        .unwrap_or_else(|| head.trim_end_matches('/').len());
    let mut prefix = String::from("wsa");
    while head.contains(&format!("xmlns:{prefix}=")) {
        prefix.push('a');
    }
    let uri = AddressingVersion::V10.namespace();
    let (name, rest) = xml.split_at(at);
    format!("{name} xmlns:{prefix}=\"{uri}\" {prefix}:IsReferenceParameter=\"true\"{rest}")
}

fn read(xml: &str) -> Result<EndpointReference, String> {
    let mut reader = Reader::new(xml);
    let mut found = EndpointReference::default();
    let mut addressed = false;
    next(&mut reader)?.ok_or("there is no element")?;
    while let Some((namespace, local)) = next(&mut reader)? {
        let known = AddressingVersion::from_namespace(&namespace).is_some();
        match (known, &*local) {
            (true, "Address") if !std::mem::replace(&mut addressed, true) => {
                found.address = text(&mut reader)?;
            }
            (true, "Address") => return Err("it has two addresses".into()),
            (true, "ReferenceParameters" | "ReferenceProperties") => {
                while next(&mut reader)?.is_some() {
                    found.parameters.push(capture(&mut reader)?);
                }
            }
            _ => found.metadata.push(capture(&mut reader)?),
        }
    }
    if addressed {
        Ok(found)
    } else {
        Err("it has no address".into())
    }
}

/// The next child element, or the end of the open one.
fn next(reader: &mut Reader<'_>) -> Result<Option<(String, String)>, String> {
    loop {
        match reader.next().map_err(|e| e.to_string())? {
            Token::Start { name, .. } => {
                return Ok(Some((reader.uri(name.ns).to_owned(), name.local.to_owned())));
            }
            Token::End { .. } | Token::Eof => return Ok(None),
            _ => {}
        }
    }
}

/// The text of the open element, through its end tag.
fn text(reader: &mut Reader<'_>) -> Result<String, String> {
    let mut text = String::new();
    loop {
        match reader.next().map_err(|e| e.to_string())? {
            Token::Text(more) => text.push_str(&more),
            Token::End { .. } | Token::Eof => return Ok(text.trim().to_owned()),
            Token::Start { .. } => return Err("its address has elements".into()),
            _ => {}
        }
    }
}

fn capture(reader: &mut Reader<'_>) -> Result<String, String> {
    reader.capture().map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_read_and_written() {
        for version in [AddressingVersion::V10, AddressingVersion::Submission] {
            let reference = EndpointReference {
                address: "http://h/?a&b".into(),
                parameters: vec!["<k xmlns=\"urn:k\">7</k>".into(), "<l/>".into()],
                metadata: vec!["<m xmlns=\"urn:m\"/>".into()],
            };
            let xml = reference.to_xml("ReplyTo", version);
            let read = EndpointReference::parse(&xml).unwrap();
            assert_eq!(read.address, reference.address);
            // What is cut out of a document keeps the namespaces in scope.
            assert!(read.parameters[0].ends_with(" xmlns=\"urn:k\">7</k>"), "{read:?}");
            assert!(read.parameters[1].starts_with("<l") && read.metadata[0].starts_with("<m"));
            assert_eq!(
                EndpointReference::parse(&read.to_xml("To", version)).unwrap(),
                read
            );
        }
        for bad in [
            "<a/>",
            "",
            "<a",
            "<a xmlns='http://www.w3.org/2005/08/addressing'><Address><x/></Address></a>",
        ] {
            assert_eq!(EndpointReference::parse(bad).unwrap_err().guilty(), Guilty::Peer);
        }
    }

    #[test]
    fn parameters_are_marked_once() {
        let uri = AddressingVersion::V10.namespace();
        for (xml, marked_xml) in [
            (
                "<l/>",
                format!("<l xmlns:wsa=\"{uri}\" wsa:IsReferenceParameter=\"true\"/>"),
            ),
            (
                "<l>1</l>",
                format!("<l xmlns:wsa=\"{uri}\" wsa:IsReferenceParameter=\"true\">1</l>"),
            ),
            (
                "<wsa:l xmlns:wsa=\"urn:other\">1</wsa:l>",
                format!(
                    "<wsa:l xmlns:wsaa=\"{uri}\" wsaa:IsReferenceParameter=\"true\" xmlns:wsa=\"urn:other\">1</wsa:l>"
                ),
            ),
        ] {
            let once = marked(xml);
            assert_eq!(once, marked_xml);
            assert_eq!(marked(&once), once);
            assert!(castile_xml::Fragment::parse(&once).is_ok());
        }
    }
}
