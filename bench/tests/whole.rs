//! The whole suite on an engine that needs nothing but a shell and Python: run, resume, report; wrong answers are not timed.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A folder of a suite with the repository's workloads and the given engines, removed at the end.
struct Fixture(PathBuf);

impl Fixture {
    fn new(name: &str, engines: &[(&str, &str)]) -> Fixture {
        let folder = std::env::temp_dir().join(format!("castile-bench-{name}-{}", std::process::id()));
        let bench = Path::new(env!("CARGO_MANIFEST_DIR"));
        std::fs::create_dir_all(folder.join("workloads")).expect("a folder");
        std::fs::copy(bench.join("PROTOCOL.md"), folder.join("PROTOCOL.md")).expect("a copy");
        let pace = format!("[full]\n{PACE}\n[quick]\n{PACE}");
        std::fs::write(folder.join("runs.toml"), pace).expect("a pace");
        std::fs::write(folder.join("workloads/ints.toml"), WORKLOAD).expect("a workload");
        std::fs::write(folder.join("workloads/void.toml"), VOID).expect("a workload");
        std::fs::write(folder.join("workloads/whole.toml"), WHOLE).expect("a workload");
        for (engine, flaw) in engines {
            let own = folder.join("engines").join(engine);
            std::fs::create_dir_all(&own).expect("a folder");
            let definition = DEFINITION.replace("FLAW", flaw);
            std::fs::write(own.join("engine.toml"), definition).expect("a definition");
            std::fs::copy(bench.join("tests/engine.py"), own.join("engine.py")).expect("the engine");
        }
        Fixture(folder)
    }

    fn bench(&self, arguments: &[&str]) -> (bool, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_castile-bench"));
        command.arg("--suite").arg(&self.0).args(arguments);
        command.env_remove("CASTILE_BENCH_BUILD");
        let output = command.output().expect("the program runs");
        let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        (output.status.success(), text.into_owned())
    }

    fn run(&self, more: &[&str]) -> Vec<Value> {
        let file = self.0.join("results.jsonl");
        let mut arguments = vec!["run", "--silent", "--rounds", "2", "--seconds", "0.02"];
        if !more.contains(&"--resume") {
            arguments.extend(["--output", file.to_str().expect("a path")]);
        }
        arguments.extend(more);
        let (well, text) = self.bench(&arguments);
        assert!(well, "{text}");
        let text = std::fs::read_to_string(&file).expect("results");
        text.lines()
            .skip(1)
            .map(|line| serde_json::from_str(line).expect("a row"))
            .collect()
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        // What is left in a temporary folder hurts nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Nobody is too slow for these tests, however busy the machine is.
const PACE: &str = "
rounds = 2
rounds_enough = 2
spread_enough = 0.0
seconds = 0.02
warmup_part = 0.1
warmup_seconds = 0.1
warmup_seconds_max = 0.1
load_seconds = 0.05
call_seconds_max = 20.0
call_seconds_sparse = 20.0
engine_seconds_max = 30.0
";

const DEFINITION: &str = r#"
title = "A toy"
language = "Python"
toolkit = "none"
version = "1"
licence = "MIT"
homepage = "https://example.org/"
roles = ["client", "server"]
needs = ["python3"]
run = "python3 engine.py FLAW"
warmup_seconds = 0.01
timeout_seconds = 20
"#;

const WORKLOAD: &str = r#"
title = "Ints"
source = ["test"]
kind = "ints"
measures = ["serialize", "send-time", "deserialize", "endtoend"]
sizes = [3, 50]
quick = [3]
[[point]]
name = "all"
[[point]]
name = "some"
set = { chunk = "4096" }
"#;

const VOID: &str = r#"
title = "Nothing"
source = ["test"]
kind = "void"
measures = ["endtoend", "throughput", "coldstart"]
sizes = [1]
[[point]]
connections = 2
"#;

const WHOLE: &str = r#"
title = "An application"
source = ["test"]
kind = "void"
measures = ["application"]
sizes = [4]
"#;

fn of<'r>(rows: &'r [Value], engine: &str) -> Vec<&'r Value> {
    rows.iter().filter(|row| row["engine"] == engine).collect()
}

/// The suite's engines need a Python; where there is none this says so.
fn python() -> bool {
    let there = Command::new("python3").arg("--version").output().is_ok();
    if !there {
        println!("SKIPPED: there is no python3 for the toy engine");
    }
    there
}

#[test]
fn a_right_engine_is_measured_and_what_it_lacks_is_said() {
    if !python() {
        return;
    }
    let fixture = Fixture::new("right", &[("toy", "none")]);
    let rows = fixture.run(&[]);
    let own = of(&rows, "toy");
    let count = |status: &str| own.iter().filter(|row| row["status"] == status).count();
    // Two sizes of four measures; the same in chunks, which the toy does not have; the three of the empty call, of which one
    // has a case with resources, which nobody has; a run.
    assert_eq!(count("unsupported"), 8 + 1, "{rows:#?}");
    assert!(count("ok") > 8 + 3, "{rows:#?}");
    assert_eq!(count("ok") + count("unsupported"), own.len(), "{rows:#?}");
    for row in own.iter().filter(|row| row["status"] == "ok") {
        assert!(row["median"].as_f64().expect("a median") > 0.0);
        assert!(
            row["low"].as_f64() <= row["median"].as_f64() && row["median"].as_f64() <= row["high"].as_f64()
        );
    }
    assert!(!of(&rows, "limit/wire").is_empty() && !of(&rows, "limit/machine").is_empty());
}

#[test]
fn a_wrong_answer_is_not_timed() {
    if !python() {
        return;
    }
    let flaws = ["client", "server", "decoder", "count"];
    let engines: Vec<(&str, &str)> = flaws.iter().map(|flaw| (*flaw, *flaw)).collect();
    let fixture = Fixture::new("wrong", &engines);
    let rows = fixture.run(&["--workload", "ints", "--quick"]);
    let status = |engine: &str, measure: &str| {
        let row = rows
            .iter()
            .find(|r| r["engine"] == engine && r["measure"] == measure && r["point"] == "all");
        row.expect("a row")["status"]
            .as_str()
            .expect("a status")
            .to_owned()
    };
    assert_eq!(status("client", "serialize"), "wrong");
    assert_eq!(status("client", "deserialize"), "ok");
    assert_eq!(status("server", "deserialize"), "wrong");
    assert_eq!(status("server", "serialize"), "ok");
    assert_eq!(status("decoder", "endtoend"), "wrong");
    assert_eq!(status("count", "deserialize"), "wrong");
}

/// Who is client and server deserializes as a server, unless it is told otherwise.
#[test]
fn deserialization_is_whose_the_definition_says() {
    if !python() {
        return;
    }
    let fixture = Fixture::new("reads", &[("toy", "decoder")]);
    let path = fixture.0.join("engines/toy/engine.toml");
    let variants = "[[variant]]\nname = 'first'\n[[variant]]\nname = 'reader'\nreads = 'client'\n";
    let definition = std::fs::read_to_string(&path).expect("a definition") + variants;
    std::fs::write(&path, definition).expect("a definition");
    let rows = fixture.run(&["--workload", "ints", "--quick", "--engine", "toy/*"]);
    let told = |engine: &str| {
        let row = rows
            .iter()
            .find(|r| r["engine"] == engine && r["measure"] == "deserialize" && r["point"] == "all");
        row.expect("a row")["status"].clone()
    };
    // Its flaw is what it decodes as a client.
    assert_eq!((told("toy"), told("toy/reader")), ("ok".into(), "wrong".into()));
}

#[test]
fn an_application_is_run_whole_and_all_must_come_to_one_answer() {
    if !python() {
        return;
    }
    let fixture = Fixture::new("whole", &[("toy", "none"), ("wrong", "answer")]);
    let rows = fixture.run(&["--workload", "whole"]);
    let (right, wrong) = (of(&rows, "toy"), of(&rows, "wrong"));
    assert_eq!((right.len(), wrong.len()), (1, 1), "{rows:#?}");
    assert_eq!(right[0]["status"], "ok");
    assert_eq!(right[0]["measure"], "application");
    assert_eq!(
        (&right[0]["calls"], &right[0]["bytes_request"], &right[0]["codec"]),
        (&3.into(), &300.into(), &5.0.into())
    );
    assert_eq!(right[0]["samples"], 2, "each round is a run");
    assert_eq!(wrong[0]["status"], "wrong");
    let (well, text) = fixture.bench(&["list"]);
    assert!(
        well && text
            .split("applications\n")
            .nth(1)
            .is_some_and(|part| part.contains("whole")),
        "{text}"
    );
}

#[test]
fn a_run_that_was_cut_off_goes_on_where_it_was() {
    if !python() {
        return;
    }
    let fixture = Fixture::new("resume", &[("toy", "none")]);
    let whole = fixture.run(&["--workload", "ints"]);
    let file = fixture.0.join("results.jsonl");
    let text = std::fs::read_to_string(&file).expect("results");
    let half: String = text
        .lines()
        .take(text.lines().count() / 2)
        .flat_map(|line| [line, "\n"])
        .collect();
    std::fs::write(&file, format!("{half}{{\"workload\":\"in")).expect("written");
    let rows = fixture.run(&["--resume", file.to_str().expect("a path")]);
    let keys = |rows: &[Value]| {
        let mut keys: Vec<String> = of(rows, "toy")
            .iter()
            .map(|r| format!("{} {} {}", r["point"], r["size"], r["measure"]))
            .collect();
        keys.sort();
        keys
    };
    assert_eq!(keys(&rows), keys(&whole));
    let (well, text) = fixture.bench(&[
        "compare",
        "--all",
        file.to_str().expect("a path"),
        file.to_str().expect("a path"),
    ]);
    assert!(well && text.contains("1.000"), "{text}");
}

#[test]
fn a_new_engine_begins_as_a_folder_that_the_suite_reads() {
    let fixture = Fixture::new("add", &[]);
    std::fs::create_dir_all(fixture.0.join("engines")).expect("a folder");
    let (well, text) = fixture.bench(&["add", "novel"]);
    assert!(well && text.contains("PROTOCOL.md"), "{text}");
    let (well, text) = fixture.bench(&["list"]);
    assert!(well && text.contains("novel"), "{text}");
    let (well, text) = fixture.bench(&["add", "novel"]);
    assert!(!well && text.contains("there already"), "{text}");
}

#[test]
fn an_engine_that_dies_or_is_not_there_is_a_row() {
    if !python() {
        return;
    }
    let fixture = Fixture::new("dies", &[("dies", "dies"), ("toy", "none")]);
    let definition = fixture.0.join("engines/toy/engine.toml");
    let text = std::fs::read_to_string(&definition).expect("a definition");
    std::fs::write(&definition, text.replace("\"python3\"]", "\"no-such-program\"]")).expect("written");
    let rows = fixture.run(&["--workload", "ints", "--quick"]);
    let dead: Vec<_> = of(&rows, "dies")
        .into_iter()
        .filter(|row| row["status"] == "failed")
        .collect();
    // Its server lives: only what needs its client fails.
    assert_eq!(dead.len(), 3, "{rows:#?}");
    for row in dead {
        let why = row["why"].as_str().expect("why");
        assert!(why.contains("last words"), "{why}");
    }
    assert!(of(&rows, "toy").iter().all(|row| row["status"] == "absent"));
}
