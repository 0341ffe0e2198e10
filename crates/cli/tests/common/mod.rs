//! Running the command, and a server of it.
#![allow(dead_code, reason = "each test file uses its part")]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value as Json;

/// The command as it was built.
pub(crate) const CASTILE: &str = env!("CARGO_BIN_EXE_castile");

/// What a run of the command gave.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    fn new(output: Output) -> Run {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the command prints text");
        Run {
            code: output.status.code().unwrap_or(-1),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }

    /// Standard output as JSON.
    pub(crate) fn json(&self) -> Json {
        assert_eq!(self.code, 0, "{}", self.err);
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {}", self.out))
    }

    /// Standard error of a run that failed.
    pub(crate) fn failed(&self, code: i32) -> &str {
        assert_eq!(self.code, code, "out: {}\nerr: {}", self.out, self.err);
        &self.err
    }
}

/// Runs the command.
pub(crate) fn castile(arguments: &[&str]) -> Run {
    castile_with(arguments, "", &[])
}

/// Runs the command with standard input and environment variables.
pub(crate) fn castile_with(arguments: &[&str], input: &str, variables: &[(&str, &str)]) -> Run {
    let mut child = Command::new(CASTILE)
        .args(arguments)
        .env("NO_PROXY", "127.0.0.1")
        .env("CASTILE_CACHE", scratch("cache"))
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    // A command that needs no input may be gone already.
    let _ = child.stdin.take().expect("piped").write_all(input.as_bytes());
    Run::new(child.wait_with_output().expect("the command ends"))
}

/// A folder of the test's own.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder to write to");
    folder
}

/// The contract of the interop suite.
pub(crate) fn interop() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../interop/interop.wsdl");
    path.to_string_lossy().into_owned()
}

/// A file of the foreign test data; `None`, said loudly, where there is none.
pub(crate) fn foreign(part: &str) -> Option<String> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/testdata");
    let folder = std::env::var_os("CASTILE_TESTDATA").map_or_else(beside, PathBuf::from);
    let path = folder.join(part);
    if path.exists() {
        return Some(path.to_string_lossy().into_owned());
    }
    assert!(
        std::env::var_os("CASTILE_REQUIRE_TESTDATA").is_none(),
        "no {}",
        path.display()
    );
    eprintln!("SKIPPED: no {}; set CASTILE_TESTDATA", path.display());
    None
}

/// `castile serve` on a free port.
pub(crate) struct Server {
    child: Child,
    lines: BufReader<std::process::ChildStdout>,
    /// Where it answers, with a slash at the end.
    pub(crate) url: String,
}

impl Server {
    /// Starts a server and waits until it says where it is.
    pub(crate) fn start(arguments: &[&str]) -> Server {
        let mut child = Command::new(CASTILE)
            .args(["serve", "--port", "0"])
            .args(arguments)
            .env("CASTILE_CACHE", scratch("cache"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let mut lines = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = String::new();
        lines.read_line(&mut line).expect("a line");
        let url = line
            .split_whitespace()
            .find(|word| word.starts_with("http"))
            .expect("an address");
        Server {
            url: url.to_owned(),
            child,
            lines,
        }
    }

    /// The next line it prints, without the time.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).expect("a line");
        line.split_once(' ')
            .map_or_else(String::new, |(_, rest)| rest.trim_end().to_owned())
    }

    /// Stops it as Ctrl-C does; the rest of what it prints.
    #[cfg(unix)]
    pub(crate) fn interrupt(mut self) -> String {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status().expect("kill");
        assert!(sent.success());
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.lines, &mut rest).expect("text");
        assert!(self.child.wait().expect("an end").success());
        rest
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
