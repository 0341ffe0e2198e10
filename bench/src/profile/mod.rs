//! The gray box of paper 002: where an engine spends its time, by package and by depth of the stack.
//!
//! ```text
//!   running engine ─ sample (perf | py-spy | JFR) ─▶ collapsed stacks ─▶ Stacks ─ weigh ─▶ depth x package ─▶ HTML
//! ```
//!
//! Stacks that wait (for a connection, a request, a lock) are kept apart from work, which the paper had to do by hand.

mod collapsed;
mod package;
mod sample;
mod weigh;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::Outcome;
use crate::report;
use crate::suite::Suite;

use weigh::Weights;

pub(crate) use collapsed::Stacks;
pub(crate) use sample::{Options, sample};

/// Draws collapsed stacks into one HTML file.
///
/// # Errors
/// Files that cannot be read or have no stacks.
pub(crate) fn draw(suite: &Suite, files: &[PathBuf], output: &Path) -> Outcome<()> {
    let profiles = read(files)?;
    for (name, weights) in &profiles {
        print(name, weights);
    }
    let mut body = String::from(
        "<header><div><h1>Where the time goes</h1><p>Samples by depth of the stack and package. Exclusive: what ran. \
         Inclusive: on whose behalf. Waiting is counted apart.</p></div></header>\n<main></main>\n",
    );
    writeln!(
        body,
        "<script>const PROFILES = {};</script>",
        report::closed(&json(&profiles).to_string())
    )?;
    report::page(
        suite,
        "Where the time goes",
        &body,
        &["stacks.js", "profile.js"],
        output,
    )
}

/// What the script `stacks.js` draws of files of collapsed stacks.
///
/// # Errors
/// Files that cannot be read or have no stacks.
pub(crate) fn weights(files: &[PathBuf]) -> Outcome<Value> {
    Ok(json(&read(files)?))
}

fn json(profiles: &[(String, Weights)]) -> Value {
    let each = profiles.iter();
    each.map(|(name, weights)| json!({"name": name, "weights": weights}))
        .collect()
}

/// The weights of each file, by its name.
fn read(files: &[PathBuf]) -> Outcome<Vec<(String, Weights)>> {
    let mut profiles = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
        let stacks = Stacks::parse(&text).map_err(|e| format!("{}: {e}", file.display()))?;
        let name = file.file_stem().unwrap_or_default();
        profiles.push((name.to_string_lossy().into_owned(), weigh::weigh(&stacks)));
    }
    Ok(profiles)
}

/// The table by package, as text.
fn print(name: &str, weights: &Weights) {
    println!(
        "{name}: {} samples of work, {} of waiting",
        weights.work, weights.waiting
    );
    println!("{:>9} {:>9}  package", "exclusive", "inclusive");
    for package in &weights.packages {
        let part = |count: u64| 100.0 * count as f64 / weights.work.max(1) as f64;
        println!(
            "{:>8.1}% {:>8.1}%  {}",
            part(package.exclusive),
            part(package.inclusive),
            package.name
        );
    }
}
