//! What an engine is built from, as one digest: when it changes, the engine is stale.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::Engine;
use crate::Outcome;

/// Folders that are no part of what is built: what was built or fetched, and what only tests and readers need. Without them
/// a run can go on after a test was changed.
const LEFT_OUT: [&str; 7] = [
    "node_modules",
    "target",
    "__pycache__",
    ".git",
    "tests",
    "benches",
    "docs",
];

/// The fingerprint of an engine's folder and of what else it is built from.
pub(crate) fn sources(engine: &Engine) -> Outcome<String> {
    let mut prints = fingerprint(&engine.folder)?;
    let mut add = |folder: &Path| -> Outcome<()> {
        prints.push_str(&fingerprint(folder)?[..16]);
        Ok(())
    };
    for folder in &engine.sources {
        add(&engine.folder.join(folder))?;
    }
    if let Some(folder) = &engine.cargo {
        let folder = engine.folder.join(folder).canonicalize()?;
        for member in crates(&folder)? {
            add(&member)?;
        }
        prints.push_str(&locked(&folder)?);
    }
    Ok(prints)
}

/// A digest of the names and contents of a folder's files that something may be built from.
pub(crate) fn fingerprint(folder: &Path) -> Outcome<String> {
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    files.sort();
    let mut digest = Sha256::new();
    for file in files {
        digest.update(file.strip_prefix(folder)?.to_string_lossy().as_bytes());
        digest.update(std::fs::read(&file)?);
    }
    Ok(hex(&digest.finalize()))
}

/// A digest of bytes.
pub(crate) fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Outcome<()> {
    for entry in std::fs::read_dir(folder)?.flatten() {
        let path = entry.path();
        let name = entry.file_name();
        if LEFT_OUT.iter().any(|left| name == *left) || path.extension().is_some_and(|e| e == "md") {
            continue;
        }
        match path.is_dir() {
            true => collect(&path, files)?,
            false => files.push(path),
        }
    }
    Ok(())
}

/// The folders of the crate in `folder` and of those that it is built with, as far as they are given by their paths.
fn crates(folder: &Path) -> Outcome<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    let mut left = vec![folder.to_owned()];
    while let Some(folder) = left.pop() {
        if !found.insert(folder.clone()) {
            continue;
        }
        let path = folder.join("Cargo.toml");
        let named = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
        let text = std::fs::read_to_string(&path).map_err(|e| named(&e))?;
        let manifest: toml::Table = toml::from_str(&text).map_err(|e| named(&e))?;
        let tables = ["dependencies", "build-dependencies"];
        let wanted = tables.iter().filter_map(|table| manifest.get(*table)?.as_table());
        for path in wanted
            .flat_map(toml::Table::values)
            .filter_map(|d| d.get("path")?.as_str())
        {
            left.push(folder.join(path).canonicalize()?);
        }
    }
    Ok(found)
}

/// A digest of what a workspace says for all its crates: its profiles, and the versions of foreign crates.
fn locked(folder: &Path) -> Outcome<String> {
    let root = folder
        .ancestors()
        .find(|above| above.join("Cargo.lock").is_file());
    let root = root.ok_or_else(|| format!("{} is in no workspace with a lock file", folder.display()))?;
    let mut bytes = std::fs::read(root.join("Cargo.lock"))?;
    bytes.extend(std::fs::read(root.join("Cargo.toml"))?);
    Ok(digest(&bytes)[..16].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("castile-bench-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        folder
    }

    #[test]
    fn what_is_built_from_changes_the_fingerprint_and_nothing_else_does() {
        let folder = scratch("print");
        std::fs::write(folder.join("a"), "1").expect("a file");
        let one = fingerprint(&folder).expect("a fingerprint");
        for other in ["node_modules", "tests", "benches"] {
            std::fs::create_dir_all(folder.join(other)).expect("a folder");
            std::fs::write(folder.join(other).join("x"), "1").expect("a file");
        }
        std::fs::write(folder.join("README.md"), "1").expect("a file");
        assert_eq!(fingerprint(&folder).expect("a fingerprint"), one);
        std::fs::write(folder.join("a"), "2").expect("a file");
        assert_ne!(fingerprint(&folder).expect("a fingerprint"), one);
        std::fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn crates_are_followed_to_their_dependencies_but_not_to_those_of_tests() {
        let folder = scratch("crates");
        let member = |name: &str, text: &str| {
            std::fs::create_dir_all(folder.join(name)).expect("a folder");
            std::fs::write(folder.join(name).join("Cargo.toml"), text).expect("a manifest");
        };
        member(
            "a",
            "[dependencies]\nb = { path = \"../b\" }\nserde = \"1\"\n[build-dependencies]\nc = { path = \"../c\" }",
        );
        member("b", "[dependencies]\nc = { path = \"../c\" }");
        member("c", "[dev-dependencies]\nd = { path = \"../d\" }");
        member("d", "");
        let found = crates(&folder.join("a").canonicalize().expect("a folder")).expect("crates");
        let names: Vec<_> = found.iter().filter_map(|path| path.file_name()).collect();
        assert_eq!(names, ["a", "b", "c"]);
        std::fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn the_engine_in_rust_is_built_from_the_codec_and_not_from_the_command_line() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("engines/castile-rust");
        let found = crates(&folder.canonicalize().expect("a folder")).expect("crates");
        let has = |name: &str| {
            found
                .iter()
                .any(|path| path.ends_with(Path::new("crates").join(name)))
        };
        assert!(has("codec") && has("diff") && has("codegen"));
        assert!(!has("cli") && !has("python"));
        assert!(!locked(&folder).expect("a lock file").is_empty());
    }
}
