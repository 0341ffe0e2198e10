//! Compiled contracts on disk: [`Store`].

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use castile_plan::{decode_stored, encode_stored};
use serde::{Deserialize, Serialize};

use super::private;
use crate::contract::Contract;
use crate::error::Error;
use crate::load::Entry;
use crate::options::Options;
use crate::resolve::{Resolver, is_remote};

/// A folder of compiled contracts, so that a second start with a huge contract is fast.
///
/// A contract is kept under its entry, the catalogs, the limits and this crate's version, with the
/// digest of each of its documents. It is taken from the folder only if every document is still
/// what it was: files are read again and compared, what came from the network is taken to be as it
/// was for [`Options::remote_age_max`]. Files are private, written beside their place and renamed
/// into it, and checked when they are read: owner, permissions, checksum, every index. Whatever is
/// wrong with one, or with the folder, means only that the contract is compiled again.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

/// What a stored contract depends on.
#[derive(Debug, Serialize, Deserialize)]
struct Index {
    /// When its documents were last known to be as they were, in seconds since 1970.
    checked: u64,
    /// Each document's location and digest. The first is the entry.
    documents: Vec<(String, [u8; 32])>,
    /// Locations that could not be loaded.
    missing: Vec<String>,
}

/// Contracts kept; the ones not written for longest go first.
const FILES_MAX: usize = 256;

impl Store {
    /// A store in this folder, which is made when something is to be kept.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Store {
            folder: folder.into(),
        }
    }

    /// The folder that is used unless one is named: `$CASTILE_CACHE`, else
    /// `$XDG_CACHE_HOME/castile`, else `~/.cache/castile`. `None` when the environment names none,
    /// or when `$CASTILE_CACHE` is set and empty, which turns keeping off.
    pub fn default_folder() -> Option<PathBuf> {
        let named = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let absolute = |path: PathBuf| path.is_absolute().then_some(path);
        match named("CASTILE_CACHE") {
            Some(folder) => (!folder.as_os_str().is_empty()).then_some(folder),
            None => {
                let cache = named("XDG_CACHE_HOME").and_then(absolute);
                cache
                    .or_else(|| Some(absolute(named("HOME")?)?.join(".cache")))
                    .map(|c| c.join("castile"))
            }
        }
    }

    /// Loads a contract, from the folder if it is there and still right.
    ///
    /// # Errors
    /// Those of [`Contract::load`].
    pub fn load<'a>(
        &self,
        entry: impl Into<Entry<'a>>,
        resolver: &dyn Resolver,
        options: &Options,
    ) -> Result<Contract, Error> {
        let entry = entry.into();
        let path = self.folder.join(format!("{}.castile", key(&entry, options)));
        if let Some(contract) = self.stored(&path, &entry, resolver, options) {
            return Ok(contract);
        }
        let contract = Contract::load(entry, resolver, options)?;
        // A contract that cannot be kept is as good as one that is.
        let _kept = self.keep(&path, &contract);
        Ok(contract)
    }

    fn stored(
        &self,
        path: &Path,
        entry: &Entry<'_>,
        resolver: &dyn Resolver,
        options: &Options,
    ) -> Option<Contract> {
        let bytes = private::read(&self.folder, path)?;
        let (length, rest) = bytes.split_first_chunk::<4>()?;
        let (index, contract) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let mut index: Index = decode_stored(index).ok()?;
        let was_checked = index.is_fresh(entry, resolver, options)?;
        let contract_read = Contract::from_stored(contract).ok()?;
        if was_checked {
            index.checked = now();
            let _kept = write(&self.folder, path, &index, contract);
        }
        Some(contract_read)
    }

    /// Keeps a contract, but not one that lacks what the network may have the next time.
    fn keep(&self, path: &Path, contract: &Contract) -> Option<()> {
        if contract.missing.iter().any(|location| is_remote(location)) {
            return None;
        }
        let documents = contract
            .documents
            .iter()
            .map(|d| (d.location.clone(), d.digest))
            .collect();
        let index = Index {
            checked: now(),
            documents,
            missing: contract.missing.clone(),
        };
        let mut stored = Vec::new();
        contract.to_stored(&mut stored).ok()?;
        write(&self.folder, path, &index, &stored)?;
        private::prune(&self.folder, FILES_MAX);
        Some(())
    }
}

impl Index {
    /// Whether every document is what it was; if so, whether remote ones were loaded to know it.
    fn is_fresh(&self, entry: &Entry<'_>, resolver: &dyn Resolver, options: &Options) -> Option<bool> {
        let age = now().checked_sub(self.checked)?;
        let young = age <= options.remote_age_max.as_secs();
        let trusted = |location: &str| options.offline || young && !is_here(location);
        let mut loaded = false;
        for (i, (location, digest)) in self.documents.iter().enumerate() {
            let found = match entry {
                Entry::Document { bytes, .. } if i == 0 => *blake3::hash(bytes).as_bytes(),
                _ if is_remote(location) && trusted(location) => continue,
                _ => {
                    loaded |= is_remote(location);
                    *blake3::hash(&resolver.load(location).ok()?.bytes).as_bytes()
                }
            };
            if found != *digest {
                return None;
            }
        }
        for location in &self.missing {
            if resolver.load(location).is_ok() {
                return None;
            }
        }
        Some(loaded)
    }
}

/// Whether a document comes from this machine by http: a port here is another program's before long, and
/// asking costs nothing.
fn is_here(location: &str) -> bool {
    let authority = location.split_once("://").map_or("", |(_, rest)| rest);
    let authority = authority.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let name = match host.strip_prefix('[') {
        Some(address) => address.split(']').next(),
        None => host.split(':').next(),
    };
    let name = name.unwrap_or_default();
    let address: Result<IpAddr, _> = name.parse();
    name.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

fn write(folder: &Path, path: &Path, index: &Index, contract: &[u8]) -> Option<()> {
    let mut bytes = vec![0; 4];
    encode_stored(index, &mut bytes).ok()?;
    let length = u32::try_from(bytes.len() - 4).ok()?;
    bytes.get_mut(..4)?.copy_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(contract);
    private::write(folder, path, &bytes)
}

fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

/// What a stored contract is kept under.
fn key(entry: &Entry<'_>, options: &Options) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut add = |text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    add(env!("CARGO_PKG_VERSION"));
    match entry {
        Entry::Location(location) => {
            add(location);
            // The same relative path means another file elsewhere.
            let absolute = if is_remote(location) {
                None
            } else {
                std::path::absolute(location).ok()
            };
            add(&absolute.unwrap_or_default().to_string_lossy());
        }
        Entry::Document {
            bytes,
            location,
            charset,
        } => {
            add(location);
            add(charset.unwrap_or_default());
            add(&blake3::hash(bytes).to_hex());
        }
    }
    add(&format!("{:?}", options.limits));
    for catalog in &options.catalogs {
        add("catalog");
        catalog.fingerprint(&mut add);
    }
    hasher.finalize().to_hex().to_string()
}
