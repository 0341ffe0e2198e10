//! What the tests of this crate share: foreign test data, events to compare, a foreign reader.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses a part of it")]

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use castile_xml::{Doctype, Error, Limits, Name, Reader, Token, to_utf8};

fn required() -> bool {
    std::env::var("CASTILE_REQUIRE_TESTDATA").is_ok_and(|v| v == "1")
}

/// Says that a test cannot run here; where everything is required, that is a failure.
pub fn skip(why: &str) {
    assert!(!required(), "{why}");
    eprintln!("SKIPPED: {why}");
}

/// A folder of the foreign test data, if it is there.
pub fn testdata(folder: &str) -> Option<PathBuf> {
    let root = match std::env::var_os("CASTILE_TESTDATA") {
        Some(path) => PathBuf::from(path),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/testdata"),
    };
    let path = root.join(folder);
    if path.is_dir() {
        return Some(path);
    }
    skip(&format!("no test data in {}", path.display()));
    None
}

/// Every file below a folder, in order.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path)
            } else {
                found.push(path)
            }
        }
    }
    found.sort();
    found
}

/// The rows of a tab-separated file with a header, as column name to value.
pub fn table(path: &Path) -> Vec<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split('\t').collect();
    lines
        .map(|line| {
            header
                .iter()
                .zip(line.split('\t'))
                .map(|(k, v)| ((*k).to_owned(), v.to_owned()))
                .collect()
        })
        .collect()
}

/// The ledger: what is known not to hold, as (id, check), and why.
pub fn ledger(name: &str) -> BTreeMap<(String, String), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name);
    let rows = table(&path);
    let count = rows.len();
    let ledger: BTreeMap<_, _> = rows
        .into_iter()
        .map(|row| ((row["id"].clone(), row["check"].clone()), row["reason"].clone()))
        .collect();
    assert_eq!(ledger.len(), count, "an entry stands twice in {name}");
    ledger
}

/// Fails unless exactly what is on the ledger failed.
pub fn settle(name: &str, failed: &BTreeMap<(String, String), String>, done: usize) {
    let ledger = ledger(name);
    let new: Vec<_> = failed.iter().filter(|(k, _)| !ledger.contains_key(*k)).collect();
    let passing: Vec<_> = ledger.keys().filter(|k| !failed.contains_key(*k)).collect();
    println!("{done} checks, {} as the ledger says they fail", ledger.len());
    for ((id, check), what) in &new {
        println!("NEW\t{id}\t{check}\t{what}");
    }
    for (id, check) in &passing {
        println!("PASSES\t{id}\t{check}");
    }
    assert!(
        new.is_empty() && passing.is_empty(),
        "{} new failures, {} unexpected passes",
        new.len(),
        passing.len()
    );
}

/// Reads a document of bytes to its end and gives its events, one a line.
pub fn events_of_bytes(bytes: &[u8], doctype: Doctype) -> Result<Vec<String>, Error> {
    let text = to_utf8(bytes, None)?;
    events(&mut Reader::with_limits(&text, Limits::default()).doctype(doctype))
}

/// Reads on to the end of the document and gives the events, one a line, without prefixes.
pub fn events(reader: &mut Reader<'_>) -> Result<Vec<String>, Error> {
    let mut lines = Vec::new();
    loop {
        match reader.next()? {
            Token::Start { name, .. } => lines.push(start(reader, &name)),
            Token::End { name } => lines.push(format!("end\t{}", escaped(&expanded(reader, &name)))),
            Token::Text(text) => lines.push(format!("text\t{}", escaped(&text))),
            Token::Comment(text) => lines.push(format!("comment\t{}", escaped(&line_ends(text)))),
            Token::Instruction { target, data } => {
                lines.push(format!("instruction\t{target}\t{}", escaped(&line_ends(data))));
            }
            Token::Eof => return Ok(lines),
        }
    }
}

fn start(reader: &Reader<'_>, name: &Name<'_>) -> String {
    let mut attributes: Vec<String> = reader
        .attributes()
        .iter()
        .map(|a| format!("{}={}", expanded(reader, &a.name), a.value))
        .collect();
    attributes.sort();
    let mut line = format!("start\t{}", escaped(&expanded(reader, name)));
    for attribute in attributes {
        line.push('\t');
        line.push_str(&escaped(&attribute));
    }
    line
}

fn expanded(reader: &Reader<'_>, name: &Name<'_>) -> String {
    format!("{{{}}}{}", reader.uri(name.ns), name.local)
}

fn line_ends(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('\n', "\\n")
        .replace('\r', "\\r")
        .replace('\t', "\\t")
}

/// What expat, through Python, says of each document: its events or its error. None if there is
/// no Python here.
pub fn oracle(documents: &[Vec<u8>]) -> Option<Vec<Result<Vec<String>, String>>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/oracle.py");
    let child = Command::new("python3")
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        skip("no python3 to compare with expat");
        return None;
    };
    let mut stdin = child.stdin.take().unwrap();
    for document in documents {
        stdin.write_all(&(document.len() as u64).to_le_bytes()).unwrap();
        stdin.write_all(document).unwrap();
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "the oracle failed");
    let text = String::from_utf8(output.stdout).unwrap();
    let mut answers = Vec::new();
    let mut lines = text.split('\n');
    while let Some(first) = lines.next().filter(|line| !line.is_empty()) {
        let rest: Vec<String> = lines
            .by_ref()
            .take_while(|line| *line != ".")
            .map(str::to_owned)
            .collect();
        answers.push(match first.strip_prefix("error ") {
            Some(message) => Err(message.to_owned()),
            None => Ok(rest),
        });
    }
    assert_eq!(answers.len(), documents.len());
    Some(answers)
}
