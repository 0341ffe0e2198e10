//! Reading, plainly and by what earlier documents taught, beside quick-xml: a list of numbers as items, a list
//! of small structs, long text, and a list of which each tag has a type and a namespace.
//! All have to find the same number of events and of text bytes, or nothing is timed.
//!
//! quick-xml's reader resolves namespaces here as ours does, but checks less: neither characters
//! nor duplicate attributes by expanded name.

use castile_xml::{Delta, Reader, Token};
use divan::counter::BytesCount;
use quick_xml::NsReader;
use quick_xml::events::Event;

fn main() {
    for document in DOCUMENTS.map(document) {
        let mut delta = Delta::default();
        for _ in 0..2 {
            assert_eq!(known(&mut delta, &document), here(&document));
        }
        assert_eq!(here(&document), there(&document));
    }
    divan::main();
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

/// Elements and text bytes.
type Found = (usize, usize);

fn here(text: &str) -> Found {
    let mut reader = Reader::new(text);
    let mut found = (0, 0);
    loop {
        match reader.next().expect("well-formed") {
            Token::Start { .. } => found.0 += 1 + reader.attributes().len(),
            Token::Text(text) => found.1 += text.len(),
            Token::Eof => return found,
            _ => {}
        }
    }
}

fn known(delta: &mut Delta, text: &str) -> Found {
    let mut reader = delta.read(text);
    let mut found = (0, 0);
    loop {
        match reader.next().expect("well-formed") {
            Token::Start { .. } => found.0 += 1 + reader.attributes().len(),
            Token::Text(text) => found.1 += text.len(),
            Token::Eof => return found,
            _ => {}
        }
    }
}

fn there(text: &str) -> Found {
    let mut reader = NsReader::from_str(text);
    let mut found = (0, 0);
    loop {
        match reader.read_resolved_event().expect("well-formed") {
            (_, Event::Start(start)) => {
                found.0 += 1;
                for attribute in start.attributes() {
                    let attribute = attribute.expect("well-formed");
                    let declares = attribute.key.as_namespace_binding().is_some();
                    found.0 += usize::from(!declares);
                    divan::black_box(reader.resolver().resolve_attribute(attribute.key));
                }
            }
            (_, Event::Text(text)) => found.1 += text.xml10_content().len(),
            (_, Event::GeneralRef(reference)) => found.1 += usize::from(!reference.is_empty()),
            (_, Event::Eof) => return found,
            _ => {}
        }
    }
}

const DOCUMENTS: [&str; 4] = ["items", "structs", "prose", "encoded"];

#[divan::bench(args = DOCUMENTS)]
fn castile_delta(bencher: divan::Bencher<'_, '_>, name: &str) {
    let text = document(name);
    let mut delta = Delta::default();
    known(&mut delta, &text);
    bencher
        .counter(BytesCount::of_str(&text))
        .bench_local(|| known(&mut delta, divan::black_box(&text)));
}

#[divan::bench(args = DOCUMENTS)]
fn castile(bencher: divan::Bencher<'_, '_>, name: &str) {
    let text = document(name);
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| here(divan::black_box(&text)));
}

#[divan::bench(args = DOCUMENTS)]
fn quick_xml(bencher: divan::Bencher<'_, '_>, name: &str) {
    let text = document(name);
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| there(divan::black_box(&text)));
}

#[divan::bench]
fn escape_prose(bencher: divan::Bencher<'_, '_>) {
    let text = prose();
    let mut out = Vec::with_capacity(2 * text.len());
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| {
        out.clear();
        castile_xml::escape_text(divan::black_box(&text), &mut out);
        out.len()
    });
}

fn document(name: &str) -> String {
    match name {
        "items" => items(),
        "structs" => structs(),
        "encoded" => encoded(),
        _ => prose(),
    }
}
