//! Loading the contract that a command names.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use castile_contract::{Contract, Warning, WarningKind, masked};
use castile_endpoint::{Cache, LoadOptions, Location};
use castile_http::Tls;
use clap::Args;

use crate::failure::Failure;
use crate::log::LOADING;

/// The contract and how it is loaded.
#[derive(Args, Debug)]
pub(crate) struct ContractArgs {
    /// The WSDL: a file, an http(s) URL, or - for standard input
    pub(crate) wsdl: String,
    /// A catalog that says where imported documents are instead (OASIS XML catalog, or lines of
    /// URL, tab, file); may be given several times
    #[arg(long, value_name = "FILE", help_heading = "Contract")]
    catalog: Vec<PathBuf>,
    /// Load nothing from the network
    #[arg(long, help_heading = "Contract")]
    offline: bool,
    /// Neither use nor keep compiled contracts on disk
    #[arg(long, help_heading = "Contract")]
    no_cache: bool,
    #[command(flatten)]
    pub(crate) tls: TlsArgs,
}

/// Whom we trust and who we are, for the WSDL and for calls.
#[derive(Args, Debug)]
pub(crate) struct TlsArgs {
    /// Trust the certificate authorities of this PEM file as well; may be given several times
    #[arg(long, value_name = "FILE", help_heading = "TLS")]
    cacert: Vec<PathBuf>,
    /// Our certificate (PEM), for servers that ask for one
    #[arg(long, value_name = "FILE", requires = "key", help_heading = "TLS")]
    cert: Option<PathBuf>,
    /// The private key of our certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "cert", help_heading = "TLS")]
    key: Option<PathBuf>,
    /// Do not check the server's certificate: anyone on the way can read and change everything
    #[arg(long, help_heading = "TLS")]
    insecure: bool,
}

impl TlsArgs {
    /// The same as options.
    pub(crate) fn options(&self) -> Result<Tls, Failure> {
        Ok(Tls {
            ca_files: self.cacert.clone(),
            client_cert_pem: self.cert.as_deref().map(read).transpose()?,
            client_key_pem: self.key.as_deref().map(read).transpose()?,
            verify: !self.insecure,
            ..Tls::default()
        })
    }

    /// The same as on a command line.
    fn words(&self) -> Vec<String> {
        let mut words = options("--cacert", &self.cacert);
        words.extend(options("--cert", &self.cert));
        words.extend(options("--key", &self.key));
        words.extend(self.insecure.then(|| "--insecure".to_owned()));
        words
    }
}

/// An option for each of the files.
fn options<'p>(option: &str, files: impl IntoIterator<Item = &'p PathBuf>) -> Vec<String> {
    let files = files.into_iter().map(|file| quoted(&file.to_string_lossy()));
    files.map(|file| format!("{option} {file}")).collect()
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./:@%+=,~".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

impl ContractArgs {
    /// How contracts are loaded. The authentication of calls is not part of it: a contract may
    /// import documents from anywhere.
    pub(crate) fn options(&self) -> Result<LoadOptions, Failure> {
        let http = castile_http::ClientOptions {
            tls: self.tls.options()?,
            ..Default::default()
        };
        let cache = if self.no_cache { Cache::Off } else { Cache::Default };
        Ok(LoadOptions {
            catalogs: self.catalog.clone(),
            cache,
            offline: self.offline,
            http,
        })
    }

    /// Loads the contract.
    pub(crate) fn load(&self) -> Result<Arc<Contract>, Failure> {
        Ok(castile_endpoint::load(&self.location()?, &self.options()?)?)
    }

    /// The same for use; what is wrong with it is told in one line, unless it is logged.
    pub(crate) fn load_for_use(&self) -> Result<Arc<Contract>, Failure> {
        let contract = self.load()?;
        if !tracing::enabled!(target: LOADING, tracing::Level::WARN)
            && let Some(line) = warned(&contract, 0, &self.words())
        {
            anstream::eprintln!("castile: {line}");
        }
        Ok(contract)
    }

    /// The contract as other commands are to be given it; a password in its URL is masked.
    pub(crate) fn words(&self) -> String {
        let mut words = vec![quoted(&masked(&self.wsdl))];
        words.extend(options("--catalog", &self.catalog));
        for (given, option) in [(self.offline, "--offline"), (self.no_cache, "--no-cache")] {
            words.extend(given.then(|| option.to_owned()));
        }
        words.extend(self.tls.words());
        words.join(" ")
    }

    /// Where the contract is.
    pub(crate) fn location(&self) -> Result<Location, Failure> {
        if self.wsdl != "-" {
            return Ok(Location::At(self.wsdl.clone()));
        }
        Ok(Location::from(stdin()?))
    }
}

/// That something is wrong with a contract, beside so many warnings that were shown, and who tells what; `words`
/// are [those of the contract](ContractArgs::words).
pub(crate) fn warned(contract: &Contract, shown: usize, words: &str) -> Option<String> {
    let count = match (contract.warnings.len().saturating_sub(shown), shown) {
        (0, _) => return None,
        (1, 0) => "1 warning".to_owned(),
        (n, 0) => format!("{n} warnings"),
        (1, _) => "1 other warning".to_owned(),
        (n, _) => format!("{n} other warnings"),
    };
    let missing = contract
        .warnings
        .iter()
        .filter(|w| w.kind == WarningKind::Missing);
    let missing = match missing.count() {
        0 => "",
        1 => ", a missing document among them,",
        _ => ", missing documents among them,",
    };
    Some(format!(
        "{count}{missing} about the contract; `castile validate {words}` lists them"
    ))
}

/// Warnings of one kind that are shown before the rest of them is counted.
const ALIKE_MAX: usize = 3;

/// Warnings in lines, the gravest first; unless `all` are wanted, of each kind a few and the number of the others.
pub(crate) fn lines(warnings: &[Warning], all: bool) -> Vec<String> {
    few_alike(warnings, all, |a, b| a.kind == b.kind)
}

/// Things in lines, where alike ones follow each other; unless `all` are wanted, a few of those that are alike.
pub(crate) fn few_alike<T: ToString>(things: &[T], all: bool, alike: impl Fn(&T, &T) -> bool) -> Vec<String> {
    let mut lines = Vec::new();
    for alike in things.chunk_by(alike) {
        let most = if all { alike.len() } else { ALIKE_MAX };
        lines.extend(alike.iter().take(most).map(ToString::to_string));
        let more = alike.len().saturating_sub(most);
        if more > 0 {
            lines.push(format!("{more} more of this kind, which -v lists"));
        }
    }
    lines
}

/// All of standard input.
pub(crate) fn stdin() -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut bytes);
    read.map_err(|e| Failure::caller(format!("standard input: {e}")))?;
    Ok(bytes)
}

/// All of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|e| Failure::file(path, &e))
}

/// All of a file that must be text; `-` is standard input.
pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    let bytes = if path == Path::new("-") {
        stdin()?
    } else {
        read(path)?
    };
    let text = castile_xml::to_utf8(&bytes, None).map(|text| text.into_owned());
    text.map_err(|e| Failure::caller(format!("{}: {e}", path.display())))
}
