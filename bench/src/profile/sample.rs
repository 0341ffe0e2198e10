//! Sampling a running engine with what its language has: the JDK's recorder, py-spy, else perf.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::Stacks;
use crate::Outcome;
use crate::engine::{Engine, Role};
use crate::measure::Material;
use crate::measure::session::started;
use crate::net::load::{self, Until};
use crate::net::sink::Sink;
use crate::suite::Suite;
use crate::workload::{Cell, Measure, Point};

/// What is sampled.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) workload: String,
    pub(crate) size: usize,
    pub(crate) seconds: u64,
    /// The client instead of the server.
    pub(crate) client: bool,
}

/// Runs an engine under load, samples it, and writes its collapsed stacks; gives their file.
///
/// # Errors
/// An engine that fails, a sampler that is not there or may not sample.
pub(crate) fn sample(suite: &Suite, engine: &Engine, options: &Options) -> Outcome<PathBuf> {
    let workload = suite.workloads.iter().find(|w| w.name == options.workload);
    let workload = workload.ok_or_else(|| format!("there is no workload {}", options.workload))?;
    let cell = Cell {
        workload,
        point: Point::default(),
        size: options.size,
        measure: Measure::Endtoend,
    };
    let role = if options.client {
        Role::Client
    } else {
        Role::Server
    };
    if !engine.is(role) {
        return Err(format!("{} is no {role:?}", engine.name).to_lowercase().into());
    }
    let material = Material::of(suite, &cell)?;
    let engine = &named_frames(engine);
    let mut process = started(suite, engine, "profile")?;
    let id = process.id();
    let time = Duration::from_secs(options.seconds + 2);
    let stacks = match options.client {
        false => {
            process
                .ask(&format!(
                    "load {} {}",
                    workload.kind.name(),
                    material.sets[0].1.display()
                ))
                .ok();
            let served = process.serve(workload.kind.contract(engine.style))?;
            let request = material.messages(engine).echo_requests[0].clone();
            let load = std::thread::spawn(move || {
                load::run(
                    served.port,
                    &served.path,
                    &[request],
                    2,
                    Until { time, count: None },
                )
                .map_err(|e| e.to_string())
            });
            let stacks = sampled(suite, engine, id, options.seconds);
            load.join().map_err(|_| "the load's thread panicked")??;
            stacks?
        }
        true => {
            let sink = Sink::start()?;
            let url = sink.answer("profile", &material.messages(engine).echo_response, false);
            process
                .ask(&format!(
                    "load {} {}",
                    workload.kind.name(),
                    material.sets[0].1.display()
                ))
                .ok();
            std::thread::scope(|scope| {
                let sampling =
                    scope.spawn(|| sampled(suite, engine, id, options.seconds).map_err(|e| e.to_string()));
                while !sampling.is_finished() {
                    process.call(&material.echo, &url, 20)?;
                }
                let stacks = sampling.join().map_err(|_| "the sampler's thread panicked")?;
                stacks.map_err(Box::<dyn std::error::Error>::from)
            })?
        }
    };
    let name = format!(
        "{}-{}-{}-{}",
        engine.name.replace('/', "-"),
        if options.client { "client" } else { "server" },
        options.workload,
        options.size
    );
    let path = suite.file(&format!("profiles/{name}.collapsed"))?;
    std::fs::write(&path, stacks.text())?;
    Ok(path)
}

fn sampled(suite: &Suite, engine: &Engine, process: u32, seconds: u64) -> Outcome<Stacks> {
    let scratch = suite.file(&format!("profiles/scratch-{process}"))?;
    let by_language = match &*engine.language {
        "Java" => "jfr",
        "Python" => "py-spy",
        _ => "perf",
    };
    let stacks = match engine.sampler.as_deref().unwrap_or(by_language) {
        "jfr" => jfr(process, seconds, &scratch),
        "py-spy" => py_spy(&py_spy_program(suite)?, process, seconds, &scratch),
        "perf" => perf(&engine.language, process, seconds, &scratch),
        other => Err(format!("{}: no sampler {other}", engine.name).into()),
    };
    // The sampler's own file is not needed any more; it may not even be there.
    let _ = std::fs::remove_file(&scratch);
    stacks
}

/// The engine, told to write down what its compiled code is where perf could not know.
fn named_frames(engine: &Engine) -> Engine {
    let mut engine = engine.clone();
    if engine.language == "JavaScript" {
        let options = "--perf-basic-prof-only-functions --interpreted-frames-native-stack";
        engine.environment.insert("NODE_OPTIONS".into(), options.into());
    }
    engine
}

fn perf(language: &str, process: u32, seconds: u64, scratch: &Path) -> Outcome<Stacks> {
    // Compilers of these leave frame pointers; of the others stacks are copied.
    let frames = match language {
        "JavaScript" | "Go" => "fp",
        _ => "dwarf,16384",
    };
    let mut record = Command::new("perf");
    record
        .args(["record", "-F", "997", "--call-graph", frames, "-o"])
        .arg(scratch);
    record.args(["-p", &process.to_string(), "--", "sleep", &seconds.to_string()]);
    output(&mut record)?;
    // Castile's Python is Rust where perf looks.
    let has_crates = ["Rust", "Python"].contains(&language);
    let mut script = Command::new("perf");
    script.args(["script", "-F", "comm,tid,time,event,ip,sym,symoff,dso"]);
    if !has_crates {
        // Looking up inlined functions takes minutes in large programs; in Rust they are what crates are known by.
        script.arg("--no-inline");
    }
    let text = output(script.arg("-i").arg(scratch))?;
    Ok(Stacks::of_perf(&text))
}

/// That of the PATH, else one of the suite's own, which is installed when it is first needed.
fn py_spy_program(suite: &Suite) -> Outcome<PathBuf> {
    if Command::new("py-spy").arg("--version").output().is_ok() {
        return Ok("py-spy".into());
    }
    let own = suite.file("tools/py-spy/bin/py-spy")?;
    if !own.is_file() {
        let folder = suite.build.join("tools/py-spy");
        output(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        let pinned = suite.folder.join("languages/python/profile.txt");
        let mut pip = Command::new(folder.join("bin/python"));
        pip.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--require-hashes",
            "-r",
        ]);
        output(pip.arg(pinned))?;
    }
    Ok(own)
}

fn py_spy(program: &Path, process: u32, seconds: u64, scratch: &Path) -> Outcome<Stacks> {
    let mut record = Command::new(program);
    record
        .args([
            "record", "--format", "raw", "--idle", "--rate", "200", "--native", "--output",
        ])
        .arg(scratch);
    record.args(["--pid", &process.to_string(), "--duration", &seconds.to_string()]);
    output(&mut record)?;
    Stacks::parse(&std::fs::read_to_string(scratch)?)
}

fn jfr(process: u32, seconds: u64, scratch: &Path) -> Outcome<Stacks> {
    let process = process.to_string();
    let scratch = scratch.with_extension("jfr");
    output(Command::new("jcmd").args([&*process, "JFR.start", "name=castile", "settings=profile"]))?;
    std::thread::sleep(Duration::from_secs(seconds));
    let dump = format!("filename={}", scratch.display());
    output(Command::new("jcmd").args([&*process, "JFR.dump", "name=castile", &dump]))?;
    let mut show = Command::new("jfr");
    show.args(["print", "--stack-depth", "256", "--events"]);
    let text = output(
        show.arg("jdk.ExecutionSample,jdk.NativeMethodSample")
            .arg(&scratch),
    )?;
    // As in `sampled`.
    let _ = std::fs::remove_file(&scratch);
    Ok(Stacks::of_jfr(&text))
}

/// What a command prints.
fn output(command: &mut Command) -> Outcome<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("{name}: {e}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr).trim()).into()),
    }
}
