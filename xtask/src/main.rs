//! House rules, checked by a program: `cargo xtask tidy`.
//!
//! ```text
//! cargo metadata -> Workspace -> floors, licences ----\
//!                                                      >-- findings -> exit code
//! git ls-files   -> Tree      -> unsafety, text, purity /
//! ```
//!
//! Each rule is a function from what was read to a list of [`Finding`]s; the tables of names that a
//! rule allows stand at the top of its file. A rule never mends anything.

#![forbid(unsafe_code)]

mod finding;
mod floors;
mod licences;
mod purity;
mod rust_text;
mod text;
mod tree;
mod unsafety;
mod workspace;

use std::path::PathBuf;
use std::process::ExitCode;

use finding::Finding;
use tree::Tree;
use workspace::Workspace;

const USAGE: &str =
    "usage: cargo xtask tidy\n\n  tidy   check floors, licences, unsafe code and the text of all files\n";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        ["tidy"] => tidy(),
        ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            ExitCode::SUCCESS
        }
        _ => {
            eprint!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// Runs every rule over the repository and reports all findings, not only the first.
fn tidy() -> ExitCode {
    let root = repository_root();
    let (workspace, tree) = match (Workspace::read(&root), Tree::read(&root)) {
        (Ok(workspace), Ok(tree)) => (workspace, tree),
        (Err(error), _) | (_, Err(error)) => {
            eprintln!("tidy: {error}");
            return ExitCode::from(2);
        }
    };
    let findings = check(&workspace, &tree);
    for finding in &findings {
        eprintln!("{finding}");
    }
    println!(
        "tidy: {} crates, {} packages, {} files: {} findings",
        workspace.members().count(),
        workspace.packages.len(),
        tree.files.len(),
        findings.len()
    );
    if findings.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn check(workspace: &Workspace, tree: &Tree) -> Vec<Finding> {
    let mut findings = floors::check(workspace);
    findings.extend(floors::check_drawing(
        tree.text("ARCHITECTURE.md").unwrap_or_default(),
    ));
    findings.extend(licences::check(workspace));
    findings.extend(unsafety::check(workspace, tree));
    findings.extend(purity::check(workspace, tree));
    findings.extend(text::check(tree));
    findings
}

/// The folder above this crate: where the workspace's `Cargo.toml` lies.
fn repository_root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().map_or(here.clone(), PathBuf::from)
}
