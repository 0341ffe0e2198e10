//! What is known to fail, and why.

use std::collections::BTreeMap;

use crate::file::FileResult;

/// Lines of file, operation (or `*` for the file as a whole) and reason.
const LEDGER: &str = include_str!("../ledger.tsv");

/// The failures and the ledger, compared.
#[derive(Default)]
pub(crate) struct Compared {
    /// Failures that are not on the ledger: file, operation and what happened.
    pub(crate) unexpected: Vec<(String, String, String)>,
    /// Lines of the ledger that do not fail.
    pub(crate) obsolete: Vec<String>,
    /// Failures on the ledger.
    pub(crate) known: usize,
}

impl Compared {
    /// Whether the ledger is the truth.
    pub(crate) fn is_clean(&self) -> bool {
        self.unexpected.is_empty() && self.obsolete.is_empty()
    }
}

/// Compares; `part`: only a part of the corpus ran, so that lines may be left over.
pub(crate) fn compare(results: &[FileResult], part: bool) -> Compared {
    let lines = LEDGER
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let mut ledger: BTreeMap<(String, String), bool> = BTreeMap::new();
    for line in lines {
        let mut columns = line.splitn(3, '\t');
        if let (Some(file), Some(operation), Some(_)) = (columns.next(), columns.next(), columns.next()) {
            ledger.insert((file.to_owned(), operation.to_owned()), false);
        }
    }
    let mut compared = Compared::default();
    for (file, operation, why) in failures(results) {
        let keys = [(file.clone(), operation.clone()), (file.clone(), "*".to_owned())];
        match keys.iter().find(|key| ledger.contains_key(*key)) {
            Some(key) => {
                ledger.insert(key.clone(), true);
                compared.known += 1;
            }
            None => compared.unexpected.push((file, operation, why)),
        }
    }
    if !part {
        let left = ledger.into_iter().filter(|(_, met)| !met);
        compared.obsolete = left
            .map(|((file, operation), _)| format!("{file} {operation}"))
            .collect();
    }
    compared
}

/// Everything that failed. A WSDL that nobody calls loadable fails only by panicking.
fn failures(results: &[FileResult]) -> Vec<(String, String, String)> {
    let mut failures = Vec::new();
    for result in results {
        let file = &result.row.file;
        if let Err(why) = &result.loaded
            && (result.row.loadable || why.starts_with("panicked"))
        {
            failures.push((file.clone(), "*".to_owned(), why.clone()));
        }
        let failed = result
            .operations
            .iter()
            .filter_map(|o| Some((o, o.failure.as_ref()?)));
        failures.extend(failed.map(|(o, why)| (file.clone(), o.name.clone(), why.clone())));
    }
    failures
}
