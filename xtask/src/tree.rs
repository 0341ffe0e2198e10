//! The files of the repository, as git sees them.

use std::path::Path;
use std::process::Command;

/// Every file that is tracked or could be added, with its text where it is text.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) files: Vec<File>,
}

/// One file.
#[derive(Debug)]
pub(crate) struct File {
    /// Relative to the root, with `/` between parts.
    pub(crate) path: String,
    /// `None` for bytes that are not UTF-8.
    pub(crate) text: Option<String>,
}

/// Folders that are made, not written; only looked at where there is no git.
const MADE: &[&str] = &[
    ".git",
    ".venv",
    "build",
    "dist",
    "node_modules",
    "target",
    "__pycache__",
];

impl Tree {
    /// Reads the files that git lists (new ones that are not ignored too), else walks the folders:
    /// a source archive has no git.
    pub(crate) fn read(root: &Path) -> Result<Self, String> {
        let paths = match listed_by_git(root) {
            Some(paths) => paths,
            None => walk(root)?,
        };
        let read = |path: String| {
            let bytes = std::fs::read(root.join(&path)).ok()?;
            Some(File {
                path,
                text: String::from_utf8(bytes).ok(),
            })
        };
        Ok(Tree {
            files: paths.into_iter().filter_map(read).collect(),
        })
    }

    /// The text of one file.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|file| file.path == path)?.text.as_deref()
    }

    /// The Rust files below a folder, with their text.
    pub(crate) fn rust_below<'a>(
        &'a self,
        folder: &str,
    ) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        let below = format!("{folder}/");
        self.files
            .iter()
            .filter(move |file| file.path.starts_with(&below) && file.path.ends_with(".rs"))
            .filter_map(|file| Some((file.path.as_str(), file.text.as_deref()?)))
    }
}

fn listed_by_git(root: &Path) -> Option<Vec<String>> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .ok()?;
    let names = String::from_utf8(output.stdout).ok()?;
    let paths: Vec<String> = names
        .split('\0')
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();
    (output.status.success() && !paths.is_empty()).then_some(paths)
}

fn walk(root: &Path) -> Result<Vec<String>, String> {
    let mut folders = vec![root.to_path_buf()];
    let mut paths = Vec::new();
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for entry in entries.flatten() {
            let path = entry.path();
            let made = MADE.iter().any(|name| entry.file_name() == *name);
            if path.is_dir() && !made {
                folders.push(path);
            } else if let (false, Ok(relative)) = (path.is_dir(), path.strip_prefix(root)) {
                paths.push(relative.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A tree of made-up files.
    pub(crate) fn tree(files: &[(&str, &str)]) -> Tree {
        let file = |(path, text): &(&str, &str)| File {
            path: (*path).into(),
            text: Some((*text).into()),
        };
        Tree {
            files: files.iter().map(file).collect(),
        }
    }

    #[test]
    fn git_and_the_walk_both_find_this_file() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let here = "src/tree.rs".to_owned();
        assert!(walk(root).unwrap().contains(&here));
        assert!(Tree::read(root).unwrap().text(&here).is_some());
    }
}
