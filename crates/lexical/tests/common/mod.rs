//! Where the foreign test data lies.

use std::path::PathBuf;

/// The folder of the foreign test data; `None`, loudly, if it is not on this machine.
///
/// # Panics
/// If it is missing and `CASTILE_REQUIRE_TESTDATA` is `1`.
pub(crate) fn testdata(folder: &str) -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/testdata");
    let root = std::env::var_os("CASTILE_TESTDATA").map_or_else(|| beside.into(), PathBuf::from);
    let path = root.join(folder);
    if path.is_dir() {
        return Some(path);
    }
    let required = std::env::var("CASTILE_REQUIRE_TESTDATA").is_ok_and(|v| v == "1");
    assert!(!required, "the test data {} is missing", path.display());
    eprintln!("SKIPPED: no test data {}", path.display());
    None
}
