//! Documents to read, made and foreign, and the same with other values.

use std::path::Path;

use castile_xml::{Reader, Token};
use quick_xml::NsReader;
use quick_xml::events::Event;

/// Those that are made, then those that stand in the test data.
pub(crate) const DOCUMENTS: [&str; 8] = [
    "items", "structs", "prose", "encoded", "vsphere", "soap", "rates", "wsdl",
];

/// A document, if it is here.
pub(crate) fn document(name: &str) -> Option<String> {
    match name {
        "items" => Some(items()),
        "structs" => Some(structs()),
        "encoded" => Some(encoded()),
        "prose" => Some(prose()),
        // Alarms of a vSphere server, as recorded: 68 KB.
        "vsphere" => foreign("messages/pyvmomi/test_json_datacenter_explode/15.response.xml"),
        // What a session of it begins with: 5 KB.
        "soap" => foreign("messages/pyvmomi/basic_container_view/03.response.xml"),
        // Rates of a carrier, pretty-printed: 22 KB.
        "rates" => foreign("messages/fedex-active-shipping/freight_rate_response.xml"),
        "wsdl" => foreign("wsdl/ews-php/services.wsdl"),
        _ => None,
    }
}

fn foreign(file: &str) -> Option<String> {
    let folder = std::env::var("CASTILE_TESTDATA")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/testdata").to_owned());
    let bytes = std::fs::read(Path::new(&folder).join(file)).ok()?;
    Some(
        castile_xml::to_utf8(&bytes, None)
            .expect("a good encoding")
            .into_owned(),
    )
}

/// The document with other texts: so many of a hundred get another digit or letter, and of these every second one
/// more than before. What is only white space stays.
pub(crate) fn changed(text: &str, percent: u32) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut reader = Reader::new(text);
    let (mut copied, mut dice, mut count) = (0, 1u64, 0);
    loop {
        let token = reader.next().expect("well-formed");
        let place = reader.token_start()..reader.position();
        match token {
            Token::Text(_) if text[place.clone()].ends_with(|c: char| c.is_ascii_alphanumeric()) => {
                dice = dice
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                if (dice >> 33) % 100 < u64::from(percent) {
                    count += 1;
                    out.push_str(&text[copied..place.end - 1]);
                    out.push_str(if text[..place.end].ends_with('7') {
                        "8"
                    } else {
                        "7"
                    });
                    out.push_str(if count % 2 == 0 { "1" } else { "" });
                    copied = place.end;
                }
            }
            Token::Eof => break,
            _ => {}
        }
    }
    out.push_str(&text[copied..]);
    out
}

fn envelope(body: impl Iterator<Item = String>) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\"?><e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body>\
         <m:list xmlns:m=\"urn:bench\">",
    );
    text.extend(body);
    text.push_str("</m:list></e:Body></e:Envelope>");
    text
}

/// 3 MB of `<item>` with a double each.
fn items() -> String {
    envelope((0..100_000).map(|i| format!("<item>{:.15}</item>", f64::from(i) * 0.37 + 0.1)))
}

/// 100,000 mesh interface objects, with an attribute each.
fn structs() -> String {
    envelope((0..100_000).map(|i| {
        format!(
            "<m:mio id=\"{i}\"><m:x>{i}</m:x><m:y>{}</m:y><m:v>{}</m:v></m:mio>",
            i * 7,
            f64::from(i) / 3.0
        )
    }))
}

/// 3 MB of text in few elements, some of it references.
fn prose() -> String {
    let paragraph = "The quick brown fox jumps over the lazy dog, again and again. ".repeat(80);
    envelope((0..600).map(|_| format!("<p>{paragraph} &amp; so on</p>")))
}

/// 30,000 values as SOAP encoding has them.
fn encoded() -> String {
    envelope((0..30_000).map(|i| {
        format!(
            "<item xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:type=\"m:Reading\"><name \
             xsi:type=\"xsd:string\">n{i}</name><currentTemperature xsi:type=\"xsd:double\">{i}.5\
             </currentTemperature><isWorking xsi:type=\"xsd:boolean\">true</isWorking></item>"
        )
    }))
}

/// What quick-xml finds: elements with attributes, and bytes of text.
pub(crate) fn quick(text: &str) -> usize {
    let mut reader = NsReader::from_str(text);
    let (mut found, mut depth) = (0, 0);
    loop {
        let (_, event) = reader.read_resolved_event().expect("well-formed");
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            _ => {}
        }
        match event {
            Event::Start(start) | Event::Empty(start) => {
                found += 1;
                for attribute in start.attributes() {
                    let attribute = attribute.expect("well-formed");
                    let declares = attribute.key.as_namespace_binding().is_some();
                    found += usize::from(!declares);
                    divan::black_box(reader.resolver().resolve_attribute(attribute.key));
                }
            }
            Event::Text(text) if depth > 0 => found += text.xml10_content().len(),
            Event::GeneralRef(reference) => found += usize::from(!reference.is_empty()),
            Event::Eof => return found,
            _ => {}
        }
    }
}
