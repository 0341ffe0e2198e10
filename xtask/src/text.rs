//! Rules about the text of files: length, leftovers, and places that exist on one machine only.

use crate::finding::Finding;
use crate::tree::Tree;

/// Lines after which a source file wants to be a folder.
const LINES_MAX: usize = 800;

/// Kinds of files that a person reads and that the length rule is for.
const SOURCES: &[&str] = &[".rs", ".py", ".pyi", ".ts", ".js", ".c", ".h", ".sh"];

/// Marks of work that was put off.
const LEFTOVERS: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];

/// Macros of work that was put off.
const HOLES: &[&str] = &[concat!("to", "do!("), concat!("unimple", "mented!(")];

/// Beginnings of paths that exist on one machine only.
const MACHINE_PATHS: &[&str] = &[
    concat!("/ho", "me/"),
    concat!("/ro", "ot/"),
    concat!("/tm", "p/"),
    concat!("/Use", "rs/"),
    concat!("/wo", "rk/"),
];

/// Hosts and settings of package registries: where packages come from is the user's business.
const REGISTRIES: &[&str] = &[
    concat!("index.", "crates.io"),
    concat!("static.", "crates.io"),
    concat!("registry.", "npmjs.org"),
    concat!("registry.", "yarnpkg.com"),
    concat!("py", "pi.org"),
    concat!("files.", "pythonhosted.org"),
    concat!("proxy.", "golang.org"),
    concat!("repo.", "maven.apache.org"),
    concat!("repo1.", "maven.org"),
    concat!("--index", "-url"),
    concat!("--extra-index", "-url"),
    concat!("--find", "-links"),
    concat!("\"resolved\": \"", "http"),
];

/// Lines that a lock file must have: the one source of `Cargo.lock`.
const CARGO_SOURCE: &str = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";

/// Checks every text file of the tree.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let texts = tree
        .files
        .iter()
        .filter_map(|file| Some((file.path.as_str(), file.text.as_deref()?)));
    texts.flat_map(|(path, text)| check_file(path, text)).collect()
}

fn check_file(path: &str, text: &str) -> Vec<Finding> {
    let mut findings: Vec<Finding> = length(path, text).into_iter().collect();
    for (index, line) in text.lines().enumerate() {
        let problems = [
            leftover(line),
            machine_path(line),
            registry(line),
            other_source(path, line),
        ];
        let at = |text| Finding::at_line(path, index + 1, "text", text);
        findings.extend(problems.into_iter().flatten().map(at));
    }
    findings
}

fn length(path: &str, text: &str) -> Option<Finding> {
    let lines = text.lines().count();
    let long = lines > LINES_MAX && SOURCES.iter().any(|ending| path.ends_with(ending));
    long.then(|| {
        Finding::at(
            path,
            "length",
            format!("{lines} lines, {LINES_MAX} at most: make it a folder"),
        )
    })
}

fn leftover(line: &str) -> Option<String> {
    let mark = LEFTOVERS.iter().find(|mark| has_word(line, mark));
    let hole = HOLES.iter().find(|hole| line.contains(**hole));
    mark.or(hole)
        .map(|found| format!("`{found}`: do it, or write it down as work to do elsewhere"))
}

fn machine_path(line: &str) -> Option<String> {
    let found = MACHINE_PATHS.iter().find(|path| starts_somewhere(line, path))?;
    Some(format!("`{found}` is a path of one machine"))
}

fn registry(line: &str) -> Option<String> {
    let found = REGISTRIES.iter().find(|name| line.contains(**name))?;
    Some(format!(
        "`{found}` says where packages come from, which is the user's choice"
    ))
}

fn other_source(path: &str, line: &str) -> Option<String> {
    let other = path.ends_with("Cargo.lock") && line.starts_with("source = ") && line != CARGO_SOURCE;
    other.then(|| format!("`{line}`: crates come from crates.io only"))
}

/// True if `word` stands in `line` with no letter or digit beside it.
fn has_word(line: &str, word: &str) -> bool {
    let letter = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    line.match_indices(word).any(|(at, _)| {
        !letter(line[..at].chars().next_back()) && !letter(line[at + word.len()..].chars().next())
    })
}

/// True if `path` stands in `line` as the beginning of a path, not within a longer one or a URL.
fn starts_somewhere(line: &str, path: &str) -> bool {
    let inner = |c: char| c.is_ascii_alphanumeric() || "._-/}*)".contains(c);
    line.match_indices(path)
        .any(|(at, _)| !line[..at].chars().next_back().is_some_and(inner))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::tree;

    fn findings(path: &str, text: &str) -> usize {
        check(&tree(&[(path, text)])).len()
    }

    #[test]
    fn a_long_source_is_found_and_long_data_is_not() {
        let long = "x\n".repeat(LINES_MAX + 1);
        assert_eq!(findings("a.rs", &long), 1);
        assert_eq!(findings("a.wsdl", &long), 0);
        assert_eq!(findings("a.rs", &"x\n".repeat(LINES_MAX)), 0);
    }

    #[test]
    fn leftovers_are_found() {
        for mark in LEFTOVERS {
            assert_eq!(findings("a.py", &format!("# {mark}: later")), 1);
            assert_eq!(findings("a.py", &format!("n = '{mark}{mark}'")), 0);
        }
        assert_eq!(findings("a.rs", &format!("    {})", HOLES[0])), 1);
    }

    #[test]
    fn paths_of_one_machine_are_found() {
        for path in MACHINE_PATHS {
            assert_eq!(findings("a.md", &format!("see {path}x")), 1);
            assert_eq!(
                findings("a.md", &format!("http://example.com{path}x ./a{path}x")),
                0
            );
        }
    }

    #[test]
    fn registries_are_found() {
        for name in REGISTRIES {
            assert_eq!(findings("requirements.txt", name), 1, "{name}");
        }
        assert_eq!(findings("Cargo.lock", CARGO_SOURCE), 0);
        assert_eq!(
            findings("Cargo.lock", "source = \"git+https://example.com/x\""),
            1
        );
    }
}
