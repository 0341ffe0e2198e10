//! WSDLs with defects: what we make of each, beside what zeep and gSOAP's wsdl2h make of it.
//!
//! `tolerance.tsv` has a line for each WSDL that is not loaded without a word: the file, our outcome, theirs,
//! and what is wrong in our words. Ours is compared in every run; theirs was recorded by `peers.py`.

use std::collections::{BTreeMap, BTreeSet};

use crate::file::FileResult;

const TABLE: &str = include_str!("../tolerance.tsv");

/// What became of the WSDLs with defects, against the table.
pub(crate) struct Tolerance {
    /// How many have each outcome: ours, zeep's, wsdl2h's.
    counts: BTreeMap<String, [usize; 3]>,
    /// In how many WSDLs each rule that a warning names is broken.
    rules: BTreeMap<String, usize>,
    /// Lines that the table lacks or has otherwise.
    unexpected: Vec<String>,
    obsolete: Vec<String>,
}

impl Tolerance {
    /// Compares the outcomes with the table.
    pub(crate) fn compare(results: &[FileResult]) -> Tolerance {
        let lines = TABLE.lines().filter(|l| !l.is_empty() && !l.starts_with('#'));
        let mut known: BTreeMap<&str, Vec<&str>> = lines
            .map(|line| line.split('\t').collect::<Vec<_>>())
            .map(|columns| (columns[0], columns))
            .collect();
        let mut tolerance = Tolerance {
            counts: BTreeMap::new(),
            rules: BTreeMap::new(),
            unexpected: Vec::new(),
            obsolete: Vec::new(),
        };
        for result in results {
            let rules: BTreeSet<&str> = result.warnings.iter().filter_map(|w| rule(w)).collect();
            for rule in rules {
                *tolerance.rules.entry(rule.to_owned()).or_default() += 1;
            }
            let Some((outcome, why)) = outcome(result) else {
                continue;
            };
            let file = &result.row.file;
            match known.remove(&**file) {
                Some(columns) if columns.get(1) == Some(&outcome) => tolerance.count(&columns),
                _ => tolerance
                    .unexpected
                    .push(format!("{file}\t{outcome}\t?\t?\t{why}")),
            }
        }
        tolerance.obsolete = known.into_keys().map(str::to_owned).collect();
        tolerance
    }

    fn count(&mut self, columns: &[&str]) {
        for (who, outcome) in columns.iter().skip(1).take(3).enumerate() {
            let counts = self.counts.entry((*outcome).to_owned()).or_default();
            counts[who] += 1;
        }
    }

    /// Whether the table is the truth.
    pub(crate) fn is_clean(&self) -> bool {
        self.unexpected.is_empty() && self.obsolete.is_empty()
    }

    /// Says how many were loaded, by whom.
    pub(crate) fn print(&self) {
        println!(
            "\n{:<34} {:>8} {:>8} {:>8}",
            "WSDLs with defects", "castile", "zeep", "wsdl2h"
        );
        for (outcome, [ours, zeep, wsdl2h]) in &self.counts {
            println!("{outcome:<34} {ours:>8} {zeep:>8} {wsdl2h:>8}");
        }
        for (rule, files) in &self.rules {
            println!("  {files:>4} with warnings: {rule}");
        }
        for line in &self.unexpected {
            println!("FAILED tolerance {line}");
        }
        for file in &self.obsolete {
            println!("OBSOLETE on tolerance.tsv: {file}");
        }
    }
}

/// What became of a WSDL, and the first thing said of it; `None` if nothing was.
fn outcome(result: &FileResult) -> Option<(&'static str, String)> {
    let refused: usize = result.unsupported.values().sum();
    match (&result.loaded, refused) {
        (Err(why), _) => Some(("refused", short(why))),
        (Ok(()), 1..) if result.operations.is_empty() => {
            Some(("no operation usable", short(result.refused.as_ref()?)))
        }
        (Ok(()), 1..) => Some(("some operations usable", short(result.refused.as_ref()?))),
        (Ok(()), 0) => Some(("usable, with warnings", short(result.warnings.first()?))),
    }
}

/// The rule at the end of a warning, in parentheses.
fn rule(warning: &str) -> Option<&str> {
    let (_, rule) = warning.strip_suffix(')')?.rsplit_once('(')?;
    ["XSD", "XML", "WSDL", "WS-I", "Basic"]
        .iter()
        .any(|of| rule.starts_with(of))
        .then_some(rule)
}

fn short(why: &str) -> String {
    let line: String = why.split_whitespace().collect::<Vec<_>>().join(" ");
    // The place is on this machine; its file, line and column are not.
    let words = line.split(' ').map(|word| match word.rsplit_once('/') {
        Some((path, file)) if path.starts_with('/') => file.to_owned(),
        Some((path, file)) if path.starts_with("(/") => format!("({file}"),
        _ => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ").chars().take(220).collect()
}
