//! What loading costs: the contracts that take longest, compiled anew and taken from the store.

use castile_contract::files::Store;
use castile_testkit::time;

use crate::corpus::{Corpus, Row};
use crate::file::FileResult;

/// How many are shown.
const SHOWN: usize = 10;

/// How often each is loaded; the fastest counts.
const TIMES: usize = 3;

/// Prints the contracts that take longest, in milliseconds of this thread's processor time.
pub(crate) fn print(corpus: &Corpus, results: &[FileResult]) {
    let mut slowest: Vec<&FileResult> = results.iter().filter(|r| r.loaded.is_ok()).collect();
    slowest.sort_by(|a, b| b.load_ms.total_cmp(&a.load_ms));
    slowest.truncate(SHOWN);
    let folder = std::env::temp_dir().join(format!("castile-loads-{}", std::process::id()));
    let store = Store::new(&folder);
    println!("longest to load{:42}  anew  stored (ms)", "");
    for result in slowest {
        let anew = fastest(|| corpus.load(&result.row).is_ok());
        let stored = stored(corpus, &store, &result.row);
        println!("  {:55} {anew:5.1}  {stored:6.1}", result.row.file);
    }
    println!();
    if let Err(error) = std::fs::remove_dir_all(&folder) {
        eprintln!("{}: {error}", folder.display());
    }
}

fn stored(corpus: &Corpus, store: &Store, row: &Row) -> f64 {
    let load = || corpus.load_stored(row, store).is_ok();
    load();
    fastest(load)
}

fn fastest(load: impl Fn() -> bool) -> f64 {
    let times = (0..TIMES).map(|_| time(&load) / 1e6);
    times.fold(f64::INFINITY, f64::min)
}
