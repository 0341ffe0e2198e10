//! Logging to standard error: `-vv`, or `CASTILE_LOG=debug`, or `CASTILE_LOG=castile_http=trace,warn`.

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// What the command does with a contract.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Use {
    /// Calls a service.
    Call,
    /// Is one.
    Serve,
    /// Looks at it, and says itself what is wrong with it.
    Other,
}

/// Starts logging as the environment says, else by how often `-v` was given: once shows nothing
/// more here (the command itself tells more then), twice what each step does, thrice everything.
/// A server tells of the messages that it refuses without being asked, and who uses a contract, what is
/// wrong with it.
pub(crate) fn start(verbose: u8, use_of: Use) {
    let level = match verbose {
        0 | 1 => LevelFilter::ERROR,
        2 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    let mut targets = Targets::new().with_default(level);
    let quiet = match use_of {
        _ if verbose >= 2 => None,
        Use::Serve => Some(("castile_endpoint", LevelFilter::INFO)),
        Use::Call => Some(("castile_endpoint::load", LevelFilter::WARN)),
        Use::Other => None,
    };
    if let Some((target, level)) = quiet {
        targets = targets.with_target(target, level);
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
