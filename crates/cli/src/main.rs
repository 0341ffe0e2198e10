//! The `castile` command: look at a WSDL, call its service, serve a mock of it, check messages.
//!
//! ```text
//!   args (clap) ─▶ inspect  contract ─▶ text | JSON
//!              ├─▶ call     words, JSON ─typed by the plan─▶ request ─▶ reply ─▶ JSON
//!              ├─▶ serve    request ─▶ echo | canned | sample reply
//!              ├─▶ validate message ─▶ findings with line, column and path
//!              ├─▶ generate contract ─▶ Rust or Python source
//!              └─▶ bench    the benchmark suite of a checkout, a program of its own
//! ```
//!
//! Exit codes: 0 it worked, 1 it did not, 2 the service answered with a fault.
//!
//! Non-goals: nothing about SOAP is done here; the crates below do it. A command parses its
//! arguments, asks them, and prints.
#![forbid(unsafe_code)]

mod args;
mod bench;
mod call;
mod failure;
mod generate;
mod inspect;
mod load;
mod log;
mod output;
mod secret;
mod serve;
mod validate;
mod values;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Cli, Command};
use failure::Failure;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            // Help and version are no errors; 2 is kept for faults.
            return ExitCode::from(u8::from(error.use_stderr()));
        }
    };
    let use_of = match cli.command {
        Command::Serve(_) => log::Use::Serve,
        _ => log::Use::Other,
    };
    log::start(cli.verbose, use_of);
    match run(&cli) {
        Ok(code) => code,
        Err(failure) => {
            failure.print(cli.command.wants_json());
            ExitCode::FAILURE
        }
    }
}

fn run(cli: &Cli) -> Result<ExitCode, Failure> {
    match &cli.command {
        Command::Inspect(args) => inspect::run(args, cli.verbose),
        Command::Call(args) => call::run(args, cli.verbose),
        Command::Serve(args) => serve::run(args, cli.verbose),
        Command::Validate(args) => validate::run(args, cli.verbose),
        Command::Generate(args) => generate::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Completions { shell } => {
            clap_complete::generate(*shell, &mut Cli::command(), "castile", &mut std::io::stdout());
            Ok(ExitCode::SUCCESS)
        }
    }
}
