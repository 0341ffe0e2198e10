//! Reading, plainly and beside what was read before, next to quick-xml: lists of numbers and of small structs,
//! long text, a list of which each tag has a type and a namespace; and, where the foreign test data is, recorded
//! messages and a WSDL. All have to find the same number of elements and attributes and of text bytes, or nothing
//! is timed.
//!
//! quick-xml's reader resolves namespaces here as ours does, but checks less: neither characters
//! nor duplicate attributes by expanded name.

mod documents;

use castile_xml::{Delta, DeltaOptions, Reader, Token};
use divan::counter::BytesCount;
use documents::{DOCUMENTS, changed, document, quick};

fn main() {
    for name in here() {
        let text = document(name).unwrap_or_default();
        assert_eq!(plain(&text), quick(&text), "{name}");
        let mut delta = delta();
        for percent in [0, 0, 1, 25, 100] {
            let text = changed(&text, percent);
            assert_eq!(known(&mut delta, &text), plain(&text), "{name}");
        }
    }
    divan::main();
}

/// The documents that are here.
fn here() -> impl Iterator<Item = &'static str> {
    let (found, missing): (Vec<_>, Vec<_>) = DOCUMENTS.iter().partition(|name| document(name).is_some());
    if !missing.is_empty() {
        eprintln!("SKIPPED: no test data for {missing:?}");
    }
    found.into_iter()
}

/// A reader that may keep all of them, and goes on even where it does not pay.
fn delta() -> Delta {
    Delta::new(DeltaOptions {
        budget_bytes: 64 << 20,
        pauses: false,
        ..DeltaOptions::default()
    })
}

/// Elements with attributes, and bytes of text.
fn plain(text: &str) -> usize {
    let mut reader = Reader::new(text);
    let mut found = 0;
    loop {
        match reader.next().expect("well-formed") {
            Token::Start { .. } => found += 1 + reader.attributes().len(),
            Token::Text(text) => found += text.len(),
            Token::Eof => return found,
            _ => {}
        }
    }
}

fn known(delta: &mut Delta, text: &str) -> usize {
    let mut reader = delta.read(text);
    let mut found = 0;
    loop {
        match reader.next().expect("well-formed") {
            Token::Start { .. } => found += 1 + reader.attributes().len(),
            Token::Text(text) => found += text.len(),
            Token::Eof => return found,
            _ => {}
        }
    }
}

/// Reads by turns a document and the same with so many of a hundred texts changed.
fn turns(bencher: divan::Bencher<'_, '_>, name: &str, percent: u32) {
    let one = document(name).unwrap_or_default();
    let other = changed(&one, percent);
    let mut delta = delta();
    known(&mut delta, &one);
    let mut turn = false;
    bencher.counter(BytesCount::of_str(&one)).bench_local(|| {
        turn = !turn;
        known(&mut delta, divan::black_box(if turn { &other } else { &one }))
    });
}

#[divan::bench(args = here())]
fn delta_unchanged(bencher: divan::Bencher<'_, '_>, name: &str) {
    turns(bencher, name, 0);
}

#[divan::bench(args = here())]
fn delta_changed_1_percent(bencher: divan::Bencher<'_, '_>, name: &str) {
    turns(bencher, name, 1);
}

#[divan::bench(args = here())]
fn delta_changed_25_percent(bencher: divan::Bencher<'_, '_>, name: &str) {
    turns(bencher, name, 25);
}

#[divan::bench(args = here())]
fn delta_changed_all(bencher: divan::Bencher<'_, '_>, name: &str) {
    turns(bencher, name, 100);
}

#[divan::bench(args = here())]
fn castile(bencher: divan::Bencher<'_, '_>, name: &str) {
    let text = document(name).unwrap_or_default();
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| plain(divan::black_box(&text)));
}

#[divan::bench(args = here())]
fn quick_xml(bencher: divan::Bencher<'_, '_>, name: &str) {
    let text = document(name).unwrap_or_default();
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| quick(divan::black_box(&text)));
}

#[divan::bench]
fn escape_prose(bencher: divan::Bencher<'_, '_>) {
    let text = document("prose").unwrap_or_default();
    let mut out = Vec::with_capacity(2 * text.len());
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| {
        out.clear();
        castile_xml::escape_text(divan::black_box(&text), &mut out);
        out.len()
    });
}
