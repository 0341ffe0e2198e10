//! Where the foreign contracts are, and the catalogs that go with them.

use std::path::{Path, PathBuf};

use castile_contract::files::FileResolver;
use castile_contract::{Catalog, Options};

/// The folder of foreign test data; `None`, said loudly, where it is not.
pub(crate) fn data() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/testdata");
    let folder = std::env::var_os("CASTILE_TESTDATA").map_or_else(beside, PathBuf::from);
    if folder.join("wsdl/INDEX.tsv").is_file() {
        return Some(folder);
    }
    assert!(
        std::env::var_os("CASTILE_REQUIRE_TESTDATA").is_none(),
        "no test data in {}",
        folder.display()
    );
    eprintln!(
        "SKIPPED: no test data in {}; set CASTILE_TESTDATA",
        folder.display()
    );
    None
}

/// What every contract of the corpus is loaded with.
pub(crate) fn options(data: &Path) -> Options {
    let files = FileResolver::new();
    let urls = Catalog::load(&data.join("wsdl/catalog.tsv").to_string_lossy(), &files).unwrap();
    Options {
        catalogs: vec![urls, standards(&data.join("standards"))],
        offline: true,
        ..Options::default()
    }
}

/// Lines of file, target namespace and URLs.
fn standards(folder: &Path) -> Catalog {
    let text = std::fs::read_to_string(folder.join("catalog.tsv")).unwrap();
    let mut catalog = Catalog::new();
    for line in text.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [file, namespace, urls] = columns[..] else {
            panic!("{line}")
        };
        let file = folder.join(file).to_string_lossy().into_owned();
        for name in urls.split(' ').chain([namespace]).filter(|name| !name.is_empty()) {
            catalog.insert(name, file.as_str());
        }
    }
    catalog
}
