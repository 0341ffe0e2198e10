//! Damaged bytes by the thousand, into both roles: whatever comes, nothing panics, nothing hangs,
//! and the next one is served.

mod common;

use std::io::Write;
use std::net::Shutdown;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use castile_http::{Auth, ClientOptions, Redirects, Request, ServerAuth, ServerOptions, StatusCode};
use common::*;

static PANICS: AtomicUsize = AtomicUsize::new(0);

/// Counts panics of every thread, caught ones too.
fn count_panics() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            PANICS.fetch_add(1, Ordering::Relaxed);
            before(info);
        }));
    });
}

/// The same numbers in every run (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % bound as u64).expect("below a usize")
    }

    /// A few bytes changed, removed, doubled or swapped for one that means something.
    fn damage(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for _ in 0..=self.below(3) {
            let at = self.below(bytes.len().max(1)).min(bytes.len().saturating_sub(1));
            match self.below(6) {
                0 => bytes.truncate(at.max(1)),
                1 => bytes[at] = u8::try_from(self.below(256)).expect("a byte"),
                2 => bytes[at] = b"\r\n\0 :;,=\"\\0123456789\xff\x80"[self.below(22)],
                3 => drop(bytes.remove(at)),
                4 => bytes.insert(at, bytes[at]),
                _ => {
                    let end = (at + self.below(20)).min(bytes.len());
                    let part = bytes[at..end].to_vec();
                    let to = self.below(bytes.len());
                    bytes.splice(to..to, part);
                }
            }
            if bytes.is_empty() {
                bytes.push(b'x');
            }
        }
        bytes
    }
}

#[test]
fn damaged_requests() {
    count_panics();
    let find = std::sync::Arc::new(|user: &str| Some(user.to_owned()));
    let limits = ServerOptions {
        timeout_header: Some(Duration::from_millis(500)),
        timeout_body: Some(Duration::from_millis(500)),
        timeout_idle: Some(Duration::from_millis(500)),
        body_bytes_max: 10_000,
        ..ServerOptions::default()
    };
    let guarded = ServerOptions {
        auth: Some(ServerAuth::Digest {
            realm: "r".into(),
            find,
        }),
        ..limits.clone()
    };
    let seeds: [&[u8]; 4] = [
        b"POST /a?b HTTP/1.1\r\nHost: h\r\nContent-Type: text/xml\r\nContent-Length: 4\r\n\r\n<a/>",
        b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n4\r\n<a/>\r\n0\r\nX: y\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: h\r\nContent-Encoding: gzip\r\nAccept-Encoding: gzip;q=0.5, zstd\r\nContent-Length: 24\r\n\r\n\x1f\x8b\x08\0\0\0\0\0\0\x03\xb3I\xd4\xb7\x03\0\x1e\xd2\xf0\xa6\x04\0\0\0",
        b"GET / HTTP/1.1\r\nHost: h\r\nAuthorization: Digest username=\"u\", realm=\"r\", nonce=\"n\", uri=\"/\", algorithm=MD5, response=\"0\", qop=auth, nc=00000001, cnonce=\"c\"\r\n\r\n",
    ];
    let mut numbers = Numbers(1);
    for options in [limits, guarded] {
        let running = echo(options);
        for round in 0..600 {
            let bytes = numbers.damage(seeds[round % seeds.len()]);
            let mut stream = connect(running.addr());
            // The server may have closed before all was written.
            let _ = stream.write_all(&bytes);
            let _ = stream.shutdown(Shutdown::Write);
            read_all(&mut stream);
        }
        let alive = client(common::options())
            .send(post(running.addr(), "<a/>"))
            .expect("a reply");
        assert!([StatusCode::OK, StatusCode::UNAUTHORIZED].contains(&alive.status));
        running.stop();
    }
    assert_eq!(PANICS.load(Ordering::Relaxed), 0);
}

#[test]
fn damaged_replies() {
    count_panics();
    const ROUNDS: usize = 1200;
    let seeds: [&[u8]; 4] = [
        b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nSet-Cookie: a=b; Path=/; Max-Age=5; Expires=Wed, 09 Jun 2021 10:18:14 GMT\r\nKeep-Alive: timeout=5\r\nContent-Length: 4\r\n\r\n<a/>",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n<a/>\r\n0\r\nX: y\r\n\r\n",
        b"HTTP/1.1 401 No\r\nWWW-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256, stale=true\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 307 There\r\nLocation: /there?x#y\r\nContent-Encoding: gzip\r\nContent-Length: 24\r\n\r\n\x1f\x8b\x08\0\0\0\0\0\0\x03\xb3I\xd4\xb7\x03\0\x1e\xd2\xf0\xa6\x04\0\0\0",
    ];
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("bound");
    // As many connections as the client likes, until the test ends.
    std::thread::spawn(move || {
        let mut numbers = Numbers(2);
        for round in 0.. {
            let Ok((mut stream, _)) = listener.accept() else {
                return;
            };
            let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
            read_message(&mut stream);
            let _ = stream.write_all(&numbers.damage(seeds[round % seeds.len()]));
        }
    });
    let client = client(ClientOptions {
        auth: Auth::Digest {
            user: "u".into(),
            password: "p".into(),
        },
        redirects: Redirects::Follow,
        timeout_call: Some(Duration::from_secs(5)),
        body_bytes_max: 10_000,
        ..options()
    });
    let (mut good, mut bad) = (0, 0);
    for _ in 0..ROUNDS {
        match client.send(Request::post(url(address, "/"), "<a/>")) {
            Ok(_) => good += 1,
            Err(error) => {
                assert!(!error.to_string().is_empty());
                assert_ne!(error.kind(), castile_http::Kind::Internal, "{error:?}");
                assert_ne!(error.kind(), castile_http::Kind::Timeout, "{error:?}");
                bad += 1;
            }
        }
    }
    assert!(good > 50 && bad > 50, "{good} good, {bad} bad");
    assert_eq!(PANICS.load(Ordering::Relaxed), 0);
}
