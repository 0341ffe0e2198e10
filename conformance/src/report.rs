//! What the run prints.

use std::collections::BTreeMap;

use crate::file::FileResult;
use crate::ledger::Compared;
use crate::oracle::Foreign;
use crate::traffic::{Counts, Traffic};

/// How many of how many.
#[derive(Clone, Copy, Default)]
struct Count {
    good: usize,
    all: usize,
}

impl Count {
    fn add(&mut self, good: usize, all: usize) {
        self.good += good;
        self.all += all;
    }

    fn show(self) -> String {
        format!("{} of {}", self.good, self.all)
    }
}

/// Counts of some files.
#[derive(Clone, Copy, Default)]
struct Tally {
    files: Count,
    operations: Count,
    unsupported: usize,
    messages: usize,
}

impl Tally {
    fn add(&mut self, result: &FileResult) {
        let failed = result.operations.iter().filter(|o| o.failure.is_some()).count();
        let operations = result.operations.len();
        self.files
            .add(usize::from(result.loaded.is_ok() && failed == 0), 1);
        self.operations.add(operations - failed, operations);
        self.unsupported += result.unsupported.values().sum::<usize>();
        self.messages += result.operations.iter().map(|o| o.messages).sum::<usize>();
    }
}

/// Prints everything.
pub(crate) fn print(results: &[FileResult], foreign: &Foreign, ledger: &Compared, verbose: bool) {
    let loadable = || results.iter().filter(|r| r.row.loadable);
    let mut total = Tally::default();
    let mut constructs: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for result in loadable() {
        total.add(result);
        for feature in &result.row.features {
            constructs.entry(feature).or_default().add(result);
        }
        for (why, count) in &result.unsupported {
            *reasons.entry(why).or_default() += count;
        }
    }
    let mut constructs: Vec<(&str, Tally)> = constructs.into_iter().collect();
    constructs.sort_by(|a, b| b.1.files.all.cmp(&a.1.files.all).then(a.0.cmp(b.0)));
    println!(
        "{:<34} {:>13} {:>17} {:>9} {:>12}",
        "construct", "files", "operations", "messages", "out of scope"
    );
    for (name, tally) in constructs.iter().chain([&("all", total)]) {
        println!(
            "{name:<34} {:>13} {:>17} {:>9} {:>12}",
            tally.files.show(),
            tally.operations.show(),
            tally.messages,
            tally.unsupported
        );
    }
    println!("\nout of scope, operations:");
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(why, count)| (std::cmp::Reverse(*count), *why));
    for (why, count) in reasons {
        println!("  {count:>5}  {why}");
    }
    others(results);
    foreign
        .lines
        .iter()
        .chain(&foreign.refused)
        .for_each(|line| println!("{line}"));
    failures(ledger, verbose);
}

/// Prints what became of recorded messages.
pub(crate) fn traffic(traffic: &Traffic, verbose: bool) {
    println!(
        "\n{:<26} {:>8} {:>16} {:>5} {:>20} {:>6} {:>9} {:>7} {:>10}",
        "recorded messages",
        "messages",
        "as contracted",
        "lax",
        "same infoset again",
        "names",
        "on ledger",
        "faults",
        "as any XML"
    );
    let mut total = Counts::default();
    for (name, counts) in &traffic.collections {
        line(name, counts);
        total.messages += counts.messages;
        total.strict += counts.strict;
        total.lax += counts.lax;
        total.same += counts.same;
        total.names += counts.names;
        total.known += counts.known;
        total.faults += counts.faults;
        total.plain += counts.plain;
    }
    line("all", &total);
    for (label, why) in &traffic.unexpected {
        let shown: String = why.chars().take(if verbose { 20_000 } else { 300 }).collect();
        println!("FAILED {label}: {shown}");
    }
    for label in &traffic.obsolete {
        println!("OBSOLETE {label}: it is on the ledger and does not fail");
    }
}

fn line(name: &str, counts: &Counts) {
    let share = |n: usize| match counts.messages {
        0 => "-".to_owned(),
        all => format!("{n} ({:.1} %)", 100.0 * n as f64 / all as f64),
    };
    println!(
        "{name:<26} {:>8} {:>16} {:>5} {:>20} {:>6} {:>9} {:>7} {:>10}",
        counts.messages,
        share(counts.strict),
        counts.lax,
        share(counts.same),
        counts.names,
        counts.known,
        counts.faults,
        counts.plain
    );
}

/// WSDLs that nobody calls loadable: they must not bring us down.
fn others(results: &[FileResult]) {
    let others: Vec<&FileResult> = results.iter().filter(|r| !r.row.loadable).collect();
    let loaded = others.iter().filter(|r| r.loaded.is_ok()).count();
    println!(
        "\nbroken or incomplete WSDLs: {} with an error, {loaded} with warnings, of {}",
        others.len() - loaded,
        others.len()
    );
}

fn failures(ledger: &Compared, verbose: bool) {
    println!("\nfailures on the ledger: {}", ledger.known);
    for (file, operation, why) in &ledger.unexpected {
        let shown: String = why.chars().take(if verbose { 20_000 } else { 300 }).collect();
        println!("FAILED {file} {operation}: {shown}");
    }
    for line in &ledger.obsolete {
        println!("OBSOLETE {line}: it is on the ledger and does not fail");
    }
    if !ledger.unexpected.is_empty() {
        println!("{} failures are not on the ledger", ledger.unexpected.len());
    }
}
