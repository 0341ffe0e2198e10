//! `engine.toml`, and the engines that it defines: one for each variant.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::Outcome;
use crate::wire::Style;
use crate::wire::attached::Reference;
use crate::workload::Cell;

/// What an engine can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Role {
    Client,
    Server,
}

/// One engine that can be run: a toolkit in one variant.
#[derive(Clone, Debug)]
pub(crate) struct Engine {
    /// `folder`, or `folder/variant`; of the first variant the folder's name alone.
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    pub(crate) title: String,
    pub(crate) language: String,
    pub(crate) toolkit: String,
    pub(crate) version: String,
    pub(crate) licence: String,
    pub(crate) homepage: String,
    pub(crate) style: Style,
    /// How its envelopes refer to parts beside them, but for MTOM.
    pub(crate) refers: Reference,
    pub(crate) roles: Vec<Role>,
    pub(crate) needs: Vec<String>,
    /// Folders beside its own, relative to it, that it is built from.
    pub(crate) sources: Vec<PathBuf>,
    /// The folder of the crate that it is, relative to its own: it is built from that and from the crates that it depends on.
    pub(crate) cargo: Option<PathBuf>,
    pub(crate) packages: Vec<String>,
    pub(crate) install: Option<String>,
    pub(crate) build: Option<String>,
    pub(crate) run: String,
    pub(crate) warmup_seconds: f64,
    pub(crate) timeout_seconds: f64,
    /// Why it is defined but never run here.
    pub(crate) start: Option<String>,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) note: String,
    /// What profiles it, where its language does not decide: `perf`, `py-spy` or `jfr`.
    pub(crate) sampler: Option<String>,
    /// Workloads that it is for; all when empty.
    workloads: Vec<String>,
    /// It makes a message, or reads one, from the last that was like it.
    pub(crate) remembers: bool,
    /// Where it is client and server, whose deserialization is measured.
    pub(crate) reads: Role,
    unsupported: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    title: String,
    language: String,
    toolkit: String,
    version: String,
    licence: String,
    homepage: String,
    #[serde(default)]
    style: Style,
    #[serde(default)]
    refers: Reference,
    roles: Vec<Role>,
    #[serde(default)]
    needs: Vec<String>,
    #[serde(default)]
    sources: Vec<PathBuf>,
    cargo: Option<PathBuf>,
    #[serde(default)]
    packages: Vec<String>,
    install: Option<String>,
    build: Option<String>,
    #[serde(default)]
    run: String,
    #[serde(default = "one")]
    warmup_seconds: f64,
    #[serde(default = "timeout")]
    timeout_seconds: f64,
    start: Option<String>,
    sampler: Option<String>,
    #[serde(default)]
    remembers: bool,
    #[serde(default)]
    note: String,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    #[serde(default)]
    unsupported: BTreeMap<String, String>,
    #[serde(default)]
    variant: Vec<Variant>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Variant {
    name: String,
    title: Option<String>,
    run: Option<String>,
    style: Option<Style>,
    roles: Option<Vec<Role>>,
    note: Option<String>,
    start: Option<String>,
    remembers: Option<bool>,
    reads: Option<Role>,
    warmup_seconds: Option<f64>,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    #[serde(default)]
    workloads: Vec<String>,
    #[serde(default)]
    unsupported: BTreeMap<String, String>,
}

fn one() -> f64 {
    1.0
}

/// An engine that hangs costs this much of a run.
fn timeout() -> f64 {
    20.0
}

/// All engines of a folder of engines, by name.
///
/// # Errors
/// A definition that cannot be read, with its path.
pub(crate) fn all(folder: &Path) -> Outcome<Vec<Engine>> {
    let mut engines = Vec::new();
    let mut folders: Vec<PathBuf> = std::fs::read_dir(folder)?.flatten().map(|e| e.path()).collect();
    folders.sort();
    for folder in folders {
        let path = folder.join("engine.toml");
        if path.is_file() {
            let text = std::fs::read_to_string(&path)?;
            engines.extend(parse(&folder, &text).map_err(|e| format!("{}: {e}", path.display()))?);
        }
    }
    Ok(engines)
}

fn parse(folder: &Path, text: &str) -> Outcome<Vec<Engine>> {
    let file: File = toml::from_str(text)?;
    let name = folder
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    if name.contains(char::is_whitespace) {
        return Err("the folder's name has white space".into());
    }
    if file.variant.is_empty() {
        return Ok(vec![file.engine(folder, name, &Variant::default())]);
    }
    let engines = file.variant.iter().enumerate().map(|(index, variant)| {
        let name = match index {
            0 => name.clone(),
            _ => format!("{name}/{}", variant.name),
        };
        file.engine(folder, name, variant)
    });
    Ok(engines.collect())
}

impl File {
    fn engine(&self, folder: &Path, name: String, variant: &Variant) -> Engine {
        let both = |of: &BTreeMap<String, String>, more: &BTreeMap<String, String>| {
            of.iter()
                .chain(more)
                .map(|(k, v)| (k.clone(), v.clone()))
                .collect()
        };
        Engine {
            name,
            folder: folder.to_owned(),
            title: variant.title.clone().unwrap_or_else(|| self.title.clone()),
            language: self.language.clone(),
            toolkit: self.toolkit.clone(),
            version: self.version.clone(),
            licence: self.licence.clone(),
            homepage: self.homepage.clone(),
            style: variant.style.unwrap_or(self.style),
            refers: self.refers,
            roles: variant.roles.clone().unwrap_or_else(|| self.roles.clone()),
            needs: self.needs.clone(),
            sources: self.sources.clone(),
            cargo: self.cargo.clone(),
            packages: self.packages.clone(),
            install: self.install.clone(),
            build: self.build.clone(),
            run: variant.run.clone().unwrap_or_else(|| self.run.clone()),
            warmup_seconds: variant.warmup_seconds.unwrap_or(self.warmup_seconds),
            timeout_seconds: self.timeout_seconds,
            start: variant.start.clone().or_else(|| self.start.clone()),
            environment: both(&self.environment, &variant.environment),
            note: variant.note.clone().unwrap_or_else(|| self.note.clone()),
            sampler: self.sampler.clone(),
            workloads: variant.workloads.clone(),
            remembers: variant.remembers.unwrap_or(self.remembers),
            reads: variant.reads.unwrap_or(Role::Server),
            unsupported: both(&self.unsupported, &variant.unsupported),
        }
    }
}

impl Engine {
    /// The folder's name, which its variants share.
    pub(crate) fn base(&self) -> &str {
        self.name.split('/').next().unwrap_or(&self.name)
    }

    pub(crate) fn is(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }

    /// Whether it is measured in this cell at all: a single technique switched off shows in some workloads only, and how
    /// much of a message is new is nothing to who remembers none.
    pub(crate) fn takes(&self, cell: &Cell<'_>) -> bool {
        let wanted = self.workloads.is_empty() || self.workloads.contains(&cell.workload.name);
        wanted && (self.remembers || !cell.point.remembering)
    }

    /// Why it has not one of these (operations, settings as `name=value`, workloads).
    pub(crate) fn lacks<'w>(&self, wanted: impl IntoIterator<Item = &'w str>) -> Option<String> {
        wanted
            .into_iter()
            .find_map(|one| self.unsupported.get(one).cloned())
    }

    /// Whether `pattern` (a name, a folder's name, or `folder/*`) means this engine.
    pub(crate) fn matches(&self, pattern: &str) -> bool {
        match pattern.strip_suffix("/*") {
            Some(base) => self.base() == base,
            None => self.name == pattern,
        }
    }

    /// The program of `needs` that is not in the PATH.
    pub(crate) fn missing(&self) -> Option<&str> {
        let paths: Vec<PathBuf> = std::env::var_os("PATH")
            .map(|p| std::env::split_paths(&p).collect())
            .unwrap_or_default();
        let there = |program: &str| match program.contains('/') {
            true => self.folder.join(program).exists(),
            false => paths.iter().any(|path| path.join(program).is_file()),
        };
        self.needs.iter().map(|n| &**n).find(|program| !there(program))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::Workload;

    const TEXT: &str = r#"
title = "A"
language = "C"
toolkit = "A"
version = "1"
licence = "MIT"
homepage = "https://example.org/"
roles = ["client"]
run = "./a"
[unsupported]
echoRing = "no"
[[variant]]
name = "defaults"
[[variant]]
name = "best"
title = "A, best"
style = "encoded"
roles = ["client", "server"]
reads = "client"
environment = { FAST = "1" }
workloads = ["doubles"]
remembers = true
unsupported = { "chunk=4096" = "never" }
"#;

    #[test]
    fn a_variant_is_an_engine_of_its_own() {
        let engines = parse(Path::new("engines/a"), TEXT).expect("engines");
        let names: Vec<&str> = engines.iter().map(|e| &*e.name).collect();
        assert_eq!(names, ["a", "a/best"]);
        let (plain, best) = (&engines[0], &engines[1]);
        assert_eq!((&*plain.title, &*best.title), ("A", "A, best"));
        assert_eq!((plain.style, best.style), (Style::Literal, Style::Encoded));
        assert_eq!(best.environment["FAST"], "1");
        assert_eq!(best.lacks(["echoInts", "echoRing"]).as_deref(), Some("no"));
        assert_eq!(plain.lacks(["chunk=4096"]), None);
        assert!(best.matches("a/*") && best.matches("a/best") && !best.matches("a"));
        assert!(!plain.is(Role::Server) && best.is(Role::Server));
        assert_eq!((plain.reads, best.reads), (Role::Server, Role::Client));
    }

    #[test]
    fn who_remembers_nothing_is_not_asked_how_much_changed() {
        let engines = parse(Path::new("engines/a"), TEXT).expect("engines");
        let (plain, best) = (&engines[0], &engines[1]);
        let workload = |name: &str| {
            let text = "title = 'T'\nkind = 'doubles'\nmeasures = ['serialize']\nsizes = [1]\n\
                        [[point]]\nname = 'all'\n[[point]]\nname = 'some'\nremembering = true\n";
            let mut workload: Workload = toml::from_str(text).expect("a workload");
            workload.name = name.to_owned();
            workload
        };
        let (doubles, ints) = (workload("doubles"), workload("ints"));
        let takes = |engine: &Engine, workload: &Workload| {
            let cells = workload.cells(false);
            cells.iter().map(|cell| engine.takes(cell)).collect::<Vec<_>>()
        };
        assert_eq!(takes(plain, &ints), [true, false]);
        assert_eq!(takes(best, &doubles), [true, true]);
        assert_eq!(takes(best, &ints), [false, false]);
    }

    #[test]
    fn a_word_that_nobody_knows_is_an_error() {
        let text = TEXT.replace("run = ", "runs = ");
        let error = parse(Path::new("engines/a"), &text)
            .expect_err("an error")
            .to_string();
        assert!(error.contains("runs"), "{error}");
    }
}
