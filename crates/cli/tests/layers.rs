//! Headers of `castile call` and `castile serve`: tokens, timestamps, addressing.

mod common;

use common::{Server, castile, interop};

const CALL: [&str; 2] = ["echoString", "text=hi"];

fn call(server: &Server, words: &[&str]) -> (i32, String, String) {
    let interop = interop();
    let all = [&["call", &*interop, "--endpoint", &*server.url], &CALL[..], words].concat();
    let run = castile(&all);
    (run.code, run.out, run.err)
}

#[test]
fn tokens_are_asked_for() {
    let server = Server::start(&[
        &interop(),
        "--echo",
        "--wsse-user",
        "jo:secret",
        "--wsse-timestamp",
    ]);
    for digest in [&["--wsse-digest"][..], &[]] {
        let words = [&["--wsse-user", "jo:secret", "--wsse-timestamp"], digest].concat();
        let (code, out, err) = call(&server, &words);
        assert_eq!((code, out.trim()), (0, "\"hi\""), "{err}");
        let wrong = [&["--wsse-user", "jo:wrong", "--wsse-timestamp"], digest].concat();
        let (code, _, err) = call(&server, &wrong);
        assert!(code == 2 && err.contains("authenticated"), "{err}");
    }
    let (code, _, err) = call(&server, &["--wsse-user", "jo:secret"]);
    assert!(code == 2 && err.contains("timestamp"), "{err}");
    let late = [
        "--wsse-user",
        "jo:secret",
        "--wsse-timestamp",
        "--clock-offset",
        "-7200",
    ];
    let (code, _, err) = call(&server, &late);
    assert!(code == 2 && err.contains("expired"), "{err}");
    let (code, _, err) = call(&server, &["--wsse-user", "hunter2"]);
    assert!(code != 0 && !err.contains("hunter2"), "{err}");
}

#[test]
fn digests_may_be_asked_for() {
    let server = Server::start(&[&interop(), "--echo", "--wsse-user", "jo:secret", "--wsse-digest"]);
    let (code, _, err) = call(&server, &["--wsse-user", "jo:secret"]);
    assert!(code == 2 && err.contains("digest"), "{err}");
    let (code, ..) = call(&server, &["--wsse-user", "jo:secret", "--wsse-digest"]);
    assert_eq!(code, 0);
}

#[test]
fn addressing_is_asked_for() {
    let server = Server::start(&[&interop(), "--echo", "--addressing"]);
    let (code, _, err) = call(&server, &[]);
    assert!(code == 2 && err.contains("Action is required"), "{err}");
    let (code, out, err) = call(&server, &["--addressing", "--raw"]);
    assert!(code == 0 && out.contains("RelatesTo"), "{out} {err}");
    let (_, out, _) = call(&server, &["--addressing", "--to", "urn:there", "--dry-run"]);
    assert!(out.contains(">urn:there</a:To>"), "{out}");
}
