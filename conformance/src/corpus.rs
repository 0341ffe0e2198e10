//! The foreign WSDLs: where they are, what the index says of each, and the catalogs to load them with.

use std::path::{Path, PathBuf};

use castile_contract::files::{FileResolver, Store};
use castile_contract::{Catalog, Contract, Error, Options, Resolver};

/// The folder of foreign test data, with what its contracts are loaded with.
pub(crate) struct Corpus {
    folder: PathBuf,
    options: Options,
}

/// A WSDL of the index.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Path within the corpus.
    pub(crate) file: String,
    /// Whether all it needs is in the corpus.
    pub(crate) loadable: bool,
    /// Constructs it uses, styles and versions of SOAP among them.
    pub(crate) features: Vec<String>,
}

impl Corpus {
    /// The test data; `None`, said loudly, where there is none.
    pub(crate) fn find() -> Option<Corpus> {
        let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/testdata");
        let folder = std::env::var_os("CASTILE_TESTDATA").map_or_else(beside, PathBuf::from);
        if !folder.join("wsdl/INDEX.tsv").is_file() {
            eprintln!(
                "SKIPPED: no test data in {}; set CASTILE_TESTDATA",
                folder.display()
            );
            return None;
        }
        let files = FileResolver::new();
        let urls = Catalog::load(&folder.join("wsdl/catalog.tsv").to_string_lossy(), &files);
        let urls = urls.unwrap_or_else(|e| {
            eprintln!("the catalog of the corpus: {e}");
            Catalog::new()
        });
        let catalogs = vec![urls, standards(&folder.join("standards"))];
        let options = Options {
            catalogs,
            offline: true,
            ..Options::default()
        };
        Some(Corpus { folder, options })
    }

    /// A path in the test data.
    pub(crate) fn path(&self, part: &str) -> PathBuf {
        self.folder.join(part)
    }

    /// The WSDLs that no other one imports, and the schemas of CWMP, which has no WSDL.
    pub(crate) fn rows(&self) -> Vec<Row> {
        let index = std::fs::read_to_string(self.path("wsdl/INDEX.tsv")).unwrap_or_default();
        let cwmp = (0..5).map(|version| Row {
            file: format!("cwmp-tr069/cwmp-1-{version}.xsd"),
            loadable: true,
            features: Vec::new(),
        });
        index.lines().skip(1).filter_map(row).chain(cwmp).collect()
    }

    /// Loads a WSDL of the index.
    pub(crate) fn load(&self, row: &Row) -> Result<Contract, Error> {
        self.load_at(&self.path("wsdl").join(&row.file))
    }

    /// The same from a store, if it is there.
    pub(crate) fn load_stored(&self, row: &Row, store: &Store) -> Result<Contract, Error> {
        let path = self.path("wsdl").join(&row.file);
        store.load(&*path.to_string_lossy(), &FileResolver::new(), &self.options)
    }

    /// Loads a WSDL beside the index.
    pub(crate) fn load_at(&self, path: &Path) -> Result<Contract, Error> {
        self.load_by(path, &FileResolver::new())
    }

    /// The same through another resolver.
    pub(crate) fn load_by(&self, path: &Path, resolver: &dyn Resolver) -> Result<Contract, Error> {
        Contract::load(&*path.to_string_lossy(), resolver, &self.options)
    }
}

fn row(line: &str) -> Option<Row> {
    let columns: Vec<&str> = line.split('\t').collect();
    let column = |n: usize| {
        columns
            .get(n)
            .copied()
            .filter(|text| *text != "-")
            .unwrap_or_default()
    };
    if column(2) != "top" {
        return None;
    }
    let versions = column(6).split(',').filter(|v| !v.is_empty()).map(|v| match v {
        "http" => "binding HTTP".to_owned(),
        v => format!("binding SOAP {v}"),
    });
    let styles = column(7)
        .split(',')
        .filter(|s| !s.is_empty())
        .map(|s| format!("style {s}"));
    let features = column(15).split(',').filter(|f| !f.is_empty()).map(str::to_owned);
    Some(Row {
        file: column(0).to_owned(),
        loadable: column(3) == "yes",
        features: versions.chain(styles).chain(features).collect(),
    })
}

/// Lines of file, target namespace and URLs.
fn standards(folder: &Path) -> Catalog {
    let text = std::fs::read_to_string(folder.join("catalog.tsv")).unwrap_or_default();
    let mut catalog = Catalog::new();
    for line in text.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [file, namespace, urls] = columns[..] else {
            continue;
        };
        let file = folder.join(file).to_string_lossy().into_owned();
        for name in urls.split(' ').chain([namespace]).filter(|name| !name.is_empty()) {
            catalog.insert(name, file.as_str());
        }
    }
    catalog
}
