//! The command line, as people type it.

use std::time::Duration;

use clap::{ArgAction, Parser, Subcommand};

use crate::bench::BenchArgs;
use crate::call::CallArgs;
use crate::generate::GenerateArgs;
use crate::inspect::InspectArgs;
use crate::serve::ServeArgs;
use crate::validate::ValidateArgs;

const STYLES: clap::builder::Styles = clap::builder::Styles::styled()
    .header(anstyle::AnsiColor::Green.on_default().bold())
    .usage(anstyle::AnsiColor::Green.on_default().bold())
    .literal(anstyle::AnsiColor::Cyan.on_default().bold())
    .placeholder(anstyle::AnsiColor::Cyan.on_default());

const EXAMPLES: &str = "\
Start here:
  castile inspect weather.wsdl                          what does the service offer?
  castile inspect weather.wsdl --operation Forecast     which arguments does this one take?
  castile call weather.wsdl Forecast place=Lisbon days=3 call it, print the reply as JSON
  castile serve weather.wsdl                            a mock server with sample replies
  castile validate weather.wsdl message.xml             what is wrong with this message?
  castile generate rust weather.wsdl                    structs, client and server trait

`castile COMMAND --help` has examples of each. Exit codes: 0 it worked, 1 it did not,
2 the service answered with a fault. CASTILE_LOG=debug logs to standard error.";

/// SOAP from the command line: look at a WSDL, call its service, serve a mock of it, check messages
#[derive(Parser, Debug)]
#[command(name = "castile", version, styles = STYLES, after_help = EXAMPLES, max_term_width = 100)]
#[command(arg_required_else_help = true, disable_help_subcommand = true)]
pub(crate) struct Cli {
    /// Say more: -v sizes and timings, -vv what each step does, -vvv everything
    #[arg(short, long, action = ArgAction::Count, global = true)]
    pub(crate) verbose: u8,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    Inspect(InspectArgs),
    Call(Box<CallArgs>),
    Serve(ServeArgs),
    Validate(ValidateArgs),
    Generate(GenerateArgs),
    Bench(BenchArgs),
    /// Print a completion script for a shell
    ///
    /// bash: castile completions bash > ~/.local/share/bash-completion/completions/castile
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

impl Command {
    /// Whether errors are to be JSON too.
    pub(crate) fn wants_json(&self) -> bool {
        match self {
            Command::Inspect(args) => args.json,
            Command::Call(args) => args.json,
            Command::Validate(args) => args.json,
            Command::Serve(_) | Command::Generate(_) | Command::Bench(_) | Command::Completions { .. } => {
                false
            }
        }
    }
}

/// A time in seconds, such as `0.5`.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|e| format!("{e}"))?;
    Duration::try_from_secs_f64(seconds).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
