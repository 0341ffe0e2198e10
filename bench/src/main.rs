//! Round trips and throughput of an empty call, beside the machine's limits and gSOAP.
//!
//! ```text
//! castile-bench compare [--gsoap FOLDER]   everything below in one run, with ratios
//! castile-bench serve                      a server of the interop contract; prints READY <port>
//! castile-bench load PORT                  the raw load generator, the same for every server
//! ```

#![forbid(unsafe_code)]

mod compare;
mod load;
mod measure;
mod raw;
mod soap;
mod wrk;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(about = "Measures an empty call beside the machine's limits and gSOAP")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Everything in one run, with ratios.
    Compare {
        /// Folder with gSOAP's `server` and `latency`, built from the interop suite.
        #[arg(long)]
        gsoap: Option<PathBuf>,
        /// Calls in each round.
        #[arg(long, default_value_t = 10_000)]
        calls: usize,
        /// Rounds; the candidates take turns, and medians of rounds are printed.
        #[arg(long, default_value_t = 5)]
        rounds: usize,
    },
    /// A server of the interop contract until standard input ends.
    Serve {
        /// Threads that serve.
        #[arg(long, default_value_t = 0)]
        workers: usize,
    },
    /// Requests as fast as a server answers.
    Load {
        /// Port on the loopback interface.
        port: u16,
        /// Connections at once.
        #[arg(long, default_value_t = 10)]
        connections: usize,
        /// How long.
        #[arg(long, default_value_t = 2.0)]
        seconds: f64,
    },
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    match Arguments::parse().command {
        Command::Compare { gsoap, calls, rounds } => compare::run(gsoap.as_deref(), calls, rounds),
        Command::Serve { workers } => soap::serve_until_eof(workers),
        Command::Load {
            port,
            connections,
            seconds,
        } => {
            let rate = load::run(port, connections, Duration::from_secs_f64(seconds))?;
            println!("{rate:.0}");
            Ok(())
        }
    }
}
