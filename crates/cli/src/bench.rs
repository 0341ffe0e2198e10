//! `castile bench`: the benchmark suite, which lives in a checkout and is a program of its own.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use clap::Args;

use crate::failure::Failure;

/// Measure SOAP toolkits beside each other (in a checkout of Castile)
///
/// `castile bench --help` says what the suite can do: list, build, run, report, compare, add, profile.
#[derive(Args, Debug)]
#[command(disable_help_flag = true)]
pub(crate) struct BenchArgs {
    /// Handed on to the suite.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<OsString>,
}

/// Builds the suite's program if need be, and runs it.
pub(crate) fn run(args: &BenchArgs) -> Result<ExitCode, Failure> {
    let checkout = checkout().ok_or_else(|| {
        Failure::caller("there is no benchmark suite here")
            .hint("it is no part of the installed command: run this inside a checkout of Castile")
    })?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(&cargo);
    command
        .args(["run", "--release", "--locked", "--quiet", "-p", "castile-bench"])
        .arg("--manifest-path")
        .arg(checkout.join("Cargo.toml"))
        .args(["--", "--suite"])
        .arg(checkout.join("bench"))
        .args(&args.args);
    let status = command
        .status()
        .map_err(|e| Failure::caller(format!("{}: {e}", cargo.to_string_lossy())))?;
    Ok(match status.success() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// The checkout around the working directory.
fn checkout() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let found = here
        .ancestors()
        .find(|folder| folder.join("bench/PROTOCOL.md").is_file());
    found.map(PathBuf::from)
}
