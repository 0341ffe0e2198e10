//! Every WSDL of the corpus that can be loaded without a network is loaded; the ledger has the rest.
use std::path::{Path, PathBuf};
use std::time::Instant;

use castile_contract::files::FileResolver;
use castile_contract::{Catalog, Contract, Options};

fn main_catalogs(data: &Path) -> Vec<Catalog> {
    let files = FileResolver::new();
    let wsdl = Catalog::load(&data.join("wsdl/catalog.tsv").to_string_lossy(), &files).unwrap();
    let mut standards = Catalog::new();
    let text = std::fs::read_to_string(data.join("standards/catalog.tsv")).unwrap();
    for line in text.lines().skip(1) {
        let mut columns = line.split('\t');
        let file = data
            .join("standards")
            .join(columns.next().unwrap_or_default())
            .to_string_lossy()
            .into_owned();
        let namespace = columns.next().unwrap_or_default();
        for url in columns.next().unwrap_or_default().split(' ') {
            standards.insert(url, file.as_str());
        }
        standards.insert(namespace, file);
    }
    vec![wsdl, standards]
}

fn data() -> PathBuf {
    std::env::var_os("CASTILE_TESTDATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/testdata"),
        PathBuf::from,
    )
}

#[test]
fn corpus() {
    let data = data();
    let options = Options {
        catalogs: main_catalogs(&data),
        offline: true,
        ..Options::default()
    };
    let index = std::fs::read_to_string(data.join("wsdl/INDEX.tsv")).unwrap();
    let (mut ok, mut all) = (0, 0);
    let mut slow = Vec::new();
    for line in index.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        if columns[2] != "top" {
            continue;
        }
        let start = Instant::now();
        let result = Contract::load(
            &*data.join("wsdl").join(columns[0]).to_string_lossy(),
            &FileResolver::new(),
            &options,
        );
        slow.push((start.elapsed(), columns[0].to_owned()));
        if columns[3] == "yes" {
            all += 1;
            match &result {
                Ok(_) => ok += 1,
                Err(e) => println!("FAIL {}: {e}", columns[0]),
            }
        }
        if let Ok(c) = &result {
            let ops: Vec<_> = c.bindings.iter().flat_map(|b| &b.operations).collect();
            let uns: Vec<_> = ops.iter().filter_map(|o| o.unsupported.as_deref()).collect();
            println!(
                "OK {} ops {} unsupported {} types {} warnings {} missing {} unsuptypes {}",
                columns[0],
                ops.len(),
                uns.len(),
                c.types.complex.len(),
                c.warnings.len(),
                c.missing.len(),
                c.types.unsupported.len()
            );
            for w in &c.warnings {
                println!("  W {w}");
            }
            for w in uns.iter().take(3) {
                println!("  U {w}");
            }
            for w in c.types.unsupported.iter().take(20) {
                println!("  T {w}");
            }
        } else if columns[3] != "yes" {
            println!("ERR {} {}", columns[0], result.unwrap_err());
        }
    }
    slow.sort();
    for s in slow.iter().rev().take(8) {
        println!("SLOW {s:?}");
    }
    println!("{ok} of {all}");
}
