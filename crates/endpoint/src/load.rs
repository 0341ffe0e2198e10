//! Loading contracts: from files, URLs or bytes, with the store of compiled contracts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use castile_contract::Contract;

use crate::error::Error;

/// Where a WSDL is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// A path or an http(s) URL.
    At(String),
    /// The document itself; relative references in it start at `base`.
    Bytes {
        /// The document.
        bytes: Vec<u8>,
        /// Its location, if it has one; else the working directory is meant.
        base: String,
    },
}

impl From<&str> for Location {
    fn from(location: &str) -> Self {
        Location::At(location.to_owned())
    }
}

impl From<String> for Location {
    fn from(location: String) -> Self {
        Location::At(location)
    }
}

impl From<&Path> for Location {
    fn from(path: &Path) -> Self {
        Location::At(path.to_string_lossy().into_owned())
    }
}

impl From<Vec<u8>> for Location {
    fn from(bytes: Vec<u8>) -> Self {
        Location::Bytes { bytes, base: String::new() }
    }
}

/// Where compiled contracts are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Cache {
    /// `$CASTILE_CACHE`, else `$XDG_CACHE_HOME/castile`, else `~/.cache/castile`.
    #[default]
    Default,
    /// Nowhere.
    Off,
    /// In this folder.
    At(PathBuf),
}

/// How contracts are loaded.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Catalog files, which say where documents are instead (OASIS XML catalogs, or lines of a URL,
    /// a tab and a file).
    pub catalogs: Vec<PathBuf>,
    /// Where compiled contracts are kept.
    pub cache: Cache,
    /// Load nothing from the network.
    pub offline: bool,
    /// The transport for documents at URLs.
    pub http: castile_http::ClientOptions,
}

/// Loads a contract.
///
/// # Errors
/// A document cannot be loaded or is no WSDL; the error names the document and the place.
pub fn load(_location: &Location, _options: &LoadOptions) -> Result<Arc<Contract>, Error> {
    unimplemented!()
}
