//! Attacks: documents that want to cost more than they weigh, or to have something else loaded.

mod support;

use std::time::{Duration, Instant};

use castile_xml::{Doctype, Error, Feed, Kind, Limits, Reader, to_utf8};

/// Far more than any linear pass over these documents takes, far less than a quadratic one does.
const LINEAR_TIME: Duration = Duration::from_secs(10);

fn unlimited() -> Limits {
    Limits {
        depth_max: u32::MAX,
        attributes_max: u32::MAX,
        name_bytes_max: u32::MAX,
        namespaces_max: u32::MAX,
        bytes_max: u64::MAX,
        window_bytes_max: u64::MAX,
        capture_bytes_max: u64::MAX,
    }
}

fn read(text: &str, limits: Limits) -> Result<usize, Error> {
    let start = Instant::now();
    let events = support::events(&mut Reader::with_limits(text, limits));
    assert!(start.elapsed() < LINEAR_TIME, "{:?}", start.elapsed());
    events.map(|events| events.len())
}

fn limit_of(text: &str) -> &'static str {
    match read(text, Limits::default()).map_err(|e| e.kind().clone()) {
        Err(Kind::Limit { name, .. }) => name,
        other => panic!("{other:?}"),
    }
}

#[test]
fn depth() {
    let text = "<a>".repeat(300_000) + &"</a>".repeat(300_000);
    assert_eq!(limit_of(&text), "depth_max");
    assert_eq!(read(&text, unlimited()), Ok(600_000));
}

#[test]
fn attributes() {
    let attributes: String = (0..200_000).map(|i| format!(" a{i}='1'")).collect();
    let text = format!("<a{attributes}/>");
    assert_eq!(limit_of(&text), "attributes_max");
    assert_eq!(read(&text, unlimited()), Ok(2));
    let twice = format!("<a{attributes} a0='2'/>");
    let error = read(&twice, unlimited()).unwrap_err();
    assert_eq!(error.offset(), twice.rfind("a0").unwrap());
}

/// Names made to collide, by a hash of the kind `31 * h + c`, or alike for as long as a name may be, cost no more
/// than other names as attributes, prefixes and elements.
#[test]
fn names_that_collide() {
    let pair = |n: u32, bit: u32| if n >> bit & 1 == 1 { "Aa" } else { "BB" };
    let families: [Vec<String>; 2] = [
        (0..1 << 15)
            .map(|n| (0..15).map(|bit| pair(n, bit)).collect())
            .collect(),
        (0..1 << 10)
            .map(|n| format!("{}{n:06}", "n".repeat(4000)))
            .collect(),
    ];
    for names in families {
        let attributes: String = names.iter().map(|name| format!(" {name}='1'")).collect();
        assert_eq!(limit_of(&format!("<a{attributes}/>")), "attributes_max");
        assert_eq!(read(&format!("<a{attributes}/>"), unlimited()), Ok(2));
        let prefixes: String = names.iter().map(|name| format!(" xmlns:{name}='u'")).collect();
        let elements: String = names.iter().map(|name| format!("<{name}:e/>")).collect();
        let text = format!("<a{prefixes}>{elements}</a>");
        assert_eq!(limit_of(&text), "attributes_max");
        assert_eq!(read(&text, unlimited()), Ok(2 + 2 * names.len()));
    }
}

#[test]
fn namespaces() {
    let declare = |n: usize| {
        (0..n)
            .map(|i| format!(" xmlns:p{i}='urn:{i}'"))
            .collect::<String>()
    };
    let nested = format!("<a{}>", declare(200)).repeat(6) + &"</a>".repeat(6);
    assert_eq!(limit_of(&nested), "namespaces_max");
    let wide = format!(
        "<a{}>{}</a>",
        declare(50_000),
        "<p0:b p49999:c=''/>".repeat(50_000)
    );
    assert_eq!(read(&wide, unlimited()), Ok(100_002));
    let many: String = (0..100_000)
        .map(|i| format!("<b xmlns='urn:long:prefix:{i}'/>"))
        .collect();
    assert_eq!(read(&format!("<a>{many}</a>"), Limits::default()), Ok(200_002));
}

#[test]
fn names_and_references() {
    let long = "n".repeat(1 << 20);
    for text in [
        format!("<{long}/>"),
        format!("<a {long}=''/>"),
        format!("<a>&{long};</a>"),
    ] {
        assert_eq!(limit_of(&text), "name_bytes_max");
    }
    let digits = format!("<a>&#{}65;</a>", "0".repeat(1 << 20));
    assert_eq!(read(&digits, Limits::default()), Ok(3));
    let too_large = format!("<a>&#{};</a>", "9".repeat(1 << 20));
    assert!(read(&too_large, Limits::default()).is_err());
}

#[test]
fn bytes() {
    let limits = Limits {
        bytes_max: 10,
        ..Limits::default()
    };
    let error = read("<a>12345</a>", limits).unwrap_err();
    assert_eq!(
        error.kind(),
        &Kind::Limit {
            name: "bytes_max",
            max: 10
        }
    );
    assert_eq!(error.to_string(), "limit bytes_max = 10 is exceeded at byte 10");
}

#[test]
fn much_of_one_thing() {
    for (piece, events) in [
        ("]", 3),
        ("]]", 3),
        ("&lt;", 3),
        ("\r\n", 3),
        ("<![CDATA[]]>", 2),
        ("<![CDATA[]]]>", 3),
        ("<![CDATA[\r]]>x", 3),
        ("\u{FF01}", 3),
        ("<!---->", 2_000_002),
        ("<?a?>", 2_000_002),
        ("<b/>", 4_000_002),
    ] {
        let text = format!("<a>{}</a>", piece.repeat(2_000_000));
        assert_eq!(read(&text, Limits::default()), Ok(events), "{piece}");
    }
}

#[test]
fn what_never_ends() {
    for start in [
        "<a b='",
        "<a>",
        "<!--",
        "<?a ",
        "<a><![CDATA[",
        "<a>&#",
        "<a>&",
        "<a b='&",
        "<",
        "",
    ] {
        for filler in ["x", "-", "]", "?", "&lt;", "1", " ", "<", "\r"] {
            let text = start.to_owned() + &filler.repeat(200_000);
            assert!(read(&text, unlimited()).is_err(), "{start} {filler}");
        }
    }
}

#[test]
fn captures_do_not_multiply_declarations() {
    let uri = "u".repeat(1 << 20);
    let text = format!("<a xmlns:p='{uri}'>{}</a>", "<b/>".repeat(2000));
    let mut reader = Reader::new(&text);
    reader.next().unwrap();
    let error = loop {
        reader.next().unwrap();
        if let Err(error) = reader.capture() {
            break error;
        }
    };
    assert!(matches!(
        error.kind(),
        Kind::Limit {
            name: "capture_bytes_max",
            ..
        }
    ));
}

/// What never ends is held to its limit, in time that grows with it and not with its square, however small the
/// pieces are.
#[test]
fn one_huge_token_in_small_pieces() {
    for (start, filler, limit) in [
        ("<a>", "text ", "window_bytes_max"),
        ("<a>", "]]", "window_bytes_max"),
        ("<a b='", "x>", "window_bytes_max"),
        ("<a><!--", "->", "window_bytes_max"),
        ("<a><![CDATA[", "]>", "window_bytes_max"),
        ("<a><?p ", "?", "window_bytes_max"),
        ("<a ", "b", "name_bytes_max"),
        ("<a", " b='1'", "attributes_max"),
        ("<a>", "<b>", "depth_max"),
    ] {
        let begun = Instant::now();
        let mut feed = Feed::new(Limits {
            window_bytes_max: 2 << 20,
            ..Limits::default()
        });
        feed.push(start.as_bytes());
        let piece = filler.repeat(256 / filler.len());
        let mut pushed = 0u64;
        let error = loop {
            feed.push(piece.as_bytes());
            pushed += piece.len() as u64;
            let read = feed.read(|window| {
                while window.next()?.is_some() {}
                Ok::<_, Error>(())
            });
            if let Err(error) = read {
                break error;
            }
            assert!(pushed < 3 << 20, "{start}{filler} is held by no limit");
        };
        assert!(
            matches!(error.kind(), Kind::Limit { name, .. } if *name == limit),
            "{start}{filler}: {error}"
        );
        assert!(
            begun.elapsed() < LINEAR_TIME,
            "{start}{filler}: {:?}",
            begun.elapsed()
        );
    }
}

/// Every file of the collection: no panic, no expansion, linear time, and a DTD is refused.
#[test]
fn foreign_attacks() {
    let Some(folder) = support::testdata("hostile") else {
        return;
    };
    let files = support::files(&folder);
    assert!(files.len() > 100);
    for path in files {
        let bytes = std::fs::read(&path).unwrap();
        let Ok(text) = to_utf8(&bytes, None) else { continue };
        let start = Instant::now();
        let refused = support::events(&mut Reader::new(&text));
        let passed_over = support::events(&mut Reader::new(&text).doctype(Doctype::Skip));
        assert!(start.elapsed() < Duration::from_secs(1), "{}", path.display());
        if text.trim_start().starts_with("<!DOCTYPE") {
            assert_eq!(refused.unwrap_err().kind(), &Kind::Doctype, "{}", path.display());
        }
        if let Ok(events) = passed_over {
            let read: usize = events
                .iter()
                .filter(|e| e.starts_with("text"))
                .map(String::len)
                .sum();
            assert!(read <= 2 * text.len(), "{} grows", path.display());
        }
    }
}

#[test]
fn bombs_are_refused_for_their_dtd() {
    let Some(folder) = support::testdata("hostile") else {
        return;
    };
    for name in [
        "defusedxml/xmlbomb2.xml",
        "defusedxml/quadratic.xml",
        "defusedxml/cyclic.xml",
        "defusedxml/external_file.xml",
        "libxml2-errors/test/recurse/lol_classic.xml",
    ] {
        let bytes = std::fs::read(folder.join(name)).unwrap();
        let refused = support::events_of_bytes(&bytes, Doctype::Refuse).unwrap_err();
        assert_eq!(refused.kind(), &Kind::Doctype, "{name}");
        let passed_over = support::events_of_bytes(&bytes, Doctype::Skip).unwrap_err();
        assert!(
            matches!(passed_over.kind(), Kind::Entity(_)),
            "{name}: {passed_over}"
        );
    }
}

/// What libxml2 calls an error in its own collection of broken documents is one here too.
#[test]
fn libxml2_errors() {
    let Some(folder) = support::testdata("hostile/libxml2-errors") else {
        return;
    };
    let mut failed = std::collections::BTreeMap::new();
    let mut done = 0;
    for path in support::files(&folder.join("test/errors")) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Ok(expected) = std::fs::read_to_string(folder.join(format!("result/errors/{name}.err"))) else {
            continue;
        };
        done += 1;
        let bytes = std::fs::read(&path).unwrap();
        let read = support::events_of_bytes(&bytes, Doctype::Skip);
        if read.is_err() == expected.trim().is_empty() {
            failed.insert((name, "libxml2".to_owned()), format!("{read:?} but {expected}"));
        }
    }
    assert!(done > 20);
    support::settle("ledger-libxml2.tsv", &failed, done);
}
