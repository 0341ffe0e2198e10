//! Below floor 3 there is no I/O, no clock and no randomness: what a crate there does depends on its
//! arguments alone. Tests may do as they like.

use crate::finding::Finding;
use crate::floors;
use crate::rust_text;
use crate::tree::Tree;
use crate::workspace::Workspace;

/// Paths of the standard library that reach out of the program.
const OUTSIDE: &[&str] = &[
    "std::env",
    "std::fs",
    "std::net",
    "std::process",
    "std::thread::sleep",
    "Instant::now",
    "SystemTime::now",
    "RandomState",
    "println!",
    "eprintln!",
];

/// Folders that may reach out of the program, each with its reason.
const ALLOWED: &[(&str, &str)] = &[(
    "crates/contract/src/files/",
    "the file resolver and the store of plans: one module, which a caller chooses by handing it in",
)];

const RULE: &str = "purity";

/// Checks the sources (not the tests) of every crate on floors 0 to 2.
pub(crate) fn check(workspace: &Workspace, tree: &Tree) -> Vec<Finding> {
    let low = workspace
        .members()
        .filter(|package| floors::level_of(&package.name).is_some_and(|l| l < 3));
    low.flat_map(|package| tree.rust_below(&format!("{}/src", package.folder)))
        .flat_map(|(path, source)| check_file(path, source))
        .collect()
}

fn check_file(path: &str, source: &str) -> Vec<Finding> {
    let is_test = path.ends_with("/tests.rs") || path.contains("/tests/");
    if is_test || ALLOWED.iter().any(|(folder, _)| path.starts_with(folder)) {
        return Vec::new();
    }
    let lines = rust_text::split(source);
    let tests = lines
        .iter()
        .position(|line| line.code.trim() == "#[cfg(test)]")
        .unwrap_or(lines.len());
    let mut findings = Vec::new();
    for (index, line) in lines[..tests].iter().enumerate() {
        for name in OUTSIDE.iter().filter(|name| line.code.contains(**name)) {
            let text = format!("`{name}` below floor 3: let the caller pass it in");
            findings.push(Finding::at_line(path, index + 1, RULE, text));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;
    use crate::workspace::tests::member;

    fn findings(package: &str, path: &str, source: &str) -> usize {
        let workspace = Workspace {
            packages: vec![member(package, &[])],
        };
        check(&workspace, &tree(&[(path, source)])).len()
    }

    #[test]
    fn a_file_or_a_clock_on_a_low_floor_is_found() {
        assert_eq!(
            findings("castile-xml", "crates/xml/src/a.rs", "use std::fs::File;"),
            1
        );
        assert_eq!(
            findings(
                "castile-codec",
                "crates/codec/src/a.rs",
                "let t = Instant::now();"
            ),
            1
        );
    }

    #[test]
    fn a_folder_with_a_reason_may() {
        let source = "use std::fs::File;";
        assert_eq!(
            findings("castile-contract", "crates/contract/src/files/mod.rs", source),
            0
        );
        assert_eq!(
            findings("castile-contract", "crates/contract/src/load.rs", source),
            1
        );
    }

    #[test]
    fn tests_comments_and_high_floors_may() {
        assert_eq!(
            findings("castile-http", "crates/http/src/a.rs", "use std::net::TcpStream;"),
            0
        );
        assert_eq!(
            findings(
                "castile-xml",
                "crates/xml/src/a.rs",
                "// std::fs\n#[cfg(test)]\nuse std::fs;"
            ),
            0
        );
        assert_eq!(
            findings("castile-xml", "crates/xml/tests/a.rs", "use std::fs;"),
            0
        );
    }
}
