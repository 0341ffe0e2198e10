//! `make conformance`: every message of every foreign WSDL, there and back.
//!
//! ```text
//!   INDEX.tsv ─▶ load ─▶ each operation ─▶ sample ─encode─▶ bytes ─decode─▶ the same value?
//!                                                     │                └─encode─▶ the same bytes?
//!                                                     ├─▶ reference decoder: the same value?
//!                                                     └─▶ expat, lxml: well-formed, valid?
//! ```
//!
//! Every failure stands on `ledger.tsv` with its reason; one that does not, and a line of the
//! ledger that does not fail any more, end the run with exit code 1. What the contract asks for
//! and this version does not do (substitution groups, say) is counted apart.
//!
//! Messages that somebody really sent are decoded by their WSDLs and encoded again, and must say the
//! same; `traffic.tsv` is their ledger.
//!
//! Non-goals: speed, but for `--repeats`, which tells what differential receiving gains on sequences of such
//! messages.
#![forbid(unsafe_code)]

mod corpus;
mod file;
mod generated;
mod infoset;
mod ledger;
mod loads;
mod message;
mod oracle;
mod python;
mod repeats;
mod report;
mod suites;
mod tolerance;
mod traffic;
mod w3c;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use corpus::{Corpus, Row};
use file::FileResult;

/// What the command line says.
struct Arguments {
    /// Only files whose name contains this.
    only: Option<String>,
    /// Nothing but recorded messages.
    traffic: bool,
    /// Nothing but the gain of differential receiving on sequences of real messages.
    repeats: bool,
    /// Say all of what went wrong with each message.
    verbose: bool,
    /// Write each encoded message here.
    keep: Option<PathBuf>,
    /// Write a crate with generated code here, and do nothing else.
    generated: Option<PathBuf>,
    /// Write generated Python here, and do nothing else.
    python: Option<PathBuf>,
    /// Of every so manieth WSDL.
    every: usize,
}

fn main() -> ExitCode {
    let Some(arguments) = arguments() else {
        eprintln!(
            "usage: castile-conformance [--only PART-OF-A-NAME] [--traffic] [--verbose] [--keep FOLDER]\n       \
             castile-conformance --repeats\n       \
             castile-conformance --generated|--python FOLDER [--every N] [--only PART-OF-A-NAME]"
        );
        return ExitCode::FAILURE;
    };
    let Some(corpus) = Corpus::find() else {
        return ExitCode::from(u8::from(std::env::var_os("CASTILE_REQUIRE_TESTDATA").is_some()));
    };
    let (every, only) = (arguments.every, arguments.only.as_deref());
    let written = match (&arguments.generated, &arguments.python) {
        (Some(folder), _) => Some((folder, generated::write(&corpus, folder, every, only))),
        (None, Some(folder)) => Some((folder, python::write(&corpus, folder, every, only))),
        (None, None) => None,
    };
    if let Some((folder, written)) = written {
        return match written {
            Ok(modules) => {
                println!("{modules} modules in {}", folder.display());
                ExitCode::SUCCESS
            }
            Err(error) => {
                eprintln!("castile-conformance: {error}");
                ExitCode::FAILURE
            }
        };
    }
    if arguments.repeats {
        let printed = repeats::print(&corpus);
        return printed.map_or_else(
            |error| {
                eprintln!("castile-conformance: {error}");
                ExitCode::FAILURE
            },
            |()| ExitCode::SUCCESS,
        );
    }
    let started = Instant::now();
    if arguments.traffic {
        let traffic = traffic::run(&corpus, arguments.only.as_deref());
        report::traffic(&traffic, arguments.verbose);
        return ExitCode::from(u8::from(!traffic.is_clean()));
    }
    let rows: Vec<Row> = corpus
        .rows()
        .into_iter()
        .filter(|row| wanted(&arguments, &row.file))
        .collect();
    let results = run(&corpus, &rows);
    let foreign = oracle::check(&results, &corpus, arguments.keep.as_deref());
    let traffic = traffic::run(&corpus, arguments.only.as_deref());
    let ledger = ledger::compare(&results, arguments.only.is_some());
    let tolerance = tolerance::Tolerance::compare(&results);
    let suites = (arguments.only.is_none()).then(|| suites::Suites::run(&corpus));
    report::print(&results, &foreign, &ledger, arguments.verbose);
    if arguments.only.is_none() {
        loads::print(&corpus, &results);
    }
    report::traffic(&traffic, arguments.verbose);
    if let Some(suites) = &suites {
        suites.print(arguments.verbose);
    }
    if arguments.only.is_none() {
        tolerance.print();
    }
    let w3c = arguments.only.is_some() || w3c::run(&corpus, arguments.verbose);
    println!("{:.1?}", started.elapsed());
    let suites = suites.is_none_or(|suites| suites.is_clean() && tolerance.is_clean());
    ExitCode::from(u8::from(
        !(ledger.is_clean() && foreign.is_clean() && traffic.is_clean() && suites && w3c),
    ))
}

fn wanted(arguments: &Arguments, file: &str) -> bool {
    arguments
        .only
        .as_ref()
        .is_none_or(|part| file.contains(part.as_str()))
}

fn arguments() -> Option<Arguments> {
    let mut arguments = Arguments {
        only: None,
        traffic: false,
        repeats: false,
        verbose: false,
        keep: None,
        generated: None,
        python: None,
        every: 1,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match &*word {
            "--only" => arguments.only = Some(words.next()?),
            "--traffic" => arguments.traffic = true,
            "--repeats" => arguments.repeats = true,
            "--verbose" => arguments.verbose = true,
            "--generated" => arguments.generated = Some(words.next()?.into()),
            "--python" => arguments.python = Some(words.next()?.into()),
            "--every" => arguments.every = words.next()?.parse().ok().filter(|n| *n > 0)?,
            "--keep" => arguments.keep = Some(words.next()?.into()),
            _ => return None,
        }
    }
    Some(arguments)
}

/// All files, on all processors, in the order of the rows.
fn run(corpus: &Corpus, rows: &[Row]) -> Vec<FileResult> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    // What panics is reported as a failure of its file, without its noise.
    std::panic::set_hook(Box::new(|_| {}));
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = file::run(corpus, row);
                    done.lock()
                        .unwrap_or_else(std::sync::PoisonError::into_inner)
                        .push(result);
                }
            });
        }
    });
    let _ = std::panic::take_hook();
    let mut results = done
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    results.sort_by(|a, b| a.row.file.cmp(&b.row.file));
    results
}
