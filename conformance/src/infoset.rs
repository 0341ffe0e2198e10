//! What two messages say, compared: names, attributes, content; not prefixes, white space between
//! elements or which of its lexical forms a value has.

use castile_lexical::{DateTime, DateTimeKind, Decimal, parse_f32, parse_f64};
use castile_xml::{Reader, Token};

const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";
const SOAP: [&str; 2] = [
    "http://schemas.xmlsoap.org/soap/envelope/",
    "http://www.w3.org/2003/05/soap-envelope",
];

/// An element.
#[derive(Debug, Default)]
struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    children: Vec<Element>,
    text: String,
}

/// The first difference between the bodies and the header blocks of two envelopes.
///
/// # Errors
/// One of them is not well-formed.
pub(crate) fn difference(a: &str, b: &str) -> Result<Option<String>, String> {
    parts_difference(a, b, &["Header", "Body"])
}

/// The same for the header blocks alone.
///
/// # Errors
/// One of them is not well-formed.
pub(crate) fn headers_difference(a: &str, b: &str) -> Result<Option<String>, String> {
    parts_difference(a, b, &["Header"])
}

/// Whether the bodies say the same but for the namespaces of elements, or with `parameters` for what the
/// children of the body's elements and the items of arrays are called.
///
/// # Errors
/// One of them is not well-formed.
pub(crate) fn same_but_for_names(a: &str, b: &str, parameters: bool) -> Result<bool, String> {
    let (mut a, mut b) = (parse(a)?, parse(b)?);
    for root in [&mut a, &mut b] {
        root.children.retain(|part| part.name.ends_with("}Body"));
        let calls = root.children.iter_mut().flat_map(|body| &mut body.children);
        match parameters {
            true => calls
                .flat_map(|call| &mut call.children)
                .for_each(without_own_names),
            false => without_namespaces(root),
        }
    }
    Ok(compare("", &a, &b).is_none())
}

/// Takes the name of a parameter and of the items of arrays away: neither means anything.
fn without_own_names(element: &mut Element) {
    element.name.clear();
    let is_array = element
        .attributes
        .iter()
        .any(|(name, _)| name.ends_with("}arrayType"));
    if is_array {
        element.children.iter_mut().for_each(without_own_names);
    }
}

fn without_namespaces(element: &mut Element) {
    element.name = element.name.rsplit('}').next().unwrap_or_default().to_owned();
    element.children.iter_mut().for_each(without_namespaces);
}

fn parts_difference(a: &str, b: &str, parts: &[&str]) -> Result<Option<String>, String> {
    let (mut a, mut b) = (parse(a)?, parse(b)?);
    for envelope in [&mut a, &mut b] {
        for part in &mut envelope.children {
            // Blocks have no order; an empty header is none.
            if part.name.ends_with("}Header") {
                part.children.sort_by(|x, y| x.name.cmp(&y.name));
            }
        }
        envelope.children.retain(|part| {
            let local = part.name.rsplit('}').next().unwrap_or_default();
            parts.contains(&local) && (local != "Header" || !part.children.is_empty())
        });
    }
    Ok(compare("", &a, &b))
}

fn compare(path: &str, a: &Element, b: &Element) -> Option<String> {
    let path = format!("{path}/{}", a.name.rsplit('}').next().unwrap_or_default());
    if a.name != b.name {
        return Some(format!("{path}: {} and {}", a.name, b.name));
    }
    let both = |name: &str| {
        let value = |e: &Element| {
            e.attributes
                .iter()
                .find(|(n, _)| n == name)
                .map(|(_, v)| v.clone())
        };
        (value(a), value(b))
    };
    let names = a.attributes.iter().chain(&b.attributes).map(|(name, _)| name);
    for name in names {
        let same = match both(name) {
            (Some(x), Some(y)) => same_value(&x, &y),
            // A type that the contract declares may be announced or not, and what is not nil may say so.
            (Some(value), None) | (None, Some(value)) => {
                *name == format!("{{{XSI}}}type")
                    || (*name == format!("{{{XSI}}}nil") && same_value(&value, "false"))
            }
            (None, None) => true,
        };
        if !same {
            return Some(format!("{path}: attribute {name}: {:?}", both(name)));
        }
    }
    if a.children.len() != b.children.len() {
        let list = |e: &Element| {
            e.children
                .iter()
                .map(|c| c.name.clone())
                .collect::<Vec<_>>()
                .join(" ")
        };
        return Some(format!("{path}: children {} and {}", list(a), list(b)));
    }
    if !same_value(&a.text, &b.text) {
        return Some(format!("{path}: {:?} and {:?}", a.text, b.text));
    }
    a.children
        .iter()
        .zip(&b.children)
        .find_map(|(x, y)| compare(&path, x, y))
}

/// Whether two texts are forms of one value.
fn same_value(a: &str, b: &str) -> bool {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (a, b) = (words(a), words(b));
    if a == b || words_as_bytes(&a) == words_as_bytes(&b) {
        return true;
    }
    let hex = |text: &str| text.len().is_multiple_of(2) && text.bytes().all(|b| b.is_ascii_hexdigit());
    if hex(&a) && hex(&b) && a.eq_ignore_ascii_case(&b) {
        return true;
    }
    let bool = |text: &str| match text {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    };
    let double = |text: &str| parse_f64(text.as_bytes()).ok().map(f64::to_bits);
    let float = |text: &str| parse_f32(text.as_bytes()).ok().map(f32::to_bits);
    let decimal = |text: &str| Decimal::parse(text).ok().map(|d| d.canonical());
    let instant = |text: &str| {
        use DateTimeKind::{Date, DateTime as Both, Time};
        [Both, Date, Time]
            .into_iter()
            .find_map(|kind| DateTime::parse(kind, text.as_bytes()).ok())
            .map(|t| (t.kind, t.instant(), t.zone_minutes.is_some()))
    };
    let agree = |x: Option<String>, y: Option<String>| x.is_some() && x == y;
    let shown = |value: Option<bool>| value.map(|v| v.to_string());
    agree(shown(bool(&a)), shown(bool(&b)))
        || agree(
            double(&a).map(|v| v.to_string()),
            double(&b).map(|v| v.to_string()),
        )
        || (double(&a) != double(&b)
            && agree(float(&a).map(|v| v.to_string()), float(&b).map(|v| v.to_string()))
            && a.len().max(b.len()) > 8)
        || agree(decimal(&a), decimal(&b))
        || agree(
            instant(&a).map(|v| format!("{v:?}")),
            instant(&b).map(|v| format!("{v:?}")),
        )
}

/// Base64 may be broken into lines anywhere, hexBinary be in either case; text may not, but then it has
/// other letters too.
fn words_as_bytes(text: &str) -> String {
    let joined: String = text.split(' ').collect();
    if joined.len() > 64 {
        joined
    } else {
        text.to_owned()
    }
}

fn parse(text: &str) -> Result<Element, String> {
    let mut reader = Reader::new(text);
    let mut open = vec![Element::default()];
    loop {
        match reader.next().map_err(|e| e.to_string())? {
            Token::Start { name, .. } => {
                let element = Element {
                    name: format!("{{{}}}{}", reader.uri(name.ns), name.local),
                    attributes: attributes(&reader),
                    ..Element::default()
                };
                open.push(element);
            }
            Token::Text(text) => {
                if let Some(element) = open.last_mut() {
                    element.text.push_str(&text);
                }
            }
            Token::End { .. } => {
                let mut element = open.pop().unwrap_or_default();
                if !element.children.is_empty() && element.text.trim().is_empty() {
                    element.text.clear();
                }
                if let Some(parent) = open.last_mut() {
                    parent.children.push(element);
                }
            }
            Token::Eof => break,
            _ => {}
        }
    }
    open.pop()
        .and_then(|mut root| root.children.pop())
        .ok_or_else(|| "no element".to_owned())
}

fn attributes(reader: &Reader<'_>) -> Vec<(String, String)> {
    let mut list = Vec::new();
    for attribute in reader.attributes() {
        let uri = reader.uri(attribute.name.ns);
        let hint = uri == XSI && attribute.name.local.ends_with("chemaLocation");
        let style = SOAP.contains(&uri) && attribute.name.local == "encodingStyle";
        if hint || style {
            continue;
        }
        let mut value = attribute.value.to_string();
        let named = match attribute.name.local {
            "type" => uri == XSI,
            "qname" => uri.is_empty(),
            "arrayType" => uri == "http://schemas.xmlsoap.org/soap/encoding/",
            _ => false,
        };
        if named {
            let (prefix, local) = value.trim().split_once(':').unwrap_or(("", value.trim()));
            if let Some(ns) = reader.lookup(prefix) {
                value = format!("{{{}}}{local}", reader.uri(ns));
            }
        }
        list.push((format!("{{{uri}}}{}", attribute.name.local), value));
    }
    list
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn what_counts_and_what_does_not() {
        let envelope = |body: &str| {
            format!(
                "<S:Envelope xmlns:S='{}' xmlns:a='urn:a' xmlns:xsi='{}'><S:Body>{body}</S:Body></S:Envelope>",
                super::SOAP[0],
                super::XSI
            )
        };
        for (a, b, same) in [
            ("<a:x/>", "<x xmlns='urn:a'></x>", true),
            ("<a:x>1.50</a:x>", "<a:x>1.5E0</a:x>", true),
            ("<a:x> true </a:x>", "<a:x>1</a:x>", true),
            (
                "<a:x>2020-01-01T00:00:00.000Z</a:x>",
                "<a:x>2020-01-01T01:00:00+01:00</a:x>",
                true,
            ),
            ("<a:x xsi:type='a:t'/>", "<a:x/>", true),
            ("<a:x xsi:type='a:t'/>", "<a:x xsi:type='a:u'/>", false),
            ("<a:x/>", "<x/>", false),
            ("<a:x><y/></a:x>", "<a:x> <y/> </a:x>", true),
            ("<a:x><y/></a:x>", "<a:x><y/><y/></a:x>", false),
            ("<a:x>1</a:x>", "<a:x>2</a:x>", false),
            ("<a:x b='1'/>", "<a:x/>", false),
        ] {
            let found = difference(&envelope(a), &envelope(b)).unwrap();
            assert_eq!(found.is_none(), same, "{a} {b}: {found:?}");
        }
    }
}
