//! Rust source from WSDL files, for build scripts.
//!
//! ```text
//!   build.rs: castile_build::compile("weather.wsdl") ─▶ OUT_DIR/weather.rs, weather.contract
//!   main.rs:  castile::include_contract!("weather");  ─▶ pub mod weather { ... }
//! ```
//!
//! ```no_run
//! // build.rs
//! fn main() -> Result<(), castile_build::Error> {
//!     castile_build::compile("wsdl/weather.wsdl")
//! }
//! ```
//!
//! The module has a struct for every type that the operations use, a client, and a trait for services;
//! see the guide on generated code. Cargo runs the build script again when one of the documents
//! changed.
//!
//! Non-goals: nothing is fetched from the network, so that builds repeat. A [`Builder`] takes catalogs
//! that say where documents are instead.
#![forbid(unsafe_code)]

use std::fmt;
use std::path::{Path, PathBuf};

use castile_contract::files::FileResolver;
use castile_contract::{Bundle, Catalog, Contract, Options};

/// Generates the module for a WSDL into `OUT_DIR`, named for the file.
///
/// # Errors
/// As [`Builder::compile`].
pub fn compile(wsdl: impl AsRef<Path>) -> Result<(), Error> {
    Builder::new().compile(wsdl)
}

/// Settings for generating.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    catalogs: Vec<PathBuf>,
    folder: Option<PathBuf>,
    module: Option<String>,
}

impl Builder {
    /// The defaults.
    pub fn new() -> Self {
        Builder::default()
    }

    /// Adds a catalog, which says where documents are instead (an OASIS XML catalog, or lines of a
    /// URL, a tab and a file).
    #[must_use]
    pub fn catalog(mut self, file: impl Into<PathBuf>) -> Self {
        self.catalogs.push(file.into());
        self
    }

    /// Writes into this folder instead of `OUT_DIR`.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Names the module; else it is named for the file, with `_` for what cannot stand in a name.
    #[must_use]
    pub fn module(mut self, name: impl Into<String>) -> Self {
        self.module = Some(name.into());
        self
    }

    /// Generates the module for a WSDL.
    ///
    /// # Errors
    /// The contract cannot be loaded, with place and reason; there is no folder to write to.
    pub fn compile(&self, wsdl: impl AsRef<Path>) -> Result<(), Error> {
        let wsdl = wsdl.as_ref();
        let location = wsdl.to_string_lossy();
        let files = FileResolver::new();
        let catalogs = self
            .catalogs
            .iter()
            .map(|c| Catalog::load(&c.to_string_lossy(), &files));
        let options = Options {
            catalogs: catalogs.collect::<Result<_, _>>().map_err(contract)?,
            offline: true,
            ..Options::default()
        };
        let loaded = Contract::load(&*location, &files, &options).map_err(contract)?;
        let catalogs = self.catalogs.iter().map(|c| c.to_string_lossy().into_owned());
        for file in loaded
            .documents
            .iter()
            .map(|d| d.location.clone())
            .chain(catalogs)
        {
            println!("cargo::rerun-if-changed={file}");
        }
        for warning in &loaded.warnings {
            // A warning of Cargo's would be shown to people who cannot mend a foreign WSDL.
            println!("castile: {warning}");
        }
        let mut bytes = Vec::new();
        let bundle = Bundle::new(&loaded, &files).map_err(contract)?;
        bundle.write(&mut bytes).map_err(contract)?;
        let module = self.module.clone().unwrap_or_else(|| module(wsdl));
        let text = castile_codegen::rust(&loaded, &format!("{module}.contract"), &Bundle::digest(&bytes));
        let folder = match &self.folder {
            Some(folder) => folder.clone(),
            None => std::env::var_os("OUT_DIR").map(PathBuf::from).ok_or_else(|| {
                Error("there is no OUT_DIR: call this from a build script, or name a folder".into())
            })?,
        };
        write(&folder.join(format!("{module}.contract")), &bytes)?;
        let source = folder.join(format!("{module}.rs"));
        write(&source, text.as_bytes())?;
        let include = format!("#[path = {source:?}]\npub mod {module};\n");
        write(&folder.join(format!("{module}.mod.rs")), include.as_bytes())
    }
}

/// Why no code was generated.
#[derive(Debug)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

fn contract(error: castile_contract::Error) -> Error {
    Error(error.to_string())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    // A file that stays the same keeps its time, and what includes it is not compiled again.
    if std::fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    std::fs::write(path, bytes).map_err(|e| Error(format!("{}: {e}", path.display())))
}

/// A module's name for a file.
fn module(wsdl: &Path) -> String {
    let stem = wsdl
        .file_stem()
        .map(|s| s.to_string_lossy().into_owned())
        .unwrap_or_default();
    let word = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '_'
        }
    };
    let name: String = stem.chars().map(word).collect();
    match name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        true => name,
        false => format!("contract_{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::module;

    #[test]
    fn modules_are_named_for_files() {
        assert_eq!(module("a/Weather.Service-2.wsdl".as_ref()), "weather_service_2");
        assert_eq!(module("3d.wsdl".as_ref()), "contract_3d");
    }
}
