//! Installing and building engines, and whether what was built is of the sources that are there.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::Engine;
use super::sources::sources;
use crate::Outcome;
use crate::suite::Suite;

/// Whether an engine can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It can; this is the fingerprint of its sources.
    Ready(String),
    /// It was never built, or its sources changed since.
    Unbuilt,
    /// A program that it needs is missing.
    NotInstalled(String),
    /// It is only defined, for others to run.
    Defined(String),
}

/// Whether this engine can be run, and why not.
pub(crate) fn state(suite: &Suite, engine: &Engine) -> Outcome<State> {
    if let Some(why) = &engine.start {
        return Ok(State::Defined(why.clone()));
    }
    if let Some(program) = engine.missing() {
        return Ok(State::NotInstalled(format!("{program} is not installed")));
    }
    let print = sources(engine)?;
    let built = std::fs::read_to_string(stamp(suite, engine)).unwrap_or_default();
    Ok(
        match built == print || engine.build.is_none() && engine.install.is_none() {
            true => State::Ready(print),
            false => State::Unbuilt,
        },
    )
}

/// Installs what is missing and builds; what is there and up to date is left alone. `force` builds anew.
///
/// # Errors
/// A command that fails, with the end of what it printed.
pub(crate) fn build(suite: &Suite, engine: &Engine, force: bool) -> Outcome<State> {
    match state(suite, engine)? {
        State::Defined(why) => return Ok(State::Defined(why)),
        State::Ready(print) if !force => return Ok(State::Ready(print)),
        _ => {}
    }
    std::fs::create_dir_all(suite.built(engine))?;
    if let Some(install) = &engine.install {
        shell(suite, engine, install)?;
    }
    if let Some(program) = engine.missing() {
        let packages = engine.packages.join(" ");
        return Ok(State::NotInstalled(match packages.is_empty() {
            true => format!("{program} is not installed"),
            false => format!("{program} is not installed (packages {packages})"),
        }));
    }
    if let Some(build) = &engine.build {
        shell(suite, engine, build)?;
    }
    let print = sources(engine)?;
    std::fs::write(stamp(suite, engine), &print)?;
    Ok(State::Ready(print))
}

/// Packages of the system that engines want and that are not there.
pub(crate) fn packages_missing(engines: &[Engine]) -> Vec<String> {
    let mut packages: Vec<String> = engines.iter().flat_map(|e| e.packages.clone()).collect();
    packages.sort();
    packages.dedup();
    packages.retain(|package| {
        let mut ask = Command::new("dpkg");
        let status = ask
            .args(["-s", package])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        status.is_ok_and(|status| !status.success())
    });
    packages
}

fn stamp(suite: &Suite, engine: &Engine) -> PathBuf {
    suite.built(engine).join("built.sha256")
}

fn shell(suite: &Suite, engine: &Engine, command: &str) -> Outcome<()> {
    let mut run = Command::new("sh");
    run.arg("-c").arg(command);
    suite.environment(engine, &mut run);
    let output = run.stdin(Stdio::null()).output()?;
    if output.status.success() {
        return Ok(());
    }
    let text =
        String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = text.lines().collect();
    let end = lines[lines.len().saturating_sub(15)..].join("\n");
    Err(format!("{}: `{command}` failed ({}):\n{end}", engine.name, output.status).into())
}
