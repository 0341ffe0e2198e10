//! The reference: what a message means, read through a tree of its own (roxmltree), SOAP encoding's references included.

use std::collections::HashMap;

use base64::Engine as _;
use roxmltree::{Document, ParsingOptions};

use super::{Side, Style, wrapper};
use crate::Outcome;
use crate::trace::{Field, Kind, Trace, Type};

const SOAP: &str = "http://schemas.xmlsoap.org/soap/envelope/";
const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// The values in a message of `operation`, which must be one of `kind` in `style`.
///
/// # Errors
/// No XML, a fault, another element than expected, a value that is none of its type.
pub(crate) fn values(
    style: Style,
    kind: Kind,
    operation: &str,
    side: Side,
    message: &[u8],
) -> Outcome<Trace> {
    let member = if side == Side::Request { "values" } else { "return" };
    with_body(style, kind, operation, side, message, |reader, body| {
        let rows = match kind {
            Kind::Void => Vec::new(),
            _ => reader.rows(kind, reader.child(body, member)?)?,
        };
        Ok(Trace { kind, rows })
    })
}

/// The count in the response of a `send` operation.
///
/// # Errors
/// As [`values`].
pub(crate) fn count(style: Style, kind: Kind, operation: &str, message: &[u8]) -> Outcome<i64> {
    with_body(style, kind, operation, Side::Response, message, |reader, body| {
        Ok(text(reader.child(body, "count")?).trim().parse()?)
    })
}

fn with_body<T>(
    style: Style,
    kind: Kind,
    operation: &str,
    side: Side,
    message: &[u8],
    then: impl for<'a> FnOnce(&Reader<'a>, Node<'a>) -> Outcome<T>,
) -> Outcome<T> {
    let text = std::str::from_utf8(message)?.trim_start_matches('\u{feff}');
    let options = ParsingOptions {
        nodes_limit: u32::MAX,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(text, options)?;
    let root: Node<'_> = document.root_element();
    let body = root
        .children()
        .find(|n| n.has_tag_name((SOAP, "Body")))
        .ok_or("the message has no Body of SOAP 1.1")?;
    let first = body
        .children()
        .find(|n| n.is_element())
        .ok_or("the Body is empty")?;
    if first.has_tag_name((SOAP, "Fault")) {
        return Err(format!("a fault: {}", words(first)).into());
    }
    let wanted = wrapper(operation, side);
    // SOAP 1.1, 7.1: the name of an rpc response's element is not significant.
    let free = style == Style::Encoded && side == Side::Response;
    if !free && !first.has_tag_name((style.namespace(kind), &*wanted)) {
        return Err(format!("the Body has {:?}, not {wanted}", first.tag_name()).into());
    }
    let ids = body
        .descendants()
        .filter_map(|n| n.attribute("id").map(|id| (id, n)))
        .collect();
    let namespace = (style == Style::Literal).then(|| style.namespace(kind));
    then(&Reader { ids, namespace }, first)
}

type Node<'a> = roxmltree::Node<'a, 'a>;

fn words(node: Node<'_>) -> String {
    let texts: Vec<&str> = node
        .descendants()
        .filter(roxmltree::Node::is_text)
        .filter_map(|n| n.text())
        .flat_map(str::split_whitespace)
        .collect();
    texts.join(" ")
}

struct Reader<'a> {
    ids: HashMap<&'a str, Node<'a>>,
    /// The namespace that members must have; any with SOAP encoding, which leaves them unqualified.
    namespace: Option<&'static str>,
}

impl<'a> Reader<'a> {
    fn rows(&self, kind: Kind, node: Node<'a>) -> Outcome<Vec<Vec<Field>>> {
        match kind {
            Kind::Bytes => Ok(vec![vec![Field::Bytes(bytes(&text(node))?)]]),
            Kind::Packed => packed(&bytes(&text(node))?),
            Kind::Nested => self.levels(node),
            Kind::Ring => self.ring(node),
            Kind::Google => self
                .items(node, "resultElements")?
                .map(|item| self.record(kind, item))
                .collect(),
            Kind::ClassAds => children(node)
                .map(|ad| {
                    let attributes = self.items(self.resolve(ad)?, "attributes")?;
                    let fields = attributes
                        .map(|item| self.record(kind, item))
                        .collect::<Outcome<Vec<_>>>()?;
                    Ok(fields.concat())
                })
                .collect(),
            _ => children(node).map(|item| self.record(kind, item)).collect(),
        }
    }

    /// The items of the array that is the member `name`.
    fn items(&self, of: Node<'a>, name: &str) -> Outcome<impl Iterator<Item = Node<'a>>> {
        Ok(children(self.child(of, name)?))
    }

    /// The fields of one item.
    fn record(&self, kind: Kind, item: Node<'a>) -> Outcome<Vec<Field>> {
        let item = self.resolve(item)?;
        let mut fields = Vec::with_capacity(kind.columns().len());
        for (path, of) in kind.columns() {
            let mut node = item;
            for name in path.split('/').filter(|name| !name.is_empty()) {
                node = self.child(node, name)?;
            }
            fields.push(field(*of, &text(node))?);
        }
        Ok(fields)
    }

    fn levels(&self, outermost: Node<'a>) -> Outcome<Vec<Vec<Field>>> {
        const A: &str = "urn:castile:bench:a";
        const B: &str = "urn:castile:bench:b";
        let mut rows = Vec::new();
        let mut next = Some(outermost);
        while let Some(level) = next {
            let mut row = Vec::new();
            for (space, name) in [(A, "id"), (B, "id"), (A, "kind"), (B, "kind")] {
                let value = level.attribute((space, name));
                row.push(Field::Text(
                    value.ok_or_else(|| format!("a level has no {name}"))?.to_owned(),
                ));
            }
            for space in [A, B] {
                let name = children(level).find(|n| n.has_tag_name((space, "name")));
                row.push(Field::Text(text(name.ok_or("a level has no name")?)));
            }
            rows.push(row);
            next = self.find(level, "level");
        }
        Ok(rows)
    }

    /// The names of a circular list, which must come back to its first node.
    fn ring(&self, first: Node<'a>) -> Outcome<Vec<Vec<Field>>> {
        let first = self.resolve(first)?;
        let mut rows = Vec::new();
        let mut node = first;
        loop {
            rows.push(vec![Field::Text(text(self.child(node, "name")?))]);
            node = self.child(node, "next")?;
            if node.attribute((XSI, "nil")).is_some() {
                return Err("the list ends instead of coming back to its first node".into());
            }
            if node == first {
                return Ok(rows);
            }
            if rows.len() > RING_MAX {
                return Err("the list never comes back to its first node".into());
            }
        }
    }

    fn child(&self, of: Node<'a>, name: &str) -> Outcome<Node<'a>> {
        let found = self
            .find(of, name)
            .ok_or_else(|| format!("{} has no member {name}", of.tag_name().name()))?;
        self.resolve(found)
    }

    fn find(&self, of: Node<'a>, name: &str) -> Option<Node<'a>> {
        children(of).find(|n| match self.namespace {
            Some(namespace) => n.has_tag_name((namespace, name)),
            None => n.tag_name().name() == name,
        })
    }

    /// The node itself, or what its `href` points at.
    fn resolve(&self, node: Node<'a>) -> Outcome<Node<'a>> {
        match node.attribute("href").and_then(|href| href.strip_prefix('#')) {
            None => Ok(node),
            Some(id) => Ok(*self
                .ids
                .get(id)
                .ok_or_else(|| format!("nothing has the id {id}"))?),
        }
    }
}

/// Longer than any list of the suite.
const RING_MAX: usize = 10_000_000;

fn children<'a>(of: Node<'a>) -> impl Iterator<Item = Node<'a>> {
    of.children().filter(Node::is_element)
}

fn text(node: Node<'_>) -> String {
    node.children()
        .filter(Node::is_text)
        .filter_map(|n| n.text())
        .collect()
}

fn field(kind: Type, text: &str) -> Outcome<Field> {
    match kind {
        Type::Bytes => Ok(Field::Bytes(bytes(text)?)),
        _ => Ok(Field::parse(kind, text)?),
    }
}

/// The bytes of a base64 text, which may have white space anywhere.
fn bytes(text: &str) -> Outcome<Vec<u8>> {
    let dense: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    Ok(base64::engine::general_purpose::STANDARD.decode(dense)?)
}

fn packed(bytes: &[u8]) -> Outcome<Vec<Vec<Field>>> {
    let numbers = bytes.chunks_exact(8);
    if !numbers.remainder().is_empty() {
        return Err(format!("{} bytes are no array of doubles", bytes.len()).into());
    }
    numbers
        .map(|number| Ok(vec![Field::Double(f64::from_le_bytes(number.try_into()?))]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::generate::{Data, trace};
    use crate::wire::{request, response};

    const KINDS: [(Kind, &str); 11] = [
        (Kind::Doubles, "echoDoubles"),
        (Kind::Ints, "echoInts"),
        (Kind::Strings, "echoStrings"),
        (Kind::Bytes, "echoBytes"),
        (Kind::Packed, "echoPacked"),
        (Kind::Mios, "echoMios"),
        (Kind::Events, "echoEvents"),
        (Kind::Attributes, "echoAttributes"),
        (Kind::ClassAds, "echoClassAds"),
        (Kind::Google, "doGoogleSearch"),
        (Kind::Files, "echoFiles"),
    ];

    fn check(style: Style, kind: Kind, operation: &str) {
        let data = Data {
            length: 16,
            ..Data::default()
        };
        let made = trace(kind, &data, 7).expect("a trace");
        let message = response(style, operation, &made);
        let back = values(style, kind, operation, Side::Response, &message).expect("its own message");
        assert_eq!(made.difference(&back), None, "{kind:?} {style:?}");
        if kind != Kind::Google {
            let message = request(style, operation, &made);
            let back = values(style, kind, operation, Side::Request, &message).expect("its own message");
            assert_eq!(made.difference(&back), None, "{kind:?} {style:?}");
        }
    }

    #[test]
    fn what_is_composed_is_read() {
        for (kind, operation) in KINDS {
            check(Style::Literal, kind, operation);
            if kind != Kind::Files {
                check(Style::Encoded, kind, operation);
            }
        }
        check(Style::Literal, Kind::Nested, "echoNested");
        check(Style::Encoded, Kind::Ring, "echoRing");
    }

    #[test]
    fn a_fault_and_a_foreign_element_are_errors() {
        let made = trace(Kind::Ints, &Data::default(), 2).expect("a trace");
        let message = request(Style::Literal, "echoInts", &made);
        let read = |operation: &str, message: &[u8]| {
            values(Style::Literal, Kind::Ints, operation, Side::Request, message).map(|_| ())
        };
        assert!(read("echoInts", &message).is_ok());
        assert!(read("sendInts", &message).is_err());
        let fault = "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body><e:Fault>\
                     <faultcode>e:Client</faultcode><faultstring>no  such thing</faultstring></e:Fault></e:Body></e:Envelope>";
        let error = read("echoInts", fault.as_bytes())
            .expect_err("a fault")
            .to_string();
        assert_eq!(error, "a fault: e:Client no such thing");
    }

    #[test]
    fn references_of_soap_encoding_are_followed() {
        let message = "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>\
            <b:echoStrings xmlns:b='urn:castile:bench:encoded'><values href='#1'/></b:echoStrings>\
            <multiRef id='1'><item href='#2'/><item>b</item><item href='#2'/></multiRef>\
            <multiRef id='2'>a</multiRef></e:Body></e:Envelope>";
        let read = values(
            Style::Encoded,
            Kind::Strings,
            "echoStrings",
            Side::Request,
            message.as_bytes(),
        );
        assert_eq!(read.expect("strings").text(), "a\nb\na\n");
    }
}
