//! The documents of a contract as a server shows them: `?wsdl` and `?xsd=N`, with every reference
//! among them and every address made to point at the server.

use std::collections::HashMap;

use castile_contract::{Contract, Loaded, ResolveError, Resolver, join};
use castile_xml::{Doctype, Reader, Token};

const WSDL: &str = "http://schemas.xmlsoap.org/wsdl/";
const XSD: &str = "http://www.w3.org/2001/XMLSchema";
const SOAP: [&str; 2] = [
    "http://schemas.xmlsoap.org/wsdl/soap/",
    "http://schemas.xmlsoap.org/wsdl/soap12/",
];

/// The documents of a contract, by number; the first is the WSDL.
#[derive(Debug, Default)]
pub(super) struct Documents {
    texts: Vec<Document>,
}

#[derive(Debug)]
struct Document {
    text: String,
    /// Bytes to replace, in order, and by what.
    references: Vec<(std::ops::Range<usize>, Reference)>,
}

#[derive(Debug)]
enum Reference {
    /// Another document, by number.
    Document(usize),
    /// The server's own address.
    Address,
}

impl Documents {
    /// Loads the documents of a contract again, to show them.
    pub(super) fn load(contract: &Contract, resolver: &dyn Resolver) -> Result<Documents, ResolveError> {
        let locations: Vec<&str> = contract.documents.iter().map(|d| &*d.location).collect();
        let numbers: HashMap<&str, usize> = locations.iter().enumerate().map(|(i, l)| (*l, i)).collect();
        let texts = locations.iter().map(|location| {
            let Loaded { bytes, charset, .. } = resolver.load(location)?;
            let text = castile_xml::to_utf8(&bytes, charset.as_deref());
            let text = text.map_err(|e| ResolveError(e.to_string()))?.into_owned();
            let references = references(&text, location, &numbers);
            Ok(Document { text, references })
        });
        Ok(Documents {
            texts: texts.collect::<Result<_, ResolveError>>()?,
        })
    }

    /// Document `number` as it is shown at `base`, the server's address.
    pub(super) fn show(&self, number: usize, base: &str) -> Option<String> {
        let document = self.texts.get(number)?;
        let mut out = String::with_capacity(document.text.len() + 256);
        let mut at = 0;
        for (span, reference) in &document.references {
            out.push_str(document.text.get(at..span.start)?);
            let mut value = Vec::new();
            let target = match reference {
                Reference::Document(0) => format!("{base}?wsdl"),
                Reference::Document(n) => format!("{base}?xsd={n}"),
                Reference::Address => base.to_owned(),
            };
            castile_xml::escape_attribute(&target, &mut value);
            out.push_str(&String::from_utf8_lossy(&value));
            at = span.end;
        }
        out.push_str(document.text.get(at..)?);
        // The text is UTF-8 now, whatever its declaration said.
        Some(redeclared(out))
    }
}

fn redeclared(text: String) -> String {
    match text.strip_prefix("<?xml").and_then(|rest| rest.split_once("?>")) {
        Some((_, rest)) => format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>{rest}"),
        None => text,
    }
}

/// The attribute values of a document that refer to other documents or to the server.
fn references(
    text: &str,
    location: &str,
    numbers: &HashMap<&str, usize>,
) -> Vec<(std::ops::Range<usize>, Reference)> {
    let mut found = Vec::new();
    let mut reader = Reader::new(text).doctype(Doctype::Skip);
    // What cannot be read was refused when the contract was loaded.
    while let Ok(token) = reader.next() {
        let name = match token {
            Token::Start { name, .. } => name,
            Token::Eof => break,
            _ => continue,
        };
        let attribute = match (reader.uri(name.ns), name.local) {
            (XSD, "import" | "include" | "redefine") => "schemaLocation",
            (WSDL, "import") => "location",
            (uri, "address") if SOAP.contains(&uri) => "location",
            _ => continue,
        };
        let same = |a: &castile_xml::Attribute<'_>| a.name.local == attribute && a.name.prefix.is_empty();
        let Some(index) = reader.attributes().iter().position(same) else {
            continue;
        };
        let reference = match name.local {
            "address" => Some(Reference::Address),
            _ => {
                let target = join(location, &reader.attributes()[index].value);
                numbers.get(&*target).copied().map(Reference::Document)
            }
        };
        let span = reader.attribute_start(index).and_then(|at| value_span(text, at));
        if let (Some(reference), Some(span)) = (reference, span) {
            found.push((span, reference));
        }
    }
    found.sort_by_key(|(span, _)| span.start);
    found
}

/// The bytes between the quotes of the attribute that starts at `at`.
fn value_span(text: &str, at: usize) -> Option<std::ops::Range<usize>> {
    let rest = text.get(at..)?;
    let open = rest.find(['"', '\''])?;
    let quote = rest[open..].chars().next()?;
    let close = rest[open + 1..].find(quote)?;
    Some(at + open + 1..at + open + 1 + close)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_and_addresses_point_at_the_server() {
        let wsdl = format!(
            r#"<?xml version="1.0" encoding="UTF-16"?><d:definitions xmlns:d="{WSDL}" xmlns:s="{}" xmlns:x="{XSD}">
            <d:types><x:schema><x:import namespace="a" schemaLocation='../t/a.xsd'/><x:include schemaLocation="b.xsd"/></x:schema></d:types>
            <d:service name="n"><d:port name="p"><s:address location="http://elsewhere/"/></d:port></d:service></d:definitions>"#,
            SOAP[0]
        );
        let numbers = HashMap::from([("w/s.wsdl", 0), ("t/a.xsd", 1)]);
        let references = references(&wsdl, "w/s.wsdl", &numbers);
        let documents = Documents {
            texts: vec![Document {
                text: wsdl,
                references,
            }],
        };
        let shown = documents.show(0, "http://here:1/s").unwrap();
        assert!(
            shown.starts_with(r#"<?xml version="1.0" encoding="UTF-8"?>"#),
            "{shown}"
        );
        assert!(
            shown.contains("schemaLocation='http://here:1/s?xsd=1'"),
            "{shown}"
        );
        assert!(shown.contains(r#"include schemaLocation="b.xsd""#), "{shown}");
        assert!(shown.contains(r#"location="http://here:1/s""#), "{shown}");
    }
}
