//! What `cargo metadata` says: packages, their licences and their direct dependencies.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// All packages that the lock file names, members of the workspace among them.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    pub(crate) packages: Vec<Package>,
}

/// One package.
#[derive(Debug, Default, Clone)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    /// The SPDX expression, where the package has one.
    pub(crate) licence: Option<String>,
    pub(crate) member: bool,
    /// The folder of a member, relative to the root, with `/` between parts.
    pub(crate) folder: String,
    pub(crate) dependencies: Vec<Dependency>,
}

/// A direct dependency as the manifest names it.
#[derive(Debug, Clone)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// Only tests, examples and benchmarks see it.
    pub(crate) dev: bool,
}

impl Workspace {
    /// Runs `cargo metadata` in `root`.
    pub(crate) fn read(root: &Path) -> Result<Self, String> {
        let cargo = std::env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from);
        let output = Command::new(cargo)
            .args(["metadata", "--format-version", "1"])
            .current_dir(root)
            .output()
            .map_err(|error| format!("cargo metadata did not start: {error}"))?;
        if !output.status.success() {
            return Err(format!(
                "cargo metadata failed: {}",
                String::from_utf8_lossy(&output.stderr)
            ));
        }
        Self::parse(&output.stdout, root)
    }

    /// The packages of this repository.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| package.member)
    }

    fn parse(json: &[u8], root: &Path) -> Result<Self, String> {
        let document: Value =
            serde_json::from_slice(json).map_err(|error| format!("cargo metadata: {error}"))?;
        let members: Vec<&str> = list(&document["workspace_members"])
            .filter_map(Value::as_str)
            .collect();
        let packages = list(&document["packages"])
            .map(|package| Package {
                name: text(&package["name"]),
                version: text(&package["version"]),
                licence: package["license"].as_str().map(str::to_owned),
                member: package["id"].as_str().is_some_and(|id| members.contains(&id)),
                folder: relative_folder(&package["manifest_path"], root),
                dependencies: list(&package["dependencies"]).map(dependency).collect(),
            })
            .collect::<Vec<_>>();
        if packages.is_empty() {
            Err("cargo metadata named no packages".into())
        } else {
            Ok(Self { packages })
        }
    }
}

fn dependency(value: &Value) -> Dependency {
    Dependency {
        name: text(&value["name"]),
        dev: value["kind"] == "dev",
    }
}

fn relative_folder(manifest: &Value, root: &Path) -> String {
    let manifest = PathBuf::from(manifest.as_str().unwrap_or_default());
    let folder = manifest.parent().unwrap_or(Path::new(""));
    folder
        .strip_prefix(root)
        .unwrap_or(folder)
        .to_string_lossy()
        .replace('\\', "/")
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().map(Vec::as_slice).unwrap_or_default().iter()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A member with direct dependencies; a name that starts with `dev:` is a dev-dependency.
    pub(crate) fn member(name: &str, dependencies: &[&str]) -> Package {
        let dependency = |text: &&str| match text.strip_prefix("dev:") {
            Some(name) => Dependency {
                name: name.into(),
                dev: true,
            },
            None => Dependency {
                name: (*text).into(),
                dev: false,
            },
        };
        Package {
            name: name.into(),
            version: "0.1.0".into(),
            licence: Some("Apache-2.0 OR MIT".into()),
            member: true,
            folder: format!("crates/{}", name.trim_start_matches("castile-")),
            dependencies: dependencies.iter().map(dependency).collect(),
        }
    }

    #[test]
    fn reads_members_kinds_and_licences() {
        let json = br#"{"workspace_members": ["a#0.1"], "packages": [
            {"id": "a#0.1", "name": "a", "version": "0.1.0", "license": "MIT",
             "manifest_path": "/r/crates/a/Cargo.toml",
             "dependencies": [{"name": "b", "kind": null}, {"name": "c", "kind": "dev"}]},
            {"id": "b#1", "name": "b", "version": "1.0.0", "license": null,
             "manifest_path": "/x/b/Cargo.toml", "dependencies": []}]}"#;
        let workspace = Workspace::parse(json, Path::new("/r")).unwrap();
        assert_eq!(
            workspace.members().map(|p| p.name.as_str()).collect::<Vec<_>>(),
            ["a"]
        );
        assert_eq!(workspace.packages[0].folder, "crates/a");
        assert!(!workspace.packages[0].dependencies[0].dev);
        assert!(workspace.packages[0].dependencies[1].dev);
        assert_eq!(workspace.packages[1].licence, None);
    }

    #[test]
    fn an_empty_answer_is_an_error() {
        assert!(Workspace::parse(b"{}", Path::new("/r")).is_err());
        assert!(Workspace::parse(b"no json", Path::new("/r")).is_err());
    }
}
