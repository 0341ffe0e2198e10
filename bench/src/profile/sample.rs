//! Sampling a running engine with what its language has: the JDK's recorder, py-spy, else perf.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
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
            let request: Arc<Vec<u8>> = material.messages(engine.style).echo_requests[0].clone();
            let load = std::thread::spawn(move || {
                load::run(served.port, &served.path, &request, 2, Until::Time(time))
                    .map_err(|e| e.to_string())
            });
            let stacks = sampled(suite, engine, id, options.seconds);
            load.join().map_err(|_| "the load's thread panicked")??;
            stacks?
        }
        true => {
            let sink = Sink::start()?;
            let url = sink.answer("profile", &material.messages(engine.style).echo_response, false);
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
        "{}-{}-{}",
        engine.name.replace('/', "-"),
        options.workload,
        options.size
    );
    let path = suite.file(&format!("profiles/{name}.collapsed"))?;
    std::fs::write(&path, stacks.text())?;
    Ok(path)
}

fn sampled(suite: &Suite, engine: &Engine, process: u32, seconds: u64) -> Outcome<Stacks> {
    let scratch = suite.file(&format!("profiles/scratch-{process}"))?;
    let stacks = match &*engine.language {
        "Java" => jfr(process, seconds, &scratch),
        "Python" => py_spy(process, seconds, &scratch),
        _ => perf(process, seconds, &scratch),
    };
    // The sampler's own file is not needed any more; it may not even be there.
    let _ = std::fs::remove_file(&scratch);
    stacks
}

fn perf(process: u32, seconds: u64, scratch: &Path) -> Outcome<Stacks> {
    let mut record = Command::new("perf");
    record
        .args(["record", "-F", "997", "--call-graph", "dwarf,16384", "-o"])
        .arg(scratch);
    record.args(["-p", &process.to_string(), "--", "sleep", &seconds.to_string()]);
    output(&mut record)?;
    let mut script = Command::new("perf");
    let text = output(
        script
            .args(["script", "-F", "comm,tid,time,event,ip,sym,symoff,dso", "-i"])
            .arg(scratch),
    )?;
    Ok(Stacks::of_perf(&text))
}

fn py_spy(process: u32, seconds: u64, scratch: &Path) -> Outcome<Stacks> {
    let mut record = Command::new("py-spy");
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
