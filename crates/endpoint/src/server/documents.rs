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
        let load = |location: &&str| {
            let Loaded { bytes, charset, .. } = resolver.load(location)?;
            let text = castile_xml::to_utf8(&bytes, charset.as_deref());
            Ok(text.map_err(|e| ResolveError(e.to_string()))?.into_owned())
        };
        let texts: Vec<String> = locations.iter().map(load).collect::<Result<_, ResolveError>>()?;
        let known = Known::new(&locations, &texts);
        let texts = texts.iter().zip(&locations).map(|(text, location)| Document {
            references: references(text, location, &known),
            text: text.clone(),
        });
        Ok(Documents {
            texts: texts.collect(),
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

/// The numbers of documents.
#[derive(Default)]
struct Known<'c> {
    by_location: HashMap<&'c str, usize>,
    /// The schemas of namespaces that one document alone has: a catalog may have told where it is.
    by_namespace: HashMap<String, Option<usize>>,
}

impl<'c> Known<'c> {
    fn new(locations: &[&'c str], texts: &[String]) -> Self {
        let mut known = Known::default();
        for (number, (location, text)) in locations.iter().zip(texts).enumerate() {
            known.by_location.insert(location, number);
            if let Some(namespace) = schema_namespace(text) {
                let of_one = known.by_namespace.entry(namespace).or_insert(Some(number));
                *of_one = of_one.filter(|one| *one == number);
            }
        }
        known
    }

    fn find(&self, target: &str, namespace: Option<&str>) -> Option<usize> {
        let located = self.by_location.get(target).copied();
        located.or_else(|| self.by_namespace.get(namespace?).copied().flatten())
    }
}

/// The namespace of a document that is a schema.
fn schema_namespace(text: &str) -> Option<String> {
    let mut reader = Reader::new(text).doctype(Doctype::Skip);
    loop {
        match reader.next().ok()? {
            Token::Start { name, .. } => {
                let is_schema = reader.uri(name.ns) == XSD && name.local == "schema";
                return is_schema.then(|| value_of(&reader, "targetNamespace")).flatten();
            }
            Token::Eof => return None,
            _ => (),
        }
    }
}

fn value_of(reader: &Reader<'_>, name: &str) -> Option<String> {
    let mut all = reader.attributes().iter();
    let found = all.find(|a| a.name.local == name && a.name.prefix.is_empty())?;
    Some(found.value.to_string())
}

fn redeclared(text: String) -> String {
    match text.strip_prefix("<?xml").and_then(|rest| rest.split_once("?>")) {
        Some((_, rest)) => format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>{rest}"),
        None => text,
    }
}

/// The attribute values of a document that refer to other documents or to the server.
fn references(text: &str, location: &str, known: &Known<'_>) -> Vec<(std::ops::Range<usize>, Reference)> {
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
                // What is included has the namespace of what includes it.
                let namespace = value_of(&reader, "namespace").filter(|_| name.local == "import");
                known.find(&target, namespace.as_deref()).map(Reference::Document)
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
            <d:types><x:schema><x:import namespace="a" schemaLocation='../t/a.xsd'/><x:include schemaLocation="b.xsd"/>
            <x:import namespace="c" schemaLocation="http://far/c.xsd"/><x:import namespace="d" schemaLocation="http://far/d.xsd"/>
            </x:schema></d:types>
            <d:service name="n"><d:port name="p"><s:address location="http://elsewhere/"/></d:port></d:service></d:definitions>"#,
            SOAP[0]
        );
        let schema = |ns: &str| format!(r#"<x:schema xmlns:x="{XSD}" targetNamespace="{ns}"/>"#);
        let locations = ["w/s.wsdl", "t/a.xsd", "own/c.xsd", "own/d1.xsd", "own/d2.xsd"];
        let texts = [wsdl.clone(), schema("a"), schema("c"), schema("d"), schema("d")];
        let known = Known::new(&locations, &texts);
        let references = references(&wsdl, "w/s.wsdl", &known);
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
        // A catalog had it, and it is the only one of its namespace.
        assert!(
            shown.contains(r#""c" schemaLocation="http://here:1/s?xsd=2""#),
            "{shown}"
        );
        assert!(
            shown.contains(r#""d" schemaLocation="http://far/d.xsd""#),
            "{shown}"
        );
        assert!(shown.contains(r#"location="http://here:1/s""#), "{shown}");
    }
}
