//! The one module that touches the disk: documents from files ([`FileResolver`]) and compiled
//! contracts kept in a folder ([`Store`]).

mod private;
mod store;

use std::fs::File;
use std::io::Read;

pub use store::Store;

use crate::resolve::{Loaded, ResolveError, Resolver, scheme, unescape};

/// Loads documents from files: paths and `file:` URLs.
#[derive(Clone, Copy, Debug)]
pub struct FileResolver {
    /// The most bytes of one file. Default 256 MiB.
    pub bytes_max: u64,
}

impl Default for FileResolver {
    fn default() -> Self {
        FileResolver { bytes_max: 256 << 20 }
    }
}

impl FileResolver {
    /// With the default limit.
    pub fn new() -> Self {
        FileResolver::default()
    }
}

impl Resolver for FileResolver {
    fn load(&self, location: &str) -> Result<Loaded, ResolveError> {
        let path = path(location)?;
        let failed = |e: std::io::Error| ResolveError(e.to_string());
        let file = File::open(&path).map_err(failed)?;
        if !file.metadata().map_err(failed)?.is_file() {
            return Err(ResolveError("it is not a file".into()));
        }
        let mut bytes = Vec::new();
        file.take(self.bytes_max.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(failed)?;
        if bytes.len() as u64 > self.bytes_max {
            return Err(ResolveError(format!(
                "it is longer than bytes_max = {}",
                self.bytes_max
            )));
        }
        Ok(Loaded {
            bytes,
            location: location.to_owned(),
            charset: None,
        })
    }
}

/// The path of a location.
fn path(location: &str) -> Result<String, ResolveError> {
    match scheme(location) {
        None => Ok(location.to_owned()),
        Some(scheme) if scheme.eq_ignore_ascii_case("file") => {
            let rest = &location[scheme.len() + 1..];
            let local = rest
                .strip_prefix("//localhost")
                .or_else(|| rest.strip_prefix("//"))
                .unwrap_or(rest);
            if !local.starts_with('/') {
                return Err(ResolveError("a file on another machine cannot be opened".into()));
            }
            Ok(unescape(local))
        }
        Some(scheme) => Err(ResolveError(format!(
            "{scheme} locations need a resolver that can load them"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_have_paths() {
        assert_eq!(path("a/b c%20d").unwrap(), "a/b c%20d");
        assert_eq!(path("file:///a/b%20c").unwrap(), "/a/b c");
        assert_eq!(path("file:/a").unwrap(), "/a");
        assert_eq!(path("file://localhost/a").unwrap(), "/a");
        assert!(path("file://h/a").is_err());
        assert!(path("http://h/a").unwrap_err().to_string().contains("http"));
    }

    #[test]
    fn folders_and_long_files_are_refused() {
        let files = FileResolver { bytes_max: 10 };
        let folder = env!("CARGO_MANIFEST_DIR");
        assert!(files.load(folder).unwrap_err().to_string().contains("not a file"));
        assert!(
            files
                .load(&format!("{folder}/Cargo.toml"))
                .unwrap_err()
                .to_string()
                .contains("bytes_max")
        );
        assert!(files.load(&format!("{folder}/nothing")).is_err());
    }
}
