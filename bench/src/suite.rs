//! Where everything is: the folder `bench` of a checkout, and what is made in `bench/build`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Outcome;
use crate::engine::{Engine, definition};
use crate::workload::{self, Workload};

/// The suite's folder and its definitions.
pub(crate) struct Suite {
    pub(crate) folder: PathBuf,
    pub(crate) build: PathBuf,
    pub(crate) engines: Vec<Engine>,
    pub(crate) workloads: Vec<Workload>,
}

impl Suite {
    /// Reads the definitions of the suite in `folder`, else of the checkout around the working directory, else of the
    /// one this program was built in.
    ///
    /// # Errors
    /// No suite there, or a definition that cannot be read.
    pub(crate) fn open(folder: Option<&Path>) -> Outcome<Suite> {
        let folder = match folder {
            Some(folder) => folder.to_owned(),
            None => find()?,
        };
        let folder = folder
            .canonicalize()
            .map_err(|e| format!("{}: {e}", folder.display()))?;
        let build = match std::env::var_os("CASTILE_BENCH_BUILD") {
            Some(build) => std::path::absolute(PathBuf::from(build))?,
            None => folder.join("build"),
        };
        Ok(Suite {
            engines: definition::all(&folder.join("engines"))?,
            workloads: workload::all(&folder.join("workloads"))?,
            folder,
            build,
        })
    }

    /// The folder of what was built of an engine; its variants share it.
    pub(crate) fn built(&self, engine: &Engine) -> PathBuf {
        self.build.join("engines").join(engine.base())
    }

    /// Sets folder and environment of an engine's commands.
    pub(crate) fn environment(&self, engine: &Engine, command: &mut Command) {
        command
            .current_dir(&engine.folder)
            .env("BENCH", &self.folder)
            .env("BENCH_WSDL", self.folder.join("workloads/wsdl"))
            .env("BUILD", self.built(engine))
            .envs(&engine.environment);
    }

    /// Where an engine's standard error goes.
    pub(crate) fn log(&self, engine: &Engine, role: &str) -> Outcome<PathBuf> {
        let folder = self.build.join("logs");
        std::fs::create_dir_all(&folder)?;
        Ok(folder.join(format!("{}-{role}.log", engine.name.replace('/', "-"))))
    }

    /// The newest file of results.
    ///
    /// # Errors
    /// There is none yet.
    pub(crate) fn newest(&self) -> Outcome<PathBuf> {
        let folder = std::fs::read_dir(self.build.join("results"))
            .into_iter()
            .flatten();
        let files = folder.flatten().map(|entry| entry.path());
        // Their names are dates.
        let results = files.filter(|path| path.extension().is_some_and(|e| e == "jsonl"));
        results
            .max()
            .ok_or_else(|| "there are no results yet: castile bench run".into())
    }

    /// A file of the suite's own under `bench/build`.
    pub(crate) fn file(&self, name: &str) -> Outcome<PathBuf> {
        let path = self.build.join(name);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        Ok(path)
    }
}

fn find() -> Outcome<PathBuf> {
    let here = std::env::current_dir()?;
    let around = here.ancestors().map(|folder| folder.join("bench"));
    let built = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    around
        .chain([built])
        .find(|folder| folder.join("PROTOCOL.md").is_file())
        .ok_or_else(|| "there is no benchmark suite here: run this in a checkout of Castile".into())
}
