//! The suite's whole way with Castile's own engines, Rust and Python: every workload with little values, every answer checked
//! by the heavy driver.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The suite's folder with one engine of its own, small sizes and short rounds; removed at the end.
struct Suite(PathBuf);

impl Suite {
    /// With the engine of folder `name`, started by `run`.
    fn new(name: &str, run: &str) -> Suite {
        let folder = std::env::temp_dir().join(format!("castile-suite-{name}-{}", std::process::id()));
        for inner in ["workloads/wsdl", &format!("engines/{name}")] {
            std::fs::create_dir_all(folder.join(inner)).expect("a folder");
        }
        for file in ["PROTOCOL.md", "runs.toml"] {
            std::fs::copy(bench().join(file), folder.join(file)).expect("a copy");
        }
        copy(&bench().join("workloads"), &folder.join("workloads"), |text| {
            let line = |line: &str| match line.split(' ').next() {
                Some("sizes") => "sizes = [7]".to_owned(),
                Some("requests") => "requests = 200".to_owned(),
                _ => line.to_owned(),
            };
            text.lines().map(|one| line(one) + "\n").collect()
        });
        copy(
            &bench().join("workloads/wsdl"),
            &folder.join("workloads/wsdl"),
            str::to_owned,
        );
        let definition = std::fs::read_to_string(bench().join(format!("engines/{name}/engine.toml")));
        let line = |line: &str| match line.split(' ').next() {
            Some("build" | "needs" | "sources" | "cargo") => String::new(),
            Some("run") => format!("run = '{run}'\n"),
            Some("warmup_seconds") => "warmup_seconds = 0.0\n".to_owned(),
            _ => format!("{line}\n"),
        };
        let definition: String = definition.expect("a definition").lines().map(line).collect();
        std::fs::write(folder.join(format!("engines/{name}/engine.toml")), definition).expect("written");
        Suite(folder)
    }

    /// The rows of its engines in a run with more arguments.
    fn rows(&self, more: &[&str]) -> Vec<Value> {
        let file = self.0.join("results.jsonl");
        let (suite, output) = (self.0.to_str().expect("a path"), file.to_str().expect("a path"));
        let line = [
            "castile-bench",
            "--suite",
            suite,
            "run",
            "--silent",
            "--output",
            output,
            "--rounds",
            "1",
        ];
        let line = line.iter().chain(&["--seconds", "0.002"]).chain(more);
        castile_bench::command(line.map(|word| (*word).into())).expect("a run");
        let text = std::fs::read_to_string(&file).expect("results");
        let rows = text
            .lines()
            .skip(1)
            .map(|line| serde_json::from_str(line).expect("a row"));
        rows.filter(|row: &Value| row["engine"].as_str().is_some_and(|e| !e.starts_with("limit/")))
            .collect()
    }
}

impl Drop for Suite {
    fn drop(&mut self) {
        // What is left in a temporary folder hurts nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn bench() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the suite's folder")
}

fn copy(from: &Path, to: &Path, change: impl Fn(&str) -> String) {
    for entry in std::fs::read_dir(from)
        .expect("a folder")
        .flatten()
        .filter(|e| e.path().is_file())
    {
        let text = std::fs::read_to_string(entry.path()).expect("a text");
        std::fs::write(to.join(entry.file_name()), change(&text)).expect("written");
    }
}

/// Every row is measured, or says what Castile does not do.
fn check(rows: &[Value], engine: &str, measured_min: usize) {
    let own: Vec<&Value> = rows.iter().filter(|row| row["engine"] == engine).collect();
    let bad: Vec<&&Value> = own
        .iter()
        .filter(|row| row["status"] != "ok" && row["status"] != "unsupported")
        .collect();
    assert!(bad.is_empty(), "{bad:#?}");
    let measured = own.iter().filter(|row| row["status"] == "ok").count();
    assert!(
        measured >= measured_min,
        "{engine}: {measured} of {} rows",
        own.len()
    );
}

const FEW: [&str; 8] = [
    "--workload",
    "doubles",
    "--workload",
    "events",
    "--workload",
    "differential-mios",
    "--workload",
    "growing-doubles",
];

#[test]
fn rust_passes_every_workload_and_each_variant_some() {
    let suite = Suite::new("castile-rust", env!("CARGO_BIN_EXE_castile-engine-rust"));
    let all = [
        ("castile-rust", 114),
        ("castile-rust/encoded", 20),
        ("castile-rust/generated", 36),
    ];
    let rows = suite.rows(&all.map(|(engine, _)| ["--engine", engine]).concat());
    for (engine, measured_min) in all {
        check(&rows, engine, measured_min);
    }
    let each = suite.rows(&[&["--engine", "castile-rust/*"], &FEW[..]].concat());
    for variant in [
        "plain",
        "bsoap",
        "no-sending",
        "no-padding",
        "no-stealing",
        "stuffing",
    ] {
        check(&each, &format!("castile-rust/{variant}"), 4);
    }
    for variant in ["no-receiving", "no-keeping"] {
        check(&each, &format!("castile-rust/{variant}"), 6);
    }
}

#[test]
fn python_passes_every_workload() {
    let own = bench().join("../.venv/bin/python");
    let python = std::env::var_os("CASTILE_PYTHON").map_or(own, PathBuf::from);
    let imported = Command::new(&python).args(["-c", "import castile"]).output();
    if !imported.is_ok_and(|output| output.status.success()) {
        println!("SKIPPED: {} has no castile (make build)", python.display());
        return;
    }
    let program = bench().join("engines/castile-python/engine.py");
    let suite = Suite::new(
        "castile-python",
        &format!("\"{}\" \"{}\"", python.display(), program.display()),
    );
    let rows = suite.rows(&["--engine", "castile-python"]);
    check(&rows, "castile-python", 114);
}
