//! Documents that never end, of one thing each, as they come over a network: each meets a limit that the error
//! names, in memory that does not grow with what was sent. One test, for memory is the process's.

use castile_xml::{Error, Feed, Kind, Limits, Token};

/// So much is sent at most; far more than any limit lets pass.
const SENT_MAX: usize = 256 << 20;
const PIECE: usize = 64 << 10;

/// Bytes that reading may take: the window, as bytes and as text, and what joins the two.
const MEMORY_MAX: usize = 80 << 20;

/// What begins the document, what comes again and again (with a number where there is a `#`), and the limit.
const CASES: [(&str, &str, &str); 9] = [
    ("<a", " b#='1'", "attributes_max"),
    ("<a", " xmlns:b#='urn:b'", "attributes_max"),
    ("<a>", "<b>", "depth_max"),
    ("<a b='", "xxxxxxxxxxxxxxxx", "window_bytes_max"),
    ("<a b='", "&lt;&gt;", "window_bytes_max"),
    ("<a>", "xxxxxxxxxxxxxxxx", "window_bytes_max"),
    ("<a><![CDATA[", "]]]]]]]]]]]]]]]]", "window_bytes_max"),
    ("<a><!--", "xxxxxxxxxxxxxxxx", "window_bytes_max"),
    ("<", "xxxxxxxxxxxxxxxx", "name_bytes_max"),
];

#[test]
fn what_never_ends_meets_its_limit_in_constant_memory() {
    let Some(before) = peak_bytes() else {
        println!("SKIPPED: no /proc to tell how much memory was taken");
        return;
    };
    siblings_without_end_take_nothing(before);
    for (start, piece, limit) in CASES {
        let (error, sent) = send(start, piece);
        match error.kind() {
            Kind::Limit { name, .. } => assert!(
                *name == limit || *name == "window_bytes_max",
                "{start}{piece}: {name}"
            ),
            other => panic!("{start}{piece}: {other:?}"),
        }
        assert!(error.to_string().contains("_max = "), "{error}");
        assert!(sent < SENT_MAX, "{start}{piece}");
        let grown = peak_bytes().unwrap_or(usize::MAX) - before;
        assert!(grown < MEMORY_MAX, "{start}{piece}: {grown} bytes");
    }
}

/// A list may be as long as it likes, and one that nobody keeps takes no memory.
fn siblings_without_end_take_nothing(before: usize) {
    let mut feed = Feed::new(Limits::default());
    feed.push(b"<a>");
    let piece = "<b c='1'>2</b>".repeat(PIECE / 14);
    let mut elements = 0u64;
    for _ in 0..1000 {
        feed.push(piece.as_bytes());
        let read = feed.read(|window| {
            while let Some(token) = window.next()? {
                elements += u64::from(matches!(token, Token::Start { .. }));
            }
            Ok::<_, Error>(())
        });
        read.expect("well-formed");
    }
    assert!(elements > 4_000_000, "{elements}");
    let grown = peak_bytes().unwrap_or(usize::MAX) - before;
    assert!(grown < 4 << 20, "{grown} bytes");
}

/// The error that ends it, and how many bytes were sent until then.
fn send(start: &str, piece: &str) -> (Error, usize) {
    let mut feed = Feed::new(Limits::default());
    feed.push(start.as_bytes());
    let (mut sent, mut number) = (0, 0);
    let mut bytes = Vec::with_capacity(PIECE + 64);
    while sent < SENT_MAX {
        bytes.clear();
        while bytes.len() < PIECE {
            bytes.extend_from_slice(piece.replace('#', &number.to_string()).as_bytes());
            number += 1;
        }
        sent += bytes.len();
        feed.push(&bytes);
        let read = feed.read(|window| {
            while let Some(token) = window.next()? {
                assert_ne!(token, Token::Eof);
            }
            Ok(())
        });
        if let Err(error) = read {
            return (error, sent);
        }
    }
    panic!("{start}{piece}: no limit");
}

/// The most memory that this process ever had.
fn peak_bytes() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: usize = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kilobytes << 10)
}
