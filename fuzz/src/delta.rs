//! The differential reader of XML: whatever it has read, it reads a document as the plain reader does.

use castile_xml::{Delta, DeltaOptions, Limits, Reader, Token};

/// Settings, and documents parted by zero bytes.
pub(crate) fn delta(bytes: &[u8]) {
    let [settings, documents @ ..] = bytes else { return };
    let limits = match settings % 4 {
        0 => Limits {
            depth_max: 4,
            attributes_max: 3,
            namespaces_max: 4,
            bytes_max: 1000,
            ..Limits::default()
        },
        _ => Limits::default(),
    };
    let options = DeltaOptions {
        limits,
        budget_bytes: if settings & 4 == 0 { 1 << 20 } else { 3000 },
        documents_max: if settings & 8 == 0 { 4 } else { 1 },
        pauses: settings & 16 != 0,
    };
    let cuts = settings & 32 != 0;
    let mut delta = Delta::new(options);
    for document in documents.split(|b| *b == 0) {
        let Ok(text) = std::str::from_utf8(document) else {
            continue;
        };
        check(&mut delta, text, limits, cuts);
        check(&mut delta, text, limits, false);
        assert!(delta.stats().memory <= options.budget_bytes);
    }
}

/// Both readers say the same of a text; where one `cuts`, of every third element at once.
fn check(delta: &mut Delta, text: &str, limits: Limits, cuts: bool) {
    let (mut known, mut plain) = (delta.read(text), Reader::with_limits(text, limits));
    for n in 1.. {
        let (found, expected) = (known.next(), plain.next());
        assert_eq!(found, expected, "{text}");
        assert_eq!(told(&known), told(&plain), "{text}");
        match expected {
            Ok(Token::Start { .. }) => {
                assert_eq!(known.attributes(), plain.attributes());
                assert_eq!(known.declarations(), plain.declarations());
                let starts = |reader: &Reader<'_>| {
                    let all = 0..reader.attributes().len();
                    all.map(|i| reader.attribute_start(i)).collect::<Vec<_>>()
                };
                assert_eq!(starts(&known), starts(&plain));
                for attribute in plain.attributes() {
                    assert_eq!(known.uri(attribute.name.ns), plain.uri(attribute.name.ns));
                }
                if cuts && n % 3 == 0 {
                    assert_eq!(known.fragment(), plain.fragment());
                    assert_eq!(told(&known), told(&plain), "{text}");
                }
            }
            Ok(Token::Eof) | Err(_) => return,
            _ => {}
        }
    }
}

fn told(reader: &Reader<'_>) -> (u32, u64, usize, usize) {
    (
        reader.depth(),
        reader.scope(),
        reader.token_start(),
        reader.position(),
    )
}
