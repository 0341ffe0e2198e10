//! Loading contracts: from files, URLs or bytes, with the store of compiled contracts.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use castile_contract::files::{FileResolver, Store};
use castile_contract::{
    Bundle, Catalog, Contract, Entry, Loaded, ResolveError, Resolver, Warning, WarningKind, masked,
};

use crate::error::{Error, Guilty, Kind};
use crate::media::Media;

/// Where a WSDL is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// A path or an http(s) URL; of a contract with its documents, as generated code has it beside
    /// it, where the name ends in `.contract`.
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
        Location::Bytes {
            bytes,
            base: String::new(),
        }
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
pub fn load(location: &Location, options: &LoadOptions) -> Result<Arc<Contract>, Error> {
    let resolver = resolver(options);
    if let Some(bundle) = bundle(location, &resolver)? {
        return Ok(Arc::new(bundle.contract_or_anew()?));
    }
    let (settings, entry) = (settings(options)?, entry(location));
    let folder = match &options.cache {
        Cache::Default => Store::default_folder(),
        Cache::Off => None,
        Cache::At(folder) => Some(folder.clone()),
    };
    let contract = match folder {
        Some(folder) => Store::new(folder).load(entry, &resolver, &settings)?,
        None => Contract::load(entry, &resolver, &settings)?,
    };
    warn(&contract);
    Ok(Arc::new(contract))
}

/// What the documents of a WSDL have against the WS-I Basic Profile 1.1.
///
/// # Errors
/// As of [`load`].
pub fn profile(location: &Location, options: &LoadOptions) -> Result<Vec<Warning>, Error> {
    let (settings, resolver) = (settings(options)?, resolver(options));
    let Some(bundle) = bundle(location, &resolver)? else {
        return Ok(Contract::profile(entry(location), &resolver, &settings)?);
    };
    let entry = bundle.entry().unwrap_or_default().to_owned();
    Ok(Contract::profile(&entry, &bundle.into_documents(), &settings)?)
}

fn settings(options: &LoadOptions) -> Result<castile_contract::Options, Error> {
    let catalogs = options
        .catalogs
        .iter()
        .map(|path| Catalog::load(&path.to_string_lossy(), &FileResolver::new()));
    Ok(castile_contract::Options {
        catalogs: catalogs.collect::<Result<_, _>>()?,
        offline: options.offline,
        ..Default::default()
    })
}

fn entry(location: &Location) -> Entry<'_> {
    match location {
        Location::At(at) => Entry::Location(at),
        Location::Bytes { bytes, base } => Entry::Document {
            bytes,
            location: base,
            charset: None,
        },
    }
}

/// The bundle at a location, if it is one.
fn bundle(location: &Location, resolver: &dyn Resolver) -> Result<Option<Bundle>, Error> {
    let Location::At(at) = location else {
        return Ok(None);
    };
    if !at.ends_with(".contract") {
        return Ok(None);
    }
    let loaded = resolver
        .load(at)
        .map_err(|e| Error::new(Kind::Contract, Guilty::Caller, format!("{at}: {e}")))?;
    Ok(Some(Bundle::read(&loaded.bytes)?))
}

/// The documents of the contract at a location, for servers to show: those of a bundle, the one that
/// was given as bytes, others from where they are.
///
/// # Errors
/// A bundle that cannot be read.
pub fn documents(location: &Location, options: &LoadOptions) -> Result<Box<dyn Resolver>, Error> {
    let resolver = resolver(options);
    if let Some(bundle) = bundle(location, &resolver)? {
        return Ok(Box::new(bundle.into_documents()));
    }
    Ok(match location {
        Location::At(_) => Box::new(resolver),
        Location::Bytes { bytes, base } => Box::new(Given {
            bytes: bytes.clone(),
            base: base.clone(),
            rest: resolver,
        }),
    })
}

/// One document in memory, others from where they are.
struct Given<R> {
    bytes: Vec<u8>,
    base: String,
    rest: R,
}

impl<R: Resolver> Resolver for Given<R> {
    fn load(&self, at: &str) -> Result<Loaded, ResolveError> {
        match at == self.base {
            true => Ok(Loaded {
                bytes: self.bytes.clone(),
                location: at.to_owned(),
                charset: None,
            }),
            false => self.rest.load(at),
        }
    }
}

/// Tells once for each contract and process that something is wrong with it, and to who wants more what it is: of
/// much that is wrong in one way the beginning.
fn warn(contract: &Contract) {
    const ALIKE_MAX: usize = 3;
    if let Some(line) = summary(contract)
        && is_news(&line)
    {
        tracing::warn!("{line}");
    }
    for alike in contract.warnings_by_kind() {
        for warning in alike.iter().take(ALIKE_MAX) {
            tracing::info!(%warning, "the contract is not quite right");
        }
        let more = alike.len().saturating_sub(ALIKE_MAX);
        if more > 0 {
            tracing::info!(
                more,
                "the contract is wrong like that in more places, which castile validate -v lists"
            );
        }
    }
}

/// How much is wrong with a contract, in a line, and what to do about it.
fn summary(contract: &Contract) -> Option<String> {
    let count = match contract.warnings.len() {
        0 => return None,
        1 => "1 warning".to_owned(),
        n => format!("{n} warnings"),
    };
    let location = contract.documents.first().map_or("", |d| &*d.location);
    let location = masked(location);
    let missing = contract
        .warnings
        .iter()
        .filter(|w| w.kind == WarningKind::Missing);
    let missing = match missing.count() {
        0 => String::new(),
        1 => format!("1 imported document is missing; {CATALOGS} it is; "),
        n => format!("{n} imported documents are missing; {CATALOGS} they are; "),
    };
    Some(format!(
        "{location}: {count} about the contract: {missing}`castile validate` lists them"
    ))
}

const CATALOGS: &str = "catalogs=[...] (`--catalog` on the command line) says where";

/// Whether a line was not told yet.
fn is_news(line: &str) -> bool {
    /// Lines that are remembered: a process that loads more contracts hears of some again.
    const LINES_MAX: usize = 1024;
    static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    if told.len() >= LINES_MAX {
        told.clear();
    }
    told.insert(line.to_owned())
}

/// The resolver that [`load`] uses: files, and http(s) through the transport unless offline.
pub fn resolver(options: &LoadOptions) -> impl Resolver + use<> {
    Everywhere {
        files: FileResolver::new(),
        http: options.http.clone(),
        offline: options.offline,
    }
}

/// Files and URLs.
struct Everywhere {
    files: FileResolver,
    http: castile_http::ClientOptions,
    offline: bool,
}

impl Resolver for Everywhere {
    fn load(&self, location: &str) -> Result<Loaded, ResolveError> {
        let lower = location.get(..8).unwrap_or(location).to_ascii_lowercase();
        if !lower.starts_with("http://") && !lower.starts_with("https://") {
            return self.files.load(location);
        }
        if self.offline {
            return Err(ResolveError(
                "nothing is loaded from the network while offline".into(),
            ));
        }
        self.fetch(location).map_err(|e| ResolveError(e.to_string()))
    }
}

impl Everywhere {
    fn fetch(&self, location: &str) -> Result<Loaded, Error> {
        let url = url::Url::parse(location).map_err(|e| {
            Error::new(
                Kind::Contract,
                Guilty::Contract,
                format!("{:?} is no URL: {e}", castile_contract::masked(location)),
            )
        })?;
        let url_has_query = url.query().is_some();
        let client = castile_http::blocking::Client::new(self.http.clone())?;
        let response = client.send(castile_http::Request::get(url))?;
        if !response.status.is_success() {
            let hint = match url_has_query {
                false if response.status == castile_http::StatusCode::NOT_FOUND => {
                    "; services often show their contract at their address with ?wsdl behind it"
                }
                _ => "",
            };
            let text = format!("the server answered {}{hint}", response.status);
            return Err(Error::new(Kind::Contract, Guilty::Peer, text));
        }
        let content_type = response
            .headers
            .get("content-type")
            .and_then(|v| v.to_str().ok())
            .unwrap_or_default();
        let charset = Media::parse(content_type).charset;
        Ok(Loaded {
            bytes: response.body.to_vec(),
            location: response.url.to_string(),
            charset: charset.map(std::borrow::Cow::into_owned),
        })
    }
}
