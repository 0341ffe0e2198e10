//! Unsafe code: forbidden but where SIMD or Python needs it, and there each use says why it is right.

use crate::finding::Finding;
use crate::rust_text::{self, Line};
use crate::tree::Tree;
use crate::workspace::{Package, Workspace};

/// Members that may have unsafe code, each with its reason.
const ALLOWED: &[(&str, &str)] = &[
    (
        "castile-diff",
        "slots in no cache are asked for ahead of writing them, which the language has no safe word for yet",
    ),
    (
        "castile-python",
        "NumPy's memory is read where it lies, and typed objects are made without calling into Python",
    ),
];

const RULE: &str = "unsafe";

/// Checks the attribute on every member and the `SAFETY` lines in those that may be unsafe.
pub(crate) fn check(workspace: &Workspace, tree: &Tree) -> Vec<Finding> {
    workspace
        .members()
        .flat_map(|package| check_package(package, tree))
        .collect()
}

fn check_package(package: &Package, tree: &Tree) -> Vec<Finding> {
    let allowed = ALLOWED.iter().any(|(name, _)| *name == package.name);
    let mut findings = Vec::new();
    let mut uses = 0;
    for (path, source) in tree.rust_below(&package.folder) {
        let lines = rust_text::split(source);
        if !allowed && is_root(path, &package.folder) && !forbids(&lines) {
            findings.push(Finding::at(
                path,
                RULE,
                "the crate does not say `#![forbid(unsafe_code)]`",
            ));
        }
        for (index, line) in lines
            .iter()
            .enumerate()
            .filter(|(_, line)| uses_unsafe(&line.code))
        {
            uses += 1;
            if !is_explained(&lines, index) {
                let text = format!("`{}` has no `SAFETY:` line above it", line.code.trim());
                findings.push(Finding::at_line(path, index + 1, RULE, text));
            }
        }
    }
    if allowed && uses == 0 {
        let text = "no unsafe code left: forbid it, and take the crate off the list in xtask/src/unsafety.rs";
        findings.push(Finding::at(&package.folder, RULE, text));
    }
    findings
}

fn is_root(path: &str, folder: &str) -> bool {
    ["src/lib.rs", "src/main.rs"]
        .iter()
        .any(|root| path.strip_prefix(folder) == Some(&format!("/{root}")))
}

fn forbids(lines: &[Line]) -> bool {
    lines
        .iter()
        .any(|line| line.code.replace(' ', "") == "#![forbid(unsafe_code)]")
}

/// An unsafe block, implementation or trait; an unsafe function states its terms in `# Safety`, which
/// Clippy checks, and a pointer type (`unsafe fn(..)`) uses nothing.
fn uses_unsafe(code: &str) -> bool {
    let mut rest = code;
    while let Some(at) = rest.find("unsafe") {
        let before = rest[..at].chars().next_back();
        let after = &rest[at + "unsafe".len()..];
        let whole = |c: Option<char>| !c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let next = after.trim_start();
        let begins = next.starts_with('{') || next.starts_with("impl") || next.is_empty();
        if whole(before) && whole(after.chars().next()) && begins {
            return true;
        }
        rest = after;
    }
    false
}

/// A comment with `SAFETY:` on the line itself or on the lines of one statement above it.
fn is_explained(lines: &[Line], index: usize) -> bool {
    let says = |line: &Line| line.comment.contains("SAFETY:");
    let ends_statement = |line: &Line| line.code.trim_end().ends_with([';', '}']);
    let above = lines[..index]
        .iter()
        .rev()
        .take_while(|line| !ends_statement(line));
    says(&lines[index]) || above.take(12).any(says)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;
    use crate::workspace::tests::member;

    fn findings(path: &str, source: &str) -> usize {
        let workspace = Workspace {
            packages: vec![member("castile-xml", &[])],
        };
        let root = ("crates/xml/src/lib.rs", "#![forbid(unsafe_code)]");
        check(&workspace, &tree(&[root, (path, source)])).len()
    }

    #[test]
    fn a_crate_must_forbid_unsafe_code() {
        let workspace = Workspace {
            packages: vec![member("castile-xml", &[])],
        };
        let without = tree(&[("crates/xml/src/lib.rs", "// #![forbid(unsafe_code)]\nfn f() {}")]);
        assert_eq!(check(&workspace, &without).len(), 1);
    }

    #[test]
    fn each_use_needs_its_reason() {
        let path = "crates/xml/src/simd.rs";
        assert_eq!(findings(path, "let x =\n    unsafe { f() };"), 1);
        assert_eq!(
            findings(path, "// SAFETY: checked above.\nlet x =\n    unsafe { f() };"),
            0
        );
        assert_eq!(
            findings(path, "// SAFETY: for g.\ng();\nlet x = unsafe { f() };"),
            1
        );
        assert_eq!(findings(path, "unsafe impl Send for X {}"), 1);
        assert_eq!(findings(path, "unsafe\n{ f() }"), 1);
    }

    #[test]
    fn words_that_only_look_unsafe_are_fine() {
        let path = "crates/xml/src/simd.rs";
        assert_eq!(
            findings(
                path,
                "#![deny(unsafe_code)] // unsafe {\nlet s = \"unsafe {\"; not_unsafe {}"
            ),
            0
        );
        assert_eq!(findings(path, "type F = unsafe fn(u8); unsafe fn f() {}"), 0);
    }
}
