//! The program `castile-bench`: a command line for the library.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    match castile_bench::command(std::env::args_os()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("castile-bench: {error}");
            ExitCode::FAILURE
        }
    }
}
