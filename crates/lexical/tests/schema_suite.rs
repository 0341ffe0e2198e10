//! Values of the W3C XML Schema test suite: what its instances hold must be read, or refused, as
//! its catalogue says.

mod common;

use std::fs;

use castile_lexical::*;
use common::testdata;

/// Reads the text as the built-in type and, where there is a value, sends it around once more.
/// `None` for types that this crate has no parser for because any text is legal.
fn accepts(type_name: &str, text: &str) -> Option<bool> {
    let bytes = text.as_bytes();
    let collapsed = collapse(text);
    macro_rules! scalar {
        ($parse:ident, $format:ident) => {
            $parse(bytes).is_ok_and(|v| {
                let mut out = Vec::new();
                $format(v, &mut out);
                let again = $parse(&out).unwrap();
                again == v || again.to_string() == v.to_string()
            })
        };
    }
    let integer = |legal: fn(&Decimal) -> bool| Decimal::parse_integer(text).is_ok_and(|v| legal(&v));
    let date = |kind| {
        DateTime::parse(kind, bytes).is_ok_and(|v| {
            let mut out = Vec::new();
            v.format(&mut out);
            DateTime::parse(kind, &out) == Ok(v)
        })
    };
    let binary = |parse: fn(&[u8], &mut Vec<u8>) -> Result<(), Error>| parse(bytes, &mut Vec::new()).is_ok();
    Some(match type_name {
        "boolean" => scalar!(parse_bool, format_bool),
        "double" => scalar!(parse_f64, format_f64),
        "float" => scalar!(parse_f32, format_f32),
        "long" => scalar!(parse_i64, format_i64),
        "int" => scalar!(parse_i32, format_i32),
        "short" => scalar!(parse_i16, format_i16),
        "byte" => scalar!(parse_i8, format_i8),
        "unsignedLong" => scalar!(parse_u64, format_u64),
        "unsignedInt" => scalar!(parse_u32, format_u32),
        "unsignedShort" => scalar!(parse_u16, format_u16),
        "unsignedByte" => scalar!(parse_u8, format_u8),
        "decimal" => Decimal::parse(text).is_ok_and(|v| Decimal::parse(&v.canonical()) == Ok(v)),
        "integer" => integer(|_| true),
        "positiveInteger" => integer(|v| *v > Decimal::from(0u64)),
        "negativeInteger" => integer(Decimal::is_negative),
        "nonNegativeInteger" => integer(|v| !v.is_negative()),
        "nonPositiveInteger" => integer(|v| *v <= Decimal::from(0u64)),
        "dateTime" => date(DateTimeKind::DateTime),
        "date" => date(DateTimeKind::Date),
        "time" => date(DateTimeKind::Time),
        "gYearMonth" => date(DateTimeKind::GYearMonth),
        "gYear" => date(DateTimeKind::GYear),
        "gMonthDay" => date(DateTimeKind::GMonthDay),
        "gDay" => date(DateTimeKind::GDay),
        "gMonth" => date(DateTimeKind::GMonth),
        "duration" => Duration::parse(bytes).is_ok_and(|v| {
            let mut out = Vec::new();
            v.format(&mut out);
            Duration::parse(&out) == Ok(v)
        }),
        "base64Binary" => binary(parse_base64),
        "hexBinary" => binary(parse_hex),
        "Name" => is_name(&collapsed),
        "NCName" | "ID" | "IDREF" | "ENTITY" => is_ncname(&collapsed),
        "QName" => split_qname(&collapsed).is_some(),
        "NMTOKEN" => is_nmtoken(&collapsed),
        "NMTOKENS" => collapsed.split(' ').all(is_nmtoken),
        "language" => is_language(&collapsed),
        "anyURI" => is_any_uri(&collapsed),
        _ => return None,
    })
}

/// The text of the first element of that name, or its attribute `attrTest`, as far as that is
/// without markup.
fn element_text<'a>(document: &'a str, open: &str) -> Option<&'a str> {
    let (_, rest) = document.split_once(open)?;
    let (tag, rest) = rest.split_once('>')?;
    let text = match tag.split_once("attrTest=\"") {
        Some((_, value)) => value.split('"').next()?,
        None => rest.split('<').next()?,
    };
    (!text.contains('&')).then_some(text)
}

#[test]
fn nist_instances() {
    let Some(folder) = testdata("xsd/w3c-xsts") else {
        return;
    };
    let catalogue = fs::read_to_string(folder.join("tests-nist.tsv")).unwrap();
    let mut checked = 0;
    for row in catalogue.lines() {
        let fields: Vec<&str> = row.split('\t').collect();
        let [_, _, "instance", _, "valid", _, path, ..] = fields[..] else {
            continue;
        };
        let mut names = path.split('/').skip(1);
        let (Some(variety), Some(type_name)) = (names.next(), names.next()) else {
            continue;
        };
        let document = fs::read_to_string(folder.join(path)).unwrap();
        let Some(text) = element_text(&document, "<NISTSchema") else {
            continue;
        };
        let collapsed = collapse(text);
        let items: Vec<&str> = match variety {
            "atomic" => vec![text],
            "list" => collapsed.split(' ').collect(),
            _ => continue,
        };
        for item in items {
            if let Some(accepted) = accepts(type_name, item) {
                assert!(accepted, "{path}: {item} is a legal {type_name}");
                checked += 1;
            }
        }
    }
    assert!(checked > 800, "{checked}");
}

#[test]
fn microsoft_datatypes() {
    let Some(folder) = testdata("xsd/w3c-xsts") else {
        return;
    };
    let catalogue = fs::read_to_string(folder.join("tests.tsv")).unwrap();
    let (mut legal, mut illegal) = (0, 0);
    for row in catalogue.lines() {
        let fields: Vec<&str> = row.split('\t').collect();
        let [_, _, "instance", _, validity @ ("valid" | "invalid"), _, path, ..] = fields[..] else {
            continue;
        };
        let Some(name) = path.strip_prefix("msData/datatypes/") else {
            continue;
        };
        let document = fs::read(folder.join(path)).unwrap();
        let document = String::from_utf8_lossy(&document);
        let facet = name
            .strip_prefix("Facets/")
            .and_then(|rest| rest.split('/').next());
        let plain = name.trim_end_matches(|c: char| !c.is_ascii_alphabetic() || "xml".contains(c));
        let texts = ["<simpleTest", "<comp_foo", "<foo"].map(|open| element_text(&document, open));
        let verdict = |text: &str| accepts(facet.unwrap_or(plain), text);
        // The instance is legal if both texts are; a facet may refuse what the type does not.
        let accepted: Vec<bool> = texts.into_iter().flatten().filter_map(verdict).collect();
        match validity {
            _ if accepted.is_empty() => {}
            "valid" => {
                assert!(accepted.iter().all(|ok| *ok), "{path} is legal: {texts:?}");
                legal += 1;
            }
            _ if facet.is_none() => {
                assert!(accepted.contains(&false), "{path} is illegal: {texts:?}");
                illegal += 1;
            }
            _ => {}
        }
    }
    assert!(legal > 200 && illegal > 30, "{legal} legal, {illegal} illegal");
}
