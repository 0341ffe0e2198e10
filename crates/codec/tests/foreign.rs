//! What is encoded is well-formed, with namespaces, to a parser that nobody here wrote: expat,
//! by way of Python.

mod support;

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use castile_testkit::{Rng, Sampler, random_table};
use support::encoded;

/// Reads messages, each after a line with its length, and writes a line each: `ok` or why not.
const SCRIPT: &str = "
import sys, xml.parsers.expat as expat
data = sys.stdin.buffer
while line := data.readline():
    text = data.read(int(line))
    parser = expat.ParserCreate(namespace_separator=' ')
    try:
        parser.Parse(text, True)
        print('ok')
    except expat.ExpatError as e:
        print(e)
";

#[test]
fn expat_reads_what_is_encoded() {
    let python = Command::new("python3")
        .args(["-c", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut python) = python else {
        let required = std::env::var("CASTILE_REQUIRE_TESTDATA").is_ok_and(|v| v == "1");
        assert!(!required, "python3 is required and missing");
        eprintln!("SKIPPED: expat_reads_what_is_encoded: there is no python3");
        return;
    };
    let mut messages = Vec::new();
    for seed in 0..300 {
        let table = random_table(seed);
        for complex in table.types.complex.iter().filter(|c| !c.is_abstract) {
            let Some(name) = &complex.name else { continue };
            let plan = table.plan(&name.local);
            let body = Sampler::new(&table.types, Rng::new(seed ^ 0xF0)).record(plan.body);
            messages.push(encoded(&table.types, &plan, &body).unwrap_or_else(|e| panic!("{e}")));
        }
    }
    let mut input = python.stdin.take().expect("a pipe");
    let sent = messages.clone();
    let writer = std::thread::spawn(move || {
        for message in sent {
            write!(input, "{}\n{message}", message.len()).expect("python reads");
        }
    });
    let mut answers = String::new();
    let mut output = python.stdout.take().expect("a pipe");
    output.read_to_string(&mut answers).expect("python answers");
    writer.join().expect("all was written");
    assert!(python.wait().expect("python ends").success());
    assert_eq!(answers.lines().count(), messages.len());
    for (answer, message) in answers.lines().zip(&messages) {
        assert_eq!(answer, "ok", "{message}");
    }
}
