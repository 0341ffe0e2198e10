//! `castile generate`: Rust and Python source from a contract.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use castile_contract::{Bundle, Contract};
use clap::{Args, Subcommand};

use crate::failure::Failure;
use crate::load::ContractArgs;

const EXAMPLES: &str = "\
Examples:
  castile generate rust weather.wsdl -o src/weather.rs   writes src/weather.rs and src/weather.contract;
                                                         then: mod weather; in src/main.rs
  castile generate python weather.wsdl                   writes weather.py and weather.contract; then:
                                                         from weather import Client";

/// Write code: types of the contract, clients and what services derive from
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct GenerateArgs {
    #[command(subcommand)]
    language: Language,
}

#[derive(Subcommand, Debug)]
enum Language {
    /// Structs, enums, a client and a server trait; needs the crate `castile`
    #[command(after_help = EXAMPLES)]
    Rust(SourceArgs),
    /// Typed classes, clients and a base class for services; needs the package `castile`
    #[command(after_help = EXAMPLES)]
    Python(SourceArgs),
}

#[derive(Args, Debug)]
struct SourceArgs {
    #[command(flatten)]
    contract: ContractArgs,
    /// The file to write; beside it goes FILE.contract, the compiled contract [default: the
    /// contract's name with .rs or .py]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) fn run(args: &GenerateArgs) -> Result<ExitCode, Failure> {
    match &args.language {
        Language::Rust(args) => source(args, "rs", castile_codegen::rust)?,
        Language::Python(args) => source(args, "py", |contract, file, _| {
            castile_codegen::python(contract, file)
        })?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the source and, beside it, the compiled contract. `text` makes the source of the contract,
/// the other file's name and that file's digest.
fn source(
    args: &SourceArgs,
    extension: &str,
    text: impl FnOnce(&Contract, &str, &str) -> String,
) -> Result<(), Failure> {
    let contract = args.contract.load_for_use()?;
    let source = output(args.output.as_deref(), &contract, extension);
    let beside = source.with_extension("contract");
    let resolver = castile_endpoint::resolver(&args.contract.options()?);
    let mut bytes = Vec::new();
    Bundle::new(&contract, &resolver)
        .and_then(|bundle| bundle.write(&mut bytes))
        .map_err(castile_endpoint::Error::from)?;
    let file = beside
        .file_name()
        .map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    let text = text(&contract, &file, &Bundle::digest(&bytes));
    write(&beside, &bytes)?;
    write(&source, text.as_bytes())
}

/// The file to write: the one given, else one in the working folder named for the contract.
fn output(given: Option<&Path>, contract: &Contract, extension: &str) -> PathBuf {
    if let Some(path) = given {
        return path.to_owned();
    }
    let location = contract.documents.first().map_or("", |d| &d.location);
    let name = location.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = name
        .split(['.', '?'])
        .next()
        .filter(|s| !s.is_empty())
        .unwrap_or("contract");
    let word = |c: char| {
        if c.is_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '_'
        }
    };
    PathBuf::from(stem.chars().map(word).collect::<String>()).with_extension(extension)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::write(path, bytes).map_err(|e| Failure::file(path, &e))?;
    println!("{}", path.display());
    Ok(())
}
