//! The W3C's suites for schemas, each with its ledger: [`Suite`].

mod databinding;
mod xsts;

use std::collections::BTreeMap;

use crate::corpus::Corpus;

/// Runs and reports all of them; whether every failure, and nothing else, is on a ledger.
pub(crate) fn run(corpus: &Corpus, verbose: bool) -> bool {
    let suites = [databinding::run(corpus), xsts::run(corpus)];
    // Each says what it found, whatever the one before found.
    let clean = suites.map(|mut suite| suite.report(verbose));
    clean.iter().all(|&clean| clean)
}

/// One test that was run.
struct Test {
    /// What is counted together.
    class: &'static str,
    /// Its name, unique in the suite.
    name: String,
    /// What went wrong.
    failure: Option<String>,
}

/// The tests of a suite, compared with its ledger of known failures.
///
/// A line of a ledger is the name of a test, or its beginning and `*`, a tab, and the reason.
struct Suite {
    name: &'static str,
    ledger: &'static str,
    tests: Vec<Test>,
    /// Tests that are not run, by reason.
    skipped: BTreeMap<&'static str, usize>,
}

impl Suite {
    fn new(name: &'static str, ledger: &'static str) -> Suite {
        Suite {
            name,
            ledger,
            tests: Vec::new(),
            skipped: BTreeMap::new(),
        }
    }

    fn push(&mut self, test: Test) {
        self.tests.push(test);
    }

    /// Prints counts, and what the ledger does not know; whether it is the truth.
    fn report(&mut self, verbose: bool) -> bool {
        self.tests.sort_by(|a, b| a.name.cmp(&b.name));
        println!("\n{}:", self.name);
        let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for test in &self.tests {
            let (good, all) = counts.entry(test.class).or_default();
            *good += usize::from(test.failure.is_none());
            *all += 1;
        }
        for (class, (good, all)) in &counts {
            let percent = 100.0 * *good as f64 / (*all).max(1) as f64;
            println!("  {class:<42} {good:>5} of {all:>5}  {percent:>6.2} %");
        }
        for (why, count) in &self.skipped {
            println!("  {count:>5} not run: {why}");
        }
        self.compare(verbose)
    }

    fn compare(&self, verbose: bool) -> bool {
        let lines = self
            .ledger
            .lines()
            .filter(|l| !l.trim().is_empty() && !l.starts_with('#'));
        let mut lines: Vec<(&str, &str, usize)> = lines
            .filter_map(|l| l.split_once('\t'))
            .map(|(name, why)| (name, why, 0))
            .collect();
        let mut clean = true;
        for test in &self.tests {
            let Some(failure) = &test.failure else { continue };
            let fits = |name: &str| match name.strip_suffix('*') {
                Some(start) => test.name.starts_with(start),
                None => name == test.name,
            };
            match lines.iter_mut().find(|(name, ..)| fits(name)) {
                Some((.., met)) => *met += 1,
                None => {
                    clean = false;
                    let short: String = failure.chars().take(if verbose { 4000 } else { 300 }).collect();
                    println!("  FAILED {}\t{short}", test.name);
                }
            }
        }
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for (name, why, met) in &lines {
            *reasons.entry(why).or_default() += met;
            if *met == 0 {
                clean = false;
                println!("  NOT FAILING ANY MORE {name}");
            }
        }
        for (why, count) in reasons {
            println!("  {count:>5} on the ledger: {why}");
        }
        clean
    }
}
