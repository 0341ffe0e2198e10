//! The benchmark suite for SOAP toolkits: definitions as data, each toolkit a program of its own, answers
//! checked before anything is timed.
//!
//! ```text
//!   workloads/*.toml ─▶ Cell ─▶ Material (traces, ready messages)
//!   engines/*/engine.toml ─▶ Session (client and server process) ◀─ lines ─▶ engine
//!   Cell x Session ─ check (heavy driver) ─▶ time (light driver, in rounds) ─▶ Row ─▶ results.jsonl ─▶ report
//! ```
//!
//! Non-goals: nothing of Castile is used here, so that no engine is its own judge; the engine `castile-rust` is
//! a program like all others.

#![forbid(unsafe_code)]

mod compare;
mod engine;
mod machine;
mod measure;
mod net;
mod pace;
mod papers;
mod profile;
mod progress;
mod report;
mod row;
mod run;
mod stats;
mod suite;
mod summary;
mod trace;
mod warmup;
mod wire;
mod workload;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, Subcommand};

use engine::build::{self, State};
use suite::Suite;
use workload::Workload;

/// What goes wrong is text for whoever runs this.
pub type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

#[derive(Parser)]
#[command(name = "castile-bench", about = "The benchmark suite for SOAP toolkits")]
struct Arguments {
    /// Folder of the suite, when it is not the checkout around the working directory.
    #[arg(long, global = true)]
    suite: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Workloads and engines, and which of them can run here.
    List,
    /// Installs and builds engines.
    Build {
        /// Names or folders of engines; all when none is named.
        engines: Vec<String>,
        /// Anew, even when nothing changed.
        #[arg(long)]
        force: bool,
    },
    /// Measures, after checking the answers.
    Run {
        /// A few sizes and short rounds: minutes instead of hours.
        #[arg(long)]
        quick: bool,
        /// Only this workload; may be given several times.
        #[arg(long)]
        workload: Vec<String>,
        /// Only this engine (`gsoap`, `gsoap/best`, `gsoap/*`); may be given several times.
        #[arg(long)]
        engine: Vec<String>,
        /// Go on with the newest results, or with those of a file.
        #[arg(long, num_args = 0..=1)]
        resume: Option<Option<PathBuf>>,
        /// Where rows go; else a file named by the date in build/results.
        #[arg(long)]
        output: Option<PathBuf>,
        /// Rounds in which engines take turns.
        #[arg(long)]
        rounds: Option<usize>,
        /// Seconds for one engine in one cell, all rounds together.
        #[arg(long)]
        seconds: Option<f64>,
        /// Stop after so many minutes; `--resume` goes on.
        #[arg(long)]
        minutes: Option<f64>,
        /// Only say how long it would take.
        #[arg(long)]
        plan: bool,
        /// No progress bar.
        #[arg(long)]
        silent: bool,
    },
    /// Starts a folder for a new engine.
    Add {
        /// Its name, which becomes the folder's.
        name: String,
    },
    /// One HTML file that draws results.
    Report {
        /// Files of results; rows of later ones replace those of earlier ones. The newest when none is named.
        results: Vec<PathBuf>,
        /// Collapsed stacks of `profile` to draw as well; may be given several times.
        #[arg(long)]
        stacks: Vec<PathBuf>,
        /// Where it goes; else build/report.html.
        #[arg(long)]
        output: Option<PathBuf>,
    },
    /// Where an engine spends its time, by package and depth of the stack.
    Profile {
        /// Files of collapsed stacks to draw, instead of sampling.
        stacks: Vec<PathBuf>,
        /// The engine to sample.
        #[arg(long, required_unless_present = "stacks")]
        engine: Option<String>,
        /// What it does meanwhile.
        #[arg(long, default_value = "doubles")]
        workload: String,
        /// Items in each message.
        #[arg(long, default_value_t = 10_000)]
        size: usize,
        /// How long.
        #[arg(long, default_value_t = 10)]
        seconds: u64,
        /// Its client instead of its server.
        #[arg(long)]
        client: bool,
        /// Where the page goes; else build/profile.html.
        #[arg(long)]
        output: Option<PathBuf>,
    },
    /// What became faster or slower between two files of results.
    Compare {
        /// The older results.
        old: PathBuf,
        /// The newer results.
        new: PathBuf,
        /// Rows too that differ by no more than their rounds.
        #[arg(long)]
        all: bool,
    },
}

/// Does what a command line says, its first word being the program's name.
///
/// # Errors
/// Whatever keeps it from that, as text for whoever typed it.
pub fn command(line: impl IntoIterator<Item = OsString>) -> Outcome<()> {
    act(Arguments::parse_from(line))
}

fn act(arguments: Arguments) -> Outcome<()> {
    let suite = Suite::open(arguments.suite.as_deref())?;
    match arguments.command {
        Command::List => list(&suite),
        Command::Report {
            results,
            stacks,
            output,
        } => draw(&suite, results, &stacks, output),
        Command::Profile {
            stacks,
            engine,
            workload,
            size,
            seconds,
            client,
            output,
        } => {
            let options = profile::Options {
                workload,
                size,
                seconds,
                client,
            };
            let files = match engine {
                None => stacks,
                Some(name) => vec![profiled(&suite, &name, &options)?],
            };
            let output = output.map_or_else(|| suite.file("profile.html"), Ok)?;
            profile::draw(&suite, &files, &output)?;
            for file in files.iter().chain([&output]) {
                println!("{}", file.display());
            }
            Ok(())
        }
        Command::Compare { old, new, all } => compare::print(&old, &new, all),
        Command::Add { name } => add(&suite, &name),
        Command::Build { engines, force } => build_engines(&suite, &engines, force),
        Command::Run {
            quick,
            workload,
            engine,
            resume,
            output,
            rounds,
            seconds,
            minutes,
            plan,
            silent,
        } => {
            let resume = match resume {
                Some(None) => Some(suite.newest()?),
                Some(path) => path,
                None => None,
            };
            let options = run::Options {
                quick,
                workloads: workload,
                engines: engine,
                resume,
                output,
                rounds,
                seconds,
                minutes,
                silent,
            };
            if plan {
                println!("{}", run::plan::plan(&suite, &options)?);
                return Ok(());
            }
            let path = run::run(&suite, &options)?;
            println!("{}", path.display());
            Ok(())
        }
    }
}

/// What a new engine's definition begins with.
const TEMPLATE: &str = include_str!("engine/template.toml");

fn add(suite: &Suite, name: &str) -> Outcome<()> {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || !name.chars().all(allowed) {
        return Err("an engine's name has lower-case letters, digits and dashes".into());
    }
    let folder = suite.folder.join("engines").join(name);
    if folder.exists() {
        return Err(format!("{} is there already", folder.display()).into());
    }
    std::fs::create_dir(&folder)?;
    std::fs::write(folder.join("engine.toml"), TEMPLATE.replace("NAME", name))?;
    println!("{}", folder.join("engine.toml").display());
    println!(
        "next: write a program that speaks {}, say in engine.toml how it is built and run, then",
        suite.folder.join("PROTOCOL.md").display()
    );
    println!("castile bench build {name} && castile bench run --quick --engine {name}");
    Ok(())
}

fn profiled(suite: &Suite, name: &str, options: &profile::Options) -> Outcome<PathBuf> {
    let engine = suite.engines.iter().find(|engine| engine.name == name);
    let engine = engine.ok_or_else(|| format!("there is no engine {name}"))?;
    match build::state(suite, engine)? {
        State::Ready(_) => profile::sample(suite, engine, options),
        _ => Err(format!("{name} cannot run here: castile bench build {}", engine.base()).into()),
    }
}

fn draw(suite: &Suite, results: Vec<PathBuf>, stacks: &[PathBuf], output: Option<PathBuf>) -> Outcome<()> {
    let results = match results.is_empty() {
        true => vec![suite.newest()?],
        false => results,
    };
    let output = output.map_or_else(|| suite.file("report.html"), Ok)?;
    report::write(suite, &results, stacks, &output)?;
    println!("{}", output.display());
    Ok(())
}

fn list(suite: &Suite) -> Outcome<()> {
    let (applications, workloads): (Vec<_>, Vec<_>) =
        suite.workloads.iter().partition(|w| w.is_application());
    describe("workloads", &workloads);
    describe("applications", &applications);
    println!("papers' figures in one process");
    for program in papers::all(&suite.folder)? {
        println!("  {:<24} {}", program.name, program.title);
    }
    println!("engines");
    for engine in &suite.engines {
        let state = match build::state(suite, engine)? {
            State::Ready(_) => "ready".to_owned(),
            State::Unbuilt => "not built".to_owned(),
            State::NotInstalled(why) => why,
            State::Defined(why) => format!("defined only: {why}"),
        };
        println!(
            "  {:<24} {} {} ({state})",
            engine.name, engine.title, engine.version
        );
    }
    Ok(())
}

fn describe(heading: &str, workloads: &[&Workload]) {
    println!("{heading}");
    for workload in workloads {
        let measures: Vec<&str> = workload.measures.iter().map(|m| m.name()).collect();
        let cells = (workload.cells(false).len(), workload.cells(true).len());
        println!(
            "  {:<24} {} ({})",
            workload.name,
            workload.title,
            measures.join(", ")
        );
        println!("  {:<24} {} comparisons, {} of them quick", "", cells.0, cells.1);
        if let Some(why) = &workload.unsupported {
            println!("  {:<24} not yet: {why}", "");
        }
    }
}

fn build_engines(suite: &Suite, wanted: &[String], force: bool) -> Outcome<()> {
    let missing = build::packages_missing(&suite.engines);
    if !missing.is_empty() {
        println!(
            "packages of the system that are not installed: {}",
            missing.join(" ")
        );
    }
    let mut failed: Vec<String> = Vec::new();
    let mut last = "";
    for engine in &suite.engines {
        let is = |name: &String| engine.matches(name) || engine.base() == name;
        if engine.base() == last || !(wanted.is_empty() || wanted.iter().any(is)) {
            continue;
        }
        last = engine.base();
        println!("{last} ...");
        match build::build(suite, engine, force) {
            Ok(State::Ready(_)) => println!("{last}: ready"),
            Ok(State::NotInstalled(why)) => println!("{last}: {why}"),
            Ok(State::Defined(why)) => println!("{last}: defined only: {why}"),
            Ok(State::Unbuilt) => println!("{last}: not built"),
            Err(error) => {
                eprintln!("{error}");
                failed.push(last.to_owned());
            }
        }
    }
    for program in papers::all(&suite.folder)? {
        if !wanted.is_empty() && !wanted.contains(&program.name) {
            continue;
        }
        println!("{} ...", program.name);
        match program.build(suite) {
            Ok(()) => println!("{}: ready", program.name),
            Err(error) => {
                eprintln!("{error}");
                failed.push(program.name);
            }
        }
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(format!("not built: {}", failed.join(", ")).into()),
    }
}
