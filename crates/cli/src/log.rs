//! Logging to standard error: `-vv`, or `CASTILE_LOG=debug`, or `CASTILE_LOG=castile_http=trace,warn`.

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// What the command does with a contract.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Use {
    /// Serves it.
    Serve,
    /// Looks at it, or calls its service.
    Other,
}

/// Where loading a contract logs what is wrong with it.
pub(crate) const LOADING: &str = "castile_endpoint::load";

/// Starts logging as the environment says, else by how often `-v` was given: once shows nothing
/// more here (the command itself tells more then), twice what each step does, thrice everything.
/// A server tells of the messages that it refuses without being asked. What is wrong with a contract the
/// command tells in a line ([`crate::load`]) unless all of it is logged.
pub(crate) fn start(verbose: u8, use_of: Use) {
    let level = match verbose {
        0 | 1 => LevelFilter::ERROR,
        2 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    let mut targets = Targets::new().with_default(level);
    if let (0 | 1, Use::Serve) = (verbose, use_of) {
        targets = targets
            .with_target("castile_endpoint", LevelFilter::INFO)
            .with_target(LOADING, LevelFilter::ERROR);
    }
    if let Ok(text) = std::env::var("CASTILE_LOG") {
        match text.parse() {
            Ok(parsed) => targets = parsed,
            Err(error) => anstream::eprintln!("castile: CASTILE_LOG={text:?} is not understood: {error}"),
        }
    }
    let colours = anstream::stderr().is_terminal();
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(colours);
    // A second start, in tests, changes nothing.
    let _ = tracing_subscriber::registry()
        .with(lines)
        .with(targets)
        .try_init();
}
